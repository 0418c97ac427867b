/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Pinned processes with an endpoint each, mapped all to all, that run one function together.
 *
 * They reach each other through shared memory, over UDP, or, as the processes of a Clump do,
 * through shared memory within groups and over UDP between them: `per_machine`. The function need
 * not know.
 *
 * The names of the endpoints are removed as soon as all have mapped each other: whatever is killed
 * afterwards, no shared memory stays behind. The processes end with their parent.
 */
#ifndef CLUMP_PROTOCOLS_CALIBRATION_TEAM_H
#define CLUMP_PROTOCOLS_CALIBRATION_TEAM_H

#include "protocols/calibration/workers.h"
#include "protocols/endpoint/endpoint.h"

#include <stdatomic.h>

enum { CLUMP_TEAM_MOST = 64, CLUMP_TEAM_ADDRESS = 64 };

/** Of the endpoints of a team. */
#define CLUMP_TEAM_TAG UINT64_C(0x436c756d70)

/** What the processes of a team share; zero to begin with. */
struct clump_team_board {
    _Alignas(128) _Atomic uint32_t arrived;
    _Alignas(128) _Atomic uint32_t turn;      /**< barriers passed */
    _Alignas(128) _Atomic uint32_t failed;    /**< rank + 1 of the first that failed */
    _Alignas(128) _Atomic uint64_t steps;     /**< done so far, for the one who waits */
    _Alignas(128) _Atomic uint64_t line;      /**< bounced by the line probe */
    _Alignas(128) _Atomic uint32_t disturbed; /**< members that lost their processor */
    _Alignas(128) _Atomic uint32_t flag;      /**< free for the work */
    _Alignas(128) _Atomic uint64_t began;     /**< likewise; 0 to begin with */
    double told[2]; /**< free for the work: what ranks 0 and 1 tell each other */
    /** Where each listens, if it does. */
    char addresses[CLUMP_TEAM_MOST][CLUMP_TEAM_ADDRESS];
    char message[CLUMP_CALIBRATION_MESSAGE_BYTES];
    double results[];
};

/** One process of a team. */
struct clump_team_member {
    unsigned rank, count;
    struct clump_team_board *board;
    clump_endpoint *endpoint; /**< destination r is the endpoint of rank r */
    const void *work;         /**< of the team's options */
    uint64_t served, replies; /**< requests handled, replies received */
    uint64_t due;             /**< requests that others will have sent, see clump_team_serve */
    bool disturbed;           /**< a measurement never went through undisturbed */
    /** Tries that the next measurement does without: earlier ones were all disturbed. */
    unsigned in_vain;
    bool crowded;          /**< processors are shared, and strangers keep them busy */
    bool leaving;          /**< the work is done: what comes back now does not matter */
    unsigned char *memory; /**< of its own, for bulk data: CLUMP_TEAM_MEMORY bytes */
};

enum { CLUMP_TEAM_MEMORY = 64 * 8192 };

/* Handlers of each member. The replies go to CLUMP_TEAM_REPLY. */
enum {
    CLUMP_TEAM_ECHO = 1,    /**< answers with what came: short or bulk */
    CLUMP_TEAM_ACKNOWLEDGE, /**< copies bulk data out, answers with no argument */
    CLUMP_TEAM_SINK,        /**< does not answer */
    CLUMP_TEAM_REPLY
};

struct clump_team_options {
    /** With `listen` "127.0.0.1:0" each member has a socket of its own beside shared memory. */
    clump_endpoint_options endpoint;
    unsigned count;
    /** Ranks r with the same r / per_machine share memory; the others reach each other over UDP,
     * for which `endpoint.listen` is set if it is not. 0: all share memory; 1: none does. */
    unsigned per_machine;
    /** Called in each process before its endpoint is opened, with a copy of the options that is its
     *  own: it may listen elsewhere, in another network namespace. False: the team fails, for the
     *  reason in `message`. May be NULL. */
    bool (*settle)(unsigned rank, clump_endpoint_options *endpoint, const void *work,
                   char message[CLUMP_CALIBRATION_MESSAGE_BYTES]);
    const void *work; /**< copied by fork: what the function needs to know */
    size_t results;   /**< numbers that the function writes */
    uint64_t steps;   /**< that the function will count on the board */
    /** As in a calibration plan. */
    bool (*watch)(double share, void *context);
    void *context;
};

/**
 * Run `work` in each process. `results` receives what they wrote. On failure `message` says why and
 * nothing is left.
 */
clump_protocol_status clump_team_run(const struct clump_team_options *options,
                                     void (*work)(struct clump_team_member *member),
                                     double *results,
                                     char message[CLUMP_CALIBRATION_MESSAGE_BYTES]);

/* ---- for the function */

/** Wait for all others. They poll while they wait if `serve`. */
void clump_team_meet(struct clump_team_member *member, bool serve);
/** End the team, and this process, for that reason. */
_Noreturn void clump_team_fail(struct clump_team_member *member, const char *reason);
/** End the team unless `status` is OK. */
void clump_team_require(struct clump_team_member *member, clump_protocol_status status);
/** Poll until `*counter` has reached `least`. */
void clump_team_poll_until(struct clump_team_member *member, const uint64_t *counter,
                           uint64_t least);
/** Handle that many requests more. Some may have come already, while we met the others. */
void clump_team_serve(struct clump_team_member *member, uint64_t requests);
/** Poll for one message at a time until there are `least` replies. Where there are more processes
 * than processors it gives its own away, for whoever answers needs one: else each message would
 * take a slice of the system's time. */
void clump_team_await_replies(struct clump_team_member *member, uint64_t least);

/** A measurement, and what it needs to know. All members call it. */
typedef double clump_team_measurement(struct clump_team_member *member, const void *setup);

/**
 * Measure, and again, at most four times in all, if the system took the processor away from a
 * member meanwhile. What the last try gave; sets `disturbed` if that one, too, was disturbed.
 */
double clump_team_steady(struct clump_team_member *member, clump_team_measurement *measure,
                         const void *setup);
/** A cache line to and fro between ranks 0 and 1: one way, us. Both call it. */
double clump_team_line(struct clump_team_member *member);

/** Put the calling process on one of the processors that it may use; false if that is refused. */
bool clump_team_pin(unsigned index);
/** On all of them again. */
void clump_team_unpin(void);
/** How many of these there are. */
unsigned clump_team_processors(void);

#endif
