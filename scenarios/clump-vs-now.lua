-- Table 7.8 of the thesis: six application runs on a Clump of four 8-processor Enterprise 5000 with
-- 4 NICs each, and on a NOW of 32 workstations. Utilization, remote fraction and cost ratio follow
-- from the traffic (tables 5.7 and 5.8), the LogGP parameters (table 7.6), what the database knows of
-- cache misses, memory and the runs in one node, and the times on the NOW: the rules of `clumpmodel
-- validate`, which shows what each of these contributes. The network's parameters were measured
-- between two Enterprise 5000; they are used for the NOW as well, for which the thesis has none.
--
-- The second scenario predicts the same machine with other numbers of NICs. Demand is correlated
-- there: the programs go through phases together, and this comes closer to the measurements.
-- nics-per-node.lua shows what a communication layer that pools the NICs would change.

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
