-- How many NICs does an 8-way SMP need? Sample sort on the Enterprise 5000 of the thesis, if its layer
-- let every processor use all NICs. Platform and application come from the data base: replace them
-- by your own, or write their numbers here with platform { ... } and application { ... }.
--
--   clumpmodel predict nics-per-node.lua -D most=16

most = most or 9

local e5000 = platform "e5000-clump"
local sample = application "SAMPLE"

return scenario {
  title = "How many NICs does an 8-way SMP need?",
  application = sample,
  platform = e5000,
  processors = 8,
  nics = range(1, most),
  mapping = "pooled",
  demand = { "independent", "correlated", "scheduled" },
}
