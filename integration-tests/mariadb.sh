# shellcheck shell=bash
# A MariaDB server of our own: own directory, own socket, no TCP, no settings of the machine. Sourced after
# lib.sh. Uses $data (the data directory), $sockets (a private directory) and $server (its process).

MARIADB_USER=mysql
data=""
sockets=""
server=""

# prepare_mariadb: skips the suite when MariaDB is not there
prepare_mariadb() {
    [[ -x /usr/sbin/mariadbd ]] || skip "MariaDB is not installed"
    # The packages with the programs alone make no user; any that is nobody else's will do.
    id "$MARIADB_USER" >/dev/null 2>&1 || MARIADB_USER=nobody
    sockets=$WORK/sockets
    mkdir -p "$sockets"
    chown "$MARIADB_USER" "$sockets"
    chmod 700 "$sockets"
}

# maria_exec PROGRAM...: takes the place of this shell, as the server's user
maria_exec() {
    cd / && exec setpriv --reuid "$MARIADB_USER" --regid "$(id -g "$MARIADB_USER")" --clear-groups env HOME="$sockets" "$@"
}

maria() {
    (maria_exec "$@")
}

client_options() {
    echo "--no-defaults --user=root --socket=$sockets/socket"
}

# sql TEXT [DATABASE]
sql() {
    # shellcheck disable=SC2046 # a list of options
    maria mariadb $(client_options) --batch --skip-column-names --execute="$1" "${2:-mysql}"
}

init_data() {
    maria mariadb-install-db --no-defaults --datadir="$1" --auth-root-authentication-method=normal --skip-test-db \
        --tmpdir="$sockets"
}

# start_server DIR [OPTION...]: returns when it answers; not 0 when it ends or takes two minutes
start_server() {
    local deadline=$((SECONDS + 120))
    data=$1
    shift
    maria_exec /usr/sbin/mariadbd --no-defaults --datadir="$data" --socket="$sockets/socket" --pid-file="$sockets/pid" \
        --log-error="$sockets/server.log" --tmpdir="$sockets" --skip-networking "$@" >>"$sockets/server.out" 2>&1 &
    server=$!
    until sql "select 1" >/dev/null 2>&1; do
        ! process_gone "$server" || return 1
        [[ $SECONDS -lt $deadline ]] || return 1
        sleep 0.1
    done
}

# stop_server: an orderly end
stop_server() {
    kill -TERM "$server" 2>/dev/null
    wait_until 120 process_gone "$server" || return 1
    wait "$server"
}

# kill_server: kill -9, which is also right when it has died by itself
kill_server() {
    [[ -n $server ]] || return 0
    kill -9 "$server" 2>/dev/null
    wait_until 60 process_gone "$server" || return 1
    wait "$server" 2>/dev/null
    server=""
}

server_log() {
    tail -n 40 "$sockets/server.log" "$sockets/server.out" 2>/dev/null
}
