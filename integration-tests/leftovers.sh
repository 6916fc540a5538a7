# shellcheck shell=bash
# Finds, names and removes what a run left behind; sourced by integration-tests/run. A run is known
# by its scratch directory and by SSDCACHE_IT_RUN in the environment of its processes.

# mounts_under DIR: mount points at or below DIR, the last mounted first
mounts_under() {
    local path
    while read -r path; do
        # The kernel writes spaces and the like as octal escapes.
        printf '%b\n' "$path"
    done < <(awk '{ print $5 }' /proc/self/mountinfo | tac) |
        awk -v root="$1" '$0 == root || index($0, root "/") == 1'
}

# loop_devices_under DIR: loop devices whose image lies below DIR
loop_devices_under() {
    losetup -n -l -O NAME,BACK-FILE 2>/dev/null | awk -v root="$1" 'index($2, root "/") == 1 { print $1 }'
}

# slow_disks_under DIR: directories that slow-disk still knows
slow_disks_under() {
    local file
    for file in /run/ssdcache-slow-disk/*; do
        [[ -f $file ]] || continue
        sed -n 's/^directory=//p' "$file"
    done | awk -v root="$1" 'index($0, root "/") == 1'
}

describe_process() {
    echo "process $1: $(tr '\0' ' ' <"/proc/$1/cmdline" 2>/dev/null | cut -c 1-150)"
}

gone() {
    [[ ! -d /proc/$1 ]] || grep -q '^State:[[:space:]]*Z' "/proc/$1/status" 2>/dev/null
}

# end_process PID: TERM, then KILL after ten seconds
end_process() {
    local deadline=$((SECONDS + 10))
    kill -TERM "$1" 2>/dev/null || return 0
    until gone "$1"; do
        if [[ $SECONDS -ge $deadline ]]; then
            kill -KILL "$1" 2>/dev/null
            deadline=$((SECONDS + 10))
        fi
        sleep 0.1
    done
}

# remove_leftovers RUN DIR: removes everything, prints a line for each thing it found. Mounts go
# first and lazily if they must, since a process may hang in a dead one.
remove_leftovers() {
    local run=$1 directory=$2 path pid device
    while IFS= read -r path; do
        # The slow disk's own mount belongs to slow-disk remove.
        ! grep -qx -- "$path" < <(slow_disks_under "$directory") || continue
        echo "mount $path"
        timeout 60 umount "$path" 2>/dev/null || umount -l "$path"
    done < <(mounts_under "$directory")
    while read -r pid; do
        ! gone "$pid" || continue
        describe_process "$pid"
        end_process "$pid"
    done < <(python3 "$IT_DIR/processes.py" "$run" "$directory" $$)
    while read -r path; do
        echo "slow disk $path"
        "$IT_DIR/slow-disk" remove "$path" || { umount -l "$path" && "$IT_DIR/slow-disk" remove "$path"; }
    done < <(slow_disks_under "$directory")
    while read -r device; do
        echo "loop device $device"
        losetup -d "$device"
    done < <(loop_devices_under "$directory")
}

# Files of the run's mounts in the places where the product keeps things by default. The product
# names them after the mountpoint, "-" as "\x2d".
files_in_default_places() {
    find /run/ssdcache /var/cache/ssdcache /var/log/ssdcache -mindepth 1 -maxdepth 1 2>/dev/null |
        grep -F "ssdcache\\x2dit.$1"
}

# clear_default_places RUN LOGS: a log that stays is the product's habit; it is moved to LOGS. So is
# the lock file of an ended daemon. Anything else is a leftover, printed and removed.
clear_default_places() {
    local file
    while read -r file; do
        case $file in
            *.log*) mv -- "$file" "$2/" ;;
            *.lock) rm -f -- "$file" ;;
            *)
                echo "file $file"
                rm -rf --one-file-system -- "$file" ;;
        esac
    done < <(files_in_default_places "$1")
}
