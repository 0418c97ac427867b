-- Figure 8.2 of the thesis: what an application gains or loses on nodes of 8 processors that share
-- 4 NICs, for every utilization of the network. No schedule runs in less than 8/11 (73%) of the time
-- on a NOW, independent demand in no less than 86%; it beats the NOW below a utilization of 0.48.
--
--   clumpmodel predict figure-8.2.lua -D processors=16 -D nics=8

processors = processors or 8
nics = nics or 4

return scenario {
  title = "Slowdown of " .. processors .. " processors that share " .. nics .. " NICs",
  processors = processors,
  nics = nics,
  mapping = "pooled",
  demand = { "correlated", "independent", "scheduled" },
  utilization = range(0, 1, 0.01),
}
