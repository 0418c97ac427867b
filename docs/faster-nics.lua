-- A program that runs on nodes of 8 cores and 2 NICs takes 95 s there. What would faster NICs bring, or
-- two more of the old ones? (Made-up figures.)

local today = platform {
  name = "today", processors = 8, nics = 2,
  network = { L = 6, o_s = 1.5, o_r = 1.5, g = 2, G = 0.0008 },          -- us, us/byte: 1.25 GB/s
  shared_memory = { L = 0.5, o_s = 0.3, o_r = 0.3, g = 0.5, G = 0.0001 },
}
local faster = platform { name = "faster", like = today, network = { L = 2, g = 0.7, G = 0.0002 } }
local more = platform { name = "more", like = today, nics = 4 }

return scenario {
  title = "Other NICs for nodes of 8 cores",
  application = application {
    name = "solver",
    times = { today = 95 },
    remote_traffic = { short_messages = 4e6, bulk_messages = 4e4, bulk_bytes = 8e9 },
    local_traffic = { short_messages = 2e6 },
  },
  platform = { faster, more },
  compare_with = today,
}
