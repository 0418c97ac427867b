# SPDX-License-Identifier: GPL-3.0-or-later
# `clumpmodel record`: programs of MPI, with whichever MPI library is here.
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1

refuses 2 'found no program' record
refuses 2 'found no MPI library in the command' record -- true
refuses 2 "found 'no-such-program'" record -- no-such-program
refuses 2 'found .x. beside it' record --report DIR x
refuses 2 "DIR" record --report DIR

again && exit 0 # what runs inside of programs is built without sanitizers
kinds=
for kind in mpich openmpi; do # the one that starts sooner first: it is asked more
    if [ -r "$(dirname "$CLUMPMODEL")/libclumprecord-$kind.so" ] && command -v mpicc.$kind mpirun.$kind > /dev/null; then
        kinds="$kinds $kind"
    else
        echo "skip - recording with $kind: it is not installed (.ci/packages mpi gets it)"
    fi
done
[ -n "$kinds" ] || exit 0

# number KIND COLUMN: of the report's line about a kind of call
number() { awk -F, -v kind="$1" -v column="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) at = i } $1 == kind { print $at; exit }' report.csv; }
recorded() { # the totals of calls on 2 ranks, counted by hand from the program's text
    "$CLUMPMODEL" record --report "$1" --format csv > report.csv 2> err || return
    local call calls
    while read -r call calls; do
        [ "$(number "$call" calls)" = "$calls" ] || { echo "$call: found $(number "$call" calls), expected $calls" > err; return 1; }
    done <<'KINDS'
send 2
receive 4
isend 26
ireceive 18
sendrecv 4
barrier 12
broadcast 8
allreduce 8
neighbour 2
put 2
get 2
accumulate 2
KINDS
}

counted() { # by the table at the beginning of a program
    python3 - "$1" << 'COUNTED'
import json, re, sys
facts = json.load(open('out'))
found = {row['what']: row for row in facts['times']}
text = open(sys.argv[1]).read()
wrong = []
for what, calls, size in re.findall(r'\b([a-z_]+) +(\d+|-) +(\d+)(?=\s)', text[:text.index('*/')]):
    row = found.get(what)
    if row is None or calls != '-' and row['calls'] != int(calls) or row['bytes'] != int(size):
        wrong.append((what, calls, size, row))
messages, size, most = map(int, re.search(r'rank to rank: (\d+), (\d+) bytes; of requests at most (\d+)', text).groups())
sent = [row for row in facts['traffic'] if row['kind'] == 'point-to-point']
if (sum(row['messages'] for row in sent), sum(row['bytes'] for row in sent)) != (messages, size):
    wrong.append(sent)
if max(row['requests_most'] for row in facts['ranks']) > most or facts['sends_without_receive'] + facts['receives_without_send'] != 0:
    wrong.append('requests')
print(wrong, file=sys.stderr)
sys.exit(wrong != [])
COUNTED
}

first=${kinds# }
first=${first%% *}
mkdir full && touch full/file
refuses 2 'is there and not empty' record --mpi "$first" -o full -- true
mkdir taken
ran="record -o taken, twice"
flock taken "$CLUMPMODEL" record --mpi "$first" -o taken -- true > out 2> err
status=$?
check "two at once into one folder" [ "$status" = 2 -a "$(grep -c 'another .record. writes' err)" = 1 ]
for kind in $kinds; do
    mpicc.$kind -w -O1 "$TOP/tests/mpi/calls.c" -o calls-$kind -pthread 2> err ||
        { echo "not ok - calls.c with $kind"; continue; }
    run record -o all-$kind -- mpirun.$kind -n 2 ./calls-$kind
    check "$kind: runs" exits 0
    check "$kind: a line about it" has err "2 rank(s) on 1 node(s)"
    check "$kind: every kind of call" recorded all-$kind
    run record --mpi $kind -o threads-$kind --trace-limit 0 -- mpirun.$kind -n 2 ./calls-$kind threads
    check "$kind: threads" exits 0
    "$CLUMPMODEL" record --report threads-$kind --format csv > report.csv
    check "$kind: all sends of threads" [ "$(number isend calls)" = 400 ]
    # Every call of the library's header is recorded, or waits for nobody.
    printf '#include <mpi.h>\n#ifdef OPEN_MPI\n#include <mpi-ext.h>\n#endif\n' | mpicc.$kind -E -x c - 2> err |
        grep -oE '\bMPIX?_[A-Z][A-Za-z_0-9]+ *\(' | tr -d ' (' | sort -u > names
    nm -D --defined-only "$(dirname "$CLUMPMODEL")/libclumprecord-$kind.so" | awk '$3 ~ /^MPIX?_/ { print $3 }' | sort > entries
    grep -v '^#' "$TOP/tests/mpi/local.txt" | sed 's/.*/^MPIX?_(&)(_c|_x)?$/' > local
    comm -23 names entries | grep -vEf local > err
    check "$kind: every call of mpi.h is recorded, or known as local" [ "$(grep -c . names)" -gt 300 -a ! -s err ]
    # The library that dilates time has them all, by all names: of those that are left out nobody waits for anything.
    nm -D --defined-only "$(dirname "$CLUMPMODEL")/libclumpdilate.so" | awk '$3 ~ /^(MPI|mpi)/ { print $3 }' | sort > dilated
    nm -D --defined-only "$(dirname "$CLUMPMODEL")/libclumprecord-$kind.so" | awk '$3 ~ /^(MPI|mpi)x?_/ { print $3 }' | sort > entries
    cat entries names | sort -u | comm -23 - dilated | grep -vEf local | grep -vEi '^mpi_(abort|pcontrol)(_|__|_f08_)?$' > err
    check "$kind: every call that may wait is known to emulate" [ "$(grep -c . dilated)" -gt 900 -a ! -s err ]
    mpicc.$kind -w -O1 "$TOP/tests/mpi/newer.c" -o newer-$kind 2> err || echo "not ok - newer.c with $kind"
    run record -o newer-rec-$kind -- mpirun.$kind -n 2 ./newer-$kind
    check "$kind: persistent collectives, and what MPI 4 has: runs" exits 0
    "$CLUMPMODEL" record --report newer-rec-$kind --format csv > report.csv
    if [ $kind = openmpi ]; then # no wide counts, no sessions, nothing in parts
        calls='2 6 6 6 6 0 12 1600 2400'
    else
        calls='2 6 8 8 6 10 26 1600 3200'
    fi
    check "$kind: persistent collectives, wide counts, parts" [ "$(number sendrecv calls) $(number barrier calls) $(number broadcast calls) $(number allreduce calls) $(
        number alltoall calls) $(number isend calls | grep . || echo 0) $(number wait calls) $(number sendrecv bytes) $(number broadcast bytes)" = "$calls" ]
    check "$kind: what came with wide counts, in parts, and for requests that send, too" [ "$(number wait bytes)" = $(
        [ $kind = openmpi ] && echo 0 || echo 25600) ]
    run record --export goal newer-rec-$kind -o newer.goal
    check "$kind: each message with another tag than the one that comes finds its receive" [ "$status" = 0 -a "$(grep -c 'left out' err)" = 0 ]
    # Messages among neighbours: 62 of 4176 bytes by the text of the program; each one finds its partner, also in a schedule.
    mpicc.$kind -w -O1 "$TOP/tests/mpi/neighbours.c" -o neighbours-$kind 2> err || echo "not ok - neighbours.c with $kind"
    run record -o among-$kind -- mpirun.$kind -n 4 ./neighbours-$kind
    check "$kind: collectives among neighbours: runs" exits 0
    run record --report among-$kind --format json
    check "$kind: messages among neighbours, and a cancelled receive" python3 -c "
import json, sys
facts = json.load(open('out'))
times = {row['what']: row for row in facts['times']}
sent = [row for row in facts['traffic'] if row['kind'] == 'point-to-point']
bad = [note for note in facts['notes'] if 'partner' in note or 'not taken apart' in note]
sys.exit(sum(row['messages'] for row in sent) != 62 or sum(row['bytes'] for row in sent) != 4176 or bad != [] or
         times['neighbour']['calls'] != 48 or times['neighbour']['bytes'] != 4176 or times['wait']['bytes'] != 576)"
    run record --export goal among-$kind -o among.goal
    check "$kind: and as a schedule" [ "$status" = 0 -a "$(grep -c ': send' among.goal)" = 62 -a "$(grep -c 'left out' err)" = 0 ]
    # Two ranks that compute 10 x 2 ms before a call that starts several messages: it takes them that long, however messages go.
    mpicc.$kind -w -O1 "$TOP/tests/programs/kernels.c" -o kernels-$kind -lpthread 2> err || echo "not ok - kernels.c with $kind"
    for kernel in startall neighbours ineighbours; do
        run record -o kernel-$kind-$kernel -- mpirun.$kind -n 2 ./kernels-$kind $kernel 1000 10 2000
        run recommend --recording kernel-$kind-$kernel --platform e5000-clump -P 2 -N 1 --format json
        check "$kind: what is computed before $kernel" awk '/"now_time_s"/ { t = $2 + 0 } END { exit !(t >= 0.02 && t < 0.2) }' out
    done
    # The same by a thread for which the one that calls MPI waits.
    run record -o kernel-$kind-helper -- mpirun.$kind -n 2 ./kernels-$kind helper 1000 10 5000
    run recommend --recording kernel-$kind-helper --platform e5000-clump -P 2 -N 1 --format json
    check "$kind: what another thread computes" awk '/"now_time_s"/ { t = $2 + 0 } END { exit !(t >= 0.04 && t < 0.2) }' out
    run record --report kernel-$kind-helper
    check "$kind: which is said" has out 'threads that do not call MPI computed'
    check "$kind: and what the library sends by" has out '^MPI .*(\(ob1: tcp 65536, vader 4096\|ucx: tcp, shm\|ofi: .*\))$'
    # What programs seldom do: calls and bytes by the text of the program.
    mpicc.$kind -w -O1 "$TOP/tests/mpi/kinds.c" -o kinds-$kind 2> err || echo "not ok - kinds.c with $kind"
    run record -o kinds-rec-$kind -- mpirun.$kind -n 4 ./kinds-$kind
    check "$kind: seldom kinds: runs" exits 0
    run record --report kinds-rec-$kind --format json
    check "$kind: seldom kinds: calls, bytes, messages, requests at a time" counted "$TOP/tests/mpi/kinds.c"
    # Threads that all have the same handles in turn.
    mpicc.$kind -w -O1 "$TOP/tests/mpi/turns.c" -o turns-$kind -pthread 2> err || echo "not ok - turns.c with $kind"
    run record -o turns-rec-$kind -- mpirun.$kind -n 2 ./turns-$kind
    check "$kind: many threads: runs" exits 0
    run record --report turns-rec-$kind --format json
    check "$kind: many threads: each message finds its receive" python3 -c "
import json, sys
facts = json.load(open('out'))
sent = [row for row in facts['traffic'] if row['kind'] == 'point-to-point']
sys.exit(sum(row['messages'] for row in sent) != 46400 or sum(row['bytes'] for row in sent) != 18745600 or
         facts['sends_without_receive'] + facts['receives_without_send'] != 0)"
    # MPI that comes after the recorder, and is seen by nobody else.
    mpicc.$kind -w -O1 -DMODULE -shared -fPIC "$TOP/tests/mpi/loaded.c" -o module-$kind.so 2> err && gcc -w "$TOP/tests/mpi/loaded.c" -o loaded 2> err ||
        echo "not ok - loaded.c with $kind"
    run record -o loaded-$kind -- mpirun.$kind -n 2 ./loaded ./module-$kind.so
    check "$kind: MPI that is loaded later: runs" exits 0
    "$CLUMPMODEL" record --report loaded-$kind --format csv > report.csv
    check "$kind: MPI that is loaded later: every call" [ "$(number sendrecv calls) $(number sendrecv bytes) $(number allreduce calls)" = "20 160 2" ]
    # Memory does not grow with the calls: 10^5 of each rank, of which nine tenths come after the first look; a tenth as many on
    # one processor, where ranks that look for messages without sleeping wait for each other's turns.
    rounds=$(($(nproc) > 1 ? 10000 : 1000))
    mpicc.$kind -w -O1 "$TOP/tests/mpi/many.c" -o many-$kind 2> err || echo "not ok - many.c with $kind"
    run record -o many-rec-$kind -- mpirun.$kind -n 2 ./many-$kind $rounds
    check "$kind: memory does not grow with the calls" [ "$(cat out)" -le 256 ]
    "$CLUMPMODEL" record --report many-rec-$kind --format csv > report.csv
    check "$kind: many calls: all of them" [ "$(number test calls) $(number mark calls) $(number isend calls)" = "$((2 * rounds)) $((2 * rounds)) $((4 * rounds))" ]
    if [ $kind = mpich ]; then
        run record -o session-$kind -- mpirun.$kind -n 2 ./newer-$kind sessions
        check "$kind: sessions: runs" exits 0
        "$CLUMPMODEL" record --report session-$kind --format csv > report.csv
        check "$kind: sessions: every call" [ "$(number sendrecv calls) $(number send calls) $(number receive bytes)" = "6 1 800" ]
        # the rank that sends is that of the world
        check "$kind: sessions: ranks of the world" [ "$("$CLUMPMODEL" record --export goal session-$kind -o - 2> /dev/null | awk '/^rank/ { rank = $2 } / send / { print rank $5 }' |
            sort | uniq -c | awk '{ print $1 ":" $2 }' | paste -sd' ')" = "4:01 3:10" ]
        run record -o halves-$kind -- mpirun.$kind -n 2 ./newer-$kind halves
        check "$kind: sessions without a communicator of all: it is said" has err 'made no communicator of all processes'
    fi
    if command -v gfortran > /dev/null; then
        for module in $([ $kind = openmpi ] && echo '-DMPI') -DF08; do
            if mpif90.$kind -w -fallow-argument-mismatch $module "$TOP/tests/mpi/ring.F90" -o ring 2> err; then
                run record -q -o fortran$module-$kind -- mpirun.$kind -n 2 ./ring
                "$CLUMPMODEL" record --report fortran$module-$kind --format csv > report.csv
                check "$kind: Fortran, $module" [ "$(number isend calls) $(number receive calls) $(number wait bytes) $(number test bytes)" = "32 10 20480 2048" ]
            fi
            # MPICH as Debian has it cannot spawn.
            if [ $kind = openmpi ] && mpif90.$kind -w -fallow-argument-mismatch $module "$TOP/tests/mpi/spawn.F90" -o spawn 2> err; then
                run record -q -o spawn$module-$kind -- mpirun.$kind -n 2 ./spawn
                check "$kind: Fortran, $module: lengths of texts are passed on" exits 0
                check "$kind: Fortran, $module: children have a folder of their own" [ -s spawn$module-$kind-2/rank-000001.clumprec ]
            fi
        done
    fi
    [ "$kind" = "$first" ] || continue
    run record -o kept -- ./calls-$kind nothing
    check "alone, without a launcher" [ "$status" = 0 -o -s err ]
    run record -o forked -- mpirun.$kind -n 2 ./calls-$kind fork
    check "a child of fork leaves the recording alone" recorded forked
    run record -o left -- mpirun.$kind -n 2 ./calls-$kind leave
    check "without MPI_Finalize: totals are there" [ -s left/rank-000001.clumprec ]
    # Launchers kill the other ranks when one has left so: only a single one is sure to get to its end.
    run record -o left-alone -- mpirun.$kind -n 1 ./calls-$kind leave
    "$CLUMPMODEL" record --report left-alone --format csv > report.csv
    check "without MPI_Finalize: every call" [ "$(number barrier calls)" = 100 ]
    run record --flush 0.01 -o killed -- mpirun.$kind -n 2 ./calls-$kind kill
    check "killed: not a success" [ "$status" -ne 0 ]
    "$CLUMPMODEL" record --report killed --format csv > report.csv 2> err
    check "killed: what was flushed is there" [ "$(number isend calls)" = 26 ]
    # Preloaded by hand, twice: the second one has a folder of its own.
    for i in 1 2; do
        CLUMPMODEL_RECORD=by-hand LD_PRELOAD="$(dirname "$CLUMPMODEL")/libclumprecord-$kind.so" \
            mpirun.$kind -n 2 ./calls-$kind > out 2> err
    done
    check "preloaded by hand" recorded by-hand
    check "a second program in the same script" recorded by-hand-2
    check "the folders are claimed no more" [ ! -e by-hand/.claimed -a ! -e by-hand-2/.claimed ]
    # Two at once: whoever comes second sees a claim, and perhaps no file yet.
    mkdir at-once && touch at-once/.claimed
    CLUMPMODEL_RECORD=at-once LD_PRELOAD="$(dirname "$CLUMPMODEL")/libclumprecord-$kind.so" \
        mpirun.$kind -n 2 ./calls-$kind > out 2> err
    check "a folder that another program has claimed stays its own" [ "$(ls -A at-once)" = .claimed ]
    check "and the next one is taken" recorded at-once-2
    run record --mpi $kind -o exit -- sh -c "mpirun.$kind -n 2 ./calls-$kind; exit 7"
    check "the exit code is the program's" exits 7
    # A disk that is full is not the program's trouble.
    ran='record with /dev/full'
    CLUMPMODEL_RECORD=/dev/full/x LD_PRELOAD="$(dirname "$CLUMPMODEL")/libclumprecord-$kind.so" \
        mpirun.$kind -n 2 ./calls-$kind > out 2> err
    status=$?
    check "a folder that cannot be made: the program runs" exits 0
    check "and it is said, and why" has err 'Not a directory: nothing is recorded'
done
