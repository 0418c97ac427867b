/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the store knows of a run. */
#include "fitting/validation/validation_facts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- all that the model may know about a run, put together */

/* What is known of the node, and of how the program goes through its exchanges. */
static bool read_node(validation_reader *reader, const clump_store_platform *platform,
                      const char *application, validation_facts *facts)
{
    clump_store *store = reader->store;
    facts->nodes = platform->nodes > 0 ? (size_t)platform->nodes : 1;
    facts->node = (clump_node){
        .processors = (size_t)platform->processors,
        .nics = platform->nics > 0 ? (size_t)platform->nics : 1,
        .mapping = CLUMP_MAPPING_POOLED,
    };
    if (platform->mapping != NULL)
        clump_mapping_parse(platform->mapping, &facts->node.mapping);
    return validation_ok(reader,
                         clump_store_half_duplex(store, platform->name, &facts->half_duplex)) &&
           validation_misses(reader, platform->name, platform->counterpart, &facts->misses) &&
           validation_ok(reader, clump_store_lockstep(store, application, &facts->lockstep)) &&
           validation_ok(reader, clump_store_mutual_exchange(store, application, &facts->exchange));
}

/* Measured traffic, or else what follows from other runs. */
static bool read_traffic(validation_reader *reader, const clump_store_platform *platform,
                         const char *application, validation_facts *facts)
{
    validation_half_widths *half = &facts->inexact;
    const bool far =
        validation_traffic(reader, platform->name, application, "network", &facts->remote);
    half->remote = reader->traffic_half_widths;
    const bool near =
        validation_traffic(reader, platform->name, application, "shared-memory", &facts->local);
    half->local = reader->traffic_half_widths;
    if (!far && !near) {
        facts->scaled_traffic = true;
        half->remote = half->local = (clump_traffic){NAN, NAN, NAN};
        if (!validation_derived_traffic(reader, platform, application, &facts->remote,
                                        &facts->local))
            return false;
    }
    return platform->nics > 0 || validation_is_empty(&facts->remote) ||
           validation_lacks(reader, "messages leave the nodes of '%.60s', which have 0 NICs",
                            platform->name);
}

/* The NOW may have another network than the platform that is compared with it. */
static void read_now_network(validation_reader *reader, const char *now, const char *now_layer,
                             validation_facts *facts)
{
    facts->now_network = facts->network;
    facts->other_network =
        validation_loggp(reader, now, "network", now_layer, true, &facts->now_network);
    facts->inexact.now_network = reader->loggp_half_widths;
}

static bool read_costs(validation_reader *reader, const clump_validation_run *run,
                       const char *now_layer, validation_facts *facts)
{
    if (!validation_loggp(reader, run->platform, "network", now_layer, true, &facts->network))
        return false;
    facts->inexact.network = reader->loggp_half_widths;
    facts->shared_memory = facts->network; /* where nothing is local it does not matter */
    if (validation_is_empty(&facts->local))
        return true;
    const bool known = validation_loggp(reader, run->platform, "shared-memory", run->layer,
                                        !run->reference, &facts->shared_memory);
    facts->inexact.shared_memory = reader->loggp_half_widths;
    return known;
}

/* A profile may know the computation; else it is taken from a run in one node. */
static bool read_computation(validation_reader *reader, const clump_store_platform *platform,
                             const char *application, validation_facts *facts)
{
    const clump_store_filter filter = {
        .platform = platform->name, .application = application, .quantity = "computation_time"};
    facts->computation = (validation_computation){
        .time = NAN, .share = 1, .misses = facts->misses, .processors = facts->node.processors};
    const bool profiled = validation_number(reader, &filter, &facts->computation.time);
    facts->inexact.computation = reader->number_half_width;
    if (profiled)
        return true;
    const bool found =
        validation_find_computation(reader, platform, application, &facts->computation);
    facts->inexact.computation = facts->computation.half_width;
    facts->inexact.computed_with = facts->computation.loggp_half_widths;
    return found;
}

/* What processors send to other nodes differs, if the store has the least and the greatest. */
static void read_uneven(validation_reader *reader, const clump_store_platform *platform,
                        const char *application, validation_facts *facts)
{
    clump_spread u = {.mean = facts->remote.short_messages,
                      .deviation = NAN,
                      .processors = (size_t)validation_processors(platform)};
    clump_store_filter filter = {.platform = platform->name,
                                 .application = application,
                                 .transport = "network",
                                 .quantity = "short_messages",
                                 .statistic = "min"};
    if (facts->scaled_traffic || !validation_number(reader, &filter, &u.least))
        return;
    filter.statistic = "max";
    if (!validation_number(reader, &filter, &u.greatest) || !(u.least <= u.mean) ||
        !(u.mean <= u.greatest))
        return;
    clump_spread_fit(&u);
    facts->uneven = u;
    facts->differ = true;
}

bool validation_read_facts(validation_reader *reader, clump_validation_run *run,
                           const clump_store_platform *platform, validation_facts *facts)
{
    const char *name = run->platform, *application = run->application, *now = platform->counterpart;
    char layer[VALIDATION_LAYER_SIZE];
    *facts = (validation_facts){.misses = {.now_us = NAN, .node_us = NAN}};
    bool known =
        run->unmeasured || validation_time(reader, name, application, run->layer, run->source,
                                           &run->measured, &run->half_width, NULL);
    /* The NOW's time with the same layer; else as validation_time() chooses. */
    known = known && (validation_time(reader, now, application, run->layer, NULL, &run->now_time,
                                      &run->now_half_width, layer) ||
                      validation_time(reader, now, application, NULL, NULL, &run->now_time,
                                      &run->now_half_width, layer));
    known = known && read_node(reader, platform, application, facts) &&
            read_traffic(reader, platform, application, facts) &&
            validation_waited_share(reader, application, &facts->waited_share) &&
            read_computation(reader, platform, application, facts);
    if (known)
        read_uneven(reader, platform, application, facts);
    known = known && read_costs(reader, run, layer, facts);
    if (known)
        read_now_network(reader, now, layer, facts);
    facts->measured = run->measured;
    facts->now_time = run->now_time;
    facts->now_half_width = run->now_half_width;
    run->scaled_traffic = facts->scaled_traffic;
    return known && !reader->failed;
}

/* ---- digest */

/* Numbers, with room for all of them. */
typedef struct digest {
    double numbers[160];
    size_t count;
} digest;

static void put(digest *to, const double *numbers, size_t count)
{
    memcpy(to->numbers + to->count, numbers, count * sizeof *numbers);
    to->count += count;
}

static void put_loggp(digest *to, const clump_loggp *p)
{
    put(to,
        (const double[]){p->latency_us, p->send_overhead_us, p->receive_overhead_us, p->gap_us,
                         p->gap_us_per_byte},
        5);
}

static void put_traffic(digest *to, const clump_traffic *t)
{
    put(to, (const double[]){t->short_messages, t->bulk_messages, t->bulk_bytes}, 3);
}

static void put_misses(digest *to, const clump_misses *m)
{
    put(to,
        (const double[]){isnan(m->now_us) ? -1 : m->now_us, isnan(m->node_us) ? -1 : m->node_us,
                         m->line_bytes, m->bytes_per_us},
        4);
}

/* What is not known is left out: digests from before there were any half widths stay valid. */
static void put_half_widths(digest *to, const validation_half_widths *h)
{
    digest all = {.count = 0};
    put_loggp(&all, &h->network);
    put_loggp(&all, &h->now_network);
    put_loggp(&all, &h->shared_memory);
    put_loggp(&all, &h->computed_with);
    put_traffic(&all, &h->remote);
    put_traffic(&all, &h->local);
    put(&all, &h->computation, 1);
    for (size_t i = 0; i < all.count; i++)
        if (all.numbers[i] > 0)
            put(to, &all.numbers[i], 1);
}

void validation_facts_digest(const validation_facts *facts, char text[CLUMP_SHA256_TEXT])
{
    digest all = {.count = 0};
    char bytes[sizeof all.numbers / sizeof *all.numbers * 25];
    size_t used = 0;
    const double numbers[] = {(double)facts->nodes,
                              (double)facts->node.processors,
                              (double)facts->node.nics,
                              facts->node.mapping,
                              facts->waited_share,
                              facts->half_duplex,
                              facts->lockstep,
                              facts->exchange,
                              facts->differ,
                              isnan(facts->computation.time) ? -1 : facts->computation.time,
                              facts->computation.share,
                              (double)facts->computation.processors,
                              facts->now_time,
                              isnan(facts->now_half_width) ? -1 : facts->now_half_width,
                              facts->scaled_traffic};
    put(&all, numbers, sizeof numbers / sizeof *numbers);
    put_loggp(&all, &facts->network);
    put_loggp(&all, &facts->now_network);
    put_loggp(&all, &facts->shared_memory);
    put_traffic(&all, &facts->remote);
    put_traffic(&all, &facts->local);
    put_misses(&all, &facts->misses);
    if (!isnan(facts->computation.time)) {
        put_loggp(&all, &facts->computation.shared_memory);
        put_traffic(&all, &facts->computation.traffic);
        put_misses(&all, &facts->computation.misses);
    }
    if (facts->differ)
        put(&all, (const double[]){facts->uneven.skew, facts->uneven.scale}, 2);
    put_half_widths(&all, &facts->inexact);
    for (size_t i = 0; i < all.count; i++)
        used += (size_t)snprintf(bytes + used, sizeof bytes - used, "%.17g\n", all.numbers[i]);
    clump_sha256(bytes, used, text);
}
