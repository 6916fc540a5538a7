"""Reads the log of dm-log-writes and makes the disk as it was, or might have been, at any flush.

The log: a superblock in the first sector, then entries of one sector each, followed by their data.
Writes stand before the flush that made them durable; an entry with a mark is the writer's.
"""

import bisect
import struct
from dataclasses import dataclass

from images import SECTOR_BYTES

SUPER = struct.Struct("<QQQI")
ENTRY = struct.Struct("<QQQQ")
MAGIC = 0x6A736677736872
FLUSH, FUA, DISCARD, MARK, METADATA = 1, 2, 4, 8, 16
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

    def replay(self, image, last, also=()):
        """Writes to the image what was durable with entry `last`, and those of the entries `also` that came later."""
        with open(self.path, "rb") as source, open(image, "r+b") as target:
            for index in [*range(last + 1), *also]:
                self._apply(self.entries[index], source, target)

    def _apply(self, entry, source, target):
        if entry.flags & MARK or entry.sectors == 0:
            return
        target.seek(entry.sector * SECTOR_BYTES)
        length = entry.sectors * self.sector_bytes
        if entry.flags & DISCARD:
            return  # a disk may keep what was discarded
        source.seek(entry.at)
        target.write(source.read(length))
