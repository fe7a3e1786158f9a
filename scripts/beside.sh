# For scripts that do several things at once: `. scripts/beside.sh`.
#
#   beside COMMAND...   starts a command, or a function, beside what follows
#   join_all            waits for all of them, shows what each has printed, and fails where one has failed
#   stop_all            ends those that still run: for the script's own trap on EXIT
#
# shellcheck shell=bash

beside_folder=$(mktemp -d "${TMPDIR:-/tmp}/outwit-beside.XXXXXX")
beside_jobs=()

beside() {
    # Each has a process group of its own, so that it can be ended with all that it has started.
    set -m
    ("$@") >"$beside_folder/${#beside_jobs[@]}" 2>&1 </dev/null &
    beside_jobs+=($!)
    set +m
}

join_all() {
    local number status=0
    for number in "${!beside_jobs[@]}"; do
        wait "${beside_jobs[$number]}" || status=$?
        cat "$beside_folder/$number" >&2
    done
    beside_jobs=()
    return "$status"
}

stop_all() {
    local job
    for job in "${beside_jobs[@]}"; do
        kill -- "-$job" 2>/dev/null || true
    done
    rm -rf "$beside_folder"
}
