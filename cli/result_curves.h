/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_RESULT_CURVES_H
#define CLUMP_CLI_RESULT_CURVES_H

/*
 * The results of one scenario as curves or heat maps; result_plot.h puts them together.
 */

#include "cli/plot.h"
#include "cli/result_dimensions.h"
#include "cli/result_plot.h"
#include "scenarios/arena.h"

typedef struct clump_cli_result_curves {
    clump_cli_dimension x; /**< what the horizontal axis shows */
    bool names;            /**< it shows names */
    size_t series_count;   /**< of predictions; those of measurements follow in the plot */
    clump_cli_plot plot;
} clump_cli_result_curves;

/**
 * What was measured or predicted is a point of each curve.
 *
 * @param bands  one a result, or NULL
 * @return exit code
 */
int clump_cli_result_curves_make(const char *command, const clump_result *results,
                                 const clump_cli_result_band *bands, size_t count,
                                 scenario_arena *arena, clump_cli_result_curves *curves);

/** Add a heat map for each combination of what is on neither axis; none if no two quantities vary.
 *  @return exit code */
int clump_cli_result_heat_make(const char *command, const clump_result *results, size_t count,
                               scenario_arena *arena, clump_cli_plot *plots, size_t *plot_count);

/** Rows that belong together: those that agree in all dimensions that vary, but the axes. */
typedef struct clump_cli_result_groups {
    const clump_result *first[CLUMP_CLI_PLOT_MOST_SERIES]; /**< a row of each */
    size_t sizes[CLUMP_CLI_PLOT_MOST_SERIES];
    size_t count;
    size_t *group_of;                     /**< of each row */
    bool keys[CLUMP_CLI_DIMENSION_COUNT]; /**< the dimensions in which they differ */
} clump_cli_result_groups;

/** Put rows into groups by `keys`. @return exit code */
int clump_cli_result_groups_make(const char *command, const clump_result *results, size_t count,
                                 scenario_arena *arena, clump_cli_result_groups *groups);

/** What tells a group from the others in words; NULL: no memory. "" if there is one only. */
const char *clump_cli_result_groups_name(const clump_cli_result_groups *groups, size_t group,
                                         scenario_arena *arena);

/** Distinct values of a dimension in ascending order; 0 if some row has none. NULL in `values`:
 *  no memory. */
size_t clump_cli_result_values(const clump_result *results, size_t count,
                               clump_cli_dimension dimension, scenario_arena *arena,
                               double **values);

/** Whether values on an axis are steps by factors, from 16 times the least on. */
bool clump_cli_result_is_geometric(const double *values, size_t count);

#endif
