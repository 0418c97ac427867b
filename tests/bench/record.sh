#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What recording costs a call of MPI, recorded and not recorded in one run: with each MPI library, 1 and 2 ranks, with single
# calls traced and without. usage: record.sh CLUMPMODEL
set -u
program=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
for kind in openmpi mpich; do
    if ! command -v mpicc.$kind > /dev/null || [ ! -r "$(dirname "$program")/libclumprecord-$kind.so" ]; then
        echo "recording with $kind: not installed (.ci/packages mpi gets it)"
        continue
    fi
    mpicc.$kind -O2 -w "$(dirname "$0")/record_overhead.c" -o "$work/overhead-$kind" || exit 1
    for ranks in 1 2; do
        for trace in 0 64M; do
            echo "recording with $kind, $ranks rank(s), trace of $trace (goal: at most 200 ns a call, 2%)"
            "$program" record -q --mpi $kind --trace-limit $trace -o "$work/$kind-$ranks-$trace" -- \
                mpirun.$kind -n $ranks "$work/overhead-$kind" || exit 1
        done
    done
done
