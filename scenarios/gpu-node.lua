-- A node with 8 accelerators: are 1, 2, 4 or 8 NICs enough?
--
--   clumpmodel explore gpu-node --max-slowdown 1.05
--   clumpmodel predict gpu-node -D step=0.5 -D parameters=70e9
--   clumpmodel explore gpu-node -s speed=0.5,1,2 --pareto --by predicted_time_s,nics
--
-- VENDOR figures, of one product of this kind (NVIDIA DGX H100; system user guide and data sheet):
--   8 accelerators; 8 single-port ConnectX-7 of up to 400 Gb/s for the compute fabric, one to each
--   accelerator: 50 GB/s, G = 1/50000 us a byte.
--   NVLink 900 GB/s to each accelerator, both directions together: 450 GB/s one way.
-- MEASUREMENT: 0.56 us a message on one port of a ConnectX-6 (osu_bw, 1 byte: 1.78 MB/s), from
--   openucx/ucx issue 8851; taken for ConnectX-7, for which there was no public figure at hand.
--   With messages of megabytes it does not matter. Latency plays no role: messages are streamed.
-- ARITHMETIC: data-parallel training of a model of `parameters` numbers of 2 bytes, sharded over the 8
--   accelerators of a node: a ring all-reduce among many nodes moves 2 x 2 bytes x parameters/8 out of
--   each accelerator in a step, and as much within the node.
-- Look at the ratio, to a node with a NIC for each accelerator. The slowdown compares with a NOW in which each
-- accelerator has a node of its own, so that also what here goes by NVLink goes through NICs there.
-- YOURS: `step`, the seconds in which an accelerator does not communicate (docs/gpu.md of the sources
--   finds it in a profile); `parameters`; and `speed`, that of a NIC in units of 400 Gb/s.

step = step or 0.25
parameters = parameters or 7e9
speed = speed or 1

local bytes = 2 * 2 * parameters / 8
local messages = bytes / 4e6

local node = platform {
  name = "8 accelerators",
  nodes = 32,
  processors = 8,
  nics = 8,
  network = { L = 1.0, o_s = 0.2, o_r = 0.2, g = 0.56, G = 1 / (50000 * speed) },
  shared_memory = { L = 1.0, o_s = 0.2, o_r = 0.2, g = 0.4, G = 1 / 450000 },
}

return scenario {
  title = "How many NICs for 8 accelerators?",
  application = application {
    name = "training step",
    computation = step,
    style = "streaming",
    remote_traffic = { bulk_messages = messages, bulk_bytes = bytes },
    local_traffic = { bulk_messages = messages, bulk_bytes = bytes },
  },
  platform = node,
  compare_with = platform { name = "a NIC for each accelerator", like = node },
  nics = { 1, 2, 4, 8 },
  max_nics_per_processor = "auto",
  demand = { "independent", "correlated" },
}
