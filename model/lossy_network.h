/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_LOSSY_NETWORK_H
#define CLUMP_MODEL_LOSSY_NETWORK_H

#include "model/loggp.h"
#include "model/lossy_stream.h"

/**
 * Protocols by name, as `clumpmodel calibrate virtual` knows them, in what matters where packets
 * are lost: "ssam", and "l" followed by words that change l-sdma (protocols/reliability/
 * lci_protocol.h; a test holds the two against each other).
 */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct clump_lossy_protocol {
    clump_recovery recovery;
    int on_host;         /**< the host sends again, not the NIC: it costs o_s and o_r */
    double packet_bytes; /**< data that a packet carries: MTU, or 40 bytes of a cell */
    double window;       /**< that it has unless something asks for more */
} clump_lossy_protocol;

/** For messages: what names look like. */
extern const char clump_lossy_protocol_names[];

/** Errors: CLUMP_BAD_ARGUMENT with the word that is not known or contradicts an earlier one. */
clump_status clump_lossy_protocol_parse(const char *name, clump_lossy_protocol *protocol,
                                        clump_error *error);

#ifdef __cplusplus
}
#endif

/**
 * What messages cost in a network that loses packets (MODEL.md, section "Protocols").
 *
 * LogGP parameters are those without loss, as they were measured with the protocol. A message is
 * cut into packets, of which each may be lost. What is sent again occupies the NIC; the time in
 * which the sender only waits for a timer passes as well, but loads no NIC.
 */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct clump_lossy_network {
    clump_lossy_protocol protocol;
    double loss; /**< p, of each packet in either direction, from 0, below 1; 0: all costs are those
                    of LogGP, to the last bit */
    double window;         /**< w, packets; 0: enough that it does not limit, see below */
    double timeout_us;     /**< T; 0: 10 ms, or two round trips of a full window if that is more */
    double acknowledge_us; /**< delay of acknowledgements of less than half a window */
} clump_lossy_network;

/** Default of the timeout and of the delay of acknowledgements, as in virtual time. */
#define CLUMP_LOSSY_TIMEOUT_US 10000.0
#define CLUMP_LOSSY_ACKNOWLEDGE_US 200.0

/** One message, means. */
typedef struct clump_lossy_message {
    double packets;
    double stream_us;          /**< by which it makes a stream longer, beyond its g and G */
    double occupancy_us;       /**< of these, in which the NIC is busy */
    double sent;               /**< times that each of its packets is sent, in a stream */
    double delay_us;           /**< by which it is there later, if nothing follows it */
    double delay_occupancy_us; /**< and for how much longer its NIC is busy then */
} clump_lossy_message;

/**
 * @param bytes  of the message, at least 1
 * Errors: CLUMP_BAD_ARGUMENT, also for a timeout below the round trip. Cost: as
 * clump_lossy_stream_cost().
 */
clump_status clump_lossy_message_cost(const clump_lossy_network *network, const clump_loggp *loggp,
                                      double bytes, clump_lossy_message *message,
                                      clump_error *error);

/** The network as a whole: LogGP parameters with which a stream takes as long without loss. */
typedef struct clump_lossy_loggp {
    clump_loggp loggp;    /**< o_s and o_r rise where the host sends again; L by the mean delay */
    size_t window;        /**< in use */
    double timeout_us;    /**< in use */
    double round_trip_us; /**< of a short packet and its acknowledgement */
    double sent;          /**< times that a short packet of a stream is sent */
} clump_lossy_loggp;

clump_status clump_lossy_network_loggp(const clump_lossy_network *network, const clump_loggp *loggp,
                                       clump_lossy_loggp *effective, clump_error *error);

#ifdef __cplusplus
}
#endif

#endif
