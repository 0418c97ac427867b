-- A training step of a large language model: how many NICs does a node of 8 GPUs need?
--
--   clumpmodel predict training-step -D overlap=0.9
--   clumpmodel explore training-step --max-slowdown 1.05 -s overlap=0,0.5,1 -s nodes=32,64
--   clumpmodel collective training-step --sizes 1e6,1e8
--   clumpmodel simulate training-step -D nodes=4 -D pipeline=1 -D batch=128
--
-- All of it is ARITHMETIC: which collectives a step has, and how large they are, follows from the sizes of the
-- model as the papers of Megatron-LM, ZeRO and GShard count (training_step in clumpmodel-scenario(5)). Nothing
-- here was measured on this machine.
--
-- VENDOR figures, of one product of this kind (NVIDIA DGX H100; system user guide and data sheet):
--   8 GPUs of 989e12 dense bfloat16 operations a second; 8 NICs of up to 400 Gb/s, 50 GB/s each;
--   NVLink 450 GB/s one way to each GPU.
-- ASSUMPTIONS: GPUs reach 40% of that. A step of a collective costs 10 us between nodes and 5 us within one,
--   as NCCL's small operations do. Rings use all NICs, as NCCL's do.
-- The model has the sizes of one of 70e9 parameters (Touvron and others, Llama 2, 2023, table 1).
-- YOURS: all of these; `overlap`, the share of the time for gradients in which GPUs also compute.
--
-- Look at the ratio, to a node with a NIC for each GPU. The slowdown compares with a NOW in which each GPU has a
-- node of its own, so that also what here stays within a node goes through NICs there.

layers = layers or 80
hidden = hidden or 8192
sequence = sequence or 4096
batch = batch or 1024
parameters = parameters or 70e9
tensor = tensor or 8
pipeline = pipeline or 4
nodes = nodes or 32
overlap = overlap or 0.5
sharded = sharded or 1 -- ZeRO: 1, optimizer; 2, gradients; 3, parameters as well (FSDP)
reached = reached or 0.4

local data = nodes * 8 // (tensor * pipeline)

local node = platform {
  name = "8 GPUs",
  nodes = nodes,
  processors = 8,
  nics = 8,
  network = { L = 8, o_s = 1, o_r = 1, g = 1, G = 1 / 50000 },
  shared_memory = { L = 3, o_s = 1, o_r = 1, g = 1, G = 1 / 450000 },
}

return scenario {
  title = "How many NICs for a training step on 8 GPUs a node?",
  application = training_step {
    name = "training step",
    parameters = parameters, layers = layers, hidden = hidden, sequence = sequence,
    batch = batch, microbatches = batch // data // 2,
    tensor = tensor, pipeline = pipeline, data = data,
    flops = reached * 989e12, recompute = true,
    sharded = sharded, overlap = overlap,
  },
  platform = node,
  compare_with = platform { name = "a NIC for each GPU", like = node },
  nics = { 1, 2, 4, 8 },
}
