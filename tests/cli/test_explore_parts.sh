#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# clumpmodel explore --shard and --merge: parts that are computed at once give, byte by byte, what one run gives.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
again && { pass "compares numbers; with sanitizers in make check-sanitize-all"; exit 0; }

cat > mix.lua <<'LUA'
return scenario {
  title = "mix", processors = 8, nics = { 1, 2, 4, 8 }, weights = { 3, 1 },
  prices = { node = 1000, nic = 100 }, demand = { "independent", "correlated", "gang:2.5" },
  application = { application { name = "a", utilization = 0.2 },
                  application { name = "b", utilization = uncertain { name = "u", from = 0.6, to = 0.8 } } },
}
LUA
cat > plain.lua <<'LUA'
return scenario { title = "plain", processors = 4, nics = 2, utilization = 0.5 }
LUA
cat > cases.lua <<'LUA'
k = k or 1
return scenario { title = "case " .. k, processors = k, nics = { 1, 2 }, utilization = 0.3 }
LUA

# in_parts COUNT ARGUMENTS...: computed at once
in_parts() {
    local count=$1 k process processes=()
    shift
    rm -f part.*
    for k in $(seq "$count"); do
        "$CLUMPMODEL" explore "$@" --threads 1 --shard "$k/$count" --part "part.$k" > said 2>&1 &
        processes+=($!)
    done
    for process in "${processes[@]}"; do wait "$process" || fail "part of $*"; done
}

# equal ARGUMENTS...: chosen in every way, in every format
ways=("--format csv" "--format json" "" "--best 5" "--pareto" "--by nics,slowdown --best 3" "--where slowdown<1.2")
equal() {
    local way same=yes
    for way in "${ways[@]}"; do
        # shellcheck disable=SC2086 # words
        run explore "$@" $way
        exits 0 || same="no: $way alone"
        grep -v '^  "command": ' out > one # the digest of the inputs is the same
        # shellcheck disable=SC2046,SC2086 # words
        run explore "$@" $way --merge $(ls -r part.*)
        exits 0 && grep -v '^  "command": ' out | cmp -s - one || same="no: $way"
    done
    check "merged as one run, in ${#ways[@]} ways: $*: $same" [ "$same" = yes ]
}

in_parts 7 mix.lua -s memory_penalty=1:2:0.1
equal mix.lua -s memory_penalty=1:2:0.1
in_parts 7 mix.lua --each
equal mix.lua --each
in_parts 7 cases.lua -s k=1:70
equal cases.lua -s k=1:70
in_parts 7 mix.lua --uncertain measured --draws 50 --max-slowdown 1.1 --percentile 90
equal mix.lua --uncertain measured --draws 50 --max-slowdown 1.1 --percentile 90
# Whether intervals of inputs take too long is no matter of the machine: 26 times 12 * 401 rows are more than 100,000.
in_parts 2 mix.lua -s memory_penalty=1:2:0.0025
run explore mix.lua -s memory_penalty=1:2:0.0025 --format json --merge part.1 part.2
check "parts decide alike, by rows" eval 'exits 0 && lacks out input_low'
in_parts 2 mix.lua -s memory_penalty=1:2:0.0025 --inputs all
run explore mix.lua -s memory_penalty=1:2:0.0025 --inputs all --format json --merge part.1 part.2
check "or as they are told" has out input_low
# Draws from the database: how rows are chosen does not depend on where their numbers are from. Its runs with other inputs
# take more seconds than predict waits: few rows have their intervals on a slow or busy machine, too.
ways=("--format csv" "--best 5")
in_parts 2 clump-vs-now --each -s application=SAMPLE
equal clump-vs-now --each -s application=SAMPLE
run explore mix.lua -s memory_penalty=1:2:0.0025 --format json
check "one run decides as parts do, by rows" eval 'exits 0 && lacks out input_low'

# ---- more rows than are kept are read twice
in_parts 2 plain.lua -s U=0.001:0.999/201000
run explore plain.lua -s U=0.001:0.999/201000 --format csv
cp out one
run explore plain.lua -s U=0.001:0.999/201000 --format csv --merge part.1 part.2
check "201,000 rows" cmp -s out one
run explore plain.lua -s U=0.001:0.999/201000 --plot two.gp --best 100 --merge part.1 part.2
run explore plain.lua -s U=0.001:0.999/201000 --plot one.gp --best 100
check "pictures of merged rows" cmp -s one.gp two.gp

# ---- who started it says which part
in_parts 3 mix.lua
cp part.2 second
# environment NAME=VALUE... : the part that was computed
environment() {
    rm -f mix.*.part
    env "$@" "$CLUMPMODEL" explore mix.lua --shard auto --format csv > out 2> err
    status=$?
    ls mix.*.part 2> /dev/null
}
check "mpirun of Open MPI" [ "$(environment OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=3)" = mix.2-of-3.part ]
check "is that part" cmp -s mix.2-of-3.part second
check "mpirun of MPICH" [ "$(environment PMI_RANK=2 PMI_SIZE=3)" = mix.3-of-3.part ]
check "srun" [ "$(environment SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=3 SLURM_NTASKS=9)" = mix.1-of-3.part ]
check "a Slurm array from 3 in steps of 2" [ "$(environment SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_MIN=3 \
    SLURM_ARRAY_TASK_COUNT=4 SLURM_ARRAY_TASK_STEP=2)" = mix.3-of-4.part ]
check "an array of steps" [ "$(environment SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_COUNT=2 \
    SLURM_PROCID=2 SLURM_STEP_NUM_TASKS=3)" = mix.6-of-6.part ]
environment SLURM_PROCID=0 SLURM_NTASKS=3 > /dev/null
check "a batch script by itself is no part" exits 2
environment SLURM_ARRAY_TASK_ID=9 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_COUNT=2 > /dev/null
check "an array with gaps" has err 'without gaps'

# ---- more parts than files may be open
in_parts 40 mix.lua
check "40 parts with 20 open files" eval '(ulimit -n 20; "$CLUMPMODEL" explore mix.lua --format csv --threads 1 --merge part.? part.??) > merged 2> err'
"$CLUMPMODEL" explore mix.lua --format csv > whole
check "are the whole" cmp -s merged whole

# ---- mistakes
printf 'value,unit,quantity\n1,us,gap\n' > gap.csv
"$CLUMPMODEL" import csv gap.csv --platform first --transport network --db other.db --quiet > imported
in_parts 2 mix.lua
run explore mix.lua --db other.db --merge part.1 part.2
check "what nobody read may be another" exits 0
sed 's/0.2/0.21/' mix.lua > changed.lua
refuses 2 'part.1: found a part that was computed from other inputs than here.*: scenario;' explore changed.lua --merge part.1 part.2
refuses 2 "'nothing more', expected '--inputs none'" explore mix.lua --inputs none --merge part.1 part.2
# ---- what parts were computed from: rows of the database, and files that the script names
cat > stored.lua <<'LUA'
return scenario { platform = platform "other", nics = { 1, 2, 4 }, application = application { name = "a", computation = 1,
  collectives = { collective { kind = "allreduce", bytes = 1e6 } } } }
LUA
printf 'value,unit,quantity\n5,us,latency\n1,us,send_overhead\n1,us,receive_overhead\n1,nsec/B,gap_per_byte\n' > rest.csv
for transport in network shared-memory; do
    for file in gap rest; do "$CLUMPMODEL" import csv $file.csv --platform other --transport $transport --processors 4 --nics 2 --nodes 8 --db other.db --quiet; done
done > imported
cp other.db copy.db
"$CLUMPMODEL" import csv gap.csv --platform elsewhere --transport network --db copy.db --quiet > imported
printf 'value,unit,quantity\n1.5,us,gap\n' > gap.csv
for transport in network shared-memory; do
    for file in gap rest; do "$CLUMPMODEL" import csv $file.csv --platform other --transport $transport --processors 4 --nics 2 --nodes 8 --db third.db --quiet; done
done > imported
for k in 1 2; do "$CLUMPMODEL" explore stored.lua --shard $k/2 --part part.$k --db other.db > computed; done
run explore stored.lua --db copy.db --merge part.1 part.2
check "the same rows are the same, whatever stands beside them" exits 0
refuses 2 'part.1: found a part that was computed from other inputs than here.*: rows of the database;' explore stored.lua --db third.db --merge part.1 part.2
echo 'return scenario { platform = platform { topology = "node.xml" }, utilization = 0.3 }' > topology.lua
for k in 1 2; do
    cp "$TOP/docs/topology/$([ $k = 1 ] && echo eight || echo four)-nics.xml" node.xml
    "$CLUMPMODEL" explore topology.lua --shard $k/2 --part part.$k > computed
    "$CLUMPMODEL" predict topology.lua --format json > json.$k
done
refuses 2 "part.1: found a part that was computed from other inputs than here.*: file 'node.xml';" explore topology.lua --merge part.1 part.2
cp "$TOP/docs/topology/eight-nics.xml" node.xml
refuses 2 "part.2: found a part that was computed from other inputs than here.*: file 'node.xml';" explore topology.lua --merge part.1 part.2
"$CLUMPMODEL" explore topology.lua --shard 2/2 --part part.2 > computed
run explore topology.lua --merge part.1 part.2
check "of one machine they are one" exits 0
of() { grep -o '"inputs": "[0-9a-f]*"' "$1"; }
"$CLUMPMODEL" predict topology.lua --format json > json.3
check "JSON says what it was made from" eval '[ -n "$(of json.1)" ] && [ "$(of json.1)" = "$(of json.3)" ] && [ "$(of json.1)" != "$(of json.2)" ]'
check "by which program and command" eval 'has json.1 "\"version\": \"[0-9]" && has json.1 "\"command\": \"clumpmodel predict .topology.lua."'
run predict topology.lua --html page.html
check "and so do pages" has page.html "$(of json.1 | grep -o '[0-9a-f]\{64\}')"
in_parts 3 mix.lua
refuses 2 "found a part of another sweep: 'nothing more', expected '--sweep N=1:2'" explore mix.lua -s N=1:2 --merge part.1 part.2 part.3
refuses 2 'number 2 is the first that is missing' explore mix.lua --merge part.1 part.3
refuses 2 'found part 1 of 3, which is part.1, too' explore mix.lua --merge part.1 part.1 part.3
refuses 2 'found no whole part' explore mix.lua --merge mix.lua
refuses 2 'cannot be read' explore mix.lua --merge none
head -c 6000 part.2 > cut
refuses 2 'found no whole part' explore mix.lua --merge part.1 cut part.3
refuses 2 'expected the files of --shard' explore mix.lua --merge
refuses 2 'expected one of them' explore mix.lua --merge --shard 1/2 part.1
refuses 2 'K/N, part K of N' explore mix.lua --shard 4/3
refuses 2 'K/N, part K of N' explore mix.lua --shard 0/3
refuses 2 'expected it beside --part' explore mix.lua --part x
refuses 2 'only its rows can be' explore mix.lua --shard 1/2 --break-even now
refuses 2 'expected to be started by one of them' explore mix.lua --shard auto
rm -f x
refuses 2 'never reads' explore mix.lua --shard 1/2 --part x -D y=1
check "a part that failed leaves no file" [ ! -e x ]
refuses 2 'expected a file' explore mix.lua --shard 1/2 --part /dev/null
check "a disk that is full" eval '(trap "" XFSZ; ulimit -f 8; ! "$CLUMPMODEL" explore plain.lua -s U=0.1:0.9/2000 --shard 1/2 --part x 2> err)'
check "is said" has err 'the part cannot be written'
check "and leaves no file" [ ! -e x ]
