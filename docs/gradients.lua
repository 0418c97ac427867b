-- Four nodes of 8 GPUs add up gradients of 1 GB in a step, and exchange activations all-to-all. (Made-up figures.)

local node = platform {
  name = "node", nodes = 4, processors = 8, nics = 8,
  network = { L = 4, o_s = 1, o_r = 1, g = 1, G = 1 / 25000 },           -- us, us/byte: 25 GB/s
  shared_memory = { L = 1.5, o_s = 1, o_r = 1, g = 1, G = 1 / 200000 },
}

return scenario {
  title = "How many NICs for gradients and an all-to-all?",
  application = application {
    name = "step",
    computation = 0.1,
    overlap = overlap or 0,
    collectives = {
      collective { kind = "allreduce", bytes = 1e9, algorithm = "ring" },
      collective { kind = "alltoall", bytes = 1e6, count = 3 },
    },
  },
  platform = node,
  nics = nics or { 1, 2, 4, 8 },
}
