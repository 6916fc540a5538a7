"""Checks the object of `ssdcache status --json` on standard input; prints what is wrong with it."""

import json
import sys

NUMBER = (int, float)
STATES = {"clean", "dirty", "draining", "recovering", "bypass", "error"}
MODES = {"writethrough", "writeback", "writearound", "none"}
FIELDS = {
    "mountpoint": str, "backing": str, "cache": str, "mode": str, "pid": int, "state": str,
    "block_size_bytes": int, "cache_size_bytes": int, "cache_used_bytes": int, "cache_available_percent": NUMBER,
    "dirty_bytes": int, "oldest_dirty_seconds": NUMBER, "writeback_rate_bytes_per_second": NUMBER,
    "writeback_percent": int, "writeback_delay_seconds": NUMBER,
    "ssd_written_bytes": int, "ssd_read_bytes": int, "backing_written_bytes": int, "backing_read_bytes": int,
}
WINDOWS = ("total", "day", "hour", "five_minute")
STATISTICS = {
    "cache_hits": int, "cache_partial_hits": int, "cache_misses": int, "cache_hit_ratio": NUMBER,
    "cache_hit_bytes": int, "cache_miss_bytes": int, "bypassed_bytes": int,
}
REASONS = ("sequential", "congested", "files", "mode", "error")
ERRORS = ("ssd", "backing")


def faults_of(holder, fields, where):
    for name, kind in fields.items():
        if name not in holder:
            yield f"{where}{name} is missing"
        elif not isinstance(holder[name], kind) or isinstance(holder[name], bool):
            yield f"{where}{name} is {holder[name]!r}"
        elif not isinstance(holder[name], str) and holder[name] < 0:
            yield f"{where}{name} is negative"


def faults(status):
    yield from faults_of(status, FIELDS, "")
    if status.get("state") not in STATES:
        yield f"state is {status.get('state')!r}"
    if status.get("mode") not in MODES:
        yield f"mode is {status.get('mode')!r}"
    yield from faults_of(status.get("errors", {}), dict.fromkeys(ERRORS, int), "errors.")
    for window in WINDOWS:
        counts = status.get("stats", {}).get(window)
        if counts is None:
            yield f"stats.{window} is missing"
            continue
        where = f"stats.{window}."
        yield from faults_of(counts, STATISTICS, where)
        yield from faults_of(counts.get("bypassed", {}), dict.fromkeys(REASONS, int), where + "bypassed.")
        if not 0 <= counts.get("cache_hit_ratio", 0) <= 1:
            yield f"{where}cache_hit_ratio is {counts['cache_hit_ratio']}"
    if not status.get("cache_used_bytes", 0) <= status.get("cache_size_bytes", 0):
        yield "more used than there is"


if __name__ == "__main__":
    found = list(faults(json.load(sys.stdin)))
    print("\n".join(found))
    sys.exit(1 if found else 0)
