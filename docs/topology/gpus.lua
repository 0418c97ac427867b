-- Collectives of GPUs on nodes that a file describes: rates of links are the file's, latencies are assumed.
nodes = nodes or 4

return scenario {
    application = application {
        name = "training",
        computation = 0.2,
        collectives = collective { kind = "allreduce", bytes = 4e9, algorithm = "nccl" },
    },
    platform = platform {
        nodes = nodes,
        topology = "four-nics.xml",
        network = { L = 5, o_s = 1, o_r = 1, g = 1 },
        shared_memory = { L = 3, o_s = 1, o_r = 1, g = 1 },
    },
    nics = { 1, 2, 4 },
}
