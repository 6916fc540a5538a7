# shellcheck shell=bash
# A systemd of its own for a suite, as the first process of namespaces that see this system's files; sourced
# after lib.sh. What it mounts vanishes with it.

private_systemd=""
private_cgroup=""

# start_private_systemd UNITS: units come from that directory only. In /etc, changes are seen by it alone.
# Fails where such a thing cannot be.
start_private_systemd() {
    local units=$1 starter
    [[ -x /lib/systemd/systemd ]] || return 1
    mkdir -p "$WORK/etc-changes" "$WORK/etc-work"
    make_private_cgroup || return 1
    on_exit end_private_systemd
    # shellcheck disable=SC2016
    (
        echo "$BASHPID" >"$private_cgroup/cgroup.procs"
        exec unshare --kill-child -m -p -f -C -u -i --mount-proc --propagation private sh -ec '
            mount -t tmpfs tmpfs /run
            mkdir -p /run/lock /run/systemd/system
            if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
                mount -t cgroup2 cgroup /sys/fs/cgroup
            else
                mount -t tmpfs tmpfs /sys/fs/cgroup
                mkdir /sys/fs/cgroup/systemd
                mount -t cgroup -o none,name=systemd cgroup /sys/fs/cgroup/systemd
            fi
            mount -t overlay overlay -o "lowerdir=/etc,upperdir=$1/etc-changes,workdir=$1/etc-work" /etc
            exec env -i container=other PATH=/usr/sbin:/usr/bin "SYSTEMD_UNIT_PATH=$2" "SSDCACHE_IT_RUN=${SSDCACHE_IT_RUN:-}" \
                /lib/systemd/systemd --system --unit=test.target --log-target=console --show-status=0' - "$WORK" "$units"
    ) >"$WORK/systemd.log" 2>&1 &
    starter=$!
    wait_until 10 has_child "$starter" || return 1
    private_systemd=$(pgrep -P "$starter")
    wait_until 10 in_private_systemd systemctl is-active test.target
}

has_child() {
    pgrep -P "$1" >/dev/null && grep -qa '^/lib/systemd/systemd' "/proc/$(pgrep -P "$1")/cmdline"
}

# Below that of this process, so that nobody else's is touched.
make_private_cgroup() {
    local hierarchy=/sys/fs/cgroup own
    [[ -e $hierarchy/cgroup.controllers ]] || hierarchy=/sys/fs/cgroup/systemd
    own=$(sed -n 's/^\(0:\|[0-9]*:name=systemd\):*//p' /proc/self/cgroup | tail -n 1)
    [[ -d $hierarchy ]] || return 1
    private_cgroup=$hierarchy${own%/}/ssdcache-it-$$
    mkdir "$private_cgroup" 2>/dev/null
}

# in_private_systemd COMMAND...
in_private_systemd() {
    nsenter -t "$private_systemd" -m -p -C -- "$@"
}

# For clean-up: its namespaces, mounts and processes go with the first process.
end_private_systemd() {
    [[ -z $private_systemd ]] || { kill -9 "$private_systemd" 2>/dev/null && wait_until 20 process_gone "$private_systemd"; }
    private_systemd=""
    wait_until 20 remove_private_cgroup
}

remove_private_cgroup() {
    [[ -d $private_cgroup ]] || return 0
    find "$private_cgroup" -depth -type d -exec rmdir {} + 2>/dev/null
    [[ ! -d $private_cgroup ]]
}
