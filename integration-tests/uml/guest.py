"""The first process of the guest: guest.py SHARE carries out the steps of SHARE/plan.json and powers the machine off.

The root is the host's, read-only. What happens is reported on a serial line whose other end is a file on the
host, so it outlives the machine: "done STEP", "failed TEXT", and a writer's "w WORKER OPERATION".
"""

import functools
import glob
import json
import os
import pickle
import random
import socket
import subprocess
import sys
import threading
import time
import traceback

import cluster
from system import MS_BIND, MS_RDONLY, DeviceMapper, is_mounted, load_module, mount, power_off, umount
from writer import Writer

HERE = "/run/uml"
SHARE, PROGRAM = f"{HERE}/share", f"{HERE}/program"
HDD, SSD, MOUNT = f"{HERE}/hdd", f"{HERE}/ssd", f"{HERE}/mount"
BACKING = f"{HDD}/data"
TEMPORARY = ("/tmp", "/var/tmp", "/var/log", "/var/cache", "/dev/shm")
LOG_DEVICE = "logged"
LIMIT_SECONDS = 120


class Guest:
    def __init__(self, share):
        self.outside = share
        self.line = None
        self.plan = {}
        self.devices = {}
        self.mapper = None
        self.daemon = None
        self.view = MOUNT

    # --- the machine ------------------------------------------------------------------------------------------

    def boot(self):
        mount("proc", "/proc", "proc")
        mount("sysfs", "/sys", "sysfs")
        mount("tmpfs", "/run", "tmpfs")
        mount("none", SHARE, "hostfs", data=self.outside)
        with open(f"{SHARE}/plan.json", encoding="utf-8") as source:
            self.plan = json.load(source)
        # Before anything is put over the place where it may lie.
        mount(self.plan["program"], PROGRAM, "none", MS_BIND | MS_RDONLY)
        for directory in TEMPORARY:
            mount("tmpfs", directory, "tmpfs", data="mode=1777")
        for module in self.plan["modules"]:
            load_module(module)
        self._find_devices()

    def _find_devices(self):
        logged = self.plan["logged"]
        if not logged:
            self.devices = {HDD: "/dev/ubda", SSD: "/dev/ubdb"}
            return
        # One log for both disks, so that their writes have one order.
        self.mapper = DeviceMapper()
        total = logged["hdd_sectors"] + logged["ssd_sectors"]
        whole = "/dev/ubda"
        if logged["record"]:
            whole = self.mapper.create(LOG_DEVICE, total, "log-writes", "/dev/ubda /dev/ubdb")
        hdd = self.mapper.create("hdd", logged["hdd_sectors"], "linear", f"{whole} 0")
        ssd = self.mapper.create("ssd", logged["ssd_sectors"], "linear", f"{whole} {logged['hdd_sectors']}")
        self.devices = {HDD: hdd, SSD: ssd}

    def report(self, text):
        if self.line is None:
            self.line = os.open("/dev/ttyS0", os.O_WRONLY | os.O_NOCTTY)
        os.write(self.line, (text.replace("\n", " ") + "\n").encode())

    def run(self):
        try:
            self.boot()
            for step in self.plan["steps"]:
                getattr(self, "step_" + step["step"])(**{key: value for key, value in step.items() if key != "step"})
                self.report(f"done {step['step']}")
        except Exception as failure:
            traceback.print_exc()
            self.report(f"failed {type(failure).__name__}: {failure}")
        power_off()

    # --- filesystems ------------------------------------------------------------------------------------------

    def step_disks(self):
        """Mounts both, which replays their journals, checks them with e2fsck, and mounts them again."""
        for place, device in self.devices.items():
            mount(device, place, "ext4")
            umount(place)
        self.step_fsck()
        for place, device in self.devices.items():
            mount(device, place, "ext4")

    def step_fsck(self):
        for device in self.devices.values():
            command(["e2fsck", "-fn", device])

    def step_umount_disks(self):
        for place in self.devices:
            umount(place)

    # --- ssdcache ---------------------------------------------------------------------------------------------

    def java(self, *arguments):
        return [self.plan["java"], "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx256M", "-jar",
                f"{PROGRAM}/ssdcache.jar", *arguments]

    def step_mount(self, options):
        os.makedirs(MOUNT, exist_ok=True)
        environment = dict(os.environ, PATH="/usr/sbin:/usr/bin:/sbin:/bin", HOME=HERE, LC_ALL="C.UTF-8")
        self.daemon = subprocess.Popen(
            self.java("mount", "--foreground", "-c", f"{SSD}/cache", *options, BACKING, MOUNT), env=environment)
        wait_until(self._answers, "the mount answers")

    def _answers(self):
        if self.daemon.poll() is not None:
            raise RuntimeError(f"ssdcache mount ended with exit code {self.daemon.returncode}")
        return is_mounted(MOUNT) and os.stat(MOUNT)

    def step_plain(self):
        """No ssdcache: the writer works on the slow disk's own filesystem."""
        self.view = BACKING

    def ask(self, **request):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(glob.glob("/run/ssdcache/*.sock")[0])
            connection.sendall(json.dumps({"version": 1, **request}).encode() + b"\n")
            answer = json.loads(connection.makefile().readline())
        if not answer["ok"]:
            raise RuntimeError(f"{request}: {answer}")
        return answer["result"]

    def step_flush(self):
        if self.daemon:
            self.save("status", self.ask(op="status"))
            self.ask(op="flush", paths=[])
            # Blocks of deleted files count until they are swept, and are none of flush's business.
            wait_until(lambda: self.ask(op="status")["dirty_bytes"] == 0, "nothing is dirty after a flush")

    def step_umount(self, flush=True):
        if self.daemon:
            self.ask(op="unmount", flush=flush)
            code = self.daemon.wait(LIMIT_SECONDS)
            if code != 0:
                raise RuntimeError(f"the daemon ended with exit code {code}")
            self.daemon = None

    # --- what is there ----------------------------------------------------------------------------------------

    def step_see(self, what):
        """Saves the whole tree, as the mount or the slow disk's own filesystem shows it."""
        root = self.view if what == "mounted" else BACKING
        facts = os.lstat(root)
        tree = {".": (facts.st_mode, facts.st_uid, 0, None)}
        for directory, names, files in os.walk(root):
            for name in names + files:
                path = os.path.join(directory, name)
                facts = os.lstat(path)
                content = None
                if name in files:
                    with open(path, "rb") as source:
                        content = source.read()
                tree[os.path.relpath(path, root)] = (facts.st_mode, facts.st_uid, facts.st_mtime_ns, content)
        self.save(what, tree)

    def save(self, name, value):
        with open(f"{SHARE}/{name}.pickle", "wb") as target:
            pickle.dump(value, target)
            target.flush()
            os.fsync(target.fileno())

    # --- work until the power is cut --------------------------------------------------------------------------

    def step_write(self, tag, workers, lie=False, operator=()):
        """operator: requests to the daemon, made again and again at random moments."""
        self.report("writing")
        for number in range(workers):
            self.in_process(lambda number=number: Writer(
                f"{self.view}/{number}", f"{tag}/{number}", self.acknowledge(number), lie).run())
        if operator:
            self.in_process(lambda: self.operate(tag, operator))
        self.wait_for_children()

    def acknowledge(self, number):
        def acknowledge(operation):
            if self.mapper:
                self.mapper.message(LOG_DEVICE, f"mark w:{number}:{operation}")
            self.report(f"w {number} {operation}")

        return acknowledge

    def operate(self, tag, requests):
        generator = random.Random(f"{tag}/operator")
        while True:
            time.sleep(generator.uniform(0, 0.5))
            self.ask(**generator.choice(requests))

    def in_process(self, action):
        if os.fork() == 0:
            self.guarded(action)
            os._exit(1)

    def guarded(self, action):
        try:
            action()
        except Exception as failure:
            traceback.print_exc()
            self.report(f"failed {type(failure).__name__}: {failure}")

    def wait_for_children(self):
        os.wait()
        raise RuntimeError("the work ended before the power was cut")

    # --- PostgreSQL -------------------------------------------------------------------------------------------

    def step_start_postgres(self, bin_directory, settings):
        cluster.start(bin_directory, self.view, settings)

    def step_ledger(self, bin_directory, clients, seed):
        self.report("writing")
        threads = [threading.Thread(target=self.guarded, args=(functools.partial(
            cluster.client, bin_directory, number, seed, self.acknowledge(number)),)) for number in range(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        raise RuntimeError("the clients of PostgreSQL ended before the power was cut")

    def step_end(self):
        """The last step; the machine is powered off after it."""

    def step_check_postgres(self, bin_directory):
        self.save("ledger", cluster.check(bin_directory))

    def step_stop_postgres(self, bin_directory):
        cluster.stop(bin_directory, self.view)


def command(arguments):
    """Runs it; its output is worth something only when it fails."""
    result = subprocess.run(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            env=dict(os.environ, PATH="/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL="C.UTF-8"),
                            timeout=LIMIT_SECONDS, check=False)
    if result.returncode != 0:
        raise RuntimeError(f"{arguments} ended with {result.returncode}: {result.stdout.decode(errors='replace')}")


def wait_until(condition, what):
    deadline = time.monotonic() + LIMIT_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise RuntimeError(f"waited {LIMIT_SECONDS} s in vain: {what}")
        time.sleep(0.02)


if __name__ == "__main__":
    Guest(sys.argv[1]).run()
