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

# fill_slow_file FILE SIZE: written at full speed
fill_slow_file() {
    "$IT_DIR/slow-disk" throttle "$disk" off
    random_file "$1" "$2" 42
    drop_page_cache
    "$IT_DIR/slow-disk" throttle "$disk" on
}

# warm_up FILE: into the cache at full speed
warm_up() {
    "$IT_DIR/slow-disk" throttle "$disk" off
    dd if="$1" of=/dev/null bs=1M iflag=direct 2>/dev/null
    dd if="$1" of=/dev/null bs=1M iflag=direct 2>/dev/null
    drop_page_cache
    "$IT_DIR/slow-disk" throttle "$disk" on
}

# seconds_of COMMAND...: wall time with milliseconds; the command's output goes to $WORK/seconds.log
seconds_of() {
    local start end
    start=$(date +%s%N)
    "$@" >"$WORK/seconds.log" 2>&1 || return 1
    end=$(date +%s%N)
    awk -v ns=$((end - start)) 'BEGIN { printf "%.3f\n", ns / 1e9 }'
}
