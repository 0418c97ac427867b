-- A laptop: two cores that share one network interface, TCP through the kernel.
--
--   clumpmodel explore two-cores --uncertain measured --sensitivity
--
-- MEASUREMENTS on a two-core virtual machine (Debian 12, Open MPI 4.1.4, TCP over the loopback device),
-- from the logs in tests/logs as `clumpmodel fit loggp` reads them; they are uncertain, and said to be:
-- between its runs the machine changes its speed (osu_latency, netgauge, logp_mpi, NetPIPE).
--   o_s 3.9 to 6.9 us, o_r 2.4 to 6.0 us, g up to 5.2 us, L + o_s + o_r up to 29.5 us,
--   G 6.5e-5 to 7.4e-4 us a byte.
-- Shared memory (osu_latency 5.3, osu_mbw_mr 7.4): 0.144 us one way in all, g 0.14 to 0.19 us,
--   G 1.06e-4 us a byte.
-- `calibrate` measures yours.
-- WORKLOAD, a measurement too: the profile of a small three-dimensional FFT on the same machine (mpiP
--   3.5, tests/logs/fft3d-concise.mpiP): 0.515 s, of which 5% in MPI; each of two ranks sends 80
--   messages of 1.05 MB, half of them to itself.

local o_s = uncertain { name = "o_s", from = 3.9, to = 6.9 }
local o_r = uncertain { name = "o_r", from = 2.4, to = 6.0 }
local G = uncertain { name = "G", value = 9.6e-5, factor = 1.5 }
local L = uncertain { name = "L", from = 10, to = 21.5 }

local laptop = platform {
  name = "two cores",
  nodes = 2,
  processors = 2,
  nics = 1,
  network = { L = L, o_s = o_s, o_r = o_r, g = 4.7, G = G },
  shared_memory = { L = 0.04, o_s = 0.05, o_r = 0.05, g = 0.17, G = 1.06e-4 },
}

return scenario {
  title = "Two cores that share one network interface",
  application = application {
    name = "3-D FFT",
    computation = 0.49,
    style = "streaming",
    remote_traffic = { bulk_messages = 40, bulk_bytes = 42e6 },
    local_traffic = { bulk_messages = 40, bulk_bytes = 42e6 },
  },
  platform = laptop,
  nics = { 1, 2 },
  demand = { "independent", "correlated" },
}
