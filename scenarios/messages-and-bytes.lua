-- How many NICs for nodes of many cores, from what a process sends: its messages, their bytes, and how long it computes.
--
--   clumpmodel predict messages-and-bytes -D cores=64 -D nodes=32 -D gigabits=25 -D computing=600 -D messages=1e6 -D bytes=20e9
--   clumpmodel explore messages-and-bytes --max-slowdown 1.1 --node-price 12000 --nic-price 400 --port-price 300
--
-- YOURS: all that -D sets. Of one process, while the program runs once:
--   computing  seconds outside MPI (of mpiP's table "MPI Time": AppTime less MPITime)
--   messages   messages that it sends, over all its calls: mpiP's table "Aggregate Sent Message Size" has calls (Count) and bytes
--              (Total) of all processes together. A collective is one call there and several messages:
--              'clumpmodel record' takes it apart, and answers from the recording itself (docs/recording.md)
--   bytes      bytes of all these together
--   gigabits   of one NIC, Gb/s: 25 Gb/s are 3.125 GB/s, and 0.00032 us a byte
--   leaves     share of messages and bytes that go to other nodes. ASSUMPTION, if it is not said: to all processes alike.
--              Exchanges with neighbours leave the node less often.
-- MEASUREMENT: 0.56 us a message on one port of a ConnectX-6 (osu_bw, 1 byte: 1.78 MB/s), from openucx/ucx
--   issue 8851, taken for other NICs. Latency plays no role: messages are streamed.
-- ASSUMPTION: overheads of 0.2 us; within a node a byte costs 0.0001 us (10 GB/s) and a message 0.3 us.
--
-- Independent processes communicate at times of their own, correlated ones all at once, as after a barrier: measured
-- programs were nearer to the second. Memory that cores share is not in it (docs/scenarios.md).

cores = cores or 64
nodes = nodes or 32
gigabits = gigabits or 25
computing = computing or 600
messages = messages or 1e6
bytes = bytes or 20e9

local processes = cores * nodes
leaves = leaves or (processes > 1 and (processes - cores) / (processes - 1) or 0)

return scenario {
  title = "How many NICs of " .. gigabits .. " Gb/s for " .. nodes .. " nodes of " .. cores .. " cores?",
  platform = platform {
    name = "node",
    nodes = nodes,
    processors = cores,
    nics = 1,
    network = { L = 1.5, o_s = 0.2, o_r = 0.2, g = 0.56, G = 8 / (1000 * gigabits) },
    shared_memory = { L = 0.5, o_s = 0.2, o_r = 0.2, g = 0.3, G = 0.0001 },
  },
  application = application {
    name = "program",
    computation = computing,
    style = "streaming",
    remote_traffic = { bulk_messages = messages * leaves, bulk_bytes = bytes * leaves },
    local_traffic = { bulk_messages = messages * (1 - leaves), bulk_bytes = bytes * (1 - leaves) },
  },
  nics = { 1, 2, 4 },
  max_nics_per_processor = "auto",
  demand = { "independent", "correlated" },
}
