#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What has to hold whatever the question, and the same answer at every entrance: random questions, by a seed. The library's part is
# tests/unit/exploring/test_properties.c, which has many more.
. "$(dirname "$0")/lib.sh"
again && { echo 'ok - answers do not depend on the build'; exit 0; }
questions=${CLUMP_TEST_LONG:+60}
RANDOM=${CLUMP_TEST_SEED:-32}

draw() { # into P N U demand mapping m
    local demands=(independent correlated scheduled gang)
    P=$((RANDOM % 16 + 1)) N=$((RANDOM % (P + 2) + 1))
    U=0.$(printf %03d $((RANDOM % 1000)))
    demand=${demands[RANDOM % 4]} mapping=pooled m=0
    if [ "$demand" = gang ]; then demand=gang:$((RANDOM % 2 ? P : RANDOM % P + 1)); fi
    if [ $((RANDOM % 2)) = 1 ]; then mapping=static; elif [ $((RANDOM % 2)) = 1 ]; then m=$((RANDOM % 3 + 1)); fi
    options="-P $P --demand $demand"
    [ $m = 0 ] || options="$options --max-nics-per-processor $m"
}

# Its row in what recommend says: pooled, limited, tied.
arrangement() { if [ $mapping = static ]; then echo 3; elif [ $m -gt 0 ]; then echo 2; else echo 1; fi; }

failed=0 told=
differs() { # NAME FOUND EXPECTED: and remember the first
    near "$2" "$3" "$(compute '1e-12 * x' x="$3")" && return
    failed=$((failed + 1))
    told=${told:-"$1: $2 instead of $3: $options -N $N -U $U --mapping $mapping"}
}
for ((i = 0; i < ${questions:-15}; i++)); do
    draw
    run slowdown $options -N $N -U $U --mapping $mapping --format json
    X=$(key slowdown)
    low=$(key interval_low) high=$(key interval_high)
    [ $P = 1 ] || awk -v x="$X" -v l="$low" -v h="$high" 'BEGIN { exit !(l < x && x < h && x * x / l / h - 1 < 1e-9 && l * h / x / x - 1 < 1e-9) }' ||
        differs "an interval around another number" "$low" "$X"
    awk -v x="$X" -v l="$(key lower_bound)" -v h="$(key upper_bound)" 'BEGIN { exit !(l <= x && x <= h) }' ||
        differs "beyond its bounds, the lower" "$(key lower_bound)" "$X"
    run slowdown $options -N $N -U $U --mapping $mapping
    near "$(sed -n 's/^Slowdown  *//p' out)" "$X" 0.000051 || differs "for eyes" "$(sed -n 's/^Slowdown  *//p' out)" "$X"
    run recommend $options -N $N -U $U --format json
    differs recommend "$(key slowdown "$(arrangement)")" "$X"
    cat > question.lua << LUA
return scenario { processors = P, nics = N, demand = "$demand", mapping = "$mapping",
  max_nics_per_processor = $([ $m = 0 ] && echo nil || echo $m), compare_with = beside and platform { name = "p", processors = P, nics = N,
  mapping = "$mapping", max_nics_per_processor = $([ $m = 0 ] && echo nil || echo $m) }, application = application { name = "a", utilization = U },
  platform = platform { name = "p", processors = P, nics = N } }
LUA
    run predict question.lua -D P=$P -D N=$N -D U=$U --format json
    differs predict "$(key slowdown)" "$X"
    run explore question.lua -D P=$P -D N=$N -D U=$U --inputs none --format json
    differs "explore, what it judges by" "$(key pace)" "$X"
    run predict question.lua -D P=$P -D N=$N -D U=$U -D beside=true --format json
    differs "beside itself" "$(key ratio)" 1
    [ -z "$(key interval_low)" ] || differs "beside itself, without interval:" "$(key interval_low)" 1
    [ "$demand" != "gang:$P" ] || {
        run slowdown ${options/gang:$P/correlated} -N $N -U $U --mapping $mapping --format json
        differs "correlated" "$(key slowdown)" "$X"
    }
    [ $mapping = static ] || m=1
    run slowdown -P $P -N $P -U $U --demand $demand --mapping $mapping $([ $m = 0 ] || echo --max-nics-per-processor 1) --format json
    differs "a NIC each" "$(key slowdown)" 1
done
check "random questions: ${told:-all entrances agree}" [ $failed = 0 ]

# The same question in words of another size: a share in percent, bytes with a prefix, times in another unit.
run slowdown -P 8 -N 3 -U 48% --format json
X=$(key slowdown)
run slowdown -P 8 -N 3 -U 0.48 --format json
check "in percent" [ "$(key slowdown)" = "$X" ]
cat > units.lua << 'LUA'
local function protocol(l) return { L = 5 * l, o_s = l, o_r = l, g = 2 * l, G = 0.001 * l } end
return scenario { platform = platform { name = "p", nodes = 2, processors = 4, nics = 2, network = protocol(unit), shared_memory = protocol(unit / 4) },
  application = { application { name = "traffic", computation = 0.1 * unit, remote_traffic = { short_messages = 1000, bulk_messages = 10, bulk_bytes = 1e6 } },
    application { name = "collectives", computation = 0.001 * unit, collectives = collective { kind = "allreduce", bytes = 1e5 } } } }
LUA
run predict units.lua -D unit=1 --format json
X="$(key slowdown 1) $(key slowdown 2)"
run predict units.lua -D unit=1024 --format json
check "times in another unit" [ "$(key slowdown 1) $(key slowdown 2)" = "$X" ]
run simulate units.lua -D unit=1 --seed 3 --precision 5% --format json
X="$(key slowdown 1) $(key slowdown 2)"
run simulate units.lua -D unit=1024 --seed 3 --precision 5% --format json
check "simulated" eval '[ -n "${X% *}" ] && [ "$(key slowdown 1) $(key slowdown 2)" = "$X" ]'
run collective units.lua -D unit=1 --sizes 8,1e6 --format json
X="$(key time_us 1) $(key time_us 2)"
run collective units.lua -D unit=1024 --sizes 8,1e6 --format json
scaled=$(compute '1024 * a' a="${X% *}")
check "of calls of a collective" eval '[ -n "${X% *}" ] && near "$(key time_us 1)" "$scaled" 1e-9'

# Calls that are played again, on the machine itself.
run collective units.lua -D unit=1 --goal calls.goal
run import goal calls.goal --db calls.db
cat > calls.lua << 'LUA'
local function protocol(l) return { L = 5 * l, o_s = l, o_r = l, g = 2 * l, G = 0.001 * l } end
local p = platform { name = "p", nodes = 2, processors = 4, nics = 2, network = protocol(1), shared_memory = protocol(0.25) }
return scenario { application = application "calls.goal", platform = p, compare_with = p, nics = { 2, 1 } }
LUA
run predict calls.lua --db calls.db --format json
check "a recorded program beside itself" eval 'exits 0 && near "$(key ratio 1)" 1 1e-12 && [ -z "$(key interval_low 1)" ]'
check "and with fewer NICs it is not faster" awk -v x="$(key ratio 2)" 'BEGIN { exit !(x >= 1) }'
sed 's/demand = "[a-z:0-9]*"/demand = "independent"/' question.lua > simulated.lua
run simulate simulated.lua -D P=4 -D N=2 -D U=0.5 --format json
check "a simulation has intervals of its own, and no bounds" eval 'exits 0 && [ -n "$(key half_width)" ] && [ -z "$(key lower_bound)$(key interval_of)" ]'

# Who waits for whom: the number, its interval and its words are those of the slowest group.
run slowdown -P 11 -N 5 -U 0.845 --demand correlated --mapping static --format json
check "correlated: 1 - U + 3 U of the three at one NIC" near "$(key slowdown)" 2.69 1e-12
check "whose interval it is" [ "$(key interval_of)" = slowdown ]
