-- RDMA over an Ethernet that loses packets: what does a loss of one in a thousand cost a node of 8
-- accelerators and 4 NICs, beside a network that loses nothing?
--
--   clumpmodel predict lossy-ethernet
--   clumpmodel predict lossy-ethernet -D recovery=40
--   clumpmodel explore lossy-ethernet -s loss=0.0001,0.001,0.01 -s recovery=20,100,1000 --by predicted_time_s
--
-- VENDOR figures: 100 Gb/s a NIC is 12.5 GB/s, G = 1/12500 us a byte; packets carry 4 kB.
-- MEASUREMENT: 0.56 us a message on one port of a ConnectX-6 (osu_bw, 1 byte: 1.78 MB/s), from
--   openucx/ucx issue 8851.
-- PROTOCOL: the NIC sends the lost packet and all after it again, as l-nirx does (go-back-N). When it
--   does so is `recovery`, in microseconds after the packet was sent. If only its timer tells: 4.096 us
--   times a power of two (InfiniBand), 2^8 = 1,050 us in Linux' own use of ConnectX (drivers/infiniband,
--   mlx5, ack_timeout 0x8). If the receiver asks for what it misses: about a round trip and what both NICs
--   need to react, tens of microseconds; ask your vendor, or measure.
-- YOURS: `loss`, the share of packets that your switches drop; `step`, the seconds in which an
--   accelerator does not communicate; `gigabytes` that it sends in a step.
--
-- Slowdown compares with one NIC for each accelerator on the same network, losses and all: compare
-- the predicted times.

recovery = recovery or 1050
step = step or 0.2
gigabytes = gigabytes or 2

return scenario {
  title = "8 accelerators on an Ethernet that loses packets",
  application = application {
    name = "training step",
    computation = step,
    style = "streaming",
    remote_traffic = { bulk_messages = 500 * gigabytes, bulk_bytes = gigabytes * 1e9 },
  },
  platform = platform {
    name = "8 accelerators",
    processors = 8,
    nics = 4,
    network = {
      L = 2.0, o_s = 0.2, o_r = 0.2, g = 0.56, G = 1 / 12500,
      protocol = "l-nirx-4k",
      timeout = recovery,
    },
    shared_memory = { L = 1.0, o_s = 0.2, o_r = 0.2, g = 0.4, G = 1 / 450000 },
  },
  loss = { 0, 0.0001, 0.001, 0.01 },
  demand = { "independent", "correlated" },
}
