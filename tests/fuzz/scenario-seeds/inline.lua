local p = platform { name = "a", processors = 4, nics = 2, mapping = "static",
  network = { L = 1, o_s = 1, o_r = 1, g = 2, G = 0.001 },
  shared_memory = { L = 0.1, o_s = 0.1, o_r = 0.1, g = 0.2, G = 0.0001 } }
local a = application { name = "b", now_time = 1, style = "blocking",
  remote_traffic = { short_messages = 1000, bulk_messages = 10, bulk_bytes = 20480 },
  local_traffic = { short_messages = 500 } }
local c = application { name = "c", phases = {
  { time = 1, utilization = 0.2 }, { time = 2, utilization = 0.7, demand = "correlated" } } }
local x = clump.slowdown { processors = 3, nics = 2, utilization = { 0.1, 0.2, 0.3 } }
return {
  scenario { title = "t", application = { a, c }, platform = p, nics = range(1, 4),
    demand = { "independent", "gang:2" } },
  scenario { processors = 4, nics = 2, utilizations = { 0.1, 0.2, 0.3, x / 10 },
    efficiency = { 1, 0.9 }, max_nics_per_processor = 1.5 },
  scenario { processors = 8, nics = 3, utilization = range(0, 1, 0.25), phase_cycles = 5,
    group_sizes = { 3, 3, 2 }, mapping = "static" },
}
