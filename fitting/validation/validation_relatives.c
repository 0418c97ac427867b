/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/validation/validation_relatives.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- other runs of the same program: what it computes, and how its traffic grows */

enum { MOST_RUNS = 8 };

/* Runs of which the store says that they tell something about an application. */
typedef struct kin {
    size_t count;
    struct relative {
        char platform[VALIDATION_NAME], application[VALIDATION_NAME];
    } runs[MOST_RUNS];
    const char *self; /* the application itself, where none is named */
} kin;

static int take_relative(const clump_store_sample *sample, void *context)
{
    kin *k = context;
    const char *application = sample->variant[0] != '\0' ? sample->variant : k->self;
    if (!(sample->measured.value > 0) || sample->platform[0] == '\0' ||
        strlen(sample->platform) >= VALIDATION_NAME || strlen(application) >= VALIDATION_NAME)
        return 0;
    struct relative *r = &k->runs[k->count++];
    strcpy(r->platform, sample->platform);
    strcpy(r->application, application);
    return k->count == MOST_RUNS;
}

static validation_answer find_kin(validation_reader *reader, const char *application,
                                  const char *quantity, kin *found, clump_error *error)
{
    const clump_store_filter filter = {
        .application = application, .quantity = quantity, .sure = true};
    *found = (kin){.self = application};
    const clump_store_status status =
        clump_store_each_sample(reader->store, &filter, take_relative, found);
    return validation_answer_of(reader, status == CLUMP_STORE_STOPPED ? CLUMP_STORE_OK : status,
                                error);
}

/* The platform that one is part of, and so on upwards. */
static validation_answer root_of(validation_reader *reader, const clump_store_platform *platform,
                                 char root[VALIDATION_NAME], clump_error *error)
{
    const char *above = platform->part_of;
    clump_store_platform *next = NULL;
    snprintf(root, VALIDATION_NAME, "%s", platform->name);
    for (int depth = 0; above != NULL && depth < 64; depth++) { /* data check finds circles */
        snprintf(root, VALIDATION_NAME, "%s", above);
        clump_store_free(next);
        const clump_store_status status = clump_store_find_platform(reader->store, root, &next);
        if (status != CLUMP_STORE_OK)
            return validation_answer_of(reader, status, error);
        above = next->part_of;
    }
    clump_store_free(next);
    return VALIDATION_KNOWN;
}

/*
 * The platform of a relative, if it is of the same machine as `platform` (both are part of the
 * same one) and not `platform` itself: a run is not predicted from itself. Else *found is NULL.
 */
static validation_answer same_machine(validation_reader *reader,
                                      const clump_store_platform *platform,
                                      const struct relative *relative, clump_store_platform **found,
                                      clump_error *error)
{
    char root[VALIDATION_NAME], other[VALIDATION_NAME];
    *found = NULL;
    if (strcmp(relative->platform, platform->name) == 0)
        return VALIDATION_KNOWN;
    validation_answer known = validation_answer_of(
        reader, clump_store_find_platform(reader->store, relative->platform, found), error);
    if (known == VALIDATION_KNOWN)
        known = root_of(reader, platform, root, error);
    if (known == VALIDATION_KNOWN)
        known = root_of(reader, *found, other, error);
    if (known != VALIDATION_KNOWN || strcmp(root, other) != 0) {
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
static validation_answer computation_in(validation_reader *reader, const struct relative *run,
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

static clump_traffic scale(clump_traffic t, double factor)
{
    return (clump_traffic){factor * t.short_messages, factor * t.bulk_messages,
                           factor * t.bulk_bytes};
}

static clump_traffic add(clump_traffic a, clump_traffic b)
{
    return (clump_traffic){a.short_messages + b.short_messages, a.bulk_messages + b.bulk_messages,
                           a.bulk_bytes + b.bulk_bytes};
}

bool validation_is_empty(const clump_traffic *traffic)
{
    return traffic->short_messages == 0 && traffic->bulk_messages == 0;
}

/* Traffic that was counted, of one processor. */
typedef struct counted {
    double processors; /* of all nodes; 0: none */
    clump_traffic total, remote, local;
} counted;

/*
 * Data go to the other P-1 of P processors in equal parts. The short messages of a program with
 * bulk transfers are their replies and those of barriers, of which there are as many as subphases,
 * in proportion to P.
 */
static clump_traffic all_to_all(const counted *from, bool fixed, double processors)
{
    const double spread = (1 - 1 / processors) / (1 - 1 / from->processors);
    const double data = spread * (fixed ? from->processors / processors : 1);
    clump_traffic traffic = scale(from->total, data);
    if (fixed) {
        const double barriers = from->total.short_messages - from->total.bulk_messages;
        traffic.short_messages = traffic.bulk_messages + barriers * processors / from->processors;
    }
    return traffic;
}

/* Between two numbers of processors, linear in the logarithm: what differs is the surface of the
 * lattice and the depth of trees. With one only, as there. */
static clump_traffic neighbours(const counted *fewer, const counted *more, double processors)
{
    if (!(fewer->processors < more->processors))
        return more->total;
    const double share =
        log(processors / fewer->processors) / log(more->processors / fewer->processors);
    return add(scale(fewer->total, 1 - share), scale(more->total, share));
}

static validation_answer read_counted(validation_reader *reader, const struct relative *run,
                                      const clump_store_platform *platform, counted *found,
                                      clump_error *error)
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
    *found = (counted){validation_processors(platform), add(far, near), far, near};
    return VALIDATION_KNOWN;
}

/* Those with the fewest and with the most processors. */
static validation_answer find_counted(validation_reader *reader,
                                      const clump_store_platform *platform, const char *application,
                                      counted *fewest, counted *most, clump_error *error)
{
    kin runs;
    *fewest = *most = (counted){.processors = 0};
    validation_answer known = find_kin(reader, application, "traffic_from", &runs, error);
    for (size_t i = 0; i < runs.count && known == VALIDATION_KNOWN; i++) {
        clump_store_platform *other = NULL;
        counted one;
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
    counted fewest, most;
    bool even = false, fixed = false;
    validation_answer known = find_counted(reader, platform, application, &fewest, &most, error);
    if (known == VALIDATION_KNOWN)
        known = validation_has(reader, application, "all_to_all_exchange", &even, error);
    if (known == VALIDATION_KNOWN)
        known = validation_has(reader, application, "fixed_problem", &fixed, error);
    if (known != VALIDATION_KNOWN)
        return known;
    const double within = (double)platform->processors,
                 processors = validation_processors(platform);
    clump_traffic total;
    double share = 0;
    if (even) {
        total = all_to_all(&most, fixed, processors);
        share = processors > within ? (processors - within) / (processors - 1) : 0;
    } else { /* the layout decides how much leaves a node: as it is with the most nodes */
        total = neighbours(&fewest, &most, processors);
        if (platform->nodes > 1)
            share = most.total.short_messages > 0
                        ? most.remote.short_messages / most.total.short_messages
                        : most.remote.bulk_messages / most.total.bulk_messages;
    }
    *remote = scale(total, share);
    *local = scale(total, 1 - share);
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
    counted there = {.processors = 0};
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
    *remote = scale(there.remote, now / now_there);
    *local = scale(there.local, now / now_there);
    return VALIDATION_KNOWN;
}
