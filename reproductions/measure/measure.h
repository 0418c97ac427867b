/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Microbenchmarks in virtual time, as section 5 of cluster-protocols.txt makes them on the
 * machines: what `clumpmodel calibrate virtual` reports. Each builds a machine of its own, lets it
 * run warm, and measures what is then always the same: a stream once its queues have stopped
 * growing, and then over 2,048 packets at least.
 */
#ifndef CLUMP_REPRODUCTIONS_MEASURE_MEASURE_H
#define CLUMP_REPRODUCTIONS_MEASURE_MEASURE_H

#include "reproductions/virtual/virtual_cluster.h"

/** LogP of messages of one size between two of the nodes (tables III and IV). */
typedef struct clump_logp_measured {
    double send_overhead_us;    /**< o_s: host time of one send */
    double receive_overhead_us; /**< o_r: host time of one reception, without copying */
    double latency_us;          /**< L: half a round trip without o_s and o_r */
    double gap_us;              /**< g: time per message in a long stream */
    double half_round_trip_us;  /**< end-to-end latency, o_s + L + o_r */
    double fetch_add_us;        /**< from the call to the answer */
    /** Remote copy: page transfers of the round trips without translation, 0 to 1 */
    double source_miss_rate, destination_miss_rate;
} clump_logp_measured;

/** @param size  of the messages in bytes, at most the MTU
 *  @param rounds  that are measured, at least 1
 *  @return OK, BAD_INPUT, FAILED (no memory), or TIMED_OUT: the protocol came to a stop, as one
 *          that relies on its links does when they lose packets */
clump_protocol_status clump_measure_logp(const clump_virtual_cluster_options *options,
                                         uint16_t size, uint32_t rounds,
                                         clump_logp_measured *measured);

/** Round trips to a host that computes, and polls only in between. */
typedef struct clump_busy_measured {
    double round_trip_us; /**< mean, from the send to the handler of the answer */
    double interrupts;    /**< per round trip */
} clump_busy_measured;

/**
 * Node 0 asks at random moments, node 1 computes for `compute_us` at a time (1 to 10^6); with
 * options->interrupts the polling watchdog of its NIC interrupts it (section 4.1). A request that
 * finds R of the computation left waits R if that is at most the watchdog's time T, else T and the
 * interrupt: T^2 / 2C + (1 - T/C)(T + interrupt) on average for T <= C, and C/2 without.
 * @return as above; the moments follow from options->faults.seed
 */
clump_protocol_status clump_measure_busy(const clump_virtual_cluster_options *options,
                                         uint16_t size, double compute_us, uint32_t rounds,
                                         clump_busy_measured *measured);

/** Size from which messages that the NIC fetches by DMA, as in `options`, arrive no later than
 * those that the host stores (section 5.2.4), between 1 byte and the MTU; on a network without
 * faults, else it is chance. @return as above, or NOT_FOUND: programmed I/O is quicker for all, or
 * DMA for all */
clump_protocol_status clump_measure_crossover(const clump_virtual_cluster_options *options,
                                              uint32_t rounds, uint16_t *bytes);

/** Bytes per microsecond (MB/s) of a stream of messages, cut into packets where they are longer
 *  than the MTU, one way between two of the nodes. @param copy  the receiver copies what it gets */
clump_protocol_status clump_measure_throughput(const clump_virtual_cluster_options *options,
                                               uint32_t message_size, bool copy, uint32_t rounds,
                                               double *bytes_per_us);

/** From the call at node 0 until the last node's handler has the packet; nobody copies. */
clump_protocol_status clump_measure_multicast(const clump_virtual_cluster_options *options,
                                              uint16_t size, uint32_t rounds, double *latency_us);

/** Rate at which node 0 sends multicasts in a long stream (its outgoing data, section 5.4). */
clump_protocol_status
clump_measure_multicast_throughput(const clump_virtual_cluster_options *options, uint16_t size,
                                   bool copy, uint32_t rounds, double *bytes_per_us);

/** Totally ordered broadcast (section 6.1, table VI), with a number that node 1 gives out. */
typedef struct clump_ordered_measured {
    double latency_us;   /**< from the request for a number until the last node has the message */
    double bytes_per_us; /**< outgoing data of node 0 in a long stream, which receivers copy */
    double together_us;  /**< all nodes broadcast, each again when it has the messages of all */
} clump_ordered_measured;

/** @param size    of messages, but those of the stream, which have 64 KiB
 *  @param rounds  at least 1; 16 are streamed at least
 *  @return as clump_measure_logp() */
clump_protocol_status clump_measure_ordered(const clump_virtual_cluster_options *options,
                                            uint16_t size, uint32_t rounds,
                                            clump_ordered_measured *measured);

#endif
