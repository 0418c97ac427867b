/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_WORKLOAD_TRAFFIC_H
#define CLUMP_MODEL_WORKLOAD_TRAFFIC_H

/*
 * From what a processor sends to U, f, V, h and c (new; MODEL.md 7).
 *
 * Every message is counted once, where it is sent, replies included, as tables 5.6 to 5.8 count.
 * A short message occupies its NIC for g, a bulk message of b bytes for g + (b-1) G: that time
 * contends. A processor that waits for the answer before it goes on spends RTT/2 a message; what
 * exceeds g is waiting, takes time, but loads no NIC. Where all do so at once, the round trip is
 * that of busy receivers (answering.h).
 *
 * Where the bus between memory and NIC moves data in one direction at a time, bytes that arrive
 * occupy it as those that leave do. On average a processor receives what it sends, so that every
 * byte of a bulk message costs 2 G of the NIC's time. A short message pays nothing more: g was
 * measured with the answers coming in.
 *
 * Where the network loses packets, what is sent again occupies the NIC, too, and the rest of the
 * time until a timer runs out is waiting. Times and LogGP parameters that are given are those
 * without loss: what it costs comes on top.
 */

#include "model/loggp.h"
#include "model/needs.h"
#include "model/status.h"
#include "model/tight_coupling.h"

struct clump_lossy_network; /* lossy_network.h */

/** What one processor sends in the time considered. Counts and bytes may be real (means). */
typedef struct clump_traffic {
    double short_messages; /**< >= 0 */
    double bulk_messages;  /**< >= 0 */
    double bulk_bytes; /**< bytes in all bulk messages together, >= 0; 0 without bulk messages */
} clump_traffic;

/** Time that traffic costs the processor with one protocol, microseconds. */
typedef struct clump_communication_time {
    double occupancy_us; /**< the NIC (or the memory system) is in use */
    double waiting_us;   /**< the processor waits for latency */
} clump_communication_time;

/**
 * @param waited_share  share of the short messages that the processor waits for: 0 streaming
 *                      (messages follow each other), 1 blocking (each is waited for)
 */
clump_communication_time clump_traffic_time(const clump_traffic *traffic,
                                            const clump_loggp *protocol, double waited_share);

/** The same through a bus that moves one direction at a time: 2 G a byte of bulk messages. */
clump_communication_time clump_traffic_time_half_duplex(const clump_traffic *traffic,
                                                        const clump_loggp *protocol,
                                                        double waited_share);

/** An application's processor, on a node whose two protocols are known. */
typedef struct clump_workload {
    clump_traffic remote;  /**< what goes to other nodes */
    clump_traffic local;   /**< what stays in the node; on the NOW it is remote as well */
    double waited_share;   /**< 0 streaming to 1 blocking */
    double memory_penalty; /**< computation on the node over computation on the NOW, > 0 */
    /**
     * Time on the NOW, and the computation in it; microseconds. time_us == 0: it is the sum of
     * computation and communication. Only time_us: what is not communication is computation. Both:
     * what is left besides computation and communication is waiting for others, which the memory
     * penalty does not stretch; more computation than fits overlaps with communication.
     */
    double time_us, computation_us;
    int half_duplex; /**< the I/O bus of a NIC moves one direction at a time */
    /** All processors send at once, and answer each other while they wait (answering.h): a message
     *  that is waited for costs half of the round trip that an exchange has, on the NOW and in the
     *  node. Without messages that are waited for it has no effect. */
    int exchange;
    /**
     * Barriers separate the steps of an exchange, and in each step some processor has its partner
     * on another node: a step lasts as long as a remote transfer, and what stays in the node saves
     * nothing. Without remote traffic it has no effect.
     */
    int lockstep;
    const struct clump_lossy_network *lossy; /**< NULL: the network between nodes loses nothing */
} clump_workload;

/** The same in terms of chapter 8. */
typedef struct clump_demand_profile {
    double utilization; /**< U: communication on the NOW over time on the NOW */
    double time_us;     /**< on the NOW */
    /** Communication on the NOW over that without loss, and the NICs' part of it likewise; 1. */
    double loss_factor, occupancy_factor;
    clump_coupling coupling;
    /** Share of the time without communication in which it waits for others and does not compute.
     */
    double stalled_fraction;
} clump_demand_profile;

/**
 * U, f, V, h and c of a workload. The memory penalty c of the coupling is that of all time without
 * communication: only the share of it that is computation is stretched.
 *
 * @param network        protocol between nodes, and everywhere on the NOW
 * @param shared_memory  protocol inside the node
 * Errors: CLUMP_BAD_ARGUMENT, also when the traffic would take longer on the NOW than the time
 *         that is given (U > 1).
 */
clump_status clump_traffic_profile(const clump_workload *workload, const clump_loggp *network,
                                   const clump_loggp *shared_memory, clump_demand_profile *profile,
                                   clump_error *error);

/**
 * The same in amounts of time, microseconds: what the processor needs between two barriers (needs.h).
 *
 * @param waited_us  receives what of it is waiting for latency
 * @param time_us    receives its time on the NOW
 */
clump_status clump_workload_need(const clump_workload *workload, const clump_loggp *network,
                                 const clump_loggp *shared_memory, clump_need *need,
                                 double *waited_us, double *time_us, clump_error *error);

#endif
