/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_EXPLORING_ROWS_H
#define CLUMP_EXPLORING_ROWS_H

/* One configuration: its slowdown, its price, and the least number of NICs that is enough. */

#include "exploring/explorer.h"

/** Sort keys that a selection may have. */
enum { CLUMP_EXPLORE_MOST_KEYS = 8 };

/** Strings belong to the scenario in hand, and are valid until the row has been handed over. */
typedef struct clump_explore_row {
    clump_result result; /**< first; of the application, or of the mix: clump_explore_mix */
    const clump_explorer *explorer;
    double worst; /**< clump_result_relative_time of the slowest application */
    const char *worst_application;
    double price, work_price; /**< of a node; of the work of one NOW machine */
    size_t least_nics;        /**< 0: none is enough, or not asked for */
    double least_real;
    double median, low, high, at_percentile; /**< of the draws: 50%, 5%, 95% */
    size_t refused_draws;                    /**< that could not be predicted, and do not count */
    size_t inputs;                           /**< that are uncertain, without draws */
    /** Of these, those with which it can be predicted only at their medians. */
    size_t inputs_missing;
    bool inputs_limited; /**< the interval leaves them out: it would take too long */
    uint64_t index;      /**< in the order in which rows are handed over */
    size_t case_index, configuration;
    double keys[CLUMP_EXPLORE_MOST_KEYS]; /**< of the selection, which sorts by them; else 0 */
    double front[2]; /**< of the selection: where it stands towards the Pareto set */
    bool pareto;     /**< of the selection: belongs to the Pareto set */
} clump_explore_row;

/** Texts of a row, each of which may be NULL; all others of its pointers are nobody's that keeps it. */
enum { CLUMP_EXPLORE_TEXTS = 10 };
const char **clump_explore_text(clump_explore_row *row, size_t text);

/**
 * What a machine that runs several programs does: sums of their times, over that on the NOW, or on the platform that they are
 * compared with. Each program goes at its own pace: those that wait for their slowest processors take as long as these
 * (`slowest_slowdown`, where there is one with a `slowest_group`), the others their mean. What programs do not have in common is
 * CLUMP_RESULT_NONE.
 *
 * @param rows     one a program, of one configuration; refused ones have no weight
 * @param weights  shares of the time on the NOW (that of the platform compared with, if there is one), above 0 in sum
 * Cost: O(count). A single row comes back as it is.
 */
clump_result clump_explore_mix(const clump_result *rows, size_t count, const double *weights);

/**
 * Rows of a configuration: 1, or one an application. From any thread. What cannot be predicted is a
 * row that says why (result.refused); a mix cannot if one of its applications cannot.
 *
 * @param rows     receives them; room for clump_scenario_most_applications
 * @param scratch  room for as many results
 * @param least    compute least_nics too
 * @param message  room for CLUMP_EXPLORE_MESSAGE
 */
clump_scenario_status clump_explore_compute(const clump_explorer *explorer,
                                            const clump_scenario *scenario, size_t configuration,
                                            bool least, clump_result *scratch,
                                            clump_explore_row *rows, size_t *count, char *message);

#endif
