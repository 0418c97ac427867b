/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reproductions/command/run_options.h"

#include "cli/output/errors.h"
#include "protocols/emulation/nodes.h"
#include "reproductions/command/run_emulated.h"
#include "reproductions/virtual/virtual_team.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

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

static const option_entry entries[] = {
    {.name = "virtual",
     .argument = "PLATFORM",
     .help = "in virtual time, on a machine whose LogGP parameters are\n"
             "in the database, such as e5000-clump (default: live, by\n"
             "processes of this machine)",
     .values = "@platforms",
     OPTION_OF(run_settings, platform)},
    {.name = "emulate",
     .help = "by processes of this machine on an emulated Clump for each\n"
             "number of NICs, and on its NOW: slowdowns, and what the\n"
             "model says from the NOW's traffic",
     OPTION_OF(run_settings, emulate)},
    {.name = "nodes",
     .help = "nodes; live, processes of different ones reach each other\n"
             "over UDP (default: those of the platform; live 1, with\n"
             "--emulate 2)",
     OPTION_OF(run_settings, nodes),
     .from = 1,
     .to = CLUMP_VIRTUAL_TEAM_MOST},
    {.name = "processors",
     .letter = 'P',
     .help = "processors of a node (default: those of the platform; live\n"
             "those of this machine, with --emulate 4)",
     OPTION_OF(run_settings, processors),
     .from = 1,
     .to = CLUMP_VIRTUAL_TEAM_MOST},
    {.name = "nics",
     .letter = 'N',
     .help = "NICs of a node: with --virtual one number (default: those\n"
             "of the platform), with --emulate one for each Clump\n"
             "(default 1,2,4)",
     OPTION_OF(run_settings, nics),
     .from = 1,
     .to = 1024,
     .expected = "whole numbers from 1 to 1024, such as 1,2,4"},
    {.name = "mapping",
     .argument = "pooled|static",
     .help = "whether a message takes the NIC that is free first, or\n"
             "each processor has its own (default: as the platform)",
     OPTION_AS(WORD, run_settings, mapping)},
    {.name = "set",
     .argument = "NAME=NUMBER",
     .help = "a size of the program's input; --describe lists them",
     .repeated = true,
     OPTION_OF(run_settings, sizes)},
    {.name = "seed",
     .help = "seed of the input (default {})",
     OPTION_OF(run_settings, seed),
     .preset = "1"},
    {.name = "operation",
     .argument = "US",
     .help = "with --virtual or --emulate: what an operation of the\n"
             "computation costs (default: see --describe)",
     OPTION_OF(run_settings, operation_us),
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
     OPTION_READ(run_protocol_read, run_settings, protocol)},
    {.name = "loss",
     .argument = "PROBABILITY",
     .help = "there: probability that a packet is lost, at most 0.5\n"
             "(default {})",
     OPTION_OF(run_settings, loss),
     .preset = "0",
     .most = 0.5,
     .expected = "a probability from 0 to 0.5"},
    {.name = "fit",
     .argument = "SECONDS|document",
     .help = "with --virtual: find what an operation must cost for the\n"
             "run to take this time, or that which the document has",
     .values = "document",
     OPTION_READ(read_fit, run_settings, fit_s)},
    {.name = "io-bus",
     .argument = "full-duplex|half-duplex",
     .help = "with --virtual: whether bytes cross the bus to a NIC in\n"
             "both directions at a time (default full-duplex)",
     OPTION_AS(CHOICE, run_settings, half_duplex)},
    {.name = "memory",
     .argument = "platform|RATE",
     .help = "with --virtual: cache misses have costs of their own, and\n"
             "processors of a node share its memory's bandwidth, as the\n"
             "platform has it or RATE bytes a microsecond",
     .values = "platform",
     OPTION_READ(read_memory, run_settings, memory)},
    {.name = "predict",
     .help = "with --virtual: beside it what the model says, from the\n"
             "messages that were counted and a run on a NOW of as many\n"
             "processors",
     OPTION_OF(run_settings, predict)},
    {.name = "name",
     .help = "with --virtual: store the run (with --predict also that on\n"
             "the NOW) as an application of the database, for scenarios",
     OPTION_OF(run_settings, name)},
    {.name = "layer",
     .help = "with --virtual: the layer whose LogGP parameters are taken,\n"
             "as the database has it: multi-protocol, single-protocol, on\n"
             "e5000-smp also queue algorithms such as anderson-lock\n"
             "(default: multi-protocol, or the only one)",
     OPTION_OF(run_settings, layer)},
    {.name = "polling",
     .argument = "STRATEGY",
     .help = "with --virtual: polls have costs, and the network is looked at\n"
             "by this strategy: adaptive, adaptive:s_min=8,s_max=32,k=4,\n"
             "d=256, always or fractional:K (default: part of overheads)",
     OPTION_READ(read_polling, run_settings, polling)},
    {.name = "rate",
     .argument = "MBIT",
     .help = "with --emulate: rate of a NIC in each direction, in megabits\n"
             "a second of the program's time (default 100)",
     OPTION_OF(run_settings, rate_mbit),
     .least = 1,
     .most = 100000,
     .expected = "megabits a second from 1 to 100000"},
    {.name = "dilation",
     .letter = 'D',
     .argument = "FACTOR",
     .help = "with --emulate: how many times slower time passes, 1 to\n"
             "100000 (default: 25 for each worker that a processor of\n"
             "this machine has to carry, at least 50)",
     OPTION_OF(run_settings, dilation),
     .least = 1,
     .most = 100000,
     .expected = "a number from 1 to 100000"},
    {.name = "repetitions",
     .letter = 'r',
     .help = "with --emulate: runs of each machine, 1 to 100 (default 3)",
     OPTION_OF(run_settings, repetitions),
     .from = 1,
     .to = 100},
    {.name = "time-limit",
     .argument = "SECONDS",
     .help = "with --emulate: real time that a run may take (default\n"
             "600)",
     OPTION_OF(run_settings, limit_seconds),
     .least = 1,
     .most = 1e6,
     .expected = "seconds from 1 to 1000000"},
    {.name = "jobs",
     .help = "with --virtual: so many copies of the program share the\n"
             "processors of one node",
     OPTION_OF(run_settings, jobs),
     .from = 1,
     .to = 64},
    {.name = "sequential",
     .help = "with --virtual: so many processes for each processor that\n"
             "only compute share them, too",
     OPTION_OF(run_settings, sequential),
     .from = 1,
     .to = 64},
    {.name = "yield",
     .argument = "US",
     .help = "with --virtual: a process that waits gives its processor up\n"
             "after so long, also if nobody else wants it (default: with\n"
             "--jobs or --sequential 255, else never)",
     OPTION_OF(run_settings, yield_us),
     .least = 0,
     .above = true,
     .most = 1e6,
     .expected = "a time above 0, at most 1000000 microseconds"},
    {.name = "slice",
     .argument = "MS",
     .help = "with --jobs, --sequential or --yield: how long a process\n"
             "keeps its processor while others want it (default 100)",
     OPTION_OF(run_settings, slice_ms),
     .least = 0.1,
     .most = 1e5,
     .expected = "a time from 0.1 to 100000 milliseconds"},
    {.name = "queue",
     .argument = "LENGTH",
     .help = "with --virtual: requests of its node that a processor may\n"
             "have and not have taken; whoever sends more waits (default:\n"
             "no end)",
     OPTION_OF(run_settings, queue),
     .from = 1,
     .to = 1000000},
    {.name = "no-check",
     .help = "do not compare the result with that of a sequential run",
     OPTION_OF(run_settings, no_check)},
    {.name = "describe",
     .help = "what the program does, and the sizes of its input",
     OPTION_OF(run_settings, describe)},
    {0},
};

const option_table run_option_tables[] = {{entries, 0}, {0}};

bool run_settings_share(const run_settings *s)
{
    return s->jobs > 0 || s->sequential > 0 || s->yield_us > 0;
}

/* ---- which of them go together */

enum { MOST_NAMES = 18 };

#define OF_SHARING "jobs", "sequential", "yield"
#define OF_VIRTUAL                                                                                 \
    "mapping", "fit", "io-bus", "protocol", "loss", "predict", "name", "polling", "layer",         \
        "memory", "queue", OF_SHARING
#define OF_EMULATION "rate", "dilation", "repetitions", "time-limit"

/* Names of options up to a NULL. */
typedef const char *names[MOST_NAMES];

typedef struct rule {
    names these, those;
    const char *why;
} rule;

/* None of these beside any of those. */
static const rule apart[] = {
    {{"emulate"},
     {"virtual", OF_VIRTUAL},
     "an emulated Clump is made of processes, and its NICs are pooled"},
    {{OF_SHARING},
     {"polling", "predict", "name"},
     "the model knows of processes that have their processors"},
    {{"memory"},
     {OF_SHARING, "predict", "name"},
     "processes that share processors load their caches again by a rule of their own, and so does "
     "the model"},
    {{"layer"},
     {"polling", "name"},
     "what polls cost, and what the model takes for stored runs, is that of the multi-protocol "
     "layer"},
    {{"queue"}, {"polling"}, "who waits for room handles what comes, whatever the strategy"},
    {{"operation"}, {"fit"}, "the second finds what the first says"},
};

/* These only with one of those. */
static const rule together[] = {
    {{OF_EMULATION}, {"emulate"}, "only an emulated Clump has them"},
    {{OF_VIRTUAL},
     {"virtual"},
     "live, NICs and computation are what this machine has, and no platform of the database"},
    {{"nics", "operation"},
     {"virtual", "emulate"},
     "live, NICs and computation are what this machine has"},
    {{"slice"}, {OF_SHARING}, "else nobody shares a processor"},
};

/* What has no meaning where an LCI protocol carries packets. */
static const names of_loggp = {"layer", "memory", "queue", "polling", OF_SHARING};
static const names of_clumps = {"nics", "mapping", "io-bus"};

static const char *first_given(const command_line *line, const names list)
{
    for (size_t i = 0; list[i] != NULL; i++)
        if (option_is_given(line, list[i]))
            return list[i];
    return NULL;
}

/* "--jobs, --sequential or --yield" */
static void write_names(const names list, char text[80])
{
    size_t used = 0;
    for (size_t i = 0; list[i] != NULL; i++)
        used += (size_t)snprintf(text + used, 80 - used, "%s--%s",
                                 i == 0                ? ""
                                 : list[i + 1] != NULL ? ", "
                                                       : " or ",
                                 list[i]);
}

static int check_rules(const command_line *line)
{
    char needed[80];
    for (size_t i = 0; i < sizeof apart / sizeof *apart; i++) {
        const char *one = first_given(line, apart[i].these);
        const char *other = one != NULL ? first_given(line, apart[i].those) : NULL;
        if (other != NULL)
            return error_usage(line->command,
                               "--%s: found --%s beside it, expected one of them: %s", one, other,
                               apart[i].why);
    }
    for (size_t i = 0; i < sizeof together / sizeof *together; i++) {
        const char *one = first_given(line, together[i].these);
        if (one == NULL || first_given(line, together[i].those) != NULL)
            continue;
        write_names(together[i].those, needed);
        return error_usage(line->command, "--%s: found without %s, expected with %s: %s", one,
                           needed, together[i].those[1] != NULL ? "one of them" : "it",
                           together[i].why);
    }
    return EXIT_DONE;
}

static int check_nics(const command_line *line, const run_settings *s)
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

int run_settings_check(const command_line *line, const run_settings *s)
{
    const int status = check_rules(line);
    return status == EXIT_DONE ? check_nics(line, s) : status;
}

int run_settings_check_packets(const command_line *line, const run_settings *s)
{
    const char *given = first_given(line, of_clumps);
    if (given != NULL)
        return error_usage(line->command,
                           "--%s: found with %.80s, expected none: its nodes have one processor, "
                           "one NIC, and a bus that is part of its hardware",
                           given, s->platform);
    given = first_given(line, of_loggp);
    if (given != NULL)
        return error_usage(line->command,
                           "--%s: found with a run whose packets an LCI protocol carries, expected "
                           "one whose messages cost what LogGP says",
                           given);
    return EXIT_DONE;
}
