/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "calibration/virtual_measurements.h"
#include "calibration/virtual_store.h"
#include "cli/command.h"
#include "cli/database.h"
#include "cli/output/errors.h"
#include "protocols/reliability/translation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    HARDWARE,
    PROTOCOL,
    NODES,
    WINDOW,
    SIZE,
    ROUNDS,
    LOSS,
    SEED,
    PAGES,
    TRANSLATIONS,
    COMPUTE,
    OPTION_COUNT
};

static const option_entry options[OPTION_COUNT] = {
    [HARDWARE] = {.name = "hardware",
                  .argument = "PLATFORM",
                  .help = "hardware whose description is in the database:\n"
                          "ppro-myrinet, p3-myrinet, e5000-myrinet; for ssam\n"
                          "ss20-atm, ss1-atm",
                  .required = true},
    [PROTOCOL] = {.name = "protocol",
                  .argument = "NAME",
                  .help = "l-sdma, l-pio, l-rcpy, l-nirx, l-hrx, with -1k or -4k for\n"
                          "the MTU, -hmc, -binomial for multicasts; or ssam",
                  .required = true},
    [NODES] = {.name = "nodes",
               .argument = "NUMBER",
               .help = "nodes that share receive buffers and take part in\n"
                       "multicasts (default: those of the platform)"},
    [WINDOW] = {.name = "window",
                .argument = "NUMBER",
                .help = "packets without acknowledgement per peer\n"
                        "(default: what the buffers allow; 32 with ssam)"},
    [SIZE] = {.name = "size",
              .argument = "BYTES",
              .help = "size of short messages (default 16, as in the tables)"},
    [ROUNDS] = {.name = "rounds",
                .argument = "NUMBER",
                .help = "rounds for each measurement (default 200)"},
    [LOSS] = {.name = "loss",
              .argument = "PROBABILITY",
              .help = "probability that a packet is lost, at most 0.5 (default 0)"},
    [SEED] = {.name = "seed",
              .argument = "NUMBER",
              .help = "seed of the losses (default 1); the same seed gives the\n"
                      "same run"},
    [PAGES] = {.name = "pages",
               .argument = "NUMBER",
               .help = "l-rcpy: pages from which messages are copied in turn, and\n"
                       "as many to which they are copied (default 1: no\n"
                       "translation is missing)"},
    [TRANSLATIONS] = {.name = "translations",
                      .argument = "NUMBER",
                      .help = "l-rcpy: entries of the tables of host and NIC (default 1024)"},
    [COMPUTE] = {.name = "compute",
                 .argument = "US",
                 .help = "also measure requests to a host that computes for this\n"
                         "long between two polls, with and without the polling\n"
                         "watchdog"},
};

static int read_protocol(const command_line *a, virtual_request *r)
{
    const char *wrong = NULL;
    r->protocol_name = option_value(a, PROTOCOL);
    r->cells = strcmp(r->protocol_name, "ssam") == 0;
    if (r->cells || clump_lci_protocol_parse(r->protocol_name, &r->machine.protocol, &wrong) ==
                        CLUMP_PROTOCOL_OK)
        return EXIT_DONE;
    char words[CLUMP_LCI_WORDS_BYTES];
    clump_lci_protocol_words(words);
    return error_usage(a->command,
                       "--protocol: found '%.60s', expected ssam, or l- with at most one "
                       "each of %s; what is wrong begins at '%.30s'",
                       r->protocol_name, words, wrong);
}

/* What only some protocols have. */
static int read_extras(const command_line *a, virtual_request *r)
{
    static const number_range time = {
        .least = 1, .most = 1e6, .expected = "a time from 1 to 1000000 microseconds"};
    const bool copies = !r->cells && r->machine.protocol.transfer == CLUMP_TRANSFER_COPY;
    uint64_t pages = 0, translations = 0;
    if (!copies && (option_given(a, PAGES) || option_given(a, TRANSLATIONS)))
        return error_usage(a->command,
                           "found --pages or --translations with %.40s, expected "
                           "l-rcpy: only remote copy translates addresses",
                           r->protocol_name);
    if (r->cells && option_given(a, COMPUTE))
        return error_usage(a->command, "found --compute with ssam, expected a protocol "
                                       "whose NIC has a polling watchdog");
    int status = option_whole(a, PAGES, 1, 65536, "a whole number from 1 to 65536", &pages);
    if (status == EXIT_DONE)
        status = option_whole(a, TRANSLATIONS, 1, CLUMP_TRANSLATION_ENTRIES_MOST,
                              "a whole number from 1 to 1048576", &translations);
    if (status == EXIT_DONE)
        status = option_real(a, COMPUTE, &time, &r->compute_us);
    r->machine.copy_pages = (uint32_t)pages;
    r->machine.translations = (uint32_t)translations;
    return status;
}

static int read_options(const command_invocation *invocation, virtual_request *r)
{
    const command_line *a = &invocation->arguments;
    static const number_range probability = {
        .least = 0, .most = 0.5, .expected = "a probability from 0 to 0.5"};
    uint64_t nodes = 0, window = 0, size = 16, rounds = 200, seed = 1;
    r->command = a->command;
    r->hardware_name = option_value(a, HARDWARE);
    int status = read_protocol(a, r);
    if (status == EXIT_DONE)
        status = option_whole(a, NODES, 2, 1024, "a whole number from 2 to 1024", &nodes);
    const uint64_t widest = r->cells ? 128 : 4096;
    if (status == EXIT_DONE)
        status = option_whole(
            a, WINDOW, 1, widest,
            r->cells ? "a whole number from 1 to 128" : "a whole number from 1 to 4096", &window);
    if (status == EXIT_DONE)
        status = option_bytes(a, SIZE, 1, r->cells ? 40 : r->machine.protocol.mtu,
                              "a number of bytes, from 1 to the MTU (ssam: to 40)", &size);
    if (status == EXIT_DONE)
        status = option_whole(a, ROUNDS, 1, 100000, "a whole number from 1 to 100000", &rounds);
    if (status == EXIT_DONE)
        status = option_real(a, LOSS, &probability, &r->machine.faults.loss);
    if (status == EXIT_DONE)
        status = option_whole(a, SEED, 0, UINT64_MAX, "a whole number", &seed);
    if (status == EXIT_DONE && r->cells &&
        (option_given(a, LOSS) || option_given(a, NODES) || option_given(a, SIZE)))
        status = error_usage(
            a->command, "found --loss, --nodes or --size with ssam, which is measured between two "
                        "workstations on a fiber that loses nothing");
    if (status == EXIT_DONE)
        status = read_extras(a, r);
    r->machine.nodes = (uint16_t)nodes;
    r->machine.window = (uint16_t)window;
    r->machine.faults.seed = seed;
    r->size = (uint16_t)size;
    r->rounds = (uint32_t)rounds;
    return status;
}

/* Whether the description has what the protocol needs. */
static int check_hardware(virtual_request *r, const clump_virtual_hardware *h)
{
    const size_t known = r->cells ? h->cells_known : h->node_known,
                 needed = r->cells ? clump_cell_hardware_field_count : clump_hardware_field_count;
    if (known < needed)
        return error_input(r->command,
                           "hardware '%.80s': found %zu of the %zu costs that %.40s needs%s",
                           r->hardware_name, known, needed, r->protocol_name,
                           known == 0 && r->cells ? "; ssam runs on ss20-atm and ss1-atm"
                           : known == 0           ? "; only ssam runs on it"
                                                  : "; see 'clumpmodel data show'");
    if (r->machine.nodes == 0)
        r->machine.nodes = (uint16_t)(h->nodes < 2 ? 2 : h->nodes > 1024 ? 1024 : h->nodes);
    return EXIT_DONE;
}

enum { QUANTITY, BYTES, PROCESSES, VALUE, UNIT, PRINTED, ERROR, COLUMN_COUNT };

static const table_column columns[COLUMN_COUNT] = {
    [QUANTITY] = {"quantity", "Quantity", 0, 0, COLUMN_LEFT},
    [BYTES] = {"size_bytes", "Bytes", 0, 0, COLUMN_RIGHT},
    [PROCESSES] = {"nodes", "Nodes", 0, 0, COLUMN_RIGHT},
    [VALUE] = {"value", "Virtual", 0, 0, COLUMN_RIGHT},
    [UNIT] = {"unit", "Unit", 0, 0, COLUMN_LEFT},
    [PRINTED] = {"document", "Document", 0, 0, COLUMN_RIGHT},
    [ERROR] = {"error", "Error", NUMBER_SIGNED, 0, COLUMN_RIGHT},
};

typedef struct shown {
    const clump_virtual_rows *rows;
    const clump_virtual_hardware *hardware;
    const virtual_request *request;
} shown;

/* What the document has for the conditions of this row, and no other. */
static double printed(const shown *s, const clump_virtual_row *row)
{
    const virtual_request *r = s->request;
    const bool usual = r->cells ? r->machine.window == 0 || r->machine.window == 32
                                : r->machine.faults.loss == 0 && r->machine.copy_pages == 0 &&
                                      r->machine.translations == 0 && r->machine.window == 0 &&
                                      r->size == 16 && r->machine.nodes == s->hardware->nodes;
    if (!usual || (row->size_bytes >= 0 && row->size_bytes != 16))
        return NAN;
    if (strcmp(row->quantity, "crossover_size") == 0) {
        char both[60];
        snprintf(both, sizeof both, "l-pio to %.40s", r->protocol_name);
        return virtual_printed(s->hardware, both, row->quantity);
    }
    return virtual_printed(s->hardware, r->protocol_name, row->quantity);
}

static void set_cell(const void *context, size_t row, size_t column, table_cell *cell)
{
    const shown *s = context;
    const clump_virtual_row *r = &s->rows->rows[row];
    switch (column) {
    case QUANTITY:
        cell_text(cell, r->quantity);
        break;
    case BYTES:
        if (r->size_bytes >= 0)
            cell_whole(cell, r->size_bytes);
        break;
    case PROCESSES:
        cell_whole(cell, r->processes);
        break;
    case VALUE:
        cell_real(cell, r->value);
        break;
    case UNIT:
        cell_text(cell, r->unit);
        break;
    case PRINTED:
        cell_real(cell, printed(s, r));
        break;
    default:
        cell_real(cell, r->value / printed(s, r) - 1);
        break;
    }
}

static int print(const command_invocation *invocation, const shown *s, const char *source)
{
    const table_rows rows = {.key = "measurements",
                             .columns = columns,
                             .column_count = COLUMN_COUNT,
                             .row_count = s->rows->count,
                             .cell = set_cell,
                             .context = s};
    output_field fields[3] = {{.key = "hardware"}, {.key = "protocol"}, {.key = "source"}};
    cell_text(&fields[0].value, s->request->hardware_name);
    cell_text(&fields[1].value, s->request->protocol_name);
    cell_text(&fields[2].value, source);
    return output_print(invocation->format, &rows, fields, 3);
}

static int run(const command_invocation *invocation)
{
    virtual_request r = {0};
    clump_virtual_hardware hardware;
    clump_virtual_rows rows;
    progress_bar progress;
    clump_store *store = NULL;
    char source[VIRTUAL_SOURCE];
    int status = read_options(invocation, &r);
    if (status != EXIT_DONE)
        return status;
    status = database_create(invocation, &store);
    if (status == EXIT_DONE)
        status = virtual_hardware_read(r.command, store, r.hardware_name, &hardware);
    if (status == EXIT_DONE)
        status = check_hardware(&r, &hardware);
    if (status == EXIT_DONE) {
        progress_start(&progress, invocation->quiet);
        status = clump_virtual_measure(&r, &hardware, &progress, &rows);
        progress_clear(&progress);
    }
    if (status == EXIT_DONE)
        status = clump_virtual_store(&r, &rows, store, source);
    if (status == EXIT_DONE)
        status = print(invocation, &(shown){&rows, &hardware, &r}, source);
    clump_store_close(store);
    return status;
}

const command_entry command_calibrate_virtual = {
    .name = "calibrate virtual",
    .operands = "",
    .summary = "Run a communication protocol in virtual time on modelled hardware",
    .text = "Measures LogGP parameters (overheads o_s and o_r, latency L, "
            "gap g), end-to-end latency,\n"
            "fetch-and-add, throughput against size and multicasts, as the "
            "documents do, on a machine\n"
            "that exists only as a description of what its processors, buses "
            "and links cost. Where a\n"
            "document printed the same figure, it stands beside. The samples "
            "go to the database of\n"
            "--db, or else to your own.\n"
            "\n"
            "Costs that no document has were fitted to l-sdma and l-pio "
            "alone; docs/protocols.md says\n"
            "which of the other figures are missed, and why.",
    .examples = "clumpmodel calibrate virtual --hardware ppro-myrinet --protocol l-nirx\n"
                "clumpmodel calibrate virtual --hardware p3-myrinet --protocol l-rcpy --pages 768\n"
                "clumpmodel calibrate virtual --hardware ss20-atm --protocol ssam --format json",
    .options = options,
    .option_count = OPTION_COUNT,
    .creates_database = true,
    .run = run,
};
