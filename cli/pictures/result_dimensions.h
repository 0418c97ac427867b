/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_PICTURES_RESULT_DIMENSIONS_H
#define CLUMP_CLI_PICTURES_RESULT_DIMENSIONS_H

/*
 * What varies among results: the quantities of a row that a scenario can give lists for, and which
 * rows belong together.
 */

#include "cli/output/errors.h"
#include "cli/pictures/plot.h"
#include "data/arena.h"
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
    DIMENSION_COMMUNICATION_RATIO,
    DIMENSION_MEMORY_SHARE,
    DIMENSION_MEMORY_FEEDS,
    DIMENSION_PROCESSOR,
    DIMENSION_NUMBERS,
    DIMENSION_APPLICATION = DIMENSION_NUMBERS, /**< names */
    DIMENSION_PLATFORM,
    DIMENSION_COMPARED,
    DIMENSION_MAPPING,
    DIMENSION_DEMAND, /**< its kind */
    DIMENSION_COUNT
} result_dimension;

/** Value of a number; NAN where it does not apply. */
double result_dimension_number(const clump_result *result, result_dimension dimension);

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

/** Rows that belong together: those that agree in all dimensions that vary, but the axes. */
typedef struct result_groups {
    const clump_result *first[PLOT_MOST_SERIES]; /**< a row of each */
    size_t count;
    size_t *group_of;           /**< of each row */
    bool keys[DIMENSION_COUNT]; /**< the dimensions in which they differ */
} result_groups;

/** Why there is no picture, as a sentence for `problem`. Returns EXIT_INPUT. */
enum { RESULT_PROBLEM_SIZE = 200 };
int result_no_picture(char *problem, const char *format, ...) PRINTF_LIKE(2, 3);

/** Put rows into groups by `keys`. Returns EXIT_DONE, EXIT_INPUT or EXIT_FAILED: no memory. */
int result_groups_make(char *problem, const clump_result *results, size_t count, clump_arena *arena,
                       result_groups *groups);

/** What tells a group from the others in words; NULL: no memory. "" if there is one only. */
const char *result_groups_name(const result_groups *groups, size_t group, clump_arena *arena);

/** Distinct values of a dimension in ascending order; 0 if some row has none. NULL in `values`:
 *  no memory. */
size_t result_values(const clump_result *results, size_t count, result_dimension dimension,
                     clump_arena *arena, double **values);

/** Whether values on an axis are steps by factors, from 16 times the least on. */
bool result_is_geometric(const double *values, size_t count);

#endif
