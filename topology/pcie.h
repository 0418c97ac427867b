/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_TOPOLOGY_PCIE_H
#define CLUMP_TOPOLOGY_PCIE_H

/* What links and NICs carry beside their own framing. MODEL.md 31 has derivation and sources. */

#include <stdbool.h>
#include <stddef.h>

/**
 * Bytes a second, one way, of a PCIe link after line encoding: 8b/10b up to 5 GT/s, 128b/130b up to
 * 32 GT/s, flits with 236 of 256 bytes above (PCI Express Base Specification 6.0, 4.2).
 *
 * @param transfers  a second and lane: 8e9
 * @param lanes      1 to 32
 * @return 0 for what no link is
 */
double clump_pcie_rate(double transfers, double lanes);

/** The same from "16 GT/s", "16.0 GT/s PCIe" or "16000 MT/s", and "16", "x16" or "0x10". */
double clump_pcie_rate_read(const char *speed, const char *width);

/** Transfers a second of a generation, 1 to 7; 0: there is none such. */
double clump_pcie_generation(unsigned generation);

/**
 * Share of that rate that is data when much is moved: what acknowledgements and credits leave,
 * 57.88 of 62.96 Gb/s, times `max_payload` of `max_payload` + 24 bytes of a packet (Neugebauer and
 * others, SIGCOMM 2018, section 3).
 */
double clump_pcie_efficiency(double max_payload);

/** Share of a NIC's speed that is data in packets of `packet` bytes: 82 bytes of Ethernet, IP, UDP and
 *  transport headers with preamble and gap (RoCE v2); InfiniBand has 30. */
double clump_wire_efficiency(double packet, bool infiniband);

#endif
