/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_EXPLORING_DRAWS_H
#define CLUMP_EXPLORING_DRAWS_H

/* What draws of the uncertain numbers make of the rows of one case. */

#include "exploring/rows.h"

/** Memory for `rows` times `draws` relative_times, and with `least` for numbers of NICs. Release in any case. */
bool clump_explore_drawn_make(clump_explore_drawn *drawn, size_t case_index, size_t rows,
                              size_t draws, bool least);
void clump_explore_drawn_release(clump_explore_drawn *drawn);

/**
 * Run the script with one draw, and keep what becomes of the rows of the explorer's share; from any thread.
 *
 * @param place    where draws of each row it is kept
 * @param message  room for CLUMP_EXPLORE_MESSAGE
 * @return CLUMP_SCENARIO_BAD_INPUT also if there are more or fewer rows than expected
 */
clump_scenario_status clump_explore_draw_one(const clump_explorer *explorer,
                                             const clump_explore_draw *draw, size_t place,
                                             const clump_explore_drawn *drawn, char *message);

/**
 * The same with all draws, in parallel, ended by the first that fails.
 *
 * @param like      all of a draw but its index
 * @param done, total  of the progress: what was done before, and what all takes, in draws
 */
clump_explore_status clump_explore_draw_all(clump_explorer *explorer,
                                            const clump_explore_draw *like,
                                            const clump_explore_drawn *drawn, size_t done,
                                            size_t total);

#endif
