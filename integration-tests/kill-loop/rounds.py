"""One round: writers at work, an end in the middle of it, and what must be there afterwards."""

import json
import mmap
import os
import signal
import time

from model import PAGE_BYTES, SHARED_NAME, WrongData
from writer import COUNTER, DIED, STOPPED, Writer

WRITEBACK = "writeback"
LIMIT_SECONDS = 120
# With their weights. All but the last four kill the daemon while writers are at work or something is under way.
ENDS = {"kill": 40, "kill_in_flush": 12, "kill_in_umount": 8, "kill_twice": 10,
        "umount_without_flush": 10, "terminate": 5, "flush": 10, "umount": 5}


class Round:
    def __init__(self, run, number, generator):
        self.run = run
        self.number = number
        self.random = generator
        self.target = run.target
        self.mode = generator.choice(run.modes)
        others = [mode for mode in run.modes if mode != self.mode]
        self.switches = generator.random() < 0.3 and bool(others)
        self.end = generator.choices(run.ends, [ENDS[end] for end in run.ends])[0]
        self.operations = generator.randrange(50, run.operations)
        self.damages_index = generator.random() < 0.15
        self.children = []
        self.deaths = []
        self.shared = mmap.mmap(-1, 8 + 8 * len(run.models))

    def describe(self):
        extras = [", modes switched"] if self.switches else []
        extras += [", index damaged"] if self.damages_index else []
        return f"round {self.number}: {self.end.replace('_', ' ')} in {self.mode}{''.join(extras)}, {self.run.place}"

    def all(self):
        """Raises WrongData, or whatever did not work."""
        self.target.set_mode(self.mode)
        uses_writeback = self.mode == WRITEBACK or (self.switches and WRITEBACK in self.run.modes)
        # What an earlier round left dirty may keep what is written around it from being durable at once.
        forgetful = uses_writeback or not self.run.clean
        self.run.clean = not forgetful
        whole_blocks = self.mode == WRITEBACK and not self.switches
        for model in self.run.models:
            model.begin_round(self.run.block_bytes if whole_blocks else PAGE_BYTES, forgetful)
        self.start_writers()
        try:
            self.wait_for_operations()
            getattr(self, self.end)()
        finally:
            self.stop_writers()
        for model in self.run.models:
            model.settle(self.run.directory_of(model))

    # --- writers -------------------------------------------------------------------------------------------------

    def start_writers(self):
        for slot, model in enumerate(self.run.models):
            log = os.open(self.log_of(slot), os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)
            pid = os.fork()
            if pid == 0:
                signal.signal(signal.SIGTERM, signal.SIG_DFL)
                seed = f"{self.run.seed}/{self.number}/{slot}"
                writer = Writer(model, self.run.directory_of(model), log, seed, self.run.write_sizes, self.shared, slot)
                os._exit(writer.run())
            os.close(log)
            self.children.append(pid)

    def log_of(self, slot):
        return os.path.join(self.run.work, f"writer{slot}.log")

    def wait_for_operations(self):
        """Returns after about so many operations, or when a writer found something wrong."""
        deadline = time.monotonic() + LIMIT_SECONDS
        while self.operations_done() < self.operations and not self.one_ended():
            if time.monotonic() > deadline:
                raise RuntimeError(f"only {self.operations_done()} operations in {LIMIT_SECONDS} s")
            if self.switches and self.random.random() < 0.5:
                self.target.set_mode(self.random.choice(self.run.modes))
            time.sleep(0.005)
        if self.one_ended():
            self.must_have_stopped()
            raise RuntimeError("a writer ended though nobody had told it to")
        time.sleep(self.random.uniform(0, 0.05))

    def operations_done(self):
        return sum(COUNTER.unpack_from(self.shared, 8 + 8 * slot)[0] for slot in range(len(self.run.models)))

    def one_ended(self):
        return any(os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) for pid in self.children)

    def stop_writers(self):
        """Waits for them and learns from their logs; the mount, or the daemon, may be gone already."""
        self.shared[0] = 1
        children, self.children = self.children, []
        codes = [wait_for(pid) for pid in children]
        self.run.operations_done += self.operations_done()
        for slot, code in enumerate(codes):
            self.learn(slot, code)

    def must_have_stopped(self):
        """Every writer ended because it was told to."""
        self.shared[0] = 1
        self.stop_writers()
        if self.deaths:
            raise WrongData(f"an operation failed though nobody had killed the daemon: {self.deaths}")

    def learn(self, slot, code):
        """Repeats the log on this process's model."""
        model = self.run.models[slot]
        under_way = None
        with open(self.log_of(slot), encoding="utf-8") as log:
            for line in log:
                entry = json.loads(line)
                if "begin" in entry:
                    under_way = entry["begin"]
                    model.apply(under_way)
                elif "done" in entry:
                    model.acknowledge(under_way)
                    under_way = None
                elif "death" in entry:
                    self.deaths.append(f"writer {slot}: {entry['death']} in {under_way}")
                elif "wrong" in entry:
                    raise WrongData(f"writer {slot}: {entry['wrong']}")
        if code not in (STOPPED, DIED):
            raise RuntimeError(f"writer {slot} ended with {code}")

    # --- ends ------------------------------------------------------------------------------------------------------

    def kill(self):
        self.target.die()
        self.after_death()

    def kill_in_flush(self):
        self.kill_in("flush", self.target.mountpoint)
        self.after_death()

    def kill_in_umount(self):
        self.must_have_stopped()
        self.kill_in("umount", self.target.mountpoint)
        self.after_death()

    def kill_twice(self):
        self.target.die()
        self.stop_writers()
        self.target.take_away()
        self.check_guard()
        self.target.kill_while_starting(self.random.uniform(0, 1.5))
        self.after_death()

    def umount_without_flush(self):
        self.must_have_stopped()
        self.keep_all()
        self.target.umount_without_flush()
        self.after_death()

    def terminate(self):
        self.must_have_stopped()
        self.keep_all()
        self.target.terminate()
        self.after_death()

    def flush(self):
        self.must_have_stopped()
        self.keep_all()
        self.target.command("flush", self.target.mountpoint)
        dirty_bytes = self.target.status()["dirty_bytes"]
        if dirty_bytes:
            raise WrongData(f"{dirty_bytes} dirty bytes after a flush with no writer")
        self.run.clean = True
        for model in self.run.models:
            self.target.compare_with_backing(f"writer{model.writer}")
        self.target.compare_file_with_backing(SHARED_NAME)

    def umount(self):
        self.must_have_stopped()
        self.keep_all()
        self.target.umount()
        self.run.clean = True
        self.target.expect_unlocked()
        for model in self.run.models:
            model.settle(self.behind(model))
        self.mount_again()

    def keep_all(self):
        """An orderly end loses nothing, synced or not."""
        for model in self.run.models:
            for file in (model.shared, *model.files.values()):
                file.sync()

    def kill_in(self, *command):
        process = self.target.start(*command)
        time.sleep(self.random.uniform(0.3, 1.2))
        self.target.die()
        process.wait(timeout=LIMIT_SECONDS)

    def after_death(self):
        self.stop_writers()
        self.target.take_away()
        self.check_guard()
        self.mount_again()

    def mount_again(self):
        if self.damages_index:
            self.target.damage_index(self.random)
        self.target.mount()

    def check_guard(self):
        """Unlocked, the backing directory alone must be all there is."""
        if not self.target.locked():
            for model in self.run.models:
                try:
                    model.settle(self.behind(model), adopt=False)
                except WrongData as missing:
                    raise WrongData(f"the backing directory is not locked and lacks something: {missing}") from missing

    def behind(self, model):
        return os.path.join(self.target.behind, f"writer{model.writer}")


def wait_for(pid):
    """The exit code; a writer that hangs in a dead mount is an error of its own."""
    deadline = time.monotonic() + LIMIT_SECONDS
    while True:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > deadline:
            os.kill(pid, 9)
            os.waitpid(pid, 0)
            raise RuntimeError(f"a writer did not end within {LIMIT_SECONDS} s")
        time.sleep(0.005)
