/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_LOGGP_LOGGP_FIT_H
#define CLUMP_FITTING_LOGGP_LOGGP_FIT_H

/*
 * LogGP of a platform from the samples of a store. MODEL.md, "LogGP from curves", derives what is
 * computed here. What the samples do not tell is left unknown, with the reason.
 */

#include "fitting/fitted_record.h"
#include "fitting/loggp/curve_fit.h"
#include "fitting/loggp/loggp_samples.h"
#include "fitting/notes.h"

typedef enum clump_loggp_name {
    CLUMP_LOGGP_L = 0,
    CLUMP_LOGGP_O_S,
    CLUMP_LOGGP_O_R,
    CLUMP_LOGGP_GAP,
    CLUMP_LOGGP_GAP_PER_BYTE,
    CLUMP_LOGGP_ONE_WAY, /**< L + o_s + o_r: what half a round trip is */
    CLUMP_LOGGP_NAMES
} clump_loggp_name;

typedef struct clump_loggp_value {
    bool known;
    double value; /**< us, or us/byte; NAN if not known */
    clump_interval interval;
    double most;           /**< if not known: it is not more than this; NAN: no limit either */
    size_t samples, runs;  /**< that it is from */
    clump_curve_kind from; /**< the curve; meaningless for L */
    char reason[160];      /**< what it is from, or why it is not known */
    char remedy[160];      /**< what to run in order to know it; "" if known */
} clump_loggp_value;

typedef struct clump_loggp_fit {
    clump_loggp_samples samples;
    clump_curve_fit curves[CLUMP_CURVE_KINDS];
    clump_loggp_value values[CLUMP_LOGGP_NAMES];
    double correlation[CLUMP_LOGGP_NAMES][CLUMP_LOGGP_NAMES]; /**< NAN where not known */
    clump_notes notes;
    double *draws; /**< CLUMP_LOGGP_NAMES x resamples, of the values; NULL without intervals */
    size_t resamples;
} clump_loggp_fit;

/** "L", "o_s", "o_r", "g", "G", "L+o_s+o_r". */
const char *clump_loggp_symbol(clump_loggp_name name);

/** Quantity of the store that keeps it: "latency"...; NULL for the sum. */
const char *clump_loggp_quantity(clump_loggp_name name);

/** "one way", "stream", "send", "receive". */
const char *clump_curve_name(clump_curve_kind kind);

/**
 * @param error may be NULL
 * @return CLUMP_BAD_ARGUMENT if the platform is not known, has nothing to fit, or a choice of
 *         transport or variant is missing. Some parameters unknown is CLUMP_OK.
 * Release the result with clump_loggp_fit_free() after CLUMP_OK.
 */
clump_status clump_loggp_fit_run(clump_store *store, const clump_loggp_filter *filter,
                                 const clump_fit_options *options, clump_loggp_fit *fit,
                                 clump_error *error);

void clump_loggp_fit_free(clump_loggp_fit *fit);

/**
 * Keep what is known with its intervals, in one transaction; the source names the samples' sources. The platform is made if
 * there is none of that name. One that has such parameters already, its own or inherited, is left alone.
 * @param made  receives whether the platform is new
 */
clump_store_status clump_loggp_fit_store(clump_store *store, const clump_loggp_fit *fit,
                                         const clump_fitted_record *record, bool *made,
                                         clump_error *error);

#endif
