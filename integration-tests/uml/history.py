"""What a disk may show of a file after a power cut: every state since the last acknowledged sync, unit by unit.

A unit is what must never be torn: a page, or the grain in which the file is written where the cache
promises that (mode writeback, a grain of at most a block).
"""

PAGE_BYTES = 4096


class FileHistory:
    """One file: its bytes as the writer left them, and older states that may still be what the disk has."""

    def __init__(self, number, grain_bytes, data=b"", born=0):
        self.number = number
        self.unit_bytes = max(grain_bytes, PAGE_BYTES)
        self.data = bytearray(data)
        self.born = born  # the operation that made it, and the last one that changed its name
        self.named = born
        self.sizes = [len(data)]
        self.units = {}  # unit number -> states, oldest first; none: only the present state

    def write(self, offset, data):
        end = offset + len(data)
        self._changing(offset, end)
        if end > len(self.data):
            self.data.extend(bytes(end - len(self.data)))
        self.data[offset:end] = data
        self._changed(offset, end)

    def truncate(self, size):
        low, high = sorted((size, len(self.data)))
        self._changing(low, high)
        if size < len(self.data):
            del self.data[size:]
        else:
            self.data.extend(bytes(size - len(self.data)))
        self._changed(low, high)

    def punch(self, offset, length):
        end = min(offset + length, len(self.data))
        if offset < end:
            self._changing(offset, end)
            self.data[offset:end] = bytes(end - offset)
            self._changed(offset, end)

    def synced(self):
        self.units.clear()
        self.sizes = [len(self.data)]

    def synced_range(self, offset, length, grew):
        for unit in self._unit_numbers(offset, offset + length):
            self.units.pop(unit, None)
        if grew:
            self.sizes = [len(self.data)]

    def wrong(self, actual, atomic):
        """What is wrong with the content found, or None; atomic: units are never torn between their pages."""
        if not min(self.sizes) <= len(actual) <= max(self.sizes):
            return f"size {len(actual)} is not between {min(self.sizes)} and {max(self.sizes)}"
        for unit in range((len(actual) + self.unit_bytes - 1) // self.unit_bytes):
            found = bytes(actual[unit * self.unit_bytes:(unit + 1) * self.unit_bytes])
            message = self._unit_wrong(unit, found, atomic)
            if message:
                return message
        return None

    def old_units(self, actual):
        """How many units lost their present state, which shows that the cut did cut something."""
        return sum(self._state(unit, len(actual)) != bytes(actual[unit * self.unit_bytes:(unit + 1) * self.unit_bytes])
                   for unit in self.units)

    # --- units -------------------------------------------------------------------------------------------------

    def _unit_numbers(self, start, end):
        return range(start // self.unit_bytes, (end + self.unit_bytes - 1) // self.unit_bytes)

    def _state(self, unit, limit=None):
        end = (unit + 1) * self.unit_bytes
        data = bytes(self.data[unit * self.unit_bytes:end]).ljust(self.unit_bytes, b"\0")
        return data if limit is None else data[:max(0, limit - unit * self.unit_bytes)]

    def _changing(self, start, end):
        for unit in self._unit_numbers(start, end):
            if unit not in self.units:
                self.units[unit] = [self._state(unit)]

    def _changed(self, start, end):
        for unit in self._unit_numbers(start, end):
            self.units[unit].append(self._state(unit))
        if self.sizes[-1] != len(self.data):
            self.sizes.append(len(self.data))

    def _unit_wrong(self, unit, found, atomic):
        states = self.units.get(unit) or [self._state(unit)]
        if any(state.startswith(found) for state in states):
            return None
        bad = [page for page in range(0, len(found), PAGE_BYTES)
               if not any(state[page:].startswith(found[page:page + PAGE_BYTES]) for state in states)]
        if bad:
            return self._describe(unit, bad[0], found, states, "holds")
        return self._describe(unit, 0, found, states, "is torn:") if atomic else None

    def _describe(self, unit, page, found, states, verb):
        if verb == "holds":
            content = label(found[page:page + PAGE_BYTES])
            allowed = [label(state[page:page + PAGE_BYTES]) for state in states]
        else:
            content = " | ".join(label(found[at:at + PAGE_BYTES]) for at in range(0, len(found), PAGE_BYTES))
            allowed = [" | ".join(label(state[at:at + PAGE_BYTES]) for at in range(0, self.unit_bytes, PAGE_BYTES))
                       for state in states]
        offset = unit * self.unit_bytes + page
        return (f"offset {offset} (unit of {self.unit_bytes}) {verb} {content}; allowed: "
                + ", then ".join(dict.fromkeys(allowed)))


def label(page):
    """The words that a page begins with, see operations.pattern, or what it looks like."""
    if not page.strip(b"\0"):
        return "zeros"
    head = page[:64].split(b";")[0]
    return f"<{head.decode('ascii')}>" if head.isascii() and b";" in page[:64] else f"bytes {page[:12].hex()}.."
