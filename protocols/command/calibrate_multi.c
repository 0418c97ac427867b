/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/output/errors.h"
#include "cli/output/output.h"
#include "protocols/calibration/multi_calibration.h"
#include "protocols/command/calibrate_run.h"
#include "protocols/command/commands.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct settings {
    clump_multi_question question;
    unsigned runs;
    bool quick, full;
    const char *strategy, *platform;
    clump_polling_parameters parameters; /* of the strategy */
} settings;

/* ---- options */

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
     .values = "polls|scans|loggp", /* CLUMP_MULTI_POLLS... */
     OPTION_READ(calibrate_read_list, settings, question.parts)},
    {.name = "strategy",
     .argument = "TEXT",
     .help = "one more strategy to measure: always, fractional:K, or\n"
             "adaptive with settings: adaptive:s_max=1024,d=4096,a=65536",
     .type = OPTION_CUSTOM,
     .size = sizeof(settings),
     .read = read_strategy},
    {.name = "runs",
     .help = "number of samples of each kind, 2 to 1000 (default 30; 8\n"
             "with --quick, 100 with --full)",
     OPTION_OF(settings, runs),
     .from = 2,
     .to = 1000},
    {.name = "quick",
     .help = "every second value, short runs: takes seconds, wide\n"
             "intervals",
     OPTION_OF(settings, quick)},
    {.name = "full", .help = "100 long runs: takes minutes", OPTION_OF(settings, full)},
    PLATFORM_ENTRY(settings, PLATFORM_HELP),
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

static void make_table(const void *number, table_cell *cell)
{
    cell_text(cell, clump_multi_table_title(((const clump_multi_number *)number)->table));
}

static void make_mean(const void *number, table_cell *cell)
{
    const clump_multi_number *n = number;
    if (n->unit == CLUMP_MULTI_COUNT)
        cell_rounded(cell, n->mean);
    else
        cell_real(cell, n->mean);
}

static void make_unit(const void *number, table_cell *cell)
{
    cell_text(cell, clump_multi_unit_name(((const clump_multi_number *)number)->unit));
}

#define NUMBER(member) FIELD(clump_multi_number, member)

static const table_column columns[] = {
    {"table", NULL, .make = make_table},
    {"row", NULL, FIELD_ARRAY(clump_multi_number, row)},
    {"column", NULL, NUMBER(column)},
    {"mean", NULL, .make = make_mean},
    {"half_width", NULL, NUMBER(half_width)},
    {"std_dev", NULL, NUMBER(std_dev)},
    {"runs", NULL, NUMBER(runs), .positive = true},
    {"unit", NULL, .make = make_unit},
};

/* ---- as tables */

enum { MOST_COLUMNS = 16, MOST_ROWS = 64 };

/* A row of a table: the numbers of its columns, NULL where there is none. */
typedef struct grid_row {
    const char *name;
    const clump_multi_number *numbers[MOST_COLUMNS];
} grid_row;

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
static void make_number(const table_column *column, const void *row, table_cell *cell)
{
    const clump_multi_number *n = ((const grid_row *)row)->numbers[column->offset];
    if (n == NULL)
        return;
    const double half = isfinite(n->half_width) ? n->half_width : 0;
    const int places = decimals(n->mean, half);
    if (n->unit == CLUMP_MULTI_ERROR)
        cell_print(cell, "%+.1f%%", 100 * n->mean);
    else if (n->unit == CLUMP_MULTI_COUNT)
        cell_print(cell, "%.0f", n->mean);
    else if (half > 0)
        cell_print(cell, "%.*f %s %.*f", places, n->mean, plus_minus(), places, half);
    else
        cell_print(cell, "%.*f", places, n->mean);
}

static int print_table(const clump_multi_number *numbers, size_t count)
{
    grid_row list[MOST_ROWS] = {{.name = NULL}};
    table_column heads[1 + MOST_COLUMNS] = {{NULL, "", FIELD(grid_row, name)}};
    size_t row_count = 0, column_count = 0;
    for (size_t i = 0; i < count; i++) {
        const clump_multi_number *n = &numbers[i];
        size_t r = 0, c = 0;
        while (r < row_count && strcmp(list[r].name, n->row) != 0)
            r++;
        while (c < column_count && strcmp(heads[1 + c].heading, n->column) != 0)
            c++;
        if (r == MOST_ROWS || c == MOST_COLUMNS)
            continue;
        if (r == row_count)
            list[row_count++].name = n->row;
        if (c == column_count)
            heads[1 + column_count++] =
                (table_column){NULL, n->column, .offset = c, .make_with = make_number};
        list[r].numbers[c] = n;
    }
    const table_rows rows = {
        .columns = heads, .column_count = 1 + column_count, RECORDS(list, row_count)};
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
    const table_rows rows = {
        .key = "results", COLUMNS(columns), RECORDS(q->results.numbers, q->results.count)};
    const output_field fields[] = {field_text("platform", c->store.source.platform),
                                   field_text("source", c->store.name),
                                   field_text("machine", c->host.facts),
                                   field_size("samples", c->samples.count),
                                   field_size("doubtful_samples", c->speed.doubtful),
                                   field_size("doubtful_runs", c->speed.other),
                                   field_real("line_transfer_us", c->speed.usual_us),
                                   field_text("recommended", polling)};
    return output_print(invocation->format, &rows, fields, sizeof fields / sizeof *fields);
}

static int run(const command_invocation *invocation)
{
    settings *s = invocation->settings;
    clump_multi_question *q = &s->question;
    int status = calibrate_check_effort(&invocation->arguments, s->quick, s->full);
    if (status != EXIT_DONE)
        return status;
    for (unsigned i = 0; i < CLUMP_MULTI_PARTS && !option_is_given(&invocation->arguments, "parts");
         i++)
        q->parts[i] = true;
    q->few = s->quick;
    add_strategies(s);
    clump_calibration c = {
        .kind = &clump_calibration_multi,
        .own = q,
        .platform = s->platform,
        .plan = {.processes = calibrate_processors(),
                 .runs = s->runs > 0 ? s->runs : calibrate_choose(s->quick, s->full, 8, 100, 30),
                 .effort = s->full ? 4 : 1}};
    return calibrate(invocation, &c, show);
}

const command_entry command_calibrate_multi = {
    .name = "calibrate multi",
    .operands = "",
    .summary = "Measure what shared memory and the network cost each other, and tune the polling",
    .text =
        "An endpoint with two protocols looks at shared memory in each poll, and at the network,\n"
        "which is slower, in every s-th poll only. This command joins each pair of processes by\n"
        "shared memory and by UDP over loopback. It measures the cost of a poll (table 7.1 of\n"
        "S. S. Lumetta's thesis, 1998); four patterns of traffic and each protocol by itself\n"
        "while s_max, s_min, k and d vary (tables 7.2 to 7.5), and recommends settings; and LogGP\n"
        "of each protocol alone and beside the other (table 7.6), with the model's predictions.\n"
        "Every sample goes to the database of --db, or else to your own. ^C keeps the stages that\n"
        "are complete.",
    .examples = "clumpmodel calibrate multi\n"
                "clumpmodel calibrate multi --quick --parts polls,loggp\n"
                "clumpmodel calibrate multi --parts loggp --strategy adaptive:s_max=256",
    .tables = tables,
    .settings_size = sizeof(settings),
    .creates_database = true,
    .run = run,
};
