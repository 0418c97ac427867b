/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/clusters/cluster_judges.h"

#include "fitting/clusters/shipped_errors.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <string.h>

const clump_cluster_kind_entry clump_cluster_kinds[CLUMP_CLUSTER_KINDS] = {
    [CLUMP_CLUSTER_PAIRS] = {"pairs", {"nothing is shared", "bandwidth is shared"}},
    [CLUMP_CLUSTER_NICS] = {"nics", {"nothing changes", "communication grows with bandwidth"}},
    [CLUMP_CLUSTER_TRAINING] = {"training",
                                {"nothing is communicated", "one reduction of all bytes"}},
    [CLUMP_CLUSTER_STEPS] = {"steps", {"operations over one rate", "the same, and communication"}},
    [CLUMP_CLUSTER_COLLECTIVES] = {"collectives",
                                   {"every message as one pair's between nodes",
                                    "messages between nodes alone"}},
    [CLUMP_CLUSTER_COLLECTIVES_OTHER_NICS] = {"collectives-other-nics",
                                              {"nothing changes", "time grows with bandwidth"}},
};

static const clump_cluster_judge *const judges[CLUMP_CLUSTER_KINDS] = {
    [CLUMP_CLUSTER_PAIRS] = &clump_judge_pairs,
    [CLUMP_CLUSTER_NICS] = &clump_judge_nics,
    [CLUMP_CLUSTER_TRAINING] = &clump_judge_training,
    [CLUMP_CLUSTER_STEPS] = &clump_judge_steps,
    [CLUMP_CLUSTER_COLLECTIVES] = &clump_judge_collectives,
    [CLUMP_CLUSTER_COLLECTIVES_OTHER_NICS] = &clump_judge_collectives_other_nics,
};

clump_cluster_kind clump_cluster_kind_find(const char *name)
{
    clump_cluster_kind kind = 0;
    while (kind < CLUMP_CLUSTER_KINDS && strcmp(clump_cluster_kinds[kind].name, name) != 0)
        kind++;
    return kind;
}

/* ---- intervals */

/* One more error exceeds the greatest of n with probability 1/(n + 1): with fewer errors of other sets no
 * interval of theirs holds nine tenths. */
enum { LEAST_ERRORS = 9 };
#define COVERAGE 0.9

/* The same two platforms, in either order. */
static bool same_machines(const clump_cluster_row *a, const clump_cluster_row *b)
{
    return (strcmp(a->platform, b->platform) == 0 && strcmp(a->from, b->from) == 0) ||
           (strcmp(a->platform, b->from) == 0 && strcmp(a->from, b->platform) == 0);
}

/* Whether a row's error may tell how wrong another set is: none of the same platform, whatever the library; where runs are moved from
 * one platform to another not that of the same set, nor that of the same runs the other way around; of programs behind other NICs neither
 * that of the same program, nor of the same machines. */
static bool is_other(const clump_cluster_row *row, const clump_cluster_row *than,
                     clump_cluster_kind kind)
{
    if (strcmp(row->set, than->set) == 0 ||
        (row->from == NULL && strcmp(row->platform, than->platform) == 0))
        return false;
    if (kind == CLUMP_CLUSTER_NICS)
        return strcmp(row->subject, than->subject) != 0 && !same_machines(row, than);
    return row->from == NULL || than->from == NULL || strcmp(row->from, than->platform) != 0 ||
           strcmp(row->platform, than->from) != 0 || strcmp(row->subject, than->subject) != 0;
}

/* What |log(predicted/measured)| of other sets stays within, for a share of COVERAGE of them; of docs/clusters/ if they are
 * too few. */
static double find_reach(const clump_cluster_judgement *j, const clump_cluster_row *row,
                         double *errors)
{
    size_t count = 0;
    for (size_t i = 0; i < j->count; i++)
        if (isfinite(j->rows[i].error) && j->rows[i].predicted > 0 &&
            is_other(&j->rows[i], row, j->kind))
            errors[count++] = fabs(log(j->rows[i].predicted / j->rows[i].measured));
    if (count < LEAST_ERRORS)
        return shipped_reach[j->kind];
    gsl_sort(errors, 1, count);
    const size_t place = (size_t)ceil(COVERAGE * (double)(count + 1));
    return errors[place - 1];
}

/* Rows that follow each other and have the same others share the result: it is computed once. */
static void add_intervals(clump_cluster_work *work, const clump_cluster_judgement *j)
{
    double *errors = clump_cluster_take(work, (j->count + 1) * sizeof *errors), reach = NAN;
    for (size_t i = 0; errors != NULL && i < j->count; i++) {
        clump_cluster_row *row = &j->rows[i];
        if (i == 0 || strcmp(row->set, row[-1].set) != 0 ||
            strcmp(row->subject, row[-1].subject) != 0)
            reach = find_reach(j, row, errors);
        row->low = row->predicted * exp(-reach);
        row->high = row->predicted * exp(reach);
    }
}

/* ---- from which platform to which */

/* A name that a user typed. */
static clump_status check_platform(const clump_cluster_work *work, const char *name)
{
    clump_store_platform *platform = NULL;
    const clump_store_status found =
        name != NULL ? clump_store_find_platform(work->store, name, &platform) : CLUMP_STORE_OK;
    clump_store_free(platform);
    if (found == CLUMP_STORE_OK)
        return CLUMP_OK;
    return clump_fail(work->error,
                      found == CLUMP_STORE_NOT_FOUND ? CLUMP_BAD_ARGUMENT : CLUMP_INCONSISTENT,
                      "%.250s", clump_store_message(work->store));
}

static bool is_same(const char *a, const char *b)
{
    return a != NULL && strcmp(a, b) == 0;
}

/* To a platform that was asked for also if nothing was measured there. */
static void predict_from(clump_cluster_work *work, const clump_cluster_judge *judge,
                         const clump_cluster_sources *from, const char *before)
{
    const char *after, *last = NULL, *wanted = work->request->platform;
    bool reached = !judge->across;
    if (reached)
        judge->predict(work, from, before, before);
    for (size_t i = 0; judge->across && (after = judge->platform(from, i)) != NULL; i++) {
        if (!is_same(last, after) && !is_same(before, after) &&
            (wanted == NULL || is_same(wanted, after))) {
            reached = true;
            judge->predict(work, from, before, after);
        }
        last = after;
    }
    if (!reached && work->request->from != NULL && wanted != NULL && !is_same(before, wanted))
        judge->predict(work, from, before, wanted);
}

static void predict_all(clump_cluster_work *work, const clump_cluster_judge *judge,
                        const clump_cluster_sources *from)
{
    const char *before, *last = NULL, *wanted = work->request->from;
    for (size_t i = 0; work->status == CLUMP_OK && (before = judge->platform(from, i)) != NULL;
         i++) {
        if (!is_same(last, before) && (wanted == NULL || is_same(wanted, before)))
            predict_from(work, judge, from, before);
        last = before;
    }
    if (work->status == CLUMP_OK && work->count == 0)
        work->status = clump_fail(work->error, CLUMP_BAD_ARGUMENT, "%s", judge->nothing);
}

/* Of several platforms: rows of a set stand together, in the order of the first ones. Those of most kinds do. */
static void group_sets(clump_cluster_work *work)
{
    clump_cluster_row *rows = clump_cluster_take(work, (work->count + 1) * sizeof *rows);
    size_t count = 0;
    for (size_t i = 0; rows != NULL && i < work->count; i++) {
        if (work->rows[i].set == NULL)
            continue; /* is there already */
        const char *set = work->rows[i].set;
        for (size_t k = i; k < work->count; k++) {
            if (work->rows[k].set == NULL || strcmp(work->rows[k].set, set) != 0)
                continue;
            rows[count++] = work->rows[k];
            work->rows[k].set = NULL;
        }
    }
    if (rows != NULL)
        work->rows = rows;
}

clump_status clump_clusters_judge(clump_store *store, const clump_cluster_request *request,
                                  clump_cluster_judgement *judgement, clump_error *error)
{
    const clump_cluster_judge *judge = judges[request->kind];
    clump_cluster_sources from = {.pairs = {.items = NULL}};
    clump_cluster_work work = {
        .store = store, .request = request, .arena = clump_arena_new(), .error = error};
    if (work.arena == NULL)
        return clump_fail_memory(error, "predictions");
    work.status = check_platform(&work, request->platform);
    if (work.status == CLUMP_OK)
        work.status = check_platform(&work, request->from);
    judge->load(&work, &from);
    predict_all(&work, judge, &from);
    group_sets(&work);
    const clump_cluster_judgement made = {
        .kind = request->kind, .rows = work.rows, .count = work.count, .memory = work.arena};
    add_intervals(&work, &made);
    if (work.status == CLUMP_OK)
        *judgement = made;
    else
        clump_arena_free(work.arena);
    return work.status;
}

void clump_clusters_free(clump_cluster_judgement *judgement)
{
    clump_arena_free(judgement->memory);
    *judgement = (clump_cluster_judgement){0};
}

clump_cluster_summary clump_clusters_summarize(const clump_cluster_row *rows, size_t count)
{
    clump_cluster_summary sum = {.greatest_size = -1};
    double within = 0, with_interval = 0;
    for (size_t i = 0; i < count; i++) {
        const clump_cluster_row *row = &rows[i];
        sum.alone += isfinite(row->predicted) && isnan(row->error);
        if (isnan(row->error))
            continue;
        sum.count++;
        with_interval += isfinite(row->low);
        within += row->low <= row->measured && row->measured <= row->high;
        sum.mean_absolute += fabs(row->error);
        sum.bias += row->error;
        if (fabs(row->error) > sum.greatest) {
            sum.greatest = fabs(row->error);
            sum.greatest_size = row->size_bytes;
        }
        for (size_t r = 0; r < CLUMP_CLUSTER_RIVALS; r++)
            sum.rival_mean_absolute[r] += fabs(row->rivals[r] / row->measured - 1);
    }
    const double share = sum.count > 0 ? 1 / (double)sum.count : NAN;
    sum.mean_absolute *= share;
    sum.bias *= share;
    for (size_t r = 0; r < CLUMP_CLUSTER_RIVALS; r++)
        sum.rival_mean_absolute[r] *= share;
    sum.covered = with_interval > 0 ? within / with_interval : NAN;
    if (sum.count == 0)
        sum.greatest = NAN;
    return sum;
}
