/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/loggp/loggp_fit.h"

#include "fitting/loggp/loggp_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Does a curve have a sample at the sides of a break from a source that the other has not? One run
 * of a benchmark that measures two curves together is one witness, not two. */
static bool has_other_source(const clump_loggp_samples *set, clump_curve_kind kind,
                             const clump_break *b, clump_curve_kind than, const clump_break *known)
{
    const clump_curve *mine = &set->curves[kind], *other = &set->curves[than];
    for (size_t i = 0; i < mine->count; i++) {
        const clump_curve_point *p = &mine->points[i];
        bool shared = false;
        if (p->size_bytes < b->below || p->size_bytes > b->above)
            continue;
        for (size_t j = 0; j < other->count && !shared; j++) {
            const clump_curve_point *q = &other->points[j];
            shared = q->size_bytes >= known->below && q->size_bytes <= known->above &&
                     set->items[q->sample].source == set->items[p->sample].source;
        }
        if (!shared)
            return true;
    }
    return false;
}

static bool same_place(const clump_break *a, const clump_break *b)
{
    return a->below < b->high && b->below < a->high && a->above > b->low && b->above > a->low;
}

/* A break that one run of each of two benchmarks shows is as good as one in two runs. */
static void confirm_across(clump_loggp_fit *fit)
{
    for (size_t i = 0; i < CLUMP_CURVE_KINDS; i++)
        for (size_t k = 0; k + 1 < fit->curves[i].piece_count; k++) {
            clump_break *b = &fit->curves[i].breaks[k];
            for (size_t j = 0; j < CLUMP_CURVE_KINDS && !b->confirmed; j++)
                for (size_t m = 0; j != i && m + 1 < fit->curves[j].piece_count; m++) {
                    const clump_break *other = &fit->curves[j].breaks[m];
                    b->confirmed =
                        b->confirmed || (same_place(b, other) &&
                                         has_other_source(&fit->samples, (clump_curve_kind)j, other,
                                                          (clump_curve_kind)i, b));
                }
        }
}

/* The round trips that windows wait for: of a message and a short reply after a burst, of a
 * message and its like where each waits. */
static void set_round_trips(clump_loggp_fit *fit)
{
    const clump_curve_fit *one_way = &fit->curves[CLUMP_CURVE_ONE_WAY];
    clump_curve *stream = &fit->samples.curves[CLUMP_CURVE_STREAM];
    for (size_t i = 0; i < stream->count; i++) {
        clump_curve_point *p = &stream->points[i];
        const double there = clump_curve_fit_time(one_way, p->size_bytes);
        const double back = clump_curve_fit_time(one_way, 1);
        p->round_trip_us = there + (p->waiting == CLUMP_WAITS_FOR_BURST ? back : there);
    }
}

static bool has_nothing(const clump_loggp_samples *samples)
{
    size_t count = samples->gap.count + samples->gap_per_byte.count;
    for (size_t k = 0; k < CLUMP_CURVE_KINDS; k++)
        count += samples->curves[k].count;
    return count == 0;
}

static clump_status fit_all(clump_loggp_fit *fit, const clump_loggp_filter *filter,
                            const clump_fit_options *options, clump_error *error)
{
    clump_status status = CLUMP_OK;
    if (has_nothing(&fit->samples))
        return clump_fail(
            error, CLUMP_BAD_ARGUMENT,
            "platform '%.60s' has no times of messages%s%.40s%s, expected some from a "
            "benchmark ('clumpmodel import')",
            filter->platform, filter->transport != NULL ? " of transport '" : "",
            filter->transport != NULL ? filter->transport : "",
            filter->transport != NULL ? "'" : "");
    for (size_t k = 0; k < CLUMP_CURVE_KINDS && status == CLUMP_OK; k++) {
        status = clump_curve_fit_run(&fit->samples.curves[k], options, k, &fit->curves[k], error);
        if (k == CLUMP_CURVE_ONE_WAY && status == CLUMP_OK)
            set_round_trips(fit);
    }
    if (status == CLUMP_OK && options->resamples > 0) {
        fit->draws = calloc(options->resamples, CLUMP_LOGGP_NAMES * sizeof *fit->draws);
        fit->resamples = options->resamples;
        if (fit->draws == NULL)
            status = clump_fail_memory(error, "intervals");
    }
    if (status == CLUMP_OK) {
        confirm_across(fit);
        status = clump_loggp_values_set(fit, error);
    }
    return status == CLUMP_OK ? clump_loggp_notes_write(fit, error) : status;
}

clump_status clump_loggp_fit_run(clump_store *store, const clump_loggp_filter *filter,
                                 const clump_fit_options *options, clump_loggp_fit *fit,
                                 clump_error *error)
{
    clump_loggp_fit result = {.note_count = 0};
    clump_store_platform *platform = NULL;
    const clump_store_status found = clump_store_find_platform(store, filter->platform, &platform);
    clump_store_free(platform);
    if (found != CLUMP_STORE_OK)
        return clump_fail(error,
                          found == CLUMP_STORE_FAILED ? CLUMP_INCONSISTENT : CLUMP_BAD_ARGUMENT,
                          "%.240s", clump_store_message(store));
    clump_status status = clump_loggp_samples_read(store, filter, &result.samples, error);
    if (status == CLUMP_OK)
        status = fit_all(&result, filter, options, error);
    if (status == CLUMP_OK)
        *fit = result;
    else
        clump_loggp_fit_free(&result);
    return status;
}

void clump_loggp_fit_free(clump_loggp_fit *fit)
{
    clump_loggp_samples_free(&fit->samples);
    for (size_t k = 0; k < CLUMP_CURVE_KINDS; k++)
        clump_curve_fit_free(&fit->curves[k]);
    for (size_t i = 0; i < fit->note_count; i++)
        free(fit->notes[i]);
    free(fit->notes);
    free(fit->draws);
    *fit = (clump_loggp_fit){.note_count = 0};
}
