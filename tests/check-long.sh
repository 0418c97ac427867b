#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check-long.sh MAKE MINUTES GOAL...: the goals of `make check-long`, one after the other. One that fails, or that takes longer than so
# many minutes and is ended, keeps none of the others from being tried; the end says what became of each.
set -u
make=$1 minutes=$2 failed=0 sum= begin_all=$SECONDS
shift 2
for goal; do
    echo "== $goal, at a load of $(cut -d ' ' -f 1 /proc/loadavg) on $(nproc) processors"
    begin=$SECONDS
    # shellcheck disable=SC2086 # words
    timeout --kill-after=60 "${minutes}m" $make --no-print-directory "$goal" < /dev/null & # a process group of its own
    running=$!
    trap 'kill -TERM $running; wait $running; printf "%s" "$sum"; exit 130' INT TERM HUP
    wait $running
    case $? in
    0) said=passed ;;
    124 | 137) said="NOT DONE after $minutes minutes" failed=$((failed + 1)) ;;
    *) said=FAILED failed=$((failed + 1)) ;;
    esac
    trap - INT TERM HUP
    sum+=$(printf '%-24s %6d s  %s' "$goal" $((SECONDS - begin)) "$said")$'\n'
done
printf '== %d minutes in all\n%s' $(((SECONDS - begin_all) / 60)) "$sum"
[ $failed = 0 ] || echo "$failed of $# failed"
[ $failed = 0 ]
