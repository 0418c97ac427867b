/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_EXPLORING_SWEEP_H
#define CLUMP_EXPLORING_SWEEP_H

#include "exploring/rows.h"

/** Takes a row; anything but CLUMP_EXPLORE_OK ends the sweep. */
typedef clump_explore_status clump_explore_visitor(const clump_explore_row *row, void *context);

/**
 * Hand over all rows, in order, from the calling thread.
 *
 * Cases and configurations are computed in parallel: results do not depend on the number of
 * threads. Of a sweep of any size only some blocks of rows are in memory.
 *
 * @return what the visitor returned, if not CLUMP_EXPLORE_OK
 */
clump_explore_status clump_explore_sweep(clump_explorer *explorer, clump_explore_visitor *visitor,
                                         void *context);

#endif
