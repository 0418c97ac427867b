/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_EXPLORING_SHIFTED_H
#define CLUMP_EXPLORING_SHIFTED_H

/* The intervals of the inputs (inputs.h) of the rows of one case. */

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

#endif
