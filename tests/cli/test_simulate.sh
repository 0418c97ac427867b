# SPDX-License-Identifier: GPL-3.0-or-later
# simulate: what comes out, and what is refused.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
again && { pass "simulated once; with sanitizers in make check-sanitize-all"; exit 0; }

cat > plain.lua << 'LUA'
return scenario { title = "plain", processors = 8, nics = 4, utilization = 0.48 }
LUA
run simulate plain.lua --format json
check "simulate" exits 0
wide() { compute '2 * w' w="$(key half_width "$1")"; } # seldom left: 4 of 100,000
check "agrees with the exact engine" near "$(key slowdown)" 1.00193123733961 "$(wide)"
check "as precise as the default" near "$(key half_width)" 0 0.0101
check "says how many events" [ "$(key events | cut -d. -f1)" -gt 10000 ]
check "replications" [ "$(key replications)" = 32 ]
check "confidence" [ "$(key confidence)" = 0.95 ]
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
run predict plain.lua --format json
check "predict" near "$(key slowdown)" 1.00193123733961 1e-13
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
run simulate mix.lua --format json
check "a row a processor" [ "$(grep -c '"processor": ' out)" -eq 8 ]
check "each with its slowdown" near "$(key slowdown 8)" 0.846658011595 "$(wide 8)"

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
check "an application of the database" exits 0

# What a scenario says of its nodes, in terms of messages. 8 ranks of each node without computation:
# the NIC that has most of them is the bottleneck, and the NOW has one each.
node() { # fields of the scenario
    sed "s/nics = { 2, 8 }, messages = .*/messages = { answers = false, window = 32, most = 100 }, $1/" traffic.lua > node.lua
    run simulate node.lua --messages --precision 2% --format json
}
node 'nics = 2, mapping = "static", group_sizes = { 2, 6 }'
check "six ranks of 1000 messages of 4 us on one NIC" near "$(key predicted_time_s)" 0.024 0.0015
node 'nics = 2, efficiency = { 1, 0.5 }'
check "eight on two NICs that lose half" near "$(key predicted_time_s)" 0.032 0.002
node 'nics = 8, mapping = "static", placement = { near = 0.5, far = 0.5, domains = 2 }'
check "NICs at half speed are busy for twice 4 ms" near \
    "$(awk -v u="$(key nic_utilization)" -v t="$(key predicted_time_s)" 'BEGIN { print u * t }')" 0.008 0.0001
node 'nics = 8, demand = { "independent", "gang:4", "correlated", "scheduled" }'
check "a row a demand" [ "$(grep -c '"demand": ' out)" = 4 ]
check "a schedule is a bound" [ -z "$(key slowdown 4)" ]
check "which is said" has err '1 of 4 rows are left empty: scheduled demand'
node 'nics = 2, mapping = "static", group_sizes = { 2, 5 }'
check "groups that do not add up" has err 'group_sizes\|group sizes'
node 'demand = "gang:1.5"'
check "half a processor" has err 'gangs of 1.5 processors, expected a whole number'
for field in 'utilization = 0.3' 'cost_ratio = 0.5' 'phase_cycles = 4'; do
    node "$field"
    check "$field has no meaning" has err "^clumpmodel simulate: .*${field%% *}: expected none where messages are simulated; "
done
messages() { # fields of messages
    sed "s/window = 32/$1/; s/nics = { 2, 8 }/nics = 8/" traffic.lua > options.lua
    run simulate options.lua --messages --precision 2% --format json
}
# By hand, as in test_messages.c: o_s = 1, L = 5, o_r = 1.5, g = 4; one sender to one receiver, but for the queue.
cat > hand.lua <<'LUA'
return scenario {
    platform = platform { name = "p", nodes = NODES, processors = 1, nics = 1,
        network = { L = 5, o_s = 1, o_r = 1.5, g = 4, G = 0.01 },
        shared_memory = { L = 1, o_s = 0.5, o_r = 0.5, g = 1, G = 0.001 } },
    application = application { name = "a", computation = 1e-5 * COMPUTE, remote_traffic = { short_messages = COUNT }, local_traffic = {} },
    computation_times = "constant", messages = { answers = false, pattern = "many-to-one", FIELDS },
}
LUA
by_hand() { # nodes, messages of a sender, computation of 10 us for each or none, fields, microseconds
    sed "s/NODES/$1/; s/COUNT/$2/; s/COMPUTE/$2 * $3/; s/FIELDS/$4/" hand.lua > by-hand.lua
    run simulate by-hand.lua --messages --format json
    check "messages: $4" near "$(key predicted_time_s)" "$5e-6" 1e-11
}
by_hand 2 10 0 'window = 1' 120 # 9 periods of o_s + 2L + o_r, and a message
by_hand 2 10 1 'burst = 10' 143.5 # 100 of computation, 1 + 9 g, L + o_r
by_hand 2 20 1 'burst = 10, send_queue = 4' 265.5 # the tenth is taken when the sixth starts, at 121
by_hand 9 10 0 'receive_queue = 2' 323.5          # 1 + 5 + 79 g + 1.5
check "two wait for the processor, the rest at the NIC" near "$(key longest_queue)" 2 0
# Without its poll o_s is nothing, and each message pays for a poll: 0.2 + 6/s, of which one in s
# looks at the network; with s = 1 that is more than the 4 us of a NIC.
for skip in 1 16; do
    messages "polling = { local_cost = 0.2, network_cost = 6, minimum_skip = $skip, maximum_skip = $skip }, most = 100"
    check "polling every ${skip}th time" exits 0
    eval "skip$skip=$(key predicted_time_s)"
done
check "polls cost time" awk "BEGIN { exit !($skip1 > 0.0062 && $skip1 > 1.3 * $skip16) }"
messages 'imbalance = { 1, 1, 1, 1, 1, 1, 1, 3 }, most = 100'
check "the NOW waits for who has 3/1.25 of the messages" near "$(key now_time_s)" 0.0096 0.0005
refused() { messages "$1"; ran="simulate: $1"; check "refused" exits 2; check "said: $2" has err "$2"; }
refused 'polling = { local_cost = 0.2 }' 'expected local_cost and network_cost'
refused 'polling = { local_cost = 0.2, network_cost = 2, damping = 100 }' 'damping d, expected a power of two'
refused 'polling = { local_cost = 0, network_cost = 2 }' 'takes 0 us, expected 1e-6 or more'
refused 'polling = { local_cots = 1 }' 'did you mean "local_cost"'
refused 'imbalance = { 1, 2 }' 'imbalance has 2 entries, expected one for each of the 8 processors'
refused 'imbalance = { 0, 0, 0, 0, 0, 0, 0, 0 }' 'no processor of a node has work'

# No row takes more events than it is allowed.
run simulate traffic.lua --messages --max-events 1000 --format json
check "too few events: exit code 1" exits 1
check "empty rows" [ -z "$(key slowdown 1)" ]
check "and it is said" has err '2 of 2 rows are left empty, as the events allowed are too few'
run simulate plain.lua --max-events 10000 --format json
check "a short first round: exit code 1" exits 1
check "within the events" near "$(key events)" 10000 1000
check "and an estimate" near "$(key slowdown)" 1.0019 0.1

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
run simulate node.lua --schedule pair.goal
check "a schedule has no demand" eval 'exits 0 && has out "^Slowdown\|Slowdown  " && lacks out emand'
run simulate node.lua --schedule pair.goal --format json
check "--schedule" eval 'exits 0 && lacks out "\"demand\""'
check "o_s + L + 100 G + o_r" near "$(key predicted_time_s 1)" 8.5e-6 1e-12
check "within a node" near "$(key predicted_time_s 2)" 2.1e-6 1e-12
check "over its NOW" near "$(key slowdown 2)" 0.247058823529412 1e-12
check "the schedule stands for the application" [ "$(key application 1)" = pair.goal ]
inputs() { grep '^  "inputs": "[0-9a-f]\{64\}"' out; }
made_from=$(inputs)
cp pair.goal kept.goal
echo '// a comment' >> pair.goal
run simulate node.lua --schedule pair.goal --format json
check "its content is an input of the result" eval 'exits 0 && [ -n "$made_from" ] && [ "$(inputs)" != "$made_from" ]'
mv kept.goal pair.goal
run simulate node.lua --schedule pair.goal --format json
check "and nothing else" [ "$(inputs)" = "$made_from" ]
# What schedules may lack tests/unit/model/test_schedule.c tells; here that it is said of the file.
sed 's/to 1/to 2/' pair.goal > wrong.goal
refuses 2 'wrong.goal: line 3: ' simulate node.lua --schedule wrong.goal
sed 's/recv.*tag 7//' pair.goal > lost.goal
refuses 2 'lost.goal: the send of rank 0 in line 3 is never received' simulate node.lua --schedule lost.goal

# Rank 0 calculates for 1 us after its send; rank 1 calculates for 20 us before it receives.
printf 'num_ranks 2\nrank 0 {\n  s: send 101b to 1\n  c: calc 30000\n  c requires s\n}
rank 1 {\n  c: calc 20000\n  r: recv 101b from 0\n  r requires c\n}\n' > late.goal
late() {
    local time=$1
    shift
    run simulate node.lua --schedule late.goal --format json "$@"
    check "late.goal $*" near "$(key predicted_time_s 1)" "$time" 1e-12
}
late 31e-6                                                      # o_s + 30
late 50e-6 --rendezvous 100                                     # the send ends at 20
late 31e-6 --rendezvous 101
late 50e-6 --rendezvous 100 --conventions loggopsim
late 33e-6 --overhead-per-byte 0.02                             # o_s + 100 O + 30
sed -i 's/calc 30000/calc 1/' late.goal
late 21.5e-6 --conventions clumpmodel                           # 20 + o_r
late 22.5e-6 --conventions loggopsim                            # 20 + o_r + 100 G
late 23.5e-6 --conventions loggopsim --overhead-per-byte 0.02   # 20 + o_r + 100 O
late 23.5e-6 --overhead-per-byte 0.02
for option in '--conventions loggopsim' '--rendezvous 1K' '--overhead-per-byte 0.1'; do
    refuses 2 "${option%% *}: it is about schedules; expected it with --schedule only" simulate node.lua $option
done

refuses 2 'cannot open it' simulate node.lua --schedule no-such-file
refuses 2 'expected a platform with the LogGP' simulate plain.lua --schedule pair.goal
