"""uml --work DIR --program DIR [options] (CUTS | KIND/MODE:CUTS...): power cuts, printed as TAP-like lines.

KIND is the name of a class of cases (see there what it does), MODE a mode of the cache, or plain for no cache.
Exit code: 0 all well, 1 a check failed, 2 wrong usage, 77 there can be no guest here.
"""

import argparse
import itertools
import os
import random
import re
import shutil
import signal
import sys
import textwrap
import time
import traceback

import file_cases
import images
import machine
import postgres_cases
from verdict import Wrong

EXIT_SKIP = 77
CLASSES = (file_cases.Files, file_cases.Replay, file_cases.Liar, file_cases.Torn, postgres_cases.Postgres,
           postgres_cases.PostgresTorn, postgres_cases.PostgresReplay)
KINDS = {kind.name: kind for kind in CLASSES}


# A number of cuts is spent on these, again and again.
CYCLE = ("files/writeback:5", "postgres-fpw-off/writeback:3", "replay/writeback:5", "files/writethrough:3",
         "postgres/writeback:2", "postgres-replay/writeback:3", "replay/writethrough:2", "files/writearound:2",
         "liar/plain:1", "torn/plain:16")


def arguments():
    parser = argparse.ArgumentParser(prog="power-cut-uml")
    parser.add_argument("--work", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--program", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--postgres", default="", help=argparse.SUPPRESS)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30), help="repeats a run")
    parser.add_argument("--seconds", type=int, default=0, help="no case begins later than this; 0: no limit")
    parser.add_argument("--keep", metavar="DIR", help="the disks of failed cases are left there")
    parser.add_argument("cases", nargs="*", metavar="CUTS | KIND/MODE:CUTS", default=["50"],
                        help=f"a number of cuts of all kinds, or cases; KIND: {', '.join(KINDS)}")
    options = parser.parse_args()
    if len(options.cases) == 1 and options.cases[0].isdigit():
        options.cases = [*share_out(int(options.cases[0]))]
    for word in options.cases:
        if not re.fullmatch(f"({'|'.join(KINDS)})/[a-z]+:[1-9][0-9]*", word):
            parser.error(f"'{word}' is not KIND/MODE:CUTS")
    return options


def share_out(cuts):
    for word in itertools.cycle(CYCLE):
        if cuts <= 0:
            return
        kind, _, number = word.partition(":")
        yield f"{kind}:{min(cuts, int(number))}"
        cuts -= int(number)


class Run:
    def __init__(self, options):
        self.options = options
        self.number = 0
        self.failed = 0
        self.started = time.monotonic()
        self.tools = {"program": os.path.realpath(options.program), "postgres": options.postgres,
                      "java": os.path.realpath(shutil.which("java"))}

    def case(self, word):
        """word: KIND/MODE:CUTS"""
        name, mode, cuts = re.split("[/:]", word)
        self.number += 1
        # So that a case is repeated alone with the seed that it prints.
        seed = self.options.seed + self.number - 1
        title = f"{word}, seed {seed}"
        if self.options.seconds and time.monotonic() - self.started > self.options.seconds:
            print(f"ok {self.number} - {title} # SKIP {self.options.seconds} s are over", flush=True)
            return
        if name.startswith("postgres") and not self.tools["postgres"]:
            print(f"ok {self.number} - {title} # SKIP PostgreSQL is not installed", flush=True)
            return
        directory = os.path.join(self.options.work, f"case-{self.number}")
        os.makedirs(directory)
        case = KINDS[name](self.tools, directory, seed, mode, int(cuts), lambda text: print(f"# {text}", flush=True))
        started = time.monotonic()
        try:
            result = case.run()
            print(f"ok {self.number} - {title}", flush=True)
            print(f"# {result}; {case.dirty_bytes >> 10} K dirty; {case.boots} boots in "
                  f"{time.monotonic() - started:.0f} s", flush=True)
        except Exception as failure:
            self.failed += 1
            self.show(title, word, seed, failure)
            if self.options.keep:
                os.makedirs(self.options.keep, exist_ok=True)
                kept = shutil.move(directory, os.path.join(self.options.keep, f"seed-{seed}"))
                print(f"    # kept: {kept}", flush=True)
        images.remove(directory)

    def show(self, title, word, seed, failure):
        print(f"not ok {self.number} - {title}", flush=True)
        lines = [str(failure), f"again: integration-tests/long/power-cut-uml --seed {seed} {word}"]
        lines += ["the guest's console:", *getattr(failure, "console", [])]
        if not isinstance(failure, (Wrong, machine.GuestFailed)):
            lines += traceback.format_exc().splitlines()
        print(textwrap.indent("\n".join(lines), "    # "), flush=True)


def stop(number, _):
    """The guest is ended and the disks are removed on the way out."""
    print(f"# stopped by {signal.Signals(number).name}", flush=True)
    sys.exit(128 + number)


def main():
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    options = arguments()
    reason = machine.why_not()
    if reason:
        print(f"skipped: {reason}")
        return EXIT_SKIP
    print(f"# seed {options.seed}", flush=True)
    run = Run(options)
    for word in options.cases:
        run.case(word)
    print(f"1..{run.number}")
    return 1 if run.failed else 0


if __name__ == "__main__":
    sys.exit(main())
