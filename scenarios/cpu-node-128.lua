-- A node of 128 cores on one NIC, on two, and on two with half of the cores bound to each.
--
--   clumpmodel explore cpu-node-128 --where 'slowdown < 2'
--   clumpmodel explore cpu-node-128 -s U=0.01 -s N=1:8 --node-price 12000 --nic-price 1200 --port-price 600
--
-- SITE figures, of one machine of this kind (ARCHER2, HPE Cray EX; its user documentation):
--   two AMD EPYC 7742 of 64 cores: 128 cores a node; two network interfaces of 100 Gb/s, one to each
--   socket. With -D far=0.8 a NIC serves the other socket at 80% of its speed.
-- ASSUMPTION: none is needed for the utilization: it is the axis. A core that sends b bytes a second
--   uses b/12.5e9 of a NIC of 100 Gb/s (line rate, VENDOR figure).

far = far or 1

local utilizations = { 0.002, 0.005, 0.01, 0.015, 0.02, 0.05, 0.1 }

return {
  scenario {
    title = "128 cores that share the NICs of their node",
    processors = 128,
    nics = { 1, 2 },
    placement = { domains = 2, near = 1, far = far },
    max_nics_per_processor = 1,
    utilization = utilizations,
    demand = { "independent", "correlated" },
  },
  scenario {
    title = "64 cores bound to each of two NICs",
    processors = 128,
    nics = 2,
    mapping = "static",
    placement = { domains = 2, near = 1, far = far },
    utilization = utilizations,
    demand = { "independent", "correlated" },
  },
}
