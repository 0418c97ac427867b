/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/programs/run_machine.h"

#include "cli/output/errors.h"
#include "model/loggp.h"

#include <stdio.h>
#include <string.h>

static const char preferred[] = "multi-protocol";

/* One quantity of a platform: of the preferred layer, or else the only one that there is. */
static clump_store_status read_quantity(clump_store *store, const char *platform,
                                        const char *transport, const char *quantity, double *value)
{
    clump_store_measurement measured;
    clump_store_filter filter = {.platform = platform,
                                 .application = "",
                                 .transport = transport,
                                 .quantity = quantity,
                                 .variant = preferred,
                                 .inherit = true};
    clump_store_status status = clump_store_value(store, &filter, &measured);
    if (status == CLUMP_STORE_NOT_FOUND) {
        filter.variant = NULL;
        status = clump_store_value(store, &filter, &measured);
    }
    if (status == CLUMP_STORE_OK)
        *value = measured.value;
    return status;
}

static clump_store_status read_costs(clump_store *store, const char *platform,
                                     const char *transport, clump_message_costs *costs)
{
    double values[CLUMP_LOGGP_QUANTITIES];
    for (size_t i = 0; i < CLUMP_LOGGP_QUANTITIES; i++) {
        const clump_store_status status =
            read_quantity(store, platform, transport, clump_loggp_quantities[i], &values[i]);
        if (status != CLUMP_STORE_OK)
            return status;
    }
    const clump_loggp loggp = clump_loggp_of(values);
    *costs = (clump_message_costs){.latency_us = loggp.latency_us,
                                   .send_us = loggp.send_overhead_us,
                                   .receive_us = loggp.receive_overhead_us,
                                   .gap_us = loggp.gap_us,
                                   .gap_us_per_byte = loggp.gap_us_per_byte};
    return CLUMP_STORE_OK;
}

/* The Clump that is compared with a NOW. */
typedef struct search {
    const char *now;
    char found[80];
} search;

static int look_at_platform(const clump_store_platform *platform, void *context)
{
    search *s = context;
    if (platform->counterpart == NULL || strcmp(platform->counterpart, s->now) != 0 ||
        s->found[0] != '\0')
        return 0;
    snprintf(s->found, sizeof s->found, "%s", platform->name);
    return 0;
}

int run_machine_read(const char *command, clump_store *store, const char *platform,
                     run_machine *machine)
{
    clump_store_platform *found = NULL;
    clump_virtual_team_options *o = &machine->options;
    *machine = (run_machine){.loggp_of = ""};
    clump_store_status status = clump_store_find_platform(store, platform, &found);
    if (status != CLUMP_STORE_OK)
        return error_store(command, store, status);
    const bool pooled = found->mapping == NULL || strcmp(found->mapping, "pooled") == 0;
    const int64_t most = CLUMP_VIRTUAL_TEAM_MOST, nodes = found->nodes,
                  processors = found->processors, nics = found->nics;
    clump_store_free(found);
    if (nodes > most || processors > most || nodes * processors > most || nics > most)
        return error_input(command,
                           "platform '%.80s': found %lld nodes of %lld processors, expected at "
                           "most %lld processors in all",
                           platform, (long long)nodes, (long long)processors, (long long)most);
    *o = (clump_virtual_team_options){.nodes = (uint32_t)nodes,
                                      .processors = (uint32_t)processors,
                                      .nics = nics > 0 ? (uint32_t)nics : 1,
                                      .pooled = pooled};
    /* Whose costs they are: its own, or those of the machine that it is the counterpart of. */
    search s = {.now = platform};
    const char *of = platform;
    status = read_costs(store, of, "network", &o->network);
    if (status == CLUMP_STORE_NOT_FOUND &&
        clump_store_each_platform(store, look_at_platform, &s) == CLUMP_STORE_OK &&
        s.found[0] != '\0') {
        of = s.found;
        snprintf(machine->loggp_of, sizeof machine->loggp_of, "%s", of);
        status = read_costs(store, of, "network", &o->network);
    }
    if (status == CLUMP_STORE_NOT_FOUND)
        return error_input(command,
                           "platform '%.80s': found no LogGP parameters of its network, expected "
                           "latency, send_overhead, receive_overhead, gap and gap_per_byte "
                           "(clumpmodel fit loggp); e5000-clump has them",
                           platform);
    if (status == CLUMP_STORE_OK)
        status = read_costs(store, of, "shared-memory", &o->memory);
    if (status == CLUMP_STORE_NOT_FOUND) { /* only what is inside of a node would need them */
        o->memory = o->network;
        status = CLUMP_STORE_OK;
    }
    return status == CLUMP_STORE_OK ? EXIT_DONE : error_store(command, store, status);
}

int run_machine_read_polls(const char *command, clump_store *store, const char *platform,
                           run_machine *machine)
{
    clump_virtual_team_options *o = &machine->options;
    const char *of = machine->loggp_of[0] != '\0' ? machine->loggp_of : platform;
    clump_store_filter filter = {.platform = of,
                                 .application = "",
                                 .quantity = "poll_cost",
                                 .transport = "shared-memory",
                                 .inherit = true};
    clump_store_measurement measured;
    clump_store_status status = clump_store_value(store, &filter, &measured);
    if (status == CLUMP_STORE_OK) {
        o->memory_poll_us = measured.value;
        filter.transport = "network";
        status = clump_store_value(store, &filter, &measured);
    }
    if (status == CLUMP_STORE_NOT_FOUND)
        return error_input(command,
                           "--polling: platform '%.80s': found no poll_cost of shared memory and "
                           "network, expected both; e5000-clump has them",
                           of);
    if (status != CLUMP_STORE_OK)
        return error_store(command, store, status);
    o->network_poll_us = measured.value;
    o->measured = clump_polling_defaults();
    return EXIT_DONE;
}
