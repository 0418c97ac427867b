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

/* Over all runs of the data set but one. */
static clump_validation_summary without(const clump_validation *validation, const char *dataset,
                                        size_t variant, size_t left_out)
{
    clump_validation_summary sum = {.count = 0};
    for (size_t i = 0; i < validation->count; i++)
        if (i != left_out && counts(&validation->runs[i], dataset))
            add(&sum, &validation->runs[i], variant);
    return finish(sum);
}

clump_validation_summary clump_validation_summarize(const clump_validation *validation,
                                                    const char *dataset, size_t variant)
{
    return without(validation, dataset, variant, validation->count);
}

clump_validation_summary clump_validation_chosen_by_others(const clump_validation *validation,
                                                           const char *dataset)
{
    clump_validation_summary sum = {.count = 0};
    for (size_t i = 0; i < validation->count; i++) {
        if (!counts(&validation->runs[i], dataset))
            continue;
        size_t best = 0;
        double least = INFINITY;
        for (size_t v = 0; v < CLUMP_VALIDATION_VARIANTS; v++) {
            const double mean = without(validation, dataset, v, i).mean_absolute;
            if (mean < least) {
                least = mean;
                best = v;
            }
        }
        if (isfinite(least))
            add(&sum, &validation->runs[i], best);
    }
    return finish(sum);
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
