/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Schedules in GOAL are read (schedule.h): the text word by word, statements and labels. What fails says so in the error of the reader: the first complaint
 * stays.
 */
#include "model/simulation/schedule_build.h"

#include <stdlib.h>
#include <string.h>

/* ---- the text, and lists that grow */

enum { SCHEDULE_SHOWN = 40 }; /* characters of what was found, in messages */

typedef struct schedule_word {
    const char *text; /* in the schedule's text */
    size_t size;
} schedule_word;

typedef struct schedule_list {
    void *items;
    size_t count, room;
} schedule_list;

typedef struct schedule_reader {
    const char *at, *end;
    uint32_t line;
    clump_error *error;
    clump_status status;
    schedule_list names, requirements; /* of the rank in hand: labels, and what requires what */
} schedule_reader;

/* LABEL: of an operation. */
typedef struct label {
    schedule_word name;
    uint32_t operation;
} label;

/* LABEL requires LABEL. */
typedef struct requirement {
    schedule_word later, earlier;
    uint32_t line;
    bool at_start;
} requirement;

/** Room for one more item of `size` bytes; NULL without memory. */
static void *schedule_add(schedule_reader *r, schedule_list *l, size_t size)
{
    if (l->count == l->room) {
        const size_t room = l->room > 0 ? 2 * l->room : 64;
        void *larger = realloc(l->items, room * size);
        if (larger == NULL) {
            r->status = clump_fail_memory(r->error, "the schedule");
            return NULL;
        }
        l->items = larger;
        l->room = room;
    }
    return (char *)l->items + size * l->count++;
}

/* What stands at the cursor, for messages. */
static void describe(const schedule_reader *r, char text[SCHEDULE_SHOWN + 16])
{
    size_t n = 0;
    if (r->at == r->end) {
        memcpy(text, "the end of the file", 20);
        return;
    }
    if (*r->at == '\n' || *r->at == '\r') {
        memcpy(text, "the end of the line", 20);
        return;
    }
    text[n++] = '\'';
    for (const char *c = r->at; c < r->end && n <= SCHEDULE_SHOWN; c++) {
        const bool separates = *c == ' ' || *c == '\t' || *c == '\n' || *c == '\r';
        if (separates && c > r->at)
            break;
        text[n++] = *c >= ' ' && *c <= '~' ? *c : '?';
    }
    text[n++] = '\'';
    text[n] = '\0';
}

/** "line N: found ..., expected ...". @return false */
static bool schedule_complain(schedule_reader *r, const char *expected)
{
    char found[SCHEDULE_SHOWN + 16];
    describe(r, found);
    if (r->status == CLUMP_OK)
        r->status = clump_fail(r->error, CLUMP_BAD_ARGUMENT, "line %u: found %s, expected %s",
                               (unsigned)r->line, found, expected);
    return false;
}

/** Blanks and comments that begin in the line; the others go on over the ends of lines. */
static void schedule_skip_blanks(schedule_reader *r)
{
    while (r->at < r->end) {
        if (*r->at == ' ' || *r->at == '\t' || *r->at == '\r') {
            r->at++;
        } else if (r->end - r->at >= 2 && r->at[0] == '/' && r->at[1] == '/') {
            while (r->at < r->end && *r->at != '\n')
                r->at++;
        } else if (r->end - r->at >= 2 && r->at[0] == '/' && r->at[1] == '*') {
            const char *c = r->at + 2;
            uint32_t lines = 0;
            while (r->end - c >= 2 && !(c[0] == '*' && c[1] == '/'))
                lines += *c++ == '\n';
            if (r->end - c < 2)
                return; /* complained about as what it begins with */
            r->line += lines;
            r->at = c + 2;
        } else {
            return;
        }
    }
}

static void schedule_skip_lines(schedule_reader *r)
{
    for (schedule_skip_blanks(r); r->at < r->end && *r->at == '\n'; schedule_skip_blanks(r)) {
        r->line++;
        r->at++;
    }
}

static bool schedule_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/** Letters, digits and _, a letter first; of size 0 if something else is there. */
static schedule_word schedule_read_word(schedule_reader *r)
{
    schedule_skip_blanks(r);
    schedule_word w = {r->at, 0};
    if (r->at < r->end && is_letter(*r->at))
        while (r->at < r->end && (is_letter(*r->at) || schedule_is_digit(*r->at) || *r->at == '_'))
            r->at++;
    w.size = (size_t)(r->at - w.text);
    return w;
}

static inline bool schedule_is(schedule_word w, const char *text)
{
    const size_t size = strlen(text); /* a constant, where this is called */
    return w.size == size && memcmp(w.text, text, size) == 0;
}

/** Step over this word or sign if it comes next. */
static inline bool schedule_accept(schedule_reader *r, const char *text)
{
    const char *before = r->at;
    const uint32_t line = r->line; /* of comments that are stepped over again */
    if (schedule_is(schedule_read_word(r), text))
        return true;
    r->at = before;
    r->line = line;
    return false;
}

static bool schedule_accept_sign(schedule_reader *r, char sign)
{
    schedule_skip_blanks(r);
    if (r->at == r->end || *r->at != sign)
        return false;
    r->at++;
    return true;
}

/** A whole number up to `most`. */
static bool schedule_read_number(schedule_reader *r, uint64_t most, const char *expected,
                                 uint64_t *number)
{
    schedule_skip_blanks(r);
    const char *start = r->at;
    uint64_t n = 0;
    while (r->at < r->end && schedule_is_digit(*r->at) && n <= most)
        n = 10 * n + (uint64_t)(*r->at++ - '0');
    if (r->at == start || n > most) {
        r->at = start;
        return schedule_complain(r, expected);
    }
    *number = n;
    return true;
}

/* ---- labels of the operations of a rank, and what requires what: kept until the rank ends,
 * because a label may be used before it stands anywhere */

/** The operation has this label. false: the reader's error says why. */
static bool schedule_labels_name(schedule_reader *r, schedule_word name, uint32_t operation)
{
    label *l = schedule_add(r, &r->names, sizeof *l);
    if (l != NULL)
        *l = (label){name, operation};
    return l != NULL;
}

/** The one requires the other, its start only if `at_start`. */
static bool schedule_labels_require(schedule_reader *r, schedule_word later, schedule_word earlier,
                                    bool at_start)
{
    requirement *q = schedule_add(r, &r->requirements, sizeof *q);
    if (q != NULL)
        *q = (requirement){later, earlier, r->line, at_start};
    return q != NULL;
}

static int compare_words(schedule_word a, schedule_word b)
{
    const size_t size = a.size < b.size ? a.size : b.size;
    const int order = memcmp(a.text, b.text, size);
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

static int compare_labels(const void *a, const void *b)
{
    return compare_words(((const label *)a)->name, ((const label *)b)->name);
}

static const label *find_label(const schedule_reader *r, schedule_word name)
{
    const label wanted = {name, 0};
    return r->names.count == 0
               ? NULL
               : bsearch(&wanted, r->names.items, r->names.count, sizeof wanted, compare_labels);
}

static bool complain_label(schedule_reader *r, uint32_t rank, uint32_t line, schedule_word name,
                           const char *what)
{
    char shown[SCHEDULE_SHOWN + 1];
    const size_t size = name.size < SCHEDULE_SHOWN ? name.size : SCHEDULE_SHOWN;
    memcpy(shown, name.text, size);
    shown[size] = '\0';
    r->status = clump_fail(r->error, CLUMP_BAD_ARGUMENT, "line %u: label '%s' %s of rank %u",
                           (unsigned)line, shown, what, (unsigned)rank);
    return false;
}

/** The rank ends: all its labels are known. Its first operation is number `first` of all. `*at_start` becomes true if
 * any start is required. */
static bool schedule_labels_resolve(schedule_reader *r, uint32_t rank,
                                    const schedule_operation *operations, uint32_t first,
                                    schedule_list *dependencies, bool *at_start)
{
    label *labels = r->names.items;
    if (r->names.count > 0)
        qsort(labels, r->names.count, sizeof *labels, compare_labels);
    for (size_t i = 1; i < r->names.count; i++)
        if (compare_labels(&labels[i - 1], &labels[i]) == 0) {
            const uint32_t a = labels[i].operation, b = labels[i - 1].operation;
            return complain_label(r, rank, operations[a > b ? a : b].line, labels[i].name,
                                  "is found twice, expected once among the operations");
        }
    for (size_t i = 0; i < r->requirements.count; i++) {
        const requirement *q = (const requirement *)r->requirements.items + i;
        const label *later = find_label(r, q->later), *earlier = find_label(r, q->earlier);
        if (later == NULL || earlier == NULL)
            return complain_label(r, rank, q->line, later == NULL ? q->later : q->earlier,
                                  "is not found among the operations");
        schedule_dependency *d = schedule_add(r, dependencies, sizeof *d);
        if (d == NULL)
            return false;
        *at_start = *at_start || q->at_start;
        *d = (schedule_dependency){first + earlier->operation,
                                   (first + later->operation) |
                                       (q->at_start ? SCHEDULE_AT_START : 0)};
    }
    r->names.count = r->requirements.count = 0;
    return true;
}

/* ---- statements */

enum { MOST_OPERATIONS = 1 << 30 };
static const size_t most_cpus = (size_t)1 << 24;
static const uint64_t most_size = UINT64_C(1000000000000000);

typedef struct parser {
    schedule_reader text;
    clump_schedule *schedule;
    schedule_list operations; /* of the rank in hand */
    schedule_list dependencies;
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
        schedule_skip_blanks(&p->text);
        if (p->text.at == p->text.end || *p->text.at == '\n')
            return true;
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
    if (p->schedule->count + p->operations.count >= MOST_OPERATIONS)
        return schedule_complain(&p->text, "2^30 operations at most");
    if (name.size > 0 && !schedule_labels_name(&p->text, name, (uint32_t)p->operations.count))
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
    return schedule_labels_require(&p->text, first, earlier, at_start);
}

static bool end_of_line(parser *p)
{
    schedule_skip_blanks(&p->text);
    if (p->text.at == p->text.end || *p->text.at == '\n' || *p->text.at == '}')
        return true;
    return schedule_complain(&p->text, "the end of the line");
}

static bool end_rank(parser *p)
{
    if (!schedule_labels_resolve(&p->text, p->rank, p->operations.items,
                                 (uint32_t)p->schedule->count, &p->dependencies,
                                 &p->schedule->at_start))
        return false;
    if (!schedule_append(p->schedule, p->operations.items, p->operations.count)) {
        p->text.status = clump_fail_memory(p->text.error, "the schedule");
        return false;
    }
    p->operations.count = 0;
    return true;
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
    return end_rank(p);
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

/* The operations with their dependents and channels. */
static bool finish(parser *p)
{
    clump_schedule *s = p->schedule;
    if (!schedule_connect(s, p->dependencies.items, p->dependencies.count)) {
        p->text.status = clump_fail_memory(p->text.error, "the dependencies");
        return false;
    }
    free(p->dependencies.items);
    p->dependencies.items = NULL;
    if (!schedule_number_channels(s)) {
        p->text.status = clump_fail_memory(p->text.error, "the messages");
        return false;
    }
    return true;
}

static clump_status parse(parser *p, clump_schedule **schedule)
{
    p->schedule = calloc(1, sizeof *p->schedule);
    if (p->schedule == NULL)
        return clump_fail_memory(p->text.error, "the schedule");
    p->schedule->cpus = 1;
    p->schedule->place = "line";
    bool done = read_file(p) && p->text.status == CLUMP_OK;
    free(p->operations.items);
    free(p->text.names.items);
    free(p->text.requirements.items);
    free(p->seen);
    done = done && finish(p);
    free(p->dependencies.items);
    if (!done) {
        clump_schedule_free(p->schedule);
        return p->text.status;
    }
    *schedule = p->schedule;
    return CLUMP_OK;
}

clump_status clump_schedule_parse(const char *text, size_t size, clump_schedule **schedule,
                                  clump_error *error)
{
    parser p = {.text = {.at = text, .end = text + size, .line = 1, .error = error}};
    return parse(&p, schedule);
}
