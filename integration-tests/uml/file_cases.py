"""Writers on plain files, who know after a cut what every byte may be."""

import os

import images
from cases import Case, Logged
from operations import Worker
from verdict import Wrong, advance, check_same, check_worker, contents_of

WORKERS = 3
FLUSHING = [{"op": "flush", "paths": []}]
SWITCHING = [{"op": "set", "values": {"mode": mode}} for mode in ("writeback", "writeback", "writethrough", "none")]
OPERATORS = ([], [], FLUSHING, SWITCHING)


class Files(Case):
    """Writers on files of their own, who report every operation that has returned."""

    name = "files"
    lie = False

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.workers = []
        self.lost = 0
        self.operations = 0
        # What the daemon is asked for while the writers work.
        self.operator = self.random.choice(OPERATORS) if self.mode == "writeback" else []

    @property
    def atomic_bytes(self):
        """Writes of a grain up to this size are not torn."""
        return self.block_bytes if self.mode == "writeback" and self.operator != SWITCHING else 0

    def run(self):
        contents = self.first_contents()
        for cut in range(self.cuts):
            tag = f"{self.seed}/{cut}"
            looks = self.look_steps() if cut else []
            write = {"step": "write", "tag": tag, "workers": WORKERS, "lie": self.lie, "operator": self.operator}
            contents, reached = self.run_guest(
                self.mount_steps() + looks + [write], lambda guest: self.work(guest, cut, contents))
            self.expect(tag, contents, reached)
            self.operations += sum(reached.values())
            self.maybe_cut_recovery()
        self.run_guest(self.mount_steps() + self.look_steps() + self.end_steps(), self.last_look)
        return f"{self.operations} operations, {self.lost} units back in an older state"

    def first_contents(self):
        """The tree that is there before the first writer comes."""
        stage = self.path("stage")
        contents = []
        for number in range(WORKERS):
            worker = Worker(f"{self.seed}/first/{number}", {})
            advance(worker, 150)
            contents.append({name: bytes(file.data) for name, file in worker.files.items()})
            os.makedirs(f"{stage}/data/{number}")
            for name, data in contents[-1].items():
                with open(f"{stage}/data/{number}/{name}", "wb") as target:
                    target.write(data)
        self.make_disks(stage)
        images.remove(stage)
        return contents

    def expect(self, tag, contents, reached):
        """The writers as they were at the cut, each perhaps in the middle of one more operation."""
        self.workers = [Worker(f"{tag}/{number}", contents[number]) for number in range(WORKERS)]
        for number, worker in enumerate(self.workers):
            advance(worker, reached.get(number, 0))

    def work(self, guest, cut, contents):
        """Returns what the writers began with, and how far they came."""
        guest.wait_for("writing")
        if cut:
            contents = self.look(guest)
        self.cut_at_work(guest)
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
    fewest_reports = 500

    def run(self):
        try:
            super().run()
        except Wrong as found:
            return f"found out: {str(found)[:200]}"
        raise Wrong("a writer that synced nothing was believed: this test cannot find a lost write")


class Replay(Logged, Files):
    """The writers, cut at any flush."""

    name = "replay"
    fewest_reports = 1000

    def run(self):
        contents = self.first_contents()
        tag = f"{self.seed}/0"
        write = {"step": "write", "tag": tag, "workers": WORKERS, "operator": self.operator}
        self.run_guest(self.mount_steps() + [write], self.cut_at_work)
        log = self.read_log()
        for index in self.choose_points(log):
            self.expect(tag, contents, self.go_back_to(log, index))
            self.run_guest(self.mount_steps() + self.look_steps() + self.end_steps(), self.last_look)
        return f"{len(log.durable)} flushes, {len(log.marks)} reports in the log, {self.lost} units in an older state"


class Torn(Replay):
    """The control: a plain filesystem may tear what is larger than a page. The check must find it out."""

    name = "torn"
    shares = (0.5,)
    atomic_bytes = 1 << 20

    def run(self):
        try:
            super().run()
        except Wrong as found:
            return f"found out: {str(found)[:200]}"
        raise Wrong("nothing was torn on a plain disk: this test cannot find a torn write")
