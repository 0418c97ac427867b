/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the user of a fit has to know beside the numbers. */
#include "cli/fit_slowdown_output.h"
#include "cli/output/errors.h"
#include "model/prediction.h"

#include <math.h>
#include <stdio.h>

/* From here on one of two parameters can take the place of the other. */
static const double trade_off = 0.9;

/* Residuals that no noise of times explains, where nothing is known of it. */
static const double poor = 0.1;

static bool warn_of_pairs(const char *command, const fit_slowdown_answer *a)
{
    const clump_slowdown_fit *f = a->fit;
    bool any = false;
    for (size_t i = 0; i < f->unknown_count; i++)
        for (size_t j = i + 1; j < f->unknown_count; j++) {
            char first[UNKNOWN_SIZE], second[UNKNOWN_SIZE];
            const double r = f->correlation[i][j];
            if (!(fabs(r) > trade_off))
                continue;
            note_print(command,
                       "%s and %s trade off (correlation %+.3f): these times can hardly "
                       "tell them apart",
                       fit_slowdown_unknown(a->asked, f->unknowns[i], first),
                       fit_slowdown_unknown(a->asked, f->unknowns[j], second), r);
            any = true;
        }
    return any;
}

static bool warn_of_bounds(const char *command, const fit_slowdown_answer *a)
{
    bool any = false;
    for (size_t j = 0; j < a->fit->unknown_count; j++) {
        const size_t u = a->fit->unknowns[j];
        if (u >= CLUMP_SLOWDOWN_PARAMETERS)
            continue;
        const clump_slowdown_estimate *e = &a->fit->parameters[u];
        if (e->low_is_bound && e->high_is_bound)
            note_print(command, "these times allow any %s from %.4g to %.4g",
                       clump_slowdown_parameter_name((clump_slowdown_parameter)u), e->low, e->high);
        else if (e->low_is_bound || e->high_is_bound)
            note_print(command, "these times allow %s to be as %s as %.4g, the end of its range",
                       clump_slowdown_parameter_name((clump_slowdown_parameter)u),
                       e->low_is_bound ? "small" : "large", e->low_is_bound ? e->low : e->high);
        else
            continue;
        any = true;
    }
    return any;
}

static void suggest(const char *command, const fit_slowdown_answer *a)
{
    double values[CLUMP_SLOWDOWN_PARAMETERS];
    clump_slowdown_run run;
    for (size_t k = 0; k < CLUMP_SLOWDOWN_PARAMETERS; k++)
        values[k] = a->fit->parameters[k].value;
    if (clump_slowdown_suggest(&a->asked->question, values, &run))
        note_print(command,
                   "most helpful would be the time with %zu processor(s) and %zu "
                   "NIC(s)%s%s",
                   run.processors, run.nics, run.processors > 1 ? ", " : "",
                   run.processors > 1 ? clump_mapping_name(run.mapping) : "");
}

/* Which of the parameters that are held would explain most of what the model misses. */
static void suggest_free(const char *command, const fit_slowdown_answer *a)
{
    static const clump_slowdown_parameter candidates[] = {
        CLUMP_SLOWDOWN_UTILIZATION, CLUMP_SLOWDOWN_GANG, CLUMP_SLOWDOWN_EFFICIENCY,
        CLUMP_SLOWDOWN_PENALTY};
    const clump_slowdown_question *asked = &a->asked->question;
    double best = a->fit->rms_error / 2;
    const char *name = NULL;
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
        clump_slowdown_question q = *asked;
        clump_slowdown_fit fit;
        if (q.free[candidates[i]] || !(a->fit->freedom > 1))
            continue;
        q.free[candidates[i]] = true;
        if (clump_slowdown_fit_compute(&q, &fit, NULL) != CLUMP_OK)
            continue;
        if (fit.rms_error < best) {
            best = fit.rms_error;
            name = clump_slowdown_parameter_name(candidates[i]);
        }
        clump_slowdown_fit_free(&fit);
    }
    if (name != NULL)
        note_print(command, "with %s free, too, the residuals would fall from %.2g%% to %.2g%%",
                   name, 100 * a->fit->rms_error, 100 * best);
}

void fit_slowdown_warn(const char *command, const fit_slowdown_answer *a)
{
    const clump_slowdown_fit *f = a->fit;
    const bool pairs = warn_of_pairs(command, a), bounds = warn_of_bounds(command, a);
    if (f->widening > 1)
        note_print(command,
                   "the model misses the times by more than their errors (p = %.2g); intervals "
                   "are %.1f times as wide as the errors alone would make them",
                   f->p_value, f->widening);
    if (!f->weighted && f->rms_error > poor)
        note_print(command,
                   "the model does not explain these times: residuals "
                   "are %.2g%% (root mean square)",
                   100 * f->rms_error);
    if (f->unknown_count > 0 && !f->weighted && !(f->freedom > 0))
        note_print(command, "as many unknowns as configurations and no spread of the times: "
                            "there are no intervals; give std_dev, half_width or repeated times");
    if (f->other_optima > 0)
        note_print(command, "%zu other set(s) of values fit as well within the errors",
                   f->other_optima);
    if (f->widening > 1 || (!f->weighted && f->rms_error > poor))
        suggest_free(command, a);
    if ((pairs || bounds) && f->base_count == 1)
        suggest(command, a);
}
