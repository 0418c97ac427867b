/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cases are run in batches, one case a thread; those with few configurations are computed there as
 * well. Large ones are computed afterwards, in blocks of configurations. With draws a case is run
 * once for each draw, one draw a thread.
 *
 * Of a share of the sweep only its configurations are computed.
 */
#include "exploring/sweep.h"

#include "exploring/draws.h"
#include "exploring/part.h"
#include "exploring/shifted.h"
#include "model/statistics.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A block is larger where few of its rows are wanted: threads wait for each other at its end. */
enum { BATCH = 256, BLOCK = 4096, MOST_BLOCK = 1 << 17, FEW = 64, MOST_CHUNK = 64 };

/* Draws times rows of one case that are kept at a time: some 400 MB. */
static const double most_values = 5e7;

typedef struct tour {
    clump_explorer *explorer;
    const clump_explore_taker *taker;
    uint64_t done;
} tour;

/* ---- rows as they are computed, and as they are taken */

/* Whether it is to be taken; its index is its place among those of the tally. */
static bool look_at(const tour *t, clump_explore_row *row, size_t case_index, size_t configuration,
                    clump_explore_tally *tally)
{
    const clump_explore_taker *taker = t->taker;
    row->case_index = case_index;
    row->configuration = configuration;
    row->index = tally->all++;
    tally->refused += row->result.refused != NULL;
    return taker->glance == NULL || taker->glance(row, tally, taker->context);
}

static clump_explore_status take(tour *t, clump_explore_row *row)
{
    row->index += t->done;
    return t->taker->take(row, t->taker->context);
}

static void add_tally(tour *t, const clump_explore_tally *more)
{
    clump_explore_tally *sum = t->taker->tally;
    t->done += more->all;
    clump_explorer_progress(t->explorer, (size_t)t->done, (size_t)t->explorer->rows_expected);
    if (sum == NULL)
        return;
    sum->all += more->all;
    sum->passed += more->passed;
    sum->refused += more->refused;
}

/* From the thread that takes rows. */
static clump_explore_status hand_over(tour *t, clump_explore_row *row, size_t case_index,
                                      size_t configuration)
{
    clump_explore_tally one = {0};
    const bool wanted = look_at(t, row, case_index, configuration, &one);
    const clump_explore_status status = wanted ? take(t, row) : CLUMP_EXPLORE_OK;
    add_tally(t, &one);
    return status;
}

/* ---- what draws made of a row */

static int compare_sizes(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Draws that could be predicted, moved to the front. */
static size_t drop_refused(double *X, size_t draws)
{
    size_t count = 0;
    for (size_t k = 0; k < draws; k++)
        if (!isnan(X[k]))
            X[count++] = X[k];
    return count;
}

static void summarize(const clump_explorer *e, const clump_explore_drawn *d, size_t index,
                      clump_explore_row *row)
{
    const double share = e->settings.percentile / 100;
    double *X = d->slowdowns + index * d->draws;
    const size_t draws = drop_refused(X, d->draws);
    row->refused_draws = d->draws - draws;
    if (draws == 0)
        return;
    gsl_sort(X, 1, draws);
    row->median = clump_quantile(X, draws, 0.5);
    row->low = clump_quantile(X, draws, 0.05);
    row->high = clump_quantile(X, draws, 0.95);
    row->at_percentile = clump_quantile(X, draws, share);
    row->result.input_low = row->low;
    row->result.input_high = row->high;
    if (d->least == NULL)
        return;
    /* With as many NICs as that share of the draws needs at most; refused ones come first. */
    size_t *N = d->least + index * d->draws;
    qsort(N, d->draws, sizeof *N, compare_sizes);
    const double rank = ceil(share * (double)draws);
    const size_t needed = N[row->refused_draws + (rank < 1 ? 0 : (size_t)rank - 1)];
    row->least_nics = needed == SIZE_MAX ? 0 : needed;
    row->least_real = NAN;
}

/* ---- the rows of a case */

/* Configurations of one case that one thread computes, and those of their rows that are to be taken. */
typedef struct chunk {
    size_t first, end;
    clump_explore_row *rows;
    size_t count, room;
    clump_explore_tally tally;
} chunk;

static bool chunk_add(chunk *c, const clump_explore_row *row)
{
    if (c->count == c->room) {
        const size_t room = c->room > 0 ? 2 * c->room : 16;
        clump_explore_row *rows = realloc(c->rows, room * sizeof *rows);
        if (rows == NULL)
            return false;
        c->rows = rows;
        c->room = room;
    }
    c->rows[c->count++] = *row;
    return true;
}

/* What uncertain inputs make of the rows is in `shifted`, or else `drawn`, or NULL. What was computed before something
 * failed is there. */
static clump_scenario_status chunk_compute(const tour *t, const clump_scenario *scenario,
                                           const clump_shifted *shifted,
                                           const clump_explore_drawn *drawn, size_t case_index,
                                           chunk *c, char *message)
{
    const clump_explorer *e = t->explorer;
    const size_t room = clump_scenario_most_applications(scenario);
    clump_explore_row *rows = calloc(room, sizeof *rows);
    clump_result *scratch = calloc(room, sizeof *scratch);
    clump_scenario_status status =
        rows != NULL && scratch != NULL ? CLUMP_SCENARIO_OK : clump_explore_no_memory(message);
    for (size_t i = c->first; i < c->end && status == CLUMP_SCENARIO_OK; i++) {
        size_t count = 0;
        if (!clump_explorer_has(e, case_index, i, clump_scenario_configurations(scenario)))
            continue;
        status = clump_explore_compute(e, scenario, i, e->settings.limit > 0, scratch, rows, &count,
                                       message);
        if (status == CLUMP_SCENARIO_OK && shifted != NULL)
            status = clump_shifted_add(e, shifted, i, scratch, rows, count, message);
        for (size_t k = 0; k < count && status == CLUMP_SCENARIO_OK; k++) {
            if (drawn != NULL)
                summarize(e, drawn, (size_t)c->tally.all, &rows[k]);
            if (look_at(t, &rows[k], case_index, i, &c->tally) && !chunk_add(c, &rows[k]))
                status = clump_explore_no_memory(message);
        }
    }
    free(rows);
    free(scratch);
    return status;
}

/* How many rows were taken is added to `taken`. */
static clump_explore_status chunk_hand_over(tour *t, chunk *c, size_t *taken)
{
    clump_explore_status status = CLUMP_EXPLORE_OK;
    for (size_t i = 0; i < c->count && status == CLUMP_EXPLORE_OK; i++)
        status = take(t, &c->rows[i]);
    *taken += c->count;
    add_tally(t, &c->tally);
    return status;
}

/* ---- cases without draws */

typedef struct prepared_case {
    clump_scenario *scenario;
    clump_shifted shifted;
    chunk rows; /* of a small case */
} prepared_case;

/* So many configurations are a chunk that threads come to the end of them all together. */
static size_t chunk_length(size_t configurations, int threads)
{
    const size_t share = configurations / ((size_t)threads * 16);
    return share < 1 ? 1 : share > MOST_CHUNK ? MOST_CHUNK : share;
}

/* Configurations [first, end) of a large case, in parallel. */
static clump_explore_status visit_block(tour *t, const prepared_case *p, size_t case_index,
                                        size_t first, size_t end, size_t *taken)
{
    clump_explorer *e = t->explorer;
    const int threads = e->settings.threads;
    const size_t length = chunk_length(end - first, threads);
    const size_t count = (end - first + length - 1) / length;
    clump_explore_failure failed = {.number = count};
    clump_explore_status status = CLUMP_EXPLORE_OK;
    chunk *chunks = calloc(count, sizeof *chunks);
    if (chunks == NULL)
        return clump_explorer_fail_memory(e);
#pragma omp parallel for schedule(monotonic : dynamic, 1) num_threads(threads)
    for (size_t i = 0; i < count; i++) {
        char message[CLUMP_EXPLORE_MESSAGE];
        const size_t from = first + i * length;
        chunks[i].first = from;
        chunks[i].end = end - from < length ? end : from + length;
        const clump_scenario_status found =
            chunk_compute(t, p->scenario, &p->shifted, NULL, case_index, &chunks[i], message);
        if (found != CLUMP_SCENARIO_OK)
            clump_explore_note_failure(&failed, found, i, message);
        if (omp_get_thread_num() == 0)
            clump_explorer_progress(e, (size_t)t->done + i * length, (size_t)e->rows_expected);
    }
    for (size_t i = 0; i < count; i++) {
        if (status == CLUMP_EXPLORE_OK && i <= failed.number)
            status = chunk_hand_over(t, &chunks[i], taken);
        free(chunks[i].rows);
    }
    free(chunks);
    return status == CLUMP_EXPLORE_OK ? clump_explorer_explain(e, failed.status, failed.message)
                                      : status;
}

static clump_explore_status visit_large(tour *t, const prepared_case *p, size_t case_index)
{
    const size_t total = clump_scenario_configurations(p->scenario);
    clump_explore_status status = CLUMP_EXPLORE_OK;
    size_t room = BLOCK;
    for (size_t first = 0, end; first < total && status == CLUMP_EXPLORE_OK; first = end) {
        size_t taken = 0;
        end = total - first < room ? total : first + room;
        status = visit_block(t, p, case_index, first, end, &taken);
        if (taken < (end - first) / 16 && room < MOST_BLOCK)
            room *= 2;
    }
    return status;
}

static clump_scenario_status run_case(const tour *t, size_t case_index, prepared_case *p,
                                      char *message)
{
    const clump_explorer *e = t->explorer;
    clump_scenario_status status =
        clump_explorer_prepare(e, case_index, NULL, NULL, 0, &p->scenario, message);
    if (status == CLUMP_SCENARIO_OK)
        status = clump_shifted_make(e, case_index, p->scenario, &p->shifted, message);
    if (status != CLUMP_SCENARIO_OK)
        return status;
    p->rows.end = clump_scenario_configurations(p->scenario);
    if (p->rows.end > FEW || e->cases == 1)
        return CLUMP_SCENARIO_OK;
    status = chunk_compute(t, p->scenario, &p->shifted, NULL, case_index, &p->rows, message);
    clump_shifted_close(&p->shifted); /* a batch of them would take much memory */
    return status;
}

static clump_explore_status visit_batch(tour *t, prepared_case *batch, size_t first, size_t count)
{
    clump_explorer *e = t->explorer;
    clump_explore_failure failed = {.number = count};
#pragma omp parallel for schedule(dynamic, 1) num_threads(e->settings.threads) if (count > 1)
    for (size_t i = 0; i < count; i++) {
        char message[CLUMP_EXPLORE_MESSAGE];
        const clump_scenario_status found = clump_explorer_has(e, first + i, 0, 0)
                                                ? run_case(t, first + i, &batch[i], message)
                                                : CLUMP_SCENARIO_OK;
        if (found != CLUMP_SCENARIO_OK)
            clump_explore_note_failure(&failed, found, i, message);
    }
    clump_explore_status status = CLUMP_EXPLORE_OK;
    for (size_t i = 0; i < count; i++) {
        prepared_case *p = &batch[i];
        size_t taken = 0;
        if (status == CLUMP_EXPLORE_OK && i == failed.number)
            status = clump_explorer_explain(e, failed.status, failed.message);
        else if (status == CLUMP_EXPLORE_OK && p->rows.tally.all > 0)
            status = chunk_hand_over(t, &p->rows, &taken);
        else if (status == CLUMP_EXPLORE_OK && p->scenario != NULL)
            status = visit_large(t, p, first + i);
        free(p->rows.rows);
        clump_shifted_close(&p->shifted);
        clump_scenario_free(p->scenario);
        *p = (prepared_case){.scenario = NULL};
    }
    return status;
}

/* ---- cases with draws */

static clump_explore_status find_drawn(tour *t, clump_explore_drawn *d,
                                       const clump_scenario *scenario)
{
    clump_explorer *e = t->explorer;
    const clump_explore_draw like = {.swapped = -1, .fixed = -1};
    const clump_explore_status status =
        clump_explore_draw_all(e, &like, d, d->case_index * d->draws, e->cases * d->draws);
    if (status != CLUMP_EXPLORE_OK)
        return status;
    /* The rows with medians of the parameters, and what the draws made of them. */
    chunk rows = {.end = clump_scenario_configurations(scenario)};
    size_t taken = 0;
    const clump_scenario_status computed =
        chunk_compute(t, scenario, NULL, d, d->case_index, &rows, e->message);
    const clump_explore_status handed = chunk_hand_over(t, &rows, &taken);
    free(rows.rows);
    return handed == CLUMP_EXPLORE_OK ? clump_explorer_explain(e, computed, e->message) : handed;
}

static clump_explore_status visit_drawn(tour *t, size_t case_index)
{
    clump_explorer *e = t->explorer;
    const size_t draws = e->settings.draws;
    clump_scenario *scenario = NULL;
    clump_explore_drawn d = {.rows = 0};
    if (!clump_explorer_has(e, case_index, 0, 0))
        return CLUMP_EXPLORE_OK;
    clump_explore_status status = clump_explorer_explain(
        e, clump_explorer_prepare(e, case_index, NULL, NULL, 0, &scenario, e->message), e->message);
    if (status != CLUMP_EXPLORE_OK)
        return status;
    const size_t configurations = clump_scenario_configurations(scenario);
    size_t rows = 0;
    for (size_t c = 0; c < configurations; c++)
        if (clump_explorer_has(e, case_index, c, configurations))
            rows += e->settings.each ? clump_scenario_applications(scenario, c) : 1;
    if (rows == 0)
        status = CLUMP_EXPLORE_OK; /* all of another share */
    else if ((double)rows * (double)draws > most_values)
        status = clump_explorer_fail(e, CLUMP_EXPLORE_BAD_SETTING,
                                     "--draws: found %zu draws of %zu rows, expected at most %.0g "
                                     "together; ask for fewer",
                                     draws, rows, most_values);
    else if (clump_explore_drawn_make(&d, case_index, rows, draws, e->settings.limit > 0))
        status = find_drawn(t, &d, scenario);
    else
        status = clump_explorer_fail_memory(e);
    clump_explore_drawn_release(&d);
    clump_scenario_free(scenario);
    return status;
}

/* Rows that parts have computed. */
static clump_explore_status visit_parts(tour *t)
{
    clump_explorer *e = t->explorer;
    clump_explore_status status = CLUMP_EXPLORE_OK;
    clump_explore_parts_rewind(e->settings.parts);
    for (bool end = false; status == CLUMP_EXPLORE_OK;) {
        clump_explore_row row = {.explorer = e};
        if (clump_watch_stops(e->settings.scenario.watch, NAN))
            return clump_explorer_fail(e, CLUMP_EXPLORE_INTERRUPTED, "interrupted");
        status = clump_explore_parts_row(e->settings.parts, &row, &end, e->message);
        if (status != CLUMP_EXPLORE_OK || end)
            break;
        status = row.case_index < e->cases
                     ? hand_over(t, &row, row.case_index, row.configuration)
                     : clump_explorer_fail(e, CLUMP_EXPLORE_BAD_INPUT,
                                           "--merge: found a row of case %zu, expected at most %zu",
                                           row.case_index + 1, e->cases);
    }
    return status;
}

/* Cases that are prepared together: their values are in memory at the same time. */
static size_t batch_size(const clump_explorer *e)
{
    const double configurations = e->rows_expected / (double)e->cases;
    const double few = e->settings.threads < BATCH ? e->settings.threads : BATCH;
    return configurations <= FEW ? BATCH : (size_t)fmax(few, fmin(BATCH, 1e5 / configurations));
}

clump_explore_status clump_explore_sweep(clump_explorer *e, const clump_explore_taker *taker)
{
    tour t = {.explorer = e, .taker = taker};
    clump_explore_status status = CLUMP_EXPLORE_OK;
    if (e->settings.parts != NULL)
        return visit_parts(&t);
    prepared_case *batch = calloc(BATCH, sizeof *batch);
    if (batch == NULL)
        return clump_explorer_fail_memory(e);
    const size_t together = batch_size(e);
    for (size_t c = 0; c < e->cases && status == CLUMP_EXPLORE_OK;) {
        const size_t count = e->cases - c < together ? e->cases - c : together;
        if (e->settings.draws > 0) {
            status = visit_drawn(&t, c++);
        } else {
            status = visit_batch(&t, batch, c, count);
            c += count;
        }
    }
    free(batch);
    return status;
}
