# SPDX-License-Identifier: GPL-3.0-or-later
# simulate and predict --engine simulation: what comes out, and what is refused.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
man=$TOP/docs/man

cat > plain.lua << 'LUA'
return scenario { title = "plain", processors = 8, nics = 4, utilization = 0.48 }
LUA
run simulate plain.lua --format json --confidence 99.9%
check "simulate" exits 0
check "agrees with the exact engine" near "$(key slowdown)" 1.00193123733961 "$(key half_width)"
check "as precise as the default" near "$(key half_width)" 0 0.0101
check "says how many events" [ "$(key events | cut -d. -f1)" -gt 10000 ]
check "replications" [ "$(key replications)" = 32 ]
check "confidence" [ "$(key confidence)" = 0.999 ]
run simulate plain.lua --precision 0.1% --format json
check "--precision in percent" near "$(key half_width)" 0 0.00101
run simulate plain.lua --precision 0.001 --format json
check "--precision as a share is the same" near "$(key half_width)" 0 0.00101
for threads in 1 2 5; do
    "$CLUMPMODEL" simulate plain.lua --seed 7 --threads $threads --format csv > threads$threads
done
ran="simulate --threads 1, 2, 5"
check "the same on any number of threads" cmp -s threads1 threads2
check "the same on five threads" cmp -s threads1 threads5
run simulate plain.lua --seed 8 --format csv
check "another seed, another result" eval '! cmp -s out threads1'
run predict plain.lua --engine simulation --seed 7 --format csv
check "predict --engine simulation is the same" cmp -s out threads1
run predict plain.lua --engine exact --format json
check "predict --engine exact" near "$(key slowdown)" 1.00193123733961 1e-13
check "the exact engine has no interval" lacks out half_width

cat > times.lua << 'LUA'
return scenario { processors = 8, nics = 4, utilization = 0.3,
    computation_times = { "constant", "erlang:3", "hyperexponential:4", { samples = { 1, 2, 9 } } },
    communication_times = "constant" }
LUA
run simulate times.lua --format json
check "both constant: as if correlated, 1 + (8-4)/4 U" near "$(key slowdown 1)" 1.3 0.005
# Z_p = 1 + p c Z_(p-1) with c = w/N, and X = (1-U) Z_P/Z_(P-1).
exact=$(awk 'BEGIN { U = 0.3; c = U/(1-U)/4; z = 1; for (p = 1; p <= 8; p++) { last = z; z = 1 + p*c*z }; printf("%.9g", (1-U)*z/last) }')
for row in 2 3 4; do
    check "row $row does not depend on the distribution" near "$(key slowdown $row)" $exact 0.012
done
check "distributions by name" [ "$(key computation_times 3)" = hyperexponential:4 ]
check "samples" [ "$(key computation_times 4)" = samples ]
run simulate times.lua
check "table: interval beside the slowdown" has out 'Slowdown  *Interval'
cat > spread.lua << 'LUA'
return scenario { processors = 8, nics = 4, utilization = 0.3, start = "spread",
    computation_times = "constant", communication_times = "constant" }
LUA
run simulate spread.lua --format json
check "constant times that start apart do not stay together" near "$(key slowdown)" 0.9 0.2

cat > mix.lua << 'LUA'
return scenario { nics = 4, utilizations = { 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8 } }
LUA
run simulate mix.lua --confidence 0.999 --format json
check "a row a processor" [ "$(grep -c '"processor": ' out)" -eq 8 ]
check "each with its slowdown" near "$(key slowdown 8)" 0.846658011595 "$(key half_width 8)"

run simulate figure-8.3 --precision 5%
check "a shipped scenario" exits 0
cat > scheduled.lua << 'LUA'
return scenario { processors = 8, nics = 4, utilization = 0.3, demand = { "independent", "scheduled" } }
LUA
run simulate scheduled.lua --format json
check "scheduled demand is left empty" [ -z "$(key slowdown 2)" ]
check "which is said" has err '1 of 2 rows are left empty: scheduled demand'

run simulate plain.lua --precision 0.01% --max-events 100000
check "precision not reached: exit code 1" exits 1
check "results nevertheless" has out Slowdown
check "and it is said" has err 'did not reach the precision'

cat > bad.lua << 'LUA'
return scenario { processors = 8, nics = 4, utilization = 0.3, computation_times = "constnat" }
LUA
refuses 2 'computation_times is "constnat".*did you mean "constant"' simulate bad.lua
refuses 2 '--precision: found .0., expected 0.0001% to 100%' simulate plain.lua --precision 0
refuses 2 '--precision: found .1%%.' simulate plain.lua --precision 1%%
refuses 2 '--confidence: found .100%.' simulate plain.lua --confidence 100%
refuses 2 '--seed: found .-1.' simulate plain.lua --seed -1
refuses 2 '--threads: found .0.' simulate plain.lua --threads 0
refuses 2 '--engine: found .guess., expected exact or simulation' predict plain.lua --engine guess
refuses 2 '--seed: the exact engine does not simulate' predict plain.lua --seed 1
echo 'return scenario { processors = 8, nics = 4, utilization = 0.3, demand = "gang:3" }' > gang.lua
refuses 2 'does not divide the 8 processors' simulate gang.lua

# Message by message. Without computation the NICs are the bottleneck: 8 ranks on 2 of them.
cat > traffic.lua << 'LUA'
return scenario {
    platform = platform { name = "p", nodes = 4, processors = 8, nics = 8,
        network = { L = 5, o_s = 1, o_r = 1.5, g = 4, G = 0.01 },
        shared_memory = { L = 1, o_s = 0.5, o_r = 0.5, g = 1, G = 0.001 } },
    application = application { name = "a", computation = 0,
        remote_traffic = { short_messages = 1000 }, local_traffic = {} },
    nics = { 2, 8 }, messages = { answers = false, window = 32 },
}
LUA
run simulate traffic.lua --messages --format json
check "--messages" exits 0
check "four ranks a NIC: four times as long" near "$(key slowdown 1)" 4 0.5
check "a NIC each: as the NOW" near "$(key slowdown 2)" 1 0.1
check "its NICs are busy" near "$(key nic_utilization 1)" 1 0.1
check "messages" [ "$(key messages 1)" != "" ]
run simulate traffic.lua --format json
check "the same scenario by the model" near "$(key slowdown 1)" 1 100
refuses 2 'messages: expected an application with remote_traffic' simulate plain.lua --messages
sed 's/window = 32/windw = 32/' traffic.lua > typo.lua
refuses 2 'there is no field "windw"; did you mean "window"' simulate typo.lua
sed 's/window = 32/pattern = "matrix", matrix = { { 0, 1 }, { 1, 0 } }/' traffic.lua > matrix.lua
refuses 2 'matrix has 2 rows, expected one for each of the 32 ranks' simulate matrix.lua --messages
run simulate nics-per-node -D most=2 --messages --precision 5%
check "an application of the data base" exits 0

cat > pair.goal << 'GOAL'
num_ranks 2
rank 0 {
a: send 101b to 1 tag 7
}
rank 1 { recv 101b from 0 tag 7 }
GOAL
echo 'return scenario { platform = platform { processors = 1, nics = 1,
    network = { L = 5, o_s = 1, o_r = 1.5, g = 4, G = 0.01 },
    shared_memory = { L = 1, o_s = 0.5, o_r = 0.5, g = 1, G = 0.001 } }, processors = { 1, 2 } }' > node.lua
run simulate node.lua --schedule pair.goal --format json
check "--schedule" exits 0
check "o_s + L + 100 G + o_r" near "$(key predicted_time_s 1)" 8.5e-6 1e-12
check "within a node" near "$(key predicted_time_s 2)" 2.1e-6 1e-12
check "over its NOW" near "$(key slowdown 2)" 0.247058823529412 1e-12
check "the schedule stands for the application" [ "$(key application 1)" = pair.goal ]
sed 's/to 1/to 2/' pair.goal > wrong.goal
refuses 2 'wrong.goal: line 3: found .2., expected a rank below num_ranks' simulate node.lua --schedule wrong.goal
sed 's/from 0 tag 7/from 0 tag 8/' pair.goal > stuck.goal
refuses 2 'the recv of rank 1 in line 5 waits for a message' simulate node.lua --schedule stuck.goal
refuses 2 'cannot open it' simulate node.lua --schedule no-such-file
refuses 2 'is a directory' simulate node.lua --schedule .
refuses 2 'expected a platform with the LogGP' simulate plain.lua --schedule pair.goal

plain() { sed 's/\\-/-/g; s/\\(ti/~/g; s/\\(dq/"/g; s/\\&//g'; }
plain < "$man/clumpmodel-simulate.1" > page
for option in $("$CLUMPMODEL" help simulate | sed -n '/^Options:/,/^Options of/s/^ .*--\([a-z-]*\).*/\1/p' | sort -u); do
    ran="help simulate"
    [ "$option" = define ] && option=D
    check "-$option is in clumpmodel-simulate(1)" has page "^\.\(BI\|BR\|B\) .*-$option\( \|$\|\"\)"
done
run simulate traffic.lua --messages --format csv
"$CLUMPMODEL" predict plain.lua --format csv | head -n 1 | tr , '\n' > known
for name in $(head -n 1 out | tr , ' '); do
    grep -qx "$name" known ||
        check "key $name is in clumpmodel-simulate(1)" grep -q "^\(.*, \)*$name\(, .*\)*	T{" page
done
if command -v groff > /dev/null; then
    ran="groff clumpmodel-simulate.1"
    groff -t -man -ww -Tutf8 "$man/clumpmodel-simulate.1" > out 2> err
    status=$?
    check "clumpmodel-simulate.1: no warnings" empty err
fi
