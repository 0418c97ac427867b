/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_VALIDATION_VALIDATION_LOOKUP_H
#define CLUMP_FITTING_VALIDATION_VALIDATION_LOOKUP_H

/*
 * Internal to fitting/validation/: single facts of the store. Each function returns whether the fact is known; if not, the
 * reader has the reason. Once the store has failed nothing is known any more, so that only who is done has to look at that.
 */

#include "data/store/store.h"
#include "model/loggp.h"
#include "model/workload/misses.h"
#include "model/workload/traffic.h"

#include <stdbool.h>
#include <stddef.h>

enum { VALIDATION_LAYER_SIZE = 120 };

/** The store that is asked, and half of the 95% intervals of what was read last; NAN: not known. Start with only
 *  `store` set. */
typedef struct validation_reader {
    clump_store *store;
    bool failed;     /**< the store failed */
    clump_error why; /**< that it did, or what was found missing last */
    double number_half_width;
    clump_loggp loggp_half_widths;
    clump_traffic traffic_half_widths;
} validation_reader;

/** Whether a status of the store is OK; else its message becomes the reason. */
bool validation_ok(validation_reader *reader, clump_store_status status);

/** False, for the reason that printf would print. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
bool
validation_lacks(validation_reader *reader, const char *format, ...);

/** The reason, as the error of a function that gives up: CLUMP_INCONSISTENT. */
clump_status validation_fail(const validation_reader *reader, clump_error *error);

/** One number about an application on a platform, or about a platform (application ""). */
bool validation_number(validation_reader *reader, const clump_store_filter *filter, double *value);

/** Whether an application has a property; false where the store does not know. */
bool validation_has(validation_reader *reader, const char *application, const char *quantity);

/**
 * Execution time of an application on a platform: a mean, or the mean of the single samples.
 * @param layer   variant of the time, or NULL for the multi-protocol one, else the first there is
 * @param source  or NULL for any
 * @param found   receives the variant that was taken, or is NULL
 */
bool validation_time(validation_reader *reader, const char *platform, const char *application,
                     const char *layer, const char *source, double *time, double *half_width,
                     char found[VALIDATION_LAYER_SIZE]);

/** LogGP parameters of a platform and transport: of the layer, else of none, else if `any`
 *  multi-protocol or the only ones there are. */
bool validation_loggp(validation_reader *reader, const char *platform, const char *transport,
                      const char *layer, bool any, clump_loggp *loggp);

/** What a processor sends through a transport. */
bool validation_traffic(validation_reader *reader, const char *platform, const char *application,
                        const char *transport, clump_traffic *traffic);

/** Share of the short messages that an application waits for, from its style. */
bool validation_waited_share(validation_reader *reader, const char *application,
                             double *waited_share);

/** What is known of misses, in a node against the machine that it is compared with; no share. */
bool validation_misses(validation_reader *reader, const char *platform, const char *counterpart,
                       clump_misses *misses);

#endif
