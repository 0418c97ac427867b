#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs that were recorded, in scenarios and in recommend: their calls are played again, as a simulation of them says.
. "$(dirname "$0")/../lib.sh"

run import recording "$TOP/docs/recording/halo" --name halo --db rec.db --quiet
check "calls are imported" exits 0
# Eight ranks that send to the one four further, and to the next one: a schedule is kept as it is.
# goal NAME DISTANCE
goal() {
    awk -v d="$2" 'BEGIN { print "num_ranks 8"; for (r = 0; r < 8; r++) { print "rank " r " {"
        for (k = 0; k < 20; k++) { n = 3 * k
            print "l" n + 1 ": calc " 40000 + 1000 * ((7 * r + 3 * k) % 11) "\nl" n + 2 ": send 4000b to " (r + d) % 8 "\nl" n + 3 ": recv 4000b from " (r + 8 - d) % 8
            if (k) print "l" n + 1 " requires l" n
            print "l" n + 2 " requires l" n + 1 "\nl" n + 3 " requires l" n + 2 }
        print "}" } }' > "$1.goal"
    run import goal "$1.goal" --name "$1" --db rec.db --quiet
}
goal ring 1
goal pairs 4

cat > node.lua << 'LUA'
local node = platform { name = "node", processors = 4, nics = 2,
  network = { L = 5, o_s = 2, o_r = 2, g = 3, G = 0.008 }, shared_memory = { L = 0.5, o_s = 0.5, o_r = 0.5, g = 0.5, G = 0.0005 } }
return scenario { application = application(name or "halo"), platform = node, nics = { 1, 2, 4 }, processors = tonumber(processors) or 4,
  demand = demand, mapping = mapping, memory_penalty = tonumber(penalty), memory_share = tonumber(memory), memory_feeds = memory and 2 }
LUA
slowdowns() { echo "$(key slowdown 1) $(key slowdown 2) $(key slowdown 3)"; }
sed 's/application = application.*"halo"),/application = { application "halo", application "third" },/' node.lua > both.lua
"$CLUMPMODEL" import recording "$TOP/docs/recording/halo" --name third --db rec.db --quiet > /dev/null
for mapping in pooled static; do
    run simulate node.lua --schedule "$TOP/docs/recording/halo" --db rec.db -D mapping=$mapping --format json
    simulated=$(slowdowns)
    run predict node.lua --db rec.db -D mapping=$mapping --format json
    check "predicted is what its calls take, $mapping" [ "$(slowdowns)" = "$simulated" ]
    for threads in 1 2; do # rows of runs of the script, each of which names the same two recordings
        run explore both.lua --db rec.db -D mapping=$mapping -s penalty=1,1.25,1.5 --each --where 'memory_penalty < 1.1 and application = "halo"' \
            --by nics --threads $threads --format json
        check "sweeps find the same, $mapping, $threads" [ "$(slowdowns)" = "$simulated" ]
    done
done
sed 's/^  demand = demand,/& max_nics_per_processor = "auto",/' node.lua > auto.lua
run predict auto.lua --db rec.db -D mapping=pooled --format json
automatic=$(slowdowns)
run predict node.lua --db rec.db -D mapping=pooled --format json
check "how many NICs a processor keeps busy is in its calls" [ "$(slowdowns)" = "$automatic" ]
run data merge rec.db --db again.db
run predict node.lua --db again.db -D mapping=static --format json
check "calls survive a merge" [ "$(slowdowns)" = "$simulated" ]
for name in ring pairs; do
    run simulate node.lua --schedule $name.goal --db rec.db --format json
    simulated=$(slowdowns)
    run predict node.lua --db rec.db -D name=$name --format json
    check "a schedule is predicted as it is simulated, $name" [ "$(slowdowns)" = "$simulated" ]
done
check "all of it leaves the node" near "$(key remote_fraction)" 1 0
check "nobody says who communicates together" lacks out '"demand"\|"utilization"\|"gang'
run predict node.lua --db rec.db -D name=ring -D processors=8 --format json
check "eight on a node need no network" near "$(key remote_fraction)" 0 0
run predict node.lua --db rec.db -D processors=3
check "nodes of three: one that is not full" exits 0
refuses 2 'was recorded with 8 ranks, expected that many' predict node.lua --db rec.db -D processors=9
refuses 2 'demand: expected none where recorded calls are played' predict node.lua --db rec.db -D demand=correlated
refuses 2 'memory that processors share, expected none' predict node.lua --db rec.db -D memory=0.3
run predict node.lua --db rec.db -D penalty=1.5 --format json
check "computation may take longer" awk -v x="$(key slowdown 1)" 'BEGIN { exit !(x > 1.1) }'
run explore node.lua --db rec.db -s nics=1:4 --where 'slowdown <= 1' --format json
check "explore varies what is recorded, too" exits 0
refuses 2 'simulate --schedule' simulate node.lua --db rec.db

# What only MPICH does with collectives: they are taken apart anew for each kind of node.
if command -v sqlite3 > /dev/null; then
    sqlite3 rec.db "UPDATE recording SET library = 'MPICH 4.0.2',
        calls = 'm0-7' || char(10) || replace(hex(zeroblob(8)), '00', 'rc900000a4096.0:allreduce:c900000a4096.0:allreduce:' || char(10))
        WHERE application_id = (SELECT id FROM application WHERE name = 'third')"
    run predict node.lua --db rec.db -D name=third --format json
    check "by MPICH less of them leaves a node" awk -v x="$(key remote_fraction 1)" 'BEGIN { exit !(x > 0 && x < 0.5) }'
    run data check --db rec.db
    check "which is in order" exits 0
    sqlite3 rec.db "UPDATE recording SET calls = NULL WHERE application_id = (SELECT id FROM application WHERE name = 'third')"
    refuses 2 'imported without its calls, expected them: import it again' predict node.lua --db rec.db -D name=third
    sqlite3 rec.db "UPDATE recording SET calls = 'rc1' WHERE application_id = (SELECT id FROM application WHERE name = 'third')"
    refuses 2 'calls of rank 0, byte 4: found the end' predict node.lua --db rec.db -D name=third
fi

cat > table.lua << 'LUA'
local node = platform { name = "node", processors = 4, nics = 2, network = { L = 0, o_s = 0.001, o_r = 0.001, g = 0.01, G = 2 },
  shared_memory = { L = 0, o_s = 0.001, o_r = 0.001, g = 0.01, G = 0.01 } }
return scenario { platform = node, application = application(description) }
LUA
with() { # with FIELDS: application { FIELDS }
    sed "s|application(description)|application { $1 }|" table.lua > with.lua
}
with 'recording = "pairs", name = "twice"'
run predict with.lua --db rec.db --format json
check "it has the name that the script gives" [ "$(key application)" = twice ]
with 'recording = "CON/comp"'
refuses 2 'of which nothing was recorded' predict with.lua --db rec.db
with 'recording = "pairs", utilization = 0.3'
refuses 2 'expected one description' predict with.lua --db rec.db
with 'stripe_bytes = 5'
refuses 2 'found no recording' predict with.lua --db rec.db
with 'recording = "pairs", stripe_bytes = 3999'
refuses 2 'found 3999, expected at least the 4000' predict with.lua --db rec.db
sed 's|application(description)|application "pairs", utilization = 0.3|' table.lua > with.lua
refuses 2 'follows from what was recorded' predict with.lua --db rec.db
# Round-robin: ranks 0, 2, 4, 6 are on the first of two nodes, and each sends to the one four further on.
with 'recording = "pairs", rank_order = "round-robin"'
run predict with.lua --db rec.db --format json
check "ranks in turn: what was remote is local" near "$(key remote_fraction)" 0 1e-9
sed 's|processors = 4|processors = 3|' with.lua > three.lua
refuses 2 'nodes of 3 processors that are not full' predict three.lua --db rec.db
with 'recording = "pairs", rank_order = "any"'
refuses 2 'rank_order' predict with.lua --db rec.db

# compare_with: both as if they were predicted alone; a measured time scales both.
cat > compared.lua << 'LUA'
local node = platform { name = "node", processors = 4, nics = 2,
  network = { L = 0, o_s = 0.001, o_r = 0.001, g = 0.01, G = 1 },
  shared_memory = { L = 0, o_s = 0.001, o_r = 0.001, g = 0.01, G = 0.01 } }
local other = platform { name = "other", like = node, nics = 1, network = { G = 0.5 } }
local now = platform { name = "now", like = node, processors = 1, nics = 1 }
local all = { node = node, other = other, now = now }
return scenario { platform = all[on], compare_with = all[with], communication_ratio = ratio and 2,
  application = application { recording = "pairs", name = "pairs", times = times and { [with] = 7 } } }
LUA
for on in node other now; do
    run predict compared.lua --db rec.db -D on=$on --format json
    eval "$on=$(key predicted_time_s)"
done
for pair in "other $other node $node" "node $node now $now" "now $now other $other"; do
    set -- $pair
    run predict compared.lua --db rec.db -D on=$1 -D with=$3 --format json
    check "compare_with, $1 and $3: as each alone" near "$(key ratio)" "$(awk "BEGIN { print $2 / $4 }")" 1e-4
    check "compare_with, $1 and $3: times" near "$(key compared_time_s)" "$4" 1e-9
done
run predict compared.lua --db rec.db -D on=other -D with=node -D times=true --format json
check "compare_with: a time that was measured there scales both" near "$(key predicted_time_s)" "$(awk "BEGIN { print 7 * $other / $node }")" 1e-4
refuses 2 'found communication_ratio' predict compared.lua --db rec.db -D on=other -D with=node -D ratio=true

# recommend
run recommend --recording halo --platform e5000-clump --db rec.db -P 4 -N 1,2 --format json
stored="$(key slowdown 1) $(key slowdown 4)"
check "by Open MPI's TCP a second NIC brings nothing" near "$(key slowdown 4)" "$(key slowdown 1)" 1e-9
check "without --max-nics-per-processor calls are played without a limit, and no limit is shown" lacks out max_nics_per_processor
run recommend --recording "$TOP/docs/recording/halo" --platform e5000-clump --db rec.db -P 4 -N 1,2 --format json
check "recommend plays the calls of a folder" has out '"played_share": 1.0'
check "as those that are stored" [ "$(key slowdown 1) $(key slowdown 4)" = "$stored" ]
played=$(key slowdown 1)
run recommend --recording "$TOP/docs/recording/halo" --platform e5000-clump --db rec.db -P 4 -N 1,2 --most-played 5000 --format json
check "of many calls a part is played" eval "exits 0 && near $(key slowdown 1) $played 0.1 && has out '\"played_share\": 0'"
run recommend --recording "$TOP/docs/recording/halo" --platform e5000-clump --db rec.db -P 4 -N 1,2 --most-played 5000
check "which is said" has out 'Its calls are a sample'
check "and that Open MPI takes NICs in turn" has out 'Open MPI is taken to send messages of up to 65472'
run recommend --recording "$TOP/docs/recording/halo" --platform e5000-clump --db rec.db -P 4 -N 1,2 --stripe-bytes 1G
check "and nothing is taken for granted" lacks out 'Open MPI is taken'
run recommend --recording pairs --platform e5000-clump --db rec.db -N 1,2,4
check "whose nodes: those of the platform, which is said" has out "Nodes are taken to have 8 processors, as those of 'e5000-clump'"
check "words say what was recorded" has out 'A program: 8 ranks on 8 nodes'
run recommend --recording pairs --platform e5000-clump --db rec.db -P 8 -N 1,2
check "where no message leaves a node NICs make no difference" has out '^NICs make no difference: on nodes of 8 processors'
refuses 2 'platform is missing' recommend --recording pairs --db rec.db -P 4
refuses 2 "found 'nothing', expected a folder" recommend --recording nothing --platform e5000-clump --db rec.db -P 4
refuses 2 'expected one of them' recommend --recording pairs -U 0.5 --platform e5000-clump --db rec.db -P 4
refuses 2 'found --recording and --demand' recommend --recording pairs --demand correlated --platform e5000-clump --db rec.db -P 4
refuses 2 'memory that processors share' recommend --recording pairs --platform e5000-clump --db rec.db -P 4 -N 1,2 --memory-share 0.1 --memory-feeds 2
refuses 2 'expected --recording or --application beside it' recommend -P 4 -U 0.5 --platform e5000-clump
refuses 2 'expected --recording beside it' recommend -P 4 -U 0.5 --most-played 5
refuses 2 'expected --recording beside it' recommend -P 4 -U 0.5 --stripe-bytes 1G
refuses 2 'was recorded with 8 ranks' recommend --recording pairs --platform e5000-clump --db rec.db -P 16
mkdir folder
refuses 2 'folder' recommend --recording folder --platform e5000-clump --db rec.db -P 4

# What is missing is said, and what is left of the calls is not taken for the program.
cp -R "$TOP/docs/recording/halo" killed
cp -R "$TOP/docs/recording/halo" seven
rm seven/rank-000003.clumprec
bytes=$(wc -c < killed/rank-000002.clumprec)
head -c $((bytes - 1)) "$TOP/docs/recording/halo/rank-000002.clumprec" > killed/rank-000002.clumprec
run recommend --recording killed --platform e5000-clump --db rec.db -P 4 -N 1,2
check "a rank that was killed" eval 'exits 0 && has out "1 of 8 ranks did not end properly"'
refuses 2 'operations wait for what is not in the recording: nothing was recorded of 1 of 8 ranks' \
    recommend --recording seven -P 4 -N 1,2 --platform e5000-clump --db rec.db
