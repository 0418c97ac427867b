-- How many NICs does an 8-way SMP need? Sample sort on the Enterprise 5000 of the thesis, as if its
-- communication layer let every processor use all NICs. Platform and application come from the
-- database: replace them by your own, or write their numbers here with platform { ... } and
-- application { ... }.
--
--   clumpmodel predict nics-per-node.lua -D most=16 -D limit=1
--
-- `limit` is the number of NICs that one processor can keep busy. Without it there is no limit, which
-- is the best case. With the short messages of this application it is 1 (section 8.5.3), and pooling gains
-- little; bulk transfers allow more.

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
  max_nics_per_processor = limit,
  demand = { "independent", "correlated", "scheduled" },
}
