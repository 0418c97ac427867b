/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/validation/validation.h"
#include "fitting/validation/validation_judge.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- errors */

static bool counts(const clump_validation_run *run, const char *dataset)
{
    return dataset == NULL || strcmp(run->dataset, dataset) == 0;
}

static void add(clump_validation_summary *sum, const clump_validation_run *run, size_t variant)
{
    const clump_validation_outcome *o = &run->outcomes[variant];
    if (!isfinite(o->error))
        return;
    sum->count++;
    sum->mean_absolute += fabs(o->error);
    sum->in_sample += fabs(o->in_sample_error);
    sum->greatest = fmax(sum->greatest, fabs(o->error));
    sum->bias += o->error;
    sum->intervals += isfinite(o->low);
    sum->held += run->measured >= o->low && run->measured <= o->high;
}

static clump_validation_summary finish(clump_validation_summary sum)
{
    const double n = (double)sum.count; /* 0: all NAN */
    sum.mean_absolute /= n;
    sum.in_sample /= n;
    sum.bias /= n;
    if (sum.count == 0)
        sum.greatest = NAN;
    return sum;
}

clump_validation_summary clump_validation_summarize(const clump_validation *validation,
                                                    const char *dataset, size_t variant)
{
    clump_validation_summary sum = {.count = 0};
    for (size_t i = 0; i < validation->count; i++)
        if (counts(&validation->runs[i], dataset))
            add(&sum, &validation->runs[i], variant);
    return finish(sum);
}

clump_validation_summary clump_validation_chosen_by_others(const clump_validation *validation,
                                                           const char *dataset)
{
    clump_validation_summary sum = {.count = 0};
    for (size_t i = 0; i < validation->count; i++)
        if (counts(&validation->runs[i], dataset) &&
            validation->runs[i].chosen < CLUMP_VALIDATION_VARIANTS)
            add(&sum, &validation->runs[i], validation->runs[i].chosen);
    return finish(sum);
}

/* ---- the choice among the variants */

/* Mean absolute error of a variant over all families but one, of which each counts the same; NAN if
 * there are none. */
static double error_without(const clump_validation *all, size_t left_out, size_t variant)
{
    double sum = 0;
    size_t families = 0;
    for (size_t family = 0; family < all->count; family++) {
        double part = 0;
        size_t rows = 0;
        if (all->runs[family].family != family || family == left_out)
            continue;
        for (size_t i = family; i < all->count; i++) {
            const double error = all->runs[i].outcomes[variant].error;
            if (all->runs[i].family == family && isfinite(error)) {
                part += fabs(error);
                rows++;
            }
        }
        if (rows > 0) {
            sum += part / (double)rows;
            families++;
        }
    }
    return sum / (double)families;
}

void validation_choose(clump_validation *all)
{
    for (size_t family = 0; family < all->count; family++) {
        size_t best = CLUMP_VALIDATION_VARIANTS;
        double least = INFINITY;
        if (all->runs[family].family != family)
            continue;
        for (size_t v = 0; v < CLUMP_VALIDATION_VARIANTS; v++) {
            const double mean = error_without(all, family, v);
            if (mean < least) {
                least = mean;
                best = v;
            }
        }
        for (size_t i = family; i < all->count; i++)
            if (all->runs[i].family == family)
                all->runs[i].chosen = best;
    }
}

/* ---- what was judged elsewhere */

clump_status clump_validation_add_judged(clump_validation *validation, clump_change change,
                                         const clump_judged_row *rows, size_t count,
                                         clump_error *error)
{
    validation_residual *residuals = malloc((count + 1) * sizeof *residuals);
    if (residuals == NULL)
        return clump_fail_memory(error, "the errors by kind of change");
    for (size_t i = 0; i < count; i++) {
        size_t family = 0;
        while (strcmp(rows[family].dataset, rows[i].dataset) != 0)
            family++;
        residuals[i] =
            (validation_residual){log(rows[i].measured / rows[i].predicted), family, change};
    }
    const clump_model_error wrong = validation_model_error(residuals, count, change, SIZE_MAX);
    if (wrong.datasets >= 2 && wrong.basis == CLUMP_ERROR_OWN)
        validation->changes[change] = wrong;
    free(residuals);
    return CLUMP_OK;
}
