"""Writes self-describing blocks to one file and logs each acknowledged one; checks a file against such a log.

    fill.py write FILE LOG [options]    prints "no error", or the first error and where: "ENOSPC in write"
    fill.py verify FILE LOG             every logged block holds what was last written there
"""

import argparse
import errno
import os
import random
import sys

from blocks import data, describe

FILE_NUMBER = 1


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=("write", "verify"))
    parser.add_argument("file")
    parser.add_argument("log")
    parser.add_argument("--count", type=int, default=64, help="blocks to write")
    parser.add_argument("--block", type=int, default=16384)
    parser.add_argument("--span", type=int, default=0, help="random blocks in so many bytes; 0: one after the other")
    parser.add_argument("--fsync", choices=("each", "end", "none"), default="end")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--hold", help="a FIFO: the file is opened, then its writer awaited, then the work done")
    return parser.parse_args()


def read_log(path):
    """Offset to (length, version), the last one of each; and the highest version."""
    blocks, highest = {}, 0
    if os.path.exists(path):
        with open(path, encoding="ascii") as log:
            for line in log:
                offset, length, version = map(int, line.split())
                blocks[offset] = (length, version)
                highest = max(highest, version)
    return blocks, highest


def write(options):
    highest = read_log(options.log)[1]
    generator = random.Random(f"{options.seed}/{highest}")
    where = "open"
    try:
        descriptor = os.open(options.file, os.O_RDWR | os.O_CREAT, 0o644)
        if options.hold:
            with open(options.hold, encoding="ascii") as fifo:
                fifo.read()
        with open(options.log, "a", encoding="ascii") as log:
            for index in range(options.count):
                offset = options.block * (generator.randrange(options.span // options.block) if options.span else index)
                where = "write"
                write_block(descriptor, options.block, offset, highest + 1 + index, log)
                if options.fsync == "each":
                    where = "fsync"
                    os.fsync(descriptor)
        if options.fsync == "end":
            where = "fsync"
            os.fsync(descriptor)
        where = "close"
        os.close(descriptor)
    except OSError as failure:
        return f"{errno.errorcode[failure.errno]} in {where}"
    return "no error"


def write_block(descriptor, length, offset, version, log):
    done = os.pwrite(descriptor, data(FILE_NUMBER, version, offset, length), offset)
    if done != length:
        # What fails after a part of it is told by the next call, which says why.
        os.pwrite(descriptor, data(FILE_NUMBER, version, offset, length)[done:], offset + done)
    log.write(f"{offset} {length} {version}\n")


def verify(options):
    blocks = read_log(options.log)[0]
    if not blocks:
        return f"{options.log} holds no block: nothing to verify"
    with open(options.file, "rb") as source:
        for offset, (length, version) in sorted(blocks.items()):
            source.seek(offset)
            actual = source.read(length)
            if actual != data(FILE_NUMBER, version, offset, length):
                return f"{options.file}, {length} bytes at {offset}: {describe(actual)}; should be version {version}"
    return None


if __name__ == "__main__":
    given = arguments()
    if given.command == "write":
        print(write(given))
    else:
        fault = verify(given)
        print(fault or "")
        sys.exit(1 if fault else 0)
