/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_RESULT_DIMENSIONS_H
#define CLUMP_CLI_RESULT_DIMENSIONS_H

/*
 * What varies among results: the quantities of a row that a scenario can give lists for.
 */

#include "scenarios/result.h"

#include <stdbool.h>

typedef enum clump_cli_dimension {
    CLUMP_CLI_DIMENSION_UTILIZATION, /**< numbers, in the order in which they are preferred as x */
    CLUMP_CLI_DIMENSION_NICS,
    CLUMP_CLI_DIMENSION_PROCESSORS,
    CLUMP_CLI_DIMENSION_MAX_NICS,
    CLUMP_CLI_DIMENSION_GANG_SIZE,
    CLUMP_CLI_DIMENSION_REMOTE_FRACTION,
    CLUMP_CLI_DIMENSION_COST_RATIO,
    CLUMP_CLI_DIMENSION_MEMORY_PENALTY,
    CLUMP_CLI_DIMENSION_WAITING_FRACTION,
    CLUMP_CLI_DIMENSION_PHASE_CYCLES,
    CLUMP_CLI_DIMENSION_PROCESSOR,
    CLUMP_CLI_DIMENSION_NUMBERS,
    CLUMP_CLI_DIMENSION_APPLICATION = CLUMP_CLI_DIMENSION_NUMBERS, /**< names */
    CLUMP_CLI_DIMENSION_PLATFORM,
    CLUMP_CLI_DIMENSION_MAPPING,
    CLUMP_CLI_DIMENSION_DEMAND, /**< its kind */
    CLUMP_CLI_DIMENSION_COUNT
} clump_cli_dimension;

/** Value of a number; NAN where it does not apply. */
double clump_cli_dimension_number(const clump_result *result, clump_cli_dimension dimension);

/** Whether two rows say the same. */
bool clump_cli_dimension_is_equal(const clump_result *a, const clump_result *b,
                                  clump_cli_dimension dimension);

/** For an axis: "Utilization U on the NOW". */
const char *clump_cli_dimension_label(clump_cli_dimension dimension);

/** Whether it counts things. */
bool clump_cli_dimension_is_whole(clump_cli_dimension dimension);

/** The value in words, such as "4 NICs", into `text`; returns the length that it wants. */
int clump_cli_dimension_describe(const clump_result *result, clump_cli_dimension dimension,
                                 char *text, size_t size);

/**
 * Which dimensions vary where application and platform are the same (the others follow from these
 * two), and whether these two vary.
 */
void clump_cli_dimensions_free(const clump_result *results, size_t count,
                               bool varies[CLUMP_CLI_DIMENSION_COUNT]);

#endif
