"""The mount that is killed: its commands, the backing directory behind it, and what is left after a death."""

import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import time

from model import WrongData, whole

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data"))
from mount import Mount, gone, mounted, wait_until  # noqa: E402

MARKER = "SSDCACHE-DIRTY.txt"


class Target(Mount):
    """In place, the backing directory is reached through a bind mount that was made before."""

    def __init__(self, program, directory, in_place, options, number):
        self.in_place = in_place
        self.root = os.path.join(directory, "backing")
        mountpoint = self.root if in_place else os.path.join(directory, "mount")
        super().__init__(program, self.root, mountpoint, os.path.join(directory, f"cache{number}"), options)
        self.behind = os.path.join(directory, "behind") if in_place else self.root
        for path in {self.root, mountpoint, self.behind}:
            os.makedirs(path, exist_ok=True)
        if in_place:
            run("mount", "--bind", self.root, self.behind)
            run("mount", "--make-private", self.behind)
        self.mode_of_root = stat.S_IMODE(os.stat(self.root).st_mode)
        self.pid = None

    def mount(self):
        places = [self.root] if self.in_place else [self.root, self.mountpoint]
        self.command("mount", "-c", self.cache, *self.options, *places)
        self.pid = self.status()["pid"]

    def status(self):
        """Without standard error, which may bring a warning."""
        output = subprocess.run([self.program, "status", "--json", self.mountpoint], stdout=subprocess.PIPE,
                                timeout=120, check=True).stdout
        return json.loads(output)

    def start(self, *arguments):
        return subprocess.Popen([self.program, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def die(self):
        """kill -9, if it has not just ended by itself. The dead mount stays: writers must meet it, nothing else."""
        if not gone(self.pid):
            try:
                self.kill(self.pid)
            except ProcessLookupError:
                return

    def take_away(self):
        if mounted(self.mountpoint):
            self.take_dead_mount_away()

    def umount_without_flush(self):
        self.command("umount", "--no-flush", self.mountpoint)
        wait_until(lambda: gone(self.pid), "the daemon ended after umount --no-flush")

    def terminate(self):
        os.kill(self.pid, signal.SIGTERM)
        wait_until(lambda: gone(self.pid), "the daemon ended after SIGTERM")
        wait_until(lambda: not mounted(self.mountpoint), "SIGTERM unmounted")

    def kill_while_starting(self, seconds):
        """Mounts, and kills the daemon so long after it appeared."""
        command = self.start("mount", "-c", self.cache, *self.options,
                             *([self.root] if self.in_place else [self.root, self.mountpoint]))
        try:
            wait_until(lambda: self.find_daemon() or command.poll() is not None, "the daemon appeared")
            pid = self.find_daemon()
            if pid is None:
                raise RuntimeError(f"mount ended with {command.returncode} and there is no daemon")
            time.sleep(seconds)
            if not gone(pid):
                self.kill(pid)
        finally:
            command.wait(timeout=120)
        self.take_away()

    def find_daemon(self):
        """By its command line, which names the mountpoint; there is no status to ask yet."""
        wanted = b"\0daemon\0--mountpoint\0" + os.fsencode(self.mountpoint) + b"\0"
        for name in os.listdir("/proc"):
            if name.isdigit():
                try:
                    with open(f"/proc/{name}/cmdline", "rb") as source:
                        if wanted in source.read() and not gone(int(name)):
                            return int(name)
                except OSError:
                    continue
        return None

    # --- the backing directory ---------------------------------------------------------------------------------

    def locked(self):
        """The guard: nobody but root gets in, and a marker says why."""
        has_marker = os.path.exists(os.path.join(self.behind, MARKER))
        no_mode = os.stat(self.behind).st_mode & 0o777 == 0
        if has_marker != no_mode:
            raise WrongData(f"the backing directory has mode {os.stat(self.behind).st_mode:o} and "
                            f"{'a' if has_marker else 'no'} marker file")
        return has_marker

    def expect_unlocked(self):
        if self.locked():
            raise WrongData("the backing directory is locked though all is flushed and unmounted")
        mode = stat.S_IMODE(os.stat(self.behind).st_mode)
        if mode != self.mode_of_root:
            raise WrongData(f"the backing directory has mode {mode:o} instead of {self.mode_of_root:o}")

    def compare_with_backing(self, below):
        """Byte for byte and attribute for attribute: the backing directory alone against the mount."""
        left, right = os.path.join(self.mountpoint, below), os.path.join(self.behind, below)
        if sorted(os.listdir(left)) != sorted(os.listdir(right)):
            raise WrongData(f"{below}: names on the backing are {sorted(os.listdir(right))}")
        for name in os.listdir(left):
            compare_files(os.path.join(left, name), os.path.join(right, name))

    def compare_file_with_backing(self, name):
        compare_files(os.path.join(self.mountpoint, name), os.path.join(self.behind, name))

    def damage_index(self, generator):
        """The index may be gone or anything at any mount."""
        index = os.path.join(self.cache, "index.mapdb")
        if not os.path.exists(index):
            return
        if generator.random() < 0.5:
            os.unlink(index)
        else:
            with open(index, "r+b") as target:
                target.seek(generator.randrange(max(1, os.path.getsize(index))))
                target.write(generator.randbytes(1000))

    def remove(self):
        """After the last umount: the next target begins with a new cache."""
        self.clean_up()
        shutil.rmtree(self.cache)

    def clean_up(self):
        """Whatever happened: no mount, no daemon."""
        pid = self.find_daemon()
        if pid is not None:
            self.kill(pid)
        self.take_away()
        if self.in_place and mounted(self.behind):
            run("umount", self.behind)


def compare_files(left, right):
    one, other = os.stat(left), os.stat(right)
    for field in ("st_size", "st_mode", "st_uid", "st_gid", "st_nlink", "st_mtime_ns", "st_ino"):
        if getattr(one, field) != getattr(other, field):
            raise WrongData(f"{left} has {field} {getattr(one, field)}, on the backing {getattr(other, field)}")
    mine, backing = whole(left), whole(right)
    if mine != backing:
        first = next(index for index in range(len(mine)) if mine[index] != backing[index])
        raise WrongData(f"{left} differs from the backing, first at {first:#x}")


def run(*command):
    subprocess.run(command, check=True)
