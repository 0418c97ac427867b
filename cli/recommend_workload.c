/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/recommend_workload.h"

#include "cli/output/errors.h"
#include "cli/output/file_output.h"
#include "cli/output/output.h"
#include "cli/output/paragraph.h"
#include "cli/pictures/page.h"
#include "clumpmodel.h"
#include "data/arena.h"
#include "data/csv.h"
#include "data/file.h"
#include "data/number.h"
#include "exploring/workload.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t most_bytes = (size_t)16 << 20;
enum { MOST_PROGRAMS = 10000 };

/** A program with one number of NICs, for tables. */
typedef struct program_row {
    const char *name, *source;
    double weight, communicating;
    size_t nics;
    clump_share_change change;
} program_row;

typedef struct workload {
    const char *command, *path;
    const recommend_share *asked;
    const clump_node *node;
    clump_arena *arena;
    clump_workload_program *programs;
    size_t count;
    size_t *nics, nic_count;
    clump_workload_row *rows;
    program_row *details;
} workload;

/* ---- the file */

enum { PROGRAM, HOURS, SHARE, WAITING, BUSY, BYTES, SOURCE, COLUMNS_KNOWN };
static const clump_csv_name names[] = {{"program", PROGRAM}, {"share", HOURS},
                                       {"mpi_share", SHARE}, {"waiting", WAITING},
                                       {"nic_busy", BUSY},   {"bytes_per_second", BYTES},
                                       {"source", SOURCE},   {NULL, 0}};

static int refuse(const workload *w, const clump_csv *csv, const char *column, const char *found,
                  const char *expected)
{
    return error_input(w->command, "%s:%zu: %s: found '%.60s', expected %s", w->path, csv->line,
                       column, found != NULL ? found : "", expected);
}

static int read_names(const workload *w, const clump_csv *csv, int column[COLUMNS_KNOWN])
{
    size_t next = 0;
    for (size_t i = 0; i < COLUMNS_KNOWN; i++)
        column[i] = -1;
    if (clump_csv_name_columns(csv, names, column, &next) != CLUMP_CSV_NAMED)
        return error_input(w->command,
                           "%s:%zu: found a column '%.60s', expected each of program, share, "
                           "mpi_share, waiting, nic_busy, bytes_per_second and source once at most",
                           w->path, csv->line, next > 0 ? csv->field[next - 1].text : "");
    for (size_t i = PROGRAM; i <= SHARE; i++)
        if (column[i] < 0)
            return error_input(w->command,
                               "%s:%zu: found no column '%s', expected program, share and "
                               "mpi_share at least",
                               w->path, csv->line, names[i].name);
    return EXIT_DONE;
}

/* A share as "35%" or 0.35, or another number; `absent` where nothing stands. */
static int read_value(const workload *w, const clump_csv *csv, int column, int place, double most,
                      double absent, double *value)
{
    const char *text = clump_csv_value(csv, column);
    *value = absent;
    if (text == NULL)
        return EXIT_DONE;
    if (!clump_number_read_share(text, strlen(text), value) || !(*value >= 0 && *value <= most))
        return refuse(w, csv, names[place].name, text,
                      most > 1 ? "a number from 0 to 1e15"
                               : "a share from 0 to 1, such as 0.35 or 35%");
    return EXIT_DONE;
}

static const char *copy(clump_arena *arena, const char *text)
{
    char *kept = clump_arena_take(arena, strlen(text != NULL ? text : "") + 1);
    return kept != NULL ? strcpy(kept, text != NULL ? text : "") : NULL;
}

static int read_program(workload *w, const clump_csv *csv, const int column[COLUMNS_KNOWN])
{
    double hours, share, waiting, busy, bytes;
    const double line_rate = (double)w->asked->measured_nics * w->asked->nic_speed * 1e6;
    int status = read_value(w, csv, column[HOURS], HOURS, 1e15, NAN, &hours);
    if (status == EXIT_DONE)
        status = read_value(w, csv, column[SHARE], SHARE, 1, NAN, &share);
    if (status == EXIT_DONE)
        status = read_value(w, csv, column[WAITING], WAITING, 1, 0, &waiting);
    if (status == EXIT_DONE)
        status = read_value(w, csv, column[BUSY], BUSY, 1, NAN, &busy);
    if (status == EXIT_DONE)
        status = read_value(w, csv, column[BYTES], BYTES, 1e15, NAN, &bytes);
    if (status != EXIT_DONE)
        return status;
    if (!(hours > 0))
        return refuse(w, csv, "share", clump_csv_value(csv, column[HOURS]),
                      "the program's share of the node hours, above 0");
    if (!(share < 1) || !(waiting <= share))
        return refuse(w, csv, "mpi_share", clump_csv_value(csv, column[SHARE]),
                      "a share below 1, and not below that of waiting");
    if (busy <= 0) /* as --nic-busy */
        return refuse(w, csv, "nic_busy", clump_csv_value(csv, column[BUSY]),
                      "a share above 0, or nothing where it is not known");
    if (busy > 0 && bytes > 0)
        return refuse(w, csv, "bytes_per_second", clump_csv_value(csv, column[BYTES]),
                      "nothing beside nic_busy, or in place of it");
    if (bytes > 0 && !(line_rate > 0))
        return error_usage(w->command, "--nic-speed is missing, expected it beside a column "
                                       "bytes_per_second");
    if (bytes > line_rate)
        return refuse(w, csv, "bytes_per_second", clump_csv_value(csv, column[BYTES]),
                      "no more than the NICs that were measured carry");
    clump_workload_program *more = clump_arena_more(w->arena, w->programs, w->count, sizeof *more);
    if (more == NULL)
        return error_memory(w->command);
    w->programs = more;
    more[w->count] =
        (clump_workload_program){.name = copy(w->arena, clump_csv_value(csv, column[PROGRAM])),
                                 .source = copy(w->arena, clump_csv_value(csv, column[SOURCE])),
                                 .hours = hours,
                                 .share = {.node = *w->node,
                                           .communicating = share - waiting,
                                           .busy = busy > 0    ? busy
                                                   : bytes > 0 ? bytes / line_rate
                                                               : NAN}};
    more[w->count].share.node.nics = w->asked->measured_nics;
    if (more[w->count].name == NULL || more[w->count].source == NULL)
        return error_memory(w->command);
    w->count++;
    return EXIT_DONE;
}

static int read_records(workload *w, clump_csv *csv)
{
    int column[COLUMNS_KNOWN], status = EXIT_DONE;
    clump_csv_status read = clump_csv_next(csv);
    if (read == CLUMP_CSV_ROW)
        status = read_names(w, csv, column);
    while (read == CLUMP_CSV_ROW && status == EXIT_DONE)
        if ((read = clump_csv_next(csv)) == CLUMP_CSV_ROW)
            status = w->count == MOST_PROGRAMS
                         ? error_input(w->command, "%s:%zu: found more than %d programs", w->path,
                                       csv->line, (int)MOST_PROGRAMS)
                         : read_program(w, csv, column);
    if (status == EXIT_DONE && read == CLUMP_CSV_BAD)
        return error_input(w->command, "%s:%zu: %s", w->path, csv->line, csv->message);
    if (status == EXIT_DONE && w->count == 0)
        return error_input(
            w->command, "%s: found no program, expected a line of names and one for each", w->path);
    return status;
}

static int read_file(workload *w)
{
    char *bytes, words[CLUMP_FILE_WORDS];
    size_t size;
    const clump_file_status read = clump_file_read(w->path, most_bytes, &bytes, &size);
    if (read == CLUMP_FILE_NO_MEMORY)
        return error_memory(w->command);
    if (read != CLUMP_FILE_OK)
        return error_input(w->command, "--workload: %s: %s", w->path,
                           clump_file_words(read, most_bytes, "a CSV file", words));
    clump_csv *csv = malloc(sizeof *csv);
    int status = csv == NULL ? error_memory(w->command) : EXIT_DONE;
    if (csv != NULL) {
        clump_csv_start(csv, bytes, size, true);
        status = read_records(w, csv);
    }
    free(csv);
    free(bytes);
    return status;
}

/* ---- the answer */

static int compute(workload *w)
{
    clump_error error = {CLUMP_OK, ""};
    const double prices[] = {w->asked->priced ? w->asked->node_price : NAN,
                             w->asked->priced ? w->asked->nic_price : NAN};
    w->nics = clump_arena_take(w->arena, (w->asked->nic_counts + 4) * sizeof *w->nics);
    if (w->nics == NULL)
        return error_memory(w->command);
    w->nic_count = recommend_share_nics(w->asked, w->nics);
    w->rows = calloc(w->nic_count, sizeof *w->rows);
    w->details = calloc(w->nic_count * w->count, sizeof *w->details);
    clump_share_change *changes = calloc(w->nic_count * w->count, sizeof *changes);
    if (w->rows == NULL || w->details == NULL || changes == NULL) {
        free(changes);
        return error_memory(w->command);
    }
    const clump_status status = clump_workload_compute(w->programs, w->count, w->nics, w->nic_count,
                                                       prices, w->rows, changes, &error);
    double hours = 0;
    for (size_t p = 0; p < w->count; p++)
        hours += w->programs[p].hours;
    for (size_t i = 0; i < w->nic_count * w->count; i++) {
        const clump_workload_program *p = &w->programs[i / w->nic_count];
        w->details[i] = (program_row){p->name,
                                      p->source,
                                      p->hours / hours,
                                      p->share.communicating,
                                      w->nics[i % w->nic_count],
                                      changes[i]};
    }
    free(changes);
    return status == CLUMP_OK             ? EXIT_DONE
           : status == CLUMP_BAD_ARGUMENT ? error_usage(w->command, "%s", error.message)
                                          : error_failed(w->command, "%s", error.message);
}

#define ROW(member) FIELD(clump_workload_row, member)
#define DETAIL(member) FIELD(program_row, member)

/* "0.776 to 0.845", of two numbers that follow each other in the record. */
static void make_span(const table_column *column, const void *record, table_cell *cell)
{
    double ends[2];
    memcpy(ends, (const char *)record + column->offset, sizeof ends);
    const bool same = !(ends[1] > ends[0]);
    if (column->notation == NUMBER_EXACT)
        cell_print(cell, same ? "%.*f" : "%.*f to %.*f", recommend_price_digits(ends[0]), ends[0],
                   recommend_price_digits(ends[1]), ends[1]);
    else
        cell_print(cell, same ? "%.3f" : "%.3f to %.3f", ends[0], ends[1]);
}

static void make_price(const void *record, table_cell *cell)
{
    const double price = ((const clump_workload_row *)record)->price;
    cell_print(cell, "%.*f", recommend_price_digits(price), price);
}

#define SPAN(record, first)                                                                        \
    .offset = offsetof(record, first), .make_with = make_span, .layout = COLUMN_RIGHT

static const table_column columns[] = {
    {"nics", "NICs", ROW(nics)},
    {NULL, "Time", SPAN(clump_workload_row, least)},
    {NULL, "90%", SPAN(clump_workload_row, low)},
    {"time_least", NULL, ROW(least)},
    {"time_most", NULL, ROW(most)},
    {"interval_low", NULL, ROW(low)},
    {"interval_high", NULL, ROW(high)},
    {NULL, "Node price", .make = make_price, .layout = COLUMN_RIGHT},
    {NULL, "Cost of the work", NUMBER_EXACT, SPAN(clump_workload_row, cost_least)},
    {NULL, "90%", NUMBER_EXACT, SPAN(clump_workload_row, cost_low)},
    {"node_price", NULL, ROW(price)},
    {"cost_least", NULL, ROW(cost_least)},
    {"cost_most", NULL, ROW(cost_most)},
    {"cost_low", NULL, ROW(cost_low)},
    {"cost_high", NULL, ROW(cost_high)},
    {"best", "Best", ROW(best)},
};
enum { WITHOUT_PRICES = 7 };

static const table_column detail_columns[] = {
    {"program", "Program", DETAIL(name)},
    {"share", "Node hours", NUMBER_PERCENT, DETAIL(weight)},
    {"communicating", "Communicates", NUMBER_PERCENT, DETAIL(communicating)},
    {"nics", "NICs", DETAIL(nics)},
    {NULL, "Time", SPAN(program_row, change.least)},
    {NULL, "90%", SPAN(program_row, change.low)},
    {"correlated", NULL, DETAIL(change.correlated)},
    {"independent", NULL, DETAIL(change.independent)},
    {"fitted", NULL, DETAIL(change.fitted)},
    {"interval_low", NULL, DETAIL(change.low)},
    {"interval_high", NULL, DETAIL(change.high)},
    {"source", "Source", DETAIL(source)},
};

static table_rows rows_of(const workload *w)
{
    table_rows rows = {.key = "results", COLUMNS(columns), RECORDS(w->rows, w->nic_count)};
    if (!w->asked->priced)
        rows.column_count = WITHOUT_PRICES;
    return rows;
}

static table_rows details_of(const workload *w)
{
    return (table_rows){
        .key = "programs", COLUMNS(detail_columns), RECORDS(w->details, w->nic_count * w->count)};
}

/* "0.83 to 0.9", or "0.9" where both ends are the same to so many digits. */
static const char *span(char text[100], bool of_prices, double least, double most)
{
    char ends[2][40];
    for (size_t i = 0; i < 2; i++) {
        const double end = i == 0 ? least : most;
        if (of_prices)
            snprintf(ends[i], sizeof ends[i], "%.*f", recommend_price_digits(end), end);
        else
            snprintf(ends[i], sizeof ends[i], "%.3g", end);
    }
    const bool same = strcmp(ends[0], ends[1]) == 0;
    snprintf(text, 100, "%s%s%s", ends[0], same ? "" : " to ", same ? "" : ends[1]);
    return text;
}

/* The number of NICs whose work costs least at the dear end; without prices nobody knows. */
static void verdict(const workload *w, char *text, size_t size)
{
    const clump_workload_row *cheapest = &w->rows[0], *r;
    char times[100], costs[100], interval[100];
    for (size_t n = 1; n < w->nic_count; n++)
        if (w->rows[n].cost_most < cheapest->cost_most)
            cheapest = &w->rows[n];
    r = cheapest;
    if (!w->asked->priced) {
        r = w->rows[0].nics != w->asked->measured_nics || w->nic_count == 1 ? r : &w->rows[1];
        snprintf(text, size,
                 "With %zu NIC%s in place of %zu the same work takes %s times as long (90%%: "
                 "%.2f to %.2f). Prices (--node-price, --nic-price) would say what is worth it.",
                 r->nics, r->nics == 1 ? "" : "s", w->asked->measured_nics,
                 span(times, false, r->least, r->most), r->low, r->high);
        return;
    }
    snprintf(text, size,
             "The work is done cheapest with %zu NIC%s a node: %s for what a node as measured "
             "does (90%%: %s), in %s times the time.",
             r->nics, r->nics == 1 ? "" : "s", span(costs, true, r->cost_least, r->cost_most),
             span(interval, true, r->cost_low, r->cost_high),
             span(times, false, r->least, r->most));
}

/* ---- a page to print */

/* Bars from the least to the most, whiskers to the interval, around 1. */
static void draw(const void *context, FILE *file)
{
    const workload *w = context;
    enum { LEFT = 90, WIDTH = 560, STEP = 34, TOP = 8 };
    double least = 1, most = 1;
    for (size_t n = 0; n < w->nic_count; n++) {
        least = fmin(least, w->rows[n].low);
        most = fmax(most, w->rows[n].high);
    }
    const double scale = WIDTH / fmax(most - least, 1e-9);
    const int height = TOP + STEP * (int)w->nic_count;
#define X(value) (LEFT + ((value)-least) * scale)
    fprintf(file,
            "<figure><svg viewBox=\"0 0 760 %d\" role=\"img\" aria-label=\"Time of the same work\" "
            "width=\"100%%\" font-size=\"13\" fill=\"currentColor\">\n"
            "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"0\" y2=\"%d\" stroke=\"currentColor\" "
            "stroke-dasharray=\"3 3\"/><text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">as "
            "measured</text>\n",
            height + 24, X(1), X(1), height, X(1), height + 18);
    for (size_t n = 0; n < w->nic_count; n++) {
        const clump_workload_row *r = &w->rows[n];
        const double y = TOP + STEP * ((double)n + 0.5);
        char says[40];
        snprintf(says, sizeof says, r->most > r->least ? "%.2f to %.2f" : "%.2f", r->least,
                 r->most);
        fprintf(
            file,
            "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%zu NIC%s</text>"
            "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#0072b2\" "
            "stroke-width=\"2\"/>"
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"14\" rx=\"3\" fill=\"#0072b2\"/>"
            "<text x=\"%.1f\" y=\"%.1f\">%s</text>\n",
            LEFT - 12, y + 5, r->nics, r->nics == 1 ? "" : "s", X(r->low), X(r->high), y, y,
            X(r->least) - 2, y - 7, X(r->most) - X(r->least) + 4, X(fmax(r->high, 1)) + 8, y + 5,
            says);
    }
#undef X
    fputs(
        "</svg><figcaption>Time of the same work over that with the NICs that were measured: bars "
        "between "
        "both ends of when processes communicate, lines the 90% interval.</figcaption></figure>\n",
        file);
}

static int write_page(const workload *w, const char *path, const char *says)
{
    const table_rows rows = rows_of(w), details = details_of(w);
    const char *note = "Cost: price of the nodes that do the work of one as measured in as many "
                       "hours. Best: no other "
                       "number is both as fast and as cheap.";
    const page_table tables[] = {
        {.heading = "By number of NICs", .note = w->asked->priced ? note : NULL, .rows = &rows}};
    const page_table inputs[] = {
        {.heading = "Each program",
         .note = "From the share of its time that it communicates on nodes with the "
                 "NICs that were measured (MODEL.md 13).",
         .rows = &details}};
    const html_page page = {.version = CLUMPMODEL_VERSION,
                            .title = "How many NICs for this machine's work?",
                            .answer = says,
                            .tables = tables,
                            .table_count = 1,
                            .inputs = inputs,
                            .input_count = 1,
                            .draw = draw,
                            .context = w};
    output_file output;
    int status = file_begin(w->command, path, &output);
    if (status != EXIT_DONE)
        return status;
    if (!page_print(&page, output.file)) {
        file_abandon(&output);
        return error_memory(w->command);
    }
    return file_commit(&output);
}

static int print(const command_invocation *invocation, const workload *w, const char *says)
{
    const table_rows rows = rows_of(w), details = details_of(w);
    const table_rows *both[] = {&rows, &details};
    const output_field fields[] = {field_size("measured_nics", w->asked->measured_nics),
                                   field_size("processors", w->node->processors)};
    if (invocation->format == FORMAT_JSON)
        return json_print(both, 2, fields, 2);
    if (invocation->format == FORMAT_CSV)
        return csv_print(&rows);
    paragraph_print(says, 0, 0, 80);
    putchar('\n');
    const int status = table_print(&rows);
    putchar('\n');
    return status == EXIT_DONE ? table_print(&details) : status;
}

int recommend_workload_answer(const command_invocation *invocation, const recommend_share *asked,
                              const clump_node *node, const char *path, const char *page)
{
    workload w = {.command = invocation->command->name, .path = path, .asked = asked, .node = node};
    char says[400];
    if (asked->measured_nics == 0)
        return error_usage(w.command,
                           "--measured-nics is missing, expected the number of NICs behind "
                           "which the programs of --workload were measured");
    w.arena = clump_arena_new();
    int status = w.arena == NULL ? error_memory(w.command) : read_file(&w);
    if (status == EXIT_DONE)
        status = compute(&w);
    if (status == EXIT_DONE)
        verdict(&w, says, sizeof says);
    if (status == EXIT_DONE && page != NULL)
        status = write_page(&w, page, says);
    if (status == EXIT_DONE)
        status = print(invocation, &w, says);
    free(w.rows);
    free(w.details);
    clump_arena_free(w.arena);
    return status;
}
