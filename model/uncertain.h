/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_UNCERTAIN_H
#define CLUMP_MODEL_UNCERTAIN_H

/*
 * A number that is not known exactly: how it is distributed.
 */

#include "model/status.h"

typedef enum clump_uncertain_kind {
    CLUMP_UNCERTAIN_UNIFORM,   /**< between a and b */
    CLUMP_UNCERTAIN_NORMAL,    /**< mean a, standard deviation b; cut off at least and most */
    CLUMP_UNCERTAIN_LOGNORMAL, /**< median a; its logarithm has the standard deviation b */
    CLUMP_UNCERTAIN_TRIANGULAR /**< from a to b, most likely at c */
} clump_uncertain_kind;

typedef struct clump_uncertain {
    clump_uncertain_kind kind;
    double a, b, c;
    double least, most; /**< of a normal distribution; -HUGE_VAL and HUGE_VAL: no bounds */
} clump_uncertain;

/** Half the width of a 95% interval of a normal distribution, in standard deviations. */
#define CLUMP_UNCERTAIN_95 1.959963984540054

/** Errors: CLUMP_BAD_ARGUMENT names what does not fit. */
clump_status clump_uncertain_check(const clump_uncertain *uncertain, clump_error *error);

/**
 * The quantile: the value below which a draw falls with probability u; u = 0.5 is the median. The
 * distribution must have passed clump_uncertain_check.
 *
 * @param u  0 to 1; the ends are taken a little inwards where the distribution has no bounds
 */
double clump_uncertain_quantile(const clump_uncertain *uncertain, double u);

#endif
