/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SUM_H
#define CLUMP_MODEL_SUM_H

/*
 * Internal to model/. A sum that does not lose digits with the number of terms (Neumaier's variant
 * of Kahan's method): ten million naive additions would cost the last five.
 */

#include <math.h>

typedef struct model_sum {
    double value, rest;
} model_sum;

static inline void model_sum_add(model_sum *sum, double term)
{
    const double next = sum->value + term;
    sum->rest +=
        fabs(sum->value) >= fabs(term) ? (sum->value - next) + term : (term - next) + sum->value;
    sum->value = next;
}

static inline double model_sum_total(model_sum sum)
{
    return sum.value + sum.rest;
}

#endif
