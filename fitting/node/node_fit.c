/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/node/node_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- curves */

/* Of runs in a range of sizes; CLUMP_OK and `found` false if there are none. */
static clump_status fit_range(const clump_node_runs *runs, clump_node_range range, bool messages,
                              clump_node_curve_options options, clump_node_curve *curve,
                              bool *found, clump_error *error)
{
    clump_node_point *points = NULL;
    size_t count = 0;
    options.account = runs->account;
    clump_status status = clump_node_sizes_points(
        runs, range, messages, &points, &count, &options.scatter, &options.scatter_freedom, error);
    *found = status == CLUMP_OK && count > 0;
    if (*found)
        status = clump_node_curve_fit(points, count, &options, curve, error);
    free(points);
    return status;
}

static clump_status fit_curves(clump_node_fit *fit, clump_error *error)
{
    const clump_node_runs *runs = &fit->samples.one_way;
    bool found;
    clump_status status =
        clump_node_sizes_make(&fit->samples, &fit->sizes, &fit->size_count, error);
    if (status != CLUMP_OK)
        return status;
    fit->long_sizes = clump_node_sizes_range(fit->sizes, fit->size_count, true);
    fit->short_sizes = clump_node_sizes_range(fit->sizes, fit->size_count, false);
    status = fit_range(runs, fit->long_sizes, false, (clump_node_curve_options){.only = false},
                       &fit->curve, &found, error);
    if (status != CLUMP_OK || fit->short_sizes.to == 0)
        return status;
    /* The same processes use the same NICs. */
    const clump_node_hypothesis *h = &fit->curve.hypotheses[fit->curve.best];
    const clump_node_curve_options same = {.only = true, .sharing = h->sharing, .nics = h->nics};
    return fit_range(runs, fit->short_sizes, true, same, &fit->messages, &fit->has_messages, error);
}

/* ---- both directions: with numbers of pairs that were measured so and so */

static bool has_pairs(const clump_node_runs *runs, double pairs)
{
    for (size_t i = 0; i < runs->count; i++)
        if (runs->items[i].pairs == pairs)
            return true;
    return false;
}

static clump_status leave_common(const clump_node_samples *samples, const clump_node_runs *runs,
                                 const clump_node_runs *other, clump_node_runs *common,
                                 clump_error *error)
{
    *common = *runs;
    common->count = 0;
    common->items = clump_arena_take(samples->arena, (runs->count + 1) * sizeof *common->items);
    if (common->items == NULL)
        return clump_fail_memory(error, "runs");
    for (size_t i = 0; i < runs->count; i++)
        if (has_pairs(other, runs->items[i].pairs))
            common->items[common->count++] = runs->items[i];
    return CLUMP_OK;
}

static double relative(const clump_node_interval *i)
{
    return log(i->high / i->low) / 2;
}

static clump_status compare_directions(clump_node_fit *fit, clump_error *error)
{
    const clump_node_runs *all[] = {&fit->samples.one_way, &fit->samples.both_ways};
    clump_node_value *v = &fit->values[CLUMP_NODE_DUPLEX];
    clump_node_curve curves[2];
    double pairs = 0;
    clump_node_say(v, "not measured: osu_bibw, IMB Biband or calibrate mpi would tell");
    if (all[1]->count == 0)
        return CLUMP_OK;
    for (size_t i = 0; i < 2; i++) {
        const clump_node_curve_options pooled = {.only = true, .nics = 1};
        clump_node_runs common;
        bool found = false;
        clump_status status = leave_common(&fit->samples, all[i], all[1 - i], &common, error);
        if (status == CLUMP_OK && common.count > 0)
            status = fit_range(&common, fit->long_sizes, false, pooled, &curves[i], &found, error);
        if (status != CLUMP_OK)
            return status;
        if (!found) {
            clump_node_say(v, "no number of pairs was measured both ways and one way with long "
                              "messages");
            return CLUMP_OK;
        }
        pairs = fmax(pairs, curves[i].most_pairs);
    }
    const clump_node_interval *one = &curves[0].best_rate, *both = &curves[1].best_rate;
    const double half = hypot(relative(one), relative(both));
    v->known = true;
    v->value = both->value / one->value;
    v->low = v->value * exp(-half);
    v->high = v->value * exp(half);
    clump_node_say(v, "%s and %s, up to %g pairs: %s", all[1]->benchmark, all[0]->benchmark, pairs,
                   v->value < CLUMP_NODE_HALF_DUPLEX
                       ? "nearer to half duplex (1) than to full (2)"
                       : "nearer to full duplex (2) than to half (1)");
    return CLUMP_OK;
}

/* ---- memory */

static clump_status read_memory(clump_store *store, const char *platform, clump_node_fit *fit,
                                clump_error *error)
{
    const clump_store_status status =
        clump_store_find_memory_curve(store, platform, NULL, NULL, &fit->memory);
    if (status == CLUMP_STORE_FAILED)
        return clump_fail(error, CLUMP_INCONSISTENT, "%.250s", clump_store_message(store));
    return CLUMP_OK;
}

/* ---- rows of pairs */

static clump_status add_pairs(clump_node_fit *fit, double pairs, const clump_node_point *points,
                              size_t count, clump_error *error)
{
    double sum = 0, n = 0;
    for (size_t i = 0; i < count; i++)
        if (points[i].pairs == pairs) {
            sum += points[i].log_rate;
            n++;
        }
    if (n == 0)
        return CLUMP_OK;
    const double half = clump_node_curve_half_width(&fit->curve, n);
    clump_node_pair_row row = {.pairs = pairs,
                               .runs = n,
                               .measured = exp(sum / n),
                               .low = exp(sum / n - half),
                               .high = exp(sum / n + half)};
    const clump_status status = clump_node_curve_rate(&fit->curve, fit->samples.one_way.account,
                                                      pairs, &row.fitted, &row.efficiency, error);
    row.limit = pairs < fit->curve.ratio.value ? "processes"
                : fit->curve.full              ? "NICs"
                                               : "not known";
    if (status == CLUMP_OK)
        fit->pairs[fit->pair_count++] = row;
    return status;
}

static clump_status make_pairs(clump_node_fit *fit, clump_error *error)
{
    const clump_node_runs *runs = &fit->samples.one_way;
    clump_node_point *points = NULL;
    size_t count = 0;
    clump_status status =
        clump_node_sizes_points(runs, fit->long_sizes, false, &points, &count, NULL, NULL, error);
    fit->pairs = clump_arena_take(fit->samples.arena, (runs->count + 1) * sizeof *fit->pairs);
    if (status == CLUMP_OK && fit->pairs == NULL)
        status = clump_fail_memory(error, "pairs");
    for (size_t i = 0; i < runs->count && status == CLUMP_OK; i++)
        if (i == 0 || runs->items[i].pairs != runs->items[i - 1].pairs)
            status = add_pairs(fit, runs->items[i].pairs, points, count, error);
    free(points);
    double best = 0;
    for (size_t i = 0; i < fit->pair_count; i++)
        best = fmax(best, fit->pairs[i].measured);
    for (size_t i = 0; i < fit->pair_count; i++)
        fit->pairs[i].share = fit->pairs[i].measured / best;
    return status;
}

/* ---- */

static clump_status run(clump_store *store, const clump_node_filter *filter,
                        const clump_node_known *known, clump_node_fit *fit, clump_error *error)
{
    clump_store_platform *platform = NULL;
    clump_status status = clump_node_samples_read(store, filter, &fit->samples, error);
    for (size_t i = 0; i < CLUMP_NODE_NAMES; i++)
        fit->values[i] = (clump_node_value){
            .value = NAN, .low = NAN, .high = NAN, .at_least = NAN, .at_most = NAN};
    if (status == CLUMP_OK)
        status = fit_curves(fit, error);
    if (status == CLUMP_OK)
        status = make_pairs(fit, error);
    if (status == CLUMP_OK)
        status = compare_directions(fit, error);
    if (status == CLUMP_OK)
        status = read_memory(store, filter->platform, fit, error);
    if (status == CLUMP_OK &&
        clump_store_find_platform(store, filter->platform, &platform) != CLUMP_STORE_OK)
        status = clump_fail(error, CLUMP_INCONSISTENT, "%.250s", clump_store_message(store));
    if (status == CLUMP_OK)
        status = clump_node_answer(fit, known, platform, error);
    clump_store_free(platform);
    return status;
}

clump_status clump_node_fit_run(clump_store *store, const clump_node_filter *filter,
                                const clump_node_known *known, clump_node_fit *fit,
                                clump_error *error)
{
    clump_node_fit made = {.has_messages = false};
    const clump_status status = run(store, filter, known, &made, error);
    if (status == CLUMP_OK)
        *fit = made;
    else
        clump_node_fit_free(&made);
    return status;
}

void clump_node_fit_free(clump_node_fit *fit)
{
    clump_store_free(fit->memory);
    clump_node_samples_free(&fit->samples);
    *fit = (clump_node_fit){.has_messages = false};
}
