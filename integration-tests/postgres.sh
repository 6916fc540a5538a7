# shellcheck shell=bash
# A PostgreSQL cluster of our own, away from the packaged ones: own directory, own socket, no TCP.
# Sourced after lib.sh and packages.sh. Uses $data (the cluster) and $sockets (a private directory).

PG_BIN=$(postgresql_bin)
PG_PORT=54329
readonly PG_BIN PG_PORT
data=""
sockets=""

as_postgres() {
    # With the run's mark in the environment, so that nothing of it can be left behind.
    (cd / && setpriv --reuid postgres --regid postgres --init-groups "$@")
}

# prepare_postgres: skips the suite when PostgreSQL is not there
prepare_postgres() {
    [[ -n $PG_BIN ]] || skip "PostgreSQL is not installed"
    id postgres >/dev/null 2>&1 || skip "there is no user postgres"
    sockets=$WORK/sockets
    mkdir -p "$sockets"
    : >"$sockets/born"
    chown postgres:postgres "$sockets"
    chmod 700 "$sockets"
}

pg() {
    local program=$1
    shift
    as_postgres env PGHOST="$sockets" PGPORT="$PG_PORT" PGUSER=postgres "$PG_BIN/$program" "$@"
}

# pg_exec PROGRAM...: takes the place of this shell; so in the background, $! is the program itself
pg_exec() {
    local program=$1
    shift
    cd / && exec setpriv --reuid postgres --regid postgres --init-groups \
        env PGHOST="$sockets" PGPORT="$PG_PORT" PGUSER=postgres "$PG_BIN/$program" "$@"
}

sql() {
    pg psql -X -q -A -t -v ON_ERROR_STOP=1 -d "${2:-postgres}" -c "$1"
}

init_cluster() {
    as_postgres "$PG_BIN/initdb" -D "$1" --auth=trust --data-checksums -E UTF8 --locale=C
}

# start_cluster DIR [SETTING=VALUE...]
start_cluster() {
    data=$1
    shift
    local options="-k $sockets -p $PG_PORT -c listen_addresses='' -c logging_collector=off" setting
    for setting in "$@"; do options+=" -c $setting"; done
    as_postgres "$PG_BIN/pg_ctl" -D "$data" -w -t 120 -l "$sockets/server.log" -o "$options" start
}

stop_cluster() {
    as_postgres "$PG_BIN/pg_ctl" -D "$data" -w -t 120 -m "${1:-fast}" stop
}

# For clean-up: says nothing when it does not run.
drop_cluster() {
    [[ -z $data || ! -f $sockets/.s.PGSQL.$PG_PORT.lock ]] || stop_cluster immediate >/dev/null 2>&1 || true
}

server_log() {
    tail -n 30 "$sockets/server.log"
}

amcheck() {
    pg pg_amcheck --all --install-missing --heapallindexed --rootdescend
}

# --- killed ---------------------------------------------------------------------------------------------------

# remove_shared_memory ID: a killed postmaster leaves its shared memory, and the next one, which has no
# postmaster.pid to go by, does not find it. What is younger than prepare_postgres and mapped by nobody is ours.
remove_shared_memory() {
    local segment
    [[ -z $1 ]] || ipcrm -m "$1" 2>/dev/null || true
    while read -r segment; do
        grep -qsF "$segment" /proc/[0-9]*/maps || rm -f "$segment"
    done < <(find /dev/shm -maxdepth 1 -name 'PostgreSQL.*' -newer "$sockets/born")
}

# kill_backends DIR: ends what works in the cluster's directory; succeeds once nothing does
kill_backends() {
    local process none=0
    for process in /proc/[0-9]*; do
        [[ $(readlink "$process/cwd") == "$1" ]] || continue
        kill -9 "${process#/proc/}" 2>/dev/null
        none=1
    done
    return "$none"
}
