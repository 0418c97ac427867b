/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RESULT_CURVES_H
#define RESULT_CURVES_H

/*
 * The results of one scenario as curves or heat maps; result_plot.h puts them together.
 */

#include "cli/pictures/plot.h"
#include "cli/pictures/result_dimensions.h"
#include "cli/pictures/result_plot.h"
#include "data/arena.h"

typedef struct result_curves {
    result_dimension x;  /**< what the horizontal axis shows */
    bool names;          /**< it shows names */
    size_t series_count; /**< of predictions; those of measurements follow in the plot */
    plot_picture plot;
} result_curves;

/**
 * What was measured or predicted is a point of each curve.
 *
 * @param bands  one a result, or NULL
 * @return exit code
 */
int result_curves_make(const char *command, const clump_result *results, const result_band *bands,
                       size_t count, clump_arena *arena, result_curves *curves);

/** Add a heat map for each combination of what is on neither axis; none if no two quantities vary.
 *  @return exit code */
int result_heat_make(const char *command, const clump_result *results, size_t count,
                     clump_arena *arena, plot_picture *plots, size_t *plot_count);

/** Rows that belong together: those that agree in all dimensions that vary, but the axes. */
typedef struct result_groups {
    const clump_result *first[PLOT_MOST_SERIES]; /**< a row of each */
    size_t sizes[PLOT_MOST_SERIES];
    size_t count;
    size_t *group_of;           /**< of each row */
    bool keys[DIMENSION_COUNT]; /**< the dimensions in which they differ */
} result_groups;

/** Put rows into groups by `keys`. @return exit code */
int result_groups_make(const char *command, const clump_result *results, size_t count,
                       clump_arena *arena, result_groups *groups);

/** What tells a group from the others in words; NULL: no memory. "" if there is one only. */
const char *result_groups_name(const result_groups *groups, size_t group, clump_arena *arena);

/** Distinct values of a dimension in ascending order; 0 if some row has none. NULL in `values`:
 *  no memory. */
size_t result_values(const clump_result *results, size_t count, result_dimension dimension,
                     clump_arena *arena, double **values);

/** Whether values on an axis are steps by factors, from 16 times the least on. */
bool result_is_geometric(const double *values, size_t count);

#endif
