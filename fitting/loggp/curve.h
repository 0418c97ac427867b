/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_LOGGP_CURVE_H
#define CLUMP_FITTING_LOGGP_CURVE_H

/*
 * Measured times over message sizes, as the fits want them: one kind of time, all runs together.
 */

#include "model/status.h"

#include <stdbool.h>
#include <stddef.h>

/** What a curve tells about a message of n bytes (section "LogGP from curves" of MODEL.md). */
typedef enum clump_curve_kind {
    CLUMP_CURVE_ONE_WAY = 0, /**< o_s + L + o_r + (n-1) G: half a round trip */
    CLUMP_CURVE_STREAM,      /**< time per message of many: g + (n-1) G */
    CLUMP_CURVE_SEND,        /**< processor time to send: o_s */
    CLUMP_CURVE_RECEIVE,     /**< processor time to receive: o_r */
    CLUMP_CURVE_KINDS
} clump_curve_kind;

/** How a sender of many messages waits. */
typedef enum clump_curve_waiting {
    CLUMP_WAITS_NEVER = 0, /**< or it is not known */
    CLUMP_WAITS_FOR_BURST, /**< W messages, then one reply to all: ((W-1) s + RTT)/W a message */
    CLUMP_WAITS_FOR_EACH,  /**< at most W are on their way: max(s, RTT/W) a message */
    CLUMP_WAITS_SOMEHOW    /**< one of the two; the data tell which, if they can */
} clump_curve_waiting;

/** One measured time. */
typedef struct clump_curve_point {
    double size_bytes;
    double time_us;       /**< > 0 */
    double resolution_us; /**< step in which the log prints such times; 0: finer than it matters */
    double window;        /**< messages on their way; 0: no limit that is known */
    clump_curve_waiting waiting;
    double round_trip_us; /**< of a message of this size and its reply; NAN: not known */
    size_t run;    /**< repetition of the benchmark: points of different runs are independent */
    size_t sample; /**< index of the caller's, for provenance */
    /* What a fit leaves here: */
    double fitted_us;
    double residual; /**< log(time/fitted) */
    double score;    /**< the residual over its scale */
    bool outlier;    /**< so far off that it has no weight */
    size_t piece;
} clump_curve_point;

typedef struct clump_curve {
    clump_curve_kind kind;
    clump_curve_point *points; /**< by size after clump_curve_sort */
    size_t count, room;
    size_t runs; /**< all `run` are below it */
} clump_curve;

/** A size of a curve. */
typedef struct clump_curve_size {
    double size_bytes;
    double time_us;    /**< median over the runs' medians */
    double resolution; /**< median of resolution over time */
} clump_curve_size;

/** Append; cost: constant, on average. */
clump_status clump_curve_add(clump_curve *curve, const clump_curve_point *point,
                             clump_error *error);

void clump_curve_free(clump_curve *curve);

/** By size, then run, then sample. */
void clump_curve_sort(clump_curve *curve);

/** Number the runs 0, 1... in the order of the caller's numbers, which may have gaps. */
clump_status clump_curve_number_runs(clump_curve *curve, clump_error *error);

/** The distinct sizes of a sorted curve, increasing; free() them. O(n log n). */
clump_status clump_curve_group(const clump_curve *curve, clump_curve_size **sizes, size_t *count,
                               clump_error *error);

/** Bytes beyond the first: LogGP counts (n-1) G, and a message of 0 bytes as one of 1. */
double clump_curve_extra_bytes(double size_bytes);

#endif
