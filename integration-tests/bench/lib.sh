# shellcheck shell=bash
# Shared by the benchmarks; sourced. A benchmark measures all sides in interleaved rounds of one run,
# writes each figure with `measured`, and ends with `table` and the ratios it is about.

# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

BENCH_DIR=$IT_DIR/bench
# The benchmark's slow disk, where it has one.
disk=""
ROUNDS=${BENCH_ROUNDS:-3}
export ROUNDS
readonly BENCH_DIR
# The mode of the benchmarks about writing.
MODE=${BENCH_MODE:-writeback}
export MODE

begin_benchmark() {
    need_root
    begin_suite
    values=$WORK/values
    : >"$values"
}

# measured NAME VALUE
measured() {
    printf '%s\t%s\n' "$1" "$2" >>"$values"
}

# table UNIT [RATIO...]: RATIO is "label | numerator | denominator | >= goal"
table() {
    python3 "$BENCH_DIR/table.py" "$values" "$@"
}

# broken in a benchmark ends it with a message and a failure
broken() {
    echo "benchmark broken: $*"
    exit 1
}

# random_reads FILE JOBS SECONDS [FIO OPTION...]: 8K O_DIRECT reads per second
random_reads() {
    local file=$1 jobs=$2 seconds=$3
    shift 3
    fio --name=reads --filename="$file" --rw=randread --bs=8k --direct=1 --ioengine=psync --numjobs="$jobs" \
        --group_reporting --time_based --runtime="$seconds" --norandommap --output-format=json "$@" |
        python3 -c 'import json, sys; print(round(json.load(sys.stdin)["jobs"][0]["read"]["iops"], 1))'
}

# synced_writes PATH JOBS SECONDS [FIO OPTION...]: 8K random writes per second, fdatasync after each. In a
# directory each job has a file of its own, part.0 and so on, of 64 MiB.
synced_writes() {
    local jobs=$2 seconds=$3
    local -a where=(--filename="$1")
    # shellcheck disable=SC2016 # $jobnum is for fio
    [[ ! -d $1 ]] || where=(--directory="$1" --filename_format='part.$jobnum' --size=64M)
    shift 3
    fio --name=writes "${where[@]}" --rw=randwrite --bs=8k --fdatasync=1 --ioengine=psync --numjobs="$jobs" \
        --group_reporting --time_based --runtime="$seconds" --norandommap --output-format=json "$@" |
        python3 -c 'import json, sys; print(round(json.load(sys.stdin)["jobs"][0]["write"]["iops"], 1))'
}

# at_full_speed COMMAND...: with the slow disk's throttle off
at_full_speed() {
    local code=0
    "$IT_DIR/slow-disk" throttle "$disk" off
    "$@" || code=$?
    "$IT_DIR/slow-disk" throttle "$disk" on
    return $code
}

# fill_slow_file FILE SIZE: written at full speed
fill_slow_file() {
    at_full_speed random_file "$1" "$2" 42
    at_full_speed drop_page_cache
}

read_twice() {
    dd if="$1" of=/dev/null bs=1M iflag=direct 2>/dev/null
    dd if="$1" of=/dev/null bs=1M iflag=direct 2>/dev/null
    drop_page_cache
}

# warm_up FILE: into the cache at full speed
warm_up() {
    at_full_speed read_twice "$1"
}

# bring_home: every dirty block of $mounted, at full speed; what was cached is then cached clean
bring_home() {
    at_full_speed "$SSDCACHE" flush "$mounted" >"$WORK/flush.log" 2>&1 || broken "flush: $(cat "$WORK/flush.log")"
    at_full_speed drop_page_cache
}

# end_mount: brings everything home at full speed and takes the mount and its cache in DIR away
end_mount() {
    at_full_speed umount_mount "$mounted" >"$WORK/umount.log" 2>&1
    not_mounted "$mounted" || broken "umount: $(cat "$WORK/umount.log")"
    rm -rf "$1"
}

# slow_disk_count NAME: requests_written, flushes, ... of $disk so far
slow_disk_count() {
    "$IT_DIR/slow-disk" status "$disk" | sed -n "s/^$1=//p"
}

# Options of a mount whose dirty blocks stay where they are until the flush that is measured.
export KEEP_DIRTY=writeback_percent=40,writeback_delay=1h

# make_dirty FILE BLOCK_BYTES RUNS RUN_BLOCKS SEED: of $mounted; sets blocks and runs
make_dirty() {
    local dirty
    # shellcheck disable=SC2034 # for the caller
    read -r blocks runs < <(python3 "$BENCH_DIR/dirty_blocks.py" "$mounted/$1" "${@:2}") || broken "writing dirty blocks"
    dirty=$(status_field "$mounted" dirty_bytes)
    [[ $dirty == $((blocks * $2)) ]] || broken "$blocks blocks of $2 bytes were written, and $dirty bytes are dirty"
}

# timed_flush: sets seconds, and requests: those to the slow disk, its flushes among them
timed_flush() {
    requests=$(slow_disk_count requests_written)
    seconds=$(seconds_of "$SSDCACHE" flush "$mounted") || broken "flush: $(cat "$WORK/seconds.log")"
    requests=$(($(slow_disk_count requests_written) - requests))
    [[ $(status_field "$mounted" dirty_bytes) == 0 ]] || broken "dirty after flush"
}

# check_home FILE: the slow disk has what the mount shows
check_home() {
    at_full_speed drop_page_cache
    at_full_speed cmp "$mounted/$1" "$disk/data/$1" || broken "the slow disk has other bytes than the mount after flush"
}

# quotient A B
quotient() {
    awk -v a="$1" -v b="$2" 'BEGIN { printf "%.4f\n", a / b }'
}

# seconds_of COMMAND...: wall time with milliseconds; the command's output goes to $WORK/seconds.log
seconds_of() {
    local start end
    start=$(date +%s%N)
    "$@" >"$WORK/seconds.log" 2>&1 || return 1
    end=$(date +%s%N)
    awk -v ns=$((end - start)) 'BEGIN { printf "%.3f\n", ns / 1e9 }'
}
