/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_LOGGP_LOGGP_SAMPLES_H
#define CLUMP_FITTING_LOGGP_LOGGP_SAMPLES_H

/*
 * Samples of a store as curves: which quantity of which benchmark tells what of LogGP.
 *
 *   half_round_trip, round_trip_time/2, burst_round_trip of one message /2   one way
 *   message_gap, 1/message_rate, size/transfer_rate, burst_round_trip        stream
 *   send_time, burst_round_trip with delays                                  send
 *   receive_time                                                             receive
 *
 * Of statistics of the same samples the median is taken, or else single samples, the mean, the
 * minimum (of gaps between messages the mean first); never a maximum or another percentile. Rates
 * of several pairs are those of one pair.
 */

#include "fitting/clusters/cluster_samples.h"
#include "fitting/loggp/curve.h"

/** Which samples. */
typedef struct clump_loggp_filter {
    const char *platform;
    const char *transport; /**< NULL: the only one there is */
    const char *variant;   /**< NULL: those without, or else the only one there is */
    int64_t window;        /**< of streams that do not say theirs; 0: the default of the tool */
} clump_loggp_filter;

/** What a benchmark itself fitted: g and G by netgauge. */
typedef struct clump_loggp_ready {
    double *values;
    size_t count;
} clump_loggp_ready;

typedef struct clump_loggp_samples {
    clump_cluster_samples used; /**< what points were read from, as stored */
    clump_curve curves[CLUMP_CURVE_KINDS];
    clump_loggp_ready gap, gap_per_byte; /**< one a run */
    clump_arena *arena;                  /**< of all but the points */
    const char **sources;                /**< of the samples, each once, in order of name */
    size_t source_count;
    const char *transport, *variant;       /**< what was chosen; "" if none */
    size_t unusable;                       /**< samples with a time of 0 or less */
    size_t doubtful;                       /**< left out, whether there are others or not */
    size_t doubtful_of[CLUMP_CURVE_KINDS]; /**< of them, those that would tell of this curve */
    size_t not_used;     /**< of platform and transport, but of nothing that LogGP needs */
    bool window_assumed; /**< 64, which OSU and IMB use unless told otherwise */
} clump_loggp_samples;

/**
 * Read. Start with a set of zeros; free it in any case.
 * @return CLUMP_BAD_ARGUMENT: the message says what to choose (several transports or variants) or
 *         what the store says
 */
clump_status clump_loggp_samples_read(clump_store *store, const clump_loggp_filter *filter,
                                      clump_loggp_samples *samples, clump_error *error);

void clump_loggp_samples_free(clump_loggp_samples *samples);

#endif
