#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# run.sh CLUMPMODEL PROGRAMS FOLDER [NAME...]: MPI programs predicted, simulated and emulated, as one table.
#
# Each program runs once on an emulated NOW, a process a node, and is recorded there. From that recording
# alone it is predicted on nodes of P processors with N NICs, and the recording is simulated as a
# schedule on them; then the program runs on them, emulated. Only the commands that a user has are used,
# and their CSV. The LogGP parameters are measured with recording/programs/messages between two nodes and
# within one, before anything else; nothing is fitted to what is predicted.
#
# PROGRAMS is where `make mpi-programs` has put them (build/programs). FOLDER keeps recordings and
# results: what is there is not measured again, so that a run that was stopped goes on; remove it to begin
# anew. NAME "all": all programs, on all nodes (half an hour).
#
#   CLUMP_RANKS=8 CLUMP_PROCESSORS="2 4" CLUMP_NICS="1 2"   processes; nodes (N above P is left out)
#   CLUMP_REPETITIONS=1                                     runs of each machine
#   CLUMP_MPI=openmpi                                       or mpich, for our own programs
set -u
clumpmodel=$(realpath "$1") programs=$(realpath "$2") here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$3" && cd "$3" || exit 1
shift 3
inputs=$(realpath "$here/../../programs/inputs")
names="halo transpose allreduce workers melt salt randomaccess ptrans fft"
if [ "${1:-all}" = all ]; then
    # shellcheck disable=SC2086 # a list of words
    set -- $names
    : "${CLUMP_RANKS:=16}" "${CLUMP_NICS:=1 2 4}" "${CLUMP_PROCESSORS:=2 4 8}"
fi
ranks=${CLUMP_RANKS:-8} nics=${CLUMP_NICS:-1 2} processors=${CLUMP_PROCESSORS:-2 4}
repetitions=${CLUMP_REPETITIONS:-1} mpi=${CLUMP_MPI:-openmpi} rate=1000
# The same for all machines, so that what was measured for one holds for the others.
dilation=${CLUMP_DILATION:-$((5 * ranks / $(nproc)))}
[ "$dilation" -ge 10 ] || dilation=10
export OMP_NUM_THREADS=1

# ---- programs

# hpcc reads its input where it runs, and has to be ended after the test that is wanted.
hpcc() { # NAME LAST
    mkdir -p "hpcc-$1" && cp "$inputs/hpccinf.txt" "hpcc-$1/" || return 1
    [ "$ranks" -ge 16 ] || sed -i 's/^4  *[PQ]s$/2            &/; s/^2  *4  */2            /' "hpcc-$1/hpccinf.txt"
    [ -e hpcc_section.so ] || mpicc.openmpi -shared -fPIC -o hpcc_section.so "$inputs/hpcc_section.c" || return 1
    command=(sh -c "cd '$PWD/hpcc-$1' && CLUMP_HPCC_LAST=$2 LD_PRELOAD=$PWD/hpcc_section.so:\$LD_PRELOAD exec hpcc")
    library=openmpi
}

prepare() { # NAME: its command and its MPI library; false: it is not there
    local own=$programs/$mpi
    library=$mpi
    case $1 in
    halo) command=("$own/halo" --size 64 --iterations 20 --compute 1) ;;
    transpose) command=("$own/transpose" --size 48 --iterations 15 --compute 3) ;;
    allreduce) command=("$own/allreduce" --size 65536 --iterations 8 --compute 6) ;;
    workers) command=("$own/workers" --size 8192 --iterations 8 --compute 10) ;;
    melt) command=(lmp -in "$inputs/melt.in" -log none -var steps 40) library=openmpi ;;
    salt) command=(lmp -in "$inputs/salt.in" -log none -var steps 15) library=openmpi ;;
    randomaccess) hpcc "$1" 1 || return 1 ;;
    ptrans) hpcc "$1" 7 || return 1 ;;
    fft) hpcc "$1" 12 || return 1 ;;
    *) echo "run.sh: found '$1', expected some of: $names" >&2; exit 2 ;;
    esac
    case $1 in
    melt | salt) command -v lmp ;;
    randomaccess | ptrans | fft) command -v hpcc ;;
    *) [ -x "${command[0]}" ] ;;
    esac > missing
}

# ---- what clumpmodel answers

column() { # NAME FILE: of each row of a CSV without quoted commas before it
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } { print $c }' "$2"
}
emulate() { # OUTPUT OPTIONS...: of `command`
    local output=$1
    shift
    "$clumpmodel" emulate --mpi "$library" --rate $rate --dilation "$dilation" "$@" --format csv --quiet \
        -- "${command[@]}" > part.csv 2> "${output%.csv}.err" < /dev/null && mv part.csv "$output"
}

# The network's parameters and those within a node, as a Lua table each. An upper bound stands for a
# parameter that is too small to be found.
parameters() { # TRANSPORT CSV
    "$clumpmodel" import csv "$2" --platform emulated --transport "$1" --nodes 2 --processors 2 --db platform.db \
        --quiet > imported &&
        "$clumpmodel" fit loggp --platform emulated --transport "$1" --db platform.db --quiet --format csv > fit.csv || return 1
    awk -F, 'NR > 1 && $4 ~ /^(L|o_s|o_r|g|G)$/ { v = $6 != "" ? $6 : $12; printf "%s%s = %.9g", n++ ? ", " : "{ ", $4, v < 0 ? 0 : v }
             END { print " }"; exit n != 5 }' fit.csv
}
measure_platform() {
    local measured
    [ -s platform.lua ] && return
    echo "# measuring messages" >&2
    command=("$programs/$mpi/messages" --iterations 10) library=$mpi
    # Its NOW is two nodes, where messages pass the network; the Clump one node.
    emulate messages.csv --nodes 1 --processors 2 --nics 1 --repetitions 1 --log messages.log || return 1
    for measured in 1:network 2:shared-memory; do
        awk -v want="${measured%:*}" '/^quantity/ { run++; if (run == want) print; next }
            run == want && /^[a-z_]+,[0-9]+,/' messages.log > "${measured#*:}.csv"
    done
    rm -f platform.db
    {
        echo "network = $(parameters network network.csv)" &&
            echo "shared_memory = $(parameters shared-memory shared-memory.csv)"
    } > part.lua && mv part.lua platform.lua
}
scenario() { # APPLICATION P N,N,...
    cat platform.lua
    cat << END
return scenario {
  title = "$1",
  platform = platform { name = "emulated", nodes = $((ranks / $2)), processors = $2, nics = $2,
                        network = network, shared_memory = shared_memory },
  application = application "$1",
  processors = $2,
  nics = { $3 },
}
END
}

# ---- one program on nodes of P

of_nodes() { # NAME P: rows "NAME P N emulated half-width predicted simulated doubt" into NAME-P.rows
    local list= n out=$1-$2
    for n in $nics; do [ "$n" -le "$2" ] && list=$list${list:+,}$n; done
    [ -s "$out.emulated.csv" ] ||
        emulate "$out.emulated.csv" --nodes $((ranks / $2)) --processors "$2" --nics "$list" \
            --repetitions "$repetitions" --log "$out.log" || { tail -n 3 "$out.emulated.err" >&2; return 1; }
    scenario "$1" "$2" "$list" > "$out.lua"
    "$clumpmodel" predict "$out.lua" --db "$1.db" --quiet --format csv > "$out.predicted.csv" 2> "$out.predicted.err" ||
        tail -n 2 "$out.predicted.err" >&2
    "$clumpmodel" simulate "$out.lua" --schedule "$1.recording/now" --db "$1.db" --quiet --format csv \
        > "$out.simulated.csv" 2> "$out.simulated.err" || tail -n 2 "$out.simulated.err" >&2
    paste -d' ' <(tr , '\n' <<< "$list") <(column slowdown "$out.emulated.csv") <(column half_width "$out.emulated.csv" | sed 's/^$/-/') \
        <(column slowdown "$out.predicted.csv") <(column slowdown "$out.simulated.csv") \
        <(column now_s "$out.emulated.csv") <(column now_time_s "$out.predicted.csv") <(column now_time_s "$out.simulated.csv") \
        <(column doubt "$out.emulated.csv" | sed 's/^..*/doubtful/; s/^$/-/') |
        sed "s/^/$1 $2 /" > "$out.rows"
}

run_program() { # NAME
    local p first=${processors%% *}
    prepare "$1" || { echo "# $1: not run: $(cat missing) its program, or what builds it, is missing" >&2; return; }
    if [ ! -d "$1.recording/now" ]; then
        echo "# recording $1" >&2
        rm -rf "$1.recording"
        emulate "$1.recorded.csv" --nodes $((ranks / first)) --processors "$first" --nics 1 --repetitions 1 \
            --record "$1.recording" || { tail -n 3 "$1.recorded.err" >&2; return 1; }
    fi
    rm -f "$1.db"
    "$clumpmodel" import recording "$1.recording/now" --name "$1" --db "$1.db" --quiet > imported || return 1
    for p in $processors; do
        echo "# $1, $p processors a node" >&2
        of_nodes "$1" "$p"
    done
}

# ---- the table

table() { # rows on standard input
    awk -v repetitions="$repetitions" '
        function percent(x, of) { return 100 * (x / of - 1) }
        function note(kind, e,   a) { a = e < 0 ? -e : e; n[kind]++; sum[kind] += a; if (a > worst[kind]) { worst[kind] = a; where[kind] = $1 ", P=" $2 ", N=" $3 } }
        BEGIN { printf "%-12s  P  N  Emulated     95%%  Predicted   Error  Simulated   Error  NOW s  Predicted s  Simulated s\n", "Program" }
        NF == 11 {
            printf "%-12s %2d %2d  %8.4f  %6s  %9.4f  %+5.1f%%  %9.4f  %+5.1f%%  %.4f  %.4f  %.4f%s\n", $1, $2, $3, $4,
                $5 == "-" ? "-" : sprintf("%.4f", $5), $6, percent($6, $4), $7, percent($7, $4), $8, $9, $10, $11 == "-" ? "" : "  doubtful"
            doubtful += $11 != "-"
            note("p", percent($6, $4)); note("s", percent($7, $4)); next
        }
        { printf "%-12s %2d %2d  not complete\n", $1, $2, $3; incomplete++ }
        function verdict(name, kind, mean, most,   ok) {
            ok = n[kind] && sum[kind] / n[kind] <= mean && (!most || worst[kind] <= most)
            printf "%s - %s: mean error %.1f%% (goal %s%%), worst %.1f%%%s (%s), of %d\n", ok ? "ok" : "not ok", name,
                n[kind] ? sum[kind] / n[kind] : 0, mean, worst[kind], most ? sprintf(" (goal %s%%)", most) : "", where[kind], n[kind]
            return ok
        }
        END {
            printf "\n%d of the emulated slowdowns are doubtful: FOLDER/*.emulated.err and the column doubt say why.\n", doubtful
            a = verdict("predicted", "p", 7, 15); b = verdict("simulated", "s", 5, 0)
            exit !(a && b && !incomplete)
        }'
}

if ! command -v "mpirun.$mpi" > missing || [ ! -x "$programs/$mpi/messages" ]; then
    echo "skip - programs: no mpirun.$mpi, or no programs (make mpi-programs)"
    exit 0
fi
if ! measure_platform; then
    if grep -q 'namespaces\|iproute2\|veth' messages.err; then
        echo "skip - programs: $(tail -n 1 messages.err)"
        exit 0
    fi
    echo "not ok - messages could not be measured: $(tail -n 2 messages.err)"
    exit 1
fi
for name; do run_program "$name"; done
echo "$ranks ranks, NICs of $rate Mbit/s, time dilated by $dilation, $repetitions run(s) of each machine, $mpi"
sed 's/^/  /' platform.lua
for name; do for p in $processors; do [ -s "$name-$p.rows" ] && cat "$name-$p.rows"; done; done | table
