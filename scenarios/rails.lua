-- Rail-aligned or any NIC? Eight accelerators with eight NICs: each uses the one next to it (static), or
-- all of them, of which those behind other PCIe switches are slower (pooled).
--
--   clumpmodel explore rails --break-even mapping=static,pooled
--   clumpmodel explore rails -D far=0.8 --sweep nics=4,8
--
-- MEASUREMENT: traffic from an accelerator through the NIC of another switch reached half of what the
--   NIC can do: far = 0.5 (openucx/ucx issue 11259: 8 accelerators, 2 ConnectX-7).
-- VENDOR figure: one NIC next to each accelerator (NVIDIA DGX H100 system user guide, table of network
--   modules): domains = 8.
-- What happens when software puts the traffic of eight ranks on four of eight NICs (openucx/ucx issue
-- 11680), -D funnelled=true shows: groups of 2, 0, 2, 0, ... processors.

far = far or 0.5

local utilizations = range(0.1, 0.9, 0.1)

if funnelled then
  return scenario {
    title = "Eight accelerators on four of eight NICs",
    processors = 8,
    nics = 8,
    mapping = "static",
    group_sizes = { 2, 0, 2, 0, 2, 0, 2, 0 },
    utilization = utilizations,
    demand = { "independent", "correlated" },
  }
end

return scenario {
  title = "Eight accelerators, each with the NIC next to it or with all",
  processors = 8,
  nics = 8,
  mapping = { "static", "pooled" },
  placement = { domains = 8, near = 1, far = far },
  utilization = utilizations,
  demand = { "independent", "correlated" },
}
