# shellcheck shell=bash
# Makes a bare Debian with debootstrap and runs commands in it; sourced by clean-room and package, which have
# set IT_DIR. What is mounted there lies in a mount namespace of its own, and vanishes with it.

RELEASE=${ROOM_RELEASE:-bookworm}
room=""

# need_room SCRIPT ARGUMENT...: skips where none can be made, else starts the script anew in its namespace
need_room() {
    [[ $(id -u) == 0 ]] || { echo "run as root: sudo integration-tests/${1##*/}" >&2 && exit 2; }
    [[ -z ${ROOM_INSIDE:-} ]] || return 0
    command -v debootstrap >/dev/null || { echo "${1##*/} needs debootstrap" >&2 && exit 77; }
    ROOM_INSIDE=yes exec unshare --mount --propagation private "$@"
}

# make_room PACKAGES: a bare Debian with these (commas between them) in $room, removed at the script's end
make_room() {
    room=$(mktemp -d /var/tmp/ssdcache-clean-room.XXXXXX)
    chmod 755 "$room" # the root of a machine is open to every user
    export SSDCACHE_IT_RUN=${room##*.}
    trap remove_room EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    echo "making a bare system ($RELEASE) in $room ..."
    # shellcheck disable=SC2086 # a list of words
    debootstrap --variant=minbase --include="$1" ${DEBOOTSTRAP_OPTIONS:-} "$RELEASE" "$room" "$(mirror)" \
        >"$room.log" 2>&1 || { tail -n 20 "$room.log" && exit 1; }
    rm -f "$room.log"
    # A machine's root is a mount point. Without one /proc/mounts has no line for "/" in the room, and
    # Java finds no file store ("Mount point not found").
    mount --bind "$room" "$room"
    copy_from_host
    mount -t proc proc "$room/proc"
    mount --rbind /sys "$room/sys"
    mount --rbind /dev "$room/dev"
    [[ -c $room/dev/fuse ]] || mknod "$room/dev/fuse" c 10 229
    mount -t tmpfs none "$room/run"
    mkdir -p "$room/run/lock"
}

remove_room() {
    local code=$?
    trap - EXIT
    trap '' INT TERM HUP
    # What the tests left is their failure, and it is not to survive the room.
    remove_leftovers "$SSDCACHE_IT_RUN" "$room" | grep -vE "mount $room(/(dev|proc|sys|tmp|run).*)?\$" | sed 's/^/left in the room: /' || true
    umount -R -l "$room/dev" "$room/proc" "$room/sys" "$room" 2>/dev/null || true
    rm -rf --one-file-system "$room"
    rm -f "$room.log"
    exit $code
}

# Variables of proxies and mirrors, as the host has them.
proxy_environment() {
    env | grep -iE '^(https?|ftp|no|all)_proxy=' || true
}

# The mirror that this host's apt uses for the release; Debian's own where it uses none.
mirror() {
    local used
    # shellcheck disable=SC2016
    used=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $RELEASE" 2>/dev/null | head -n 1)
    echo "${DEBIAN_MIRROR:-${used:-http://deb.debian.org/debian}}"
}

# How this host reaches the network: names, certificates, apt's and Maven's settings.
copy_from_host() {
    local file
    for file in /etc/resolv.conf /etc/hosts /etc/apt/apt.conf; do
        [[ ! -e $file ]] || cp -L "$file" "$room$file"
    done
    cp -rL /etc/apt/apt.conf.d/. "$room/etc/apt/apt.conf.d/"
    cp -rL /etc/apt/auth.conf.d/. "$room/etc/apt/auth.conf.d/" 2>/dev/null || true
    if [[ -d /usr/local/share/ca-certificates ]]; then
        cp -rL /usr/local/share/ca-certificates/. "$room/usr/local/share/ca-certificates/"
        chroot "$room" update-ca-certificates >/dev/null 2>&1 || true
    fi
    cp -L /etc/ssl/certs/ca-certificates.crt "$room/etc/ssl/certs/ca-certificates.crt" 2>/dev/null || true
    mkdir -p "$room/root/.m2"
    for file in settings.xml settings-security.xml; do
        [[ ! -e ${HOME:-/root}/.m2/$file ]] || cp -L "${HOME:-/root}/.m2/$file" "$room/root/.m2/$file"
    done
    if [[ -e /etc/maven/settings.xml && ! -e $room/root/.m2/settings.xml ]]; then
        cp -L /etc/maven/settings.xml "$room/root/.m2/settings.xml"
    fi
}

in_room() {
    local -a variables
    mapfile -t variables < <(proxy_environment)
    chroot "$room" env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
        TERM=dumb "SSDCACHE_IT_RUN=$SSDCACHE_IT_RUN" "${variables[@]}" "$@"
}
