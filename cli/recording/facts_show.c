/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The facts of a recording on one screen. */
#include "cli/recording/facts_show.h"

#include "cli/data/data_records.h"
#include "cli/output/errors.h"
#include "cli/output/escape.h"
#include "cli/output/paragraph.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Times of all ranks together in a kind of call, or outside of all. */
typedef struct time_row {
    const char *what;
    int64_t calls; /* 0: does not apply */
    double seconds, share;
    double waiting, transferring, undivided; /* s; NAN: does not apply */
    double bytes;
} time_row;

typedef struct collision_row {
    int64_t q;
    double seconds, share;
} collision_row;

typedef struct traffic_row {
    const char *kind, *where;
    double messages, bytes, size, share;
} traffic_row;

typedef struct phase_row {
    const char *mark;
    double start, stop, computing, rate, bandwidth;
} phase_row;

/* What is said once. */
typedef struct head_row {
    const clump_facts *facts;
    int64_t ranks, nodes;
    double computing_least, computing_most, processor, waiting_low, waiting_high, waiting, in_mpi,
        wall, requests;
    int64_t calls, traced;
} head_row;

struct facts_report {
    const clump_facts *facts;
    head_row head;
    time_row *times;
    collision_row *collisions;
    traffic_row *traffic;
    phase_row *phases;
    size_t time_count, collision_count, traffic_count, phase_count;
    table_rows rows[FACTS_SETS];
};

/* ---- where the time goes */

static int by_seconds(const void *a, const void *b)
{
    const time_row *x = a, *y = b;
    return x->seconds != y->seconds ? (x->seconds < y->seconds) - (x->seconds > y->seconds)
                                    : strcmp(x->what, y->what);
}

enum { MOST_KINDS = 100 };

static time_row *find_time(facts_report *r, const char *kind)
{
    for (size_t i = 1; i < r->time_count; i++)
        if (strcmp(r->times[i].what, kind) == 0)
            return &r->times[i];
    if (r->time_count == MOST_KINDS)
        return &r->times[MOST_KINDS - 1];
    time_row *made = &r->times[r->time_count++];
    *made = (time_row){.what = kind};
    return made;
}

static bool make_times(facts_report *r)
{
    const clump_facts *f = r->facts;
    double total = 0;
    r->times = calloc(MOST_KINDS, sizeof *r->times);
    if (r->times == NULL)
        return false;
    r->times[r->time_count++] = (time_row){
        .what = "computing", .waiting = NAN, .transferring = NAN, .undivided = NAN, .bytes = NAN};
    for (size_t i = 0; i < f->rank_count; i++) {
        r->times[0].seconds += f->ranks[i].computing;
        total += f->ranks[i].wall;
    }
    for (size_t i = 0; i < f->call_count; i++) {
        const clump_facts_call *c = &f->calls[i];
        time_row *to = find_time(r, c->kind);
        to->calls += c->calls;
        to->seconds += c->seconds;
        to->waiting += c->waiting;
        to->transferring += c->transferring;
        to->bytes += c->bytes;
    }
    for (size_t i = 0; i < r->time_count; i++) {
        time_row *t = &r->times[i];
        t->share = total > 0 ? t->seconds / total : NAN;
        if (i > 0)
            t->undivided = t->seconds - t->waiting - t->transferring;
        if (t->undivided < 1e-6 * t->seconds) /* sums of the same numbers in another order */
            t->undivided = 0;
    }
    qsort(r->times + 1, r->time_count - 1, sizeof *r->times, by_seconds);
    return true;
}

static void make_bytes(const void *record, table_cell *cell)
{
    const double bytes = ((const time_row *)record)->bytes;
    if (!isnan(bytes))
        cell_rounded(cell, bytes);
}

#define TIME(member) FIELD(time_row, member)

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

/* ---- how ranks meet */

static bool make_collisions(facts_report *r)
{
    const clump_facts *f = r->facts;
    int64_t most = -1;
    double total = 0;
    for (size_t i = 0; i < f->collision_count; i++)
        most = f->collisions[i].q > most ? f->collisions[i].q : most;
    r->collision_count = (size_t)(most + 1);
    r->collisions = calloc(r->collision_count + 1, sizeof *r->collisions);
    if (r->collisions == NULL)
        return false;
    for (size_t i = 0; i < f->collision_count; i++) {
        r->collisions[f->collisions[i].q].seconds += f->collisions[i].seconds;
        total += f->collisions[i].seconds;
    }
    for (size_t q = 0; q < r->collision_count; q++) {
        r->collisions[q].q = (int64_t)q;
        r->collisions[q].share = total > 0 ? r->collisions[q].seconds / total : NAN;
    }
    return true;
}

#define COLLISION(member) FIELD(collision_row, member)

static const table_column collision_columns[] = {
    {"q", "Ranks of a node in MPI", COLLISION(q)},
    {"seconds", "s", COLLISION(seconds)},
    {"share", "Share", NUMBER_PERCENT, COLLISION(share)},
};

/* ---- traffic */

static int by_kind(const void *a, const void *b)
{
    const traffic_row *x = a, *y = b;
    return x->bytes != y->bytes ? (x->bytes < y->bytes) - (x->bytes > y->bytes)
                                : strcmp(x->kind, y->kind);
}

static traffic_row *find_traffic(facts_report *r, size_t room, const char *kind, const char *where)
{
    for (size_t i = 0; i < r->traffic_count; i++)
        if (strcmp(r->traffic[i].kind, kind) == 0 && strcmp(r->traffic[i].where, where) == 0)
            return &r->traffic[i];
    if (r->traffic_count == room)
        return &r->traffic[room - 1];
    r->traffic[r->traffic_count] = (traffic_row){.kind = kind, .where = where};
    return &r->traffic[r->traffic_count++];
}

static bool make_traffic(facts_report *r)
{
    enum { ROOM = 100 };
    const clump_facts *f = r->facts;
    double total = 0;
    r->traffic = calloc(ROOM, sizeof *r->traffic);
    if (r->traffic == NULL)
        return false;
    for (size_t i = 0; i < f->traffic_count; i++) {
        const clump_facts_traffic *t = &f->traffic[i];
        const char *where = t->sender == t->receiver ? "itself"
                            : f->ranks[t->sender].node == f->ranks[t->receiver].node
                                ? "the same node"
                                : "another node";
        traffic_row *to = find_traffic(r, ROOM, t->kind, where);
        to->messages += t->messages;
        to->bytes += t->bytes;
        total += t->bytes;
    }
    for (size_t i = 0; i < r->traffic_count; i++) {
        traffic_row *t = &r->traffic[i];
        t->size = t->messages > 0 ? t->bytes / t->messages : NAN;
        t->share = total > 0 ? t->bytes / total : NAN;
    }
    qsort(r->traffic, r->traffic_count, sizeof *r->traffic, by_kind);
    return true;
}

#define TRAFFIC(member) FIELD(traffic_row, member)

static const table_column traffic_columns[] = {
    {"kind", "Messages of", TRAFFIC(kind)},
    {"to", "To", TRAFFIC(where)},
    {"messages", "Messages", NUMBER_EXACT, TRAFFIC(messages)},
    {"bytes", "Bytes", NUMBER_EXACT, TRAFFIC(bytes)},
    {"mean_bytes", "Mean size B", TRAFFIC(size)},
    {"share", "Share of bytes", NUMBER_PERCENT, TRAFFIC(share)},
};

/* ---- phases */

static bool make_phases(facts_report *r)
{
    const clump_facts *f = r->facts;
    r->phases = calloc(f->phase_count + 1, sizeof *r->phases);
    if (r->phases == NULL)
        return false;
    for (size_t i = 0; i < f->phase_count; i++) {
        const clump_facts_phase *p = &f->phases[i];
        const double length = p->stop - p->start, all = p->computing + p->in_mpi;
        r->phases[r->phase_count++] =
            (phase_row){.mark = p->mark,
                        .start = p->start,
                        .stop = p->stop,
                        .computing = all > 0 ? p->computing / all : NAN,
                        .rate = length > 0 ? p->messages / length : NAN,
                        .bandwidth = length > 0 ? p->bytes / length / 1e6 : NAN};
    }
    return true;
}

#define PHASE(member) FIELD(phase_row, member)

static const table_column phase_columns[] = {
    {"start_s", "Phase from s", PHASE(start)},
    {"stop_s", "to s", PHASE(stop)},
    {"mark", "Mark", PHASE(mark)},
    {"computing", "Computing", NUMBER_PERCENT, PHASE(computing)},
    {"messages_per_s", "Messages/s", PHASE(rate)},
    {"bytes_per_us", "B/us", PHASE(bandwidth)},
};

/* ---- ranks, nodes, notes: as they are kept */

#define RANK(member) FIELD(clump_facts_rank, member)

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

#define NODE(member) FIELD(clump_facts_node, member)

static const table_column node_columns[] = {
    {"host", "Host", NODE(host)},
    {"clock_low_s", "Clock from s", NODE(clock_low)},
    {"clock_high_s", "to s", NODE(clock_high)},
    {"clock_used_s", "Used s", NODE(clock_used)},
};

static const table_column note_columns[] = {
    {"note", "Note", FIELD(clump_facts_note, text), .layout = COLUMN_PROSE},
};

/* ---- what is said once */

static void make_program(const void *record, table_cell *cell)
{
    const clump_facts *f = ((const head_row *)record)->facts;
    cell_text(cell, f->command != NULL ? f->command : f->program);
}

static void make_library(const void *record, table_cell *cell)
{
    cell_text(cell, ((const head_row *)record)->facts->library);
}

static void make_started(const void *record, table_cell *cell)
{
    cell_text(cell, ((const head_row *)record)->facts->started);
}

static void make_ranks(const void *record, table_cell *cell)
{
    const head_row *h = record;
    cell_print(cell, "%lld on %lld node%s", (long long)h->ranks, (long long)h->nodes,
               h->nodes == 1 ? "" : "s");
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
    {NULL, "Wall time s", FIELD(head_row, wall)},
    {NULL, "Computing", .make = make_computing},
    {NULL, "Waiting", .make = make_waiting},
    {NULL, "Calls", .make = make_traced},
    {NULL, "Requests", FIELD(head_row, requests)},
};

static void make_head(facts_report *r)
{
    const clump_facts *f = r->facts;
    head_row *h = &r->head;
    *h = (head_row){.facts = f,
                    .ranks = (int64_t)f->rank_count,
                    .nodes = (int64_t)f->node_count,
                    .wall = f->wall,
                    .computing_least = INFINITY,
                    .requests = NAN};
    for (size_t i = 0; i < f->rank_count; i++) {
        const clump_facts_rank *k = &f->ranks[i];
        h->computing_least = fmin(h->computing_least, k->computing);
        h->computing_most = fmax(h->computing_most, k->computing);
        h->waiting += k->waiting;
        h->waiting_low += k->waiting_low;
        h->waiting_high += k->waiting_high;
        h->in_mpi += k->in_mpi;
        h->calls += k->calls;
        h->traced += k->traced;
        h->requests = fmax(h->requests, k->requests_mean);
    }
}

/* ---- all of it */

static void make_rows(facts_report *r)
{
    const clump_facts *f = r->facts;
    const table_rows rows[FACTS_SETS] = {
        {.key = "times", COLUMNS(time_columns), RECORDS(r->times, r->time_count)},
        {.key = "collisions",
         COLUMNS(collision_columns),
         RECORDS(r->collisions, r->collision_count)},
        {.key = "traffic", COLUMNS(traffic_columns), RECORDS(r->traffic, r->traffic_count)},
        {.key = "phases", COLUMNS(phase_columns), RECORDS(r->phases, r->phase_count)},
        {.key = "ranks", COLUMNS(rank_columns), RECORDS(f->ranks, f->rank_count)},
        {.key = "nodes", COLUMNS(node_columns), RECORDS(f->nodes, f->node_count)},
        {.key = "notes", COLUMNS(note_columns), RECORDS(f->notes, f->note_count)},
    };
    memcpy(r->rows, rows, sizeof rows);
}

facts_report *facts_report_new(const clump_facts *facts)
{
    facts_report *r = calloc(1, sizeof *r);
    if (r == NULL)
        return NULL;
    r->facts = facts;
    if (!make_times(r) || !make_collisions(r) || !make_traffic(r) || !make_phases(r)) {
        facts_report_free(r);
        return NULL;
    }
    make_head(r);
    make_rows(r);
    return r;
}

void facts_report_free(facts_report *r)
{
    if (r == NULL)
        return;
    free(r->times);
    free(r->collisions);
    free(r->traffic);
    free(r->phases);
    free(r);
}

/* The first `most` rows of a table, below a blank line. */
static int show_table(const table_rows *rows, size_t most)
{
    table_rows part = *rows;
    if (part.row_count == 0 || most == 0)
        return EXIT_DONE;
    part.row_count = part.row_count < most ? part.row_count : most;
    putchar('\n');
    return table_print(&part);
}

int facts_report_show(const facts_report *r)
{
    enum { MOST_ROWS = 12 };
    const table_rows head = {.key = "recording", COLUMNS(head_columns), RECORDS(&r->head, 1)};
    record_print(&head, 0);
    int status = show_table(&r->rows[0], MOST_ROWS);
    for (size_t i = 1; i < 4 && status == EXIT_DONE; i++)
        status = show_table(&r->rows[i], i == 3 && r->phase_count < 2 ? 0 : MOST_ROWS);
    if (r->facts->note_count > 0)
        puts("\nTo be known about it:");
    for (size_t i = 0; i < r->facts->note_count; i++) {
        char *escaped = escape_copy(r->facts->notes[i].text);
        const int column = printf("- ");
        paragraph_print(escaped != NULL ? escaped : "", column, column, paragraph_width());
        free(escaped);
    }
    return status;
}

size_t facts_report_sets(const facts_report *r, const table_rows *sets[FACTS_SETS])
{
    size_t count = 0;
    for (size_t i = 0; i < FACTS_SETS && r->rows[i].key != NULL; i++)
        sets[count++] = &r->rows[i];
    return count;
}

int facts_report_print(const clump_facts *facts, output_format format, const char *command)
{
    facts_report *r = facts_report_new(facts);
    const table_rows *sets[FACTS_SETS];
    if (r == NULL)
        return error_memory(command);
    int status;
    if (format == FORMAT_TABLE) {
        status = facts_report_show(r);
    } else if (format == FORMAT_CSV) {
        status = csv_print(&r->rows[0]);
    } else {
        const output_field fields[] = {field_text("application", facts->application),
                                       field_text("origin", facts->origin),
                                       field_text("program", facts->program),
                                       field_text("command", facts->command),
                                       field_text("library", facts->library),
                                       field_text("started", facts->started),
                                       field_real("wall_s", facts->wall),
                                       field_real("sends_without_receive", facts->sends),
                                       field_real("receives_without_send", facts->receives),
                                       field_real("collectives_unmatched", facts->mismatched)};
        status =
            json_print(sets, facts_report_sets(r, sets), fields, sizeof fields / sizeof *fields);
    }
    facts_report_free(r);
    return status;
}
