#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Median one-way latency of 8 bytes over shared memory of somebody else's library, ns, on stdout.
# Says what to install, on stderr, and prints nothing if it is not there.
# usage: peer.sh am_short|ucp_am|open_mpi [PROGRAM]
set -u
port=$((20000 + $$ % 30000))
real_time=
chrt -f 20 true 2>/dev/null && [ "${BENCH_REAL_TIME:-}" = 1 ] && real_time="chrt -f 20"
case "$1" in
am_short) options="-d memory -x posix -t am_lat -D short -s 8" ;;
ucp_am) options="-t ucp_am_lat -s 8" ;;
open_mpi)
    command -v mpirun >/dev/null 2>&1 && [ -x "${2:-}" ] || {
        echo "bench: Open MPI is not there: install openmpi-bin and libopenmpi-dev" >&2
        exit 0
    }
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 60 $real_time \
        mpirun -n 2 --bind-to core --mca pml ob1 --mca btl self,vader "$2" 2>/dev/null
    exit 0
    ;;
*) echo "usage: peer.sh am_short|ucp_am|open_mpi [PROGRAM]" >&2; exit 2 ;;
esac
command -v ucx_perftest >/dev/null 2>&1 || {
    echo "bench: UCX is not there: install ucx-utils" >&2
    exit 0
}
export UCX_TLS=posix,self,sysv UCX_POSIX_USE_PROC_LINK=n
# shellcheck disable=SC2086 # options are several words
timeout 30 taskset -c 1 $real_time ucx_perftest $options -n 200000 -p "$port" >/dev/null 2>&1 &
sleep 0.3
# shellcheck disable=SC2086
timeout 20 taskset -c 0 $real_time ucx_perftest localhost $options -n 200000 -f -p "$port" 2>/dev/null |
    awk '$1 ~ /^[0-9]+$/ { found = $2 } END { if (found != "") print 1000 * found }'
wait
