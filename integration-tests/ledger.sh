# shellcheck shell=bash
# Clients of a database that write down, outside of the mount, each commit that was acknowledged to them;
# sourced after lib.sh by the suites that kill databases. The suite defines insert_of CLIENT: statements that
# insert the number @N@ and then print it.

# Used by the suites.
# shellcheck disable=SC2034
readonly ACCOUNTS=5000
readonly -a CLIENTS=(1 2)
seed_of_run=""

new_seed() {
    od -An -N2 -tu2 /dev/urandom | tr -d ' '
}

# record_commits CLIENT PROGRAM...: a client that inserts number after number, one commit each, and prints
# what it has inserted once the commit is acknowledged. Numbers go on where the last death left off.
record_commits() {
    local client=$1 first=1
    shift
    touch "$WORK/recorded.$client"
    complete_lines "$WORK/recorded.$client" >"$WORK/recorded" && mv "$WORK/recorded" "$WORK/recorded.$client"
    [[ ! -s $WORK/recorded.$client ]] || first=$(($(tail -n 1 "$WORK/recorded.$client") / 1000000 * 1000000 + 1000001))
    seq "$first" $((first + 900000)) | awk -v text="$(insert_of "$client")" '{ line = text; gsub("@N@", $1, line); print line }' |
        "$@" >>"$WORK/recorded.$client" 2>"$WORK/recorder.$client.log" &
    recorders+=($!)
}

commits_were_recorded() {
    local client
    for client in "${CLIENTS[@]}"; do [[ -s $WORK/recorded.$client ]] || return 1; done
}

# end_clients: for clean-up as well
end_clients() {
    local pid
    for pid in $load "${recorders[@]}"; do
        kill "$pid" 2>/dev/null
        wait "$pid" 2>/dev/null
    done
    load="" recorders=()
}

# no_commit_is_missing CLIENT: everything recorded is in $WORK/there.CLIENT, which the suite has read from the database
no_commit_is_missing() {
    local missing
    # The last line may be cut: its client was killed while it wrote.
    missing=$(comm -23 <(complete_lines "$WORK/recorded.$1" | sort) <(sort "$WORK/there.$1") | sort -n)
    [[ -z $missing ]] || {
        echo "client $1: $(wc -l <<<"$missing") acknowledged commits are missing: $(head -n 5 <<<"$missing" | tr '\n' ' ')"
        return 1
    }
    [[ $(complete_lines "$WORK/recorded.$1" | wc -l) -gt 0 ]] || { echo "client $1 recorded nothing" && return 1; }
}

complete_lines() {
    if [[ -z $(tail -c 1 "$1") ]]; then cat "$1"; else sed '$d' "$1"; fi
}
