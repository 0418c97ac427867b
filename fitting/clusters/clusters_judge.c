/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/clusters/cluster_samples.h"
#include "fitting/clusters/clusters.h"
#include "fitting/clusters/collectives.h"
#include "fitting/clusters/collectives_other_nics.h"
#include "fitting/clusters/other_nics.h"
#include "fitting/clusters/pairs.h"
#include "fitting/clusters/training.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const clump_cluster_kind_entry clump_cluster_kinds[CLUMP_CLUSTER_KINDS] = {
    [CLUMP_CLUSTER_PAIRS] = {"pairs",
                             "rates of several pairs of processes whose nodes share NICs",
                             {"nothing is shared", "bandwidth is shared"}},
    [CLUMP_CLUSTER_OTHER_NICS] = {"other-nics",
                                  "times of programs behind other NICs",
                                  {"nothing changes", "communication grows with bandwidth"}},
    [CLUMP_CLUSTER_TRAINING] = {"training",
                                "times of programs of steps with reductions, on more nodes",
                                {"nothing is communicated", "one reduction of all bytes"}},
    [CLUMP_CLUSTER_COLLECTIVES] = {"collectives",
                                   "times of collective operations",
                                   {"every message as one pair's between nodes",
                                    "messages between nodes alone"}},
    [CLUMP_CLUSTER_COLLECTIVES_OTHER_NICS] = {"collectives-other-nics",
                                              "times of collective operations behind other NICs",
                                              {"nothing changes", "time grows with bandwidth"}},
};

static clump_status (*const makers[CLUMP_CLUSTER_KINDS])(clump_cluster_work *work) = {
    [CLUMP_CLUSTER_PAIRS] = clump_cluster_pairs,
    [CLUMP_CLUSTER_OTHER_NICS] = clump_cluster_other_nics,
    [CLUMP_CLUSTER_TRAINING] = clump_cluster_training,
    [CLUMP_CLUSTER_COLLECTIVES] = clump_cluster_collectives,
    [CLUMP_CLUSTER_COLLECTIVES_OTHER_NICS] = clump_cluster_collectives_other_nics,
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

static int compare_numbers(const void *first, const void *second)
{
    const double a = *(const double *)first, b = *(const double *)second;
    return (a > b) - (a < b);
}

/* Whether a row's error may tell how wrong another set is: not that of the same set, nor that of the
 * same runs the other way around. */
static bool is_other(const clump_cluster_row *row, const clump_cluster_row *than)
{
    if (strcmp(row->set, than->set) == 0)
        return false;
    return row->from == NULL || than->from == NULL || strcmp(row->from, than->platform) != 0 ||
           strcmp(row->platform, than->from) != 0 || strcmp(row->subject, than->subject) != 0;
}

/* What |log(predicted/measured)| of other sets stays within, for a share of COVERAGE of them; NAN: they are too few. */
static double find_reach(const clump_cluster_judgement *j, const clump_cluster_row *row,
                         double *errors)
{
    size_t count = 0;
    for (size_t i = 0; i < j->count; i++)
        if (isfinite(j->rows[i].error) && j->rows[i].predicted > 0 && is_other(&j->rows[i], row))
            errors[count++] = fabs(log(j->rows[i].predicted / j->rows[i].measured));
    if (count < LEAST_ERRORS)
        return NAN;
    qsort(errors, count, sizeof *errors, compare_numbers);
    const size_t place = (size_t)ceil(COVERAGE * (double)(count + 1));
    return errors[place - 1];
}

/* Rows that follow each other and have the same others share the result: it is computed once. */
static clump_status add_intervals(const clump_cluster_judgement *j, clump_error *error)
{
    double *errors = malloc((j->count + 1) * sizeof *errors);
    if (errors == NULL)
        return clump_fail_memory(error, "errors");
    double reach = NAN;
    for (size_t i = 0; i < j->count; i++) {
        clump_cluster_row *row = &j->rows[i];
        if (i == 0 || strcmp(row->set, row[-1].set) != 0 ||
            strcmp(row->subject, row[-1].subject) != 0)
            reach = find_reach(j, row, errors);
        row->low = row->predicted * exp(-reach);
        row->high = row->predicted * exp(reach);
    }
    free(errors);
    return CLUMP_OK;
}

/* A name that a user typed. */
static clump_status check_platform(clump_cluster_work *work, const char *name)
{
    if (name == NULL)
        return CLUMP_OK;
    clump_store_platform *platform = NULL;
    const clump_status status = clump_cluster_platform(work, name, &platform);
    const bool known = platform != NULL;
    clump_store_free(platform);
    if (status != CLUMP_OK || known)
        return status;
    return clump_fail(work->error, CLUMP_BAD_ARGUMENT, "%.250s", clump_store_message(work->store));
}

clump_status clump_clusters_judge(clump_store *store, const clump_cluster_request *request,
                                  clump_cluster_judgement *judgement, clump_error *error)
{
    clump_cluster_work work = {.store = store, .request = request, .error = error};
    work.arena = clump_arena_new();
    if (work.arena == NULL)
        return clump_fail_memory(error, "predictions");
    clump_status status = check_platform(&work, request->platform);
    if (status == CLUMP_OK)
        status = check_platform(&work, request->from);
    if (status == CLUMP_OK)
        status = makers[request->kind](&work);
    const clump_cluster_judgement made = {
        .kind = request->kind, .rows = work.rows, .count = work.count, .memory = work.arena};
    if (status == CLUMP_OK)
        status = add_intervals(&made, error);
    if (status != CLUMP_OK) {
        free(work.rows);
        clump_arena_free(work.arena);
        return status;
    }
    *judgement = made;
    return CLUMP_OK;
}

void clump_clusters_free(clump_cluster_judgement *judgement)
{
    free(judgement->rows);
    clump_arena_free(judgement->memory);
    *judgement = (clump_cluster_judgement){0};
}

clump_cluster_summary clump_clusters_summarize(const clump_cluster_judgement *judgement,
                                               const char *set, const char *part)
{
    clump_cluster_summary sum = {.set = set, .part = part, .greatest_size = -1};
    double within = 0, with_interval = 0;
    for (size_t i = 0; i < judgement->count; i++) {
        const clump_cluster_row *row = &judgement->rows[i];
        if ((set != NULL && strcmp(row->set, set) != 0) ||
            (part != NULL && strcmp(row->part, part) != 0))
            continue;
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
