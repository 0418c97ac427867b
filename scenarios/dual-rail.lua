-- A dual-rail node of a fat tree: six accelerators, two ports of one card, and what one rail fewer, or a
-- card in a slot that is too narrow, would cost.
--
--   clumpmodel explore dual-rail --break-even nics=1,2
--   clumpmodel explore dual-rail -D slot=1.11
--
-- SITE and VENDOR figures, of one machine of this kind (Summit: Oak Ridge's user guide; IBM Journal of
-- Research and Development 64, 2020, "The high-speed networks of the Summit and Sierra supercomputers"):
--   six V100 a node; one dual-port ConnectX-5, EDR InfiniBand of 100 Gb/s a port (12.5 GB/s), in a
--   non-blocking fat tree, so that the network beyond the NICs is no bottleneck; the card's PCIe Gen4
--   slot gives 8 lanes (16 GB/s) to each of the two sockets: enough for one port each, slot = 2.
-- MEASUREMENT, of another machine: two rails of one adapter reached 13.1 GB/s where one reached 11.8
--   (openucx/ucx issue 9520): slot = 13.1/11.8 = 1.11; rails of two adapters 23.6 GB/s: slot = 2.

slot = slot or 2

local utilizations = range(0.05, 0.6, 0.05)

return scenario {
  title = "Six accelerators on one and on two rails",
  processors = 6,
  nics = { 1, 2 },
  placement = { ports_per_slot = 2, slot_bandwidth = slot },
  max_nics_per_processor = 2,
  utilization = utilizations,
  demand = { "independent", "correlated" },
}
