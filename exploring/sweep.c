/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cases are run in batches, one case a thread; those with few configurations are computed there as
 * well. Large ones are computed afterwards, in blocks of configurations. With draws a case is run
 * once for each draw, one draw a thread.
 *
 * A share of the sweep has whole cases if there are plenty, else configurations of every case, or draws.
 */
#include "exploring/sweep.h"

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
enum { BATCH = 256, BLOCK = 4096, MOST_BLOCK = 1 << 17, FEW = 64 };

/* Draws times rows of one case that are kept at a time: some 400 MB. */
static const double most_values = 5e7;

typedef struct tour {
    clump_explorer *explorer;
    const clump_explore_taker *taker;
    uint64_t done;
} tour;

static void tell_progress(const tour *t, size_t done, size_t total)
{
    const clump_explore_settings *s = &t->explorer->settings;
    if (s->progress != NULL)
        s->progress(done, total, s->progress_context);
}

/* Shares of a few cases each would differ too much in what they have to do. */
enum { CASES_A_SHARE = 8 };

static bool shares_cases(const clump_explorer *e)
{
    return e->cases / CASES_A_SHARE >= e->settings.share.count;
}

static bool has_case(const clump_explorer *e, size_t case_index)
{
    return !shares_cases(e) || clump_explore_share_has(e->settings.share, case_index);
}

static bool has_configuration(const clump_explorer *e, size_t case_index, size_t configuration)
{
    return shares_cases(e) ||
           clump_explore_share_has(e->settings.share, (uint64_t)case_index + configuration);
}

/* A failure among threads: that of the lowest number is the one that is told. */
typedef struct failure {
    clump_scenario_status status;
    size_t number;
    char message[CLUMP_EXPLORE_MESSAGE];
} failure;

static void note_failure(failure *f, clump_scenario_status status, size_t number,
                         const char *message)
{
#pragma omp critical(clump_explore_failure)
    if (f->status == CLUMP_SCENARIO_OK || number < f->number) {
        f->status = status;
        f->number = number;
        snprintf(f->message, sizeof f->message, "%s", message);
    }
}

static clump_scenario_status no_memory(char *message)
{
    snprintf(message, CLUMP_EXPLORE_MESSAGE, "out of memory");
    return CLUMP_SCENARIO_NO_MEMORY;
}

static clump_explore_status hand_over(tour *t, clump_explore_row *row, size_t case_index,
                                      size_t configuration)
{
    row->index = t->done++;
    row->case_index = case_index;
    row->configuration = configuration;
    tell_progress(t, (size_t)t->done, (size_t)t->explorer->rows_expected);
    return t->taker->take(row, t->taker->context);
}

/* ---- configurations of one case */

/* Where rows are computed. */
typedef struct bench {
    clump_explore_row *rows; /* of the configuration in hand */
    clump_result *scratch;
    size_t stride; /* of both */
    size_t count;  /* rows of the configuration */
} bench;

static bool bench_make(bench *b, size_t stride)
{
    *b = (bench){.rows = calloc(stride, sizeof *b->rows),
                 .scratch = calloc(stride, sizeof *b->scratch),
                 .stride = stride};
    return b->rows != NULL && b->scratch != NULL;
}

static void bench_release(bench *b)
{
    free(b->rows);
    free(b->scratch);
    *b = (bench){.rows = NULL};
}

/* `shifted` or NULL. */
static clump_scenario_status compute_one(const clump_explorer *e, const clump_scenario *scenario,
                                         const clump_shifted *shifted, size_t configuration,
                                         bench *b, char *message)
{
    const clump_scenario_status status = clump_explore_compute(
        e, scenario, configuration, e->settings.limit > 0, b->scratch, b->rows, &b->count, message);
    return status != CLUMP_SCENARIO_OK || shifted == NULL
               ? status
               : clump_shifted_add(e, shifted, configuration, b->scratch, b->rows, b->count,
                                   message);
}

/* Rows that are to be taken, in the order in which one thread has come to them. */
typedef struct kept_rows {
    clump_explore_row *rows;
    size_t *places; /* in the block, ascending */
    size_t count, room;
    size_t next; /* to be handed over */
} kept_rows;

static bool kept_add(kept_rows *k, const clump_explore_row *row, size_t place)
{
    if (k->count == k->room) {
        const size_t room = k->room > 0 ? 2 * k->room : 16;
        clump_explore_row *rows = realloc(k->rows, room * sizeof *rows);
        if (rows != NULL)
            k->rows = rows;
        size_t *places = realloc(k->places, room * sizeof *places);
        if (places != NULL)
            k->places = places;
        if (rows == NULL || places == NULL)
            return false;
        k->room = room;
    }
    k->rows[k->count] = *row;
    k->places[k->count++] = place;
    return true;
}

/* What has been computed of some configurations, `stride` places each. */
typedef struct block {
    unsigned char *marks; /* MARK_THERE, and what the glance found */
    kept_rows *kept;      /* of each thread */
    size_t stride, room;
    int threads;
} block;

enum { MARK_THERE = 8 };

static bool block_make(block *b, size_t configurations, size_t stride, int threads)
{
    *b = (block){calloc(configurations, stride), calloc((size_t)threads, sizeof *b->kept), stride,
                 configurations, threads};
    return b->marks != NULL && b->kept != NULL;
}

static void block_release(block *b)
{
    for (int i = 0; i < b->threads && b->kept != NULL; i++) {
        free(b->kept[i].rows);
        free(b->kept[i].places);
    }
    free(b->marks);
    free(b->kept);
    *b = (block){.marks = NULL};
}

/* What stands on the bench of a thread, into a place of the block; false: there is no memory. */
static bool put_into_block(const tour *t, bench *from, size_t case_index, size_t configuration,
                           size_t place, int thread, block *b)
{
    const clump_explore_taker *taker = t->taker;
    for (size_t k = 0; k < from->count; k++) {
        clump_explore_row *row = &from->rows[k];
        row->case_index = case_index;
        row->configuration = configuration;
        const unsigned found =
            taker->glance != NULL ? taker->glance(row, taker->context) : CLUMP_EXPLORE_TAKE;
        if ((found & CLUMP_EXPLORE_TAKE) != 0 &&
            !kept_add(&b->kept[thread], row, place * b->stride + k))
            return false;
        b->marks[place * b->stride + k] = (unsigned char)(MARK_THERE | found);
    }
    return true;
}

static void pass_by(tour *t, clump_explore_tally *rows)
{
    if (rows->all > 0)
        t->taker->pass_by(rows, t->taker->context);
    *rows = (clump_explore_tally){0};
}

/* The row of a place, which is the next one of some thread. */
static clump_explore_row *next_kept(block *b, size_t place)
{
    int i = 0;
    while (b->kept[i].next == b->kept[i].count || b->kept[i].places[b->kept[i].next] != place)
        i++;
    return &b->kept[i].rows[b->kept[i].next++];
}

static clump_explore_status hand_over_block(tour *t, block *b, size_t first, size_t configurations,
                                            size_t case_index)
{
    clump_explore_status status = CLUMP_EXPLORE_OK;
    clump_explore_tally others = {0};
    for (size_t i = 0; i < configurations * b->stride && status == CLUMP_EXPLORE_OK; i++) {
        const unsigned mark = b->marks[i];
        if ((mark & CLUMP_EXPLORE_TAKE) != 0) {
            pass_by(t, &others);
            status = hand_over(t, next_kept(b, i), case_index, first + i / b->stride);
        } else if (mark != 0) {
            t->done++;
            others.all++;
            others.passed += (mark & CLUMP_EXPLORE_PASSED) != 0;
            others.refused += (mark & CLUMP_EXPLORE_REFUSED) != 0;
        }
    }
    pass_by(t, &others);
    tell_progress(t, (size_t)t->done, (size_t)t->explorer->rows_expected);
    return status;
}

/* Ready for other configurations; returns how many rows had been kept. */
static size_t empty_block(block *b)
{
    size_t rows = 0;
    for (int i = 0; i < b->threads; i++) {
        rows += b->kept[i].count;
        b->kept[i].count = b->kept[i].next = 0;
    }
    return rows;
}

typedef struct prepared_case {
    clump_scenario *scenario;
    clump_shifted shifted;
    block rows; /* of a small case; empty otherwise */
} prepared_case;

/* A thread takes so many configurations at a time that what threads write is seldom beside each other, and that they
 * come to the end of the block together. */
static int at_a_time(size_t configurations, int threads)
{
    const size_t share = configurations / ((size_t)threads * 16);
    return share < 1 ? 1 : share > 64 ? 64 : (int)share;
}

static bool benches_make(bench *benches, int threads, size_t stride)
{
    bool all = benches != NULL;
    for (int i = 0; i < threads && benches != NULL; i++)
        all = bench_make(&benches[i], stride) && all;
    return all;
}

/* A case with many configurations: in blocks, each of them in parallel. */
static clump_explore_status visit_large(tour *t, const prepared_case *c, size_t case_index)
{
    clump_explorer *e = t->explorer;
    const clump_scenario *scenario = c->scenario;
    const int threads = e->settings.threads;
    const size_t total = clump_scenario_configurations(scenario);
    const size_t stride = clump_scenario_most_applications(scenario);
    const size_t most = total < MOST_BLOCK ? total : MOST_BLOCK;
    size_t room = total < BLOCK ? total : BLOCK;
    failure failed = {.status = CLUMP_SCENARIO_OK};
    block b;
    bench *benches = calloc((size_t)threads, sizeof *benches);
    clump_explore_status status = CLUMP_EXPLORE_OK;
    if (!block_make(&b, most, stride, threads) || !benches_make(benches, threads, stride))
        status = clump_explorer_fail_memory(e);
    for (size_t first = 0, count; first < total && status == CLUMP_EXPLORE_OK; first += count) {
        const int chunk = at_a_time(room, threads);
        count = total - first < room ? total - first : room;
#pragma omp parallel for schedule(monotonic : dynamic, chunk) num_threads(threads)
        for (size_t i = 0; i < count; i++) {
            char message[CLUMP_EXPLORE_MESSAGE];
            bench *own = &benches[omp_get_thread_num()];
            memset(b.marks + i * stride, 0, stride);
            if (!has_configuration(e, case_index, first + i))
                continue;
            const clump_scenario_status found =
                compute_one(e, scenario, &c->shifted, first + i, own, message);
            if (found != CLUMP_SCENARIO_OK) {
                note_failure(&failed, found, i, message);
                continue;
            }
            if (!put_into_block(t, own, case_index, first + i, i, omp_get_thread_num(), &b))
                note_failure(&failed, no_memory(message), i, message);
            if (omp_get_thread_num() == 0 && i % 16 == 0)
                tell_progress(t, (size_t)t->done + i * stride, (size_t)e->rows_expected);
        }
        /* Those before the one that was stopped are there. */
        status = hand_over_block(t, &b, first,
                                 failed.status == CLUMP_SCENARIO_OK        ? count
                                 : failed.status == CLUMP_SCENARIO_STOPPED ? failed.number
                                                                           : 0,
                                 case_index);
        if (failed.status != CLUMP_SCENARIO_OK)
            status = clump_explorer_explain(e, failed.status, failed.message);
        if (empty_block(&b) < count * stride / 16)
            room = 2 * room < most ? 2 * room : most;
    }
    for (int i = 0; i < threads && benches != NULL; i++)
        bench_release(&benches[i]);
    free(benches);
    block_release(&b);
    return status;
}

/* ---- cases without draws */

static clump_scenario_status run_case(const tour *t, size_t case_index, prepared_case *c,
                                      char *message)
{
    const clump_explorer *e = t->explorer;
    bench own;
    clump_scenario_status status =
        clump_explorer_prepare(e, case_index, NULL, NULL, 0, &c->scenario, message);
    if (status != CLUMP_SCENARIO_OK)
        return status;
    status = clump_shifted_make(e, case_index, c->scenario, &c->shifted, message);
    if (status != CLUMP_SCENARIO_OK)
        return status;
    const size_t total = clump_scenario_configurations(c->scenario);
    const size_t stride = clump_scenario_most_applications(c->scenario);
    if (total > FEW || e->cases == 1)
        return CLUMP_SCENARIO_OK;
    if (!bench_make(&own, stride) || !block_make(&c->rows, total, stride, 1))
        status = no_memory(message);
    for (size_t i = 0; i < total && status == CLUMP_SCENARIO_OK; i++) {
        if (!has_configuration(e, case_index, i))
            continue;
        status = compute_one(e, c->scenario, &c->shifted, i, &own, message);
        if (status == CLUMP_SCENARIO_OK && !put_into_block(t, &own, case_index, i, i, 0, &c->rows))
            status = no_memory(message);
    }
    bench_release(&own);
    clump_shifted_close(&c->shifted); /* a batch of them would take much memory */
    return status;
}

static clump_explore_status visit_batch(tour *t, prepared_case *batch, size_t first, size_t count)
{
    clump_explorer *e = t->explorer;
    failure failed = {.status = CLUMP_SCENARIO_OK};
#pragma omp parallel for schedule(dynamic, 1) num_threads(e->settings.threads) if (count > 1)
    for (size_t i = 0; i < count; i++) {
        char message[CLUMP_EXPLORE_MESSAGE];
        const clump_scenario_status found =
            has_case(e, first + i) ? run_case(t, first + i, &batch[i], message) : CLUMP_SCENARIO_OK;
        if (found != CLUMP_SCENARIO_OK)
            note_failure(&failed, found, i, message);
    }
    clump_explore_status status = CLUMP_EXPLORE_OK;
    for (size_t i = 0; i < count; i++) {
        prepared_case *c = &batch[i];
        if (status == CLUMP_EXPLORE_OK && failed.status != CLUMP_SCENARIO_OK && i == failed.number)
            status = clump_explorer_explain(e, failed.status, failed.message);
        else if (status == CLUMP_EXPLORE_OK && c->rows.marks != NULL)
            status = hand_over_block(t, &c->rows, 0, c->rows.room, first + i);
        else if (status == CLUMP_EXPLORE_OK && c->scenario != NULL)
            status = visit_large(t, c, first + i);
        block_release(&c->rows);
        clump_shifted_close(&c->shifted);
        clump_scenario_free(c->scenario);
        *c = (prepared_case){.scenario = NULL};
    }
    return status;
}

/* ---- cases with draws */

typedef struct drawn_case {
    const clump_explorer *explorer;
    size_t configurations, stride;
    clump_explore_drawn found;
} drawn_case;

static clump_scenario_status run_draw(drawn_case *d, uint64_t draw, char *message)
{
    const clump_explorer *e = d->explorer;
    const clump_explore_drawn *f = &d->found;
    const clump_explore_draw how = {.index = draw, .swapped = -1, .fixed = -1};
    clump_scenario *scenario = NULL;
    clump_scenario_status status =
        clump_explorer_prepare(e, f->case_index, &how, NULL, 0, &scenario, message);
    bench b = {.rows = NULL};
    if (status == CLUMP_SCENARIO_OK &&
        (clump_scenario_configurations(scenario) != d->configurations ||
         clump_scenario_most_applications(scenario) > d->stride)) {
        snprintf(message, CLUMP_EXPLORE_MESSAGE,
                 "the scenario asks for %zu configurations with one draw and %zu with "
                 "another, expected as many for all",
                 d->configurations, clump_scenario_configurations(scenario));
        status = CLUMP_SCENARIO_BAD_INPUT;
    }
    if (status == CLUMP_SCENARIO_OK && !bench_make(&b, d->stride))
        status = no_memory(message);
    size_t row = 0;
    for (size_t c = 0; c < d->configurations && status == CLUMP_SCENARIO_OK; c++) {
        status = compute_one(e, scenario, NULL, c, &b, message);
        for (size_t k = 0; k < b.count && status == CLUMP_SCENARIO_OK && row < f->rows;
             k++, row++) {
            const clump_result *r = &b.rows[k].result;
            f->slowdowns[row * f->draws + draw] = clump_result_pace(r);
            if (f->least != NULL) /* none is enough: more than any; refused: 0 */
                f->least[row * f->draws + draw] = r->refused != NULL         ? 0
                                                  : b.rows[k].least_nics > 0 ? b.rows[k].least_nics
                                                                             : SIZE_MAX;
        }
    }
    bench_release(&b);
    clump_scenario_free(scenario);
    return status;
}

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

static void summarize(const drawn_case *d, size_t index, clump_explore_row *row)
{
    const size_t all = d->found.draws;
    const double share = d->explorer->settings.percentile / 100;
    double *X = d->found.slowdowns + index * all;
    const size_t draws = drop_refused(X, all);
    row->refused_draws = all - draws;
    if (draws == 0)
        return;
    gsl_sort(X, 1, draws);
    row->median = clump_quantile(X, draws, 0.5);
    row->low = clump_quantile(X, draws, 0.05);
    row->high = clump_quantile(X, draws, 0.95);
    row->at_percentile = clump_quantile(X, draws, share);
    row->result.input_low = row->low;
    row->result.input_high = row->high;
    if (d->found.least == NULL)
        return;
    /* With as many NICs as that share of the draws needs at most. */
    size_t *N = d->found.least + index * all;
    qsort(N, all, sizeof *N, compare_sizes);
    N += all - draws; /* refused ones come first */
    const double rank = ceil(share * (double)draws);
    const size_t needed = N[rank < 1 ? 0 : (size_t)rank - 1];
    row->least_nics = needed == SIZE_MAX ? 0 : needed;
    row->least_real = NAN;
}

/* Hands over the rows with medians of the parameters, and what the draws made of them. */
static clump_explore_status hand_over_drawn(tour *t, const drawn_case *d,
                                            const clump_scenario *scenario)
{
    clump_explorer *e = t->explorer;
    bench b;
    clump_explore_status status = CLUMP_EXPLORE_OK;
    if (!bench_make(&b, d->stride))
        status = clump_explorer_fail_memory(e);
    size_t row = 0;
    for (size_t c = 0; c < d->configurations && status == CLUMP_EXPLORE_OK; c++) {
        status = clump_explorer_explain(e, compute_one(e, scenario, NULL, c, &b, e->message),
                                        e->message);
        for (size_t k = 0; k < b.count && status == CLUMP_EXPLORE_OK; k++, row++) {
            summarize(d, row, &b.rows[k]);
            status = hand_over(t, &b.rows[k], d->found.case_index, c);
        }
    }
    bench_release(&b);
    return status;
}

static clump_explore_status run_draws(tour *t, drawn_case *d)
{
    clump_explorer *e = t->explorer;
    const size_t draws = d->found.draws;
    failure failed = {.status = CLUMP_SCENARIO_OK};
    bool stopped = false;
#pragma omp parallel for schedule(monotonic : dynamic, 8) num_threads(e->settings.threads)
    for (size_t k = 0; k < draws; k++) {
        char message[CLUMP_EXPLORE_MESSAGE];
        bool skip;
#pragma omp atomic read
        skip = stopped;
        if (skip || !clump_explore_share_has(e->settings.share, k))
            continue;
        const clump_scenario_status found = run_draw(d, k, message);
        if (found != CLUMP_SCENARIO_OK) {
            note_failure(&failed, found, k, message);
#pragma omp atomic write
            stopped = true;
        }
        if (omp_get_thread_num() == 0)
            tell_progress(t, d->found.case_index * draws + k, e->cases * draws);
    }
    return clump_explorer_explain(e, failed.status, failed.message);
}

static clump_explore_status find_drawn(tour *t, drawn_case *d, const clump_scenario *scenario)
{
    clump_explorer *e = t->explorer;
    const clump_explore_settings *s = &e->settings;
    const clump_explore_status status =
        s->parts != NULL ? clump_explore_parts_draws(s->parts, &d->found, e->message)
                         : run_draws(t, d);
    if (status != CLUMP_EXPLORE_OK)
        return status;
    return s->share.count > 0 ? s->take_draws(&d->found, t->taker->context)
                              : hand_over_drawn(t, d, scenario);
}

static clump_explore_status visit_drawn(tour *t, size_t case_index)
{
    clump_explorer *e = t->explorer;
    const size_t draws = e->settings.draws;
    clump_scenario *scenario = NULL;
    drawn_case d = {.explorer = e, .found = {.case_index = case_index, .draws = draws}};
    clump_explore_drawn *f = &d.found;
    clump_explore_status status = clump_explorer_explain(
        e, clump_explorer_prepare(e, case_index, NULL, NULL, 0, &scenario, e->message), e->message);
    if (status != CLUMP_EXPLORE_OK)
        return status;
    d.configurations = clump_scenario_configurations(scenario);
    d.stride = clump_scenario_most_applications(scenario);
    for (size_t c = 0; c < d.configurations; c++)
        f->rows += e->settings.each ? clump_scenario_applications(scenario, c) : 1;
    if ((double)f->rows * (double)draws > most_values) {
        status = clump_explorer_fail(e, CLUMP_EXPLORE_BAD_SETTING,
                                     "--draws: found %zu draws of %zu rows, expected at most %.0g "
                                     "together; ask for fewer",
                                     draws, f->rows, most_values);
    } else {
        const bool least = e->settings.limit > 0;
        f->slowdowns = malloc(f->rows * draws * sizeof *f->slowdowns);
        f->least = least ? malloc(f->rows * draws * sizeof *f->least) : NULL;
        status = f->slowdowns == NULL || (least && f->least == NULL) ? clump_explorer_fail_memory(e)
                                                                     : find_drawn(t, &d, scenario);
    }
    free(f->slowdowns);
    free(f->least);
    clump_scenario_free(scenario);
    return status;
}

/* Rows that parts have computed. */
static clump_explore_status visit_parts(tour *t)
{
    clump_explorer *e = t->explorer;
    clump_explore_status status = CLUMP_EXPLORE_OK;
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
        clump_explore_parts_rewind(e->settings.parts);
    if (e->settings.parts != NULL && e->settings.draws == 0)
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
