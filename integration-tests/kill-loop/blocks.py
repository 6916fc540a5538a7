"""Self-describing data: every sector of 512 bytes says which file, offset and version it is, under a checksum."""

import random
import struct
import zlib

SECTOR_BYTES = 512
HEADER = struct.Struct("<8sIIQ")  # magic, file, version, offset in the file
CHECKSUM = struct.Struct("<I")
MAGIC = b"KILLLOOP"
FILLER_BYTES = SECTOR_BYTES - HEADER.size - CHECKSUM.size
POOL = random.Random(1).randbytes(1 << 16)


def sector(file, version, offset):
    start = (file * 7919 + version * 104729 + offset) % (len(POOL) - FILLER_BYTES)
    body = HEADER.pack(MAGIC, file, version, offset) + POOL[start : start + FILLER_BYTES]
    return body + CHECKSUM.pack(zlib.crc32(body))


def data(file, version, offset, length):
    """What version `version` writes at these bytes; a part of a sector is cut out of the whole one."""
    first = offset // SECTOR_BYTES * SECTOR_BYTES
    whole = b"".join(sector(file, version, at) for at in range(first, offset + length, SECTOR_BYTES))
    return whole[offset - first : offset - first + length]


def describe(content):
    """Says in words what a piece of a file holds, sector by sector, equal neighbours together."""
    words = []
    for start in range(0, len(content), SECTOR_BYTES):
        word = describe_sector(content[start : start + SECTOR_BYTES])
        if not words or words[-1][0] != word:
            words.append([word, 0])
        words[-1][1] += 1
    return ", ".join(f"{count} x {word}" for word, count in words)


def describe_sector(piece):
    if not any(piece):
        return "zeros"
    if not piece.startswith(MAGIC) or len(piece) < HEADER.size:
        return "a part of a sector"
    _, file, version, offset = HEADER.unpack_from(piece)
    whole = len(piece) == SECTOR_BYTES and CHECKSUM.unpack(piece[-CHECKSUM.size :])[0] == zlib.crc32(piece[: -CHECKSUM.size])
    state = "" if whole else " (cut or damaged)"
    return f"file {file} version {version}{state} of block {offset // 4096 * 4096:#x}"
