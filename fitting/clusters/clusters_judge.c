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
    if (status != CLUMP_OK) {
        free(work.rows);
        clump_arena_free(work.arena);
        return status;
    }
    *judgement = (clump_cluster_judgement){
        .kind = request->kind, .rows = work.rows, .count = work.count, .memory = work.arena};
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
    for (size_t i = 0; i < judgement->count; i++) {
        const clump_cluster_row *row = &judgement->rows[i];
        if ((set != NULL && strcmp(row->set, set) != 0) ||
            (part != NULL && strcmp(row->part, part) != 0))
            continue;
        sum.alone += isfinite(row->predicted) && isnan(row->error);
        if (isnan(row->error))
            continue;
        sum.count++;
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
    if (sum.count == 0)
        sum.greatest = NAN;
    return sum;
}
