/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Rates and latencies of communication protocols, from LogGP and the protocol's window, the loss of
 * the network, or the tree of its multicasts (MODEL.md, section "Protocols"). Times in
 * microseconds; rates in packets a microsecond.
 */
#ifndef CLUMP_MODEL_RELIABILITY_H
#define CLUMP_MODEL_RELIABILITY_H

#include "model/status.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Packets that may be under way to one peer when `buffers` receive buffers are reserved evenly for
 *  nodes - 1 senders (credits; cluster-protocols.txt, section 4.1): at least 1. nodes >= 2. */
size_t clump_credit_window(size_t buffers, size_t nodes);

/**
 * Rate of a stream through a window of which an acknowledgement comes for every
 * `per_acknowledgement` packets: min(1/g, w/(RTT + (a-1) b)); where a does not divide w the l
 * packets that are left go ahead: (w-l)/(RTT + (a-1-l) b).
 * @param gap_us  g, time between packets when nothing else limits, > 0
 * @param burst_gap_us  b, time between packets that have waited, ready, for the window to open: at
 *                      most g, and less where the sender limits g
 * @param round_trip_us  from the start of a packet until its acknowledgement is there, >= 0
 * @param window  w, at least 1  @param per_acknowledgement  a, 1 to w (half a window: w/2)
 */
clump_status clump_window_rate(double gap_us, double burst_gap_us, double round_trip_us,
                               size_t window, size_t per_acknowledgement, double *rate_per_us,
                               clump_error *error);

/**
 * Rate of go-back-N when each packet is lost with probability `loss`: a lost packet is sent again a
 * timeout after it was sent, with all that followed it: 1/(1/r + T p/(1-p)).
 * @param rate_per_us  r, without loss, > 0  @param timeout_us  T, >= 0; much longer than a round
 * trip
 * @param loss  p, from 0, below 1
 */
clump_status clump_go_back_n_rate(double rate_per_us, double timeout_us, double loss,
                                  double *lossy_per_us, clump_error *error);

/**
 * Rate of requests and answers in a sliding window with a timer each (SSAM): the window stands
 * still while its oldest request is repeated, and others repeat meanwhile. Accurate while at most
 * one packet of a window is lost, w p(2-p) <= 1; beyond that it is a lower bound.
 * @param loss  of a packet in either direction, from 0, below 1
 */
clump_status clump_selective_rate(double rate_per_us, double round_trip_us, double timeout_us,
                                  double loss, size_t window, double *lossy_per_us,
                                  clump_error *error);

/** Trees of multicasts, as in protocols/reliability/tree.h. */
typedef enum clump_multicast_tree {
    CLUMP_MULTICAST_BINARY = 0,
    CLUMP_MULTICAST_BINOMIAL
} clump_multicast_tree;

/**
 * Time until the last of `nodes` nodes has a multicast.
 * @param first_us  from the origin's call until its first child could pass it on
 * @param hop_us    from when a node could pass it on until its first child could
 * @param child_us  between one child of a node and the next
 * @param last_us   from when the last node could pass it on until its application has it
 * Cost: O(nodes log nodes) time, O(nodes) memory.
 */
clump_status clump_multicast_latency(clump_multicast_tree tree, size_t nodes, double first_us,
                                     double hop_us, double child_us, double last_us,
                                     double *latency_us, clump_error *error);

/** Bytes a microsecond that an origin with `fan_out` children can send through one link. */
clump_status clump_multicast_rate(size_t fan_out, double link_us_per_byte, double *bytes_per_us,
                                  clump_error *error);

/** Size of a transfer from which DMA has less latency than programmed I/O: (d0 - p0)/(p1 - d1),
 * with fixed costs p0, d0 and costs per byte p1, d1. 0 if DMA always has less, INFINITY if it never
 * has. */
clump_status clump_transfer_crossover(double pio_us, double pio_us_per_byte, double dma_us,
                                      double dma_us_per_byte, double *bytes, clump_error *error);

#ifdef __cplusplus
}
#endif

#endif
