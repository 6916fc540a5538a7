"""The writer's program: random operations on one directory, the same for the same seed and beginning.

Both sides run it: the writer in the guest, which performs each operation, and the checker outside,
which knows from the reports how far the writer came and what must therefore be on the disk.
"""

import random
import zlib
from dataclasses import dataclass

from history import PAGE_BYTES, FileHistory

# A file keeps to its grain in offsets, lengths and sizes; its name says which: "g8192-3".
GRAINS = (1, 4096, 8192, 16384)
NAMES_PER_GRAIN = 4
SIZE_LIMIT_BYTES = 1 << 20
# Half of all ranges begin here, so that blocks are written again while they are dirty.
HOT_BYTES, HOT_PROBABILITY = 64 << 10, 0.5
ALIGNED_KINDS = ("direct_write", "direct_read", "mapped_write")
WEIGHTS = {
    "write": 40, "append": 7, "direct_write": 6, "dsync_write": 5, "mapped_write": 4, "truncate": 4, "punch": 2,
    "fsync": 14, "fdatasync": 6, "read": 9, "direct_read": 6,
    "create": 4, "rename": 4, "unlink": 2, "sync_directory": 5,
}
FILE_WRITES = ("write", "append", "direct_write", "dsync_write", "mapped_write")


@dataclass(frozen=True)
class Operation:
    """Number n of a worker's program. other: the second name of a rename."""

    n: int
    kind: str
    name: str = ""
    offset: int = 0
    length: int = 0
    other: str = ""


def grain_of(name):
    return int(name[1:].split("-")[0])


class Worker:
    """One directory: its present files, and the states of its names since the last durable one."""

    def __init__(self, tag, contents):
        """contents: name -> bytes, durable when the program begins. tag: makes pages of this program unique."""
        self.tag = tag
        self.random = random.Random(tag)
        self.next_file = 0
        self.files = {}
        for name in sorted(contents):
            self.files[name] = self._new_file(name, contents[name], 0)
        self.names = [(0, dict(self.files))]
        self.n = 0

    def _new_file(self, name, data, born):
        self.next_file += 1
        return FileHistory(self.next_file, grain_of(name), data, born)

    # --- what comes next --------------------------------------------------------------------------------------

    def next_operation(self):
        self.n += 1
        while True:
            kind = self.random.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
            operation = self._try(kind)
            if operation:
                return operation

    def _try(self, kind):
        """None when it cannot be done now."""
        if kind == "sync_directory":
            return Operation(self.n, kind)
        if kind == "create":
            return self._create()
        if not self.files:
            return None
        name = self.random.choice(sorted(self.files))
        if kind == "rename":
            return self._rename(name)
        if kind in ALIGNED_KINDS and grain_of(name) < PAGE_BYTES:
            return None
        if kind == "mapped_write" and grain_of(name) > PAGE_BYTES:
            return None  # the kernel brings mapped pages home one by one
        if kind == "unlink" or kind in ("fsync", "fdatasync"):
            return Operation(self.n, kind, name)
        return self._range(kind, name, len(self.files[name].data))

    def _create(self):
        free = [f"g{grain}-{index}" for grain in GRAINS for index in range(NAMES_PER_GRAIN)]
        free = [name for name in free if name not in self.files]
        return Operation(self.n, "create", self.random.choice(free)) if free else None

    def _rename(self, name):
        others = [f"g{grain_of(name)}-{index}" for index in range(NAMES_PER_GRAIN)]
        others.remove(name)
        return Operation(self.n, "rename", name, other=self.random.choice(others))

    def _range(self, kind, name, size):
        grain = grain_of(name)
        if kind == "truncate":
            return Operation(self.n, kind, name, length=self._aligned(self.random.randrange(SIZE_LIMIT_BYTES), grain))
        length = self._length(grain)
        if kind == "append":
            return Operation(self.n, kind, name, size, length) if size + length <= SIZE_LIMIT_BYTES else None
        limit = SIZE_LIMIT_BYTES - length
        if kind not in FILE_WRITES or kind == "mapped_write":
            # Within the file: nothing to read, zero or map elsewhere.
            limit = size - length
        elif self.random.random() < 0.8:
            limit = min(limit, size)
        if self.random.random() < HOT_PROBABILITY:
            limit = min(limit, HOT_BYTES)
        if limit < 0:
            return None
        return Operation(self.n, kind, name, self._aligned(self.random.randrange(limit + 1), grain), length)

    def _length(self, grain):
        if grain == 1:
            return self.random.choice((1, 100, 512, 3000, 4096, 5000, 8192, 20000))
        return grain * self.random.choice((1, 1, 1, 1, 2, 3, 8))

    @staticmethod
    def _aligned(value, grain):
        return value - value % grain

    # --- what it does -----------------------------------------------------------------------------------------

    def data_of(self, operation):
        number = self.files[operation.name].number
        return pattern(f"{self.tag} file {number} op {operation.n}", operation.offset, operation.length)

    def apply(self, operation, returned=True):
        """returned: False for one that the cut may have caught under way, so that it promises nothing."""
        file = self.files.get(operation.name)
        if operation.kind in FILE_WRITES:
            grew = operation.offset + operation.length > len(file.data)
            file.write(operation.offset, self.data_of(operation))
            if operation.kind in ("dsync_write", "mapped_write") and returned:
                file.synced_range(operation.offset, operation.length, grew)
                self._names_durable_since(file.born)
        elif operation.kind == "truncate":
            file.truncate(operation.length)
        elif operation.kind == "punch":
            file.punch(operation.offset, operation.length)
        elif operation.kind in ("create", "rename", "unlink"):
            self._change_names(operation, file)
        elif returned:
            self._apply_sync(operation, file)

    def _change_names(self, operation, file):
        if operation.kind == "create":
            self.files[operation.name] = self._new_file(operation.name, b"", operation.n)
        else:
            del self.files[operation.name]
            if operation.kind == "rename":
                file.named = operation.n
                self.files[operation.other] = file
        self.names.append((operation.n, dict(self.files)))

    def _apply_sync(self, operation, file):
        if operation.kind == "sync_directory":
            self._names_durable_since(operation.n)
        elif operation.kind in ("fsync", "fdatasync"):
            file.synced()
            # fdatasync owes the file's existence, fsync also its last name.
            self._names_durable_since(file.named if operation.kind == "fsync" else file.born)

    def _names_durable_since(self, n):
        """Filesystems keep changes of names in order, so what came before number n is durable as well."""
        while len(self.names) > 1 and self.names[1][0] <= n:
            del self.names[0]


def pattern(words, offset, length):
    """Bytes that say in every page who wrote it: the words, the page's number, and a checksum of both."""
    parts = []
    first = offset // PAGE_BYTES
    for page in range(first, (offset + length + PAGE_BYTES - 1) // PAGE_BYTES):
        head = f"{words} page {page};".encode()
        noise = random.Random(zlib.crc32(head)).randbytes(PAGE_BYTES - len(head))
        parts.append(head + noise)
    skip = offset - first * PAGE_BYTES
    return b"".join(parts)[skip:skip + length]
