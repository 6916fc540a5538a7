"""Reads the log of dm-log-writes and makes the disk as it was, or might have been, at any flush.

The log: a superblock in the first sector, then entries of one sector each, followed by their data.
Writes stand before the flush that made them durable; an entry with a mark is the writer's.
"""

import bisect
import struct
from dataclasses import dataclass

from history import PAGE_BYTES
from images import SECTOR_BYTES

SUPER = struct.Struct("<QQQI")
ENTRY = struct.Struct("<QQQQ")
MAGIC = 0x6A736677736872
FLUSH, FUA, DISCARD, MARK, METADATA = 1, 2, 4, 8, 16
PAGE_SECTORS = PAGE_BYTES // SECTOR_BYTES
# The last entries may not have reached the log whole when the power went.
UNSURE_ENTRIES = 64


@dataclass(frozen=True)
class Entry:
    sector: int
    sectors: int
    flags: int
    at: int  # of its data in the log
    mark: str


class Log:
    def __init__(self, path):
        self.path = path
        with open(path, "rb") as source:
            magic, version, count, self.sector_bytes = SUPER.unpack(source.read(SUPER.size))
            if self.sector_bytes != SECTOR_BYTES:
                raise RuntimeError(f"{path} has sectors of {self.sector_bytes} bytes")
            if magic != MAGIC or version != 1:
                raise RuntimeError(f"{path} is not a log of dm-log-writes")
            self.entries = [*self._read(source, count)][:-UNSURE_ENTRIES]
        self.durable = [index for index, entry in enumerate(self.entries) if entry.flags & (FLUSH | FUA)]
        self.marks = [index for index, entry in enumerate(self.entries) if entry.flags & MARK]

    def _read(self, source, count):
        at = self.sector_bytes
        for _ in range(count):
            source.seek(at)
            sector, sectors, flags, length = ENTRY.unpack(source.read(ENTRY.size))
            if flags & ~(FLUSH | FUA | DISCARD | MARK | METADATA):
                raise RuntimeError(f"{self.path}: unknown flags {flags:#x} at {at}")
            mark = source.read(length).decode() if flags & MARK else ""
            yield Entry(sector, sectors, flags, at + self.sector_bytes, mark)
            at += self.sector_bytes
            if not flags & (DISCARD | MARK):
                at += sectors * self.sector_bytes

    def marks_before(self, index):
        """Worker -> its last operation among the marks before entry `index`."""
        last = {}
        for position in self.marks[:bisect.bisect_left(self.marks, index)]:
            words = self.entries[position].mark.split(":")
            last[int(words[1])] = int(words[2])
        return last

    def next_durable(self, index):
        """The flush after entry `index`, or the log's end."""
        place = bisect.bisect_right(self.durable, index)
        return self.durable[place] if place < len(self.durable) else len(self.entries)

    def pages_after(self, index, looks_right=lambda page: True):
        """How many pages were written between entry `index` and the next flush."""
        count = 0
        with open(self.path, "rb") as source:
            for entry in self.entries[index + 1:self.next_durable(index)]:
                for start in page_starts(entry):
                    source.seek(entry.at + start * SECTOR_BYTES)
                    count += looks_right(source.read(PAGE_BYTES))
        return count

    def replay(self, image, last, following, keep):
        """Writes to the image what was durable with entry `last`, and of the entries from there to `following` the
        pages for which keep() says so. Returns how many pages these have, and how many were kept."""
        pages = kept = 0
        with open(self.path, "rb") as source, open(image, "r+b") as target:
            for entry in self.entries[:last + 1]:
                self._apply(entry, source, target, 0, entry.sectors)
            for entry in self.entries[last + 1:following]:
                for start in page_starts(entry):
                    pages += 1
                    if keep():
                        kept += 1
                        self._apply(entry, source, target, start, min(PAGE_SECTORS, entry.sectors - start))
        return pages, kept

    def _apply(self, entry, source, target, start, sectors):
        # A disk may keep what was discarded.
        if entry.flags & (MARK | DISCARD) or sectors == 0:
            return
        source.seek(entry.at + start * SECTOR_BYTES)
        target.seek((entry.sector + start) * SECTOR_BYTES)
        target.write(source.read(sectors * SECTOR_BYTES))


def page_starts(entry):
    """The sectors in the entry at which its pages begin."""
    return range(0, 0 if entry.flags & (MARK | DISCARD) else entry.sectors, PAGE_SECTORS)
