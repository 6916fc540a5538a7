"""Runs the same system calls on a plain directory and on a mount, and compares what happened.

A case is a function that gets a Trace: it calls trace.call(...) for every system call whose result
or errno matters and trace.see(...) for effects. After the case the tree it left is added. Each case
runs in a child process of its own, in a fresh directory, so that it may change its uid or umask.
"""

import errno
import hashlib
import json
import os
import stat
import sys
import traceback

CASES = []
CASE_SECONDS = 60


def case(function):
    CASES.append(function)
    return function


class Trace:
    """What a case saw, in order, as pairs of a label and a value that JSON can hold."""

    def __init__(self, directory):
        self.directory = directory
        self.events = []

    def path(self, name):
        """The name inside the case's directory; bytes for names that are not UTF-8."""
        if isinstance(name, bytes):
            return os.path.join(os.fsencode(self.directory), name)
        return os.path.join(self.directory, name)

    def call(self, label, function, *arguments, **options):
        """Calls, records the result or the errno, and returns the result (None after an error)."""
        try:
            result = function(*arguments, **options)
        except OSError as failure:
            self.events.append([label, errno.errorcode.get(failure.errno, str(failure.errno))])
            return None
        self.events.append([label, plain(result)])
        return result

    def open(self, label, name, flags, mode=0o644):
        """Like call, for a descriptor: its number says nothing and is not recorded."""
        try:
            descriptor = os.open(self.path(name), flags, mode)
        except OSError as failure:
            self.events.append([label, errno.errorcode[failure.errno]])
            return None
        self.events.append([label, "ok"])
        return descriptor

    def see(self, label, value):
        self.events.append([label, plain(value)])

    def make(self, name, content=b"", mode=0o644):
        """Prepares a file; a failure here is the case's failure, not a result."""
        descriptor = os.open(self.path(name), os.O_CREAT | os.O_WRONLY | os.O_TRUNC, mode)
        view = memoryview(content)
        while view:
            view = view[os.write(descriptor, view):]
        os.fchmod(descriptor, mode)
        os.close(descriptor)

    def facts(self, label, name, *, follow=False):
        self.call(label, lambda: facts(os.stat(self.path(name), follow_symlinks=follow)))

    def content(self, label, name):
        self.call(label, lambda: digest(self.path(name)))


def plain(value):
    """A form of the value that is equal for equal outcomes and that JSON can hold."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        data = bytes(value)
        return data.hex() if len(data) <= 64 else f"{len(data)} bytes, sha1 {hashlib.sha1(data).hexdigest()}"
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if value is None:
        return "ok"
    return value


def facts(status):
    """What must be equal on both sides; not times, device and inode numbers."""
    size = status.st_size if not stat.S_ISDIR(status.st_mode) else "directory"
    return [stat.filemode(status.st_mode), status.st_uid, status.st_gid, status.st_nlink, size, status.st_rdev]


def digest(path):
    """Content read from the file system itself: the kernel's cached pages are dropped first."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        result = hashlib.sha1()
        length = 0
        while chunk := os.read(descriptor, 1 << 20):
            result.update(chunk)
            length += len(chunk)
            if length > 64 << 20:
                break
        return [length, result.hexdigest()]
    finally:
        os.close(descriptor)


def tree(directory):
    """Everything below the directory, sorted by name."""
    found = []
    root = os.fsencode(directory)
    for parent, directories, files in os.walk(root):
        for name in directories + files:
            path = os.path.join(parent, name)
            found.append([os.fsdecode(os.path.relpath(path, root)).encode("unicode_escape").decode(), *entry(path)])
    return sorted(found, key=lambda item: item[0])


def entry(path):
    try:
        status = os.lstat(path)
        if stat.S_ISLNK(status.st_mode):
            return [*facts(status), os.readlink(path).hex()]
        if stat.S_ISREG(status.st_mode):
            return [*facts(status), digest(path)]
        return facts(status)
    except OSError as failure:
        # A name that is listed and then gone: a difference, since nobody else works here.
        return [errno.errorcode[failure.errno]]


def events_of(function, directory):
    """Runs the case in a child process and returns its events."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        os._exit(run_child(function, directory, writer))
    os.close(writer)
    with os.fdopen(reader, "rb") as source:
        text = source.read()
    status = os.waitpid(child, 0)[1]
    events = json.loads(text) if text else []
    if status != 0:
        events.append(["the case ended", f"with wait status {status}"])
        return events
    return events + [["tree", entry] for entry in tree(directory)]


def run_child(function, directory, writer):
    import signal

    signal.alarm(CASE_SECONDS)
    os.umask(0o022)
    trace = Trace(directory)
    code = 0
    try:
        function(trace)
    except BaseException:
        trace.see("exception", traceback.format_exc().replace(directory, "DIR"))
        code = 1
    with os.fdopen(writer, "wb") as target:
        target.write(json.dumps(trace.events).encode())
    return code


def run_case(function, plain_root, mount_root):
    """Returns (events on the plain directory, events on the mount)."""
    outcomes = []
    for root in (plain_root, mount_root):
        directory = os.path.join(root, function.__name__)
        os.mkdir(directory, 0o755)
        os.chmod(directory, 0o755)
        outcomes.append(events_of(function, directory))
    return outcomes


def differences(expected, actual, known):
    """Splits the differing labels into (unknown lines, known reasons that applied)."""
    lines, applied = [], set()
    for index in range(max(len(expected), len(actual))):
        left = expected[index] if index < len(expected) else ["nothing", ""]
        right = actual[index] if index < len(actual) else ["nothing", ""]
        if left == right:
            continue
        if left[0] == right[0] and left[0] in known:
            applied.add(left[0])
            continue
        lines.append(f"plain: {left[0]}: {left[1]}")
        lines.append(f"mount: {right[0]}: {right[1]}")
    return lines, applied


def report(number, name, lines, applied, known):
    if lines:
        print(f"not ok {number} - {name}")
        for line in lines[:12]:
            print(f"    # {line}")
        return False
    gone = sorted(set(known) - applied)
    if gone:
        print(f"not ok {number} - {name}")
        print(f"    # no longer different, take it out of known.py: {', '.join(gone)}")
        return False
    reasons = f" # KNOWN {'; '.join(sorted({known[label] for label in applied}))}" if applied else ""
    print(f"ok {number} - {name}{reasons}")
    return True


def main(plain_root, mount_root, known_table, prefix):
    failed = 0
    for number, function in enumerate(CASES, 1):
        known = known_table.get(function.__name__, {})
        expected, actual = run_case(function, plain_root, mount_root)
        broken = [event for event in expected if event[0] in ("exception", "the case ended")]
        lines, applied = differences(expected, actual, known)
        # A case that breaks on the plain directory checks nothing.
        lines = [f"plain: {event[0]}: {event[1]}" for event in broken] + lines
        if not report(number, f"{prefix}{function.__name__}", lines, applied, known):
            failed += 1
        sys.stdout.flush()
    return failed
