/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/topology/topology_tables.h"

#include "cli/output/errors.h"
#include "cli/output/escape.h"
#include "cli/output/paragraph.h"
#include "cli/output/terminal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void topology_answer_free(topology_answer *a)
{
    for (size_t k = 0; k < TOPOLOGY_ASSIGNMENTS; k++)
        clump_assignment_free(&a->assignments[k]);
    clump_topology_free(&a->topology);
}

const char *topology_part_text(const clump_part *p, char text[CLUMP_PART_NAME * 2])
{
    const char *kind = clump_part_kind_name(p->kind);
    if (*p->name != '\0')
        snprintf(text, CLUMP_PART_NAME * 2, "%s", p->name);
    else if (*p->address != '\0')
        snprintf(text, CLUMP_PART_NAME * 2, "%s %s", kind, p->address);
    else
        snprintf(text, CLUMP_PART_NAME * 2, "%s", kind);
    return text;
}

/* ---- the tree */

/* Cores that follow each other are one line. */
static size_t equal_cores(const clump_topology *t, size_t i)
{
    size_t n = 1;
    while (t->parts[i].kind == CLUMP_PART_CORE && i + n < t->part_count &&
           t->parts[i + n].kind == CLUMP_PART_CORE && t->parts[i + n].parent == t->parts[i].parent)
        n++;
    return n;
}

/* For each part its last child: looked for once, since the tree may be large. */
static size_t *find_last_children(const clump_topology *t)
{
    size_t *last = calloc(t->part_count, sizeof *last);
    for (size_t i = 1; i < t->part_count && last != NULL; i++)
        last[t->parts[i].parent] = i;
    return last;
}

static void print_branches(const clump_topology *t, const size_t *last, size_t i, size_t count)
{
    const bool nice = terminal_has_utf8();
    size_t above[128], depth = 0;
    for (size_t p = t->parts[i].parent; p != CLUMP_NO_PART && p != 0 && depth < 128;
         p = t->parts[p].parent)
        above[depth++] = p;
    while (depth-- > 0)
        fputs(last[t->parts[above[depth]].parent] == above[depth] ? "   "
              : nice                                              ? "│  "
                                                                  : "|  ",
              stdout);
    if (i > 0)
        fputs(last[t->parts[i].parent] < i + count ? (nice ? "└─ " : "`- ")
              : nice                               ? "├─ "
                                                   : "|- ",
              stdout);
}

static int print_tree(const clump_topology *t)
{
    size_t *last = find_last_children(t);
    if (last == NULL)
        return error_memory("topology");
    for (size_t i = 0, count; i < t->part_count; i += count) {
        const clump_part *p = &t->parts[i];
        char text[CLUMP_PART_NAME * 2];
        count = equal_cores(t, i);
        print_branches(t, last, i, count);
        escape_print(topology_part_text(p, text), stdout); /* with names of the file */
        if (count > 1) {
            fputs(" to ", stdout);
            escape_print(t->parts[i + count - 1].name, stdout);
        }
        if (*p->name != '\0' && *p->address != '\0') {
            fputs(" (", stdout);
            escape_print(p->address, stdout);
            putchar(')');
        }
        if (isfinite(p->link))
            printf(", link %.4g GB/s", p->link / 1e9);
        if (p->kind == CLUMP_PART_NIC && isfinite(p->port))
            printf(", port %.4g GB/s", p->port / 1e9);
        if (p->unused)
            fputs(", not used", stdout);
        putchar('\n');
    }
    free(last);
    return EXIT_DONE;
}

/* ---- processors */

typedef struct processor_row {
    char name[2 * CLUMP_PART_NAME];
    const char *socket;
    double alone; /* by the best NIC of all */
    double inside;
    const char *nics[TOPOLOGY_ASSIGNMENTS];
    double rates[TOPOLOGY_ASSIGNMENTS]; /* GB/s */
} processor_row;

/* What a column of an assignment shows; `offset` says of which. */
static void make_nic(const table_column *c, const void *record, table_cell *cell)
{
    cell_text(cell, ((const processor_row *)record)->nics[c->offset]);
}

static void make_rate(const table_column *c, const void *record, table_cell *cell)
{
    cell_real(cell, ((const processor_row *)record)->rates[c->offset]);
}

static bool has_given(const void *record)
{
    return ((const processor_row *)record)->nics[TOPOLOGY_GIVEN] != NULL;
}

static const table_column processor_columns[] = {
    {"processor", "Processor", FIELD_ARRAY(processor_row, name)},
    {"socket", "Socket", FIELD(processor_row, socket), .folding = FOLD_NEVER},
    {"alone", "Alone", FIELD(processor_row, alone)},
    {"inside", "Inside", FIELD(processor_row, inside), .positive = true},
    {"best_nic", "Best NIC", .make_with = make_nic, .offset = CLUMP_ASSIGN_BEST},
    {"best", "All", .make_with = make_rate, .offset = CLUMP_ASSIGN_BEST},
    {"nearest_nic", "Nearest", .make_with = make_nic, .offset = CLUMP_ASSIGN_NEAREST},
    {"nearest", "All", .make_with = make_rate, .offset = CLUMP_ASSIGN_NEAREST},
    {"round_robin_nic", NULL, .make_with = make_nic, .offset = CLUMP_ASSIGN_ROUND_ROBIN},
    {"round_robin", NULL, .make_with = make_rate, .offset = CLUMP_ASSIGN_ROUND_ROBIN},
    {"one_nic", NULL, .make_with = make_nic, .offset = CLUMP_ASSIGN_ONE},
    {"one", NULL, .make_with = make_rate, .offset = CLUMP_ASSIGN_ONE},
    {"given_nic", "Given", .make_with = make_nic, .offset = TOPOLOGY_GIVEN, .wanted = has_given},
    {"given", "All", .make_with = make_rate, .offset = TOPOLOGY_GIVEN, .wanted = has_given},
};

static double inside_rate(const clump_topology *t, size_t part)
{
    double sum = 0;
    for (size_t i = 0; i < t->inside_count; i++)
        sum += t->inside[i].from == part ? t->inside[i].rate : 0;
    return sum;
}

static bool rows_alike(const processor_row *a, const processor_row *b)
{
    bool alike = a->socket == b->socket && a->alone == b->alone && a->inside == b->inside;
    for (size_t k = 0; k < TOPOLOGY_ASSIGNMENTS; k++)
        alike = alike && a->nics[k] == b->nics[k] &&
                !(fabs(a->rates[k] - b->rates[k]) > 1e-9 * fabs(a->rates[k]));
    return alike;
}

static processor_row row_of(const topology_answer *a, size_t p)
{
    const clump_topology *t = &a->topology;
    const size_t part = t->processors[p];
    processor_row row = {.socket = t->parts[clump_topology_socket(t, part)].name,
                         .inside = inside_rate(t, part) / 1e9};
    snprintf(row.name, sizeof row.name, "%s", t->parts[part].name);
    for (size_t k = 0; k < t->nic_count; k++)
        row.alone = fmax(row.alone, clump_assignment_alone(t, &a->rules, p, k) / 1e9);
    for (size_t k = 0; k < TOPOLOGY_ASSIGNMENTS; k++)
        if (a->there[k]) {
            row.nics[k] = t->parts[t->nics[a->assignments[k].nics[p]]].name;
            row.rates[k] = a->assignments[k].rates[p] / 1e9;
        }
    return row;
}

/* Cores that follow each other and have all the same are one row of a table for eyes. */
static processor_row *make_rows(const topology_answer *a, bool together, size_t *count)
{
    const clump_topology *t = &a->topology;
    processor_row *rows = calloc(t->processor_count, sizeof *rows);
    const char *last = NULL;
    size_t in_row = 0;
    *count = 0;
    for (size_t p = 0; p < t->processor_count && rows != NULL; p++) {
        const processor_row row = row_of(a, p);
        if (together && !t->gpus && *count > 0 && rows_alike(&rows[*count - 1], &row)) {
            in_row++;
            last = t->parts[t->processors[p]].name;
        } else {
            rows[(*count)++] = row;
            last = NULL;
            in_row = 1;
        }
        const bool ends = p + 1 == t->processor_count;
        processor_row next = {.name = ""};
        if (!ends)
            next = row_of(a, p + 1);
        if (last != NULL && (ends || !rows_alike(&rows[*count - 1], &next))) {
            processor_row *r = &rows[*count - 1];
            const size_t n = strlen(r->name);
            snprintf(r->name + n, sizeof r->name - n, in_row == 2 ? ", %s" : " to %s", last);
        }
    }
    return rows;
}

/* ---- the audit */

typedef struct audit_row {
    const char *way;
    size_t used;
    double least, total;           /* GB/s */
    double least_lost, total_lost; /* of the best */
    double at_random, at_once;
    double least_low, least_high, total_low, total_high;
    double total_at_most; /* of "best": no other has more; NAN: of others */
} audit_row;

static void make_range(const table_column *column, const void *record, table_cell *cell)
{
    const audit_row *row = record;
    (void)column;
    if (isfinite(row->total_low) && row->total_low < row->total_high)
        cell_print(cell, "%.4g to %.4g", row->total_low, row->total_high);
}

static bool has_time(const void *record)
{
    return isfinite(((const audit_row *)record)->at_once);
}

static const table_column audit_columns[] = {
    {"assignment", "Assignment", FIELD(audit_row, way)},
    {"nics_used", "NICs used", FIELD(audit_row, used)},
    {"slowest", "Slowest", FIELD(audit_row, least)},
    {"slowest_lost", "Loses", FIELD(audit_row, least_lost), .notation = NUMBER_PERCENT},
    {"total", "Together", FIELD(audit_row, total)},
    {"total_lost", "Loses", FIELD(audit_row, total_lost), .notation = NUMBER_PERCENT},
    {NULL, "Range", .make_with = make_range, .layout = COLUMN_RIGHT},
    {"slowest_low", NULL, FIELD(audit_row, least_low)},
    {"slowest_high", NULL, FIELD(audit_row, least_high)},
    {"total_low", NULL, FIELD(audit_row, total_low)},
    {"total_high", NULL, FIELD(audit_row, total_high)},
    {"total_at_most", NULL, FIELD(audit_row, total_at_most)},
    {"slowdown", "Slowdown", FIELD(audit_row, at_random), .notation = NUMBER_RATIO,
     .wanted = has_time},
    {"slowdown_at_once", "All at once", FIELD(audit_row, at_once), .notation = NUMBER_RATIO,
     .wanted = has_time},
};

static size_t count_used(const topology_answer *a, size_t k)
{
    size_t used = 0;
    for (size_t n = 0; n < a->topology.nic_count; n++)
        for (size_t p = 0; p < a->topology.processor_count; p++)
            if (a->assignments[k].nics[p] == n) {
                used++;
                break;
            }
    return used;
}

static size_t make_audit(const topology_answer *a, audit_row rows[TOPOLOGY_ASSIGNMENTS])
{
    const clump_assignment *best = &a->assignments[CLUMP_ASSIGN_BEST];
    size_t count = 0;
    for (size_t k = 0; k < TOPOLOGY_ASSIGNMENTS; k++) {
        const clump_assignment *s = &a->assignments[k];
        if (!a->there[k])
            continue;
        rows[count++] = (audit_row){
            .way =
                k == TOPOLOGY_GIVEN ? "given" : clump_assignment_way_name((clump_assignment_way)k),
            .used = count_used(a, k),
            .least = s->least / 1e9,
            .total = s->total / 1e9,
            .least_lost = isfinite(best->least) ? 1 - s->least / best->least : NAN,
            .total_lost = isfinite(best->total) ? 1 - s->total / best->total : NAN,
            .at_random = isnan(a->utilization) ? NAN : a->times[k].at_random,
            .at_once = isnan(a->utilization) ? NAN : a->times[k].at_once,
            .least_low = a->least_low[k] / 1e9,
            .least_high = a->least_high[k] / 1e9,
            .total_low = a->total_low[k] / 1e9,
            .total_high = a->total_high[k] / 1e9,
            .total_at_most = k == CLUMP_ASSIGN_BEST ? s->most_total / 1e9 : NAN};
    }
    return count;
}

/* ---- fewer NICs */

typedef struct count_row {
    size_t count;
    const char *left_out;
    double least, total, at_random, at_once;
} count_row;

static bool has_times(const void *record)
{
    return isfinite(((const count_row *)record)->at_once);
}

static const table_column count_columns[] = {
    {"nics", "NICs", FIELD(count_row, count)},
    {"left_out", "Left out", FIELD(count_row, left_out)},
    {"slowest", "Slowest", FIELD(count_row, least)},
    {"total", "Together", FIELD(count_row, total)},
    {"slowdown", "Slowdown", FIELD(count_row, at_random), .notation = NUMBER_RATIO,
     .wanted = has_times},
    {"slowdown_at_once", "All at once", FIELD(count_row, at_once), .notation = NUMBER_RATIO,
     .wanted = has_times},
};

static void make_counts(const topology_answer *a, count_row rows[CLUMP_MOST_COUNTED_NICS])
{
    for (size_t i = 0; i < a->count_rows; i++) {
        const clump_nic_count *c = &a->counts[i];
        rows[i] =
            (count_row){c->count,
                        c->left_out == CLUMP_NO_PART ? NULL : a->topology.parts[c->left_out].name,
                        c->least / 1e9,
                        c->total / 1e9,
                        c->time.at_random,
                        c->time.at_once};
    }
}

/* ---- parts, for programs */

typedef struct part_row {
    const char *kind, *name, *address;
    int64_t parent;
    double link, port;
    bool unused;
} part_row;

static bool has_parent(const void *record)
{
    return ((const part_row *)record)->parent >= 0;
}

static const table_column part_columns[] = {
    {"kind", NULL, FIELD(part_row, kind)},
    {"name", NULL, FIELD(part_row, name)},
    {"address", NULL, FIELD(part_row, address)},
    {"parent", NULL, FIELD(part_row, parent), .applies = has_parent},
    {"link", NULL, FIELD(part_row, link)},
    {"port", NULL, FIELD(part_row, port)},
    {"unused", NULL, FIELD(part_row, unused)},
};

static part_row *make_parts(const clump_topology *t)
{
    part_row *rows = calloc(t->part_count, sizeof *rows);
    for (size_t i = 0; i < t->part_count && rows != NULL; i++) {
        const clump_part *p = &t->parts[i];
        rows[i] = (part_row){.kind = clump_part_kind_name(p->kind),
                             .name = p->name,
                             .address = p->address,
                             .parent = p->parent == CLUMP_NO_PART ? -1 : (int64_t)p->parent,
                             .link = p->link / 1e9,
                             .port = p->port / 1e9,
                             .unused = p->unused};
    }
    return rows;
}

/* ---- ways inside, for programs */

typedef struct inside_row {
    const char *from, *to, *kind;
    size_t count;
    double rate;
} inside_row;

static const table_column inside_columns[] = {
    {"from", NULL, FIELD(inside_row, from)},
    {"to", NULL, FIELD(inside_row, to)},
    {"kind", NULL, FIELD(inside_row, kind)},
    {"count", NULL, FIELD(inside_row, count)},
    {"rate", NULL, FIELD(inside_row, rate), .positive = true},
};

static inside_row *make_inside(const clump_topology *t)
{
    inside_row *rows = calloc(t->inside_count + 1, sizeof *rows);
    for (size_t i = 0; i < t->inside_count && rows != NULL; i++) {
        const clump_inside_link *link = &t->inside[i];
        rows[i] = (inside_row){t->parts[link->from].name,
                               link->to == CLUMP_NO_PART ? NULL : t->parts[link->to].name,
                               link->xgmi ? "xGMI" : "NVLink", link->count, link->rate / 1e9};
    }
    return rows;
}

static size_t count_kind(const clump_topology *t, clump_part_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < t->part_count; i++)
        count += t->parts[i].kind == kind;
    return count;
}

/* Files of NCCL and some of hwloc name these in place of sockets, of which one may have several. */
static bool has_numa_nodes(const clump_topology *t)
{
    for (size_t i = 0; i < t->part_count; i++)
        if (t->parts[i].kind == CLUMP_PART_SOCKET)
            return strncmp(t->parts[i].name, "NUMA", 4) == 0;
    return false;
}

static void print_plural(const char *before, size_t count, const char *what)
{
    printf("%s%zu %s%s", before, count, what, count == 1 ? "" : "s");
}

/* ---- the answer in words */

enum { ANSWER_WIDTH = 79, MOST_NAMED = 16, ANSWER_SIZE = 2048 };
/* NICs are enough that leave the slowest processor so much of what all give it. */
static const double as_good = 0.95;

/* The row with the fewest of them. */
static size_t find_enough(const topology_answer *a)
{
    size_t enough = 0;
    for (size_t i = 1; i < a->count_rows; i++)
        if (a->counts[i].least >= as_good * a->counts[0].least)
            enough = i;
    return enough;
}

__attribute__((format(printf, 2, 3))) static void say(char text[ANSWER_SIZE], const char *format,
                                                      ...)
{
    const size_t used = strlen(text);
    va_list values;
    va_start(values, format);
    vsnprintf(text + used, ANSWER_SIZE - used, format, values);
    va_end(values);
}

/* Names are those of the file. */
static void print_wrapped(const char *text)
{
    char *escaped = escape_copy(text);
    paragraph_print(escaped != NULL ? escaped : "", 0, 2, ANSWER_WIDTH);
    free(escaped);
}

static void say_enough(const topology_answer *a, char text[ANSWER_SIZE])
{
    const clump_topology *t = &a->topology;
    const size_t enough = find_enough(a);
    const clump_nic_count *now = &a->counts[enough], *less = now + 1;
    const double low = a->least_low[CLUMP_ASSIGN_BEST], high = a->least_high[CLUMP_ASSIGN_BEST];
    const clump_assignment *best = &a->assignments[CLUMP_ASSIGN_BEST];
    if (t->nic_count == 1 && isfinite(best->least)) {
        say(text, "With its NIC the slowest %s has %.4g GB/s when all send, and all together %.4g.",
            t->gpus ? "GPU" : "core", best->least / 1e9, best->total / 1e9);
        print_wrapped(text);
    }
    if (a->count_rows < 2)
        return;
    if (!isfinite(now->least)) {
        print_wrapped("How many NICs are worth having is not known: nothing says what they carry "
                      "(--nic-speed 400 --pcie 5x16). Those of unknown speed are taken as equal.");
        return;
    }
    if (enough == 0 && t->nic_count == 2)
        say(text, "Both NICs are worth having");
    else if (enough == 0)
        say(text, "All %zu NICs are worth having", t->nic_count);
    else
        say(text, "%zu of %zu NICs are enough", now->count, t->nic_count);
    say(text, ": when all send the slowest %s has %.4g GB/s", t->gpus ? "GPU" : "core",
        now->least / 1e9);
    if (enough == 0 && *a->range != '\0' && isfinite(low))
        say(text, " (%.4g to %.4g)", low / 1e9, high / 1e9);
    say(text, " and all together %.4g", now->total / 1e9);
    if (enough + 1 < a->count_rows) {
        say(text, "; with %zu it is %.4g and %.4g", less->count, less->least / 1e9,
            less->total / 1e9);
        if (!isnan(less->time.at_once))
            say(text, ", and a program that sends all at once takes %.1f%% longer",
                100 * (less->time.at_once / now->time.at_once - 1));
        if (!isnan(less->time.at_random))
            say(text, ", at random %.1f%%", 100 * (less->time.at_random / now->time.at_random - 1));
    }
    say(text, ".");
    print_wrapped(text);
}

static void print_answer(const topology_answer *a)
{
    const clump_topology *t = &a->topology;
    const clump_assignment *best = &a->assignments[CLUMP_ASSIGN_BEST];
    char text[ANSWER_SIZE] = "";
    say_enough(a, text);
    strcpy(text, "Best:");
    for (size_t i = 0; i < t->processor_count && t->processor_count <= MOST_NAMED; i++)
        say(text, "%s %s:%s", i > 0 ? "," : "", t->parts[t->processors[i]].name,
            t->parts[t->nics[best->nics[i]]].name);
    if (t->processor_count <= MOST_NAMED) {
        say(text, ".");
        print_wrapped(text);
    }
    putchar('\n');
}

static int print_for_eyes(const topology_answer *a, const table_rows *processors,
                          const table_rows *audit, const table_rows *fewer)
{
    const clump_topology *t = &a->topology;
    const size_t sockets = count_kind(t, CLUMP_PART_SOCKET);
    printf("%s: ", t->format);
    print_plural("", t->processor_count, t->gpus ? "GPU" : "core");
    print_plural(", ", t->nic_count, "NIC");
    print_plural(", ", sockets, has_numa_nodes(t) ? "NUMA node" : "socket");
    puts("\n");
    print_answer(a);
    int status = print_tree(t);
    if (status != EXIT_DONE)
        return status;
    bool known = false;
    for (size_t k = 0; k < TOPOLOGY_ASSIGNMENTS; k++)
        known = known || (a->there[k] && isfinite(a->assignments[k].least));
    puts(known ? "\nBandwidth to the network in GB/s (1e9 bytes a second), alone and when all send:"
               : "\nProcessors and their NICs:");
    status = table_print(processors);
    if (status == EXIT_DONE) {
        puts(known ? "\nAssignments of processors to NICs when all send, in GB/s:"
                   : "\nAssignments of processors to NICs:");
        status = table_print(audit);
    }
    const clump_assignment *best = &a->assignments[CLUMP_ASSIGN_BEST];
    if (status == EXIT_DONE && isfinite(best->total) && best->most_total > best->total * (1 + 1e-6))
        printf("Not all assignments were tried: with as fast a slowest one all may have up to %.4g "
               "together (+%.2g%%).\n",
               best->most_total / 1e9, 100 * (best->most_total / best->total - 1));
    if (status == EXIT_DONE && fewer->row_count > 1) {
        puts("\nThe best assignments to fewer NICs, of which the one that is missed least goes "
             "first:");
        status = table_print(fewer);
    }
    if (status == EXIT_DONE && *a->range != '\0' && isfinite(a->total_low[CLUMP_ASSIGN_BEST]))
        printf("\nRange: together, with %s.\n", a->range);
    return status;
}

int topology_print(const topology_answer *a, output_format format)
{
    const clump_topology *t = &a->topology;
    audit_row audits[TOPOLOGY_ASSIGNMENTS];
    count_row fewer_rows[CLUMP_MOST_COUNTED_NICS];
    size_t count;
    make_counts(a, fewer_rows);
    processor_row *rows = make_rows(a, format == FORMAT_TABLE, &count);
    part_row *parts = make_parts(t);
    inside_row *ways = make_inside(t);
    int status;
    if (rows == NULL || parts == NULL || ways == NULL) {
        free(rows);
        free(parts);
        free(ways);
        return error_memory("topology");
    }
    const table_rows processors = {
        .key = "processors", COLUMNS(processor_columns), RECORDS(rows, count)};
    const table_rows audit = {
        .key = "assignments", COLUMNS(audit_columns), RECORDS(audits, make_audit(a, audits))};
    const table_rows fewer = {
        .key = "fewer_nics", COLUMNS(count_columns), RECORDS(fewer_rows, a->count_rows)};
    const table_rows tree = {.key = "parts", COLUMNS(part_columns), RECORDS(parts, t->part_count)};
    const table_rows inside = {
        .key = "inside", COLUMNS(inside_columns), RECORDS(ways, t->inside_count)};
    const output_field fields[] = {
        field_text("format", t->format),
        field_text("kind", t->gpus ? "GPU" : "core"),
        field_size("processor_count", t->processor_count),
        field_size("nic_count", t->nic_count),
        field_size("enough_nics",
                   a->count_rows > 0 ? a->counts[find_enough(a)].count : t->nic_count),
        field_text("notes", t->notes),
    };
    if (format == FORMAT_JSON) {
        const table_rows *const sets[] = {&processors, &audit, &fewer, &tree, &inside};
        status = json_print(sets, 5, fields, sizeof fields / sizeof *fields);
    } else if (format == FORMAT_CSV)
        status = csv_print(&processors);
    else
        status = print_for_eyes(a, &processors, &audit, &fewer);
    free(rows);
    free(parts);
    free(ways);
    return status;
}
