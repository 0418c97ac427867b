return scenario {
  application = { application { computation = 1, remote_traffic = { short_messages = 9, bulk_messages = 2, bulk_bytes = 9e3 } },
                  application { utilization = 0.4 } },
  platform = platform { processors = 4, nics = 2,
    network = { L = 5, o_s = 1, o_r = 1, g = 2, G = 0.01, protocol = "l-nirx-1k", loss = 0.01, window = 9, timeout = 99, acknowledge = 3 },
    shared_memory = { L = 1, o_s = 1, o_r = 1, g = 1, G = 0 } },
  protocol = { "ssam", "l-hrx" },
  loss = { 0, 0.5 },
}
