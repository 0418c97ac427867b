-- Is it the NICs, or the memory? A node of 16 cores with 2 NICs; one core alone draws 12 GB/s from memory, all
-- of them 60 GB/s together. (Made-up figures.)

local node = platform {
  name = "node", processors = 16, nics = 2,
  memory = { bandwidth = { 12e9, 23e9, 33e9, 42e9, 49e9, 54e9, 57e9, 59e9, 60e9 } }, -- B/s of 1, 2, ... processes
}

local function program(name, bytes)
  return application { name = name, utilization = 0.1, memory_traffic = bytes } -- B for a second of computation
end

return scenario {
  title = "NICs or memory?",
  application = { program("in caches", 0), program("stencil", 4e9), program("stream", 10e9) },
  platform = node,
  nics = { 1, 2, 4 },
}
