/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_VALIDATION_VALIDATION_RELATIVES_H
#define CLUMP_FITTING_VALIDATION_VALIDATION_RELATIVES_H

/* Internal to fitting/validation/: what other runs of the same program tell of a run. */

#include "fitting/validation/validation_lookup.h"

/** Where it is known what a processor computes. */
typedef struct validation_computation {
    double time;                   /**< s of a processor, messages included; NAN: not known */
    double half_width;             /**< of its 95% interval; NAN: not known */
    clump_loggp loggp_half_widths; /**< the same of shared_memory */
    clump_traffic traffic;
    clump_loggp shared_memory; /**< of these messages */
    double share;              /**< of this computation that the run predicted has */
    clump_misses misses;       /**< where it was measured */
    size_t processors;         /**< that computed at once there */
} validation_computation;

/** From the run that the store names (computation_from).
 *  @param computation  left alone where there is no such run */
bool validation_find_computation(validation_reader *reader, const clump_store_platform *platform,
                                 const char *application, validation_computation *computation);

/** Traffic that was not counted: of the shape that a run of another input has, if the store names one
 *  (traffic_per_time_from), or else scaled from that of the runs which it names (traffic_from). */
bool validation_derived_traffic(validation_reader *reader, const clump_store_platform *platform,
                                const char *application, clump_traffic *remote,
                                clump_traffic *local);

/** Processors of all nodes. */
double validation_processors(const clump_store_platform *platform);

bool validation_is_empty(const clump_traffic *traffic);

#endif
