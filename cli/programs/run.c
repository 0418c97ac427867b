/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `clumpmodel run`: the documents' programs, live and in virtual time. */
#include "calibration/emulation/nodes.h"
#include "calibration/programs/application_run.h"
#include "calibration/team.h"
#include "cli/command.h"
#include "cli/database.h"
#include "cli/output/errors.h"
#include "cli/output/interrupt.h"
#include "cli/output/output.h"
#include "cli/output/progress.h"
#include "cli/programs/run_cluster.h"
#include "cli/programs/run_emulated.h"
#include "cli/programs/run_fit.h"
#include "cli/programs/run_machine.h"
#include "cli/programs/run_model.h"
#include "cli/programs/run_rows.h"
#include "cli/programs/run_store.h"
#include "data/suggest.h"
#include "programs/applications/prices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* When the network is looked at. */
typedef struct run_polling {
    bool given;
    clump_polling_parameters parameters;
} run_polling;

/* Whether cache misses have costs, and what the processors of a node share then; 0: as the platform has it. */
typedef struct run_memory {
    bool given;
    double bytes_per_us;
} run_memory;

typedef struct settings {
    const char *platform; /* NULL: live */
    unsigned nodes, processors;
    option_wholes nics;
    unsigned mapping; /* of "pooled|static", behind 0: as the platform has it */
    option_texts sizes;
    uint64_t seed;
    double operation_us;
    run_protocol protocol;
    double loss;
    double fit_s;    /* to which the price is fitted; negative: the document's; 0: not */
    unsigned io_bus; /* 1: half duplex */
    run_polling polling;
    const char *layer; /* whose LogGP parameters; NULL: the multi-protocol one's */
    const char *name;  /* of the application that is stored */
    unsigned jobs, sequential;
    double yield_us, slice_ms;
    run_memory memory;
    unsigned queue;
    bool predict;
    bool describe, no_check;
    bool emulate, normal;
    double rate_mbit, dilation, limit_seconds;
    size_t repetitions;
} settings;

static int read_mapping(command_line *line, const option_entry *option, const char *text,
                        void *field)
{
    unsigned *mapping = field;
    *mapping = strcmp(text, "pooled") == 0 ? 1 : strcmp(text, "static") == 0 ? 2 : 0;
    return *mapping > 0 ? EXIT_DONE : option_wrong(line, option->name, text, "pooled or static");
}

static int read_fit(command_line *line, const option_entry *option, const char *text, void *field)
{
    double *seconds = field;
    if (strcmp(text, "document") == 0)
        *seconds = -1;
    else if (!real_parse(text, seconds) || !(*seconds > 0) || *seconds > 1e6)
        return option_wrong(line, option->name, text, "document, or a time in seconds");
    return EXIT_DONE;
}

static int read_polling(command_line *line, const option_entry *option, const char *text,
                        void *field)
{
    static const char expected[] =
        "adaptive, adaptive:NAME=NUMBER,... (acceptance, a, d, k, s_min, "
        "s_max), always or fractional:K";
    run_polling *p = field;
    p->parameters = clump_polling_defaults();
    p->given = true;
    if (clump_polling_parse(text, &p->parameters) != CLUMP_PROTOCOL_OK)
        return option_wrong(line, option->name, text, expected);
    const char *wrong = clump_polling_check(&p->parameters);
    return wrong == NULL
               ? EXIT_DONE
               : error_usage(line->command, "--polling: found '%.80s', but %s", text, wrong);
}

static int read_memory(command_line *line, const option_entry *option, const char *text,
                       void *field)
{
    run_memory *m = field;
    *m = (run_memory){.given = true};
    if (strcmp(text, "platform") == 0)
        return EXIT_DONE;
    return real_parse(text, &m->bytes_per_us) && m->bytes_per_us >= 1 && m->bytes_per_us <= 1e9
               ? EXIT_DONE
               : option_wrong(line, option->name, text,
                              "platform, or 1 to 1e9 bytes a microsecond");
}

static int read_io_bus(command_line *line, const option_entry *option, const char *text,
                       void *field)
{
    unsigned *half_duplex = field;
    *half_duplex = strcmp(text, "half-duplex") == 0;
    return *half_duplex || strcmp(text, "full-duplex") == 0
               ? EXIT_DONE
               : option_wrong(line, option->name, text, "full-duplex or half-duplex");
}

static const option_entry entries[] = {
    {.name = "virtual",
     .argument = "PLATFORM",
     .help = "in virtual time, on a machine whose LogGP parameters are\n"
             "in the database, such as e5000-clump (default: live, by\n"
             "processes of this machine)",
     .values = "@platforms",
     .type = OPTION_TEXT,
     OPTION_FIELD(settings, platform)},
    {.name = "emulate",
     .help = "by processes of this machine on an emulated Clump for each\n"
             "number of NICs, and on its NOW: slowdowns, and what the\n"
             "model says from the NOW's traffic",
     .type = OPTION_FLAG,
     OPTION_FIELD(settings, emulate)},
    {.name = "nodes",
     .argument = "NUMBER",
     .help = "nodes; live, processes of different ones reach each other\n"
             "over UDP (default: those of the platform; live 1, with\n"
             "--emulate 2)",
     .type = OPTION_WHOLE,
     OPTION_FIELD(settings, nodes),
     .from = 1,
     .to = CLUMP_VIRTUAL_TEAM_MOST},
    {.name = "processors",
     .letter = 'P',
     .argument = "NUMBER",
     .help = "processors of a node (default: those of the platform; live\n"
             "those of this machine, with --emulate 4)",
     .type = OPTION_WHOLE,
     OPTION_FIELD(settings, processors),
     .from = 1,
     .to = CLUMP_VIRTUAL_TEAM_MOST},
    {.name = "nics",
     .letter = 'N',
     .argument = "LIST",
     .help = "NICs of a node: with --virtual one number (default: those\n"
             "of the platform), with --emulate one for each Clump\n"
             "(default 1,2,4)",
     .type = OPTION_WHOLES,
     OPTION_FIELD(settings, nics),
     .from = 1,
     .to = 1024,
     .expected = "whole numbers from 1 to 1024, such as 1,2,4"},
    {.name = "mapping",
     .argument = "pooled|static",
     .help = "whether a message takes the NIC that is free first, or\n"
             "each processor has its own (default: as the platform)",
     .values = "pooled|static",
     .type = OPTION_CUSTOM,
     OPTION_FIELD(settings, mapping),
     .read = read_mapping},
    {.name = "set",
     .argument = "NAME=NUMBER",
     .help = "a size of the program's input; --describe lists them",
     .repeated = true,
     .type = OPTION_TEXTS,
     OPTION_FIELD(settings, sizes)},
    {.name = "seed",
     .argument = "NUMBER",
     .help = "seed of the input (default {})",
     .type = OPTION_WHOLE,
     OPTION_FIELD(settings, seed),
     .preset = "1"},
    {.name = "operation",
     .argument = "US",
     .help = "with --virtual or --emulate: what an operation of the\n"
             "computation costs (default: see --describe)",
     .type = OPTION_REAL,
     OPTION_FIELD(settings, operation_us),
     .least = 0,
     .above = true,
     .most = 1e6,
     .expected = "a time above 0, at most 1000000 microseconds"},
    {.name = "protocol",
     .argument = "NAME",
     .help = "of packets, where hardware of virtual time is described\n"
             "(--virtual ppro-myrinet or p3-myrinet): l-sdma, l-pio,\n"
             "l-nirx, l-hrx, with -1k or -4k, -hmc, -binomial (default\n"
             "l-sdma)",
     .type = OPTION_CUSTOM,
     OPTION_FIELD(settings, protocol),
     .read = run_protocol_read},
    {.name = "loss",
     .argument = "PROBABILITY",
     .help = "there: probability that a packet is lost, at most 0.5\n"
             "(default {})",
     .type = OPTION_REAL,
     OPTION_FIELD(settings, loss),
     .preset = "0",
     .most = 0.5,
     .expected = "a probability from 0 to 0.5"},
    {.name = "fit",
     .argument = "SECONDS|document",
     .help = "with --virtual: find what an operation must cost for the\n"
             "run to take this time, or that which the document has",
     .values = "document",
     .type = OPTION_CUSTOM,
     OPTION_FIELD(settings, fit_s),
     .read = read_fit},
    {.name = "io-bus",
     .argument = "full-duplex|half-duplex",
     .help = "with --virtual: whether bytes cross the bus to a NIC in\n"
             "both directions at a time (default full-duplex)",
     .values = "full-duplex|half-duplex",
     .type = OPTION_CUSTOM,
     OPTION_FIELD(settings, io_bus),
     .read = read_io_bus},
    {.name = "memory",
     .argument = "platform|RATE",
     .help = "with --virtual: cache misses have costs of their own, and\n"
             "processors of a node share its memory's bandwidth, as the\n"
             "platform has it or RATE bytes a microsecond",
     .values = "platform",
     .type = OPTION_CUSTOM,
     OPTION_FIELD(settings, memory),
     .read = read_memory},
    {.name = "predict",
     .help = "with --virtual: beside it what the model says, from the\n"
             "messages that were counted and a run on a NOW of as many\n"
             "processors",
     .type = OPTION_FLAG,
     OPTION_FIELD(settings, predict)},
    {.name = "name",
     .argument = "NAME",
     .help = "with --virtual: store the run (with --predict also that on\n"
             "the NOW) as an application of the database, for scenarios",
     .type = OPTION_TEXT,
     OPTION_FIELD(settings, name)},
    {.name = "layer",
     .argument = "NAME",
     .help = "with --virtual: the layer whose LogGP parameters are taken,\n"
             "as the database has it: multi-protocol, single-protocol, on\n"
             "e5000-smp also queue algorithms such as anderson-lock\n"
             "(default: multi-protocol, or the only one)",
     .type = OPTION_TEXT,
     OPTION_FIELD(settings, layer)},
    {.name = "polling",
     .argument = "STRATEGY",
     .help = "with --virtual: polls have costs, and the network is looked at\n"
             "by this strategy: adaptive, adaptive:s_min=8,s_max=32,k=4,\n"
             "d=256, always or fractional:K (default: part of overheads)",
     .type = OPTION_CUSTOM,
     OPTION_FIELD(settings, polling),
     .read = read_polling},
    {.name = "rate",
     .argument = "MBIT",
     .help = "with --emulate: rate of a NIC in each direction, in megabits\n"
             "a second of the program's time (default 100)",
     .type = OPTION_REAL,
     OPTION_FIELD(settings, rate_mbit),
     .least = 1,
     .most = 100000,
     .expected = "megabits a second from 1 to 100000"},
    {.name = "dilation",
     .letter = 'D',
     .argument = "FACTOR",
     .help = "with --emulate: how many times slower time passes, 1 to\n"
             "100000 (default: 25 for each worker that a processor of\n"
             "this machine has to carry, at least 50)",
     .type = OPTION_REAL,
     OPTION_FIELD(settings, dilation),
     .least = 1,
     .most = 100000,
     .expected = "a number from 1 to 100000"},
    {.name = "repetitions",
     .letter = 'r',
     .argument = "NUMBER",
     .help = "with --emulate: runs of each machine, 1 to 100 (default 3)",
     .type = OPTION_WHOLE,
     OPTION_FIELD(settings, repetitions),
     .from = 1,
     .to = 100},
    {.name = "priority",
     .argument = "real-time|normal",
     .help = "with --emulate: priority of the workers (default\n"
             "real-time, and normal where the system refuses)",
     .type = OPTION_CHOICE,
     OPTION_FIELD(settings, normal)},
    {.name = "time-limit",
     .argument = "SECONDS",
     .help = "with --emulate: real time that a run may take (default\n"
             "600)",
     .type = OPTION_REAL,
     OPTION_FIELD(settings, limit_seconds),
     .least = 1,
     .most = 1e6,
     .expected = "seconds from 1 to 1000000"},
    {.name = "jobs",
     .argument = "NUMBER",
     .help = "with --virtual: so many copies of the program share the\n"
             "processors of one node",
     .type = OPTION_WHOLE,
     OPTION_FIELD(settings, jobs),
     .from = 1,
     .to = 64},
    {.name = "sequential",
     .argument = "NUMBER",
     .help = "with --virtual: so many processes for each processor that\n"
             "only compute share them, too",
     .type = OPTION_WHOLE,
     OPTION_FIELD(settings, sequential),
     .from = 1,
     .to = 64},
    {.name = "yield",
     .argument = "US",
     .help = "with --virtual: a process that waits gives its processor up\n"
             "after so long, also if nobody else wants it (default: with\n"
             "--jobs or --sequential 255, else never)",
     .type = OPTION_REAL,
     OPTION_FIELD(settings, yield_us),
     .least = 0,
     .above = true,
     .most = 1e6,
     .expected = "a time above 0, at most 1000000 microseconds"},
    {.name = "slice",
     .argument = "MS",
     .help = "with --jobs, --sequential or --yield: how long a process\n"
             "keeps its processor while others want it (default 100)",
     .type = OPTION_REAL,
     OPTION_FIELD(settings, slice_ms),
     .least = 0.1,
     .most = 1e5,
     .expected = "a time from 0.1 to 100000 milliseconds"},
    {.name = "queue",
     .argument = "LENGTH",
     .help = "with --virtual: requests of its node that a processor may\n"
             "have and not have taken; whoever sends more waits (default:\n"
             "no end)",
     .type = OPTION_WHOLE,
     OPTION_FIELD(settings, queue),
     .from = 1,
     .to = 1000000},
    {.name = "no-check",
     .help = "do not compare the result with that of a sequential run",
     .type = OPTION_FLAG,
     OPTION_FIELD(settings, no_check)},
    {.name = "describe",
     .help = "what the program does, and the sizes of its input",
     .type = OPTION_FLAG,
     OPTION_FIELD(settings, describe)},
    {0},
};

static const option_table tables[] = {{entries, 0}, {0}};

/* ---- what there is */

typedef struct size_row {
    const char *name, *meaning;
    double preset, least, most;
} size_row;

static int describe(const command_invocation *invocation, const clump_application *a)
{
    static const table_column columns[] = {
        {"name", "Size", FIELD(size_row, name)},
        {"preset", "Default", NUMBER_EXACT, FIELD(size_row, preset)},
        {"least", "Least", NUMBER_EXACT, FIELD(size_row, least)},
        {"greatest", "Greatest", NUMBER_EXACT, FIELD(size_row, most)},
        {"meaning", "Meaning", FIELD(size_row, meaning), .layout = COLUMN_PROSE},
    };
    size_row list[CLUMP_APPLICATION_SIZES];
    const size_t count = clump_application_count_sizes(a);
    for (size_t i = 0; i < count; i++)
        list[i] = (size_row){a->sizes[i].name, a->sizes[i].meaning, a->sizes[i].preset,
                             a->sizes[i].least, a->sizes[i].most};
    const table_rows rows = {.key = "sizes", COLUMNS(columns), RECORDS(list, count)};
    const output_field fields[] = {
        field_text("program", a->name),
        field_text("run", a->run),
        field_text("title", a->title),
        field_text("operation", a->operation),
        field_real("operation_us", a->operation_us),
        field_text("price_run", a->price_run),
        field_text("price_platform", a->price_run != NULL ? CLUMP_PRICE_PLATFORM : NULL)};
    if (invocation->format == FORMAT_TABLE) {
        printf("%s: %s (%s)\n\n%s\n\nAn operation is %s: %.4g us", a->name, a->title, a->run,
               a->text, a->operation, a->operation_us);
        if (a->price_run != NULL)
            printf(", with which %s on %s takes\nas long as in the document.\n\n", a->price_run,
                   CLUMP_PRICE_PLATFORM);
        else
            printf(" on the document's machine.\n\n");
    }
    return output_print(invocation->format, &rows, fields, sizeof fields / sizeof *fields);
}

static int list_programs(const command_invocation *invocation)
{
    static const table_column columns[] = {
        {"program", "Program", FIELD(clump_application, name)},
        {"run", "Document's run", FIELD(clump_application, run)},
        {"title", "Title", FIELD(clump_application, title), .layout = COLUMN_PROSE},
    };
    const clump_application *list[64];
    size_t count = 0;
    while (count < sizeof list / sizeof *list && clump_application_at(count) != NULL) {
        list[count] = clump_application_at(count);
        count++;
    }
    const table_rows rows = {.key = "programs", COLUMNS(columns), RECORD_POINTERS(list, count)};
    return output_print(invocation->format, &rows, NULL, 0);
}

static int unknown_program(const command_line *line, const char *name)
{
    char names[400] = "";
    char similar[CLUMP_SUGGEST_TEXT];
    size_t used = 0;
    clump_suggestion suggestion = clump_suggest_start(CLUMP_SUGGEST_WORD, name);
    for (size_t i = 0; clump_application_at(i) != NULL && used < sizeof names; i++) {
        clump_suggest_offer(&suggestion, clump_application_at(i)->name);
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "",
                                 clump_application_at(i)->name);
    }
    return error_usage(line->command, "found '%.60s', expected a program: %s%s", name, names,
                       clump_suggest_text(&suggestion, "", similar));
}

/* ---- the input */

static int read_size(const command_line *line, const clump_application *a, const char *text,
                     clump_application_input *input)
{
    const char *equals = strchr(text, '=');
    const size_t length = equals != NULL ? (size_t)(equals - text) : strlen(text);
    double value = 0;
    for (size_t i = 0; a->sizes[i].name != NULL; i++) {
        const clump_application_size *s = &a->sizes[i];
        if (strlen(s->name) != length || strncmp(s->name, text, length) != 0)
            continue;
        if (equals == NULL || !real_parse(equals + 1, &value) || value < s->least ||
            value > s->most || (s->whole && value != (double)(uint64_t)value))
            return error_usage(
                line->command, "--set: found '%.80s', expected %s=NUMBER, %s from %.9g to %.9g",
                text, s->name, s->whole ? "a whole number" : "a number", s->least, s->most);
        input->sizes[i] = value;
        return EXIT_DONE;
    }
    return error_usage(line->command,
                       "--set: found '%.80s', expected a size of %s and a number: see "
                       "'clumpmodel run %s --describe'",
                       text, a->name, a->name);
}

static int read_input(const command_invocation *invocation, const clump_application *a,
                      uint32_t nodes, uint32_t processors, clump_application_input *input)
{
    const settings *s = invocation->settings;
    const command_line *line = &invocation->arguments;
    char message[CLUMP_APPLICATION_MESSAGE];
    if (processors > CLUMP_VIRTUAL_TEAM_MOST / nodes)
        return error_usage(line->command,
                           "found %u nodes of %u processors, expected at most %d processors in "
                           "all",
                           nodes, processors, CLUMP_VIRTUAL_TEAM_MOST);
    *input = clump_application_input_of(a, nodes * processors, processors);
    input->seed = s->seed;
    for (size_t i = 0; i < s->sizes.count; i++) {
        const int status = read_size(line, a, s->sizes.items[i], input);
        if (status != EXIT_DONE)
            return status;
    }
    if (a->check != NULL && !a->check(input, message))
        return error_usage(line->command, "%s: %s", a->name, message);
    return EXIT_DONE;
}

static bool shares(const settings *s)
{
    return s->jobs > 0 || s->sequential > 0 || s->yield_us > 0;
}

static int check_nics(const command_line *line, const settings *s)
{
    if (!s->emulate && s->nics.count > 1)
        return error_usage(line->command, "--nics: found %zu numbers, expected one with --virtual",
                           s->nics.count);
    if (s->emulate && s->nics.count > RUN_EMULATED_MOST_CLUMPS)
        return error_usage(line->command, "--nics: found %zu numbers, expected at most %d",
                           s->nics.count, (int)RUN_EMULATED_MOST_CLUMPS);
    for (size_t i = 0; s->emulate && i < s->nics.count; i++)
        if (s->nics.values[i] > CLUMP_NODES_MOST_NICS)
            return error_usage(line->command,
                               "--nics: found %zu, expected at most %d with --emulate",
                               s->nics.values[i], (int)CLUMP_NODES_MOST_NICS);
    return EXIT_DONE;
}

static int check_settings(const command_line *line, const settings *s)
{
    const bool only_virtual = s->mapping > 0 || s->fit_s != 0 || s->io_bus > 0 ||
                              s->protocol.name != NULL || s->loss > 0 || s->predict ||
                              s->name != NULL || s->polling.given || s->layer != NULL ||
                              shares(s) || s->memory.given || s->queue > 0;
    if (s->emulate && (s->platform != NULL || only_virtual))
        return error_usage(
            line->command,
            "found --emulate with --virtual, --mapping, --fit, --io-bus, --protocol, --loss, "
            "--predict, --name, --polling, --layer, --memory, --queue, --jobs, --sequential or "
            "--yield, "
            "expected none of them: an emulated Clump is made of processes, and its NICs are "
            "pooled");
    if (!s->emulate && (s->rate_mbit > 0 || s->dilation > 0 || s->repetitions > 0 || s->normal ||
                        s->limit_seconds > 0))
        return error_usage(line->command,
                           "found --rate, --dilation, --repetitions, --priority or --time-limit "
                           "without --emulate, expected them with it");
    if (s->platform == NULL && !s->emulate &&
        (s->nics.count > 0 || s->operation_us > 0 || only_virtual))
        return error_usage(
            line->command,
            "found --nics, --mapping, --operation, --fit, --io-bus, --protocol, "
            "--loss, --predict, --name, --polling, --layer, --memory, --queue, --jobs, "
            "--sequential "
            "or "
            "--yield without --virtual, expected them with it: live, NICs and computation are what "
            "this "
            "machine has, and no platform of the database (--nics and --operation also with "
            "--emulate)");
    if (s->slice_ms > 0 && !shares(s))
        return error_usage(line->command, "found --slice without --jobs, --sequential or --yield, "
                                          "expected it with one of them: else nobody shares a "
                                          "processor");
    if (shares(s) && (s->polling.given || s->predict || s->name != NULL))
        return error_usage(line->command,
                           "found --jobs, --sequential or --yield with --polling, --predict or "
                           "--name, expected them without: the model knows of processes that have "
                           "their processors");
    if (s->memory.given && (shares(s) || s->predict || s->name != NULL))
        return error_usage(
            line->command,
            "found --memory with --jobs, --sequential, --yield, --predict or --name, "
            "expected it without: processes that share processors load their caches "
            "again by a rule of their own, and so does the model");
    if (s->layer != NULL && (s->polling.given || s->name != NULL))
        return error_usage(
            line->command,
            "found --layer with --polling or --name, expected it without: what polls "
            "cost, and what the model takes for stored runs, is that of the "
            "multi-protocol layer");
    if (s->operation_us > 0 && s->fit_s != 0)
        return error_usage(line->command,
                           "found --operation and --fit, expected one of them: the second finds "
                           "what the first says");
    return check_nics(line, s);
}

/* ---- running */

static bool watch(double share, void *context)
{
    progress_note(context, share, "");
    return interrupt_wanted();
}

/* Why it did not come to its end: the exit code. */
static int tell_failure(const command_line *line, clump_protocol_status status, const char *message)
{
    if (interrupt_wanted())
        return interrupt_status();
    return error_told(line->command, status == CLUMP_PROTOCOL_BAD_INPUT, message);
}

/* The result beside that of a sequential run. */
static int check_result(const command_line *line, const clump_application_run *run)
{
    clump_application_result expected;
    if (!run->input->application->expect(run->input, &expected))
        return error_memory(line->command);
    if (expected.digest != run->result.digest || expected.items != run->result.items)
        return error_failed(line->command,
                            "%s: found %llu items with digest %016llx, expected %llu with %016llx "
                            "as a sequential run has them: please report this",
                            run->input->application->name, (unsigned long long)run->result.items,
                            (unsigned long long)run->result.digest,
                            (unsigned long long)expected.items,
                            (unsigned long long)expected.digest);
    return EXIT_DONE;
}

/* A run in virtual time, but for the price of its operations. */
typedef struct virtual_run {
    clump_application_run *run;
    const run_machine *machine;
} virtual_run;

static clump_protocol_status run_virtually(double operation_us, void *context,
                                           char message[CLUMP_CALIBRATION_MESSAGE_BYTES])
{
    const virtual_run *v = context;
    return v->machine->packets
               ? clump_application_run_cluster(v->run, &v->machine->cluster, operation_us, message)
               : clump_application_run_virtual(v->run, &v->machine->options, operation_us, message);
}

/* `fit_s` above 0: with the price that gives this time, which `operation_us` receives. */
static int run_program(const command_invocation *invocation, clump_application_run *run,
                       const run_machine *machine, double fit_s, double *operation_us)
{
    const settings *s = invocation->settings;
    const command_line *line = &invocation->arguments;
    char message[CLUMP_CALIBRATION_MESSAGE_BYTES] = "";
    virtual_run in_virtual_time = {run, machine};
    progress_bar bar;
    progress_start(&bar, invocation->quiet);
    interrupt_catch();
    run->watch = watch;
    run->context = &bar;
    const clump_protocol_status status =
        fit_s > 0 ? run_fit(run, run_virtually, &in_virtual_time, fit_s, operation_us, message)
        : s->platform != NULL ? run_virtually(*operation_us, &in_virtual_time, message)
                              : clump_application_run_live(run, message);
    progress_clear(&bar);
    const int code = status == CLUMP_PROTOCOL_OK ? EXIT_DONE : tell_failure(line, status, message);
    interrupt_release();
    return code == EXIT_DONE && !s->no_check ? check_result(line, run) : code;
}

/* The machine that it runs on. */
static int find_machine(const command_invocation *invocation, clump_store *store,
                        const clump_application *a, run_machine *machine)
{
    const settings *s = invocation->settings;
    const char *command = invocation->arguments.command;
    clump_virtual_team_options *o = &machine->options;
    *machine = (run_machine){.options = {.nodes = 1, .processors = clump_team_processors()}};
    if (s->platform != NULL) {
        int status = run_cluster_find(command, store, a, s->platform, &s->protocol, machine);
        if (status == EXIT_DONE && !machine->packets)
            status = s->loss > 0 || s->protocol.name != NULL
                         ? run_cluster_refuse(command, a, s->platform)
                         : run_machine_read(command, store, s->platform, s->layer, machine);
        if (status != EXIT_DONE)
            return status;
        if (machine->packets && (s->nics.count > 0 || s->mapping > 0 || s->io_bus > 0))
            return error_usage(command,
                               "found --nics, --mapping or --io-bus with %.80s, expected none of "
                               "them: its nodes have one processor, one NIC, and a bus that is "
                               "part of its hardware",
                               s->platform);
        if (machine->packets && shares(s))
            return error_usage(command, "found --jobs, --sequential or --yield with a run whose "
                                        "packets an LCI protocol carries, expected one whose "
                                        "messages cost what LogGP says");
        if (machine->packets && s->layer != NULL)
            return error_usage(command,
                               "found --layer with a run whose packets an LCI protocol "
                               "carries, expected one whose messages cost what LogGP says");
        if (s->queue > 0 && (machine->packets || s->polling.given))
            return error_usage(command,
                               "found --queue with --polling or a run whose packets an LCI "
                               "protocol carries, expected it without");
        if (machine->packets && s->memory.given)
            return error_usage(command,
                               "found --memory with a run whose packets an LCI protocol carries, "
                               "expected one whose messages cost what LogGP says");
        if (s->memory.given) {
            status = run_machine_read_misses(command, store, s->platform, s->memory.bytes_per_us,
                                             machine);
            if (status != EXIT_DONE)
                return status;
        }
        machine->cluster.faults.loss = s->loss;
        machine->cluster.faults.seed = s->seed;
        if (s->polling.given) {
            if (machine->packets)
                return error_usage(command, "found --polling with a run whose packets an LCI "
                                            "protocol carries, expected one whose messages cost "
                                            "what LogGP says");
            o->polling = &s->polling.parameters;
            status = run_machine_read_polls(command, store, s->platform, machine);
            if (status != EXIT_DONE)
                return status;
        }
        if (machine->loggp_of[0] != '\0' && !invocation->quiet)
            note_print(command, "messages cost on %.60s what they do on %.60s", s->platform,
                       machine->loggp_of);
    } else if (o->processors < 2) {
        o->processors = 2;
    } else if (o->processors > CLUMP_TEAM_MOST) {
        o->processors = CLUMP_TEAM_MOST;
    }
    o->nodes = s->nodes > 0 ? s->nodes : o->nodes;
    if (machine->no_network && (o->nodes > 1 || s->predict))
        return error_usage(command,
                           "found --nodes or --predict with --layer %.60s, which has no network, "
                           "expected one node without a NOW to compare it with",
                           s->layer);
    if (shares(s)) {
        if (o->nodes > 1)
            return error_usage(command,
                               "found --jobs, --sequential or --yield with %u nodes, expected one "
                               "whose processors are shared (--virtual e5000-smp)",
                               o->nodes);
        machine->sharing =
            (clump_virtual_sharing){.jobs = s->jobs > 0 ? s->jobs : 1,
                                    .sequential = s->sequential,
                                    .yield_us = s->yield_us > 0 ? s->yield_us : 255,
                                    .slice_us = s->slice_ms > 0 ? s->slice_ms * 1e3 : 1e5};
        const int status = run_machine_share(command, store, s->platform, machine);
        if (status != EXIT_DONE)
            return status;
    }
    o->processors = s->processors > 0 ? s->processors : o->processors;
    o->nics = s->nics.count > 0 ? (uint32_t)s->nics.values[0] : o->nics;
    o->pooled = s->mapping > 0 ? s->mapping == 1 : o->pooled;
    o->half_duplex = s->io_bus > 0;
    o->queue_length = s->queue;
    return EXIT_DONE;
}

/* The time to which the price is fitted: 0 if it is not. */
static int find_fitted_time(const command_invocation *invocation, clump_store *store,
                            const clump_application_run *run, const run_circumstances *c,
                            double *seconds)
{
    const settings *s = invocation->settings;
    const char *command = invocation->arguments.command;
    *seconds = s->fit_s;
    if (s->fit_s >= 0)
        return EXIT_DONE;
    const int status = run_rows_documents_time(command, store, run, c, seconds);
    if (status == EXIT_DONE && !(*seconds > 0))
        return error_usage(command,
                           "--fit document: found no time of %s on %s as this run has it, expected "
                           "one in the database, or --fit SECONDS",
                           run->input->application->run, s->platform);
    return status;
}

/* ---- what is done with a run besides showing it */

static int check_extras(const command_invocation *invocation, clump_store *store,
                        const clump_application_run *run, const run_circumstances *c)
{
    const settings *s = invocation->settings;
    const char *command = invocation->arguments.command;
    if ((s->predict || s->name != NULL) && c->machine->packets)
        return error_usage(command,
                           "found --predict or --name with a run whose packets an LCI protocol "
                           "carries, expected one whose messages cost what LogGP says");
    if (s->name != NULL && !run_rows_on_platform(store, run, c))
        return error_usage(command,
                           "--name: found a run with other nodes, processors, NICs or mapping than "
                           "platform '%.80s' has, expected a platform that is as the run",
                           s->platform);
    return EXIT_DONE;
}

/* The same on a NOW, for the model, and what that says. */
typedef struct on_a_now {
    clump_application_input input;
    clump_application_run run;
    run_model model;
} on_a_now;

static int ask_model(const command_invocation *invocation, const clump_application_run *run,
                     const run_machine *machine, double operation_us, on_a_now *now)
{
    run_machine flat = {.options = run_now_machine(&machine->options)};
    now->input = *run->input;
    now->input.per_node = 1;
    now->run = (clump_application_run){
        .input = &now->input, .workers = calloc(run->input->workers, sizeof *run->workers)};
    if (now->run.workers == NULL)
        return error_memory(invocation->arguments.command);
    const int status = run_program(invocation, &now->run, &flat, 0, &operation_us);
    return status == EXIT_DONE ? run_model_predict(invocation->arguments.command, run,
                                                   &machine->options, &now->run, &now->model)
                               : status;
}

/* Whether the platform's counterpart is this NOW: as large, and messages cost the same there. */
static int find_counterpart(const char *command, clump_store *store, const char *platform,
                            const on_a_now *now, const run_machine *machine, char name[80])
{
    clump_store_platform *found = NULL;
    run_machine other;
    name[0] = '\0';
    if (now->run.workers == NULL ||
        clump_store_find_platform(store, platform, &found) != CLUMP_STORE_OK)
        return EXIT_DONE;
    if (found->counterpart != NULL)
        snprintf(name, 80, "%s", found->counterpart);
    clump_store_free(found);
    if (name[0] == '\0')
        return EXIT_DONE;
    const int status = run_machine_read(command, store, name, NULL, &other);
    if (status != EXIT_DONE)
        return status;
    const clump_message_costs *a = &machine->options.network, *b = &other.options.network;
    if (other.options.nodes != now->input.workers || other.options.processors != 1 ||
        a->latency_us != b->latency_us || a->send_us != b->send_us ||
        a->receive_us != b->receive_us || a->gap_us != b->gap_us ||
        a->gap_us_per_byte != b->gap_us_per_byte)
        name[0] = '\0';
    return EXIT_DONE;
}

static int store_runs(const command_invocation *invocation, clump_store *store,
                      const clump_application_run *run, const run_machine *machine,
                      double operation_us, const on_a_now *now)
{
    const settings *s = invocation->settings;
    char counterpart[80];
    const int status = find_counterpart(invocation->arguments.command, store, s->platform, now,
                                        machine, counterpart);
    const run_stored runs[] = {{s->platform, run}, {counterpart, &now->run}};
    return status == EXIT_DONE ? run_store(invocation, store, s->name, operation_us, runs,
                                           counterpart[0] != '\0' ? 2 : 1)
                               : status;
}

/* What an operation costs: beside cache misses, if they are charged. */
static double price_of(const clump_application *a, const settings *s)
{
    return s->memory.given && s->operation_us == 0 && a->beside_memory_us > 0
               ? a->beside_memory_us
               : run_price(a, s->platform, s->operation_us);
}

static int run_on(const command_invocation *invocation, clump_store *store,
                  const clump_application *a)
{
    const settings *s = invocation->settings;
    run_machine machine;
    clump_application_input input;
    int status = find_machine(invocation, store, a, &machine);
    if (status == EXIT_DONE)
        status =
            read_input(invocation, a, machine.options.nodes, machine.options.processors, &input);
    if (status != EXIT_DONE)
        return status;
    clump_application_run run = {.input = &input,
                                 .workers = NULL,
                                 .cache_bytes = machine.cache_bytes,
                                 .jobs =
                                     machine.options.sharing != NULL ? machine.sharing.jobs : 1};
    if (input.workers > CLUMP_VIRTUAL_TEAM_MOST / run.jobs)
        return error_usage(invocation->arguments.command,
                           "found %u jobs of %u processes, expected at most %d processes in all",
                           run.jobs, input.workers, CLUMP_VIRTUAL_TEAM_MOST);
    run.workers = calloc((size_t)input.workers * run.jobs, sizeof *run.workers);
    if (run.workers == NULL)
        return error_memory(invocation->arguments.command);
    double fit_s = 0, operation_us = s->platform != NULL ? price_of(a, s) : 0;
    run_circumstances circumstances = {.platform = s->platform,
                                       .machine = &machine,
                                       .protocol = s->protocol.name,
                                       .layer = s->layer,
                                       .checked = !s->no_check,
                                       .usual = s->sizes.count == 0 && s->operation_us == 0};
    on_a_now now = {.run = {.workers = NULL}};
    status = check_extras(invocation, store, &run, &circumstances);
    if (status == EXIT_DONE)
        status = find_fitted_time(invocation, store, &run, &circumstances, &fit_s);
    if (status == EXIT_DONE)
        status = run_program(invocation, &run, &machine, fit_s, &operation_us);
    if (status == EXIT_DONE && s->predict) {
        status = ask_model(invocation, &run, &machine, operation_us, &now);
        circumstances.model = &now.model;
    }
    if (status == EXIT_DONE && s->name != NULL)
        status = store_runs(invocation, store, &run, &machine, operation_us, &now);
    if (status == EXIT_DONE)
        status = run_rows_show(invocation, store, &run, &circumstances, operation_us);
    free(now.run.workers);
    free(run.workers);
    return status;
}

static int emulate(const command_invocation *invocation, const clump_application *a)
{
    static const size_t usual_nics[] = {1, 2, 4};
    const settings *s = invocation->settings;
    const command_line *line = &invocation->arguments;
    const bool usual = s->nics.count == 0;
    clump_application_input input;
    const run_emulated how = {
        .machine = {.rate_mbit = s->rate_mbit > 0 ? s->rate_mbit : 100,
                    .dilation = s->dilation,
                    .operation_us = s->operation_us > 0 ? s->operation_us : a->operation_us,
                    .limit_seconds = s->limit_seconds > 0 ? s->limit_seconds : 600,
                    .real_time = !s->normal},
        .nics = usual ? usual_nics : s->nics.values,
        .nic_count = usual ? sizeof usual_nics / sizeof *usual_nics : s->nics.count,
        .repetitions = s->repetitions > 0 ? s->repetitions : 3,
        .checked = !s->no_check};
    const int status = read_input(invocation, a, s->nodes > 0 ? s->nodes : 2,
                                  s->processors > 0 ? s->processors : 4, &input);
    if (status != EXIT_DONE)
        return status;
    if (input.workers > CLUMP_NODES_MOST)
        return error_usage(
            line->command,
            "found %u processors in all, expected at most %d: each has a node of the "
            "NOW",
            input.workers, (int)CLUMP_NODES_MOST);
    return run_emulated_show(invocation, &input, &how);
}

static int run(const command_invocation *invocation)
{
    const settings *s = invocation->settings;
    const command_line *line = &invocation->arguments;
    if (line->operand_count == 0)
        return list_programs(invocation);
    const clump_application *a = clump_application_find(line->operands[0]);
    if (a == NULL)
        return unknown_program(line, line->operands[0]);
    if (s->describe)
        return describe(invocation, a);
    clump_store *store = NULL;
    int status = check_settings(line, s);
    if (status == EXIT_DONE && s->emulate)
        return emulate(invocation, a);
    if (status == EXIT_DONE)
        status = s->name != NULL ? database_create(invocation, &store)
                                 : database_open(invocation, &store);
    if (status == EXIT_DONE)
        status = run_on(invocation, store, a);
    if (s->name != NULL)
        database_close(invocation, store, status);
    else
        clump_store_close(store);
    return status;
}

const command_entry command_run = {
    .name = "run",
    .operands = "[PROGRAM]",
    .summary = "Run a program of the documents, live or in virtual time",
    .text =
        "The programs that the documents measured, written once over a global address space,\n"
        "MPI or Orca: run by processes of this machine, or by processors in virtual time, where\n"
        "they really compute their result while clocks advance by modelled costs. Prints the time "
        "and its\n"
        "parts, and the messages of each class, beside what the document has for the same\n"
        "input; and compares the result with that of a sequential run. Without PROGRAM: which\n"
        "there are.",
    .examples = "clumpmodel run em3d --virtual e5000-smp\n"
                "clumpmodel run em3d --processors 4 --set steps=2\n"
                "clumpmodel run qr --virtual p3-myrinet --protocol l-hrx --nodes 16",
    .tables = tables,
    .settings_size = sizeof(settings),
    .most_operands = 1,
    .creates_database = true,
    .run = run,
};
