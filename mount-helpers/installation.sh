# shellcheck shell=sh
# What install and uninstall have in common; sourced by both, which define usage.
# shellcheck disable=SC2034 # variables are for them

prefix=/usr
destdir=""
helpers=$(dirname -- "$(readlink -f -- "$0")")
# The directory in which mount(8) looks; on most systems a link to /usr/sbin.
sbin=$(readlink -f -- /sbin)

say() {
    echo "ssdcache: $1"
}

die() {
    echo "ssdcache: $1" >&2
    exit "${2:-1}"
}

# die_of_usage SENTENCE
die_of_usage() {
    echo "ssdcache: $1" >&2
    usage >&2
    exit 2
}

read_arguments() {
    while [ $# -gt 0 ]; do
        case $1 in
            -h | --help)
                usage
                exit 0 ;;
            --prefix=* | --destdir=*) set -- "${1%%=*}" "${1#*=}" "$@" && shift_by=3 ;;
            --prefix | --destdir) shift_by=2 ;;
            *) die_of_usage "\"$1\" is not an option." ;;
        esac
        [ $# -ge 2 ] || die_of_usage "$1 needs a directory."
        read_directory "$1" "$2"
        shift "$shift_by"
    done
    list=$destdir$prefix/lib/ssdcache/installed-files
}

read_directory() {
    case $2 in
        /*) ;;
        *) die_of_usage "$1 needs an absolute path, not \"$2\"." ;;
    esac
    if [ "$1" = --destdir ]; then
        destdir=${2%/}
        return
    fi
    case $2 in
        # It goes into a systemd unit.
        *[!A-Za-z0-9/._+-]* | *..*) die_of_usage "The prefix \"$2\" has characters that a prefix must not have." ;;
    esac
    prefix=${2%/}
}

# is_installed_file PATH: whether it is in the list of an earlier installation
is_installed_file() {
    [ -f "$list" ] && grep -qxF -- "$1" "$list"
}

# processes_of_program [daemons]: those that run the installed program; with a word, only those that serve a mount
processes_of_program() {
    program=$(readlink -f -- "$destdir$prefix/lib/ssdcache/ssdcache.jar") || return 0
    for directory in /proc/[0-9]*; do
        # A process may end at any moment.
        words=$({ tr '\0' '\n' <"$directory/cmdline"; } 2>/dev/null) || continue
        echo "$words" | grep -qxF -- "$program" || continue
        [ $# -eq 0 ] || echo "$words" | grep -qx -e daemon -e --foreground || continue
        echo "${directory#/proc/}"
    done
}

# A daemon loads classes when it first needs them, so its program must stay as it is. Commands end soon.
refuse_while_used() {
    used=$(processes_of_program daemons | tr '\n' ' ')
    tries=100
    while [ -z "$used" ] && [ -n "$(processes_of_program)" ] && [ "$tries" -gt 0 ]; do
        sleep 0.2
        tries=$((tries - 1))
    done
    [ -n "$used" ] || used=$(processes_of_program | tr '\n' ' ')
    [ -z "$used" ] || die "The installed ssdcache is in use by the processes ${used% }; \"ssdcache status\" shows the mounts, unmount them first."
}

# Files first, then the directories that the installation made, the innermost first.
remove_installed_files() {
    [ -f "$list" ] || return 0
    kept=$(cat -- "$list")
    echo "$kept" | grep -v '/$' | while read -r path; do
        rm -f -- "$destdir$path"
    done
    echo "$kept" | grep '/$' | sort -r | while read -r path; do
        rmdir -- "$destdir$path" 2>/dev/null || say "not empty and therefore left: $destdir$path"
    done
}

reload_systemd() {
    [ -z "$destdir" ] && [ -d /run/systemd/system ] || return 0
    systemctl daemon-reload || say "\"systemctl daemon-reload\" failed; run it yourself"
}
