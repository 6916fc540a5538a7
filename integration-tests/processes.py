"""Lists the processes of a test run: processes.py RUN DIRECTORY RUNNER prints one process id a line.

A process belongs to the run when its environment carries SSDCACHE_IT_RUN=RUN, or when it works in
the run's directory (PostgreSQL overwrites its environment). The caller, its ancestors and RUNNER's
own children (the members of a pipeline, say) are not listed, nor are zombies and kernel threads.
"""

import os
import sys


def read(path):
    try:
        with open(path, "rb") as source:
            return source.read()
    except OSError:
        return b""


def parent(pid):
    # Field 4 of /proc/PID/stat; the name before it may contain spaces and parentheses.
    fields = read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    return int(fields[1]) if len(fields) > 1 else 0


def ancestors(pid):
    line = set()
    while pid > 1:
        line.add(pid)
        pid = parent(pid)
    return line


def works_in(pid, directory):
    try:
        cwd = os.readlink(f"/proc/{pid}/cwd")
    except OSError:
        return False
    return cwd == directory or cwd.startswith(directory + "/")


def belongs(pid, run, directory):
    marked = b"SSDCACHE_IT_RUN=" + run.encode() in read(f"/proc/{pid}/environ").split(b"\0")
    return (marked or works_in(pid, directory)) and read(f"/proc/{pid}/cmdline") != b""


def processes(run, directory, runner):
    own = ancestors(os.getpid())
    pids = (int(name) for name in os.listdir("/proc") if name.isdigit())
    return [pid for pid in pids if pid not in own and parent(pid) != runner and belongs(pid, run, directory)]


if __name__ == "__main__":
    for found in processes(sys.argv[1], sys.argv[2], int(sys.argv[3])):
        print(found)
