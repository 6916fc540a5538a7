"""One guest: User Mode Linux as a process of the host, started, watched, and killed as a power cut kills a machine."""

import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
MODULES = "/usr/lib/uml/modules"
FUSE, DM, LOG_WRITES = "fs/fuse/fuse.ko", "drivers/md/dm-mod.ko", "drivers/md/dm-log-writes.ko"
MEMORY = "640M"
POLL_SECONDS = 0.02
PROBE_SECONDS = 30

# Of a processor with AMX: the kernel of the host wants all of its registers at once.
TOO_MANY_REGISTERS = "ptrace set fp regs failed"


class GuestFailed(Exception):
    """The guest said that something is wrong, or said nothing in time."""


def program():
    return shutil.which("linux.uml")


def module(name):
    """The path of a module for the installed User Mode Linux, or None."""
    for version in sorted(os.listdir(MODULES)) if os.path.isdir(MODULES) else []:
        path = f"{MODULES}/{version}/kernel/{name}"
        if os.path.exists(path):
            return path
    return None


def why_not():
    """Why there can be no guest on this machine; None: there can."""
    if program() is None:
        return "User Mode Linux is not installed (Debian's package user-mode-linux)"
    for name in (FUSE, DM, LOG_WRITES):
        if module(name) is None:
            return f"the module {os.path.basename(name)} for User Mode Linux is not in {MODULES}"
    if TOO_MANY_REGISTERS in first_words():
        return f"this processor has more registers than the installed User Mode Linux knows ({TOO_MANY_REGISTERS})"
    return None


def first_words():
    """What a guest says that ends at once, since its first process does."""
    with tempfile.TemporaryDirectory() as directory:
        guest = subprocess.Popen(
            [program(), "mem=64M", f"uml_dir={directory}", "rootfstype=hostfs", "rootflags=/", "ro", "con=null",
             "con0=null,fd:1", "ssl=null", "init=/bin/true"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            return guest.communicate(timeout=PROBE_SECONDS)[0].decode(errors="replace")
        except subprocess.TimeoutExpired:
            os.killpg(guest.pid, signal.SIGKILL)
            return guest.communicate()[0].decode(errors="replace")


class Machine:
    def __init__(self, directory, disks, plan, seconds):
        """directory: empty or absent, for this guest alone. disks: image files. seconds: it is killed after them."""
        self.directory = directory
        self.disks = disks
        self.plan = plan
        self.deadline = time.monotonic() + seconds
        self.process = None
        self.lines = []
        self.read_bytes = 0

    def __enter__(self):
        os.makedirs(self.directory)
        share = self._path("share")
        os.mkdir(share)
        with open(f"{share}/plan.json", "w", encoding="utf-8") as target:
            json.dump(self.plan, target)
        with open(self._path("console"), "wb") as console, open(self._path("line"), "wb") as line:
            self.process = subprocess.Popen(
                self._command(share, line.fileno()), stdin=subprocess.DEVNULL, stdout=console,
                stderr=subprocess.STDOUT, pass_fds=[line.fileno()], start_new_session=True)
        return self

    def __exit__(self, *_):
        self.cut()

    def _path(self, name):
        return os.path.join(self.directory, name)

    def _command(self, share, line):
        disks = [f"ubd{number}={path}" for number, path in enumerate(self.disks)]
        return [program(), f"mem={MEMORY}", "umid=guest", f"uml_dir={self.directory}",
                "rootfstype=hostfs", "rootflags=/", "ro", "quiet", "con=null", "con0=null,fd:1", "ssl=null",
                f"ssl0=null,fd:{line}", *disks, "PYTHONDONTWRITEBYTECODE=1", f"init={sys.executable}", "--",
                f"{HERE}/guest.py", share]

    # --- what it says -----------------------------------------------------------------------------------------

    def wait_for(self, text, count=1):
        """Until the guest has said this line, `count` times in all."""
        while True:
            self._listen()
            if self.lines.count(text) >= count:
                return
            self._fail_if_told()
            if self.process.poll() is not None:
                self._listen()
                if self.lines.count(text) >= count:
                    return
                raise GuestFailed(f"the guest ended (exit code {self.process.returncode}) before '{text}'")
            if time.monotonic() > self.deadline:
                raise GuestFailed(f"the guest did not come to '{text}' in time; its last word was {self.lines[-1:]}")
            time.sleep(POLL_SECONDS)

    def _listen(self):
        with open(self._path("line"), "rb") as source:
            source.seek(self.read_bytes)
            heard = source.read()
        whole = heard[:heard.rfind(b"\n") + 1]
        self.read_bytes += len(whole)
        self.lines += [line.strip() for line in whole.decode(errors="replace").splitlines()]

    def acknowledged(self):
        """Worker -> the last operation it reported."""
        self._listen()
        last = {}
        for line in self.lines:
            words = line.split()
            if len(words) == 3 and words[0] == "w":
                last[int(words[1])] = int(words[2])
        return last

    def reports(self):
        """Their number."""
        self._listen()
        return sum(line.startswith("w ") for line in self.lines)

    def must_not_have_failed(self):
        self._listen()
        self._fail_if_told()

    def _fail_if_told(self):
        wrong = [line[len("failed "):] for line in self.lines if line.startswith("failed ")]
        if wrong:
            raise GuestFailed("; ".join(wrong))

    def saved(self, name):
        with open(self._path(f"share/{name}.pickle"), "rb") as source:
            return pickle.load(source)

    def console_tail(self, lines=30):
        """The last lines, without what the daemon tells about its background work."""
        with open(self._path("console"), encoding="utf-8", errors="replace") as source:
            told = [line.rstrip() for line in source.read().splitlines()]
        return [line for line in told if " INFO " not in line or "[main]" in line][-lines:]

    # --- its end ----------------------------------------------------------------------------------------------

    def wait_for_power_off(self):
        self.wait_for("done end")
        try:
            self.process.wait(max(1, self.deadline - time.monotonic()))
        except subprocess.TimeoutExpired as failure:
            raise GuestFailed("the guest did not power off") from failure

    def cut(self):
        """The power cut: every process of the guest at once; what it had not given to its disks is gone."""
        group = self.process.pid
        deadline = time.monotonic() + 30
        while self._signal(group):
            self.process.poll()
            if time.monotonic() > deadline:
                raise GuestFailed(f"the guest's process group {group} survived kill -9")
            time.sleep(POLL_SECONDS)
        self.process.wait()

    @staticmethod
    def _signal(group):
        try:
            os.killpg(group, signal.SIGKILL)
            return True
        except ProcessLookupError:
            return False
