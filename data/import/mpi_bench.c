/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files of clumpmodel-mpi-bench (protocols/mpi-bench/, whose head describes them), version 1:
 *   # clumpmodel-mpi-bench 1
 *   # command ./clumpmodel-mpi-bench --quick
 *   # round 1
 *   one-way between blocked 4 65536 64 10 11824.5 5912.1 0 4.1
 *   # end
 * A row is one sample: what, where, placement, processes, size, window, repeats, value, what the pair or
 * process got that got least, how often a processor was taken away, and a fixed computation's time. Which
 * samples are doubtful follows from the last two, as the program itself decides it.
 *
 * Messages between nodes are of the transport that the user names, "network" if he names none; those inside
 * a node of "shared-memory". Ranks that are spread over the node make a variant, "spread".
 */
#include "data/import/import_format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    VERSION = 1,
    COLUMNS = 11,
    MOST_MISSING = 8,     /* of which it is told */
    CALM = 3,             /* samples that were not disturbed, beside which others do not count */
    MOST_NUMBER = 1 << 24 /* processes, window: more are a mistake */
};

static const double other_speed = 1.5; /* times as long, or as short, as usual */

typedef enum kind { ROUND_TRIP, SEND, RECEIVE, ONE_WAY, BOTH_WAYS, COPY, TRIAD, KINDS } kind;

static const struct {
    const char *word, *benchmark, *quantity;
    bool streams, memory;
} kinds[KINDS] = {
    {"round-trip", "mpi-bench round-trip", "half_round_trip", false, false},
    {"send", "mpi-bench send", "send_time", false, false},
    {"receive", "mpi-bench receive", "receive_time", false, false},
    {"one-way", "mpi-bench one-way", "transfer_rate", true, false},
    {"both-ways", "mpi-bench both-ways", "transfer_rate_both_ways", true, false},
    {"copy", "mpi-bench memory", "memory_bandwidth", false, true},
    {"triad", "mpi-bench memory", "memory_bandwidth", false, true},
};

typedef struct row {
    kind kind;
    bool inside, spread, doubtful;
    int64_t processes, size, window, repeats, switches, round;
    double value, least, probe; /* least: NAN if there is none */
    size_t line;
} row;

typedef struct reader {
    clump_import_text *text;
    clump_import_log *log;
    int64_t version, round; /* 0: not yet */
    bool ended;
    unsigned missing; /* what it says it could not measure */
    row *rows;
    size_t count;
} reader;

static bool recognize(const clump_import_text *text)
{
    return clump_import_text_has(text, "# clumpmodel-mpi-bench ", 200);
}

/* ---- lines */

static bool read_count(reader *r, const char *text, const char *what, int64_t from, int64_t *number)
{
    if (!clump_import_whole(r->log, text, what, number))
        return false;
    return (*number >= from && *number <= MOST_NUMBER) ||
           clump_import_fail(r->log, "found '%.40s', expected %s, %lld to %d", text, what,
                             (long long)from, MOST_NUMBER);
}

static bool read_comment(reader *r, const char *line)
{
    const char *after;
    if ((after = clump_import_after(line, "# clumpmodel-mpi-bench ")) != NULL) {
        if (r->version > 0)
            return clump_import_fail(r->log,
                                     "found the beginning of another file, expected one: import "
                                     "them one by one");
        if (!clump_import_whole(r->log, after, "a version", &r->version))
            return false;
        if (r->version != VERSION)
            return clump_import_fail(r->log,
                                     "found version '%.20s', expected %d: it may be of a newer "
                                     "clumpmodel",
                                     after, VERSION);
        snprintf(r->log->version, sizeof r->log->version, "%d", VERSION);
        return true;
    }
    if ((after = clump_import_after(line, "# command ")) != NULL)
        clump_import_copy(r->log->command, sizeof r->log->command, after);
    else if ((after = clump_import_after(line, "# mpi ")) != NULL) {
        char library[40], version[60];
        snprintf(library, sizeof library, "%.*s", (int)strcspn(after, ","), after);
        snprintf(version, sizeof version, "%d, %s", VERSION, library);
        clump_import_copy(r->log->version, sizeof r->log->version, version);
    } else if ((after = clump_import_after(line, "# nodes ")) != NULL)
        return read_count(r, after, "a number of nodes", 1, &r->log->nodes);
    else if ((after = clump_import_after(line, "# processes ")) != NULL)
        return read_count(r, after, "a number of processes", 1, &r->log->processors);
    else if ((after = clump_import_after(line, "# missing ")) != NULL)
        return ++r->missing > MOST_MISSING ||
               clump_import_notice(r->log, "was not measured: %.120s", after);
    else if ((after = clump_import_after(line, "# round ")) != NULL) {
        const int64_t last = r->round;
        return read_count(r, after, "a round", 1, &r->round) &&
               (r->round == last + 1 ||
                clump_import_fail(r->log, "found round %lld, expected %lld", (long long)r->round,
                                  (long long)last + 1));
    } else
        r->ended = r->ended || strcmp(line, "# end") == 0;
    return true;
}

/* Which of two words it is; false with a message if it is neither. */
static bool read_choice(reader *r, const char *word, const char *no, const char *yes, bool *choice)
{
    *choice = strcmp(word, yes) == 0;
    return *choice || strcmp(word, no) == 0 ||
           clump_import_fail(r->log, "found '%.40s', expected %s or %s", word, no, yes);
}

/* What processes, size and window have to be of this kind of row. */
static bool check_row(reader *r, const row *one)
{
    const bool memory = kinds[one->kind].memory;
    if (!memory && one->processes % 2 != 0)
        return clump_import_fail(r->log, "found %lld processes, expected pairs: an even number",
                                 (long long)one->processes);
    if (!memory && !kinds[one->kind].streams && one->processes != 2)
        return clump_import_fail(r->log, "found %lld processes, expected 2",
                                 (long long)one->processes);
    if (kinds[one->kind].streams != (one->window > 0))
        return clump_import_fail(r->log, "found window %lld, expected %s", (long long)one->window,
                                 one->window > 0 ? "0: these messages are one by one"
                                                 : "how many messages were under way");
    if (!(one->probe > 0))
        return clump_import_fail(r->log, "found a probe of %g us, expected more than 0",
                                 one->probe);
    return true;
}

static bool keep_row(reader *r, const row *one)
{
    row *rows = clump_import_more(r->log, r->rows, r->count, sizeof *rows);
    if (rows == NULL)
        return false;
    r->rows = rows;
    r->rows[r->count++] = *one;
    return true;
}

static bool read_row(reader *r, char *line)
{
    char *words[CLUMP_IMPORT_WORDS];
    char shown[61];
    const size_t at = r->text->line;
    row one = {.line = at, .round = r->round, .least = NAN, .size = -1};
    clump_import_copy(shown, sizeof shown, line);
    const size_t count = clump_import_words(line, words);
    while (one.kind < KINDS && strcmp(kinds[one.kind].word, words[0]) != 0)
        one.kind++;
    if (one.kind == KINDS || count != COLUMNS)
        return clump_import_fail(r->log,
                                 "found '%s', expected what was measured and %d columns more: the "
                                 "file may be damaged",
                                 shown, COLUMNS - 1);
    if (r->round == 0)
        return clump_import_fail(r->log, "found a row, expected '# round 1' before it");
    const bool memory = kinds[one.kind].memory;
    if (!read_choice(r, words[1], "between", "inside", &one.inside) ||
        !read_choice(r, words[2], "blocked", "spread", &one.spread) ||
        !read_count(r, words[3], "a number of processes", 1, &one.processes) ||
        (!memory && !clump_import_whole(r->log, words[4], "a size", &one.size)) ||
        !read_count(r, words[5], "a window", 0, &one.window) ||
        !clump_import_whole(r->log, words[6], "repetitions", &one.repeats) ||
        !clump_import_amount(r->log, words[7], "a time or a rate", &one.value) ||
        (strcmp(words[8], "-") != 0 &&
         !clump_import_amount(r->log, words[8], "a rate", &one.least)) ||
        !clump_import_whole(r->log, words[9], "a number of times", &one.switches) ||
        !clump_import_amount(r->log, words[10], "a time", &one.probe) || !check_row(r, &one))
        return false;
    return keep_row(r, &one);
}

/* ---- which samples are doubtful */

static int compare_whole(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* Of the same point: everything that is not measured. */
static int compare_points(const row *a, const row *b)
{
    const int64_t x[] = {a->kind, a->inside, a->spread, a->processes, a->size, a->window},
                  y[] = {b->kind, b->inside, b->spread, b->processes, b->size, b->window};
    int c = 0;
    for (size_t i = 0; i < sizeof x / sizeof *x && c == 0; i++)
        c = compare_whole(x[i], y[i]);
    return c;
}

static int compare_by_probe(const void *a, const void *b)
{
    const row *const *x = a, *const *y = b;
    const int c = compare_points(*x, *y);
    if (c != 0)
        return c;
    return ((*x)->probe > (*y)->probe) - ((*x)->probe < (*y)->probe);
}

/* Rows of one point, by their probes: marks some of them and returns how many. */
static size_t mark_point(row *const *rows, size_t count)
{
    const double usual = count % 2 ? rows[count / 2]->probe
                                   : (rows[count / 2 - 1]->probe + rows[count / 2]->probe) / 2;
    size_t calm = 0, marked = 0;
    for (size_t i = 0; i < count; i++)
        calm += rows[i]->switches == 0;
    for (size_t i = 0; i < count; i++) {
        const double probe = rows[i]->probe;
        rows[i]->doubtful = probe > other_speed * usual || probe < usual / other_speed ||
                            (rows[i]->switches > 0 && calm >= CALM);
        marked += rows[i]->doubtful;
    }
    return marked;
}

static bool mark_doubtful(reader *r)
{
    row **rows = clump_import_take(r->log, (r->count + 1) * sizeof *rows);
    size_t marked = 0;
    if (rows == NULL)
        return false;
    for (size_t i = 0; i < r->count; i++)
        rows[i] = &r->rows[i];
    qsort(rows, r->count, sizeof *rows, compare_by_probe);
    for (size_t i = 0, end; i < r->count; i = end) {
        for (end = i + 1; end < r->count && compare_points(rows[i], rows[end]) == 0; end++)
            ;
        marked += mark_point(rows + i, end - i);
    }
    return marked == 0 ||
           clump_import_notice_at(r->log, 0,
                                  "%zu of its %zu samples are stored as doubtful: a processor was "
                                  "taken away meanwhile, or had another speed",
                                  marked, r->count);
}

/* ---- into the log */

static bool add_value(reader *r, const row *one, const char *quantity, double value)
{
    char variant[20];
    const bool memory = kinds[one->kind].memory;
    snprintf(variant, sizeof variant, "%s%s%s", memory ? kinds[one->kind].word : "",
             memory && one->spread ? " " : "", one->spread ? "spread" : "");
    const clump_import_key key = {.quantity = quantity,
                                  .benchmark = kinds[one->kind].benchmark,
                                  .variant = variant,
                                  .window = one->window,
                                  .processes = one->processes,
                                  .transport = memory        ? NULL
                                               : one->inside ? "shared-memory"
                                                             : "network"};
    clump_import_sample sample =
        clump_import_sample_of(value, one->size, memory ? 0 : one->repeats);
    sample.run = one->round;
    sample.doubtful = one->doubtful;
    sample.line = one->line;
    return clump_import_log_add(r->log, &key, &sample);
}

static bool add_rows(reader *r)
{
    int64_t round = 0;
    for (size_t i = 0; i < r->count; i++) {
        const row *one = &r->rows[i];
        if (one->round != round)
            clump_import_log_begin(r->log);
        round = one->round;
        if (!add_value(r, one, kinds[one->kind].quantity, one->value) ||
            (one->kind == ONE_WAY && one->size > 0 &&
             !add_value(r, one, "message_rate", one->value / (double)one->size)) ||
            (kinds[one->kind].memory && !isnan(one->least) &&
             !add_value(r, one, "slowest_memory_bandwidth", one->least)))
            return false;
    }
    return true;
}

/* A job that was stopped leaves what it had measured. */
static bool check_end(reader *r)
{
    if (r->count == 0)
        return clump_import_fail(r->log,
                                 "found no samples, expected rows: the run may have crashed");
    return r->ended || clump_import_notice(
                           r->log,
                           "found the end of the file, expected '# end': the run was stopped "
                           "in round %lld; what is there is taken%s",
                           (long long)r->round, r->text->whole ? "" : ", but for the last line");
}

static bool read_all(reader *r)
{
    for (char *line; (line = clump_import_text_next(r->text)) != NULL;) {
        /* The last line of a file that was cut off in the middle says nothing. */
        if (!r->text->whole && r->text->at > r->text->size)
            break;
        if (*line == '\0')
            continue;
        if (!(*line == '#' ? read_comment(r, line) : read_row(r, line)))
            return false;
    }
    return check_end(r) && mark_doubtful(r) && add_rows(r);
}

static bool parse(clump_import_text *text, clump_import_log *log)
{
    reader r = {.text = text, .log = log};
    return read_all(&r);
}

const clump_import_format clump_import_mpi_bench = {"mpi-bench", "clumpmodel-mpi-bench", recognize,
                                                    parse};
