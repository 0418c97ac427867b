/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * The end of a calibration between machines that listens and does what the other one asks for: one
 * client after another. What it does is bounded by udp_request.h; what is not a request, or
 * comes from who has not begun, is counted and not answered. It serves when it is given a turn.
 *
 *   open -> { turn | view }* -> close
 */
#ifndef CLUMP_PROTOCOLS_CALIBRATION_UDP_SERVER_H
#define CLUMP_PROTOCOLS_CALIBRATION_UDP_SERVER_H

#include "protocols/calibration/team.h"
#include "protocols/calibration/udp_request.h"
#include "protocols/endpoint/endpoint.h"

#include <sys/types.h>

typedef struct clump_service clump_service;

typedef struct clump_service_options {
    const char *listen;   /**< HOST:PORT; NULL: 127.0.0.1:0 */
    uint64_t tag;         /**< that clients have to name */
    const char *machine;  /**< what clients are told: its kind, never its name; may be NULL */
    uint32_t patience_ms; /**< after which a client that owes an answer and is silent counts as
                             gone, and after four times as long any that is; 0: 5000 */
} clump_service_options;

/** Why the last client left. */
typedef enum clump_service_end {
    CLUMP_SERVICE_DONE = 0, /**< it said that it was done */
    CLUMP_SERVICE_GONE      /**< its session ended before, or it was silent for too long */
} clump_service_end;

typedef struct clump_service_view {
    bool busy;                       /**< there is a client */
    char client[CLUMP_ADDRESS_TEXT]; /**< HOST:PORT of this one, or else of the last */
    uint64_t begun, ended;           /**< clients */
    clump_service_end end;           /**< how the last one ended */
    uint64_t requests;               /**< of this one, or else of the last */
    uint64_t refused;                /**< messages that are no request, of all */
    uint64_t uninvited;              /**< requests of those who had not begun, of all */
    uint64_t turned_away; /**< who came while another was served, or with another version */
} clump_service_view;

/** @return OK, BAD_INPUT, IN_USE or FAILED, with a message. *service is written only if OK. */
clump_protocol_status clump_service_open(const clump_service_options *options,
                                         clump_service **service,
                                         char message[CLUMP_CALIBRATION_MESSAGE_BYTES]);
/** NULL is allowed. */
void clump_service_close(clump_service *service);

/** HOST:PORT where it listens. */
const char *clump_service_address(const clump_service *service);

/** Serve for about that long. With a client it keeps its processor, else it sleeps in between. */
void clump_service_turn(clump_service *service, uint64_t us);

void clump_service_look(const clump_service *service, clump_service_view *view);

/** A server in a process of its own on the next processor, which ends with this one. */
typedef struct clump_service_child {
    pid_t process; /**< 0: none */
    char address[CLUMP_ADDRESS_TEXT];
} clump_service_child;

/** False: `message` says why. */
bool clump_service_start(const clump_service_options *options, clump_service_child *child,
                         char message[CLUMP_CALIBRATION_MESSAGE_BYTES]);
/** Also without a child. */
void clump_service_stop(clump_service_child *child);

#endif
