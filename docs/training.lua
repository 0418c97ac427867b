-- An example with made-up figures: 8 accelerators and 1 to 8 NICs. Replace the workload by a profile
-- (messages and bytes of one accelerator), and the costs of communication by your LogGP parameters.

local node = platform {
  name = "example",
  processors = 8,
  nics = 8,
  network = { L = 2.0, o_s = 0.5, o_r = 0.5, g = 0.6, G = 0.00004 },       -- us, us/byte: 25 GB/s (200 Gb/s) a NIC
  shared_memory = { L = 1.0, o_s = 0.3, o_r = 0.3, g = 0.3, G = 0.000005 },
}

local training = application {
  name = "training step",
  computation = seconds or 0.120, -- in which an accelerator does not communicate
  style = "streaming",
  remote_traffic = { bulk_messages = 300, bulk_bytes = 900e6 },
  local_traffic = { bulk_messages = 300, bulk_bytes = 900e6 },
}

return scenario {
  title = "How many NICs for 8 accelerators?",
  application = training,
  platform = node,
  compare_with = platform { name = "a NIC for each", like = node },
  nics = { 1, 2, 4, 8 },
  max_nics_per_processor = "auto",
  demand = { "independent", "correlated" },
}
