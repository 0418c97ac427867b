# SPDX-License-Identifier: GPL-3.0-or-later
# recording/programs/: results are right with each MPI library that is there, and would not be if messages
# were wrong. CLUMP_TEST_LONG=1 also tries other numbers of ranks.
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
[ -n "${CLUMP_TEST_AGAIN:-}" ] && { echo "skip - MPI programs do not depend on how clumpmodel is built"; exit 0; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_mpi_yield_when_idle=1

launch() { # launch LIBRARY RANKS COMMAND...
    local library=$1 ranks=$2
    shift 2
    ran="mpirun.$library -n $ranks ${*##*/}"
    timeout 300 "mpirun.$library" -n "$ranks" "$@" > out 2> err < /dev/null
    status=$?
}
passes() { # passes PROGRAM RANKS
    exits 0 && [ "$(wc -l < out)" = 1 ] && grep -Eq "^$1: ranks $2, seconds [0-9]+\.[0-9]{6}, check passed$" out
}

tried=
for library in openmpi mpich; do
    if ! command -v "mpicc.$library" > no || ! command -v "mpirun.$library" > no; then
        echo "skip - MPI programs with $library: no mpicc.$library or mpirun.$library (packages libopenmpi-dev openmpi-bin, libmpich-dev mpich)"
        continue
    fi
    [ -n "$tried" ] && [ -z "${CLUMP_TEST_LONG:-}" ] && break # one is enough for a quick test
    tried=$library
    make -C "$TOP" --no-print-directory BUILD="$PWD/build" mpi-programs mpi_compilers="$library" > built 2>&1
    check "programs are built with mpicc.$library" [ $? = 0 ]
    for program in halo transpose allreduce workers; do
        binary=build/programs/$library/$program
        for ranks in 4 ${CLUMP_TEST_LONG:+1 2 3 5}; do
            launch "$library" "$ranks" "$binary" --size 7 --iterations 3 --compute 0.1 --random
            check "$program's result is right" passes "$program" "$ranks"
        done
    done
    launch "$library" 1 build/programs/$library/halo --size 1001
    check "a mistake is told once" eval 'exits 2 && has err "found .1001., expected a size from 1 to 1000"'
    "mpicc.$library" -shared -fPIC -o corrupt.so "$TOP/tests/programs/corrupt.c"
    for program in halo transpose allreduce workers; do
        launch "$library" 2 env LD_PRELOAD="$PWD/corrupt.so" build/programs/$library/$program --size 7 --iterations 3
        check "$program notices wrong messages" eval 'exits 1 && has out "check FAILED"'
    done
done
