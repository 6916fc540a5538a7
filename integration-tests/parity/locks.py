"""Advisory locks, between processes."""

import fcntl
import os

from harness import case


def in_child(function):
    """What the function returns or raises in another process, as a short string."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            function()
            answer = b"ok"
        except OSError as failure:
            answer = str(failure.errno).encode()
        os.write(writer, answer)
        os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    return os.read(reader, 20).decode()


@case
def flock(t):
    t.make("file")
    holder = os.open(t.path("file"), os.O_RDWR)

    def attempt(kind):
        return lambda: fcntl.flock(os.open(t.path("file"), os.O_RDWR), kind | fcntl.LOCK_NB)

    t.call("exclusive", fcntl.flock, holder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    t.see("another exclusive", in_child(attempt(fcntl.LOCK_EX)))
    t.see("another shared", in_child(attempt(fcntl.LOCK_SH)))
    t.call("to shared", fcntl.flock, holder, fcntl.LOCK_SH | fcntl.LOCK_NB)
    t.see("another shared", in_child(attempt(fcntl.LOCK_SH)))
    t.see("another exclusive", in_child(attempt(fcntl.LOCK_EX)))
    t.call("unlock", fcntl.flock, holder, fcntl.LOCK_UN)
    t.see("another exclusive", in_child(attempt(fcntl.LOCK_EX)))
    t.call("exclusive", fcntl.flock, holder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(holder)
    t.see("after close", in_child(attempt(fcntl.LOCK_EX)))


@case
def record_locks(t):
    t.make("file", b"x" * 100)
    holder = os.open(t.path("file"), os.O_RDWR)

    def attempt(kind, start, length):
        return lambda: fcntl.lockf(os.open(t.path("file"), os.O_RDWR), kind | fcntl.LOCK_NB, length, start)

    t.call("write lock 10..20", fcntl.lockf, holder, fcntl.LOCK_EX | fcntl.LOCK_NB, 10, 10)
    t.see("overlapping", in_child(attempt(fcntl.LOCK_EX, 15, 10)))
    t.see("beside", in_child(attempt(fcntl.LOCK_EX, 20, 10)))
    t.see("read lock overlapping", in_child(attempt(fcntl.LOCK_SH, 19, 1)))
    t.call("read lock 30..40", fcntl.lockf, holder, fcntl.LOCK_SH | fcntl.LOCK_NB, 10, 30)
    t.see("another read lock", in_child(attempt(fcntl.LOCK_SH, 30, 10)))
    t.see("write lock over it", in_child(attempt(fcntl.LOCK_EX, 35, 1)))
    t.call("unlock all", fcntl.lockf, holder, fcntl.LOCK_UN, 0, 0)
    t.see("now free", in_child(attempt(fcntl.LOCK_EX, 0, 0)))
