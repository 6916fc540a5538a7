"""What the guest's programs ask of its kernel directly: no process is started for it, which is slow there."""

import ctypes
import fcntl
import os
import struct

LIBC = ctypes.CDLL(None, use_errno=True)
FINIT_MODULE = 313  # the system call's number on x86-64, the only machine that User Mode Linux runs on
MS_RDONLY, MS_BIND = 1, 4096
POWER_OFF = 0x4321FEDC
FALLOC_FL_KEEP_SIZE, FALLOC_FL_PUNCH_HOLE = 1, 2

DM_CREATE, DM_SUSPEND, DM_LOAD, DM_MESSAGE = 3, 6, 9, 14
DM_HEAD = struct.Struct("=3I2IIiIIIQ128s129s7x")
DM_TARGET = struct.Struct("=QQiI16s")
DM_BYTES = 4096
MISC_MAJOR = 10


def checked(result, what):
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def mount(source, target, kind, flags=0, data=""):
    os.makedirs(target, exist_ok=True)
    checked(LIBC.mount(os.fsencode(source), os.fsencode(target), kind.encode(), ctypes.c_ulong(flags), data.encode()),
            f"mount {source} on {target}")


def umount(target):
    checked(LIBC.umount2(os.fsencode(target), 0), f"umount {target}")


def is_mounted(target):
    with open("/proc/self/mountinfo", encoding="utf-8") as table:
        return any(line.split()[4] == target for line in table)


def load_module(path):
    descriptor = os.open(path, os.O_RDONLY)
    try:
        checked(LIBC.syscall(FINIT_MODULE, descriptor, b"", 0), f"loading {path}")
    finally:
        os.close(descriptor)


def power_off():
    os.sync()
    checked(LIBC.reboot(ctypes.c_int(POWER_OFF)), "power off")


def punch_hole(descriptor, offset, length):
    checked(LIBC.fallocate64(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                             ctypes.c_int64(offset), ctypes.c_int64(length)), "fallocate")


class DeviceMapper:
    """Device-mapper devices by their ioctls, for want of dmsetup."""

    def __init__(self):
        with open("/proc/misc", encoding="ascii") as table:
            minor = next(int(line.split()[0]) for line in table if line.split()[1] == "device-mapper")
        path = "/dev/mapper/control"
        if not os.path.exists(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            os.mknod(path, 0o600 | 0o020000, os.makedev(MISC_MAJOR, minor))
        self.control = os.open(path, os.O_RDWR)

    def create(self, name, sectors, target, parameters):
        """A device of one target; returns its path."""
        head = self._call(DM_CREATE, name, b"", 0)
        text = parameters.encode() + b"\0"
        text = text.ljust((len(text) + 7) // 8 * 8, b"\0")
        spec = DM_TARGET.pack(0, sectors, 0, DM_TARGET.size + len(text), target.encode())
        self._call(DM_LOAD, name, spec + text, 1)
        self._call(DM_SUSPEND, name, b"", 0)  # without the suspend flag: the table becomes live
        device = DM_HEAD.unpack_from(head)[10]
        path = f"/dev/dm-{os.minor(device)}"
        if not os.path.exists(path):
            os.mknod(path, 0o600 | 0o060000, device)
        return path

    def message(self, name, text):
        self._call(DM_MESSAGE, name, struct.pack("=Q", 0) + text.encode() + b"\0", 0)

    def _call(self, command, name, payload, targets):
        head = DM_HEAD.pack(4, 0, 0, DM_BYTES, DM_HEAD.size, targets, 0, 0, 0, 0, 0, name.encode(), b"")
        area = bytearray((head + payload).ljust(DM_BYTES, b"\0"))
        direction_and_size = 3 << 30 | DM_HEAD.size << 16
        fcntl.ioctl(self.control, direction_and_size | 0xFD << 8 | command, area)
        return area
