# SPDX-License-Identifier: GPL-3.0-or-later
# Applications that name their collectives, and training steps.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
export LC_ALL=C

# node FILE APPLICATION FIELDS: two nodes of four processors, bandwidth only
node() {
    cat > "$1" <<LUA
local node = platform { name = "node", processors = 4, nics = 2, nodes = 2,
  network = { L = 1e-9, o_s = 0, o_r = 0, g = 1e-9, G = 0.001 },
  shared_memory = { L = 1e-9, o_s = 0, o_r = 0, g = 1e-9, G = 0.0001 } }
local program = $2
return scenario { application = program, platform = node, $3 }
LUA
}
ring='application { name = "ring", computation = 1, collectives = collective { kind = "allreduce", bytes = 8e8, algorithm = "ring" } }'
node ring.lua "$ring" 'nics = { 1, 2, 4 }'
run predict ring.lua --format json
# 14 steps of 1e8 bytes: 1.4e9 x 0.001 us = 1.4 s on the NOW and through one NIC
check "a ring takes 2 (R-1)/R n G" eval "exits 0 && near $(key now_time_s 1) 2.4 1e-6 && near $(key predicted_time_s 1) 2.4 1e-6"
check "through two NICs half" eval "near $(key predicted_time_s 2) 1.7 1e-6 && near $(key predicted_time_s 3) 1.35 1e-6"
check "it is correlated, and has a utilization" eval "[ $(key demand 1) = correlated ] && near $(key utilization 1) 0.583333 1e-5"
check "NICs in use" near "$(key nic_utilization 1)" 0.583333 1e-5
run predict ring.lua --format json -s overlap=1
check "what it is overlaps in the application, not in the scenario" exits 2
node overlap.lua "${ring/computation = 1/computation = 1, overlap = 0.5}" 'nics = 1'
run predict overlap.lua --format json
check "overlap" eval "exits 0 && near $(key predicted_time_s 1) 1.7 1e-6"
node most.lua "${ring/computation = 1/computation = 0.3, overlap = 1}" 'nics = 1'
run predict most.lua --format json
check "no more than it computes" eval "exits 0 && near $(key predicted_time_s 1) 1.4 1e-6"
node time.lua "${ring/computation = 1/now_time = 3}" 'nics = 1'
run predict time.lua --format json
check "from a time on the NOW" eval "exits 0 && near $(key predicted_time_s 1) 3 1e-6 && near $(key utilization 1) 0.466667 1e-5"
run simulate ring.lua --format json
check "simulated message by message" eval "exits 0 && near $(key predicted_time_s 1) 2.4 0.03 && near $(key predicted_time_s 2) 1.7 0.03"
run explore ring.lua --max-slowdown 0.8
check "explore" eval "exits 0 && has out '^ *2 .*  *yes'"
node groups.lua 'application { computation = 0, collectives = {
  collective { kind = "allgather", bytes = 1e8, size = 4, algorithm = "ring" },
  collective { kind = "alltoall", bytes = 1e8, size = 2, stride = 4, count = 2, algorithm = "linear" },
  collective { kind = "send", bytes = 1e8, size = 2, stride = 4 } } }' 'nics = { 1, 4 }'
run predict groups.lua --format json
# within the node 3 x 1e8 x 1e-4; four pairs through one NIC: 4 x 1e8 x 1e-3, twice, and once more
check "communicators of some ranks" eval "exits 0 && near $(key predicted_time_s 1) 1.23 1e-6 && near $(key predicted_time_s 2) 0.33 1e-6"

# compare_with: both as if they were predicted alone, with the computation of the one that is compared with
cat > compared.lua <<'LUA'
local node = platform { name = "node", processors = 4, nics = 2, nodes = 2,
  network = { L = 1e-9, o_s = 0, o_r = 0, g = 1e-9, G = 0.001 },
  shared_memory = { L = 1e-9, o_s = 0, o_r = 0, g = 1e-9, G = 0.0001 } }
local fast = platform { name = "fast", like = node, network = { G = 0.0005 } }
local large = platform { name = "large", like = node, nodes = 4 }
local now = platform { name = "now", like = node, processors = 1, nics = 1, nodes = 8 }
local all = { node = node, fast = fast, large = large, now = now }
return scenario { platform = all[on], compare_with = all[with], nics = nics or {1, 2},
  application = application { computation = not whole and 1 or nil, now_time = whole, times = measured and { node = measured },
    collectives = collective { kind = "allreduce", bytes = 8e8, algorithm = "ring" } } }
LUA
ratio() { # ratio ROW EXPECTED [SECONDS]
    eval "exits 0 && near $(key ratio "$1") $2 1e-5 && near $(key compared_time_s "$1") ${3:-1.7} 1e-6"
}
run predict compared.lua -D on=node -D with=node --format json
check "compare_with: fewer NICs" eval "ratio 1 $(awk 'BEGIN { print 2.4 / 1.7 }') && ratio 2 1"
run predict compared.lua -D on=fast -D with=node --format json
check "compare_with: faster ones" eval "ratio 1 1 && ratio 2 $(awk 'BEGIN { print 1.35 / 1.7 }') && near $(key communication_ratio 1) 0.5 1e-6"
run predict compared.lua -D on=fast -D with=node -D whole=4.4 --format json
check "compare_with: the time on the NOW is that of the one compared with" eval "ratio 1 1 3.7 && near $(key predicted_time_s 1) 3.7 1e-6"
run predict compared.lua -D on=fast -D with=node -D measured=3.4 --format json
check "compare_with: a time that was measured there scales both" eval "ratio 2 $(awk 'BEGIN { print 1.35 / 1.7 }') 3.4 && near $(key predicted_time_s 2) 2.7 1e-6"
run predict compared.lua -D on=node -D with=now --format json
check "compare_with: a NOW" eval "ratio 1 1 2.4 && near $(key ratio 2) $(awk 'BEGIN { print 1.7 / 2.4 }') 1e-6"
refuses 2 'it has 16 ranks on "large" and 8 there, expected as many' predict compared.lua -D on=large -D with=node
run explore compared.lua -D on=node -D with=node --max-slowdown 1.1 --format json
check "compare_with: the least number by the ratio" eval "exits 0 && [ $(key least_nics) = 2 ]"
run explore training-step --max-slowdown 1.05 --format json
check "the shipped step: 1.05 times a NIC for each" eval "exits 0 && [ $(key least_nics) = 2 ]"
run simulate compared.lua -D on=node -D with=node --format json
check "compare_with: simulated it is one platform" eval "exits 0 && near $(key predicted_time_s 1) 2.4 0.03"
refuses 2 'by the exact engine only' simulate compared.lua -D on=node -D with=node -D whole=4.4
run collective compared.lua -D on=node -D with=node --format json
check "compare_with: times by size" exits 0
for library in open-mpi mpich fastest; do
    node library.lua "${ring/\"ring\"/\"$library\"}" 'nics = 1'
    run predict library.lua
    check "algorithm of $library" exits 0
done
# words for algorithms, with any of hyphen, underscore and space; a word means what the name means
same() { # same KIND WORD NAME
    node word.lua "application { computation = 1, collectives = collective { kind = \"$1\", bytes = 8e8, algorithm = \"$2\" } }" 'nics = 1'
    run predict word.lua --format csv
    check "$1 by $2" exits 0
    mv out word
    sed -i "s/\"$1\"/\"${1//[-_ ]/-}\"/; s/\"$2\"/\"$3\"/; s/all-to-all/alltoall/" word.lua
    run predict word.lua --format csv
    check "$1 by $2 is $3" eval "exits 0 && cmp -s out word"
}
same allreduce tree reduce-first
same reduce_scatter tree reduce-first
same allgather tree gather-first
same broadcast tree binomial
same broadcast ring scatter-ring
same all-to-all ring pairwise
same all-to-all "recursive doubling" bruck
same allreduce recursive_doubling recursive-doubling
same allreduce "hierarchical with rails" rails
same broadcast "hierarchical without rails" hierarchical

# refused with place
wrong() { # wrong FIELDS MESSAGE
    node wrong.lua "application { computation = 1, collectives = collective { kind = \"allreduce\", $1 } }" 'nics = 1'
    refuses 2 "$2" predict wrong.lua
}
wrong 'bytes = -1' 'wrong.lua:4: collective: bytes is -1, expected a number, 0 to 1e+15'
wrong 'count = 1' 'bytes is nothing'
wrong 'bytes = 1, size = 0' 'size is 0, expected a whole number'
wrong 'bytes = 1, stride = 2' 'found stride, expected size'
wrong 'bytes = 1, size = 3' 'expected numbers that divide each other'
wrong 'bytes = 1, size = 16' 'communicators of 16 ranks'
wrong 'bytes = 1, algorithm = "bruck"' 'algorithm of allreduce is "bruck", expected one of "fastest"'
wrong 'bytes = 1, overlap = 2' 'overlap is 2'
wrong 'byte = 1' 'did you mean "bytes"'
node wrong.lua 'application { computation = 1, collectives = collective { kind = "scan", bytes = 1 } }' ''
refuses 2 'kind is "scan", expected "allreduce"' predict wrong.lua
node wrong.lua 'application { computation = 1, collectives = {} }' ''
refuses 2 'collectives is an empty list' predict wrong.lua
node wrong.lua 'application { collectives = collective { kind = "allreduce", bytes = 1 } }' ''
refuses 2 'found neither time' predict wrong.lua
node wrong.lua "$ring" 'demand = "independent"'
refuses 2 'all processors take part in a collective together' predict wrong.lua
node wrong.lua "$ring" 'utilization = 0.2'
refuses 2 'follows from its collectives' predict wrong.lua
node wrong.lua "${ring/computation = 1/now_time = 1}" ''
refuses 2 'its collectives take 1.4 s on the NOW, more than the 1 s' predict wrong.lua
node wrong.lua "${ring/computation = 1/computation = 1, ranks = 9}" ''
refuses 2 'divide each other' predict wrong.lua

sed 's/nodes = 2,/nodes = 2, placement = { near = 0.5 },/' ring.lua > wrong.lua
refuses 2 'NICs at a share of their speed (near)' predict wrong.lua
sed 's/nodes = 2,/nodes = 2, io_bus = "half-duplex",/; s/computation = 1,/computation = 0,/' ring.lua > half.lua
run predict half.lua --format json
check "what arrives occupies a half-duplex bus, too" near "$(key nic_utilization 1)" 1 1e-6

# training steps
step='training_step { parameters = 1e9, data = 8, computation = 1, bytes = 4, algorithm = "ring" FIELDS }'
node step.lua "${step/FIELDS/}" 'nics = { 1, 2 }'
run predict step.lua --format json
check "gradients of a step: 2 x 7/8 x 4 GB" eval "exits 0 && near $(key predicted_time_s 1) 8 1e-6 && near $(key predicted_time_s 2) 4.5 1e-6"
cat > work.lua <<'LUA'
local step, work = training_step { parameters = 12 * 24 * 1024 * 1024, layers = 24, hidden = 1024, sequence = 512, batch = 64,
  microbatches = 4, tensor = 4, pipeline = 2, data = 8, flops = 1e14, sharded = 1, overlap = { data = 0.5, tensor = 0.1 } }
assert(work.ranks == 64 and work.bubble == 0.25 and #work.collectives == 4)
assert(work.collectives[1].part == "tensor" and work.collectives[1].bytes == 2 * 512 * 1024 * 2)
local node = platform { processors = 8, nics = 4, network = { L = 2, o_s = 1, o_r = 1, g = 1, G = 0.00004 },
  shared_memory = { L = 1, o_s = 1, o_r = 1, g = 1, G = 0.00001 } }
return scenario { application = step, platform = node, nics = { 1, 2, 4 } }
LUA
run predict work.lua
check "what follows from a step" exits 0
# By MODEL.md 34, with t = 1, p = 2, d = 8, e = 4, v = 2, m = 4: a bubble of 1/8, micro-batches of 2 sequences.
cat > experts.lua <<'LUA'
local step, work = training_step { parameters = 4e9, expert_parameters = 3e9, active_parameters = 1.5e9, layers = 24, hidden = 1024,
  sequence = 512, batch = 64, microbatches = 4, chunks = 2, pipeline = 2, data = 8, expert = 4, expert_layers = 12, choices = 2,
  activation_bytes = 4, bytes = 2, flops = 1e14 }
local function is(found, expected) assert(math.abs(found / expected - 1) < 1e-12, found .. ", expected " .. expected) end
is(work.bubble, 1 / 8)
is(work.computation, 1.125 * 3 * 64 * 512 * (2 * 1.5e9 + 4 * 24 * 512 * 1024) / (2 * 8 * 1e14))
local activations, data = 2 * 512 * 1024 * 4, { 1e9 / 2 * 2, 3e9 / (2 * 4) * 2 }
for _, c in ipairs(work.collectives) do
  if c.part == "pipeline" then is(c.bytes, activations) is(c.count, 1.125 * 2 * 2 * 4)
  elseif c.part == "expert" then is(c.bytes, activations * 2 / 4) is(c.count, 1.125 * 4 * 12 / 2 * 4)
  else is(c.bytes, table.remove(data, 1)) is(c.count, 1) end
end
assert(#work.collectives == 4 and #data == 0)
return scenario { processors = 2, nics = 1, utilization = 0.5 }
LUA
run predict experts.lua
check "every field of a step reaches its place" exits 0
alone='training_step { parameters = 1e9, computation = 1 }'
node alone.lua "$alone" ''
run predict alone.lua --format json
check "a step of one processor" eval "exits 0 && near $(key slowdown 1) 1 1e-9"
many=${step/data = 8/data = 32}
node nodes.lua "${many/FIELDS/}" ''
run predict nodes.lua
check "more ranks than the nodes have are noticed" has err 'has 32 ranks, which fill 8 nodes of 4 processors; platform "node" is said to have 2'
run predict nodes.lua -s processors=16
check "with larger nodes they fit" lacks err 'ranks, which fill'
sed 's/nics = 2,/nics = 2, max_nics_per_processor = 1,/' ring.lua > one.lua
run predict one.lua
check "NICs that a ring cannot use are noticed" has err 'keeps 1 of 4 NICs busy on platform "node"; .* give it max_nics_per_processor = 4'
sed 's/"ring" }/"open-mpi" }/' one.lua > library.lua
run predict library.lua
check "those of a library that is named are as they are" lacks err 'ring leaves'
wrong_step() {
    node wrong.lua "${step/FIELDS/, $1}" ''
    refuses 2 "$2" predict wrong.lua
}
wrong_step 'tensor = 0' 'wrong.lua:4: training_step: tensor is 0, expected a whole number'
wrong_step 'sharded = 4' 'sharded is 4, expected a whole number, 0 to 3'
wrong_step 'recompute = 1' 'recompute is 1, expected true or false'
wrong_step 'overlap = { date = 1 }' 'did you mean "data"'
wrong_step 'parameter = 1' 'did you mean "parameters"'
node wrong.lua 'training_step { parameters = 1e9, flops = 400, layers = 24, hidden = 1024, sequence = 512, batch = 8 }' ''
refuses 2 'flops is 400.0, expected operations a second' predict wrong.lua
node wrong.lua 'training_step { parameters = 1e9, flops = 4e14, computation = 1, layers = 24, hidden = 1024, sequence = 512, batch = 8 }' ''
refuses 2 'found flops and computation, expected one of them' predict wrong.lua
node billions.lua 'training_step { parameters = 7, flops = 4e14, layers = 24, hidden = 1024, sequence = 512, batch = 8 }' ''
run predict billions.lua
check "parameters in billions are noticed" eval "exits 0 && has err 'parameters is 7, but 24 layers with hidden = 1024 usually have some 3e+08'"

# the table of times, crossovers, and a schedule
run collective "$TOP/docs/gradients.lua" --sizes 1e3,1e6,1e9 --format json
check "times by size" eval "exits 0 && [ $(grep -c '"time_us"' out) -eq 24 ] && near $(key time_us 3) 77567.0 0.01"
check "crossovers" has out '"nics": 8, .*"by": "fastest", "algorithm": "ring", "from_bytes": 30'
run collective "$TOP/docs/gradients.lua" -D nics=2
check "sizes of its own" eval "exits 0 && has out '1073741824' && has out ' 1000000000 ' && has out '^Crossovers'"
run collective "$TOP/docs/gradients.lua" --format csv --sizes 8
check "CSV" eval "[ $(wc -l < out) -eq 9 ] && has out '^application,platform,processors,nics,mapping,kind,ranks,size,stride,bytes,called,algorithm,time_us,fastest,'"
run collective ring.lua --sizes 8e8 --goal ring.goal
check "a schedule" eval "exits 0 && has ring.goal 'num_ranks 8' && has err 'allreduce of 800000000 bytes, ring, 8 ranks'"
run simulate ring.lua --schedule ring.goal --format json
check "which takes as long" eval "exits 0 && near $(key predicted_time_s 1) 1.4 0.03"
run collective training-step --sizes 1e6
check "of a training step" eval "exits 0 && has out 'reduce-scatter' && has out ' send '"
run collective groups.lua --sizes 1e8 --format json
check "each of several" eval "exits 0 && near $(key time_us 1) 30000 1 && near $(key time_us 2) 400000 1"
echo 'return scenario { platform = platform "e5000-clump", utilization = 0.3 }' > none.lua
refuses 2 'has no application with collectives' collective none.lua
# NCCL, on a node of which a file has the links
gpus=$TOP/docs/topology/gpus.lua
run collective "$gpus" --sizes 0,1e9 --format json
# 4 nodes of 4 A100: a tree of 3 and 2 hops up and down, and 2 15/16 GB around at 24 GB/s a NIC
check "NCCL's tree" eval "exits 0 && near $(key nccl_us 1) $(awk 'BEGIN { print 4.4 + 2 * (3 * 0.52 * 1.8 + 2 * 5) }') 0.001 && has out '\"nccl\": \"tree LL\"'"
check "NCCL's ring" near "$(key nccl_us 2)" "$(awk 'BEGIN { print 1.9 * (8.4 + 24 * 3.4 + 6 * 9.6) + 1e9 * 30 / 16 / 24000 }')" 1
run collective "$gpus" --sizes 8,1e9
check "with crossovers" has out '4  nccl  *ring LL128  *[0-9]'
run collective ring.lua --sizes 8
check "no column where there are no GPUs" lacks out NCCL
run predict "$gpus" --format json
check "its time in a prediction" eval "exits 0 && near $(key predicted_time_s 3) 0.2784 0.001"
node wrong.lua "${ring/algorithm = \"ring\"/algorithm = \"nccl\"}" ''
refuses 2 'found no links between GPUs' predict wrong.lua
node wrong.lua 'application { computation = 1, collectives = collective { kind = "alltoall", bytes = 1, algorithm = "nccl" } }' ''
refuses 2 'algorithm of alltoall is "nccl"' predict wrong.lua
node wrong.lua "${ring/computation = 1/computation = 1, ranks = 9}" ''
refuses 2 'divide each other' collective wrong.lua
run predict resnet50 --format json
check "training beside what was measured" near "$(sed -n 's/.*"mean_absolute_error": \([0-9.]*\).*/\1/p' out)" 0.064 0.001
