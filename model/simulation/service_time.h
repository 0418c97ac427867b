/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_SERVICE_TIME_H
#define CLUMP_MODEL_SIMULATION_SERVICE_TIME_H

/*
 * How the times of computations and of communications are distributed. Means come from the load
 * (R = 1-U, S = U); a service time here has mean 1.
 *
 *   exponential       what chapter 8 assumes
 *   constant          all the same
 *   Erlang            sum of `shape` exponentials: less random than one
 *   hyperexponential  one of two exponentials, with balanced means: more random; `shape` is the
 *                     squared coefficient of variation, 1 or more
 *   samples           drawn, with replacement, from measured values, scaled to mean 1
 */

#include "model/status.h"

#include <stddef.h>

typedef enum clump_service_kind {
    CLUMP_SERVICE_EXPONENTIAL = 0,
    CLUMP_SERVICE_CONSTANT,
    CLUMP_SERVICE_ERLANG,
    CLUMP_SERVICE_HYPEREXPONENTIAL,
    CLUMP_SERVICE_SAMPLES
} clump_service_kind;

/** All zero: exponential. */
typedef struct clump_service_time {
    clump_service_kind kind;
    double shape;          /**< see above; Erlang: whole, 1 to 1000; hyperexponential: 1 to 1e6 */
    const double *samples; /**< >= 0, not all 0; the caller's */
    size_t sample_count;
} clump_service_time;

/** @param name  goes into the message, such as "computation times" */
clump_status clump_service_time_check(const clump_service_time *time, const char *name,
                                      clump_error *error);

/** "exponential", "constant", "erlang:K", "hyperexponential:C" or "samples". */
#define CLUMP_SERVICE_TIME_NAME_SIZE 40
void clump_service_time_name(const clump_service_time *time,
                             char name[CLUMP_SERVICE_TIME_NAME_SIZE]);

/** Parse such a name, but for samples. @return 0 if it is none */
int clump_service_time_parse(const char *name, clump_service_time *time);

#endif
