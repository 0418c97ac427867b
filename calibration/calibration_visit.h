/* SPDX-License-Identifier: GPL-3.0-or-later */
/** The client's side of a calibration between machines: its connection, and waiting. Internal. */
#ifndef CLUMP_CALIBRATION_CALIBRATION_VISIT_H
#define CLUMP_CALIBRATION_CALIBRATION_VISIT_H

#include "calibration/calibration_network.h"
#include "protocols/endpoint/endpoint.h"

/**
 * A client at a server. Once `status` is not OK everything below returns at once, so that a
 * measurement need not ask after every message.
 */
struct clump_visit {
    const clump_network_plan *plan;
    clump_endpoint *endpoint;
    clump_protocol_status status;
    char *message;
    uint64_t replies; /**< DONE messages */
    uint64_t answers; /**< ANSWER messages, of which the last is kept */
    clump_calibration_welcome welcome;
    clump_calibration_counts counts;
    bool welcome_good, counts_good;
    double share;        /**< done, for the one who watches */
    uint64_t watched_ns; /**< when it was asked last */
    unsigned char memory[CLUMP_MESSAGE_BULK_BYTES];
};

/** Open, connect, begin. What fails is in `status`. Leave in any case. */
void clump_visit_enter(struct clump_visit *visit);
void clump_visit_leave(struct clump_visit *visit);

/** Send a request; data if `size` > 0. */
void clump_visit_send(struct clump_visit *visit, unsigned handler, const uint32_t *arguments,
                      unsigned count, const void *data, size_t size);
/** Poll until there are `least` replies in all. Gives up when none comes for twice the patience. */
void clump_visit_await(struct clump_visit *visit, uint64_t least);
/** A request without bulk data, and its ANSWER. */
void clump_visit_ask(struct clump_visit *visit, const clump_calibration_request *request);
/** Whether to go on: reads the clock, and asks the callback now and then. */
bool clump_visit_goes_on(struct clump_visit *visit);
/** Poll for 3 ms: what is on its way arrives, and acknowledgements go. Before the caller does
 *  something that takes long, so that the server does not wait for us meanwhile. */
void clump_visit_settle(struct clump_visit *visit);
/** It ends with this. */
void clump_visit_fail(struct clump_visit *visit, clump_protocol_status status, const char *format,
                      ...);
/** The server's counts in `counts`. */
void clump_visit_count(struct clump_visit *visit);

#endif
