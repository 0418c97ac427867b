/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_LIMIT_H
#define CLUMP_MODEL_LIMIT_H

/*
 * Is a computed slowdown within a limit that somebody gave?
 *
 * A slowdown often equals its limit: with N = P NICs, of which a processor keeps one busy, X is
 * exactly 1, and "at most 1" is a usual question. Computed, it is 1 give or take some last digits.
 */

#include <stddef.h>

/**
 * Relative rounding error that a computed slowdown may have, 1 being "all of it":
 * 16 eps (P + 16), at most 1e-9. A solution has at most P rows, or P terms of a recursion, of which
 * each contributes a few roundings (MODEL.md 4); the additional 16 are for what is computed before
 * and after them. It is also what the engine allows its own checks. A transient is the result of an
 * inversion that is accurate to 2e-12 + 1e-16 P (MODEL.md 6); twice that is added for it.
 *
 * @param phase_cycles  length of the phase; 0: equilibrium
 */
double clump_slowdown_accuracy(size_t processors, double phase_cycles);

/** Whether `value` is at most `limit`, or exceeds it by no more than rounding may explain: the
 *  share `accuracy` (clump_slowdown_accuracy) of the limit. False if one of them is NAN. */
int clump_is_within(double value, double limit, double accuracy);

#endif
