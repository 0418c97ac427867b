# SPDX-License-Identifier: GPL-3.0-or-later
# The histogram of q that an emulated program with independent, exponential times leaves is that of the closed network
# (tests/emulation/histogram.py says how it is compared). Takes minutes: CLUMP_TEST_LONG=1 only.
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
again && { echo "skip - the histogram of q does not depend on how clumpmodel is built"; exit 0; }
[ -n "${CLUMP_TEST_LONG:-}" ] || { echo "skip - histogram of q of an emulated program: CLUMP_TEST_LONG=1 tries it"; exit 0; }
command -v python3 > no || { echo "skip - histogram of q: it needs python3"; exit 0; }

iterations=200 compute=5 size=300000 rate=1000
compare() { # compare MPI FOLDER [NICS]
    "$CLUMPMODEL" record --export perfetto "$2" -o trace.json 2> err &&
        python3 "$TOP/tests/emulation/histogram.py" trace.json 4 $iterations $compute $size $rate ${3:-} > out 2>> err
    status=$? ran="histogram of q, $1"
}
for mpi in openmpi mpich; do
    if ! command -v "mpicc.$mpi" > no || ! command -v "mpirun.$mpi" > no || ! [ -r "$(dirname "$CLUMPMODEL")/libclumprecord-$mpi.so" ]; then
        echo "skip - histogram of q with $mpi: it is not installed"
        continue
    fi
    "mpicc.$mpi" -std=c11 -I"$TOP" -D_XOPEN_SOURCE=700 -O2 "$TOP/tests/programs/independent.c" "$TOP/recording/programs/program.c" -lm -o "independent-$mpi" 2> err ||
        { fail "mpicc.$mpi"; continue; }
    # Where the machine is too busy for one dilation, twice as much may do.
    for dilation in 12 24 48; do
        rm -rf recording
        "$CLUMPMODEL" emulate -q --time-limit 300 --nodes 2 -P 4 -N 1 -r 1 -D $dilation --rate $rate --record recording --format json -- \
            "./independent-$mpi" --size $size --compute $compute --iterations $iterations > out 2> err < /dev/null
        status=$? ran="emulate ./independent-$mpi"
        grep -q 'no namespaces\|no mounts\|install ' err && { echo "skip - histogram of q with $mpi: $(cat err)"; continue 2; }
        exits 0 || break
        compare "$mpi" recording/n1
        [ $status = 3 ] || break
    done
    if [ $status = 3 ]; then
        echo "skip - histogram of q with $mpi: the machine is too busy ($(tail -n 1 out))"
        continue
    fi
    check "$mpi: the histogram of q is that of the model" exits 0
    [ $status = 0 ] || continue
    echo "# $mpi: $(paste -sd' ' out)"
    compare "$mpi" recording/n1 2
    check "$mpi: and is not that of a model with two NICs" exits 1
    break # the distribution does not depend on the library
done
