/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/companions.h"
#include "cli/output/errors.h"
#include "protocols/command/calibrate_run.h"
#include "reproductions/command/run_commands.h"
#include "reproductions/measure/virtual_calibration.h"
#include "reproductions/virtual/translation.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* What was measured, and what a document printed. */
typedef struct virtual_line {
    const char *quantity, *unit;
    int64_t size_bytes; /* -1: of no size */
    int64_t nodes;
    double value, printed, error; /* the last two NAN: printed nowhere */
} virtual_line;

typedef struct settings {
    clump_virtual_question question;
    uint32_t size; /* before it is known how large it may be */
} settings;

static int read_protocol(command_line *line, const option_entry *option, const char *text,
                         void *field)
{
    clump_virtual_question *q = field;
    const char *wrong = NULL;
    char words[CLUMP_LCI_WORDS_BYTES];
    (void)option;
    clump_lci_protocol_words(words);
    q->protocol = text;
    q->calls = strcmp(text, "system-call") == 0;
    q->cells = q->calls || strcmp(text, "ssam") == 0;
    if (q->cells ||
        clump_lci_protocol_parse(text, &q->cluster.protocol, &wrong) == CLUMP_PROTOCOL_OK)
        return EXIT_DONE;
    return error_usage(line->command,
                       "--protocol: found '%.60s', expected ssam, system-call, or l- with at most "
                       "one each of %s; what is wrong begins at '%.30s'",
                       text, words, wrong);
}

#define SIZES "a number of bytes, from 1 to the MTU (ssam: to 40)"

static const option_entry entries[] = {
    {.name = "hardware",
     .argument = "PLATFORM",
     .help = "hardware whose description is in the database:\n"
             "ppro-myrinet, p3-myrinet, e5000-myrinet; for ssam\n"
             "ss20-atm, ss1-atm",
     .required = true,
     OPTION_OF(settings, question.hardware)},
    {.name = "protocol",
     .argument = "NAME",
     .help = "l-sdma, l-pio, l-rcpy, l-nirx, l-hrx, with -1k or -4k for\n"
             "the MTU, -hmc, -binomial for multicasts; ssam, or\n"
             "system-call, which is ssam through read and write",
     .required = true,
     OPTION_READ(read_protocol, settings, question)},
    {.name = "nodes",
     .help = "nodes that share receive buffers and take part in\n"
             "multicasts (default: those of the platform)",
     OPTION_OF(settings, question.cluster.nodes),
     .from = 2,
     .to = 1024},
    {.name = "window",
     .help = "packets without acknowledgement per peer\n"
             "(default: what the buffers allow; 32 with ssam)",
     OPTION_OF(settings, question.cluster.window),
     .from = 1,
     .to = 4096},
    {.name = "size",
     .help = "size of short messages (default {}, as in the tables)",
     OPTION_AS(BYTES, settings, size),
     .preset = "16",
     .from = 1,
     .to = UINT16_MAX,
     .expected = SIZES},
    {.name = "rounds",
     .help = "rounds for each measurement (default {})",
     OPTION_OF(settings, question.rounds),
     .preset = "200",
     .from = 1,
     .to = 100000},
    {.name = "loss",
     .argument = "PROBABILITY",
     .help = "probability that a packet is lost, at most 0.5 (default {})",
     OPTION_OF(settings, question.cluster.faults.loss),
     .preset = "0",
     .most = 0.5,
     .expected = "a probability from 0 to 0.5"},
    {.name = "seed",
     .help = "seed of the losses (default {}); the same seed gives the\n"
             "same run",
     OPTION_OF(settings, question.cluster.faults.seed),
     .preset = "1"},
    {.name = "pages",
     .help = "l-rcpy: pages from which messages are copied in turn, and\n"
             "as many to which they are copied (default 1: no\n"
             "translation is missing)",
     OPTION_OF(settings, question.cluster.copy_pages),
     .from = 1,
     .to = 65536},
    {.name = "translations",
     .help = "l-rcpy: entries of the tables of host and NIC (default 1024)",
     OPTION_OF(settings, question.cluster.translations),
     .from = 1,
     .to = CLUMP_TRANSLATION_ENTRIES_MOST},
    {.name = "compute",
     .argument = "US",
     .help = "also measure requests to a host that computes for this\n"
             "long between two polls, with and without the polling\n"
             "watchdog",
     OPTION_OF(settings, question.compute_us),
     .least = 1,
     .most = 1e6,
     .expected = "a time from 1 to 1000000 microseconds"},
    {0},
};

static const option_table tables[] = {{entries, 0}, {0}};

/* What only some protocols have. */
static int check_settings(const command_line *line, settings *s)
{
    clump_virtual_question *q = &s->question;
    const bool copies = !q->cells && q->cluster.protocol.transfer == CLUMP_TRANSFER_COPY;
    if (q->cells && q->cluster.window > 128)
        return option_wrong(line, "window", option_text(line, "window"),
                            "a whole number from 1 to 128");
    if (s->size > (q->cells ? 40u : q->cluster.protocol.mtu))
        return option_wrong(line, "size", option_text(line, "size"), SIZES);
    q->size = (uint16_t)s->size;
    if (q->cells && (option_is_given(line, "loss") || option_is_given(line, "nodes") ||
                     option_is_given(line, "size")))
        return error_usage(line->command,
                           "found --loss, --nodes or --size with ssam, which is measured between "
                           "two workstations on a fiber that loses nothing");
    if (!copies && (q->cluster.copy_pages > 0 || q->cluster.translations > 0))
        return error_usage(line->command,
                           "found --pages or --translations with %.40s, expected "
                           "l-rcpy: only remote copy translates addresses",
                           q->protocol);
    if (q->cells && q->compute_us > 0)
        return error_usage(line->command, "found --compute with ssam, expected a protocol "
                                          "whose NIC has a polling watchdog");
    return EXIT_DONE;
}

/* ---- the answer */

static virtual_line line_of(const clump_virtual_question *q, const clump_calibration_sample *s)
{
    const double printed = clump_virtual_find_printed(q, s);
    return (virtual_line){.quantity = clump_quantity_name(s->quantity),
                          .unit = clump_quantity_unit(s->quantity),
                          .size_bytes = s->size_bytes,
                          .nodes = s->processes,
                          .value = s->value,
                          .printed = printed,
                          .error = s->value / printed - 1};
}

static bool has_size(const void *record)
{
    return ((const virtual_line *)record)->size_bytes >= 0;
}

static const table_column columns[] = {
    {"quantity", "Quantity", FIELD(virtual_line, quantity)},
    {"size_bytes", "Bytes", FIELD(virtual_line, size_bytes), .applies = has_size},
    {"nodes", "Nodes", FIELD(virtual_line, nodes)},
    {"value", "Virtual", FIELD(virtual_line, value)},
    {"unit", "Unit", FIELD(virtual_line, unit)},
    {"document", "Document", FIELD(virtual_line, printed)},
    {"error", "Error", NUMBER_SIGNED, FIELD(virtual_line, error)},
};

static int show(const command_invocation *invocation, clump_calibration *c)
{
    const clump_virtual_question *q = c->own;
    const size_t count = c->samples.count;
    virtual_line *lines = malloc((count + 1) * sizeof *lines);
    if (lines == NULL)
        return error_memory(invocation->arguments.command);
    for (size_t i = 0; i < count; i++)
        lines[i] = line_of(q, &c->samples.items[i]);
    const table_rows rows = {.key = "measurements", COLUMNS(columns), RECORDS(lines, count)};
    const output_field fields[] = {field_text("hardware", q->hardware),
                                   field_text("protocol", q->protocol),
                                   field_text("source", c->store.name)};
    const int status =
        output_print(invocation->format, &rows, fields, sizeof fields / sizeof *fields);
    free(lines);
    return status;
}

static int run(const command_invocation *invocation)
{
    settings *s = invocation->settings;
    int status = check_settings(&invocation->arguments, s);
    if (status != EXIT_DONE)
        return status;
    clump_calibration c = {.kind = &clump_calibration_virtual, .own = &s->question};
    return calibrate(invocation, &c, show);
}

const command_entry command_calibrate_virtual = {
    .name = "calibrate virtual",
    .operands = "",
    .summary = CALIBRATE_VIRTUAL_SUMMARY,
    .text =
        "Measures LogGP parameters (overheads o_s and o_r, latency L, gap g), end-to-end latency,\n"
        "fetch-and-add, throughput against size and multicasts, as the documents do, on a machine\n"
        "that exists only as a description of what its processors, buses and links cost. Where a\n"
        "document printed the same figure, it stands beside. The samples go to the database of\n"
        "--db, or else to your own.\n"
        "\n"
        "Costs that no document has were fitted to l-sdma and l-pio alone; docs/protocols.md says\n"
        "which of the other figures are missed, and why.",
    .examples = "clumpmodel calibrate virtual --hardware ppro-myrinet --protocol l-nirx\n"
                "clumpmodel calibrate virtual --hardware p3-myrinet --protocol l-rcpy\n"
                "clumpmodel calibrate virtual --hardware ss20-atm --protocol ssam --format json",
    .tables = tables,
    .settings_size = sizeof(settings),
    .creates_database = true,
    .run = run,
};
