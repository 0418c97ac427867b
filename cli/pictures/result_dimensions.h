/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RESULT_DIMENSIONS_H
#define RESULT_DIMENSIONS_H

/*
 * What varies among results: the quantities of a row that a scenario can give lists for.
 */

#include "model/result.h"

#include <stdbool.h>

typedef enum result_dimension {
    DIMENSION_UTILIZATION, /**< numbers, in the order in which they are preferred as x */
    DIMENSION_NICS,
    DIMENSION_PROCESSORS,
    DIMENSION_MAX_NICS,
    DIMENSION_GANG_SIZE,
    DIMENSION_REMOTE_FRACTION,
    DIMENSION_COST_RATIO,
    DIMENSION_MEMORY_PENALTY,
    DIMENSION_WAITING_FRACTION,
    DIMENSION_PHASE_CYCLES,
    DIMENSION_PROCESSOR,
    DIMENSION_NUMBERS,
    DIMENSION_APPLICATION = DIMENSION_NUMBERS, /**< names */
    DIMENSION_PLATFORM,
    DIMENSION_MAPPING,
    DIMENSION_DEMAND, /**< its kind */
    DIMENSION_COUNT
} result_dimension;

/** Value of a number; NAN where it does not apply. */
double result_dimension_number(const clump_result *result, result_dimension dimension);

/** Whether two rows say the same. */
bool result_dimension_is_equal(const clump_result *a, const clump_result *b,
                               result_dimension dimension);

/** For an axis: "Utilization U on the NOW". */
const char *result_dimension_label(result_dimension dimension);

/** Whether it counts things. */
bool result_dimension_is_whole(result_dimension dimension);

/** The value in words, such as "4 NICs", into `text`; returns the length that it wants. */
int result_dimension_describe(const clump_result *result, result_dimension dimension, char *text,
                              size_t size);

/**
 * Which dimensions vary where application and platform are the same (the others follow from these
 * two), and whether these two vary.
 */
void result_dimensions_vary(const clump_result *results, size_t count,
                            bool varies[DIMENSION_COUNT]);

#endif
