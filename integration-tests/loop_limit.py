"""Makes a loop device end early: loop_limit.py DEVICE BYTES; 0 is its whole length again.

What lies beyond fails with EIO, as on a disk that is dying, and is untouched when the limit goes.
"""

import fcntl
import struct
import sys

LOOP_SET_STATUS64 = 0x4C04
LOOP_GET_STATUS64 = 0x4C05
INFO_BYTES = 232
SIZE_LIMIT_OFFSET = 32  # of lo_sizelimit in struct loop_info64


def limit(device, length_bytes):
    with open(device, "rb") as opened:
        info = bytearray(fcntl.ioctl(opened, LOOP_GET_STATUS64, bytes(INFO_BYTES)))
        struct.pack_into("<Q", info, SIZE_LIMIT_OFFSET, length_bytes)
        fcntl.ioctl(opened, LOOP_SET_STATUS64, bytes(info))


if __name__ == "__main__":
    limit(sys.argv[1], int(sys.argv[2]))
