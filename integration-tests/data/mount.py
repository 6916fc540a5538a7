"""The mount under test, steered by its own commands."""

import json
import os
import signal
import subprocess
import time

LIMIT_SECONDS = 60


class Mount:
    def __init__(self, program, backing, mountpoint, cache, options):
        self.program = program
        self.backing = backing
        self.mountpoint = mountpoint
        self.cache = cache
        self.options = options

    def command(self, *arguments):
        result = subprocess.run([self.program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                timeout=2 * LIMIT_SECONDS, check=False)
        if result.returncode != 0:
            raise RuntimeError(f"{arguments} ended with {result.returncode}: {result.stdout}")
        return result.stdout

    def mount(self):
        self.command("mount", "-c", self.cache, *self.options, self.backing, self.mountpoint)

    def umount(self):
        pid = self.status()["pid"]
        self.command("umount", self.mountpoint)
        wait_until(lambda: gone(pid), "the daemon ended after umount")

    def status(self):
        return json.loads(self.command("status", "--json", self.mountpoint))

    def set_mode(self, mode):
        self.command("set", self.mountpoint, f"mode={mode}")

    def flush(self):
        self.command("flush", self.mountpoint)

    def kill(self, pid):
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: gone(pid), "the daemon ended after kill -9")

    def take_dead_mount_away(self):
        subprocess.run(["umount", "-l", self.mountpoint], check=False, stderr=subprocess.DEVNULL)
        wait_until(lambda: not mounted(self.mountpoint), "the dead mount is gone")


def wait_until(condition, what):
    deadline = time.monotonic() + LIMIT_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise RuntimeError(f"waited {LIMIT_SECONDS} s in vain: {what}")
        time.sleep(0.02)


def gone(pid):
    try:
        with open(f"/proc/{pid}/stat", "rb") as source:
            return source.read().rpartition(b")")[2].split()[0] == b"Z"
    except OSError:
        return True


def mounted(path):
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as source:
        return any(line.split()[4] == path for line in source)
