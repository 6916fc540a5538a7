"""PostgreSQL, in the guest and before it on the host: a cluster whose clients keep a ledger of what was committed."""

import glob
import os
import random
import subprocess

USER = "postgres"
PORT = "54329"
LIMIT_SECONDS = 120
ACCOUNTS = 30000
SOCKETS = "/run/uml/sockets"

SCHEMA = f"""
create table account (id int primary key, balance bigint not null, filler text not null);
insert into account select i, 0, repeat(md5(i::text), 6) from generate_series(1, {ACCOUNTS}) i;
create table ledger (client int, n int, words text not null, primary key (client, n));
create index on ledger (words);
create extension amcheck;
analyze;
"""


def run(program, *arguments, sockets=SOCKETS, check=True):
    """A program of PostgreSQL as its own user; returns its output."""
    result = subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, timeout=LIMIT_SECONDS, check=False, **as_user(sockets))
    output = result.stdout.decode(errors="replace")
    if check and result.returncode != 0:
        raise RuntimeError(f"{os.path.basename(program)} {arguments} ended with {result.returncode}: {output[-2000:]}")
    return output


def as_user(sockets):
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "PGHOST": sockets, "PGPORT": PORT,
                   "PGUSER": USER, "PGDATABASE": "postgres"}
    marks = {key: value for key, value in os.environ.items() if key == "SSDCACHE_IT_RUN"}
    return {"user": USER, "group": USER, "extra_groups": [], "cwd": "/", "env": {**environment, **marks}}


def sql(bin_directory, text, sockets=SOCKETS):
    return run(f"{bin_directory}/psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", text, sockets=sockets)


def make(bin_directory, directory, sockets):
    """On the host: a stopped cluster with the tables, in a directory that belongs to postgres."""
    run(f"{bin_directory}/initdb", "-D", directory, "--auth=trust", "--data-checksums", "--no-sync", "-E", "UTF8",
        "--locale=C", "--wal-segsize=1")
    start(bin_directory, directory, {"fsync": "off"}, sockets)
    try:
        sql(bin_directory, SCHEMA, sockets)
    finally:
        stop(bin_directory, directory, sockets)


def start(bin_directory, directory, settings, sockets=SOCKETS):
    os.makedirs(sockets, exist_ok=True)
    subprocess.run(["chown", USER, sockets], check=True)
    # The processes of the machine before the cut are gone, and their numbers mean others now.
    for path in glob.glob(f"{directory}/postmaster.pid"):
        os.unlink(path)
    everything = {"listen_addresses": "''", "unix_socket_directories": f"'{sockets}'", "port": PORT,
                  "shared_buffers": "4MB", "max_connections": "12", "max_wal_size": "16MB", "min_wal_size": "2MB",
                  "checkpoint_timeout": "30s", "bgwriter_delay": "10ms", "autovacuum_naptime": "1s",
                  "logging_collector": "off", "max_worker_processes": "2", "max_parallel_workers": "0", **settings}
    options = " ".join(f"-c {key}={value}" for key, value in everything.items())
    log = f"{sockets}/server.log"
    try:
        control(bin_directory, directory, sockets, "-l", log, "-o", options, "start")
    except RuntimeError as failure:
        with open(log, encoding="utf-8", errors="replace") as source:
            raise RuntimeError(f"{failure}: {source.read()[-3000:]}") from failure


def stop(bin_directory, directory, sockets=SOCKETS):
    control(bin_directory, directory, sockets, "-m", "fast", "stop")


def control(bin_directory, directory, sockets, *arguments):
    run(f"{bin_directory}/pg_ctl", "-D", directory, "-w", "-t", str(LIMIT_SECONDS), *arguments, sockets=sockets)


def client(bin_directory, number, seed, acknowledge):
    """Moves money about and writes the ledger until the end; acknowledges each commit once psql has said it."""
    generator = random.Random(f"{seed}/{number}")
    psql = subprocess.Popen([f"{bin_directory}/psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, **as_user(SOCKETS))
    n = int(answer(psql, f"select coalesce(max(n), 0) from ledger where client = {number};"))
    while True:
        n += 1
        if answer(psql, transaction(generator, number, n)) != f"committed {n}":
            raise RuntimeError(f"psql of client {number} ended at transaction {n}, see the console")
        acknowledge(n)
        if number == 0 and n % 20 == 0:
            # With every checkpoint, pages are written at home and their next change is the first one again.
            answer(psql, "checkpoint;\n\\echo done")


def transaction(generator, number, n):
    lines = ["begin;"]
    for account in sorted(generator.sample(range(1, ACCOUNTS + 1), 6)):
        lines.append(f"update account set balance = balance + 1 where id = {account};")
    words = f"{generator.getrandbits(128):032x}" * generator.choice((1, 1, 4))
    lines.append(f"insert into ledger values ({number}, {n}, '{words}');")
    lines += ["commit;", f"\\echo committed {n}"]
    return "\n".join(lines)


def answer(psql, text):
    psql.stdin.write(text + "\n")
    psql.stdin.flush()
    return psql.stdout.readline().strip()


def check(bin_directory):
    """What the ledger holds, client -> numbers, after everything that can be checked inside was found in order."""
    run(f"{bin_directory}/pg_amcheck", "-d", "postgres", "--heapallindexed", "--rootdescend")
    ledger = {}
    for line in sql(bin_directory, "select client, n from ledger").split():
        number, n = map(int, line.split("|"))
        ledger.setdefault(number, []).append(n)
    moved = int(sql(bin_directory, "select sum(balance) from account"))
    rows = sum(map(len, ledger.values()))
    if moved != 6 * rows:
        raise RuntimeError(f"{rows} transactions in the ledger should have moved {6 * rows}, and {moved} was moved")
    return ledger
