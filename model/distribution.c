/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/distribution.h"

#include "model/sum.h"

#include <math.h>

/*
 * A number with a range far beyond that of double: value * 2^(512 exponent), with the value in
 * [1, 2^512) so that numbers compare by exponent first; or 0.
 */
typedef struct scaled {
    double value;
    long exponent;
} scaled;

static void scaled_multiply(scaled *x, double factor)
{
    x->value *= factor;
    while (x->value >= 0x1p+512 && isfinite(x->value)) {
        x->value *= 0x1p-512;
        x->exponent++;
    }
    while (x->value < 1 && x->value > 0) {
        x->value *= 0x1p+512;
        x->exponent--;
    }
}

static int scaled_exceeds(scaled a, scaled b)
{
    if (a.exponent != b.exponent)
        return a.exponent > b.exponent;
    return a.value > b.value;
}

/* Relative to the mode; what double cannot hold beside 1 counts as nothing. */
static double scaled_to_weight(scaled x)
{
    if (x.exponent >= 0)
        return x.value;
    if (x.exponent < -2)
        return 0;
    return x.exponent == -1 ? x.value * 0x1p-512 : x.value * 0x1p-512 * 0x1p-512;
}

static size_t find_mode(const double *ratio, size_t n)
{
    scaled p = {1, 0}, greatest = p;
    size_t mode = 0;
    for (size_t q = 0; q < n; q++) {
        if (ratio[q] == 0)
            break;
        scaled_multiply(&p, ratio[q]);
        if (scaled_exceeds(p, greatest)) {
            greatest = p;
            mode = q + 1;
        }
    }
    return mode;
}

void model_distribution_from_ratios(const double *ratio, size_t n, double drift, double *p)
{
    const size_t mode = find_mode(ratio, n);
    model_sum sum = {1, 0};
    p[mode] = 1;
    scaled weight = {1, 0};
    for (size_t q = mode; q < n; q++) {
        scaled_multiply(&weight, ratio[q]);
        p[q + 1] = scaled_to_weight(weight) * (1 - drift * (double)(q + 1 - mode));
        model_sum_add(&sum, p[q + 1]);
    }
    weight = (scaled){1, 0};
    for (size_t q = mode; q > 0; q--) {
        scaled_multiply(&weight, 1 / ratio[q - 1]);
        p[q - 1] = scaled_to_weight(weight) * (1 + drift * (double)(mode - (q - 1)));
        model_sum_add(&sum, p[q - 1]);
    }
    const double norm = 1 / model_sum_total(sum);
    for (size_t q = 0; q <= n; q++)
        p[q] *= norm;
}
