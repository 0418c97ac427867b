/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_EXPLORING_SHIFTED_H
#define CLUMP_EXPLORING_SHIFTED_H

/* The intervals of the inputs (inputs.h) of the rows of one case, or of a scenario that has run. */

#include "exploring/rows.h"

/** A case, with one input at a time away from its median. All zero: nothing is uncertain, or nobody looked. */
typedef struct clump_shifted {
    clump_scenario *medians;
    clump_scenario *
        *ends; /**< `points` of each input; NULL for those with which the script does not run */
    size_t points;
    size_t count; /**< inputs that are uncertain */
    bool
        limited; /**< it would need more than CLUMP_INPUTS_SECONDS, or CLUMP_INPUTS_ROWS, for all cases */
} clump_shifted;

/**
 * Run the script of a case again; from any thread, with the store of that thread. Close in any case.
 *
 * @param scenario  the case as it is
 * @param message   room for CLUMP_EXPLORE_MESSAGE
 * @return CLUMP_SCENARIO_STOPPED or _FAILED, or CLUMP_SCENARIO_OK
 */
clump_scenario_status clump_shifted_make(const clump_explorer *explorer, size_t case_index,
                                         const clump_scenario *scenario, clump_shifted *shifted,
                                         char *message);

/** Free what the scripts made; the counts stay. */
void clump_shifted_close(clump_shifted *shifted);

/**
 * Give rows of a configuration that have been computed the intervals of their inputs. From any thread.
 *
 * @param scratch  room for clump_scenario_most_applications results
 */
clump_scenario_status clump_shifted_add(const clump_explorer *explorer,
                                        const clump_shifted *shifted, size_t configuration,
                                        clump_result *scratch, clump_explore_row *rows,
                                        size_t count, char *message);

/**
 * Give the rows of a scenario that has run the intervals of their inputs, but for rows of single processors.
 *
 * @param options  with which it ran; its `text` and not only its path if that is standard input
 * @param always   also if it needs more than CLUMP_INPUTS_SECONDS
 * @param results  of clump_scenario_run, CLUMP_SCENARIO_OK
 * @return CLUMP_SCENARIO_OK, also where nothing is uncertain; CLUMP_SCENARIO_STOPPED if the watch says
 *         so, CLUMP_SCENARIO_NO_MEMORY without memory: then no row has got anything. Cost: two runs, and
 *         clump_inputs_points of each uncertain input
 */
clump_scenario_status clump_inputs_propagate(const clump_scenario_options *options, bool always,
                                             clump_scenario_results *results,
                                             clump_inputs_told *told);

#endif
