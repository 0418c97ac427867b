# SPDX-License-Identifier: GPL-3.0-or-later
# Slowdowns from independent high-precision code (also in tests/golden/), through the JSON output.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

value() { # value EXPECTED TOLERANCE OPTIONS...
    local expected=$1 tolerance=$2
    shift 2
    run slowdown "$@" --format json
    check "X = $expected: $*" near "$(key slowdown)" "$expected" "$tolerance"
}

of_scenario() { # of_scenario EXPECTED TOLERANCE FIELDS: what 'slowdown' has no options for
    echo "return scenario { $3 }" > fields.lua
    run predict fields.lua --format json
    check "X = $1: $3" near "$(key slowdown)" "$1" "$2"
}

# The tolerance is a unit of the last digit that is given.
value 1.00193123733961 1e-14 --processors 8 --nics 4 --utilization 0.48
value 2.40508602750054 1e-14 --processors 8 --nics 1 --utilization 0.3
value 1.10477750516548 1e-14 -P 8 -N 4 -U 0.48 --max-nics-per-processor 1
of_scenario 0.99577724 1e-8 "processors = 8, nics = 4, utilization = 0.48, phase_cycles = 20"

# E(q) = 1/(1+0.05(q-1))
table=$(awk 'BEGIN { for (q = 1; q <= 8; q++) printf("%s%.17g", (q > 1 ? "," : ""), 1/(1+0.05*(q-1))) }')
of_scenario 1.15608279086259 1e-14 "processors = 8, nics = 4, utilization = 0.48, efficiency = { $table }"

# By hand: (8.9) 1 + (P-N)/N U; (8.10) below U_s = N/(N+P-1) 1-(N-1)/N U, above P U/N.
value 1.3 1e-14 -P 8 -N 4 -U 0.3 --demand correlated
value 0.85 1e-14 -P 8 -N 4 -U 0.2 --demand scheduled
# Gangs of all are correlated, gangs of one independent.
value 1.3 1e-14 -P 8 -N 4 -U 0.3 --demand gang:8
# Static pairs: P = 2, N = 1, b_1 = 1/(1+w), w = 1, X = (1-U) b_1 + 2U = 1.25.
value 1.25 1e-14 -P 8 -N 4 -U 0.5 --mapping static
# Groups of 2 and 1 on two NICs: (2 * 1.25 + 1)/3.
value 1.16666666666667 1e-14 -P 3 -N 2 -U 0.5 --group-sizes 2,1
# (8.11) with P = N = 1, where X(U_adj) = 1: k = 1-U(1-f)(1-V) = 1 - 0.5*0.6*0.75.
value 0.775 1e-14 -P 1 -N 1 -U 0.5 --remote-fraction 0.4 --cost-ratio 0.25
# Computation slower by a half: (1-U) 1.5 + U.
of_scenario 1.25 1e-14 "processors = 1, nics = 1, utilization = 0.5, memory_penalty = 1.5"
value 1 0 -P 8 -N 4 -U 0
value 2 1e-14 -P 8 -N 4 -U 1

run slowdown -P 3 -N 2 -U 0.5 --group-sizes 2,1 --format json
check "slowest: the pair" near "$(key slowest_slowdown)" 1.25 1e-14
check "group sizes make the mapping static" [ "$(key mapping)" = static ]

run slowdown -P 8 -N 4 -U .1,.2,.3,.4,.5,.6,.7,.8 --format json
check "processor 8 of a mix" eval 'near "$(key slowdown 8)" 0.846658011595 1e-11 && near "$(key utilization 8)" 0.8 1e-15'
mean=$(sed -n 's/^  "mean_slowdown": \([^,]*\).*/\1/p' out)
check "mean of the mix" near "$mean" 0.95840445551625 1e-11
slowest=$(sed -n 's/^  "slowest_slowdown": \([^,]*\).*/\1/p' out)
check "slowest of the mix" near "$slowest" 1.00920386087 1e-11

# P = 2, N = 1, U = 0.5: states with 0, 1, 2 active weigh 1, 2, 2.
run slowdown -P 2 -N 1 -U 0.5 --format json
check "mean number of communicating processors" near "$(key mean_active)" 1.2 1e-14
check "NIC utilization" near "$(key nic_utilization)" 0.8 1e-14

# The same values from a file, with percentages, comments and all separators; 15,000 of them.
run slowdown -P 4 -N 2 -U .1,.2,.3,.4 --format json
cp out by_list
printf '# measured\n10%% .2, .3\n\t.4 # the last\n' > list.txt
run slowdown -P 4 -N 2 -U @list.txt --format json
check "values from a file" cmp -s out by_list
printf '.1 .2\n.3,.4' > list.txt
"$CLUMPMODEL" slowdown -P 4 -N 2 -U @- --format json < list.txt > out
check "values from standard input" cmp -s out by_list
awk 'BEGIN { for (i = 0; i < 15000; i++) print 0.5 }' > many.txt
run slowdown -P 15000 -N 7500 -U @many.txt --demand correlated --format csv
check "15,000 values" [ "$(wc -l < out)" = 15001 ]
printf '.1 .2 .3\n' > list.txt
refuses 2 "found 3 values, expected 1 or one for each of the 4 processors" slowdown -P 4 -N 2 -U @list.txt
printf '3 3\n2\n' > list.txt
run slowdown -P 8 -N 3 -U 30% --group-sizes @list.txt --format json
cp out by_file
run slowdown -P 8 -N 3 -U .3 --group-sizes 3,3,2 --format json
check "group sizes from a file, and U in percent" cmp -s out by_file

# Processors that meet by the clock share amounts of time, not utilizations. By hand (MODEL.md 5): C = 1.6 and 0.4, D = 0.2 and
# 0.8; the first has sent after 0.4, the second after 1.
echo 'return scenario { nics = 1, processors = 2, utilizations = { 0.2, 0.8 }, demand = "correlated", memory_penalty = 2 }' > mix.lua
run predict mix.lua --format json
check "correlated: 1.6 + 0.4" near "$(sed -n 's/.*"processor": 1,.*"slowdown": \([^,]*\),.*/\1/p' out)" 2 1e-14
check "and 0.4 + 1" near "$(sed -n 's/.*"processor": 2,.*"slowdown": \([^,]*\),.*/\1/p' out)" 1.4 1e-14
check "D/period: (0.2 + 0.8)/2" near "$(key nic_utilization)" 0.5 1e-14
# Who sends nothing needs 3 for itself; three who only send take turns.
echo 'return scenario { nics = 1, processors = 4, utilizations = { 1, 1, 1, 0 }, demand = "scheduled", memory_penalty = 3 }' > mix.lua
run predict mix.lua --format json
check "scheduled: 3 for everybody" [ "$(grep -c '"slowdown": 3.0,' out)" = 4 ]
# 2 NICs: three of them alone need .9 + .05 = .95 and use .3/.95; the rest, 2 - .3/.95, is the first one's.
run slowdown -P 4 -N 2 -U 1,0.1,0.1,0.1 --demand scheduled --format json
check "the mean of 1/(2 - .3/.95) and three times .95" near "$(sed -n 's/.*"mean_slowdown": \([^,]*\),.*/\1/p' out)" 0.8609375 1e-14

# Several numbers of NICs: a row for each, as if asked one by one.
run slowdown -P 8 -N 2,4:8:2 -U 48% --format csv
cp out several
for N in 2 4 6 8; do
    run slowdown -P 8 -N $N -U 0.48 --format csv
    check "N = $N is in the rows of 2,4:8:2" grep -qxF "$(tail -n 1 out)" several
done
check "four rows" [ "$(wc -l < several)" = 5 ]
run slowdown -P 2 -N 1:3 -U 10%,20% --format json
check "a mix: three times two rows" [ "$(grep -c '"processor": [12],' out)" = 6 ]
refuses 2 'nics: found 2 numbers, expected one beside --group-sizes' slowdown -P 2 -N 1,2 -U .1 --group-sizes 1,1
refuses 2 'expected at most 1000000 rows' slowdown -P 2 -N 1:1000001 -U .1
# Never the wrong way round: with 3 NICs 2.102 to 2.620, where the mean of correlated demand is 2.429.
run recommend -P 8 -N 1,3 -U 0.5 --domains 2 --far 0.3 --format json
check "scheduled is no more than correlated" awk '/"scheduled"/ { s = $0; c = $0; sub(/.*"scheduled": /, "", s)
    sub(/.*"correlated": /, "", c); if (s + 0 > c + 0) exit 1; n++ } END { exit n != 6 }' out

# Memory as a second station (MODEL.md, section 27): brute force over all subsets.
value 1.18749864230266 1e-13 -P 8 -N 4 -U 0.48 --memory-share 50% --memory-feeds 2
run slowdown -P 8 -N 4 -U 0.48 --memory-share 0.5 --memory-feeds 2 --format json
# 8 half of 0.52 each over X, of 2
check "memory: how much is used" near "$(key memory_utilization)" "$(compute '8 * 0.5 * 0.52 / 1.18749864230266 / 2')" 1e-12
run slowdown -P 8 -N 2,4 -U 0.48
check "no column that nothing stands in" lacks out 'Measured\|Memory'
run recommend -P 8 -U 0.48 -N 4 --memory-share 0.5 --memory-feeds 2 --format json
check "recommend: the same slowdown" near "$(key slowdown 1)" 1.18749864230266 1e-13

logs=$TOP/tests/logs
# What a log of STREAM says of a platform: 23272.6 MB/s for one thread, 45024.8 for two (triad).
run import stream "$logs/stream_1_2_threads.txt" --platform box --nodes 1 --processors 2 --nics 1 --db box.db
check "a log of STREAM" exits 0
cat > box.lua << 'LUA'
return scenario { platform = platform "box", application = application { utilization = 0, memory_traffic = 23272.6e6 } }
LUA
run predict box.lua --db box.db --format json
check "memory of a platform of the database" [ "$(key memory_share)" = 1.0 ]
rate=$(awk '/^Triad/ { r[++n] = $2 } END { printf "%.15g", r[2]/r[1] }' "$logs/stream_1_2_threads.txt")
check "feeds as much as both threads draw" near "$(key memory_feeds)" "$rate" 1e-12
check "and slows two of them down" near "$(key slowdown)" "$(awk "BEGIN { printf \"%.15g\", 2/$rate }")" 1e-12
