"""Compares what was found after a cut with what the reports promise."""

import os

from operations import grain_of


class Wrong(Exception):
    """The cache, or a disk, broke a promise."""


def contents_of(tree, number):
    """The files of a worker's directory: name -> bytes."""
    return {os.path.basename(path): facts[3] for path, facts in tree.items() if os.path.dirname(path) == str(number)}


def advance(worker, last):
    """Runs the worker's program: to operation `last`, which returned, and one further, which promises nothing."""
    while worker.n <= last:
        operation = worker.next_operation()
        worker.apply(operation, returned=operation.n <= last)


def check_worker(worker, found, atomic_bytes):
    """found: name -> bytes. atomic_bytes: writes of a grain up to it are not torn. Returns how many units are old."""
    candidates = [files for _, files in worker.names if set(files) == set(found)]
    if not candidates:
        states = "; ".join(f"op {n}: {' '.join(sorted(files))}" for n, files in worker.names)
        raise Wrong(f"{worker.tag}: the names are {' '.join(sorted(found))}; allowed: {states}")
    best = None
    for files in candidates:
        problems = [f"{name}: {message}" for name, file in sorted(files.items())
                    if (message := file.wrong(found[name], grain_of(name) <= atomic_bytes))]
        if not problems:
            return sum(file.old_units(found[name]) for name, file in files.items())
        if best is None or len(problems) < len(best):
            best = problems
    raise Wrong(f"{worker.tag}: " + "; ".join(best[:5]))


def check_same(left, right, what):
    """Two trees: the same names, modes, owners, times and bytes."""
    if left.keys() != right.keys():
        raise Wrong(f"{what}: only on one side: {sorted(left.keys() ^ right.keys())[:10]}")
    for path, facts in left.items():
        if facts != right[path]:
            raise Wrong(f"{what}: {path}: {describe(facts, right[path])}")


def describe(left, right):
    names = ("mode", "owner", "mtime")
    parts = [f"{name} {a} and {b}" for name, a, b in zip(names, left, right) if a != b]
    if left[3] != right[3] and None not in (left[3], right[3]):
        shorter = min(len(left[3]), len(right[3]))
        at = next((i for i in range(shorter) if left[3][i] != right[3][i]), shorter)
        parts.append(f"{len(left[3])} and {len(right[3])} bytes, different from byte {at} on")
    return ", ".join(parts)


def check_ledger(ledger, acknowledged):
    """ledger: client -> committed numbers found; every acknowledged one, none twice, no gap, one more at most."""
    for number, last in acknowledged.items():
        found = sorted(ledger.get(number, []))
        if found != list(range(1, len(found) + 1)):
            raise Wrong(f"client {number}: the ledger has gaps: {gaps(found)[:10]}")
        if not last <= len(found) <= last + 1:
            raise Wrong(f"client {number}: {last} transactions were acknowledged, the ledger has {len(found)}")


def gaps(found):
    return sorted(set(range(1, max(found, default=0) + 1)) - set(found))
