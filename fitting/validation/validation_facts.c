/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the store knows of a run. */
#include "fitting/validation/validation_facts.h"

#include "model/slowest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- all that the model may know about a run, put together */

/* What is known of the node, and of how the program goes through its exchanges. */
static validation_answer read_node(validation_reader *reader, const clump_store_platform *platform,
                                   const char *application, validation_facts *facts,
                                   clump_error *error)
{
    facts->nodes = platform->nodes > 0 ? (size_t)platform->nodes : 1;
    facts->node = (clump_node){
        .processors = (size_t)platform->processors,
        .nics = platform->nics > 0 ? (size_t)platform->nics : 1,
        .mapping = CLUMP_MAPPING_POOLED,
    };
    if (platform->mapping != NULL)
        clump_mapping_parse(platform->mapping, &facts->node.mapping);
    clump_store_status status =
        clump_store_half_duplex(reader->store, platform->name, &facts->half_duplex);
    if (status == CLUMP_STORE_OK)
        status = validation_misses(reader, platform->name, platform->counterpart, &facts->misses);
    if (status == CLUMP_STORE_OK)
        status = clump_store_lockstep(reader->store, application, &facts->lockstep);
    if (status == CLUMP_STORE_OK)
        status = clump_store_mutual_exchange(reader->store, application, &facts->exchange);
    return validation_answer_of(reader, status, error);
}

/* Measured traffic, or else scaled. */
static validation_answer read_traffic(validation_reader *reader,
                                      const clump_store_platform *platform, const char *application,
                                      validation_facts *facts, clump_error *error)
{
    const validation_answer far =
        validation_traffic(reader, platform->name, application, "network", &facts->remote, error);
    facts->inexact.remote = reader->traffic_half_widths;
    const validation_answer near = validation_traffic(reader, platform->name, application,
                                                      "shared-memory", &facts->local, error);
    facts->inexact.local = reader->traffic_half_widths;
    if (far == VALIDATION_FAILED || near == VALIDATION_FAILED)
        return VALIDATION_FAILED;
    if (far == VALIDATION_KNOWN || near == VALIDATION_KNOWN)
        return VALIDATION_KNOWN;
    facts->scaled_traffic = true;
    facts->inexact.remote = facts->inexact.local = (clump_traffic){NAN, NAN, NAN};
    bool shaped;
    const validation_answer known = validation_proportional_traffic(
        reader, platform, application, &facts->remote, &facts->local, &shaped, error);
    if (known != VALIDATION_KNOWN || shaped)
        return known;
    return validation_scaled_traffic(reader, platform, application, &facts->remote, &facts->local,
                                     error);
}

/* The NOW may have another network than the platform that is compared with it. */
static validation_answer read_now_network(validation_reader *reader, const char *now,
                                          const char *now_layer, validation_facts *facts,
                                          clump_error *error)
{
    facts->now_network = facts->network;
    const validation_answer known =
        validation_loggp(reader, now, "network", now_layer, true, &facts->now_network, error);
    facts->other_network = known == VALIDATION_KNOWN;
    facts->inexact.now_network = reader->loggp_half_widths;
    return known == VALIDATION_UNKNOWN ? VALIDATION_KNOWN : known;
}

static validation_answer read_costs(validation_reader *reader, const clump_validation_run *run,
                                    const char *now_layer, validation_facts *facts,
                                    clump_error *error)
{
    const validation_answer known =
        validation_loggp(reader, run->platform, "network", now_layer, true, &facts->network, error);
    if (known != VALIDATION_KNOWN)
        return known;
    facts->inexact.network = reader->loggp_half_widths;
    facts->shared_memory = facts->network; /* where nothing is local it does not matter */
    if (validation_is_empty(&facts->local))
        return VALIDATION_KNOWN;
    const validation_answer local =
        validation_loggp(reader, run->platform, "shared-memory", run->layer, !run->reference,
                         &facts->shared_memory, error);
    facts->inexact.shared_memory = reader->loggp_half_widths;
    return local;
}

/* A profile may know the computation; else it is taken from a run in one node. */
static validation_answer read_computation(validation_reader *reader,
                                          const clump_store_platform *platform,
                                          const char *application, validation_facts *facts,
                                          clump_error *error)
{
    const clump_store_filter filter = {
        .platform = platform->name, .application = application, .quantity = "computation_time"};
    facts->computation = (validation_computation){
        .time = NAN, .share = 1, .misses = facts->misses, .processors = facts->node.processors};
    const validation_answer known =
        validation_number(reader, &filter, &facts->computation.time, error);
    facts->inexact.computation = reader->number_half_width;
    if (known != VALIDATION_UNKNOWN)
        return known;
    const validation_answer found =
        validation_find_computation(reader, platform, application, &facts->computation, error);
    facts->inexact.computation = facts->computation.half_width;
    facts->inexact.computed_with = facts->computation.loggp_half_widths;
    return found;
}

/* How much more there is to do at the busiest NIC, if the store has the least and the greatest of what
 * processors send to other nodes. */
static validation_answer read_busiest(validation_reader *reader,
                                      const clump_store_platform *platform, const char *application,
                                      validation_facts *facts, clump_error *error)
{
    clump_uneven u = {.mean = facts->remote.short_messages,
                      .processors = (size_t)validation_processors(platform)};
    double *const ends[] = {&u.least, &u.greatest};
    static const char *const statistics[] = {"min", "max"};
    validation_answer known = facts->scaled_traffic ? VALIDATION_UNKNOWN : VALIDATION_KNOWN;
    for (size_t i = 0; i < 2 && known == VALIDATION_KNOWN; i++) {
        const clump_store_filter filter = {.platform = platform->name,
                                           .application = application,
                                           .transport = "network",
                                           .quantity = "short_messages",
                                           .statistic = statistics[i]};
        known = validation_number(reader, &filter, ends[i], error);
    }
    /* Processors that share a NIC. Where each uses all NICs no NIC is busier than another. */
    const size_t group = (facts->node.processors + facts->node.nics - 1) / facts->node.nics;
    if (known == VALIDATION_KNOWN && facts->node.mapping == CLUMP_MAPPING_STATIC &&
        u.least <= u.mean && u.mean <= u.greatest)
        facts->busiest = clump_uneven_excess(&u, group);
    return known == VALIDATION_FAILED ? known : VALIDATION_KNOWN;
}

/* The NOW's time with the same layer; else as validation_time() chooses. */
static validation_answer read_now_time(validation_reader *reader, const char *now,
                                       clump_validation_run *run, char layer[VALIDATION_LAYER_SIZE],
                                       clump_error *error)
{
    const validation_answer same =
        validation_time(reader, now, run->application, run->layer, NULL, &run->now_time,
                        &run->now_half_width, layer, error);
    return same != VALIDATION_UNKNOWN
               ? same
               : validation_time(reader, now, run->application, NULL, NULL, &run->now_time,
                                 &run->now_half_width, layer, error);
}

/* What all runs of a program on a platform have in common: everything but times and costs of messages. */
static validation_answer read_program(validation_reader *reader,
                                      const clump_store_platform *platform, const char *application,
                                      validation_facts *facts, clump_error *error)
{
    validation_answer known = read_node(reader, platform, application, facts, error);
    if (known == VALIDATION_KNOWN)
        known = read_traffic(reader, platform, application, facts, error);
    if (known == VALIDATION_KNOWN && platform->nics == 0 && !validation_is_empty(&facts->remote)) {
        clump_fail(error, CLUMP_BAD_ARGUMENT,
                   "messages leave the nodes of '%.60s', which have 0 NICs", platform->name);
        known = VALIDATION_UNKNOWN;
    }
    if (known == VALIDATION_KNOWN)
        known = validation_waited_share(reader, application, &facts->waited_share, error);
    if (known == VALIDATION_KNOWN)
        known = read_computation(reader, platform, application, facts, error);
    if (known == VALIDATION_KNOWN)
        known = read_busiest(reader, platform, application, facts, error);
    return known;
}

validation_answer validation_read_facts(validation_reader *reader, clump_validation_run *run,
                                        const clump_store_platform *platform,
                                        validation_facts *facts, clump_error *error)
{
    char layer[VALIDATION_LAYER_SIZE];
    *facts = (validation_facts){.misses = {.now_us = NAN, .node_us = NAN}};
    validation_answer known = VALIDATION_KNOWN;
    if (!run->unmeasured)
        known = validation_time(reader, run->platform, run->application, run->layer, run->source,
                                &run->measured, &run->half_width, NULL, error);
    if (known == VALIDATION_KNOWN)
        known = read_now_time(reader, platform->counterpart, run, layer, error);
    if (known == VALIDATION_KNOWN)
        known = read_program(reader, platform, run->application, facts, error);
    if (known == VALIDATION_KNOWN)
        known = read_costs(reader, run, layer, facts, error);
    if (known == VALIDATION_KNOWN)
        known = read_now_network(reader, platform->counterpart, layer, facts, error);
    facts->measured = run->measured;
    facts->now_time = run->now_time;
    facts->now_half_width = run->now_half_width;
    run->scaled_traffic = facts->scaled_traffic;
    return known;
}

validation_answer validation_measured_time(validation_reader *reader, const char *platform,
                                           const char *application, double *time,
                                           double *half_width, clump_error *error)
{
    return validation_time(reader, platform, application, NULL, NULL, time, half_width, NULL,
                           error);
}

/* ---- digest */

/* Texts of numbers, one after the other; with room for all of them. */
typedef struct digest_text {
    char bytes[3000];
    size_t used;
} digest_text;

static void put_number(digest_text *to, double number)
{
    if (to->used < sizeof to->bytes)
        to->used +=
            (size_t)snprintf(to->bytes + to->used, sizeof to->bytes - to->used, "%.17g\n", number);
}

/* Numbers that are not known are left out if wanted. */
static void put_loggp(digest_text *to, const clump_loggp *p, bool only_known)
{
    const double numbers[] = {p->latency_us, p->send_overhead_us, p->receive_overhead_us, p->gap_us,
                              p->gap_us_per_byte};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!only_known || numbers[i] > 0)
            put_number(to, numbers[i]);
}

static void put_traffic(digest_text *to, const clump_traffic *t)
{
    put_number(to, t->short_messages);
    put_number(to, t->bulk_messages);
    put_number(to, t->bulk_bytes);
}

/* Numbers that are not known are left out: digests from before there were any stay valid. */
static void put_half_widths(digest_text *to, const validation_half_widths *h)
{
    const clump_loggp *const costs[] = {&h->network, &h->now_network, &h->shared_memory,
                                        &h->computed_with};
    const double others[] = {h->remote.short_messages,
                             h->remote.bulk_messages,
                             h->remote.bulk_bytes,
                             h->local.short_messages,
                             h->local.bulk_messages,
                             h->local.bulk_bytes,
                             h->computation};
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        put_loggp(to, costs[i], true);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i] > 0)
            put_number(to, others[i]);
}

static void put_misses(digest_text *to, const clump_misses *m)
{
    put_number(to, isnan(m->now_us) ? -1 : m->now_us);
    put_number(to, isnan(m->node_us) ? -1 : m->node_us);
    put_number(to, m->line_bytes);
    put_number(to, m->bytes_per_us);
}

void validation_facts_digest(const validation_facts *facts, char text[CLUMP_SHA256_TEXT])
{
    digest_text to = {.used = 0};
    const double numbers[] = {
        (double)facts->nodes,     (double)facts->node.processors,
        (double)facts->node.nics, facts->node.mapping,
        facts->waited_share,      facts->half_duplex,
        facts->lockstep,          facts->exchange,
        facts->busiest,           isnan(facts->computation.time) ? -1 : facts->computation.time,
        facts->computation.share, (double)facts->computation.processors,
        facts->now_time,          isnan(facts->now_half_width) ? -1 : facts->now_half_width,
        facts->scaled_traffic};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        put_number(&to, numbers[i]);
    put_loggp(&to, &facts->network, false);
    put_loggp(&to, &facts->now_network, false);
    put_loggp(&to, &facts->shared_memory, false);
    put_traffic(&to, &facts->remote);
    put_traffic(&to, &facts->local);
    put_misses(&to, &facts->misses);
    if (!isnan(facts->computation.time)) {
        put_loggp(&to, &facts->computation.shared_memory, false);
        put_traffic(&to, &facts->computation.traffic);
        put_misses(&to, &facts->computation.misses);
    }
    put_half_widths(&to, &facts->inexact);
    clump_sha256(to.bytes, to.used < sizeof to.bytes ? to.used : sizeof to.bytes, text);
}

clump_status validation_keep_reason(const char **kept, const clump_error *why, clump_error *error)
{
    char *copy = malloc(strlen(why->message) + 1);
    if (copy == NULL)
        return clump_fail_memory(error, "the validation");
    *kept = strcpy(copy, why->message);
    return CLUMP_OK;
}
