/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Measuring the shared-memory protocol as sections 5.3 and 6.4 of the thesis do, and the network
 * protocol beside it or in its place, over UDP on this machine.
 *
 * A stage starts pinned processes that send each other messages, and hands every number that it
 * measured to a callback; the caller keeps or averages them. A stage is complete or it leaves
 * nothing: no samples, processes or shared memory, also when it is stopped or the caller is killed.
 *
 * Nothing is printed. Only one stage at a time. The calling process only waits meanwhile.
 */
#ifndef CLUMP_CALIBRATION_CALIBRATION_H
#define CLUMP_CALIBRATION_CALIBRATION_H

#include "protocols/endpoint/adaptive_polling.h"
#include "protocols/protocol_status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What is measured; the order is that in which a calibration runs them. */
typedef enum clump_calibration_stage {
    CLUMP_CALIBRATION_LOGGP, /**< round trip, o_s, o_r, gap, poll cost (5.3.1); 2 processes */
    CLUMP_CALIBRATION_SIZES, /**< the same over message sizes, and G from 512 kB in 8 kB pieces */
    CLUMP_CALIBRATION_BREAKDOWN, /**< send overhead, a component at a time (6.4.1) */
    CLUMP_CALIBRATION_STRESS,    /**< 1 to N writers, one receiver (5.3.2) */
    CLUMP_CALIBRATION_LENGTHS,   /**< packets and bulk blocks in a queue (6.2.2) */
    CLUMP_CALIBRATION_BACKOFF,   /**< delay from which a waiting sender yields (6.2.1) */
    CLUMP_CALIBRATION_JOBS,      /**< 2 and 3 jobs at once, and sequential competitors (6.3.5) */
    CLUMP_CALIBRATION_STAGES
} clump_calibration_stage;

/** A word or two: "loggp", "sizes"...; NULL past the last. */
const char *clump_calibration_stage_name(unsigned stage);

/** One measured number; texts are valid until the callback returns. */
typedef struct clump_calibration_sample {
    const char *benchmark; /**< "round trip", "send burst"... */
    const char *quantity;  /**< as in the quantities of clumpmodel: "half_round_trip"... */
    const char *setting;   /**< what differs from the defaults: "length 256"; "" for nothing */
    const char *variant;   /**< how polls look for messages, if that is what is measured; or NULL */
    const char *transport; /**< "udp"; NULL: shared memory, or both */
    double value;          /**< microseconds, or bytes a microsecond for a transfer_rate */
    int64_t size_bytes;    /**< of the message; -1 where there is none */
    int64_t run;           /**< from 1 */
    int64_t iterations;    /**< messages that the value is the mean of */
    unsigned window;       /**< messages sent before one waits; 0: does not apply */
    unsigned processes;    /**< that took part */
    double delay_us;       /**< pause between send and poll; 0: none */
    bool disturbed; /**< the system took a processor away meanwhile, each time it was tried */
    double line_us; /**< one way of a bare cache line, measured just before */
} clump_calibration_sample;

typedef struct clump_calibration_plan {
    const char *algorithm; /**< NULL: lock-free */
    unsigned processes;    /**< the most that take part, 2 to 64 */
    unsigned runs;         /**< samples of each kind, 2 to 1000 */
    unsigned effort;       /**< messages in a sample, 1 (a few ms) to 100 */
    /** Endpoints listen on loopback; which of them share memory says `per_machine`. What follows is
     *  as in clump_endpoint_options, and without `network` of no effect. */
    bool network;
    unsigned per_machine; /**< as in clump_team_options: 0 all, 1 none: everything over UDP. Other
                               than 0 only in the stages loggp, sizes and stress */
    const char *carrier, *polling;
    const clump_polling_parameters *polling_parameters;
    bool no_bell; /**< so far in calibration_multi.h only */
    /** Each number, after its stage was completed; true: stop. */
    bool (*sample)(const clump_calibration_sample *sample, void *context);
    /** Asked every 50 ms with the share of the stage that is done, 0 to 1; true: stop. May be NULL.
     */
    bool (*watch)(double share, void *context);
    void *context;
} clump_calibration_plan;

enum { CLUMP_CALIBRATION_MESSAGE_BYTES = 256 };

/**
 * Run a stage. BAD_INPUT: the plan cannot be used; TIMED_OUT: a callback asked to stop, and nothing
 * of the stage was handed out (watch) or no more (sample); FAILED and others: a process of the
 * stage died or could not be made. `message` receives what happened.
 */
clump_protocol_status clump_calibration_run(const clump_calibration_plan *plan,
                                            clump_calibration_stage stage,
                                            char message[CLUMP_CALIBRATION_MESSAGE_BYTES]);

/** Seconds that the stage will take, about. */
double clump_calibration_estimate(const clump_calibration_plan *plan,
                                  clump_calibration_stage stage);

/** Processors that the calling process may use. */
unsigned clump_calibration_processors(void);

#ifdef __cplusplus
}
#endif

#endif
