/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reproductions/command/run_machine.h"

#include "cli/output/errors.h"
#include "model/loggp.h"

#include <stdio.h>
#include <string.h>

/* One quantity of a platform: of the layer; or of the preferred one, or else the only one that there is. */
static clump_store_status read_quantity(clump_store *store, const char *platform, const char *layer,
                                        const char *transport, const char *quantity, double *value)
{
    clump_store_measurement measured;
    clump_store_filter filter = {.platform = platform,
                                 .application = "",
                                 .transport = transport,
                                 .quantity = quantity,
                                 .variant = layer != NULL ? layer : CLUMP_STORE_PREFERRED_VARIANT,
                                 .inherit = true};
    clump_store_status status = clump_store_value(store, &filter, &measured);
    if (status == CLUMP_STORE_NOT_FOUND && layer == NULL) {
        filter.variant = NULL;
        status = clump_store_value(store, &filter, &measured);
    }
    if (status == CLUMP_STORE_OK)
        *value = measured.value;
    return status;
}

static clump_store_status read_costs(clump_store *store, const char *platform, const char *layer,
                                     const char *transport, clump_message_costs *costs)
{
    double values[CLUMP_LOGGP_QUANTITIES];
    for (size_t i = 0; i < CLUMP_LOGGP_QUANTITIES; i++) {
        const clump_store_status status =
            read_quantity(store, platform, layer, transport, clump_loggp_quantities[i], &values[i]);
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

/* What senders of a node take from each other, where the layer's samples say how many cache lines. */
static clump_store_status read_moved_lines(clump_store *store, const char *platform,
                                           const char *layer, double *moved_us)
{
    double lines, cycles, mhz;
    clump_store_status status =
        layer == NULL
            ? CLUMP_STORE_NOT_FOUND
            : read_quantity(store, platform, layer, "shared-memory", "moved_lines", &lines);
    if (status == CLUMP_STORE_OK)
        status = read_quantity(store, platform, NULL, NULL, "l2_miss_other_l2_cycles", &cycles);
    if (status == CLUMP_STORE_OK)
        status = read_quantity(store, platform, NULL, NULL, "clock", &mhz);
    *moved_us = status == CLUMP_STORE_OK && mhz > 0 ? lines * cycles / mhz : 0;
    return status == CLUMP_STORE_NOT_FOUND ? CLUMP_STORE_OK : status;
}

/* Variants of the LogGP samples of a platform and of what it is part of, each once. */
typedef struct layers {
    char text[400];
} layers;

static int add_layer(const clump_store_sample *sample, void *context)
{
    layers *l = context;
    const size_t used = strlen(l->text), length = strlen(sample->variant);
    for (const char *at = l->text; length > 0 && (at = strstr(at, sample->variant)) != NULL;
         at += length)
        if ((at == l->text || at[-1] == ' ') && (at[length] == ',' || at[length] == '\0'))
            return 0;
    if (length > 0 && used + length + 3 < sizeof l->text)
        snprintf(l->text + used, sizeof l->text - used, "%s%s", used > 0 ? ", " : "",
                 sample->variant);
    return 0;
}

static int complain_of_layer(const char *command, clump_store *store, const char *platform,
                             const char *transport, const char *layer)
{
    layers l = {.text = ""};
    clump_store_platform *found = NULL;
    clump_store_filter filter = {.platform = platform,
                                 .application = "",
                                 .transport = transport,
                                 .quantity = "gap_per_byte"};
    clump_store_each_sample(store, &filter, add_layer, &l);
    if (clump_store_find_platform(store, platform, &found) == CLUMP_STORE_OK &&
        found->part_of != NULL) {
        filter.platform = found->part_of;
        clump_store_each_sample(store, &filter, add_layer, &l);
    }
    clump_store_free(found);
    return error_usage(
        command,
        "--layer: found '%.60s', of which platform '%.80s' has no LogGP parameters of %s; "
        "expected %s",
        layer, platform, strcmp(transport, "network") == 0 ? "the network" : "shared memory",
        l.text[0] != '\0' ? l.text : "one that 'clumpmodel data show' has as a variant of them");
}

/* The Clump that is compared with a NOW. */
typedef struct search {
    const char *now;
    char found[80];
} search;

static int look_at_platform(const void *record, void *context)
{
    const clump_store_platform *platform = record;
    search *s = context;
    if (platform->counterpart == NULL || strcmp(platform->counterpart, s->now) != 0 ||
        s->found[0] != '\0')
        return 0;
    snprintf(s->found, sizeof s->found, "%s", platform->name);
    return 0;
}

int run_machine_read(const char *command, clump_store *store, const char *platform,
                     const char *layer, run_machine *machine)
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
    status = read_costs(store, of, layer, "network", &o->network);
    if (status == CLUMP_STORE_NOT_FOUND &&
        clump_store_each_record(store, CLUMP_STORE_PLATFORM, look_at_platform, &s) ==
            CLUMP_STORE_OK &&
        s.found[0] != '\0') {
        of = s.found;
        snprintf(machine->loggp_of, sizeof machine->loggp_of, "%s", of);
        status = read_costs(store, of, layer, "network", &o->network);
    }
    machine->no_network = status == CLUMP_STORE_NOT_FOUND && layer != NULL && nodes == 1;
    if (status == CLUMP_STORE_NOT_FOUND && layer != NULL && !machine->no_network)
        return complain_of_layer(command, store, of, "network", layer);
    if (status == CLUMP_STORE_NOT_FOUND && layer == NULL)
        return error_input(command,
                           "platform '%.80s': found no LogGP parameters of its network, expected "
                           "latency, send_overhead, receive_overhead, gap and gap_per_byte "
                           "(clumpmodel fit loggp); e5000-clump has them",
                           platform);
    if (status == CLUMP_STORE_OK || machine->no_network)
        status = read_costs(store, of, layer, "shared-memory", &o->memory);
    if (status == CLUMP_STORE_NOT_FOUND && layer != NULL && processors > 1)
        return complain_of_layer(command, store, of, "shared-memory", layer);
    if (status == CLUMP_STORE_NOT_FOUND) { /* only what is inside of a node would need them */
        o->memory = o->network;
        status = CLUMP_STORE_OK;
    }
    if (status == CLUMP_STORE_OK)
        status = read_moved_lines(store, of, layer, &o->moved_us);
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

/* The second-level cache, and what a miss in it takes. */
typedef struct cache {
    double size, line, miss_us;
} cache;

static clump_store_status read_cache(clump_store *store, const char *platform, cache *c)
{
    double cycles = 0, mhz = 0;
    clump_store_status status = read_quantity(store, platform, NULL, NULL, "l2_size", &c->size);
    if (status == CLUMP_STORE_OK)
        status = read_quantity(store, platform, NULL, NULL, "l2_line_size", &c->line);
    if (status == CLUMP_STORE_OK)
        status = read_quantity(store, platform, NULL, NULL, "l2_miss_memory_cycles", &cycles);
    if (status == CLUMP_STORE_OK)
        status = read_quantity(store, platform, NULL, NULL, "clock", &mhz);
    if (status == CLUMP_STORE_OK && !(c->line > 0 && mhz > 0))
        return CLUMP_STORE_NOT_FOUND;
    c->miss_us = cycles / mhz;
    return status;
}

int run_machine_read_misses(const char *command, clump_store *store, const char *platform,
                            double bytes_per_us, run_machine *machine)
{
    cache c;
    double sustained = bytes_per_us;
    clump_store_status status = read_cache(store, platform, &c);
    if (status == CLUMP_STORE_NOT_FOUND)
        return error_input(
            command,
            "--memory: platform '%.80s': found no l2_size, l2_line_size, "
            "l2_miss_memory_cycles or clock, expected all four; e5000-clump has them",
            platform);
    if (status == CLUMP_STORE_OK && bytes_per_us == 0)
        status =
            read_quantity(store, platform, NULL, NULL, "sustained_memory_bandwidth", &sustained);
    if (status != CLUMP_STORE_OK && status != CLUMP_STORE_NOT_FOUND)
        return error_store(command, store, status);
    if (sustained > 0 && c.line / sustained > c.miss_us)
        return error_input(
            command,
            "--memory: found %.4g bytes a microsecond for the processors of a node, expected "
            "at least %.4g: what one alone loads, a line of %.4g bytes in %.4g us",
            sustained, c.line / c.miss_us, c.line, c.miss_us);
    machine->options.misses =
        (clump_virtual_misses){.line_bytes = c.line,
                               .miss_us = c.miss_us,
                               .shared_us = sustained > 0 ? c.line / sustained : 0};
    machine->cache_bytes = c.size;
    return EXIT_DONE;
}

int run_machine_share(const char *command, clump_store *store, const char *platform,
                      run_machine *machine)
{
    enum { SLICE_OVER_SWITCH = 10000 };
    clump_virtual_sharing *s = &machine->sharing;
    cache c;
    const clump_store_status status = read_cache(store, platform, &c);
    if (status != CLUMP_STORE_OK && status != CLUMP_STORE_NOT_FOUND)
        return error_store(command, store, status);
    s->cache_us = status == CLUMP_STORE_OK ? c.size / c.line * c.miss_us : 0;
    s->switch_us = s->slice_us / SLICE_OVER_SWITCH;
    machine->options.sharing = s;
    return EXIT_DONE;
}

/* ---- a cluster whose packets an LCI protocol carries */

int run_protocol_read(command_line *line, const option_entry *option, const char *text, void *field)
{
    run_protocol *p = field;
    const char *wrong = NULL;
    char words[CLUMP_LCI_WORDS_BYTES];
    (void)option;
    clump_lci_protocol_words(words);
    p->name = text;
    if (clump_lci_protocol_parse(text, &p->lci, &wrong) != CLUMP_PROTOCOL_OK)
        return error_usage(line->command,
                           "--protocol: found '%.60s', expected l- with at most one each of %s; "
                           "what is wrong begins at '%.30s'",
                           text, words, wrong);
    if (p->lci.transfer == CLUMP_TRANSFER_COPY)
        return error_usage(line->command,
                           "--protocol: found '%.60s', expected sdma or pio: programs send "
                           "packets, no remote copies",
                           text);
    return EXIT_DONE;
}

typedef struct reader {
    clump_hardware *hardware;
    clump_hardware_reading reading;
} reader;

static int take_cost(const clump_store_sample *sample, void *context)
{
    reader *r = context; /* the user's samples come first */
    clump_hardware_take(clump_hardware_fields, clump_hardware_field_count, r->hardware, &r->reading,
                        sample->quantity, sample->measured.value);
    return 0;
}

int run_cluster_find(const char *command, clump_store *store, const clump_application *a,
                     const char *platform, const run_protocol *protocol, run_machine *machine)
{
    clump_store_platform *found = NULL;
    clump_virtual_cluster_options *o = &machine->cluster;
    reader r = {.hardware = &o->hardware};
    const clump_store_filter filter = {.platform = platform};
    machine->packets = false;
    if (a->system == NULL)
        return EXIT_DONE;
    clump_store_status status = clump_store_find_platform(store, platform, &found);
    if (status != CLUMP_STORE_OK)
        return error_store(command, store, status);
    const int64_t nodes = found->nodes;
    clump_store_free(found);
    status = clump_store_each_sample(store, &filter, take_cost, &r);
    if (status != CLUMP_STORE_OK && status != CLUMP_STORE_NOT_FOUND)
        return error_store(command, store, status);
    if (r.reading.known == 0)
        return EXIT_DONE;
    if (r.reading.known < clump_hardware_field_count)
        return error_input(command,
                           "platform '%.80s': found %zu of the %zu costs that a cluster in "
                           "virtual time has, expected all: see 'clumpmodel data show'",
                           platform, r.reading.known, clump_hardware_field_count);
    if (protocol->name != NULL)
        o->protocol = protocol->lci;
    else
        clump_lci_protocol_parse("l-sdma", &o->protocol, NULL);
    machine->options = (clump_virtual_team_options){.nodes = nodes < 2      ? 2
                                                             : nodes > 1024 ? 1024
                                                                            : (uint32_t)nodes,
                                                    .processors = 1,
                                                    .nics = 1};
    machine->loggp_of[0] = '\0';
    machine->packets = true;
    return EXIT_DONE;
}

int run_cluster_refuse(const char *command, const clump_application *a, const char *platform)
{
    if (a->system == NULL)
        return error_usage(
            command,
            "found --protocol or --loss with %.40s, expected a program over MPI, "
            "Orca, CRL or Multigame: the global address space of this one is not carried "
            "by packets",
            a->name);
    return error_usage(command,
                       "found --protocol or --loss with %.80s, expected a platform whose hardware "
                       "is described: ppro-myrinet, p3-myrinet, e5000-myrinet",
                       platform);
}

double run_price(const clump_application *a, const char *platform, double operation_us)
{
    if (operation_us > 0)
        return operation_us;
    for (const clump_application_cost *p = a->costs; p != NULL && p->platform != NULL; p++)
        if (strcmp(p->platform, platform) == 0)
            return p->us;
    return a->operation_us;
}
