/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of a recording on one screen. */
#include "recording/command/report_show.h"

#include "cli/data/data_records.h"
#include "cli/output/errors.h"
#include "cli/output/escape.h"
#include "cli/output/paragraph.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- tables */

static void make_bytes(const void *record, table_cell *cell)
{
    const double bytes = ((const clump_report_time *)record)->bytes;
    if (!isnan(bytes))
        cell_rounded(cell, bytes);
}

#define TIME(member) FIELD(clump_report_time, member)

static const table_column time_columns[] = {
    {"what", "Time", TIME(what)},
    {"calls", "Calls", TIME(calls), .positive = true},
    {"seconds", "s", TIME(seconds)},
    {"share", "Share", NUMBER_PERCENT, TIME(share)},
    {"waiting_s", "Waiting s", TIME(waiting)},
    {"transferring_s", "Transferring s", TIME(transferring)},
    {"not_divided_s", "Not divided s", TIME(undivided)},
    {"bytes", "Bytes", .make = make_bytes},
};

#define COLLISION(member) FIELD(clump_report_collision, member)

static const table_column collision_columns[] = {
    {"q", "Ranks of a node in MPI", COLLISION(q)},
    {"seconds", "s", COLLISION(seconds)},
    {"share", "Share", NUMBER_PERCENT, COLLISION(share)},
};

#define TRAFFIC(member) FIELD(clump_report_traffic, member)

static const table_column traffic_columns[] = {
    {"kind", "Messages of", TRAFFIC(kind)},
    {"to", "To", TRAFFIC(where)},
    {"messages", "Messages", NUMBER_EXACT, TRAFFIC(messages)},
    {"bytes", "Bytes", NUMBER_EXACT, TRAFFIC(bytes)},
    {"mean_bytes", "Mean size B", TRAFFIC(size)},
    {"share", "Share of bytes", NUMBER_PERCENT, TRAFFIC(share)},
};

#define RANK(member) FIELD(clump_report_rank, member)

static const table_column rank_columns[] = {
    {"node", "Node", RANK(node)},
    {"wall_s", "Wall s", RANK(wall)},
    {"computing_s", "Computing s", RANK(computing)},
    {"processor_s", "Processor s", RANK(processor)},
    {"in_mpi_s", "In MPI s", RANK(in_mpi)},
    {"waiting_s", "Waiting s", RANK(waiting)},
    {"waiting_low_s", NULL, RANK(waiting_low)},
    {"waiting_high_s", NULL, RANK(waiting_high)},
    {"transferring_s", "Transferring s", RANK(transferring)},
    {"calls", "Calls", RANK(calls)},
    {"traced", "Traced", RANK(traced)},
    {"requests_mean", "Requests", RANK(requests_mean)},
    {"requests_most", "Most", RANK(requests_most)},
    {"ended", "Ended", RANK(ended)},
};

#define NODE(member) FIELD(clump_report_node, member)

static const table_column node_columns[] = {
    {"host", "Host", NODE(host)},
    {"clock_low_s", "Clock from s", NODE(clock_low)},
    {"clock_high_s", "to s", NODE(clock_high)},
    {"clock_used_s", "Used s", NODE(clock_used)},
};

static const table_column note_columns[] = {
    {"note", "Note", FIELD(clump_report_note, text), .layout = COLUMN_PROSE},
};

/* ---- what is said once */

typedef struct head_row {
    const clump_report *report;
    double computing_least, computing_most, waiting_low, waiting_high, waiting, requests;
    int64_t calls, traced;
} head_row;

static const clump_report *report_of(const void *record)
{
    return ((const head_row *)record)->report;
}

static void make_program(const void *record, table_cell *cell)
{
    const clump_report *r = report_of(record);
    cell_text(cell, r->command != NULL ? r->command : r->program);
}

static void make_library(const void *record, table_cell *cell)
{
    cell_text(cell, report_of(record)->library);
}

static void make_started(const void *record, table_cell *cell)
{
    cell_text(cell, report_of(record)->started);
}

static void make_ranks(const void *record, table_cell *cell)
{
    const clump_report *r = report_of(record);
    cell_print(cell, "%zu on %zu node%s", r->rank_count, r->node_count,
               r->node_count == 1 ? "" : "s");
}

static void make_wall(const void *record, table_cell *cell)
{
    cell_real(cell, report_of(record)->wall);
}

static void make_computing(const void *record, table_cell *cell)
{
    const head_row *h = record;
    cell_print(cell, "%.4g to %.4g s a rank", h->computing_least, h->computing_most);
}

static void make_waiting(const void *record, table_cell *cell)
{
    const head_row *h = record;
    if (h->waiting_high - h->waiting_low > 0.005 * h->waiting_high)
        cell_print(cell, "%.4g s (%.4g to %.4g by the clocks)", h->waiting, h->waiting_low,
                   h->waiting_high);
    else
        cell_print(cell, "%.4g s", h->waiting);
}

static void make_traced(const void *record, table_cell *cell)
{
    const head_row *h = record;
    cell_print(cell, "%lld, %lld of them traced", (long long)h->calls, (long long)h->traced);
}

static const table_column head_columns[] = {
    {NULL, "Program", .make = make_program, .layout = COLUMN_PROSE},
    {NULL, "MPI", .make = make_library},
    {NULL, "Started", .make = make_started},
    {NULL, "Ranks", .make = make_ranks},
    {NULL, "Wall time s", .make = make_wall},
    {NULL, "Computing", .make = make_computing},
    {NULL, "Waiting", .make = make_waiting},
    {NULL, "Calls", .make = make_traced},
    {NULL, "Requests", FIELD(head_row, requests)},
};

static head_row head_of(const clump_report *r)
{
    head_row h = {.report = r, .computing_least = INFINITY, .requests = NAN};
    for (size_t i = 0; i < r->rank_count; i++) {
        const clump_report_rank *k = &r->ranks[i];
        h.computing_least = fmin(h.computing_least, k->computing);
        h.computing_most = fmax(h.computing_most, k->computing);
        h.waiting += k->waiting;
        h.waiting_low += k->waiting_low;
        h.waiting_high += k->waiting_high;
        h.calls += k->calls;
        h.traced += k->traced;
        h.requests = fmax(h.requests, k->requests_mean);
    }
    return h;
}

/* ---- all of it */

/* The first rows of a table, below a blank line. */
static int show_table(const table_rows *rows)
{
    enum { MOST_ROWS = 12 };
    table_rows part = *rows;
    if (part.row_count == 0)
        return EXIT_DONE;
    part.row_count = part.row_count < MOST_ROWS ? part.row_count : MOST_ROWS;
    putchar('\n');
    return table_print(&part);
}

static int show(const clump_report *r, const table_rows *tables, size_t count)
{
    const head_row row = head_of(r);
    const table_rows head = {.key = "recording", COLUMNS(head_columns), RECORDS(&row, 1)};
    int status = EXIT_DONE;
    record_print(&head, 0);
    for (size_t i = 0; i < count && status == EXIT_DONE; i++)
        status = show_table(&tables[i]);
    if (r->note_count > 0)
        puts("\nTo be known about it:");
    for (size_t i = 0; i < r->note_count; i++) {
        char *escaped = escape_copy(r->notes[i].text);
        const int column = printf("- ");
        paragraph_print(escaped != NULL ? escaped : "", column, column, paragraph_width());
        free(escaped);
    }
    return status;
}

int report_print(const clump_report *r, output_format format)
{
    const table_rows tables[] = {
        {.key = "times", COLUMNS(time_columns), RECORDS(r->times, r->time_count)},
        {.key = "collisions",
         COLUMNS(collision_columns),
         RECORDS(r->collisions, r->collision_count)},
        {.key = "traffic", COLUMNS(traffic_columns), RECORDS(r->traffic, r->traffic_count)},
        {.key = "ranks", COLUMNS(rank_columns), RECORDS(r->ranks, r->rank_count)},
        {.key = "nodes", COLUMNS(node_columns), RECORDS(r->nodes, r->node_count)},
        {.key = "notes", COLUMNS(note_columns), RECORDS(r->notes, r->note_count)},
    };
    enum { FOR_EYES = 3, TABLES = sizeof tables / sizeof *tables };
    const table_rows *sets[TABLES];
    const output_field fields[] = {field_text("origin", r->origin),
                                   field_text("program", r->program),
                                   field_text("command", r->command),
                                   field_text("library", r->library),
                                   field_text("started", r->started),
                                   field_real("wall_s", r->wall),
                                   field_real("sends_without_receive", r->sends),
                                   field_real("receives_without_send", r->receives),
                                   field_real("collectives_unmatched", r->mismatched)};
    if (format == FORMAT_TABLE)
        return show(r, tables, FOR_EYES);
    if (format == FORMAT_CSV)
        return csv_print(&tables[0]);
    for (size_t i = 0; i < TABLES; i++)
        sets[i] = &tables[i];
    return json_print(sets, TABLES, fields, sizeof fields / sizeof *fields);
}
