#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Measures two nodes with clumpmodel-mpi-bench, without a batch system:
#
#   clumpmodel calibrate mpi --example > clumpmodel-mpi-bench.sh
#   sh clumpmodel-mpi-bench.sh node1 node2 16              two nodes, 16 processes on each
#   clumpmodel import auto clumpmodel-mpi-bench.txt --platform NAME
#
# Both nodes need the program in the same folder, and ssh from the first one to the second.
set -e
[ $# -eq 3 ] || { echo "usage: sh $0 NODE NODE PROCESSES" >&2; exit 2; }
first=$1 second=$2 processes=$3

program=./clumpmodel-mpi-bench
if [ ! -x "$program" ]; then
    [ -e "$program.c" ] || clumpmodel calibrate mpi --source > "$program.c"
    mpicc -O2 "$program.c" -o "$program"
fi

case $(mpirun --version 2>&1) in
*"Open MPI"* | *OpenRTE*)
    mpirun --host "$first:$processes,$second:$processes" -n $((2 * processes)) --map-by core --bind-to core "$program"
    ;;
*) # MPICH, Intel MPI, MVAPICH
    mpirun -hosts "$first,$second" -ppn "$processes" -n $((2 * processes)) "$program"
    ;;
esac
