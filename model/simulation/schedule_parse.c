/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Schedules in GOAL are read (schedule.h): the text word by word, statements and labels. What fails says so in the error of the reader: the first complaint
 * stays.
 */
#include "model/simulation/schedule_builder.h"
#include "model/simulation/schedule_operations.h"

#include <stdlib.h>
#include <string.h>

/* ---- the text, and lists that grow */

enum { SHOWN = 40 }; /* characters of what was found, in messages */

typedef struct word {
    const char *text; /* in the schedule's text */
    size_t size;
} word;

typedef struct list {
    void *items;
    size_t count, room;
} list;

typedef struct parser {
    const char *at, *end;
    uint32_t line;
    clump_error *error;
    clump_status status;
    clump_schedule_builder *builder;
    clump_schedule *schedule; /* of the builder */
    uint8_t *seen;            /* ranks that have had their block */
    uint32_t rank;
    list names, requirements; /* of the rank: labels, and what requires what */
} parser;

/* LABEL: of an operation. */
typedef struct label {
    word name;
    uint32_t operation;
} label;

/* LABEL requires LABEL. */
typedef struct requirement {
    word later, earlier;
    uint32_t line;
    bool at_start;
} requirement;

static bool no_memory(parser *p)
{
    if (p->status == CLUMP_OK)
        p->status = clump_fail_memory(p->error, "the schedule");
    return false;
}

/** Room for one more item of `size` bytes; NULL without memory. */
static void *add_item(parser *p, list *l, size_t size)
{
    if (l->count == l->room) {
        const size_t room = l->room > 0 ? 2 * l->room : 64;
        void *larger = realloc(l->items, room * size);
        if (larger == NULL) {
            no_memory(p);
            return NULL;
        }
        l->items = larger;
        l->room = room;
    }
    return (char *)l->items + size * l->count++;
}

/* What stands at the cursor, for messages. */
static void describe(const parser *p, char text[SHOWN + 16])
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
    for (const char *c = p->at; c < p->end && n <= SHOWN; c++) {
        const bool separates = *c == ' ' || *c == '\t' || *c == '\n' || *c == '\r';
        if (separates && c > p->at)
            break;
        text[n++] = *c >= ' ' && *c <= '~' ? *c : '?';
    }
    text[n++] = '\'';
    text[n] = '\0';
}

/** "line N: found ..., expected ...". @return false */
static bool complain(parser *p, const char *expected)
{
    char found[SHOWN + 16];
    describe(p, found);
    if (p->status == CLUMP_OK)
        p->status = clump_fail(p->error, CLUMP_BAD_ARGUMENT, "line %u: found %s, expected %s",
                               (unsigned)p->line, found, expected);
    return false;
}

/** Blanks and comments that begin in the line; the others go on over the ends of lines. */
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

/** Letters, digits and _, a letter first; of size 0 if something else is there. */
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

static inline bool is(word w, const char *text)
{
    const size_t size = strlen(text); /* a constant, where this is called */
    return w.size == size && memcmp(w.text, text, size) == 0;
}

/** Step over this word or sign if it comes next. */
static inline bool accept(parser *p, const char *text)
{
    const char *before = p->at;
    const uint32_t line = p->line; /* of comments that are stepped over again */
    if (is(read_word(p), text))
        return true;
    p->at = before;
    p->line = line;
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

/** A whole number up to `most`. */
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

/* ---- labels of the operations of a rank, and what requires what: kept until the rank ends,
 * because a label may be used before it stands anywhere */

/** The operation has this label. false: the reader's error says why. */
static bool name_operation(parser *p, word name, uint32_t operation)
{
    label *l = add_item(p, &p->names, sizeof *l);
    if (l != NULL)
        *l = (label){name, operation};
    return l != NULL;
}

/** The one requires the other, its start only if `at_start`. */
static bool require(parser *p, word later, word earlier, bool at_start)
{
    requirement *q = add_item(p, &p->requirements, sizeof *q);
    if (q != NULL)
        *q = (requirement){later, earlier, p->line, at_start};
    return q != NULL;
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
    return p->names.count == 0
               ? NULL
               : bsearch(&wanted, p->names.items, p->names.count, sizeof wanted, compare_labels);
}

static bool complain_label(parser *p, uint32_t rank, uint32_t line, word name, const char *what)
{
    char shown[SHOWN + 1];
    const size_t size = name.size < SHOWN ? name.size : SHOWN;
    memcpy(shown, name.text, size);
    shown[size] = '\0';
    p->status = clump_fail(p->error, CLUMP_BAD_ARGUMENT, "line %u: label '%s' %s of rank %u",
                           (unsigned)line, shown, what, (unsigned)rank);
    return false;
}

/* ---- statements */

static const size_t most_cpus = (size_t)1 << 24;

/** The rank ends: all its labels are known. */
static bool resolve_labels(parser *p)
{
    label *labels = p->names.items;
    if (p->names.count > 0)
        qsort(labels, p->names.count, sizeof *labels, compare_labels);
    for (size_t i = 1; i < p->names.count; i++)
        if (compare_labels(&labels[i - 1], &labels[i]) == 0) {
            const uint32_t a = labels[i].operation, b = labels[i - 1].operation;
            return complain_label(p, p->rank, p->schedule->operations[a > b ? a : b].line,
                                  labels[i].name,
                                  "is found twice, expected once among the operations");
        }
    for (size_t i = 0; i < p->requirements.count; i++) {
        const requirement *q = (const requirement *)p->requirements.items + i;
        const label *later = find_label(p, q->later), *earlier = find_label(p, q->earlier);
        if (later == NULL || earlier == NULL)
            return complain_label(p, p->rank, q->line, later == NULL ? q->later : q->earlier,
                                  "is not found among the operations");
        p->schedule->at_start = p->schedule->at_start || q->at_start;
        if (!schedule_depend(p->builder, earlier->operation,
                             later->operation | (q->at_start ? SCHEDULE_AT_START : 0)))
            return no_memory(p);
    }
    p->names.count = p->requirements.count = 0;
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
        skip_blanks(p);
        if (p->at == p->end || *p->at == '\n')
            return true;
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
    if (!read_number(p, SCHEDULE_MOST_SIZE, "a size, 0 to 10^15 bytes", &o->size))
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
        if (!read_number(p, SCHEDULE_MOST_SIZE, "a time, 0 to 10^15 nanoseconds", &o.size))
            return false;
    } else if (!read_message(p, &o)) {
        return false;
    }
    if (!read_options(p, &o))
        return false;
    if (p->schedule->count >= SCHEDULE_MOST_OPERATIONS)
        return complain(p, "2^30 operations at most");
    if (name.size > 0 && !name_operation(p, name, (uint32_t)p->schedule->count))
        return false;
    return schedule_add(p->builder, &o) || no_memory(p);
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
    return require(p, first, earlier, at_start);
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
    return resolve_labels(p);
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
    if (p->seen == NULL)
        return no_memory(p);
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

clump_status clump_schedule_parse(const char *text, size_t size, clump_schedule **schedule,
                                  clump_error *error)
{
    parser p = {.at = text, .end = text + size, .line = 1, .error = error};
    const clump_status made = clump_schedule_builder_make(1, &p.builder, error);
    if (made != CLUMP_OK)
        return made;
    p.schedule = schedule_of(p.builder);
    p.schedule->place = "line";
    const bool done = read_file(&p) && p.status == CLUMP_OK;
    free(p.names.items);
    free(p.requirements.items);
    free(p.seen);
    if (done)
        return schedule_finish(p.builder, schedule, error);
    clump_schedule_builder_free(p.builder);
    return p.status;
}
