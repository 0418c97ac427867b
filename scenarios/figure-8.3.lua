-- Figure 8.3 of the thesis: processors that are each tied to one NIC, as in the Clump that was built,
-- against processors that share all NICs of their node. Tied, they never beat the NOW: neither
-- demand nor resources are pooled where two processors share one NIC. With correlated demand the
-- mapping makes no difference.

return scenario {
  title = "Static and pooled mapping, 8 processors and 4 NICs",
  processors = 8,
  nics = 4,
  mapping = { "static", "pooled" },
  demand = { "correlated", "independent" },
  utilization = range(0, 1, 0.01),
}
