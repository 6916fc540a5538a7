"""PostgreSQL, whose ledger knows after a cut what was committed."""

import os
import shutil

import cluster
import images
from cases import Case, Logged
from verdict import check_ledger, check_same

CLIENTS = 3


class Postgres(Case):
    """Clients of PostgreSQL who report every commit."""

    name = "postgres"
    full_page_writes = "on"
    fewest_reports, most_reports = 10, 400

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.block_bytes = 16384
        self.bin = {"bin_directory": self.tools["postgres"]}
        self.acknowledged = {}

    def run(self):
        self.make_cluster()
        check = []
        for cut in range(self.cuts):
            steps = self.first_steps() + check + [self.work_step(cut)]
            self.run_guest(steps, lambda guest: self.work(guest, look=cut > 0))
            self.maybe_cut_recovery()
            check = [self.check_step()]
        self.run_guest(self.last_steps(), self.last_look)
        return f"{sum(self.acknowledged.values())} transactions"

    def first_steps(self):
        settings = {"full_page_writes": self.full_page_writes}
        return self.mount_steps() + [{"step": "start_postgres", "settings": settings, **self.bin}]

    def work_step(self, cut):
        return {"step": "ledger", "clients": CLIENTS, "seed": f"{self.seed}/{cut}", **self.bin}

    def check_step(self):
        return {"step": "check_postgres", **self.bin}

    def last_steps(self):
        stop = {"step": "stop_postgres", **self.bin}
        return self.first_steps() + [self.check_step(), stop] + self.look_steps() + self.end_steps()

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

    def work(self, guest, look):
        guest.wait_for("writing")
        if look:
            self.check(guest)
        self.cut_at_work(guest)
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

    def run(self):
        if self.mode != "writeback":
            raise RuntimeError("full_page_writes=off needs mode writeback: elsewhere a page may be torn")
        return super().run()


class PostgresReplay(Logged, Postgres):
    """PostgreSQL cut at any flush; with full_page_writes=off where that is safe."""

    name = "postgres-replay"

    @property
    def full_page_writes(self):
        return "off" if self.mode == "writeback" else "on"

    def run(self):
        self.make_cluster()
        self.run_guest(self.first_steps() + [self.work_step(0)], lambda guest: self.work(guest, look=False))
        log = self.read_log()
        for index in self.choose_points(log):
            self.acknowledged = self.go_back_to(log, index)
            self.run_guest(self.last_steps(), self.last_look)
        return f"{len(log.durable)} flushes, {len(log.marks)} reports in the log"

    @staticmethod
    def is_writers_page(page):
        return any(page)
