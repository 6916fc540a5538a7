"""What the files must contain: one byte array a file, and what may differ after a crash."""

GRAIN_BYTES = 512


class InFlight:
    """An operation that the daemon's death cut short: every byte may be the old or the new one."""

    def __init__(self, name, before, after, anew=False):
        """anew: the old file is removed and a new one written, so there may be none, or a beginning."""
        self.name = name
        self.before = bytes(before)
        self.after = bytes(after)
        self.anew = anew

    def allows(self, actual):
        """What is wrong with the file's content, or None; actual is None when there is no file."""
        if self.anew and (actual is None or self.after.startswith(actual)):
            return None
        if actual is None:
            return "the file is gone"
        shortest = min(len(self.before), len(self.after))
        longest = max(len(self.before), len(self.after))
        if not shortest <= len(actual) <= longest:
            return f"size {len(actual)} is neither {len(self.before)} nor {len(self.after)} nor between"
        before = self.before[: len(actual)].ljust(len(actual), b"\0")
        after = self.after[: len(actual)].ljust(len(actual), b"\0")
        for start in range(0, len(actual), GRAIN_BYTES):
            end = start + GRAIN_BYTES
            piece = actual[start:end]
            if piece == before[start:end] or piece == after[start:end]:
                continue
            for index, byte in enumerate(piece, start):
                if byte not in (before[index], after[index]):
                    return f"byte {index} is neither the old nor the new one"
        return None


def first_difference(expected, actual):
    """A short description, or None when both are equal."""
    if expected == actual:
        return None
    if len(expected) != len(actual):
        return f"size {len(actual)} instead of {len(expected)}"
    index = next(i for i in range(len(expected)) if expected[i] != actual[i])
    wrong = sum(a != b for a, b in zip(expected, actual))
    return (f"{wrong} bytes differ, first at {index}: "
            f"{actual[index:index + 8].hex()} instead of {expected[index:index + 8].hex()}")
