-- A program that was profiled with two ranks, on nodes that are to be bought (docs/tutorial.md).

cores = cores or 64     -- of a node, one rank each
nodes = nodes or 4
work = work or 0.49     -- s that a rank computes: 0.515 s less the 5% in MPI
sent = sent or 84e6     -- bytes that a rank sends
messages = messages or 80

-- All to all among all ranks: of what a rank sends, the ranks of its own node get their share.
local ranks = cores * nodes
local remote, near = (ranks - cores) / ranks, (cores - 1) / ranks

return scenario {
  title = "NICs for a node of " .. cores .. " cores",
  platform = platform "lab/fitted",
  processors = cores,
  nics = { 1, 2, 4 },
  max_nics_per_processor = "auto",
  application = application {
    name = "3-D FFT",
    computation = work,
    style = "streaming",
    remote_traffic = { bulk_messages = messages * remote, bulk_bytes = sent * remote },
    local_traffic = { bulk_messages = messages * near, bulk_bytes = sent * near },
  },
  demand = { "independent", "correlated" },
}
