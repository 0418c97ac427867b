-- ResNet-50 on nodes of 4 GPUs and 2 NICs: predicted beside what was measured, and with 1 and 4 NICs.
--
--   clumpmodel predict resnet50
--   clumpmodel explore resnet50 -s reductions=1,54,161
--
-- MEASURED on ABCI, compute nodes (V): 4 V100 and two NICs of 100 Gb/s (aistabci/abci2.0benchmark, commit f0aa27f, MIT
-- licence; clumpmodel's docs/clusters.md has the files):
--   90 epochs on 1 to 32 nodes, "Time for train"; a step has 4 x 96 images on each node, 300,330 of them on one node;
--   messages between GPUs of two nodes, osu_latency and osu_mbw_mr of four pairs: 2.4 us, and 20.5 GB/s through two NICs;
--   NCCL's allreduce within a node: 8.2 us of 8 bytes (6 steps of a ring of 4), 447 us of 33.6 MB.
-- ARITHMETIC: 25,557,032 parameters of 4 bytes, added up by rings in `reductions` calls, one a layer if Horovod finds
--   each by itself (docs/clusters.md). The time of a step is that of one node, less its own allreduces.
-- Nothing is fitted to the times on several nodes. NCCL's own time for a step of a ring, which grows with the number of
-- nodes, is not in messages between two of them: `validate --kind training` takes NCCL's measured allreduces instead.

reductions = reductions or 54
overlap = overlap or 0

local steps = 300330
local measured = { [2] = 44594.35, [4] = 22889.24, [8] = 12224.99, [16] = 6242.00, [32] = 3321.17 }
local gradients, within = 25557032 * 4, 0.000020   -- bytes; us a byte within a node

-- seconds of a step without its allreduces in the node: rings of 4, 6 steps of 1.37 us
local alone = 87196.40 / steps - reductions * 6 * (1.37 + gradients / reductions / 4 * within) / 1e6

local scenarios = {}
for _, nodes in ipairs { 2, 4, 8, 16, 32 } do
  local name = "abci-v-" .. nodes
  scenarios[#scenarios + 1] = scenario {
    title = "ResNet-50 on nodes of 4 GPUs and 2 NICs",
    application = training_step {
      name = "ResNet-50, a step", parameters = 25557032, bytes = 4, data = 4 * nodes,
      computation = alone, buckets = reductions, overlap = overlap, algorithm = "ring",
      times = { [name] = measured[nodes] / (steps / nodes) },
    },
    platform = platform {
      name = name, nodes = nodes, processors = 4, nics = 2,
      network = { L = 1.4, o_s = 0.5, o_r = 0.5, g = 0.4, G = 1 / 10240 },
      shared_memory = { L = 0.37, o_s = 0.5, o_r = 0.5, g = 0.4, G = within },
    },
    nics = { 1, 2, 4 },
  }
end
return scenarios
