"""kill-loop: writers on a mount, its daemon killed again and again, everything acknowledged compared.

Prints TAP-like lines; exit code 1 when a check failed. The seed gives the sequence of operations, not the
moment in which the daemon dies.
"""

import argparse
import os
import random
import signal
import sys
import textwrap
import time
import traceback

from model import PAGE_BYTES, SHARED_NAME, SHARED_PAGES, Model, WrongData
from rounds import ENDS, Round
from target import Target

INTEGRATION_TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, INTEGRATION_TESTS)
from random_file import size_bytes  # noqa: E402

PROGRAM = os.environ.get("SSDCACHE") or os.path.join(os.path.dirname(INTEGRATION_TESTS), "mount-helpers", "ssdcache")
CACHE_SIZES = ("24M", "64M")  # the files are about 20 MB


class Run:
    def __init__(self, arguments):
        self.seed = arguments.seed
        self.random = random.Random(arguments.seed)
        self.work = arguments.directory
        self.rounds = arguments.rounds
        self.operations = arguments.operations
        self.modes = arguments.modes
        self.places = arguments.places
        self.ends = arguments.ends
        self.rounds_a_cache = arguments.rounds_a_cache
        self.write_sizes = arguments.write_sizes
        self.block_sizes = arguments.block_sizes
        self.models = [Model(index, arguments.writers) for index in range(arguments.writers)]
        self.target = None
        self.place = ""
        self.block_bytes = 0
        self.number = 0
        self.failed = 0
        self.operations_done = 0
        self.clean = True  # nothing is dirty in the cache when the next round begins

    def directory_of(self, model):
        return os.path.join(self.target.mountpoint, f"writer{model.writer}")

    def check(self, name, action):
        """The action raises when something is wrong."""
        self.number += 1
        try:
            action()
            print(f"ok {self.number} - {name}", flush=True)
        except Exception as failure:
            self.failed += 1
            print(f"not ok {self.number} - {name}", flush=True)
            print(textwrap.indent(f"seed {self.seed}: {failure}", "    # "), flush=True)
            if not isinstance(failure, WrongData):
                print(textwrap.indent(traceback.format_exc(), "    # "), flush=True)

    def new_target(self, number):
        """Another cache, of another block size and size, in place or elsewhere, on the same files."""
        self.block_bytes = size_bytes(self.random.choice(self.block_sizes))
        self.place = self.random.choice(self.places)
        options = ["--size", self.random.choice(CACHE_SIZES), "--block-size", str(self.block_bytes),
                   "-o", "sequential_cutoff=0"]
        self.target = Target(PROGRAM, self.work, self.place == "in-place", options, number)
        self.target.mount()
        for model in self.models:
            os.makedirs(self.directory_of(model), exist_ok=True)
        if number == 1:
            with open(os.path.join(self.target.mountpoint, SHARED_NAME), "wb") as shared:
                shared.write(bytes(SHARED_PAGES * PAGE_BYTES))

    def end_target(self):
        self.target.umount()
        self.target.expect_unlocked()
        for model in self.models:
            model.settle(os.path.join(self.target.behind, f"writer{model.writer}"))
        self.target.remove()
        self.clean = True

    def all(self):
        started = time.monotonic()
        try:
            for number in range(1, self.rounds + 1):
                if (number - 1) % self.rounds_a_cache == 0:
                    if self.target:
                        self.check("umount: the backing directory has everything", self.end_target)
                    self.new_target(number)
                    print(f"# blocks of {self.block_bytes} bytes, {' '.join(self.target.options[:2])}", flush=True)
                this = Round(self, number, random.Random(f"{self.seed}/{number}"))
                self.check(this.describe(), this.all)
                if self.failed:
                    return
            self.check("umount: the backing directory has everything", self.end_target)
        finally:
            if self.target:
                self.target.clean_up()
            print(f"# {self.operations_done} operations in {time.monotonic() - started:.0f} s, seed {self.seed}")


def parse():
    parser = argparse.ArgumentParser(prog="kill-loop", description=__doc__)
    words = lambda text: text.split(",")  # noqa: E731
    parser.add_argument("directory", help="empty scratch directory: backing, mount and caches are made in it")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    parser.add_argument("--writers", type=int, default=3)
    parser.add_argument("--operations", type=int, default=900, help="at most so many before a round ends")
    parser.add_argument("--rounds-a-cache", type=int, default=5, help="rounds before the cache is made anew")
    parser.add_argument("--ends", type=words, default=list(ENDS), help=", ".join(ENDS))
    parser.add_argument("--modes", type=words, default="writeback,writeback,writethrough,writearound,none".split(","))
    parser.add_argument("--places", type=words, default="in-place,elsewhere".split(","))
    parser.add_argument("--write-sizes", type=lambda text: [size_bytes(word) for word in text.split(",")],
                        default=[size << 10 for size in (8, 16, 32, 64, 128)])
    parser.add_argument("--block-sizes", type=words, default="8K,16K,32K,64K,128K".split(","))
    arguments = parser.parse_args()
    if os.listdir(arguments.directory):
        parser.error(f"{arguments.directory} is not empty")
    return arguments


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    run = Run(parse())
    print(f"# seed {run.seed}", flush=True)
    run.all()
    print(f"1..{run.number}")
    sys.exit(1 if run.failed else 0)
