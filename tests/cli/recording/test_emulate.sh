# SPDX-License-Identifier: GPL-3.0-or-later
# emulate: what it refuses, a small program under each MPI library that is here, and that nothing stays
# behind. How well an emulation does is for `make check-emulation`.
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

refuses 2 'expected the program alone' emulate -- mpirun -n 2 ./app
refuses 2 'no program that can be run' emulate -- ./no-such-program
refuses 2 'does not tell its MPI library' emulate -- /bin/true
refuses 2 'too few names\|nothing to work on' emulate
refuses 2 'at most 64: each has a node' emulate --nodes 9 --processors 8 -- /bin/true
again && exit 0

if command -v mpirun.openmpi > no; then
    mkdir "with blank" && cp "$CLUMPMODEL" "$CLUMPMODEL-record" "$(dirname "$CLUMPMODEL")/libclumpdilate.so" "with blank/"
    "with blank/${CLUMPMODEL##*/}" emulate --mpi openmpi -- /bin/true > out 2> err < /dev/null
    status=$? ran="emulate, from a folder with a blank"
    check "a path that LD_PRELOAD cannot hold" eval 'exits 1 && empty out && has err "expected a path without blanks"'
    rm -r "with blank"
fi

# As a process without the right to make namespaces, behind a root where user namespaces are not allowed
# either.
if [ "$(id -u)" = 0 ] && unshare -m true 2> no && command -v setpriv > no && command -v mpirun.openmpi > no; then
    cat > alone.sh << 'END'
mount --rbind / "$2" && exec chroot "$2" setpriv --bounding-set -sys_admin --inh-caps -sys_admin "$1" emulate --mpi openmpi -- /bin/true
END
    mkdir -p root
    unshare -m bash alone.sh "$CLUMPMODEL" "$PWD/root" > out 2> err < /dev/null
    status=$? ran='emulate, without rights'
    check "says in one line which right is missing" eval \
        'exits 1 && empty out && [ "$(wc -l < err)" = 1 ] && has err "as root (CAP_SYS_ADMIN), or allow user namespaces"'
else
    echo "skip - refusal without namespaces: needs root and Open MPI"
fi

running() { # running PROGRAM: somebody runs that file
    for process in /proc/[0-9]*; do
        [ "$(readlink "$process/exe")" = "$PWD/$1" ] && return 0
    done
    return 1
}

gone() { # gone PROGRAM: nobody runs it, after a while
    for ((try = 0; try < 600; try++)); do
        running "$1" || return 0
        sleep 0.1
    done
    return 1
}

links() { ip -o link 2> no | wc -l; }

for mpi in openmpi mpich; do
    if ! command -v "mpicc.$mpi" > no || ! command -v "mpirun.$mpi" > no; then
        echo "skip - emulate with $mpi: it is not installed"
        continue
    fi
    "mpicc.$mpi" -O1 -w "$TOP/tests/mpi/exchange.c" -o "exchange-$mpi" 2> err || { fail "mpicc.$mpi"; continue; }
    before=$(links)
    "$CLUMPMODEL" emulate -q --nodes 2 -P 1 -N 1 -r 1 -D 10 --rate 1000 --log log --format json -- "./exchange-$mpi" ring 20000 200 5 \
        > out 2> err < /dev/null
    status=$? ran="emulate ./exchange-$mpi"
    if exits 1 && grep -q 'no namespaces\|no mounts\|install ' err; then
        echo "skip - emulate with $mpi: $(cat err)"
        continue
    fi
    check "$mpi: runs" exits 0
    check "$mpi: as long as a second of the program is a tenth of a real one" [ "$(compute 'x > 0.001 && x < 60' x="$(key now_s)")" = 1 ]
    # Two ranks send 2 x 20 kB in each of five steps, beside what MPI says to itself.
    for machine in '' now_; do
        check "$mpi: all messages went through NICs (${machine}bytes)" [ "$(compute 'x >= 400e3 && x < 500e3' x="$(key ${machine}bytes)")" = 1 ]
    done
    check "$mpi: what the program printed, of two runs" [ "$(grep -c '^ring: 2 ranks' log)" = 2 ]
    check "$mpi: the program's clock shows its time" [ "$(compute 'x <= 1.05 * n' \
        x="$(sed -n 's/^ring: 2 ranks, \([0-9.]*\) s.*/\1/p' log | head -1)" n="$(key now_s)")" = 1 ]
    # The rest is the same for both libraries.
    [ -z "${did:-}" ] || [ -n "${CLUMP_TEST_LONG:-}" ] || continue
    did=$mpi
    "$CLUMPMODEL" emulate -q --nodes 1 -P 2 -N 1 -r 1 -D 10 --format json -- "./exchange-$mpi" ring 20000 200 5 > out 2> err < /dev/null
    status=$? ran="emulate --nodes 1 ./exchange-$mpi"
    check "$mpi: within a node no NIC is used" [ "$(compute 'x < 20e3' x="$(key bytes)")" = 1 ]
    "$CLUMPMODEL" emulate -q --nodes 2 -P 1 -N 1 -r 1 -D 10 -- "./exchange-$mpi" fail 1 1 > out 2> err < /dev/null
    status=$? ran="emulate ./exchange-$mpi fail"
    check "$mpi: a program that fails" eval 'exits 1 && empty out && has err "ended with status" && has err "no such exchange"'

    "$CLUMPMODEL" emulate -q --nodes 2 -P 1 -N 1 -r 1 -D 100 -- "./exchange-$mpi" ring 20000 1000 100000 > out 2> err < /dev/null &
    emulation=$!
    for ((try = 0; try < 600; try++)); do
        running "exchange-$mpi" && break
        sleep 0.1
    done
    check "$mpi: a long run" running "exchange-$mpi"
    { kill -9 "$emulation" && wait "$emulation"; } 2> no
    check "$mpi: nothing remains after kill -9" gone "exchange-$mpi"
    check "$mpi: no link remains" [ "$(links)" = "$before" ]
done
