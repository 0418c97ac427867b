#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Whether clumpmodel-mpi-bench and fit node find NICs of known number and rate: mpi_bench.sh CLUMPMODEL. Nodes are
# namespaces (clumpmodel emulate), with each MPI library that is there: one NIC for all processes, one of two for
# each process, and messages of each process striped over two. N, the rate of a NIC and the best rate of all pairs must come out
# within 5% of what is set up, and m (how many NICs a process keeps busy) of what another program reaches with one pair of processes
# and as many messages under way, over the rate of a NIC. That is what is set up if MPI sends without asking, as it does
# with messages of 32 kB; what it asks for waits between messages (and over one TCP connection questions wait behind what is
# sent the other way), so that it does not keep all NICs busy that it uses. It measures: where other programs run it may fail.
clumpmodel=$(readlink -f "$1") top=$(cd "$(dirname "$0")/../.." && pwd) failures=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export UCX_RNDV_THRESH=1m # UCX over TCP asks before
rate=${CLUMP_MBIT:-1600} # Mbit/s of a NIC
bytes=$((rate / 8))      # B/us

within() { # within NAME VALUE EXPECTED: 5%
    if awk -v x="$2" -v e="$3" 'BEGIN { exit !(x != "" && x <= 1.05 * e && x >= 0.95 * e) }'; then
        echo "ok - $1: $2, set up: $3"
    else
        echo "not ok - $1: ${2:-not known}, set up: $3"
        failures=$((failures + 1))
    fi
}
value() { awk -F, -v name="$1" '$5 == name { print $6; exit }' fit; }

# A process uses only NIC number (its rank in its node) mod 2.
cat > single << 'END'
#!/bin/sh
rank=${OMPI_COMM_WORLD_LOCAL_RANK:-${MPI_LOCALRANKID:-0}}
nic=$((rank % 2))
export OMPI_MCA_btl_tcp_if_include=10.$((100 + nic)).0.0/16
export UCX_NET_DEVICES=nic$nic UCX_MAX_RNDV_RAILS=1 UCX_MAX_EAGER_RAILS=1
exec "$@"
END
chmod +x single

# alone MPI NICS WRAPPER SIZE: what one pair of processes reaches, in NICs. The NOW has run as well, with a NIC a node.
alone() {
    # shellcheck disable=SC2086 # no word, or one
    "$clumpmodel" emulate -q --mpi "$1" --nodes 2 -P 1 -N "$2" -r 1 -D 8 --rate "$rate" --log alone.log -- $3 "./exchange-$1" \
        flood "$4" $((100000000 / $4)) > alone.out 2>&1
    sed -n 's/^.*flood: \([0-9.]*\) MB.s$/\1/p' alone.log | sort -g | tail -1 | awk -v b="$bytes" '{ print $1 / b }'
}

# try MPI NICS MODE M: M is how many NICs a process uses.
try() {
    local mpi=$1 nics=$2 mode=$3 m=$4 name="$1, $2 NIC(s), $3" wrapper='' size=32768 busy
    [ "$mode" = single ] && wrapper=./single
    [ "$mode" = striped ] && size=262144 # shorter ones go over one NIC
    rm -f run*.txt
    # shellcheck disable=SC2086 # no word, or one
    "$clumpmodel" emulate -q --mpi "$mpi" --nodes 2 -P 4 -N "$nics" -r 1 -D 8 --rate "$rate" --log log -- $wrapper "./bench-$mpi" \
        --only between --smallest $size --largest $size --rounds 5 --time-limit 600 --output run.txt > out 2> err
    if grep -q 'no namespaces\|no mounts\|install ' err; then
        echo "skip - $mpi: $(cat err)"
        return
    fi
    # The NOW has run as well: four processes a node are those of the Clump.
    local file
    file=$(grep -l '^# processes 4$' run*.txt)
    if [ -z "$file" ] || ! "$clumpmodel" import auto "$file" --platform node --nics "$nics" --db "$mpi-$nics-$mode.db" -q > out 2> err; then
        echo "not ok - $name: no file, or it cannot be imported"
        cat err log
        failures=$((failures + 1))
        return
    fi
    "$clumpmodel" fit node --platform node --transport network --nics "$nics" --db "$mpi-$nics-$mode.db" --format csv -q > fit
    within "$name: B/us of a NIC" "$(value nic_bandwidth)" "$bytes"
    busy=$(alone "$mpi" "$nics" "$wrapper" "$size")
    within "$name: NICs that a process keeps busy, of $m" "$(value nics_per_process)" "$busy"
    [ "$mode" = striped ] || within "$name: what another program keeps busy alone" "$busy" "$m"
    within "$name: B/us of all pairs" "$(value best_rate)" $((nics * bytes))
    if [ "$mode" = single ]; then # what the data tell by themselves
        "$clumpmodel" fit node --platform node --transport network --nic-rate "$bytes" --db "$mpi-$nics-$mode.db" --format csv -q > fit
        within "$name: NICs, from their rate" "$(value nics)" "$nics"
    fi
    echo "   both ways over one: $(value nic_duplex)"
}

for mpi in openmpi mpich; do
    if ! command -v "mpicc.$mpi" > no || ! command -v "mpirun.$mpi" > no; then
        echo "skip - $mpi: it is not installed"
        continue
    fi
    "$clumpmodel" calibrate mpi --source > bench.c
    "mpicc.$mpi" -O2 bench.c -o "bench-$mpi" || exit 1
    "mpicc.$mpi" -O2 -w "$top/tests/mpi/exchange.c" -o "exchange-$mpi" || exit 1
    try "$mpi" 1 all 1
    try "$mpi" 2 single 1
    [ "$mpi" = openmpi ] && try "$mpi" 2 striped 2
done
exit "$((failures > 0))"
