"""What all kinds of test share: disks, boots, cuts. A seed decides everything but the moment within the guest's work
at which it is killed, which repeats only roughly."""

import os
import random
import time

import images
import machine
from log_writes import Log
from verdict import Wrong, check_same

HDD_MEGABYTES, SSD_MEGABYTES, LOG_MEGABYTES = 256, 96, 2048
BOOT_SECONDS = 150
LOCK_MARKER = "SSDCACHE-DIRTY.txt"
WORK_SECONDS = 20
RECOVERY_CUT_PROBABILITY = 0.3


class Case:
    """One chain of cuts on the same disks."""

    name = ""
    # The power is cut when the guest has made so many reports.
    fewest_reports, most_reports = 20, 2000

    def __init__(self, tools, directory, seed, mode, cuts, say):
        """tools: java, program (directory of ssdcache.jar), postgres (bin directory). say(text): for the reader."""
        self.tools = tools
        self.directory = directory
        self.random = random.Random(f"{self.name}/{mode}/{seed}")
        self.seed = seed
        self.mode = mode
        self.cuts = cuts
        self.say = say
        self.boots = 0
        self.dirty_bytes = 0  # found after the cuts
        self.block_bytes = self.random.choice((8192, 16384, 16384, 65536))
        # The files are some 25 MB: they fit, or blocks are evicted all the time.
        self.cache_size = self.random.choice(("16M", "16M", "48M"))
        # The cleaner is always at work, or now and then, or only when the cache is full.
        self.writeback_delay = self.random.choice(("0", "0", "2s", "30s"))
        self.writeback_percent = self.random.choice((5, 20, 40))
        self.disks = [os.path.join(directory, "hdd.img"), os.path.join(directory, "ssd.img")]
        self.logged = None

    # --- building blocks --------------------------------------------------------------------------------------

    def path(self, name):
        return os.path.join(self.directory, name)

    def make_disks(self, content):
        images.make_disk(self.disks[0], HDD_MEGABYTES)
        images.make_filesystem(self.disks[0], HDD_MEGABYTES, content=content)
        images.make_disk(self.disks[1], SSD_MEGABYTES)
        images.make_filesystem(self.disks[1], SSD_MEGABYTES)

    def mount_steps(self):
        if self.mode == "plain":
            return [{"step": "disks"}, {"step": "plain"}]
        return [{"step": "disks"}, {"step": "mount", "options": self.mount_options()}]

    def mount_options(self):
        options = ["-m", self.mode, "-b", str(self.block_bytes), "-s", self.cache_size, "-o", "sequential_cutoff=0"]
        if self.mode == "writeback":
            options += ["-o", f"writeback_delay={self.writeback_delay},writeback_percent={self.writeback_percent}"]
        return options

    def look_steps(self):
        return [{"step": "see", "what": "mounted"}, {"step": "flush"}, {"step": "see", "what": "backing"}]

    def end_steps(self):
        return [{"step": "umount"}, {"step": "see", "what": "unmounted"}, {"step": "umount_disks"}, {"step": "fsck"},
                {"step": "end"}]

    def boot(self, steps):
        self.boots += 1
        modules = [machine.FUSE] + ([machine.DM, machine.LOG_WRITES] if self.logged else [])
        plan = {"program": self.tools["program"], "java": self.tools["java"], "logged": self.logged, "steps": steps,
                "modules": [machine.module(name) for name in modules]}
        return machine.Machine(self.path(f"guest-{self.boots}"), self.disks, plan, BOOT_SECONDS)

    def run_guest(self, steps, action):
        """action(guest) while it runs; what it says last is shown when something fails."""
        with self.boot(steps) as guest:
            try:
                result = action(guest)
                guest.must_not_have_failed()
                return result
            except Exception as failure:
                failure.console = guest.console_tail()
                raise

    def cut_after(self, guest, text, longest_seconds):
        """Kills the guest at a random moment after it has said this."""
        guest.wait_for(text)
        self.watch(guest, self.random.uniform(0, longest_seconds), lambda: False)
        guest.cut()

    def cut_at_work(self, guest):
        """Kills the guest in the middle of its work, after a random number of reports; sooner on a slow machine."""
        guest.wait_for("writing")
        goal = self.random.randint(self.fewest_reports, self.most_reports)
        self.watch(guest, WORK_SECONDS, lambda: guest.reports() >= goal)
        guest.cut()

    @staticmethod
    def watch(guest, seconds, enough):
        end = time.monotonic() + seconds
        while time.monotonic() < end and not enough():
            guest.must_not_have_failed()
            time.sleep(machine.POLL_SECONDS)

    def maybe_cut_recovery(self):
        """Recovery must stand a cut as well, as often as it happens."""
        while self.mode != "plain" and self.random.random() < RECOVERY_CUT_PROBABILITY:
            self.run_guest(self.mount_steps() + [{"step": "umount"}, {"step": "end"}],
                           lambda guest: self.cut_after(guest, "done disks", 12))
            self.say("cut in recovery or soon after")

    def check_sides(self, guest):
        """The backing directory has what the mount shows; while mounted it may be locked, which only its root shows."""
        mounted, backing = guest.saved("mounted"), guest.saved("backing")
        backing.pop(LOCK_MARKER, None)
        backing["."] = mounted["."]
        check_same(mounted, backing, "after flush, the mount and the backing")
        if self.mode != "plain":
            status = guest.saved("status")
            if status["mode"] != self.mode:
                raise Wrong(f"the mode is {status['mode']} instead of {self.mode}")
            self.dirty_bytes += status["dirty_bytes"]


class Logged(Case):
    """Every write to both disks is logged; the disks are then made as a power cut at any flush could have left them,
    with some of the pages that were written after it and not promised yet."""

    shares = (0, 0.3, 0.5, 0.5, 0.8)

    def make_disks(self, content):
        sectors = images.MEGABYTE // images.SECTOR_BYTES
        self.logged = {"hdd_sectors": HDD_MEGABYTES * sectors, "ssd_sectors": SSD_MEGABYTES * sectors, "record": True}
        disk = self.path("disk.img")
        images.make_disk(disk, HDD_MEGABYTES + SSD_MEGABYTES)
        images.make_filesystem(disk, HDD_MEGABYTES, content=content)
        images.make_filesystem(disk, SSD_MEGABYTES, offset_megabytes=HDD_MEGABYTES)
        images.copy_sparse(disk, self.path("first.img"))
        images.make_disk(self.path("log.img"), LOG_MEGABYTES)
        self.disks = [disk, self.path("log.img")]

    def read_log(self):
        self.logged["record"] = False
        return Log(self.path("log.img"))

    def choose_points(self, log):
        """Flushes after the first report; those that are followed by many pages of the writers more often."""
        points = [index for index in log.durable if log.marks and index > log.marks[0]]
        if not points:
            raise RuntimeError("the log holds no flush after the first report")
        weights = [0.01 + log.pages_after(index, self.is_writers_page) for index in points]
        return sorted(set(self.random.choices(points, weights, k=self.cuts)))

    @staticmethod
    def is_writers_page(page):
        return b" op " in page[:64]

    def go_back_to(self, log, index):
        """Makes the disk anew. Returns how far the reports had come: worker -> its last operation."""
        following = log.next_durable(index)
        share = self.random.choice(self.shares)
        image = self.path("replayed.img")
        images.copy_sparse(self.path("first.img"), image)
        pages, kept = log.replay(image, index, following, lambda: self.random.random() < share)
        self.disks = [image]
        self.say(f"flush at entry {index} of {len(log.entries)}, and {kept} of {pages} pages written after it")
        # A report before the next flush is about what this one, or an earlier one, made durable.
        return log.marks_before(following)
