/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_VALIDATION_VALIDATION_LOOKUP_H
#define CLUMP_FITTING_VALIDATION_VALIDATION_LOOKUP_H

/* Internal to fitting/validation/: single facts of the store. */

#include "data/store/store.h"
#include "model/loggp.h"
#include "model/workload/misses.h"
#include "model/workload/traffic.h"

#include <stdbool.h>
#include <stddef.h>

/** How the store answered. */
typedef enum validation_answer {
    VALIDATION_KNOWN = 0,
    VALIDATION_UNKNOWN, /**< `error` says what is missing */
    VALIDATION_FAILED   /**< the store failed, memory ran out; `error` says it */
} validation_answer;

enum { VALIDATION_LAYER_SIZE = 120 };

/** The store that is asked, and half of the 95% intervals of what was read last; NAN: not known. Start with only
 *  `store` set. */
typedef struct validation_reader {
    clump_store *store;
    double number_half_width;
    clump_loggp loggp_half_widths;
    clump_traffic traffic_half_widths;
} validation_reader;

/** What a status of the store means; the store's message goes into `error`. */
validation_answer validation_answer_of(validation_reader *reader, clump_store_status status,
                                       clump_error *error);

/** One number about an application on a platform, or about a platform (application ""). */
validation_answer validation_number(validation_reader *reader, const clump_store_filter *filter,
                                    double *value, clump_error *error);

/** Whether an application has a property; false where the store does not know. */
validation_answer validation_has(validation_reader *reader, const char *application,
                                 const char *quantity, bool *yes, clump_error *error);

/**
 * Execution time of an application on a platform: a mean, or the mean of the single samples.
 * @param layer   variant of the time, or NULL for the multi-protocol one, else the first there is
 * @param source  or NULL for any
 * @param found   receives the variant that was taken, or is NULL
 */
validation_answer validation_time(validation_reader *reader, const char *platform,
                                  const char *application, const char *layer, const char *source,
                                  double *time, double *half_width,
                                  char found[VALIDATION_LAYER_SIZE], clump_error *error);

/** LogGP parameters of a platform and transport: of the layer, else of none, else if `any`
 *  multi-protocol or the only ones there are. */
validation_answer validation_loggp(validation_reader *reader, const char *platform,
                                   const char *transport, const char *layer, bool any,
                                   clump_loggp *loggp, clump_error *error);

/** What a processor sends through a transport; UNKNOWN if the store has nothing of it. */
validation_answer validation_traffic(validation_reader *reader, const char *platform,
                                     const char *application, const char *transport,
                                     clump_traffic *traffic, clump_error *error);

/** Share of the short messages that an application waits for, from its style. */
validation_answer validation_waited_share(validation_reader *reader, const char *application,
                                          double *waited_share, clump_error *error);

/** What is known of misses, in a node against the machine that it is compared with; no share. */
clump_store_status validation_misses(validation_reader *reader, const char *platform,
                                     const char *counterpart, clump_misses *misses);

#endif
