# SPDX-License-Identifier: GPL-3.0-or-later
# clumpmodel calibrate mpi: what it prints; and the program with each MPI library that is there: compiled by
# itself, run for a few seconds with each two ranks as a node, imported, fitted. No rate is judged.
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
shipped=$TOP/protocols/mpi-bench/clumpmodel-mpi-bench

for kind in source:c slurm:slurm example:sh; do
    run calibrate mpi "--${kind%:*}"
    check "--${kind%:*} prints the file" eval 'exits 0 && empty err && cmp -s out "$shipped.${kind#*:}"'
done
cp "$shipped.slurm" "$shipped.sh" .
check "the scripts are scripts" eval 'bash -n clumpmodel-mpi-bench.slurm && sh -n clumpmodel-mpi-bench.sh'
run calibrate mpi
check "without options it says what to do" eval 'exits 0 && has out "mpicc -O2" && has out "srun --nodes=2" && has out "import auto" && has out "fit loggp"'
refuses 2 'several of --source, --slurm and --example' calibrate mpi --source --slurm

again && { echo "skip - the MPI program does not depend on how clumpmodel is built"; exit 0; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_mpi_yield_when_idle=1
launch() { # launch LIBRARY RANKS OPTION...
    local library=$1 ranks=$2
    shift 2
    ran="mpirun.$library -n $ranks clumpmodel-mpi-bench $*"
    timeout 300 "mpirun.$library" -n "$ranks" "./bench-$library" "$@" > out 2> err < /dev/null
    status=$?
}

tried=
for library in openmpi mpich; do
    if ! command -v "mpicc.$library" > no || ! command -v "mpirun.$library" > no; then
        echo "skip - clumpmodel-mpi-bench with $library: no mpicc.$library or mpirun.$library (packages libopenmpi-dev openmpi-bin, libmpich-dev mpich)"
        continue
    fi
    mkdir -p alone && "$CLUMPMODEL" calibrate mpi --source > alone/bench.c
    (cd alone && "mpicc.$library" -std=c99 -Wall -Wextra -Werror -O2 bench.c -o "../bench-$library") > compiled 2>&1
    check "mpicc.$library compiles it by itself" eval '[ -x "bench-$library" ] || { cat compiled; false; }'
    "mpicc.$library" -std=c99 -I"$TOP" -O1 -w "$TOP/tests/mpi/bench_rates.c" -o rates 2> err && ./rates > out 2> err
    status=$?
    check "rates of pairs that share a network are what it carries" exits 0
    [ -n "$tried" ] && [ -z "${CLUMP_TEST_LONG:-}" ] && break # one is enough for a quick test
    tried=$library
    launch "$library" 4 --quick --nodes-of 2 --largest 64 --memory 1048576 --rounds 1 --time-limit 280 --output file.txt
    check "$library: four ranks as two nodes" eval 'exits 0 && has err "4 ranks on 2 nodes, 2 of each" && has out "file.txt was written"'
    check "the file is whole" eval 'has file.txt "^# clumpmodel-mpi-bench 1$" && has file.txt "^# round 1$" && has file.txt "^# end$"'
    for what in 'round-trip between blocked 2 8 0' 'send between blocked 2 8 0' 'receive between blocked 2 8 0' \
        'one-way between blocked 2 64 64' 'one-way between blocked 4 32 64' 'both-ways between blocked 4 8 64' \
        'round-trip inside blocked 2 64 0' 'one-way inside blocked 2 8 64' 'copy inside blocked 1 - 0' 'triad inside blocked 2 - 0'; do
        check "it has $what" has file.txt "^$what [0-9]"
    done
    run import auto file.txt --platform "$library" --db mpi.db
    check "import reads it" eval 'exits 0 && has out "mpi-bench" && has err "2 node(s) with 2 processor(s)"'
    run import auto file.txt --platform "$library" --db mpi.db
    check "once" has out 'already there'
    run fit loggp --platform "$library" --db mpi.db
    check "fit loggp asks which messages" eval 'exits 2 && has err "network.*shared-memory.*expected --transport"'
    for transport in network shared-memory; do
        run fit loggp --platform "$library" --transport "$transport" --name "$library/fitted" --db mpi.db --format csv
        check "$transport: L, o_s, o_r, g, G have samples" eval '[ "$(grep -Ec ",(L|o_s|o_r|g|G|L\+o_s\+o_r)," out)" = 6 ]'
    done
    launch "$library" 2 --quick --largest 64 --only between,inside --rounds 1 --time-limit 280 --output file.txt
    check "one node: it says what it cannot measure" eval 'exits 0 && has err "one node: nothing between nodes" && has file-2.txt "^# missing between"'
    check "the first file is left alone" eval 'has file.txt "^# nodes 2$" && has file-2.txt "^# nodes 1$"'
    run import auto file-2.txt --platform one --db one.db
    check "import tells it, too" eval 'exits 0 && has err "was not measured: between"'
    launch "$library" 1 --precision 0
    check "a mistake is told" eval 'exits 2 && has err "precision: found .0., expected"'
done
