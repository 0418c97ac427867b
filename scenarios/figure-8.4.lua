-- Figure 8.4 of the thesis: NICs can be added one at a time to a node of 8 processors, but a NOW can
-- only go from one NIC a machine to two. Below a utilization of about 0.5 six NICs for 8 processors
-- do better than sixteen for 8 workstations.

local utilizations = range(0, 1, 0.01)

return {
  scenario {
    title = "One to nine NICs in a node of 8 processors",
    processors = 8,
    nics = range(1, 9),
    utilization = utilizations,
  },
  scenario {
    title = "NOW with two NICs in every machine",
    processors = 1,
    nics = 2,
    utilization = utilizations,
  },
}
