/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_LOGGP_H
#define CLUMP_MODEL_LOGGP_H

/*
 * LogGP: the times of messages from five parameters (section 5.3.1 of the thesis; Alexandrov,
 * Ionescu, Schauser, Scheiman, "LogGP", 1995). All times in microseconds, sizes in bytes.
 */

#include "model/status.h"

typedef struct clump_loggp {
    double latency_us;          /**< L; may be negative where the two overheads overlap */
    double send_overhead_us;    /**< o_s, >= 0 */
    double receive_overhead_us; /**< o_r, >= 0 */
    double gap_us;              /**< g: between messages of a long burst, > 0 */
    double gap_us_per_byte;     /**< G: per byte of a long message, >= 0 */
} clump_loggp;

/** Names of L, o_s, o_r, g and G, in this order, as quantities of samples: "latency" to
 *  "gap_per_byte". */
enum { CLUMP_LOGGP_QUANTITIES = 5 };
extern const char *const clump_loggp_quantities[CLUMP_LOGGP_QUANTITIES];

/** The parameters from their values in that order. */
clump_loggp clump_loggp_of(const double values[CLUMP_LOGGP_QUANTITIES]);

/** Check the parameters; `name` (such as "network") goes into the message. */
clump_status clump_loggp_check(const clump_loggp *parameters, const char *name, clump_error *error);

/** Round trip of a short message and its reply: RTT = 2 (o_s + L + o_r). */
double clump_loggp_round_trip_us(const clump_loggp *parameters);

/**
 * NICs that one processor can keep busy with short messages: floor(g/(o_s + o_r)), at least 1
 * (section 8.5.3). INFINITY where there is no overhead.
 */
double clump_loggp_max_nics(const clump_loggp *parameters);

/** The same for transfers of `bytes` each by DMA: floor((g + (bytes-1) G)/(o_s + o_r)). */
double clump_loggp_max_nics_bulk(const clump_loggp *parameters, double bytes);

#endif
