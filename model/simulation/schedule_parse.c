/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/simulation/schedule_labels.h"
#include "model/simulation/schedule_operations.h"
#include "model/simulation/schedule_reader.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_OPERATIONS = 1 << 30 };
static const size_t most_cpus = (size_t)1 << 24;
static const uint64_t most_size = UINT64_C(1000000000000000);

typedef struct parser {
    schedule_reader text;
    clump_schedule *schedule;
    schedule_list operations;
    schedule_labels labels;
    uint8_t *seen; /* ranks that have had their block */
    uint32_t rank;
} parser;

/* -1, or a number. */
static bool read_any(parser *p, uint64_t most, const char *expected, uint32_t *found)
{
    uint64_t number = 0;
    schedule_skip_blanks(&p->text);
    if (p->text.end - p->text.at >= 2 && p->text.at[0] == '-' && p->text.at[1] == '1' &&
        (p->text.end - p->text.at == 2 || !schedule_is_digit(p->text.at[2]))) {
        p->text.at += 2;
        *found = SCHEDULE_ANY;
        p->schedule->wildcards = true;
        return true;
    }
    if (!schedule_read_number(&p->text, most, expected, &number))
        return false;
    *found = (uint32_t)number;
    return true;
}

static bool read_options(parser *p, schedule_operation *o)
{
    uint64_t number = 0;
    for (;;) {
        if (o->kind != SCHEDULE_CALC && schedule_accept(&p->text, "tag")) {
            if (o->kind == SCHEDULE_RECV) {
                if (!read_any(p, SCHEDULE_ANY - 1, "a tag, or -1 for any", &o->tag))
                    return false;
            } else {
                if (!schedule_read_number(&p->text, SCHEDULE_ANY - 1, "a tag", &number))
                    return false;
                o->tag = (uint32_t)number;
            }
        } else if (schedule_accept(&p->text, "cpu")) {
            if (!schedule_read_number(&p->text, SCHEDULE_CPUS - 1, "a CPU, 0 to 63", &number))
                return false;
            o->cpu = (uint8_t)number;
            if (number >= p->schedule->cpus)
                p->schedule->cpus = (unsigned)number + 1;
        } else if (schedule_accept(&p->text, "nic")) {
            if (!schedule_read_number(&p->text, 255, "a NIC, 0 to 255", &number))
                return false;
        } else {
            return true;
        }
    }
}

static bool read_message(parser *p, schedule_operation *o)
{
    const bool sends = o->kind == SCHEDULE_SEND;
    if (!schedule_read_number(&p->text, most_size, "a size, 0 to 10^15 bytes", &o->size))
        return false;
    if (!schedule_accept(&p->text, "b"))
        return schedule_complain(&p->text, "'b' after the size");
    if (!schedule_accept(&p->text, sends ? "to" : "from"))
        return schedule_complain(&p->text, sends ? "'to'" : "'from'");
    uint64_t peer = 0;
    if (sends) {
        if (!schedule_read_number(&p->text, p->schedule->ranks - 1, "a rank below num_ranks",
                                  &peer))
            return false;
        o->peer = (uint32_t)peer;
    } else if (!read_any(p, p->schedule->ranks - 1, "a rank below num_ranks, or -1 for any",
                         &o->peer)) {
        return false;
    }
    return true;
}

static bool read_operation(parser *p, schedule_word kind, schedule_word name)
{
    schedule_operation o = {.rank = p->rank, .line = p->text.line};
    if (schedule_is(kind, "send"))
        o.kind = SCHEDULE_SEND;
    else if (schedule_is(kind, "recv"))
        o.kind = SCHEDULE_RECV;
    else
        o.kind = SCHEDULE_CALC;
    if (o.kind == SCHEDULE_CALC) {
        if (!schedule_read_number(&p->text, most_size, "a time, 0 to 10^15 nanoseconds", &o.size))
            return false;
    } else if (!read_message(p, &o)) {
        return false;
    }
    if (!read_options(p, &o))
        return false;
    if (p->operations.count >= MOST_OPERATIONS)
        return schedule_complain(&p->text, "2^30 operations at most");
    if (name.size > 0 &&
        !schedule_labels_name(&p->text, &p->labels, name, (uint32_t)p->operations.count))
        return false;
    schedule_operation *place = schedule_add(&p->text, &p->operations, sizeof *place);
    if (place != NULL)
        *place = o;
    return place != NULL;
}

static bool is_operation(schedule_word w)
{
    return schedule_is(w, "send") || schedule_is(w, "recv") || schedule_is(w, "calc");
}

static bool read_statement(parser *p)
{
    static const char expected[] = "send, recv, calc, a label, or '}'";
    static const schedule_word unnamed = {NULL, 0};
    const char *start = p->text.at;
    const schedule_word first = schedule_read_word(&p->text);
    if (first.size == 0)
        return schedule_complain(&p->text, expected);
    if (is_operation(first))
        return read_operation(p, first, unnamed);
    if (schedule_accept_sign(&p->text, ':')) {
        const schedule_word kind = schedule_read_word(&p->text);
        if (!is_operation(kind)) {
            p->text.at = kind.text;
            return schedule_complain(&p->text, "send, recv or calc");
        }
        return read_operation(p, kind, first);
    }
    const bool at_start = schedule_accept(&p->text, "irequires");
    if (!at_start && !schedule_accept(&p->text, "requires")) {
        schedule_skip_blanks(&p->text);
        if (p->text.at == p->text.end || *p->text.at == '\n')
            p->text.at = start;
        return schedule_complain(&p->text, "':', requires or irequires after a label");
    }
    const schedule_word earlier = schedule_read_word(&p->text);
    if (earlier.size == 0)
        return schedule_complain(&p->text, "a label");
    return schedule_labels_require(&p->text, &p->labels, first, earlier, at_start);
}

static bool end_of_line(parser *p)
{
    schedule_skip_blanks(&p->text);
    if (p->text.at == p->text.end || *p->text.at == '\n' || *p->text.at == '}')
        return true;
    return schedule_complain(&p->text, "the end of the line");
}

static bool read_rank(parser *p)
{
    uint64_t rank = 0;
    const uint32_t line = p->text.line;
    if (!schedule_read_number(&p->text, p->schedule->ranks - 1, "a rank below num_ranks", &rank))
        return false;
    p->rank = (uint32_t)rank;
    if (p->seen[rank]) {
        p->text.status =
            clump_fail(p->text.error, CLUMP_BAD_ARGUMENT,
                       "line %u: found a second block of rank %u, expected one at most",
                       (unsigned)line, (unsigned)rank);
        return false;
    }
    p->seen[rank] = 1;
    schedule_skip_lines(&p->text);
    if (!schedule_accept_sign(&p->text, '{'))
        return schedule_complain(&p->text, "'{'");
    for (schedule_skip_lines(&p->text); !schedule_accept_sign(&p->text, '}');
         schedule_skip_lines(&p->text)) {
        if (p->text.at == p->text.end)
            return schedule_complain(&p->text, "'}' at the end of the rank");
        if (!read_statement(p) || !end_of_line(p))
            return false;
    }
    return schedule_labels_resolve(&p->text, &p->labels, p->rank, p->operations.items,
                                   &p->schedule->at_start);
}

static bool read_file(parser *p)
{
    uint64_t ranks = 0;
    schedule_skip_lines(&p->text);
    if (!schedule_accept(&p->text, "num_ranks"))
        return schedule_complain(&p->text, "num_ranks and how many there are");
    if (!schedule_read_number(&p->text, CLUMP_SCHEDULE_MOST_RANKS, "a number of ranks, 1 to 2^22",
                              &ranks))
        return false;
    if (ranks == 0) {
        p->text.at--;
        return schedule_complain(&p->text, "a number of ranks, 1 to 2^22");
    }
    p->schedule->ranks = (size_t)ranks;
    p->seen = calloc((size_t)ranks, 1);
    if (p->seen == NULL) {
        p->text.status = clump_fail_memory(p->text.error, "the ranks");
        return false;
    }
    for (schedule_skip_lines(&p->text); p->text.at < p->text.end; schedule_skip_lines(&p->text)) {
        if (!schedule_accept(&p->text, "rank"))
            return schedule_complain(&p->text, "rank, its number and '{'");
        if (!read_rank(p))
            return false;
    }
    if (p->schedule->ranks * p->schedule->cpus > most_cpus)
        return schedule_complain(&p->text, "2^24 CPUs at most, those of all ranks together");
    return true;
}

/* The operations with their dependents and channels; one more operation ends the last one's. */
static bool finish(parser *p)
{
    clump_schedule *s = p->schedule;
    schedule_operation *last = schedule_add(&p->text, &p->operations, sizeof *last);
    if (last == NULL)
        return false;
    *last = (schedule_operation){0};
    s->operations = p->operations.items;
    s->count = p->operations.count - 1;
    p->operations.items = NULL;
    if (!schedule_labels_connect(&p->labels, s)) {
        p->text.status = clump_fail_memory(p->text.error, "the dependencies");
        return false;
    }
    if (!schedule_number_channels(s)) {
        p->text.status = clump_fail_memory(p->text.error, "the messages");
        return false;
    }
    return true;
}

clump_status clump_schedule_parse(const char *text, size_t size, clump_schedule **schedule,
                                  clump_error *error)
{
    parser p = {.text = {.at = text, .end = text + size, .line = 1, .error = error}};
    p.schedule = calloc(1, sizeof *p.schedule);
    if (p.schedule == NULL)
        return clump_fail_memory(error, "the schedule");
    p.schedule->cpus = 1;
    const bool done = read_file(&p) && finish(&p);
    free(p.operations.items);
    schedule_labels_free(&p.labels);
    free(p.seen);
    if (!done) {
        clump_schedule_free(p.schedule);
        return p.text.status;
    }
    *schedule = p.schedule;
    return CLUMP_OK;
}

void clump_schedule_free(clump_schedule *schedule)
{
    if (schedule == NULL)
        return;
    free(schedule->operations);
    free(schedule->edges);
    free(schedule);
}

size_t clump_schedule_ranks(const clump_schedule *schedule)
{
    return schedule->ranks;
}

size_t clump_schedule_operations(const clump_schedule *schedule)
{
    return schedule->count;
}
