-- Table 7.8 of the thesis: six application runs on a Clump of four 8-processor Enterprise 5000 with
-- 4 NICs each, and on a NOW of 32 workstations. Utilization, remote share and cost ratio follow from
-- the traffic (tables 5.7 and 5.8), the LogGP parameters (table 7.6), what the store knows of memory
-- (table 5.4) and of the I/O bus, and the times on the NOW; `clumpmodel validate` shows what each of
-- these is worth. The network's parameters were measured between two Enterprise 5000 and stand for the NOW's as well, for
-- which the thesis has none.
--
-- The second scenario asks what the same machine had done with other numbers of NICs. Demand is
-- correlated there: the programs go through phases together, and it comes closer to what was
-- measured. What a layer that pools the NICs would change, nics-per-node.lua shows.

local clump = platform "e5000-clump"

local runs = {
  application "SAMPLE",
  application "CON/comp",
  application "CON/comm",
  application "3-D FFT",
  application "EM3D/naive",
  application "EM3D/good",
}

return {
  scenario {
    title = "The Clump of the thesis against a NOW of 32 workstations",
    application = runs,
    platform = clump,
    demand = { "independent", "correlated" },
  },
  scenario {
    title = "The same Clump with numbers of NICs that it never had",
    application = runs,
    platform = clump,
    nics = { 1, 2, 4, 8 },
    demand = "correlated",
  },
}
