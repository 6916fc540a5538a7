# shellcheck shell=bash
# A MariaDB server of our own, away from a packaged one: own directory, own socket, no TCP, no service.
# Sourced after lib.sh. Uses $data (its directory) and $sockets (a private directory).

data=""
sockets=""
mariadb_pid=""

# With the run's mark in the environment, so that nothing of it can be left behind.
readonly -a AS_MYSQL=(env --chdir=/ setpriv --reuid mysql --regid mysql --init-groups)

# prepare_mariadb: skips the suite when MariaDB is not there
prepare_mariadb() {
    command -v mariadbd >/dev/null || skip "MariaDB is not installed"
    id mysql >/dev/null 2>&1 || skip "there is no user mysql"
    sockets=$WORK/sockets
    mkdir -p "$sockets"
    chown mysql:mysql "$sockets"
    chmod 700 "$sockets"
}

# init_mariadb DIR: makes the system tables; root has no password
init_mariadb() {
    install -d -o mysql -g mysql -m 700 "$1"
    "${AS_MYSQL[@]}" mariadb-install-db --no-defaults --datadir="$1" --auth-root-authentication-method=normal \
        --skip-test-db --skip-name-resolve
}

# mariadb_sql STATEMENT [DATABASE]; "delimiter //" on a line of its own works as in a file
mariadb_sql() {
    mariadb --no-defaults -u root -S "$sockets/mariadb.sock" --batch --skip-column-names ${2:+"$2"} <<<"$1"
}

# start_mariadb DIR [OPTION...]: returns when it answers
start_mariadb() {
    data=$1
    shift
    "${AS_MYSQL[@]}" mariadbd --no-defaults --datadir="$data" --socket="$sockets/mariadb.sock" --pid-file="$sockets/mariadb.pid" \
        --skip-networking --skip-name-resolve --log-error="$sockets/server.log" "$@" >>"$sockets/server.log" 2>&1 &
    mariadb_pid=$!
    disown
    wait_until 120 mariadb_answers && mariadb_sql "select 1" >/dev/null
}

# Or has ended, which nobody needs to wait for.
mariadb_answers() {
    process_gone "$mariadb_pid" || mariadb_sql "select 1"
}

stop_mariadb() {
    mariadb_sql "shutdown" && wait_until 180 mariadb_gone && mariadb_pid=""
}

# Its threads may still be writing when the process itself is a zombie already.
mariadb_gone() {
    process_gone "$mariadb_pid" && [[ $(find "/proc/$mariadb_pid/task" -mindepth 1 -maxdepth 1 2>/dev/null | wc -l) -le 1 ]]
}

# For clean-up: says nothing when it does not run.
drop_mariadb() {
    [[ -n $mariadb_pid ]] || return 0
    mariadb_gone || kill -KILL "$mariadb_pid" 2>/dev/null || true
    wait_until 60 mariadb_gone
}
