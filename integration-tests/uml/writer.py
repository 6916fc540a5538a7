"""In the guest: performs a worker's program on the mount and reports each operation that has returned."""

import mmap
import os

from operations import FILE_WRITES, Worker
from system import punch_hole


class WrongRead(Exception):
    pass


class Writer:
    def __init__(self, directory, tag, report, lie=False):
        """report(number): tells the world outside that operation `number` has returned. lie: syncs are left out."""
        self.directory = directory
        self.worker = Worker(tag, read_directory(directory))
        self.report = report
        self.lie = lie
        self.open_files = {}

    def run(self):
        """Ends by an exception, or with the machine."""
        while True:
            operation = self.worker.next_operation()
            self._perform(operation)
            self.worker.apply(operation)
            self.report(operation.n)

    def _path(self, name):
        return os.path.join(self.directory, name)

    def _perform(self, operation):
        data = self.worker.data_of(operation) if operation.kind in FILE_WRITES else b""
        getattr(self, "_" + operation.kind)(operation, data)

    def _descriptor(self, name):
        if name not in self.open_files:
            self.open_files[name] = os.open(self._path(name), os.O_RDWR)
        return self.open_files[name]

    def _close(self, name):
        descriptor = self.open_files.pop(name, None)
        if descriptor is not None:
            os.close(descriptor)

    # --- one method a kind ------------------------------------------------------------------------------------

    def _write(self, operation, data):
        put(self._descriptor(operation.name), data, operation.offset)

    def _append(self, operation, data):
        self._opened(operation, os.O_WRONLY | os.O_APPEND, lambda descriptor: put(descriptor, data, None))

    def _direct_write(self, operation, data):
        self._opened(operation, os.O_WRONLY | os.O_DIRECT, lambda descriptor: put_direct(descriptor, data, operation))

    def _dsync_write(self, operation, data):
        flags = os.O_WRONLY if self.lie else os.O_WRONLY | os.O_DSYNC
        self._opened(operation, flags, lambda descriptor: put(descriptor, data, operation.offset))

    def _mapped_write(self, operation, data):
        with mmap.mmap(self._descriptor(operation.name), operation.length, offset=operation.offset) as area:
            area[:] = data
            if not self.lie:
                area.flush()

    def _opened(self, operation, flags, action):
        descriptor = os.open(self._path(operation.name), flags)
        try:
            action(descriptor)
        finally:
            os.close(descriptor)

    def _truncate(self, operation, _):
        os.ftruncate(self._descriptor(operation.name), operation.length)

    def _punch(self, operation, _):
        punch_hole(self._descriptor(operation.name), operation.offset, operation.length)

    def _fsync(self, operation, _):
        if not self.lie:
            os.fsync(self._descriptor(operation.name))

    def _fdatasync(self, operation, _):
        if not self.lie:
            os.fdatasync(self._descriptor(operation.name))

    def _sync_directory(self, operation, _):
        if not self.lie:
            self._opened(operation, os.O_RDONLY | os.O_DIRECTORY, os.fsync)

    def _create(self, operation, _):
        self.open_files[operation.name] = os.open(self._path(operation.name), os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)

    def _rename(self, operation, _):
        self._close(operation.other)
        os.rename(self._path(operation.name), self._path(operation.other))
        if operation.name in self.open_files:
            self.open_files[operation.other] = self.open_files.pop(operation.name)

    def _unlink(self, operation, _):
        os.unlink(self._path(operation.name))
        self._close(operation.name)

    def _read(self, operation, _):
        self._expect(operation, os.pread(self._descriptor(operation.name), operation.length, operation.offset))

    def _direct_read(self, operation, _):
        with mmap.mmap(-1, operation.length) as area:
            self._opened(operation, os.O_RDONLY | os.O_DIRECT,
                         lambda descriptor: os.preadv(descriptor, [area], operation.offset))
            self._expect(operation, area[:])

    def _expect(self, operation, found):
        file = self.worker.files[operation.name]
        expected = bytes(file.data[operation.offset:operation.offset + operation.length])
        if found != expected:
            at = next((i for i, pair in enumerate(zip(found, expected)) if pair[0] != pair[1]), len(found))
            raise WrongRead(f"{operation}: {len(found)} bytes, wrong from byte {operation.offset + at} on")


def put(descriptor, data, offset):
    """Everything or an error; offset None: at the end."""
    written = os.write(descriptor, data) if offset is None else os.pwrite(descriptor, data, offset)
    if written != len(data):
        raise OSError(f"a write of {len(data)} bytes wrote {written}")


def put_direct(descriptor, data, operation):
    with mmap.mmap(-1, len(data)) as area:
        area[:] = data
        written = os.pwritev(descriptor, [area], operation.offset)
    if written != len(data):
        raise OSError(f"a direct write of {len(data)} bytes wrote {written}")


def read_directory(directory):
    contents = {}
    for name in os.listdir(directory):
        with open(os.path.join(directory, name), "rb") as source:
            contents[name] = source.read()
    return contents
