#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Whether emulations are to be believed, on this machine and under its load: run.sh CLUMPMODEL. For each MPI library
# the rate that a program sees (within 2%), and what --check finds: twice the dilation (within 3%), and two ranks without
# any (within 5%, where the machine has two processors for them). Where other programs run it may fail: it measures.
clumpmodel=$(readlink -f "$1") top=$(cd "$(dirname "$0")/../.." && pwd) failures=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

within() { # within NAME VALUE LIMIT: |VALUE| <= LIMIT
    if awk -v x="$2" -v l="$3" 'BEGIN { exit !(x != "" && x <= l && x >= -l) }'; then
        echo "ok - $1: $2"
    else
        echo "not ok - $1: $2, expected at most $3"
        failures=$((failures + 1))
    fi
}
field() { grep -o "\"$1\": [^,}]*" out | tail -1 | sed 's/.*: //'; }

for mpi in openmpi mpich; do
    if ! command -v "mpicc.$mpi" > no || ! command -v "mpirun.$mpi" > no; then
        echo "skip - $mpi: it is not installed"
        continue
    fi
    "mpicc.$mpi" -O2 -w "$top/tests/mpi/exchange.c" -o "exchange-$mpi" || exit 1
    "$clumpmodel" emulate -q --nodes 2 -P 1 -N 1 -r 1 -D 20 --rate 1000 --log log --format json -- "./exchange-$mpi" stream 262144 128 > out 2> err
    if grep -q 'no namespaces\|no mounts\|install ' err; then
        echo "skip - $mpi: $(cat err)"
        continue
    fi
    within "$mpi: rate that a program sees, of 125 MB/s" \
        "$(sed -n 's/^stream.* \([0-9.]*\) MB.s$/\1/p' log | awk 'NR == 1 { print $1 / 125 - 1 }')" 0.02
    for what in 'ring 65536 2000 50' 'sum 65536 2000 50'; do
        # shellcheck disable=SC2086 # words
        "$clumpmodel" emulate -q --nodes 2 -P 2 -N 1 -r 3 -D 40 --check --format json -- "./exchange-$mpi" $what > out 2> err
        within "$mpi, $what: NOW with twice the dilation" "$(field now_at_twice)" 0.03
        within "$mpi, $what: Clump with twice the dilation" "$(field clump_at_twice)" 0.03
        if awk -v x="$(field two_ranks_late)" 'BEGIN { exit !(x <= 0.02) }'; then
            within "$mpi, $what: two ranks, against no dilation" "$(field two_ranks_dilated)" 0.05
        else
            echo "skip - $mpi, $what: two ranks without dilation were late by $(field two_ranks_late): other programs run"
        fi
    done
done
exit "$((failures > 0))"
