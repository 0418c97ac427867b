-- Cloud instances with several elastic adapters: how many of those that an instance offers does a
-- program use?
--
--   clumpmodel explore cloud-adapters --where 'demand = "independent"'
--
-- VENDOR figures (Amazon EC2 user guide, "Maximize network bandwidth on instances with multiple network
-- cards", and its list of accelerated instances):
--   p4d.24xlarge: 8 accelerators, 4 network cards with an elastic adapter each, 400 Gb/s together:
--     100 Gb/s (12.5 GB/s) an adapter.
--   p5.48xlarge: 8 accelerators, 32 network cards with an elastic adapter each, 3200 Gb/s together: the
--     same 100 Gb/s an adapter, four to an accelerator.
-- A process that drives one adapter at a time is max_nics_per_processor = 1; a library that stripes over
-- the adapters near its accelerator drives 4 on the second of them.
-- YOURS: `gigabytes` that an accelerator sends in a step, and the seconds `step` that it computes.

gigabytes = gigabytes or 2
step = step or 0.2

-- Utilization with one adapter of its own: bytes over bytes a second, of the whole.
local communication = gigabytes / 12.5
local U = communication / (step + communication)

return {
  scenario {
    title = "8 accelerators with 4 adapters of 100 Gb/s",
    processors = 8,
    nics = { 1, 2, 4 },
    max_nics_per_processor = { 1, 4 },
    utilization = U,
    demand = { "independent", "correlated" },
  },
  scenario {
    title = "8 accelerators with 32 adapters of 100 Gb/s",
    processors = 8,
    nics = { 8, 16, 32 },
    max_nics_per_processor = { 1, 4 },
    utilization = U,
    demand = { "independent", "correlated" },
  },
}
