# shellcheck shell=bash
# What a run needs and how Debian and Ubuntu call it; sourced by integration-tests/run.

postgresql_bin() {
    find /usr/lib/postgresql -maxdepth 2 -name bin 2>/dev/null | sort -V | tail -n 1
}

has_jdk() {
    command -v javac >/dev/null && [[ $(javac -version 2>&1 | sed 's/[^0-9]*\([0-9]*\).*/\1/') -ge 17 ]]
}

has_libfuse2() {
    # Not by a pipe to grep -q, whose early end counts as ldconfig's failure.
    [[ $(ldconfig -p) == *'libfuse.so.2 '* ]]
}

has_postgresql() {
    local bin
    bin=$(postgresql_bin)
    [[ -n $bin && -x $bin/initdb && -x $bin/pg_amcheck && -x $bin/pgbench ]]
}

has_mariadb() {
    has mariadbd && has mariadb && has mariadb-install-db && id mysql >/dev/null 2>&1
}

has() {
    command -v "$1" >/dev/null
}

# Prints the Debian names of the packages that are missing, one a line.
missing_packages() {
    has_jdk || echo openjdk-17-jdk-headless
    has mvn || echo maven
    has fusermount || echo fuse
    has_libfuse2 || echo libfuse2
    has_postgresql || echo postgresql
    has_mariadb || echo mariadb
    has fio || echo fio
    has python3 || echo python3
    has mkfs.ext4 || echo e2fsprogs
    has mkfs.btrfs || echo btrfs-progs
    has losetup || echo mount
    has findmnt || echo util-linux
    has ps || echo procps
}

# What some suites use and are skipped without, where a machine does not offer it.
missing_optional_packages() {
    # User Mode Linux runs on this machine only.
    [[ $(uname -m) != x86_64 ]] || has linux.uml || echo user-mode-linux
}

# Debian 13 and Ubuntu 24.04 renamed some packages; and their JDK may be a newer one.
real_package_name() {
    case $1 in
        libfuse2) first_available libfuse2 libfuse2t64 ;;
        fuse) first_available fuse fuse3 ;;
        openjdk-17-jdk-headless) first_available openjdk-17-jdk-headless openjdk-21-jdk-headless default-jdk-headless ;;
        *) echo "$1" ;;
    esac
}

# Not by a pipe to grep -q, for the reason above.
is_available() {
    [[ $(apt-cache policy "$1" 2>/dev/null) =~ Candidate:\ [0-9] ]]
}

first_available() {
    local name
    for name in "$@"; do
        if is_available "$name"; then
            echo "$name"
            return
        fi
    done
    echo "$1"
}

apt_install() {
    DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@"
}

# The packaged PostgreSQL would make and start a cluster of its own. It is told not to before it
# comes; afterwards the setting is put back, so that the machine's owner finds the usual defaults.
install_postgresql() {
    local settings=/etc/postgresql-common/createcluster.conf
    apt_install postgresql-common || return 1
    cp -p "$settings" "$settings.ssdcache-it"
    sed -i 's/^#\?[[:space:]]*create_main_cluster.*/create_main_cluster = false/' "$settings"
    grep -q '^create_main_cluster = false' "$settings" || echo 'create_main_cluster = false' >>"$settings"
    local code=0
    apt_install postgresql || code=1
    mv -f "$settings.ssdcache-it" "$settings"
    return $code
}

# The server without the packages that would make a database and a service of their own; what those do
# for the user is done here.
install_mariadb() {
    apt_install mariadb-server-core mariadb-client-core || return 1
    id mysql >/dev/null 2>&1 || useradd --system --user-group --no-create-home --home-dir /nonexistent \
        --shell /usr/sbin/nologin mysql
}

# install_missing LOG
install_missing() {
    local log=$1 package
    local -a missing=() optional=() names=()
    mapfile -t missing < <(missing_packages)
    mapfile -t optional < <(missing_optional_packages)
    [[ ${#missing[@]} -gt 0 || ${#optional[@]} -gt 0 ]] || return 0
    if ! has apt-get; then
        [[ ${#missing[@]} -gt 0 ]] || return 0
        echo "missing: ${missing[*]} (Debian's names); install them, this machine has no apt-get" >&2
        return 1
    fi
    echo "installing by apt-get: ${missing[*]} ${optional[*]}"
    apt-get update -q >>"$log" 2>&1 || echo "apt-get update failed (see $log); trying with the lists at hand"
    for package in "${optional[@]}"; do
        if is_available "$package"; then names+=("$package"); else echo "not available here: $package"; fi
    done
    for package in "${missing[@]}"; do
        if [[ $package == postgresql ]]; then
            install_postgresql >>"$log" 2>&1 || return 1
        elif [[ $package == mariadb ]]; then
            install_mariadb >>"$log" 2>&1 || return 1
        else
            names+=("$(real_package_name "$package")")
        fi
    done
    [[ ${#names[@]} -eq 0 ]] || apt_install "${names[@]}" >>"$log" 2>&1
}
