"""Known differences between the mount and a plain directory: case -> label -> reason.

Every entry is a limit of the FUSE protocol as libfuse 2 speaks it (7.19). They are counted and
printed as known by every run; an entry that no longer differs fails the run, so that this table
stays true.
"""

LIBFUSE2 = "libfuse 2 has no request for it"

KNOWN = {
    "fallocate_collapse": {"collapse": f"{LIBFUSE2}: COLLAPSE_RANGE is refused by the kernel",
                           "insert": f"{LIBFUSE2}: INSERT_RANGE is refused by the kernel"},
    "rename_flags": {"noreplace, free": f"{LIBFUSE2}: renameat2 with flags is refused",
                     "exchange": f"{LIBFUSE2}: renameat2 with flags is refused",
                     "after exchange": f"{LIBFUSE2}: renameat2 with flags is refused",
                     "free exists": f"{LIBFUSE2}: renameat2 with flags is refused"},
    "tmpfile": {"O_TMPFILE": f"{LIBFUSE2}: O_TMPFILE is refused"},
    "seek_hole": {"hole": f"{LIBFUSE2}: SEEK_HOLE sees the whole file as data",
                  "data": f"{LIBFUSE2}: SEEK_DATA sees the whole file as data"},
}
