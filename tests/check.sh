#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check.sh MAKE [-jJOBS]: all of `make check`, a line a test; says first how long it takes, shows that
# it lives when nothing ends, and ends with "N passed, M failed", the sum of all. What fails does not
# keep the rest from being tried. Nothing it started is left running when it ends or is stopped.
set -u
make="$1 --no-print-directory ${2:-}" # without -j it takes its jobs from the make that runs this
minutes=4 # measured on two cores from a fresh clone, without installing packages
cd "$(dirname "$0")/.." || exit 1
. tests/jobs.sh
mkfifo "$work/lines"
# Tests that need the processors to themselves have them before all runners of a step.
export CLUMP_TEST_TURNS=$work/turns
: > "$CLUMP_TEST_TURNS"
passed=0 failed=0 started=$SECONDS
echo "make check: about $minutes minutes on two idle cores, the first time; each line is a test that has ended"

# What the tests leave of the processors, much of which wait for others, builds what comes after them. It is ended
# when its turn is there: at the end of all queues it might never be done on a busy machine, and make goes on where it
# was.
ahead=
build_ahead() { # TARGET
    # shellcheck disable=SC2086 # words
    nice -n 19 $make "$1" > /dev/null 2>&1 < /dev/null {life}>&- &
    ahead=$!
    echo "$ahead" > "$work/groups"
}
no_longer_ahead() {
    [ -n "$ahead" ] || return
    kill -TERM -- "-$ahead"
    wait "$ahead"
    ahead=
} 2> /dev/null

step() { # NAME TARGETS...: what they print, with a sign of life
    local name=$1 status line half= begin=$SECONDS said_failed=0
    shift
    echo "== $name"
    # shellcheck disable=SC2086 # two words
    $make "$@" > "$work/lines" 2>&1 < /dev/null {life}>&- &
    local process=$! lines
    printf '%s\n' "$process" $ahead > "$work/groups"
    exec {lines}< "$work/lines"
    while :; do
        if IFS= read -r -t $((heartbeat + 4)) -u "$lines" line; then
            line=$half$line half=
            printf '%s\n' "$line"
            [[ $line =~ ^[a-z,\ ]*:\ ([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]] || continue
            passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2]))
            said_failed=$((said_failed + BASH_REMATCH[2]))
        elif [ $? -gt 128 ]; then
            half=$half$line
            echo "... $name: $((SECONDS - begin)) s"
        else
            break
        fi
    done
    exec {lines}<&-
    wait $process
    status=$?
    echo "$ahead" > "$work/groups"
    if [ $status -ne 0 ] && [ "$said_failed" = 0 ]; then
        echo "$name: 0 passed, 1 failed (make ended with status $status)"
        failed=$((failed + 1))
    fi
    return $status
}

if step "build" all measuring-tests; then
    build_ahead build-sanitize
    step "unit tests that measure" check-unit-measuring
    step "the command line" check-cli
    step "the documents, the installed library, models of the protocols, queues among threads" \
        check-docs check-install check-spin check-threads
fi
no_longer_ahead
if step "build, with clang and sanitizers" build-sanitize; then
    step "unit tests, with sanitizers" check-sanitize-unit
    step "the command line, with sanitizers" check-sanitize-cli
fi
echo "make check: $(((SECONDS - started) / 60)) minutes $(((SECONDS - started) % 60)) s"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
