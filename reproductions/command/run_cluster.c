/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reproductions/command/run_cluster.h"

#include "cli/output/errors.h"

#include <string.h>

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
    for (const clump_application_price *p = a->prices; p != NULL && p->platform != NULL; p++)
        if (strcmp(p->platform, platform) == 0)
            return p->us;
    return a->operation_us;
}
