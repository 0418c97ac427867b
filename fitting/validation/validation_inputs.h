/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_VALIDATION_VALIDATION_INPUTS_H
#define CLUMP_FITTING_VALIDATION_VALIDATION_INPUTS_H

/* Internal to fitting/validation/: inputs of a prediction that are uncertain. */

#include "fitting/validation/validation_facts.h"

/** Times, LogGP parameters of four kinds, traffic of two. */
enum { VALIDATION_INPUTS = 2 + 4 * CLUMP_LOGGP_QUANTITIES + 2 * 3 };

/**
 * Move an input of the facts by half of its 95% interval. What an overhead gains L loses, since all three come from
 * the same round trips; L by itself moves by what its interval has beyond those of the overheads.
 *
 * @param input      below VALIDATION_INPUTS
 * @param direction  1 or -1
 * @return false where the input has no interval, does not matter, or would be below 0
 */
bool validation_shift_input(validation_facts *facts, size_t input, int direction);

#endif
