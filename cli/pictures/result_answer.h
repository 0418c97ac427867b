/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_PICTURES_RESULT_ANSWER_H
#define CLUMP_CLI_PICTURES_RESULT_ANSWER_H

/*
 * What the results of a scenario say, in a sentence: how many NICs are enough if their number
 * varies; up to which utilization sharing costs no time if that varies; else the best and the worst.
 * "As fast as the NOW" is a slowdown of 1 or less.
 */

#include "model/result.h"

#include <stdbool.h>
#include <stddef.h>

/**
 * @param chosen  there are others, or they differ in what results do not tell: only the best and the
 *                worst are named
 * @return on the heap; "" for no results. NULL: no memory
 */
char *result_answer(const clump_result *results, size_t count, bool chosen);

#endif
