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

static bool find_kin(validation_reader *reader, const char *application, const char *quantity,
                     kin *found)
{
    return validation_ok(reader, clump_store_find_related(reader->store, application, quantity,
                                                          found->runs, &found->count));
}

/*
 * The platform of a relative, if it is of the same machine as `platform` (both are part of the
 * same one) and not `platform` itself: a run is not predicted from itself. Else *found is NULL.
 */
static bool same_machine(validation_reader *reader, const clump_store_platform *platform,
                         const clump_store_related *relative, clump_store_platform **found)
{
    bool same = false;
    *found = NULL;
    if (strcmp(relative->platform, platform->name) == 0)
        return true;
    const bool known =
        validation_ok(reader,
                      clump_store_find_platform(reader->store, relative->platform, found)) &&
        validation_ok(reader, clump_store_same_machine(reader->store, platform, *found, &same));
    if (!known || !same) {
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
static bool computation_in(validation_reader *reader, const clump_store_related *run,
                           const clump_store_platform *node, const char *counterpart,
                           validation_computation *found)
{
    char layer[VALIDATION_LAYER_SIZE];
    if (node->nodes > 1)
        return validation_lacks(
            reader,
            "computation_from names '%.60s', which has %lld nodes, expected a run within one",
            node->name, (long long)node->nodes);
    if (!validation_time(reader, run->platform, run->application, NULL, NULL, &found->time,
                         &found->half_width, layer) ||
        !validation_loggp(reader, run->platform, "shared-memory", layer, false,
                          &found->shared_memory))
        return false;
    found->loggp_half_widths = reader->loggp_half_widths;
    found->processors = (size_t)node->processors;
    return validation_traffic(reader, run->platform, run->application, "shared-memory",
                              &found->traffic) &&
           validation_misses(reader, node->name, counterpart, &found->misses);
}

bool validation_find_computation(validation_reader *reader, const clump_store_platform *platform,
                                 const char *application, validation_computation *computation)
{
    kin runs;
    if (!find_kin(reader, application, "computation_from", &runs))
        return false;
    const bool fixed = runs.count > 0 && validation_has(reader, application, "fixed_problem");
    for (size_t i = 0; i < runs.count; i++) {
        clump_store_platform *node;
        validation_computation whole = {.time = NAN};
        if (!same_machine(reader, platform, &runs.runs[i], &node))
            return false;
        if (node == NULL)
            continue;
        const bool known = computation_in(
            reader, &runs.runs[i], node,
            node->counterpart != NULL ? node->counterpart : platform->counterpart, &whole);
        whole.share = fixed ? validation_processors(node) / validation_processors(platform) : 1;
        clump_store_free(node);
        if (known)
            *computation = whole;
        return known;
    }
    return true;
}

/* ---- numbers of processors for which traffic was not counted */

bool validation_is_empty(const clump_traffic *traffic)
{
    return traffic->short_messages == 0 && traffic->bulk_messages == 0;
}

static bool read_counted(validation_reader *reader, const clump_store_related *run,
                         const clump_store_platform *platform, clump_counted_traffic *found)
{
    found->processors = validation_processors(platform);
    const bool far =
        validation_traffic(reader, run->platform, run->application, "network", &found->remote);
    const bool near =
        validation_traffic(reader, run->platform, run->application, "shared-memory", &found->local);
    return far || near;
}

/* From those with the fewest and with the most processors. */
static bool scale_traffic(validation_reader *reader, const clump_store_platform *platform,
                          const char *application, clump_traffic *remote, clump_traffic *local)
{
    kin runs;
    clump_counted_traffic fewest = {.processors = 0}, most = {.processors = 0};
    if (!find_kin(reader, application, "traffic_from", &runs))
        return false;
    for (size_t i = 0; i < runs.count; i++) {
        clump_store_platform *other;
        clump_counted_traffic one;
        if (!same_machine(reader, platform, &runs.runs[i], &other))
            return false;
        if (other == NULL)
            continue;
        const bool known = read_counted(reader, &runs.runs[i], other, &one);
        clump_store_free(other);
        if (!known)
            return false;
        if (most.processors == 0 || one.processors > most.processors)
            most = one;
        if (fewest.processors == 0 || one.processors < fewest.processors)
            fewest = one;
    }
    if (most.processors == 0)
        return validation_lacks(reader, "no traffic of '%.60s' on '%.60s'", application,
                                platform->name);
    const clump_scaled_nodes wanted = {(double)platform->nodes, (double)platform->processors,
                                       validation_has(reader, application, "all_to_all_exchange"),
                                       validation_has(reader, application, "fixed_problem")};
    clump_traffic_scale(&fewest, &most, &wanted, remote, local);
    return true;
}

/* Mean time on the NOW that a platform is compared with. */
static bool time_on_now(validation_reader *reader, const char *now, const char *application,
                        double *time)
{
    double half_width;
    return now != NULL
               ? validation_time(reader, now, application, NULL, NULL, time, &half_width, NULL)
               : validation_lacks(reader, "traffic_per_time_from names a platform without a NOW");
}

/* In proportion to the times on both NOWs. */
static bool read_shape(validation_reader *reader, const clump_store_platform *platform,
                       const char *application, const clump_store_related *run,
                       const clump_store_platform *other, clump_traffic *remote,
                       clump_traffic *local)
{
    clump_counted_traffic there;
    double now, now_there;
    if (!read_counted(reader, run, other, &there))
        return validation_lacks(
            reader,
            "traffic_per_time_from names the run of '%.60s' on '%.60s', whose traffic was not "
            "counted",
            run->application, run->platform);
    if (!time_on_now(reader, other->counterpart, run->application, &now_there) ||
        !time_on_now(reader, platform->counterpart, application, &now))
        return false;
    *remote = clump_traffic_times(there.remote, now / now_there);
    *local = clump_traffic_times(there.local, now / now_there);
    return true;
}

bool validation_derived_traffic(validation_reader *reader, const clump_store_platform *platform,
                                const char *application, clump_traffic *remote,
                                clump_traffic *local)
{
    kin shapes;
    clump_store_platform *other = NULL;
    if (!find_kin(reader, application, "traffic_per_time_from", &shapes))
        return false;
    if (shapes.count == 0)
        return scale_traffic(reader, platform, application, remote, local);
    const bool known =
        validation_ok(reader,
                      clump_store_find_platform(reader->store, shapes.runs[0].platform, &other)) &&
        read_shape(reader, platform, application, &shapes.runs[0], other, remote, local);
    clump_store_free(other);
    return known;
}
