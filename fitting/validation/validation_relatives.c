/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/validation/validation_relatives.h"

#include "data/store/related.h"
#include "model/workload/scaled_traffic.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- other runs of the same program: what it computes, and how its traffic grows */

/* Runs of which the store says that they tell something about an application. */
typedef struct kin {
    clump_store_related runs[CLUMP_STORE_RELATED_MOST];
    size_t count;
} kin;

static validation_answer find_kin(validation_reader *reader, const char *application,
                                  const char *quantity, kin *found, clump_error *error)
{
    return validation_answer_of(
        reader,
        clump_store_find_related(reader->store, application, quantity, found->runs, &found->count),
        error);
}

/*
 * The platform of a relative, if it is of the same machine as `platform` (both are part of the
 * same one) and not `platform` itself: a run is not predicted from itself. Else *found is NULL.
 */
static validation_answer same_machine(validation_reader *reader,
                                      const clump_store_platform *platform,
                                      const clump_store_related *relative,
                                      clump_store_platform **found, clump_error *error)
{
    bool same = false;
    *found = NULL;
    if (strcmp(relative->platform, platform->name) == 0)
        return VALIDATION_KNOWN;
    validation_answer known = validation_answer_of(
        reader, clump_store_find_platform(reader->store, relative->platform, found), error);
    if (known == VALIDATION_KNOWN)
        known = validation_answer_of(
            reader, clump_store_same_machine(reader->store, platform, *found, &same), error);
    if (known != VALIDATION_KNOWN || !same) {
        clump_store_free(*found);
        *found = NULL;
    }
    return known;
}

double validation_processors(const clump_store_platform *platform)
{
    return (double)platform->nodes * (double)platform->processors;
}

/* A run within one node, as far as it tells what a processor computes.
 *  @param counterpart  machine on which misses are compared with those of the node */
static validation_answer computation_in(validation_reader *reader, const clump_store_related *run,
                                        const clump_store_platform *node, const char *counterpart,
                                        validation_computation *found, clump_error *error)
{
    char layer[VALIDATION_LAYER_SIZE];
    validation_answer known = validation_time(reader, run->platform, run->application, NULL, NULL,
                                              &found->time, &found->half_width, layer, error);
    if (known == VALIDATION_KNOWN)
        known = validation_loggp(reader, run->platform, "shared-memory", layer, false,
                                 &found->shared_memory, error);
    found->loggp_half_widths = reader->loggp_half_widths;
    if (known == VALIDATION_KNOWN)
        known = validation_traffic(reader, run->platform, run->application, "shared-memory",
                                   &found->traffic, error);
    if (known != VALIDATION_KNOWN)
        return known;
    found->processors = (size_t)node->processors;
    return validation_answer_of(
        reader, validation_misses(reader, node->name, counterpart, &found->misses), error);
}

validation_answer validation_find_computation(validation_reader *reader,
                                              const clump_store_platform *platform,
                                              const char *application,
                                              validation_computation *computation,
                                              clump_error *error)
{
    kin runs;
    bool fixed = false;
    validation_answer known = find_kin(reader, application, "computation_from", &runs, error);
    if (known == VALIDATION_KNOWN && runs.count > 0)
        known = validation_has(reader, application, "fixed_problem", &fixed, error);
    for (size_t i = 0; i < runs.count && known == VALIDATION_KNOWN; i++) {
        clump_store_platform *node = NULL;
        validation_computation whole = {.time = NAN};
        known = same_machine(reader, platform, &runs.runs[i], &node, error);
        if (known != VALIDATION_KNOWN || node == NULL)
            continue;
        if (node->nodes > 1) {
            clump_fail(error, CLUMP_BAD_ARGUMENT,
                       "computation_from names '%.60s', which has %lld nodes, expected a run "
                       "within one",
                       node->name, (long long)node->nodes);
            known = VALIDATION_UNKNOWN;
        } else {
            known = computation_in(reader, &runs.runs[i], node,
                                   node->counterpart != NULL ? node->counterpart
                                                             : platform->counterpart,
                                   &whole, error);
        }
        whole.share = fixed ? validation_processors(node) / validation_processors(platform) : 1;
        clump_store_free(node);
        if (known == VALIDATION_KNOWN)
            *computation = whole;
        return known;
    }
    return known;
}

/* ---- numbers of processors for which traffic was not counted */

bool validation_is_empty(const clump_traffic *traffic)
{
    return traffic->short_messages == 0 && traffic->bulk_messages == 0;
}

static validation_answer read_counted(validation_reader *reader, const clump_store_related *run,
                                      const clump_store_platform *platform,
                                      clump_counted_traffic *found, clump_error *error)
{
    clump_traffic far, near;
    const validation_answer remote =
        validation_traffic(reader, run->platform, run->application, "network", &far, error);
    const validation_answer local =
        validation_traffic(reader, run->platform, run->application, "shared-memory", &near, error);
    if (remote == VALIDATION_FAILED || local == VALIDATION_FAILED)
        return VALIDATION_FAILED;
    if (remote == VALIDATION_UNKNOWN && local == VALIDATION_UNKNOWN)
        return VALIDATION_UNKNOWN;
    *found = (clump_counted_traffic){validation_processors(platform), far, near};
    return VALIDATION_KNOWN;
}

/* Those with the fewest and with the most processors. */
static validation_answer find_counted(validation_reader *reader,
                                      const clump_store_platform *platform, const char *application,
                                      clump_counted_traffic *fewest, clump_counted_traffic *most,
                                      clump_error *error)
{
    kin runs;
    *fewest = *most = (clump_counted_traffic){.processors = 0};
    validation_answer known = find_kin(reader, application, "traffic_from", &runs, error);
    for (size_t i = 0; i < runs.count && known == VALIDATION_KNOWN; i++) {
        clump_store_platform *other = NULL;
        clump_counted_traffic one;
        known = same_machine(reader, platform, &runs.runs[i], &other, error);
        if (known != VALIDATION_KNOWN || other == NULL)
            continue;
        known = read_counted(reader, &runs.runs[i], other, &one, error);
        clump_store_free(other);
        if (known != VALIDATION_KNOWN)
            continue;
        if (most->processors == 0 || one.processors > most->processors)
            *most = one;
        if (fewest->processors == 0 || one.processors < fewest->processors)
            *fewest = one;
    }
    if (known == VALIDATION_KNOWN && most->processors == 0) {
        clump_fail(error, CLUMP_BAD_ARGUMENT, "no traffic of '%.60s' on '%.60s'", application,
                   platform->name);
        known = VALIDATION_UNKNOWN;
    }
    return known;
}

validation_answer validation_scaled_traffic(validation_reader *reader,
                                            const clump_store_platform *platform,
                                            const char *application, clump_traffic *remote,
                                            clump_traffic *local, clump_error *error)
{
    clump_counted_traffic fewest, most;
    bool even = false, fixed = false;
    validation_answer known = find_counted(reader, platform, application, &fewest, &most, error);
    if (known == VALIDATION_KNOWN)
        known = validation_has(reader, application, "all_to_all_exchange", &even, error);
    if (known == VALIDATION_KNOWN)
        known = validation_has(reader, application, "fixed_problem", &fixed, error);
    if (known != VALIDATION_KNOWN)
        return known;
    const clump_scaled_nodes wanted = {(double)platform->nodes, (double)platform->processors, even,
                                       fixed};
    clump_traffic_scale(&fewest, &most, &wanted, remote, local);
    return VALIDATION_KNOWN;
}

/* Mean time on the NOW that a platform is compared with. */
static validation_answer time_on_now(validation_reader *reader, const char *now,
                                     const char *application, double *time, clump_error *error)
{
    double half_width;
    if (now != NULL)
        return validation_time(reader, now, application, NULL, NULL, time, &half_width, NULL,
                               error);
    clump_fail(error, CLUMP_BAD_ARGUMENT, "traffic_per_time_from names a platform without a NOW");
    return VALIDATION_UNKNOWN;
}

validation_answer validation_proportional_traffic(validation_reader *reader,
                                                  const clump_store_platform *platform,
                                                  const char *application, clump_traffic *remote,
                                                  clump_traffic *local, bool *any,
                                                  clump_error *error)
{
    kin runs;
    clump_store_platform *other = NULL;
    clump_counted_traffic there = {.processors = 0};
    double now = 1, now_there = 1;
    validation_answer known = find_kin(reader, application, "traffic_per_time_from", &runs, error);
    *any = known == VALIDATION_KNOWN && runs.count > 0;
    if (known == VALIDATION_KNOWN && !*any)
        return known;
    if (known == VALIDATION_KNOWN)
        known = validation_answer_of(
            reader, clump_store_find_platform(reader->store, runs.runs[0].platform, &other), error);
    if (known == VALIDATION_KNOWN)
        known = read_counted(reader, &runs.runs[0], other, &there, error);
    if (known == VALIDATION_UNKNOWN && other != NULL)
        clump_fail(
            error, CLUMP_BAD_ARGUMENT,
            "traffic_per_time_from names the run of '%.60s' on '%.60s', whose traffic was not "
            "counted",
            runs.runs[0].application, runs.runs[0].platform);
    if (known == VALIDATION_KNOWN)
        known =
            time_on_now(reader, other->counterpart, runs.runs[0].application, &now_there, error);
    if (known == VALIDATION_KNOWN)
        known = time_on_now(reader, platform->counterpart, application, &now, error);
    clump_store_free(other);
    if (known != VALIDATION_KNOWN)
        return known;
    *remote = clump_traffic_times(there.remote, now / now_there);
    *local = clump_traffic_times(there.local, now / now_there);
    return VALIDATION_KNOWN;
}
