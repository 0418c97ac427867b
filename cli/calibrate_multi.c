/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "calibration/multi_calibration.h"
#include "cli/calibrate_run.h"
#include "cli/output/errors.h"
#include "cli/output/output.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PART_WORDS "polls|scans|loggp" /* CLUMP_MULTI_POLLS... */

typedef struct settings {
    clump_multi_question question;
    unsigned processes, runs;
    bool parts_given, no_bell, quick, full;
    const char *strategy, *platform;
    clump_polling_parameters parameters; /* of the strategy */
} settings;

/* ---- options */

static int read_parts(command_line *line, const option_entry *option, const char *text, void *field)
{
    settings *s = field;
    const char *wrong;
    (void)option;
    const int size = calibrate_read_words(text, PART_WORDS, s->question.parts, &wrong);
    s->parts_given = true;
    if (size < 0)
        return EXIT_DONE;
    return error_usage(line->command,
                       "--parts: found '%.*s', expected a list of polls, scans, loggp with commas",
                       size < 60 ? size : 60, wrong);
}

static int read_strategy(command_line *line, const option_entry *option, const char *text,
                         void *field)
{
    settings *s = field;
    (void)option;
    s->strategy = text;
    s->parameters = clump_polling_defaults();
    if (clump_polling_parse(text, &s->parameters) != CLUMP_PROTOCOL_OK)
        return error_usage(line->command,
                           "--strategy: found '%.80s', expected always, fractional:K with K from 1 "
                           "to 256, or adaptive:NAME=NUMBER,... with acceptance, a, d, k, s_min or "
                           "s_max",
                           text);
    const char *wrong = clump_polling_check(&s->parameters);
    return wrong == NULL ? EXIT_DONE
                         : error_usage(line->command, "--strategy: found '%.80s': %s", text, wrong);
}

static const option_entry entries[] = {
    {.name = "parts",
     .argument = "LIST",
     .help = "what to measure: polls, scans, loggp (default: all). The\n"
             "settings that scans recommend are measured by loggp, and\n"
             "predicted from polls",
     .type = OPTION_CUSTOM,
     .size = sizeof(settings),
     .read = read_parts},
    {.name = "processes",
     .argument = "NUMBER",
     .help = "number of processes that exchange messages in scans, 2 to\n"
             "64 (default: one for each processor)",
     .type = OPTION_WHOLE,
     OPTION_FIELD(settings, processes),
     .from = 2,
     .to = 64},
    {.name = "strategy",
     .argument = "TEXT",
     .help = "one more strategy to measure: always, fractional:K, or\n"
             "adaptive with settings: adaptive:s_max=1024,d=4096,a=65536",
     .type = OPTION_CUSTOM,
     .size = sizeof(settings),
     .read = read_strategy},
    {.name = "no-bell",
     .help = "look at the network by system calls only, as on machines\n"
             "where io_uring is not allowed",
     OPTION_FIELD(settings, no_bell)},
    {.name = "runs",
     .argument = "NUMBER",
     .help = "number of samples of each kind, 2 to 1000 (default 30; 8\n"
             "with --quick, 100 with --full)",
     .type = OPTION_WHOLE,
     OPTION_FIELD(settings, runs),
     .from = 2,
     .to = 1000},
    {.name = "quick",
     .help = "every second value, short runs: takes seconds, wide\n"
             "intervals",
     OPTION_FIELD(settings, quick)},
    {.name = "full", .help = "100 long runs: takes minutes", OPTION_FIELD(settings, full)},
    {.name = "platform",
     .argument = "NAME",
     .help = PLATFORM_HELP,
     .type = OPTION_CUSTOM,
     OPTION_FIELD(settings, platform),
     .read = calibrate_read_platform},
    {0},
};

static const option_table tables[] = {{entries, 0}, {0}};

/* The usual ones, and one more. */
static void add_strategies(settings *s)
{
    static const char *const usual[] = {"always", "fractional:64", "adaptive"};
    bool known = s->strategy == NULL;
    for (size_t i = 0; i < 3; i++) {
        clump_polling_parameters p = clump_polling_defaults();
        clump_polling_parse(usual[i], &p);
        clump_multi_add_strategy(&s->question, usual[i], &p);
        known |= memcmp(&p, &s->parameters, sizeof p) == 0;
    }
    if (!known)
        clump_multi_add_strategy(&s->question, s->strategy, &s->parameters);
}

/* ---- numbers one by one */

enum { TABLE, ROW, COLUMN, MEAN, HALF_WIDTH, STD_DEV, RUNS, UNIT, COLUMN_COUNT };

static const table_column columns[COLUMN_COUNT] = {
    [TABLE] = {.key = "table"},
    [ROW] = {.key = "row"},
    [COLUMN] = {.key = "column"},
    [MEAN] = {.key = "mean"},
    [HALF_WIDTH] = {.key = "half_width"},
    [STD_DEV] = {.key = "std_dev"},
    [RUNS] = {.key = "runs"},
    [UNIT] = {.key = "unit"},
};

static void set_number(const void *context, size_t index, size_t column, table_cell *cell)
{
    const clump_multi_number *n = (const clump_multi_number *)context + index;
    switch (column) {
    case TABLE:
        cell_text(cell, clump_multi_table_title(n->table));
        break;
    case ROW:
        cell_text(cell, n->row);
        break;
    case COLUMN:
        cell_text(cell, n->column);
        break;
    case MEAN:
        if (n->unit == CLUMP_MULTI_COUNT)
            cell_whole(cell, (int64_t)n->mean);
        else
            cell_real(cell, n->mean);
        break;
    case HALF_WIDTH:
        cell_real(cell, n->half_width);
        break;
    case STD_DEV:
        cell_real(cell, n->std_dev);
        break;
    case RUNS:
        if (n->runs > 0)
            cell_size(cell, n->runs);
        break;
    default:
        cell_text(cell, clump_multi_unit_name(n->unit));
        break;
    }
}

/* ---- as tables */

enum { MOST_COLUMNS = 16, MOST_ROWS = 64 };

typedef struct grid {
    const clump_multi_number *numbers;
    size_t count;
    const char *rows[MOST_ROWS], *columns[MOST_COLUMNS];
    size_t row_count, column_count;
} grid;

static size_t place(const char **names, size_t *count, size_t most, const char *name)
{
    size_t i = 0;
    while (i < *count && strcmp(names[i], name) != 0)
        i++;
    if (i == *count && i < most)
        names[(*count)++] = name;
    return i;
}

/* Decimals that give the greater of both three digits, and the smaller at least one. */
static int decimals(double mean, double half_width)
{
    const double greater = fmax(fabs(mean), half_width);
    int places = greater > 0 ? 2 - (int)floor(log10(greater)) : 0;
    while (half_width > 0 && places < 6 && half_width < 0.5 * pow(10, -places))
        places++;
    return places < 0 ? 0 : places > 6 ? 6 : places;
}

/* "7.02 ± 0.05" */
static void show_number(const clump_multi_number *n, table_cell *cell)
{
    const double half = isfinite(n->half_width) ? n->half_width : 0;
    const int places = decimals(n->mean, half);
    cell->kind = CELL_TEXT;
    cell->text = cell->buffer;
    if (n->unit == CLUMP_MULTI_ERROR)
        snprintf(cell->buffer, sizeof cell->buffer, "%+.1f%%", 100 * n->mean);
    else if (n->unit == CLUMP_MULTI_COUNT)
        snprintf(cell->buffer, sizeof cell->buffer, "%.0f", n->mean);
    else if (half > 0)
        snprintf(cell->buffer, sizeof cell->buffer, "%.*f %s %.*f", places, n->mean, plus_minus(),
                 places, half);
    else
        snprintf(cell->buffer, sizeof cell->buffer, "%.*f", places, n->mean);
}

static void set_cell(const void *context, size_t row, size_t column, table_cell *cell)
{
    const grid *g = context;
    if (column == 0) {
        cell_text(cell, g->rows[row]);
        return;
    }
    for (size_t i = 0; i < g->count; i++)
        if (strcmp(g->numbers[i].row, g->rows[row]) == 0 &&
            strcmp(g->numbers[i].column, g->columns[column - 1]) == 0)
            show_number(&g->numbers[i], cell);
}

static int print_table(const clump_multi_number *numbers, size_t count)
{
    grid g = {.numbers = numbers, .count = count};
    table_column heads[1 + MOST_COLUMNS] = {{.heading = "", .layout = COLUMN_LEFT}};
    for (size_t i = 0; i < count; i++) {
        place(g.rows, &g.row_count, MOST_ROWS, numbers[i].row);
        place(g.columns, &g.column_count, MOST_COLUMNS, numbers[i].column);
    }
    for (size_t i = 0; i < g.column_count; i++)
        heads[1 + i] = (table_column){.heading = g.columns[i]};
    const table_rows rows = {.columns = heads,
                             .column_count = 1 + g.column_count,
                             .row_count = g.row_count,
                             .cell = set_cell,
                             .context = &g};
    return table_print(&rows);
}

static int print_tables(const clump_multi_results *results)
{
    int status = EXIT_DONE;
    for (size_t first = 0, end; first < results->count && status == EXIT_DONE; first = end) {
        const clump_multi_number *n = &results->numbers[first];
        for (end = first + 1; end < results->count && results->numbers[end].table == n->table;)
            end++;
        printf("%s%s%s\n", first > 0 ? "\n" : "", clump_multi_table_title(n->table),
               n->unit == CLUMP_MULTI_US ? ", us" : "");
        status = print_table(n, end - first);
    }
    return status;
}

/* ---- */

static int show(const command_invocation *invocation, clump_calibration *c)
{
    const clump_multi_question *q = c->own;
    const bool tuned = clump_multi_is_tuned(q);
    char polling[CLUMP_POLLING_TEXT] = "";
    if (tuned)
        clump_polling_write(&q->tuned, polling);
    if (invocation->format == FORMAT_TABLE) {
        const int status = print_tables(&q->results);
        if (status == EXIT_DONE && tuned)
            printf("\nFor endpoints on this machine: .polling = \"%s\"\n", polling);
        if (status == EXIT_DONE)
            calibrate_tell_stored(c, "\n");
        return status;
    }
    const table_rows rows = {.key = "results",
                             .columns = columns,
                             .column_count = COLUMN_COUNT,
                             .row_count = q->results.count,
                             .cell = set_number,
                             .context = q->results.numbers};
    output_field fields[] = {{.key = "platform"},      {.key = "source"},
                             {.key = "machine"},       {.key = "samples"},
                             {.key = "doubtful_runs"}, {.key = "line_transfer_us"},
                             {.key = "recommended"}};
    cell_text(&fields[0].value, c->store.source.platform);
    cell_text(&fields[1].value, c->store.name);
    cell_text(&fields[2].value, c->host.facts);
    cell_size(&fields[3].value, c->samples.count);
    cell_size(&fields[4].value, c->speed.other);
    cell_real(&fields[5].value, c->speed.usual_us);
    cell_text(&fields[6].value, polling);
    return output_print(invocation->format, &rows, fields, sizeof fields / sizeof *fields);
}

static int run(const command_invocation *invocation)
{
    settings *s = invocation->settings;
    clump_multi_question *q = &s->question;
    const int status = calibrate_check_effort(&invocation->arguments, s->quick, s->full);
    if (status != EXIT_DONE)
        return status;
    for (unsigned i = 0; i < CLUMP_MULTI_PARTS && !s->parts_given; i++)
        q->parts[i] = true;
    q->few = s->quick;
    add_strategies(s);
    const unsigned usual = s->quick ? 8 : s->full ? 100 : 30;
    clump_calibration c = {
        .kind = &clump_calibration_multi,
        .own = q,
        .platform = s->platform,
        .plan = {.processes = s->processes > 0 ? s->processes : calibrate_processors(),
                 .runs = s->runs > 0 ? s->runs : usual,
                 .effort = s->full ? 4 : 1,
                 .no_bell = s->no_bell}};
    return calibrate(invocation, &c, show);
}

const command_entry command_calibrate_multi = {
    .name = "calibrate multi",
    .operands = "",
    .summary = "Measure what shared memory and the network cost each other, and tune the polling",
    .text =
        "An endpoint with two protocols looks at shared memory in each poll, and at the network,\n"
        "which is dear, in every s-th poll only. This command joins each pair of processes by\n"
        "shared memory and by UDP over loopback. It measures the cost of a poll (table 7.1 of\n"
        "S. S. Lumetta's thesis, 1998); four patterns of traffic and each protocol by itself\n"
        "while s_max, s_min, k and d vary (tables 7.2 to 7.5), and recommends settings; and LogGP\n"
        "of each protocol alone and beside the other (table 7.6), with the model's predictions.\n"
        "Every sample goes to the database of --db, or else to your own. ^C keeps the stages that\n"
        "are complete.",
    .examples =
        "clumpmodel calibrate multi\n"
        "clumpmodel calibrate multi --quick --parts polls,loggp\n"
        "clumpmodel calibrate multi --parts loggp --strategy adaptive:s_max=256 --db lab.db",
    .tables = tables,
    .settings_size = sizeof(settings),
    .creates_database = true,
    .run = run,
};
