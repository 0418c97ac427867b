#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs that were recorded, in scenarios and in recommend. The recordings are made up, so that the answers follow from chapter 8 without them.
. "$(dirname "$0")/lib.sh"

# recording NAME GANG HOSTS: eight ranks that compute for 7 s and send for 3 s to the rank four further; 3 s are 1e6 us of
# messages at 1 us/B on each of the three networks below. In nodes of four they move in gangs of GANG.
recording() {
    awk -v name="$1" -v gang="$2" -v hosts="$3" '
        function line(kind, values,   part, pair, i, n, names, numbers) {
            n = split(values, part, " ")
            for (i = 1; i <= n; i++) {
                split(part[i], pair, "=")
                gsub(/%20/, " ", pair[2])
                names = names "," pair[1]
                numbers = numbers "," (pair[2] ~ /^[0-9.e+-]+$/ ? pair[2] : "\047" pair[2] "\047")
            }
            if (kind != "recording") {
                names = ",ordinal" names
                numbers = "," ++rows[kind] numbers
            }
            print "INSERT INTO " kind " (application_id" names ") SELECT id" numbers " FROM application WHERE name = \047" name "\047;"
        }
        BEGIN {
            R = 8; P = 4; U = 0.3
            line("recording", "origin=recording program=" name " library=MPICH%204.0.2 wall=10 sends=0 receives=0 mismatched=0")
            for (i = 0; i < hosts; i++) line("recording_node", "host=h" i " clock_low=0 clock_high=0 clock_used=0")
            for (i = 0; i < R; i++)
                line("recording_rank", "node=" i % hosts " wall=10 computing=7 processor=7 in_mpi=3 waiting=0 waiting_low=0 waiting_high=0 transferring=3 calls=100 traced=100 requests_mean=0 requests_most=0 ended=1")
            for (i = 0; i < R; i++)
                line("recording_traffic", "sender=" i " receiver=" (i + R / 2) % R " kind=point-to-point size_limit=32768 messages=100 bytes=3000000")
            # q of two nodes, window by window: its mean, and its variance s P U (1-U), with some chance in it
            for (i = 0; i < 64; i++) {
                off = 0.05 * (i % 2 ? 1 : -1) * (i % 3)
                line("recording_overlap", sprintf("doing=transferring processors=%d start=%g stop=%g seconds=0.3125 active=%.12g squared=%.12g",
                    P, i / 6.4, (i + 1) / 6.4, 0.3125 * P * U, 0.3125 * ((P * U) ^ 2 + (gang + off) * P * U * (1 - U))))
            }
        }' | sqlite3 rec.db
}

command -v sqlite3 > /dev/null || { echo "skip - recordings that are made up: needs sqlite3"; exit 0; }
for name in pairs together near; do
    printf 'platform,application,transport,quantity,value,unit,source,source_kind\n,%s,,,,,made-%s,document\n' $name $name > $name.csv
    run import clumpmodel $name.csv --db rec.db
    check "an application: $name" exits 0
done
recording pairs 2 8
recording together 4 8
recording near 2 1

cat > node.lua << 'LUA'
local node = platform { name = "node", processors = 4, nics = 2,
  network = { L = 0, o_s = 0.001, o_r = 0.001, g = 0.01, G = 1 },
  shared_memory = { L = 0, o_s = 0.001, o_r = 0.001, g = 0.01, G = 0.01 } }
return scenario { application = application(name or "pairs"), platform = node, nics = nics and { 1, 2, 4 },
  max_nics_per_processor = 1000, processors = tonumber(processors), demand = demand, mapping = mapping }
LUA

# What chapter 8 makes of U = 0.3 and gangs of 2: 4 processors on 2 NICs.
run slowdown -P 4 -N 2 -U 0.3 --demand gang:2 --json
expected=$(key slowdown)
run predict node.lua --db rec.db --json
check "a recorded program is predicted" exits 0
check "its utilization follows from its messages" near "$(key utilization)" 0.3 0.001
check "all of it leaves the node" near "$(key remote_fraction)" 1 0
check "its gangs are those of the recording" near "$(key gang_size)" 2 0.01
check "its slowdown is that of chapter 8" near "$(key slowdown)" "$expected" 0.005
check "the program takes what it took, and longer" near "$(key now_time_s)" 10 0.01
check "gangs have an interval" sh -c '[ -n "$1" ] && [ -n "$2" ]' - "$(key gang_low)" "$(key gang_high)"
run predict node.lua --db rec.db
check "tables show the interval" has out 'Gang 90%'

run slowdown -P 4 -N 1 -U 0.3 --demand correlated --json
expected=$(key slowdown)
run predict node.lua --db rec.db -D name=together -D nics=true --json
check "who is always together is correlated" [ "$(key demand)" = correlated ]
check "as in chapter 8" near "$(key slowdown)" "$expected" 0.005
check "NICs can be varied" [ "$(key nics 3)" = 4 ]
run predict node.lua --db rec.db -D demand=independent -D mapping=static --json
expected_demand=$(key demand) expected_mapping=$(key mapping) found=$(key slowdown)
run slowdown -P 4 -N 2 -U 0.3 --mapping static --json
check "demand and mapping can be said" [ "$expected_demand $expected_mapping" = "independent static" ]
check "static mapping is that of chapter 8" near "$found" "$(key slowdown)" 0.002
run predict node.lua --db rec.db -D processors=8 --json
check "eight on a node need no network" near "$(key remote_fraction)" 0 0
run predict node.lua --db rec.db -D processors=3
check "nodes of three: ranks that are left over" exits 0
refuses 2 'was recorded with 8 ranks, expected that many' predict node.lua --db rec.db -D processors=9
run predict node.lua --db rec.db -D name=near
check "one node knows no network, and that is said" has err 'on one node: of the network it knows nothing'
run explore node.lua --db rec.db -s nics=1:4 --where 'slowdown <= 1' --json
check "explore varies what is recorded, too" exits 0

cat > table.lua << 'LUA'
local node = platform { name = "node", processors = 4, nics = 2,
  network = { L = 0, o_s = 0.001, o_r = 0.001, g = 0.01, G = 2 },
  shared_memory = { L = 0, o_s = 0.001, o_r = 0.001, g = 0.01, G = 0.01 } }
return scenario { platform = node, application = application(description) }
LUA
with() { # with FIELDS: application { FIELDS }
    sed "s|application(description)|application { $1 }|" table.lua > with.lua
}
with 'recording = "pairs", recorded_here = true'
run predict with.lua --db rec.db --json
check "recorded on this NOW: times are those of the recording" near "$(key utilization)" 0.3 1e-9
with 'recording = "pairs", name = "twice"'
run predict with.lua --db rec.db --json
check "on half as fast a network it communicates longer" near "$(key utilization)" 0.4615 0.001
check "and has the name that the script gives" [ "$(key application)" = twice ]
with 'recording = "near", recorded_here = true'
refuses 2 'was not recorded on a NOW' predict with.lua --db rec.db
with 'recording = "CON/comp"'
refuses 2 'of which nothing was recorded' predict with.lua --db rec.db
with 'recording = "pairs", clock = "sun"'
refuses 2 'clock' predict with.lua --db rec.db
with 'clock = "wall"'
refuses 2 'found no recording' predict with.lua --db rec.db
with 'recording = "pairs", utilization = 0.3'
refuses 2 'expected one description' predict with.lua --db rec.db
sed 's|application(description)|application "pairs", utilization = 0.3|' table.lua > with.lua
refuses 2 'follows from what was recorded' predict with.lua --db rec.db
# Round-robin: ranks 0, 2, 4, 6 are on the first of two nodes, and each sends to the one four further on.
with 'recording = "pairs", rank_order = "round-robin"'
run predict with.lua --db rec.db --json
check "ranks in turn: what was remote is local" near "$(key remote_fraction)" 0 1e-9
sed 's|processors = 4|processors = 3|' with.lua > three.lua
refuses 2 'nodes of 3 processors that are not full' predict three.lua --db rec.db
with 'recording = "pairs", rank_order = "any"'
refuses 2 'rank_order' predict with.lua --db rec.db
run recommend --recording pairs --db rec.db --platform e5000-clump -P 4 -N 2 --rank-order round-robin --json
check "recommend: ranks in turn" near "$(key nic_utilization)" 0 1e-9

# compare_with: both as if they were predicted alone; a measured time scales both.
cat > compared.lua << 'LUA'
local node = platform { name = "node", processors = 4, nics = 2,
  network = { L = 0, o_s = 0.001, o_r = 0.001, g = 0.01, G = 1 },
  shared_memory = { L = 0, o_s = 0.001, o_r = 0.001, g = 0.01, G = 0.01 } }
local other = platform { name = "other", like = node, nics = 1, network = { G = 0.5 } }
local now = platform { name = "now", like = node, processors = 1, nics = 1 }
local all = { node = node, other = other, now = now }
return scenario { platform = all[on], compare_with = all[with], communication_ratio = ratio and 2,
  application = application { recording = "pairs", name = "pairs", times = times and { [with] = 7 } , recorded_here = here } }
LUA
for on in node other now; do
    run predict compared.lua --db rec.db -D on=$on --json
    eval "$on=$(key predicted_time_s)"
done
for pair in "other $other node $node" "node $node now $now" "now $now other $other"; do
    set -- $pair
    run predict compared.lua --db rec.db -D on=$1 -D with=$3 --json
    check "compare_with, $1 and $3: as each alone" near "$(key ratio)" "$(awk "BEGIN { print $2 / $4 }")" 1e-4
    check "compare_with, $1 and $3: times" near "$(key compared_time_s)" "$4" 1e-9
done
run predict compared.lua --db rec.db -D on=other -D with=node -D times=true --json
check "compare_with: a time that was measured there scales both" near "$(key predicted_time_s)" "$(awk "BEGIN { print 7 * $other / $node }")" 1e-4
refuses 2 'two networks that differ' predict compared.lua --db rec.db -D on=other -D with=node -D here=true
run predict compared.lua --db rec.db -D on=now -D with=node -D here=true --json
check "compare_with: recorded here, on one network" exits 0
refuses 2 'found communication_ratio' predict compared.lua --db rec.db -D on=other -D with=node -D ratio=true
refuses 2 'simulate --schedule' simulate node.lua --db rec.db

# recommend: of the network that the recording itself shows
run recommend --recording pairs --db rec.db -P 4 -N 2 --max-nics-per-processor 1000 --json
check "recommend answers for a recording" exits 0
run slowdown -P 4 -N 2 -U 0.3 --demand gang:2 --json
expected=$(key slowdown)
run recommend --recording pairs --db rec.db -P 4 -N 2 --max-nics-per-processor 1000 --json
check "its slowdown is that of chapter 8" near "$(key slowdown 1)" "$expected" 0.005
check "JSON has the gangs" has out '"gang_size": 1.99'
run recommend --recording pairs --db rec.db -P 4
check "words say what was recorded" has out 'pairs: 8 ranks on 8 nodes'
check "and how sure the gangs are" has out 'neither independent nor all at once'
check "and that no platform was named" has out 'No platform was named'
run recommend --recording pairs --platform e5000-clump --db rec.db -N 1,2,4
check "whose nodes: those of the platform, which is said" has out "Nodes are taken to have 8 processors, as those of 'e5000-clump'"
check "a platform has the network, and the processors" has out 'What was recorded'
refuses 2 'platform is missing, .*knows no network' recommend --recording near --db rec.db -P 4
refuses 2 "found 'nothing', expected a folder" recommend --recording nothing --db rec.db -P 4
refuses 2 'expected one of them' recommend --recording pairs -U 0.5 --db rec.db -P 4
refuses 2 'processors is missing' recommend --recording pairs --db rec.db
refuses 2 'recording or --application is missing' recommend -P 4 -U 0.5 --platform e5000-clump
run recommend --recording "$TOP/docs/recording/halo" -P 4 -N 1,2 --json
check "by Open MPI's TCP a second NIC brings nothing" near "$(key slowdown 4)" "$(key slowdown 1)" 1e-9
run recommend --recording "$TOP/docs/recording/halo" -P 4 -N 1,2
check "which is said" has out 'Open MPI is taken to send messages of up to 64 KiB'
run recommend --recording "$TOP/docs/recording/halo" -P 4 -N 1,2 --stripe-bytes 1G --most-played 0 --json
check "by a transport that takes any free NIC it does" eval "exits 0 && ! near $(key slowdown 4) $(key slowdown 1) 0.05"

# What is missing is said, and what is left of the calls is not taken for the program.
cp -R "$TOP/docs/recording/halo" killed
cp -R "$TOP/docs/recording/halo" seven
rm seven/rank-000003.clumprec
bytes=$(wc -c < killed/rank-000002.clumprec)
head -c $((bytes - 1)) "$TOP/docs/recording/halo/rank-000002.clumprec" > killed/rank-000002.clumprec
run recommend --recording killed -P 4 -N 1,2
check "a rank that was killed" eval 'exits 0 && has out "1 of 8 ranks did not end properly"'
refuses 2 'platform is missing, .*nothing was recorded of 1 of 8 ranks' recommend --recording seven -P 4
run recommend --recording seven -P 4 -N 1,2 --platform e5000-clump --json
check "of a rank nothing is there: calls are not played" eval 'exits 0 && has err "by formulas, .* operations wait for what is not in the recording" && ! has out played_share'
run recommend --recording seven -P 4 -N 1,2 --platform e5000-clump
check "which is said, too" has out 'Nothing was recorded of 1 of 8 ranks'

# The calls of a recording, played again: from the folder, and from what an import keeps of it, as a simulation of it says.
run import recording "$TOP/docs/recording/halo" --name halo --db rec.db --quiet
check "calls are imported" exits 0
cat > halo.lua << 'LUA'
local node = platform { name = "node", processors = 4, nics = 2,
  network = { L = 5, o_s = 2, o_r = 2, g = 3, G = 0.008 }, shared_memory = { L = 0.5, o_s = 0.5, o_r = 0.5, g = 0.5, G = 0.0005 } }
return scenario { application = application(description or "halo"), platform = node, processors = 4, nics = { 1, 2, 4 }, demand = demand,
  mapping = mapping, memory_penalty = tonumber(penalty) }
LUA
sed 's/application = application.*"halo"),/application = { application "halo", application "third" },/' halo.lua > both.lua
"$CLUMPMODEL" import recording "$TOP/docs/recording/halo" --name third --db rec.db --quiet > /dev/null
for mapping in pooled static; do
    run simulate halo.lua --schedule "$TOP/docs/recording/halo" --db rec.db -D mapping=$mapping --json
    simulated="$(key slowdown 1) $(key slowdown 2) $(key slowdown 3)"
    run predict halo.lua --db rec.db -D mapping=$mapping --json
    check "predicted is what its calls take, $mapping" [ "$(key slowdown 1) $(key slowdown 2) $(key slowdown 3)" = "$simulated" ]
    for threads in 1 2; do # rows of runs of the script, each of which names the same two recordings
        run explore both.lua --db rec.db -D mapping=$mapping -s penalty=1,1.25,1.5 --each --where 'memory_penalty < 1.1 and application = "halo"' \
            --by nics --threads $threads --json
        check "sweeps find the same, $mapping, $threads" [ "$(key slowdown 1) $(key slowdown 2) $(key slowdown 3)" = "$simulated" ]
    done
done
run predict halo.lua --db rec.db
check "which is said" has err 'are played again message by message'
run predict halo.lua --db rec.db -D demand=correlated --json
with_demand=$(key slowdown 1)
run predict halo.lua --db rec.db --json
check "with a demand it is by formulas" eval "! near $with_demand $(key slowdown 1) 1e-3"
run data merge rec.db --db again.db
run predict halo.lua --db again.db -D mapping=static --json
check "calls survive a merge" [ "$(key slowdown 1) $(key slowdown 2) $(key slowdown 3)" = "$simulated" ]
# A schedule is kept as it is.
awk 'BEGIN { print "num_ranks 8"; for (r = 0; r < 8; r++) { print "rank " r " {"
    for (k = 0; k < 20; k++) { n = 3 * k
        print "l" n + 1 ": calc " 40000 + 1000 * ((7 * r + 3 * k) % 11) "\nl" n + 2 ": send 4000b to " (r + 1) % 8 "\nl" n + 3 ": recv 4000b from " (r + 7) % 8
        if (k) print "l" n + 1 " requires l" n
        print "l" n + 2 " requires l" n + 1 "\nl" n + 3 " requires l" n + 2 }
    print "}" } }' > ring.goal
run import goal ring.goal --name ring --db rec.db --quiet
run simulate halo.lua --schedule ring.goal --db rec.db --json
simulated="$(key slowdown 1) $(key slowdown 2) $(key slowdown 3)"
run predict halo.lua --db rec.db -D description=ring --json
check "a schedule is predicted as it is simulated" [ "$(key slowdown 1) $(key slowdown 2) $(key slowdown 3)" = "$simulated" ]
run recommend --recording "$TOP/docs/recording/halo" -P 4 -N 1,2 --json
played=$(key slowdown 1) formulas=$(key slowdown_by_formulas 1)
check "recommend plays the calls of a folder" has out '"played_share": 1.0'
run recommend --recording "$TOP/docs/recording/halo" -P 4 -N 1,2 --most-played 0 --json
check "or is by formulas alone" eval "near $(key slowdown 1) $formulas 1e-12 && ! near $(key slowdown 1) $played 1e-3"
run recommend --recording "$TOP/docs/recording/halo" -P 4 -N 1,2 --most-played 5000 --json
check "of many calls a part is played" eval "exits 0 && near $(key slowdown 1) $played 0.1 && has out '\"played_share\": 0'"
run recommend --recording "$TOP/docs/recording/halo" -P 4 -N 1,2 --most-played 5000
check "which is said, too" has out 'a sample of the run'
run recommend --recording "$TOP/docs/recording/halo" -P 4 -N 1,2 --demand independent --json
check "a demand is for formulas" lacks out 'played_share'
run recommend --recording "$TOP/docs/recording/halo" -P 4 -N 1,2 --memory-share 0.1 --memory-feeds 2
check "so is memory, which is said" has err 'the recorded calls are not played'
refuses 2 'recording is missing, expected it beside --most-played' recommend -P 4 -U 0.5 --most-played 5
run recommend --recording "$TOP/docs/recording/halo" -P 4 -N 1,2 --stripe-bytes 1G
check "and nothing is taken for granted" lacks out 'Open MPI is taken'
refuses 2 'expected it beside --stripe-bytes' recommend -P 4 -U 0.5 --stripe-bytes 1G
run recommend --recording pairs --platform e5000-clump --db rec.db -P 8 -N 1,2
check "where no message leaves a node NICs make no difference" has out '^NICs make no difference: on nodes of 8 processors'
refuses 2 'was recorded with 8 ranks' recommend --recording pairs --db rec.db -P 16
mkdir folder
refuses 2 'folder' recommend --recording folder -P 4
