/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/simulation/schedule_operations.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_OPERATIONS = 1 << 30, MOST_SHOWN = 40 };
static const size_t most_cpus = (size_t)1 << 24;
static const uint64_t most_size = UINT64_C(1000000000000000);

typedef struct word {
    const char *text;
    size_t size;
} word;

/* LABEL: of an operation of the rank in hand. */
typedef struct label {
    word name;
    uint32_t operation;
} label;

/* LABEL requires LABEL, until all labels of the rank are known. */
typedef struct requirement {
    word later, earlier;
    uint32_t line;
    bool at_start;
} requirement;

typedef struct dependency {
    uint32_t earlier, later; /* with SCHEDULE_AT_START */
} dependency;

typedef struct list {
    void *items;
    size_t count, room;
} list;

typedef struct parser {
    const char *at, *end;
    uint32_t line;
    clump_schedule *schedule;
    list operations, labels, requirements, dependencies;
    uint8_t *seen; /* ranks that have had their block */
    uint32_t rank;
    clump_error *error;
    clump_status status;
} parser;

/* Room for one more; NULL without memory. */
static void *add(parser *p, list *l, size_t size)
{
    if (l->count == l->room) {
        const size_t room = l->room > 0 ? 2 * l->room : 64;
        void *larger = realloc(l->items, room * size);
        if (larger == NULL) {
            p->status = clump_fail_memory(p->error, "the schedule");
            return NULL;
        }
        l->items = larger;
        l->room = room;
    }
    return (char *)l->items + size * l->count++;
}

/* What stands at the cursor, for messages. */
static void describe(const parser *p, char text[MOST_SHOWN + 16])
{
    size_t n = 0;
    if (p->at == p->end) {
        memcpy(text, "the end of the file", 20);
        return;
    }
    if (*p->at == '\n' || *p->at == '\r') {
        memcpy(text, "the end of the line", 20);
        return;
    }
    text[n++] = '\'';
    for (const char *c = p->at; c < p->end && n <= MOST_SHOWN; c++) {
        const bool separates = *c == ' ' || *c == '\t' || *c == '\n' || *c == '\r';
        if (separates && c > p->at)
            break;
        text[n++] = *c >= ' ' && *c <= '~' ? *c : '?';
    }
    text[n++] = '\'';
    text[n] = '\0';
}

static bool complain(parser *p, const char *expected)
{
    char found[MOST_SHOWN + 16];
    describe(p, found);
    if (p->status == CLUMP_OK)
        p->status = clump_fail(p->error, CLUMP_BAD_ARGUMENT, "line %u: found %s, expected %s",
                               (unsigned)p->line, found, expected);
    return false;
}

/* Blanks and comments that stay within the line. */
static void skip_blanks(parser *p)
{
    while (p->at < p->end) {
        if (*p->at == ' ' || *p->at == '\t' || *p->at == '\r') {
            p->at++;
        } else if (p->end - p->at >= 2 && p->at[0] == '/' && p->at[1] == '/') {
            while (p->at < p->end && *p->at != '\n')
                p->at++;
        } else if (p->end - p->at >= 2 && p->at[0] == '/' && p->at[1] == '*') {
            const char *c = p->at + 2;
            uint32_t lines = 0;
            while (p->end - c >= 2 && !(c[0] == '*' && c[1] == '/'))
                lines += *c++ == '\n';
            if (p->end - c < 2)
                return; /* complained about as what it begins with */
            p->line += lines;
            p->at = c + 2;
        } else {
            return;
        }
    }
}

static void skip_lines(parser *p)
{
    for (skip_blanks(p); p->at < p->end && *p->at == '\n'; skip_blanks(p)) {
        p->line++;
        p->at++;
    }
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static word read_word(parser *p)
{
    skip_blanks(p);
    word w = {p->at, 0};
    if (p->at < p->end && is_letter(*p->at))
        while (p->at < p->end && (is_letter(*p->at) || is_digit(*p->at) || *p->at == '_'))
            p->at++;
    w.size = (size_t)(p->at - w.text);
    return w;
}

static bool is(word w, const char *text)
{
    return w.size == strlen(text) && memcmp(w.text, text, w.size) == 0;
}

static bool accept(parser *p, const char *text)
{
    const char *before = p->at;
    if (is(read_word(p), text))
        return true;
    p->at = before;
    return false;
}

static bool accept_sign(parser *p, char sign)
{
    skip_blanks(p);
    if (p->at == p->end || *p->at != sign)
        return false;
    p->at++;
    return true;
}

static bool read_number(parser *p, uint64_t most, const char *expected, uint64_t *number)
{
    skip_blanks(p);
    const char *start = p->at;
    uint64_t n = 0;
    while (p->at < p->end && is_digit(*p->at) && n <= most)
        n = 10 * n + (uint64_t)(*p->at++ - '0');
    if (p->at == start || n > most) {
        p->at = start;
        return complain(p, expected);
    }
    *number = n;
    return true;
}

/* -1, or a number. */
static bool read_any(parser *p, uint64_t most, const char *expected, uint32_t *found)
{
    uint64_t number = 0;
    skip_blanks(p);
    if (p->end - p->at >= 2 && p->at[0] == '-' && p->at[1] == '1' &&
        (p->end - p->at == 2 || !is_digit(p->at[2]))) {
        p->at += 2;
        *found = SCHEDULE_ANY;
        p->schedule->wildcards = true;
        return true;
    }
    if (!read_number(p, most, expected, &number))
        return false;
    *found = (uint32_t)number;
    return true;
}

static bool read_options(parser *p, schedule_operation *o)
{
    uint64_t number = 0;
    for (;;) {
        if (o->kind != SCHEDULE_CALC && accept(p, "tag")) {
            if (o->kind == SCHEDULE_RECV) {
                if (!read_any(p, SCHEDULE_ANY - 1, "a tag, or -1 for any", &o->tag))
                    return false;
            } else {
                if (!read_number(p, SCHEDULE_ANY - 1, "a tag", &number))
                    return false;
                o->tag = (uint32_t)number;
            }
        } else if (accept(p, "cpu")) {
            if (!read_number(p, SCHEDULE_CPUS - 1, "a CPU, 0 to 63", &number))
                return false;
            o->cpu = (uint8_t)number;
            if (number >= p->schedule->cpus)
                p->schedule->cpus = (unsigned)number + 1;
        } else if (accept(p, "nic")) {
            if (!read_number(p, 255, "a NIC, 0 to 255", &number))
                return false;
        } else {
            return true;
        }
    }
}

static bool read_message(parser *p, schedule_operation *o)
{
    const bool sends = o->kind == SCHEDULE_SEND;
    if (!read_number(p, most_size, "a size, 0 to 10^15 bytes", &o->size))
        return false;
    if (!accept(p, "b"))
        return complain(p, "'b' after the size");
    if (!accept(p, sends ? "to" : "from"))
        return complain(p, sends ? "'to'" : "'from'");
    uint64_t peer = 0;
    if (sends) {
        if (!read_number(p, p->schedule->ranks - 1, "a rank below num_ranks", &peer))
            return false;
        o->peer = (uint32_t)peer;
    } else if (!read_any(p, p->schedule->ranks - 1, "a rank below num_ranks, or -1 for any",
                         &o->peer)) {
        return false;
    }
    return true;
}

static bool read_operation(parser *p, word kind, word name)
{
    schedule_operation o = {.rank = p->rank, .line = p->line};
    if (is(kind, "send"))
        o.kind = SCHEDULE_SEND;
    else if (is(kind, "recv"))
        o.kind = SCHEDULE_RECV;
    else
        o.kind = SCHEDULE_CALC;
    if (o.kind == SCHEDULE_CALC) {
        if (!read_number(p, most_size, "a time, 0 to 10^15 nanoseconds", &o.size))
            return false;
    } else if (!read_message(p, &o)) {
        return false;
    }
    if (!read_options(p, &o))
        return false;
    if (p->operations.count >= MOST_OPERATIONS)
        return complain(p, "2^30 operations at most");
    if (name.size > 0) {
        label *l = add(p, &p->labels, sizeof *l);
        if (l == NULL)
            return false;
        *l = (label){name, (uint32_t)p->operations.count};
    }
    schedule_operation *place = add(p, &p->operations, sizeof *place);
    if (place != NULL)
        *place = o;
    return place != NULL;
}

static bool is_operation(word w)
{
    return is(w, "send") || is(w, "recv") || is(w, "calc");
}

static bool read_statement(parser *p)
{
    static const char expected[] = "send, recv, calc, a label, or '}'";
    static const word unnamed = {NULL, 0};
    const char *start = p->at;
    const word first = read_word(p);
    if (first.size == 0)
        return complain(p, expected);
    if (is_operation(first))
        return read_operation(p, first, unnamed);
    if (accept_sign(p, ':')) {
        const word kind = read_word(p);
        if (!is_operation(kind)) {
            p->at = kind.text;
            return complain(p, "send, recv or calc");
        }
        return read_operation(p, kind, first);
    }
    const bool at_start = accept(p, "irequires");
    if (!at_start && !accept(p, "requires")) {
        skip_blanks(p);
        if (p->at == p->end || *p->at == '\n')
            p->at = start;
        return complain(p, "':', requires or irequires after a label");
    }
    const word earlier = read_word(p);
    if (earlier.size == 0)
        return complain(p, "a label");
    requirement *r = add(p, &p->requirements, sizeof *r);
    if (r != NULL)
        *r = (requirement){first, earlier, p->line, at_start};
    return r != NULL;
}

static int compare_words(word a, word b)
{
    const size_t size = a.size < b.size ? a.size : b.size;
    const int order = memcmp(a.text, b.text, size);
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

static int compare_labels(const void *a, const void *b)
{
    return compare_words(((const label *)a)->name, ((const label *)b)->name);
}

static const label *find_label(const parser *p, word name)
{
    const label wanted = {name, 0};
    return p->labels.count == 0
               ? NULL
               : bsearch(&wanted, p->labels.items, p->labels.count, sizeof wanted, compare_labels);
}

static bool complain_label(parser *p, uint32_t line, word name, const char *what)
{
    char shown[MOST_SHOWN + 1];
    const size_t size = name.size < MOST_SHOWN ? name.size : MOST_SHOWN;
    memcpy(shown, name.text, size);
    shown[size] = '\0';
    p->status = clump_fail(p->error, CLUMP_BAD_ARGUMENT, "line %u: label '%s' %s of rank %u",
                           (unsigned)line, shown, what, (unsigned)p->rank);
    return false;
}

/* All labels of the rank are known. */
static bool resolve(parser *p)
{
    label *labels = p->labels.items;
    if (p->labels.count > 0)
        qsort(labels, p->labels.count, sizeof *labels, compare_labels);
    for (size_t i = 1; i < p->labels.count; i++)
        if (compare_labels(&labels[i - 1], &labels[i]) == 0) {
            const uint32_t a = labels[i].operation, b = labels[i - 1].operation;
            const schedule_operation *operations = p->operations.items;
            return complain_label(p, operations[a > b ? a : b].line, labels[i].name,
                                  "is found twice, expected once among the operations");
        }
    for (size_t i = 0; i < p->requirements.count; i++) {
        const requirement *r = (const requirement *)p->requirements.items + i;
        const label *later = find_label(p, r->later), *earlier = find_label(p, r->earlier);
        if (later == NULL || earlier == NULL)
            return complain_label(p, r->line, later == NULL ? r->later : r->earlier,
                                  "is not found among the operations");
        dependency *d = add(p, &p->dependencies, sizeof *d);
        if (d == NULL)
            return false;
        p->schedule->at_start = p->schedule->at_start || r->at_start;
        *d = (dependency){earlier->operation,
                          later->operation | (r->at_start ? SCHEDULE_AT_START : 0)};
    }
    p->labels.count = p->requirements.count = 0;
    return true;
}

static bool end_of_line(parser *p)
{
    skip_blanks(p);
    if (p->at == p->end || *p->at == '\n' || *p->at == '}')
        return true;
    return complain(p, "the end of the line");
}

static bool read_rank(parser *p)
{
    uint64_t rank = 0;
    const uint32_t line = p->line;
    if (!read_number(p, p->schedule->ranks - 1, "a rank below num_ranks", &rank))
        return false;
    p->rank = (uint32_t)rank;
    if (p->seen[rank]) {
        p->status = clump_fail(p->error, CLUMP_BAD_ARGUMENT,
                               "line %u: found a second block of rank %u, expected one at most",
                               (unsigned)line, (unsigned)rank);
        return false;
    }
    p->seen[rank] = 1;
    skip_lines(p);
    if (!accept_sign(p, '{'))
        return complain(p, "'{'");
    for (skip_lines(p); !accept_sign(p, '}'); skip_lines(p)) {
        if (p->at == p->end)
            return complain(p, "'}' at the end of the rank");
        if (!read_statement(p) || !end_of_line(p))
            return false;
    }
    return resolve(p);
}

static bool read_file(parser *p)
{
    uint64_t ranks = 0;
    skip_lines(p);
    if (!accept(p, "num_ranks"))
        return complain(p, "num_ranks and how many there are");
    if (!read_number(p, CLUMP_SCHEDULE_MOST_RANKS, "a number of ranks, 1 to 2^22", &ranks))
        return false;
    if (ranks == 0) {
        p->at--;
        return complain(p, "a number of ranks, 1 to 2^22");
    }
    p->schedule->ranks = (size_t)ranks;
    p->seen = calloc((size_t)ranks, 1);
    if (p->seen == NULL) {
        p->status = clump_fail_memory(p->error, "the ranks");
        return false;
    }
    for (skip_lines(p); p->at < p->end; skip_lines(p)) {
        if (!accept(p, "rank"))
            return complain(p, "rank, its number and '{'");
        if (!read_rank(p))
            return false;
    }
    if (p->schedule->ranks * p->schedule->cpus > most_cpus)
        return complain(p, "2^24 CPUs at most, those of all ranks together");
    return true;
}

/* Dependents of each operation, one after the other. */
static bool connect(parser *p)
{
    clump_schedule *s = p->schedule;
    const dependency *all = p->dependencies.items;
    schedule_operation *last = add(p, &p->operations, sizeof *last);
    s->edges = malloc((p->dependencies.count + 1) * sizeof *s->edges);
    if (last == NULL || s->edges == NULL || p->dependencies.count > UINT32_MAX / 2) {
        p->status = clump_fail_memory(p->error, "the dependencies");
        return false;
    }
    *last = (schedule_operation){0};
    s->operations = p->operations.items;
    s->count = p->operations.count - 1;
    s->edge_count = p->dependencies.count;
    p->operations.items = NULL;
    for (size_t i = 0; i < s->edge_count; i++) {
        s->operations[all[i].earlier].first_edge++;
        s->operations[all[i].later & ~SCHEDULE_AT_START].needs++;
    }
    uint32_t sum = 0;
    for (size_t i = 0; i <= s->count; i++) {
        sum += s->operations[i].first_edge;
        s->operations[i].first_edge = sum;
    }
    for (size_t i = s->edge_count; i-- > 0;)
        s->edges[--s->operations[all[i].earlier].first_edge] = all[i].later;
    if (!schedule_number_channels(s)) {
        p->status = clump_fail_memory(p->error, "the messages");
        return false;
    }
    return true;
}

clump_status clump_schedule_parse(const char *text, size_t size, clump_schedule **schedule,
                                  clump_error *error)
{
    parser p = {.at = text, .end = text + size, .line = 1, .error = error};
    p.schedule = calloc(1, sizeof *p.schedule);
    if (p.schedule == NULL)
        return clump_fail_memory(error, "the schedule");
    p.schedule->cpus = 1;
    const bool done = read_file(&p) && connect(&p);
    free(p.operations.items);
    free(p.labels.items);
    free(p.requirements.items);
    free(p.dependencies.items);
    free(p.seen);
    if (!done) {
        clump_schedule_free(p.schedule);
        return p.status;
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
