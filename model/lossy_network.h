/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_LOSSY_NETWORK_H
#define CLUMP_MODEL_LOSSY_NETWORK_H

#include "model/loggp.h"
#include "model/lossy_stream.h"

/**
 * The protocols that `clumpmodel calibrate virtual` knows by name, with the properties that matter
 * when packets are lost. Names: "ssam", and "l" followed by words that change l-sdma. The names are
 * those of protocols/reliability/lci_protocol.h, which model/ may not include; a test compares the
 * two.
 */

typedef struct clump_lossy_protocol {
    clump_recovery recovery;
    int on_host; /**< the host sends lost packets again, not the NIC: each time costs o_s and o_r */
    double packet_bytes; /**< data that a packet carries: MTU, or 40 bytes of a cell */
    double window; /**< w, packets, by default; more are taken where that would limit the rate */
} clump_lossy_protocol;

/** The form of the names, as error messages show it. */
extern const char clump_lossy_protocol_names[];

/** The protocol of that name. Errors: CLUMP_BAD_ARGUMENT, naming the word that is not known or
 *  contradicts an earlier one. */
clump_status clump_lossy_protocol_parse(const char *name, clump_lossy_protocol *protocol,
                                        clump_error *error);

/**
 * What messages cost in a network that loses packets (MODEL.md, section "Protocols").
 *
 * The LogGP parameters given are those measured with the protocol while nothing was lost. A message
 * is cut into packets, of which each may be lost. Packets that are sent again occupy the NIC; the
 * time in which the sender only waits for a timer makes the message later, but loads no NIC.
 */

typedef struct clump_lossy_network {
    clump_lossy_protocol protocol;
    double loss; /**< p, of each packet in either direction, from 0, below 1; 0: all costs are those
                    of LogGP, to the last bit */
    double window;         /**< w, packets; 0: enough that it does not limit, see below */
    double timeout_us;     /**< T; 0: 10 ms, or two round trips of a full window if that is more */
    double acknowledge_us; /**< delay of acknowledgements of less than half a window */
} clump_lossy_network;

/** Defaults of the timeout and of the delay of acknowledgements: those of the protocols in virtual
 *  time. */
#define CLUMP_LOSSY_TIMEOUT_US 10000.0
#define CLUMP_LOSSY_ACKNOWLEDGE_US 200.0

/** What loss costs one message; means. */
typedef struct clump_lossy_message {
    double packets;
    double stream_us;          /**< added to the time of a stream of messages, beyond its g and G */
    double occupancy_us;       /**< the part of stream_us in which the NIC is busy */
    double sent;               /**< how often each of its packets is sent, in a stream */
    double delay_us;           /**< by how much it arrives later, if no message follows it */
    double delay_occupancy_us; /**< the part of delay_us in which the NIC is busy */
} clump_lossy_message;

/**
 * @param bytes  of the message, at least 1
 * Errors: CLUMP_BAD_ARGUMENT, also for a timeout below the round trip. Cost: as
 * clump_lossy_stream_cost().
 */
clump_status clump_lossy_message_cost(const clump_lossy_network *network, const clump_loggp *loggp,
                                      double bytes, clump_lossy_message *message,
                                      clump_error *error);

/** The lossy network as LogGP parameters: without loss, a stream with them takes as long as with
 *  loss. */
typedef struct clump_lossy_loggp {
    clump_loggp loggp;    /**< o_s and o_r rise where the host sends again; L by the mean delay */
    size_t window;        /**< w that was taken, also if none was given */
    double timeout_us;    /**< T that was taken */
    double round_trip_us; /**< of a short packet and its acknowledgement */
    double sent;          /**< how often a short packet of a stream is sent */
} clump_lossy_loggp;

clump_status clump_lossy_network_loggp(const clump_lossy_network *network, const clump_loggp *loggp,
                                       clump_lossy_loggp *effective, clump_error *error);

#endif
