#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# run.sh PATH-TO-CLUMPMODEL [PATTERN]: runs every test_*.sh (whose name contains PATTERN) and the
# check of include rules, and ends with "N passed, M failed". Nothing of the user's is read or written.
set -u
if [ $# -lt 1 ] || [ ! -x "$1" ]; then
    echo "usage: run.sh PATH-TO-CLUMPMODEL [PATTERN]" >&2
    exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
CLUMPMODEL=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
TOP=$(cd "$here/../.." && pwd)
WORK=$(mktemp -d) || exit 1
trap 'rm -rf "$WORK"' EXIT
export CLUMPMODEL TOP
export CLUMPMODEL_SCENARIOS=$TOP/scenarios

run_one() { # one test file, in a home and folder of its own
    name=$(basename "$1" .sh)
    scratch=$WORK/$name
    mkdir -p "$scratch/home"
    (cd "$scratch" && env -u XDG_DATA_HOME -u NO_COLOR HOME="$scratch/home" LC_ALL=C \
        bash "$1" > "$WORK/$name.log" 2>&1)
    echo $? > "$WORK/$name.status"
}
export WORK
export -f run_one
for test in "$here"/test_*.sh "$here"/rooms.sh; do
    case $(basename "$test" .sh) in *"${2:-}"*) printf '%s\0' "$test" ;; esac
done > "$WORK/tests"
xargs -0 -P "$(nproc)" -n 1 bash -c 'run_one "$0"' < "$WORK/tests"

passed=0 failed=0
while IFS= read -r -d '' test; do
    name=$(basename "$test" .sh)
    status=$(cat "$WORK/$name.status")
    ok=$(grep -c '^ok ' "$WORK/$name.log")
    bad=$(grep -c '^not ok ' "$WORK/$name.log")
    if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then
        echo "not ok - $name ended with status $status" >> "$WORK/$name.log"
        bad=1
    fi
    [ "$((ok + bad))" -eq 0 ] && { echo "not ok - $name tests nothing" >> "$WORK/$name.log"; bad=1; }
    grep '^skip' "$WORK/$name.log" | sed "s/^/$name: /"
    [ "$bad" -ne 0 ] && grep -v '^ok \|^skip ' "$WORK/$name.log" | sed "s/^/$name: /"
    passed=$((passed + ok)) failed=$((failed + bad))
done < "$WORK/tests"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
