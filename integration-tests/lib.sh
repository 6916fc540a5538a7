# shellcheck shell=bash
# Shared by the suites and benchmarks; sourced, never run. A suite is one executable file that
# prints TAP-like lines ("ok 1 - name", "not ok 2 - name", "# SKIP", "# KNOWN") and exits 0 (all
# well), 1 (a check failed) or 77 (skipped, the reason on its last line).
#
# Everything a suite makes lies under $WORK. What it leaves there, integration-tests/run removes and
# reports.
set -uo pipefail

IT_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
REPOSITORY=$(dirname "$IT_DIR")
SSDCACHE=${SSDCACHE:-$REPOSITORY/mount-helpers/ssdcache}
readonly IT_DIR REPOSITORY SSDCACHE EXIT_SKIP=77

check_number=0
failed_checks=0
declare -a clean_up_commands=()

# --- results --------------------------------------------------------------------------------------------

ok() {
    check_number=$((check_number + 1))
    echo "ok $check_number - $1"
}

# not_ok NAME [DETAIL...]
not_ok() {
    check_number=$((check_number + 1))
    failed_checks=$((failed_checks + 1))
    echo "not ok $check_number - $1"
    shift
    [[ $# -eq 0 ]] || printf '%s\n' "$@" | sed 's/^/    # /'
}

# skip_check NAME REASON: one check, not the suite
skip_check() {
    check_number=$((check_number + 1))
    echo "ok $check_number - $1 # SKIP $2"
}

# check NAME COMMAND...: the command must succeed; its output is shown only when it does not.
check() {
    local name=$1 output
    shift
    if output=$("$@" 2>&1); then
        ok "$name"
    else
        not_ok "$name" "exit code $? of: $*" "$output"
        return 1
    fi
}

# check_exit CODE NAME COMMAND...: exactly this exit code. The output is left in $last_output.
last_output=""
check_exit() {
    local expected=$1 name=$2 code=0
    shift 2
    last_output=$("$@" 2>&1) || code=$?
    if [[ $code == "$expected" ]]; then
        ok "$name"
    else
        not_ok "$name" "exit code $code instead of $expected of: $*" "$last_output"
        return 1
    fi
}

# check_equal NAME EXPECTED ACTUAL
check_equal() {
    if [[ $2 == "$3" ]]; then
        ok "$1"
    else
        not_ok "$1" "expected: $2" "actual:   $3"
    fi
}

# check_at_most NAME LIMIT ACTUAL and check_at_least NAME LIMIT ACTUAL, for whole numbers
check_at_most() {
    if [[ $3 =~ ^-?[0-9]+$ && $3 -le $2 ]]; then ok "$1 ($3)"; else not_ok "$1" "at most $2, got '$3'"; fi
}
check_at_least() {
    if [[ $3 =~ ^-?[0-9]+$ && $3 -ge $2 ]]; then ok "$1 ($3)"; else not_ok "$1" "at least $2, got '$3'"; fi
}

# skip REASON: the whole suite
skip() {
    echo "skipped: $*"
    exit $EXIT_SKIP
}

# broken REASON: the suite cannot go on
broken() {
    not_ok "$@"
    finish
}

finish() {
    echo "1..$check_number"
    [[ $failed_checks == 0 ]] || exit 1
    exit 0
}

note() {
    echo "# $*"
}

# --- life of a suite --------------------------------------------------------------------------------------

need_root() {
    [[ $(id -u) == 0 ]] || skip "needs root"
}

# The suite's scratch directory; integration-tests/run passes one in.
begin_suite() {
    if [[ -z ${WORK:-} ]]; then
        WORK=$(mktemp -d /var/tmp/ssdcache-it.XXXXXX)
        # PostgreSQL's user works below it.
        chmod 755 "$WORK"
        on_exit rm -rf --one-file-system "$WORK"
    fi
    export WORK
    trap run_clean_up EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
}

# on_exit COMMAND...: runs at the suite's end, last registered first, whatever happens
on_exit() {
    local command
    printf -v command '%q ' "$@"
    clean_up_commands+=("$command")
}

run_clean_up() {
    local code=$? i
    trap - EXIT
    trap '' INT TERM HUP
    for ((i = ${#clean_up_commands[@]} - 1; i >= 0; i--)); do
        eval "${clean_up_commands[i]}" || echo "# clean-up failed: ${clean_up_commands[i]}"
    done
    exit $code
}

# wait_until SECONDS COMMAND...: polls until the command succeeds; fails when the time is over
wait_until() {
    local deadline=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        [[ $SECONDS -lt $deadline ]] || return 1
        sleep 0.05
    done
}

process_gone() {
    # A zombie is gone as well: its parent has not looked yet.
    [[ ! -d /proc/$1 ]] || grep -q '^State:[[:space:]]*Z' "/proc/$1/status" 2>/dev/null
}

is_mounted() {
    # From the kernel's table: asking the path itself fails on a dead FUSE mount.
    awk -v path="$1" '{ gsub(/\\040/, " ", $5); if ($5 == path) found = 1 } END { exit !found }' /proc/self/mountinfo
}

not_mounted() {
    ! is_mounted "$1"
}

# --- mounts ---------------------------------------------------------------------------------------------------

# make_mount BACKING MOUNTPOINT|- CACHE [OPTION...]: "-" mounts in place. Sets $mounted and ends the
# suite when it does not work. The mount is taken down at the suite's end if it is still there.
mounted=""
make_mount() {
    local backing=$1 mountpoint=$2 cache=$3 output
    local -a positional=("$backing")
    shift 3
    mounted=$backing
    if [[ $mountpoint != - ]]; then
        mounted=$mountpoint
        positional+=("$mountpoint")
        mkdir -p "$mountpoint"
    fi
    on_exit drop_mount "$mounted"
    output=$("$SSDCACHE" mount -c "$cache" "$@" "${positional[@]}" 2>&1) ||
        broken "ssdcache mount -c $cache $* ${positional[*]}" "exit code $?" "$output"
    is_mounted "$mounted" || broken "mount returned 0 but $mounted is not mounted" "$output"
}

# umount_mount MOUNTPOINT: the orderly way, as a check of its own
umount_mount() {
    local pid
    pid=$(daemon_pid "$1")
    check "umount ${1#"$WORK"/}" "$SSDCACHE" umount "$1"
    wait_until 20 not_mounted "$1" || not_ok "${1#"$WORK"/} is no longer mounted after umount"
    [[ -z $pid ]] || wait_until 20 process_gone "$pid" || not_ok "daemon $pid ended after umount"
}

# kill_daemon MOUNTPOINT: kill -9, and the dead mount is taken away
kill_daemon() {
    local pid
    pid=$(daemon_pid "$1")
    [[ -n $pid ]] || broken "no daemon of $1 found to kill"
    kill -9 "$pid"
    wait_until 30 process_gone "$pid" || broken "daemon $pid survived kill -9"
    umount -l "$1" 2>/dev/null || true
    wait_until 30 not_mounted "$1" || broken "the dead mount at $1 cannot be taken away"
}

# drop_mount MOUNTPOINT: for clean-up; says nothing when there is nothing to do
drop_mount() {
    is_mounted "$1" || return 0
    timeout 60 "$SSDCACHE" umount "$1" >/dev/null 2>&1 || true
    not_mounted "$1" || umount -l "$1"
}

# status_field MOUNTPOINT a.b.c: one field of status --json; empty when there is none
status_field() {
    "$SSDCACHE" status --json "$1" 2>/dev/null | python3 "$IT_DIR/json_field.py" "$2"
}

daemon_pid() {
    status_field "$1" pid
}

total() {
    status_field "$1" "stats.total.$2"
}

# set_mode MOUNTPOINT MODE, as a command that fails loudly
set_mode() {
    "$SSDCACHE" set "$1" "mode=$2"
}

# --- slow disk -------------------------------------------------------------------------------------------------

# make_slow_disk DIR SIZE [OPTION...]: skips the suite where it cannot be made
make_slow_disk() {
    local directory=$1 size=$2 output code=0
    shift 2
    on_exit "$IT_DIR/slow-disk" remove "$directory"
    output=$("$IT_DIR/slow-disk" make "$directory" --size "$size" --image-dir "$WORK" "$@" 2>&1) || code=$?
    case $code in
        0) ;;
        "$EXIT_SKIP") skip "$output" ;;
        *) broken "slow-disk make $directory" "$output" ;;
    esac
}

# slow_disk_reads DIR: read requests sent to the slow disk so far
slow_disk_reads() {
    "$IT_DIR/slow-disk" status "$1" | sed -n 's/^requests_read=//p'
}

drop_page_cache() {
    sync
    echo 3 >/proc/sys/vm/drop_caches
}

# --- files -------------------------------------------------------------------------------------------------------

# random_file PATH SIZE SEED: reproducible bytes that do not compress to anything
random_file() {
    python3 "$IT_DIR/random_file.py" "$1" "$2" "$3"
}
