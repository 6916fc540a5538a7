"""Writes a file of reproducible random bytes: random_file.py PATH SIZE SEED (SIZE as 64M, 1G)"""

import os
import random
import sys

UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
CHUNK_BYTES = 1 << 20


def size_bytes(text):
    return int(text[:-1]) * UNITS[text[-1]] if text[-1] in UNITS else int(text)


def write(path, length, seed):
    generator = random.Random(seed)
    with open(path, "wb") as target:
        while length > 0:
            chunk = generator.randbytes(min(length, CHUNK_BYTES))
            target.write(chunk)
            length -= len(chunk)
        target.flush()
        os.fsync(target.fileno())


if __name__ == "__main__":
    write(sys.argv[1], size_bytes(sys.argv[2]), int(sys.argv[3]))
