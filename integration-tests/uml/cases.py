"""The kinds of test: what a guest does before the power is cut, and what must hold after it. A seed decides everything
but the moment within the guest's work at which it is killed, which repeats only roughly."""

import os
import random
import shutil
import time

import cluster
import images
import machine
from log_writes import Log
from operations import Worker
from verdict import Wrong, advance, check_ledger, check_same, check_worker, contents_of

WORKERS = 3
HDD_MEGABYTES, SSD_MEGABYTES, LOG_MEGABYTES = 256, 96, 2048
BOOT_SECONDS = 150
WORK_SECONDS = 20
RECOVERY_CUT_PROBABILITY = 0.3


class Case:
    """One chain of cuts on the same disks."""

    name = ""

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
        self.block_bytes = self.random.choice((8192, 16384, 16384, 65536))
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
        return ["-m", self.mode, "-b", str(self.block_bytes), "-s", "40M", "-o", "sequential_cutoff=0"]

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

    def cut_at_work(self, guest, fewest, most):
        """Kills the guest in the middle of its work, after a random number of reports; sooner on a slow machine."""
        guest.wait_for("writing")
        goal = self.random.randint(fewest, most)
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
            self.run_guest(self.mount_steps() + [{"step": "end"}],
                           lambda guest: self.cut_after(guest, "done disks", 8))
            self.say("cut in recovery")

    def check_sides(self, guest):
        check_same(guest.saved("mounted"), guest.saved("backing"), "after flush, the mount and the backing")


class Files(Case):
    """Writers on files of their own, who report every operation that has returned."""

    name = "files"
    lie = False

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.workers = []
        self.lost = 0
        self.operations = 0
        # What the daemon is asked for while the writers work, in one case of two.
        self.operator = []
        if self.mode == "writeback" and self.random.random() < 0.5:
            self.operator = [{"op": "flush", "paths": []}]

    @property
    def atomic_bytes(self):
        return self.block_bytes if self.mode == "writeback" else 0

    def run(self):
        contents = self.first_contents()
        for cut in range(self.cuts):
            tag = f"{self.seed}/{cut}"
            looks = self.look_steps() if cut else []
            write = {"step": "write", "tag": tag, "workers": WORKERS, "lie": self.lie, "operator": self.operator}
            reached = self.run_guest(self.mount_steps() + looks + [write], lambda guest: self.work(guest, cut, contents))
            contents, reached = reached
            self.workers = [Worker(f"{tag}/{number}", contents[number]) for number in range(WORKERS)]
            for number, worker in enumerate(self.workers):
                last = reached.get(number, 0)
                self.operations += last
                advance(worker, last, last + 1)
            self.maybe_cut_recovery()
        self.run_guest(self.mount_steps() + self.look_steps() + self.end_steps(), self.last_look)
        return f"{self.operations} operations, {self.lost} units back in an older state"

    def first_contents(self):
        """The tree that is there before the first writer comes."""
        stage = self.path("stage")
        contents = []
        for number in range(WORKERS):
            worker = Worker(f"{self.seed}/first/{number}", {})
            advance(worker, 0, 150)
            contents.append({name: bytes(file.data) for name, file in worker.files.items()})
            os.makedirs(f"{stage}/data/{number}")
            for name, data in contents[-1].items():
                with open(f"{stage}/data/{number}/{name}", "wb") as target:
                    target.write(data)
        self.make_disks(stage)
        images.remove(stage)
        return contents

    def work(self, guest, cut, contents):
        """Returns what the writers began with, and how far they came."""
        guest.wait_for("writing")
        if cut:
            contents = self.look(guest)
        self.cut_at_work(guest, 20, 2000)
        return contents, guest.acknowledged()

    def look(self, guest):
        tree = guest.saved("mounted")
        contents = [contents_of(tree, number) for number in range(WORKERS)]
        for number, worker in enumerate(self.workers):
            self.lost += check_worker(worker, contents[number], self.atomic_bytes)
        self.check_sides(guest)
        return contents

    def last_look(self, guest):
        guest.wait_for_power_off()
        self.look(guest)
        check_same(guest.saved("mounted"), guest.saved("unmounted"), "after umount, the mount and the backing")


class Liar(Files):
    """The control: a writer on the plain filesystem that leaves out its syncs. The check must find it out."""

    name = "liar"
    lie = True

    def run(self):
        try:
            super().run()
        except Wrong as found:
            return f"found out: {found}"
        raise Wrong("a writer that synced nothing was believed: this test cannot find a lost write")


class Replay(Files):
    """The writers again, with every write to both disks logged; the disks are then made as a power cut at any flush
    could have left them, with some of the writes after it that the disk had not promised yet."""

    name = "replay"

    def run(self):
        contents = self.first_contents()
        tag = f"{self.seed}/0"
        write = {"step": "write", "tag": tag, "workers": WORKERS, "operator": self.operator}
        images.copy_sparse(self.disks[0], self.path("first.img"))
        log_image = self.path("log.img")
        images.make_disk(log_image, LOG_MEGABYTES)
        self.disks = [self.disks[0], log_image]
        self.run_guest(self.mount_steps() + [write], lambda guest: self.cut_at_work(guest, 1000, 2000))
        log = Log(log_image)
        self.logged["record"] = False
        points = [index for index in log.durable if log.marks and index > log.marks[0]]
        for index in sorted(self.random.sample(points, min(self.cuts, len(points)))):
            self.replay(log, index, tag, contents)
        return f"{len(log.durable)} flushes, {len(log.marks)} reports in the log, {self.lost} units in an older state"

    def make_disks(self, content):
        sectors = images.MEGABYTE // images.SECTOR_BYTES
        self.logged = {"hdd_sectors": HDD_MEGABYTES * sectors, "ssd_sectors": SSD_MEGABYTES * sectors, "record": True}
        self.disks = [self.path("disk.img")]
        images.make_disk(self.disks[0], HDD_MEGABYTES + SSD_MEGABYTES)
        images.make_filesystem(self.disks[0], HDD_MEGABYTES, content=content)
        images.make_filesystem(self.disks[0], SSD_MEGABYTES, offset_megabytes=HDD_MEGABYTES)

    def replay(self, log, index, tag, contents):
        following = log.next_durable(index)
        share = self.random.choice((0, 0, 0.5, 0.9))
        kept = [entry for entry in range(index + 1, following) if self.random.random() < share]
        image = self.path("replayed.img")
        images.copy_sparse(self.path("first.img"), image)
        log.replay(image, index, kept)
        self.disks = [image]
        certain, possible = log.marks_before(following), log.marks_before(following + 1)
        self.workers = [Worker(f"{tag}/{number}", contents[number]) for number in range(WORKERS)]
        for number, worker in enumerate(self.workers):
            advance(worker, certain.get(number, 0), possible.get(number, 0) + 1)
        self.say(f"entry {index} of {len(log.entries)}, {len(kept)} of {following - index - 1} later writes")
        self.run_guest(self.mount_steps() + self.look_steps() + self.end_steps(), self.last_look)


class Postgres(Case):
    """Clients of PostgreSQL who report every commit."""

    name = "postgres"
    full_page_writes = "on"

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.block_bytes = 16384
        self.bin = {"bin_directory": self.tools["postgres"]}
        self.acknowledged = {}

    def run(self):
        self.make_cluster()
        check = []
        for cut in range(self.cuts):
            work = {"step": "ledger", "clients": 3, "seed": f"{self.seed}/{cut}", **self.bin}
            self.run_guest(self.mount_steps() + [self.start_step()] + check + [work], lambda guest: self.work(guest, cut))
            self.maybe_cut_recovery()
            check = [{"step": "check_postgres", **self.bin}]
        stop = [{"step": "stop_postgres", **self.bin}]
        self.run_guest(self.mount_steps() + [self.start_step()] + check + stop + self.look_steps() + self.end_steps(),
                       self.last_look)
        return f"{sum(self.acknowledged.values())} transactions"

    def start_step(self):
        return {"step": "start_postgres", "settings": {"full_page_writes": self.full_page_writes}, **self.bin}

    def make_cluster(self):
        stage, sockets = self.path("stage"), self.path("sockets")
        os.makedirs(f"{stage}/data")
        for directory in (f"{stage}/data", sockets):
            os.makedirs(directory, exist_ok=True)
            shutil.chown(directory, cluster.USER, cluster.USER)
            os.chmod(directory, 0o700)
        cluster.make(self.tools["postgres"], f"{stage}/data", sockets)
        self.make_disks(stage)
        images.remove(stage)

    def work(self, guest, cut):
        guest.wait_for("writing")
        if cut:
            self.check(guest)
        self.cut_at_work(guest, 10, 400)
        for number, last in guest.acknowledged().items():
            self.acknowledged[number] = max(last, self.acknowledged.get(number, 0))

    def check(self, guest):
        ledger = guest.saved("ledger")
        check_ledger(ledger, self.acknowledged)
        self.acknowledged = {number: len(found) for number, found in ledger.items()}

    def last_look(self, guest):
        guest.wait_for_power_off()
        self.check(guest)
        self.check_sides(guest)
        check_same(guest.saved("mounted"), guest.saved("unmounted"), "after umount, the mount and the backing")


class PostgresTorn(Postgres):
    """full_page_writes=off: PostgreSQL cannot repair a torn page, so it relies on the cache that there is none."""

    name = "postgres-fpw-off"
    full_page_writes = "off"


KINDS = {kind.name: kind for kind in (Files, Liar, Replay, Postgres, PostgresTorn)}
