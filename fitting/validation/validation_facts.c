/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All that the model may know about a run, put together. */
#include "fitting/validation/validation_model.h"

#include <math.h>
#include <string.h>

/* Runs on the same platform follow each other. */
static clump_store_status read_machine(validation_reader *reader,
                                       const clump_store_platform *platform)
{
    if (strcmp(reader->machine, platform->name) == 0)
        return CLUMP_STORE_OK;
    clump_store_status status =
        clump_store_half_duplex(reader->store, platform->name, &reader->half_duplex);
    if (status == CLUMP_STORE_OK)
        status = clump_store_memory_penalty(reader->store, platform->name, platform->counterpart,
                                            &reader->memory_penalty);
    if (status == CLUMP_STORE_OK && strlen(platform->name) < sizeof reader->machine)
        memcpy(reader->machine, platform->name, strlen(platform->name) + 1);
    else
        reader->machine[0] = '\0';
    return status;
}

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
    clump_store_status status = read_machine(reader, platform);
    facts->half_duplex = reader->half_duplex;
    facts->memory_penalty = reader->memory_penalty;
    if (status == CLUMP_STORE_OK)
        status = clump_store_lockstep(reader->store, application, &facts->lockstep);
    if (status == CLUMP_STORE_OK)
        return VALIDATION_KNOWN;
    clump_fail(error, CLUMP_BAD_ARGUMENT, "%s", clump_store_message(reader->store));
    return status == CLUMP_STORE_FAILED ? VALIDATION_FAILED : VALIDATION_UNKNOWN;
}

static bool is_empty(const clump_traffic *traffic)
{
    return traffic->short_messages == 0 && traffic->bulk_messages == 0;
}

/* Measured traffic, or else scaled. */
static validation_answer read_traffic(validation_reader *reader,
                                      const clump_store_platform *platform, const char *application,
                                      validation_facts *facts, clump_error *error)
{
    const validation_answer far =
        validation_traffic(reader, platform->name, application, "network", &facts->remote, error);
    const validation_answer near = validation_traffic(reader, platform->name, application,
                                                      "shared-memory", &facts->local, error);
    if (far == VALIDATION_FAILED || near == VALIDATION_FAILED)
        return VALIDATION_FAILED;
    if (far == VALIDATION_KNOWN || near == VALIDATION_KNOWN)
        return VALIDATION_KNOWN;
    facts->scaled_traffic = true;
    return validation_scaled_traffic(reader, platform, application, &facts->remote, &facts->local,
                                     error);
}

static validation_answer read_costs(validation_reader *reader, const clump_validation_run *run,
                                    const char *now_layer, validation_facts *facts,
                                    clump_error *error)
{
    const validation_answer known =
        validation_loggp(reader, run->platform, "network", now_layer, true, &facts->network, error);
    if (known != VALIDATION_KNOWN)
        return known;
    facts->shared_memory = facts->network; /* where nothing is local it does not matter */
    return is_empty(&facts->local)
               ? VALIDATION_KNOWN
               : validation_loggp(reader, run->platform, "shared-memory", run->layer,
                                  !run->reference, &facts->shared_memory, error);
}

/* A profile may know the computation; else it is taken from a run on one SMP. */
static validation_answer read_computation(validation_reader *reader,
                                          const clump_store_platform *platform,
                                          const char *application, validation_facts *facts,
                                          clump_error *error)
{
    const clump_store_filter filter = {
        .platform = platform->name, .application = application, .quantity = "computation_time"};
    facts->computation = NAN;
    const validation_answer known = validation_number(reader, &filter, &facts->computation, error);
    if (known != VALIDATION_UNKNOWN)
        return known;
    return validation_computation(reader, platform, application, &facts->computation, error);
}

validation_answer validation_read_facts(validation_reader *reader, clump_validation_run *run,
                                        const clump_store_platform *platform,
                                        validation_facts *facts, clump_error *error)
{
    char layer[VALIDATION_LAYER_SIZE];
    *facts = (validation_facts){.memory_penalty = 1};
    validation_answer known =
        validation_time(reader, run->platform, run->application, run->layer, run->dataset,
                        &run->measured, &run->half_width, NULL, error);
    if (known == VALIDATION_KNOWN)
        known = validation_time(reader, platform->counterpart, run->application, NULL, NULL,
                                &run->now_time, &run->now_half_width, layer, error);
    if (known == VALIDATION_KNOWN)
        known = read_node(reader, platform, run->application, facts, error);
    if (known == VALIDATION_KNOWN)
        known = read_traffic(reader, platform, run->application, facts, error);
    if (known == VALIDATION_KNOWN && platform->nics == 0 && !is_empty(&facts->remote)) {
        clump_fail(error, CLUMP_BAD_ARGUMENT,
                   "messages leave the nodes of '%.60s', which have 0 NICs", platform->name);
        known = VALIDATION_UNKNOWN;
    }
    if (known == VALIDATION_KNOWN)
        known = read_costs(reader, run, layer, facts, error);
    if (known == VALIDATION_KNOWN)
        known = validation_waited_share(reader, run->application, &facts->waited_share, error);
    if (known == VALIDATION_KNOWN)
        known = read_computation(reader, platform, run->application, facts, error);
    facts->measured = run->measured;
    facts->now_time = run->now_time;
    facts->now_half_width = run->now_half_width;
    run->scaled_traffic = facts->scaled_traffic;
    return known;
}
