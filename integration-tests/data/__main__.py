"""data SEED BACKING MOUNTPOINT CACHE PLAIN: prints TAP-like lines; exit code 1 when a check failed."""

import errno
import os
import random
import sys
import textwrap
import threading
import time
import traceback

from model import first_difference
from mount import Mount
from workload import Workload, WrongData, whole

WORKERS = 4
FILES_PER_WORKER = 6
STEPS = int(os.environ.get("DATA_STEPS", "400"))
MODES = ("writeback", "writethrough", "writearound", "none")

# What was not synced may be lost in mode writeback; the kill loop is about that.
CRASH_MODES = ("writethrough",) * 4 + ("writearound", "none")
DEATH = (errno.ENOTCONN, errno.ECONNABORTED, errno.EIO)
CACHE_SIZE = "16M"  # the files are about 36 MB: evictions happen all the time


class Run:
    def __init__(self, seed, backing, mountpoint, cache, plain):
        self.seed = seed
        self.random = random.Random(seed)
        self.plain = plain
        options = ["--size", CACHE_SIZE, "-o", "sequential_cutoff=0"]
        self.mount = Mount(os.environ["SSDCACHE"], backing, mountpoint, cache, options)
        self.workers = [Workload(index, seed, mountpoint, plain, FILES_PER_WORKER) for index in range(WORKERS)]
        self.number = 0
        self.failed = 0

    def check(self, name, action):
        """The action raises when something is wrong."""
        self.number += 1
        try:
            action()
            print(f"ok {self.number} - {name}", flush=True)
        except Exception as failure:
            self.failed += 1
            print(f"not ok {self.number} - {name}\n    # seed {self.seed}: {failure}", flush=True)
            if not isinstance(failure, WrongData):
                print(textwrap.indent(traceback.format_exc(), "    # "), flush=True)

    def work(self, steps=None, until=None):
        """All workers in threads; returns the first failure that is not the daemon's death."""
        failures = []

        def loop(worker):
            try:
                done = 0
                while (steps is None or done < steps) and not (until and until.is_set()):
                    worker.step()
                    done += 1
            except Exception as failure:
                failures.append(failure)

        threads = [threading.Thread(target=loop, args=(worker,)) for worker in self.workers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        wrong = [failure for failure in failures if not is_death(failure)]
        if wrong:
            raise wrong[0]
        return failures

    def must_work(self, steps):
        failures = self.work(steps)
        if failures:
            raise failures[0]

    def verify(self):
        for worker in self.workers:
            worker.verify(self.mount.mountpoint, "read through the mount")
            worker.verify(self.plain, "the plain file (an error of this test)")

    def verify_backing(self):
        for worker in self.workers:
            worker.verify(self.mount.backing, "backing file")
        compare_trees(self.mount.backing, self.plain)

    # --- the parts of the test -------------------------------------------------------------------------------

    def start(self):
        self.mount.mount()
        for worker in self.workers:
            worker.create_files()

    def in_mode(self, mode):
        self.mount.set_mode(mode)
        self.must_work(STEPS)
        self.verify()

    def switching_modes(self):
        stop = threading.Event()
        switcher_failures = []

        def switch():
            try:
                generator = random.Random(self.seed)
                while not stop.is_set():
                    self.mount.set_mode(generator.choice(MODES))
            except Exception as failure:
                switcher_failures.append(failure)

        switcher = threading.Thread(target=switch)
        switcher.start()
        try:
            self.must_work(2 * STEPS)
        finally:
            stop.set()
            switcher.join()
        if switcher_failures:
            raise switcher_failures[0]
        self.verify()

    def remount(self):
        self.mount.umount()
        self.verify_backing()
        self.mount.mount()
        self.verify()

    def evicted(self):
        evictions = self.mount.status()["stats"]["total"]["evictions"]
        if evictions < 100:
            raise WrongData(f"only {evictions} evictions: the cache was not too small, this checks little")

    def crash(self, mode):
        """kill -9 while all workers are busy; nothing that was acknowledged may be missing."""
        self.mount.set_mode(mode)
        self.mount.flush()
        pid = self.mount.status()["pid"]
        delay = self.random.uniform(0.2, 1.5)
        killer = threading.Timer(delay, self.mount.kill, [pid])
        killer.start()
        deadline = threading.Event()
        watchdog = threading.Timer(60, deadline.set)
        watchdog.start()
        for worker in self.workers:
            worker.avoid_mappings()
        failures = self.work(until=deadline)
        watchdog.cancel()
        killer.join()
        if len(failures) < len(self.workers):
            raise WrongData("the daemon was killed and some workers did not notice")
        self.mount.take_dead_mount_away()
        self.mount.mount()
        for worker in self.workers:
            worker.settle(self.mount.mountpoint)
        self.verify()
        self.mount.umount()
        self.verify_backing()
        self.mount.mount()
        self.verify()

    def all(self):
        started = time.monotonic()
        self.check("mount and create files", self.start)
        if self.failed:
            return
        for mode in MODES:
            self.check(f"{STEPS} operations by each of {WORKERS} workers, mode {mode}", lambda m=mode: self.in_mode(m))
        self.check("remount: backing and mount are right", self.remount)
        self.check("switching modes while working", self.switching_modes)
        self.check("remount: backing and mount are right", self.remount)
        self.check("evictions did happen", self.evicted)
        for index, mode in enumerate(CRASH_MODES):
            self.check(f"kill -9 number {index + 1}, mode {mode}", lambda m=mode: self.crash(m))
            if self.failed:
                break
        self.check("umount at the end", self.mount.umount)
        operations = sum(worker.operations for worker in self.workers)
        print(f"# {operations} operations in {time.monotonic() - started:.0f} s, seed {self.seed}")


def is_death(failure):
    return isinstance(failure, OSError) and failure.errno in DEATH


def compare_trees(left, right):
    names = sorted(os.listdir(left)), sorted(os.listdir(right))
    if names[0] != names[1]:
        raise WrongData(f"names differ: {sorted(set(names[0]) ^ set(names[1]))}")
    for name in names[0]:
        difference = first_difference(whole(os.path.join(right, name)), whole(os.path.join(left, name)))
        if difference:
            raise WrongData(f"{name}: {difference}")


if __name__ == "__main__":
    run = Run(int(sys.argv[1]), *sys.argv[2:6])
    print(f"# seed {run.seed}")
    run.all()
    print(f"1..{run.number}")
    sys.exit(1 if run.failed else 0)
