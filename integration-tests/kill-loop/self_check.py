"""That the checker would notice: every kind of damage, done to a directory on purpose, must be named."""

import os
import sys

from blocks import data
from model import PAGE_BYTES, Model, WrongData

BLOCK_BYTES = 4 * PAGE_BYTES


def write(version, offset, length, how="plain"):
    return {"op": "write", "file": 1, "version": version, "offset": offset, "length": length, "how": how}


def model(unit_bytes=BLOCK_BYTES):
    """A synced version 1 of four blocks, an unsynced version 2 of the second block, an open end."""
    result = Model(0)
    result.begin_round(unit_bytes, forgetful=True)
    result.next_file = 1
    for operation in ({"op": "create", "file": 1, "name": "a"}, {"op": "link", "file": 1, "name": "b"},
                      write(1, 0, 4 * BLOCK_BYTES), {"op": "sync", "file": 1},
                      write(2, BLOCK_BYTES, BLOCK_BYTES), write(3, 4 * BLOCK_BYTES, 100)):
        result.apply(operation)
        result.acknowledge(operation)
    return result


def mapped():
    """The same, and an unsynced memory map over the third block."""
    result = model()
    result.apply(write(4, 2 * BLOCK_BYTES, BLOCK_BYTES, "mapped"))
    return result


def patch(offset, content):
    def damage(path):
        with open(path, "r+b") as target:
            target.seek(offset)
            target.write(content)
    return damage


def size(length):
    return lambda path: os.truncate(path, length)


def replace_link(path):
    os.unlink(path)
    with open(path, "wb") as target:
        target.write(b"other")


ALLOWED = {
    "nothing": lambda path: None,
    "an unsynced block is old": patch(BLOCK_BYTES, data(1, 1, BLOCK_BYTES, BLOCK_BYTES)),
    "unsynced growth is lost": size(4 * BLOCK_BYTES),
}
DAMAGE = {
    "a synced page is older": patch(2 * BLOCK_BYTES, bytes(PAGE_BYTES)),
    "a synced byte is wrong": patch(5000, b"x"),
    "a block of another place": patch(0, data(1, 1, BLOCK_BYTES, BLOCK_BYTES)),
    "a block of another file": patch(0, data(2, 1, 0, BLOCK_BYTES)),
    "a mix inside a block": patch(BLOCK_BYTES, data(1, 1, BLOCK_BYTES, PAGE_BYTES)),
    "a mix inside a page": patch(BLOCK_BYTES, data(1, 1, BLOCK_BYTES, 512)),
    "synced bytes are cut off": size(4 * BLOCK_BYTES - 1),
    "a size that never was": size(4 * BLOCK_BYTES + 101),
    "a name is gone": os.unlink,
    "a link is a file of its own": replace_link,
}


def verdict(directory, damage, make=model):
    """The fault that is named, or None."""
    checked = make()
    path = os.path.join(directory, "b")
    for name in os.listdir(directory):
        os.unlink(os.path.join(directory, name))
    with open(path, "wb") as target:
        target.write(checked.files[1].content)
    os.link(path, os.path.join(directory, "a"))
    damage(path)
    try:
        checked.settle(directory)
        return None
    except WrongData as fault:
        return str(fault)


def all_wrong(directory):
    for name, damage in ALLOWED.items():
        fault = verdict(directory, damage)
        if fault:
            yield f"{name}: refused: {fault}"
    for name, damage in DAMAGE.items():
        if not verdict(directory, damage):
            yield f"{name}: not noticed"
    if verdict(directory, patch(2 * BLOCK_BYTES, data(1, 1, 2 * BLOCK_BYTES, PAGE_BYTES)), mapped):
        yield "an old page in an unsynced memory map: refused"
    if not verdict(directory, patch(2 * BLOCK_BYTES, data(1, 1, 2 * BLOCK_BYTES, 512)), mapped):
        yield "a mix inside a page of a memory map: not noticed"


if __name__ == "__main__":
    found = list(all_wrong(sys.argv[1]))
    print("\n".join(found))
    sys.exit(1 if found else 0)
