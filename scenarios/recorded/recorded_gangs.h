/* SPDX-License-Identifier: GPL-3.0-or-later */
/** How the ranks of a recording communicate together. */
#ifndef CLUMP_SCENARIOS_RECORDED_RECORDED_GANGS_H
#define CLUMP_SCENARIOS_RECORDED_RECORDED_GANGS_H

#include "scenarios/recorded/recorded.h"

/**
 * From what was traced, or else from how many ranks of the largest node were in MPI at a time; where neither tells, `known` is
 * false and they are all at once.
 * Errors: CLUMP_NO_MEMORY. Cost: O(overlaps + ranks), and that of clump_gang_fit_compute().
 */
clump_status clump_recorded_gangs_fit(const clump_recorded *program, size_t processors,
                                      clump_recorded_gangs *gangs, clump_error *error);

#endif
