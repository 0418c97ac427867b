/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Measuring the network protocol from here to a server (udp_server.h), as section 5.3.1 of
 * the thesis does: the methods of shm_calibration.h, with what the other end has to do asked for by
 * messages. Samples are handed out as soon as they are measured, so that an end in the middle, by
 * either side, costs only what was not measured yet.
 *
 * The calling process measures, pinned to the first of its processors until it returns. Nothing is
 * printed.
 */
#ifndef CLUMP_PROTOCOLS_CALIBRATION_UDP_CLIENT_H
#define CLUMP_PROTOCOLS_CALIBRATION_UDP_CLIENT_H

#include "protocols/calibration/samples.h"
#include "protocols/calibration/team.h"
#include "protocols/calibration/udp_request.h"

typedef struct clump_udp_plan {
    const char *peer;      /**< HOST:PORT of the server */
    const char *listen;    /**< where our own socket is; NULL: as suits the peer */
    const char *transport; /**< "am2" (NULL), "l-hrx", "ssam" */
    uint64_t tag;          /**< that the server accepts */
    bool loggp;            /**< measure LogGP of short messages */
    bool sizes;            /**< measure all other sizes, and long messages */
    unsigned runs;         /**< samples of each kind, 2 to 1000 */
    unsigned effort;       /**< messages in a sample, 1 to 100 */
    uint32_t patience_ms;  /**< silence after which the server counts as gone; 0: 5000 */
    /** Once, after the server has let us in; true: stop. May be NULL. */
    bool (*welcome)(const clump_calibration_welcome *welcome, void *context);
    /** Each number; true: stop. */
    bool (*sample)(const clump_calibration_sample *sample, void *context);
    /** After each run, which is complete; true: stop. May be NULL. */
    bool (*run_ends)(unsigned run, void *context);
    /** Asked about every 50 ms with the share that is done, 0 to 1; true: stop. May be NULL. */
    bool (*watch)(double share, void *context);
    void *context;
} clump_udp_plan;

/** What the link did meanwhile, without handshakes; from the runs that are complete. */
typedef struct clump_udp_losses {
    uint64_t sent, sent_lost;         /**< datagrams, from here to the server */
    uint64_t returned, returned_lost; /**< from the server to here */
    uint64_t resent;                  /**< packets, by both */
} clump_udp_losses;

/**
 * Connect, measure, and say good-bye. BAD_INPUT: the plan cannot be used; NOT_FOUND: nobody answers
 * there, within 2 s; BAD_TAG; BAD_VERSION; IN_USE: another client is served, and still was after
 * two times the patience; PEER_DEAD: the server has gone; TIMED_OUT: a callback asked to stop;
 * FAILED. `message` receives what happened, `losses` is written in any case.
 */
clump_protocol_status clump_udp_measure(const clump_udp_plan *plan, clump_udp_losses *losses,
                                        char message[CLUMP_CALIBRATION_MESSAGE_BYTES]);

#endif
