/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nccl-tests and rccl-tests: collectives of GPUs. A line "# nThread", a line for each rank with its
 * device, the names of the columns, a row for each size with times (us) out of place and in place,
 * "# Out of bounds values". Rates follow from times. Only new versions say which collective it was;
 * the others by operation, root and the factor from algbw to busbw: with n ranks 2(n-1)/n of
 * all_reduce, (n-1)/n where each rank sends to all or to one all others, else 1 (PERFORMANCE.md of
 * nccl-tests).
 */
#include "data/import/import_format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What columns are before the first time; those after it are groups of four. */
typedef enum column { SIZE, COUNT, TYPE, OPERATION, ROOT, COLUMNS } column;

enum { GROUP = 4, HALVES = 2, WORD = 16 };

typedef struct row {
    size_t line;
    int64_t size;
    double time[HALVES];   /* NAN: not measured */
    double algorithm, bus; /* rates, of the half that has them */
    char type[WORD], operation[WORD];
    bool rooted;
} row;

typedef struct reader {
    clump_import_text *text;
    clump_import_log *log;
    int64_t ranks, iterations;
    char collective[40]; /* "all_reduce" if the log says so */
    int place[COLUMNS];  /* -1: no such column */
    size_t first;        /* column of the first time; 0: no table yet */
    size_t count;        /* of columns */
    row *rows;
    size_t row_count;
    size_t tables;
} reader;

static bool recognize(const clump_import_text *text)
{
    return clump_import_text_has(text, "# nThread ", 20000);
}

/* ---- the table, when all of it is known */

static bool has_operation(const row *r)
{
    return r->operation[0] != '\0' && strcmp(r->operation, "none") != 0;
}

/* Which collective, by the row with the highest rate, which is rounded least; NULL: it cannot be
 * told. */
static const char *guess(const reader *r)
{
    const row *best = &r->rows[0];
    for (size_t i = 1; i < r->row_count; i++)
        if (r->rows[i].algorithm > best->algorithm)
            best = &r->rows[i];
    const double n = (double)r->ranks, share = (n - 1) / n;
    const struct {
        const char *name;
        bool operation, rooted;
        double factor;
    } kinds[] = {{"all_reduce", true, false, 2 * share},
                 {"reduce_scatter", true, false, share},
                 {"reduce", true, true, 1},
                 {"broadcast", false, true, 1},
                 {"scatter or gather", false, true, share},
                 {"all_gather or alltoall", false, false, share},
                 {"sendrecv", false, false, 1}};
    const char *found = NULL;
    const double error = 0.006 * (1 + 2 / best->algorithm) / best->algorithm;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const bool fits = kinds[i].operation == has_operation(best) &&
                          kinds[i].rooted == best->rooted && best->algorithm > 0 && n > 1 &&
                          fabs(best->bus / best->algorithm - kinds[i].factor) <= 2 * error;
        if (fits && found != NULL)
            return NULL;
        found = fits ? kinds[i].name : found;
    }
    return found;
}

static bool add_row(reader *r, const row *from, const char *benchmark)
{
    for (int half = 0; half < HALVES; half++) {
        char variant[80];
        const bool usual = strcmp(from->type, "float") == 0;
        const char *operation =
            has_operation(from) && strcmp(from->operation, "sum") != 0 ? from->operation : "";
        const char *const words[] = {usual ? "" : from->type, operation,
                                     half > 0 ? "in place" : ""};
        size_t used = 0;
        variant[0] = '\0';
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (words[i][0] != '\0')
                used += (size_t)snprintf(variant + used, sizeof variant - used, "%s%s",
                                         used > 0 ? " " : "", words[i]);
        const clump_import_key key = {.quantity = "operation_time",
                                      .statistic = "mean",
                                      .benchmark = benchmark,
                                      .variant = variant,
                                      .processes = r->ranks};
        clump_import_sample sample =
            clump_import_sample_of(from->time[half], from->size, r->iterations);
        sample.line = from->line;
        if (!isnan(from->time[half]) && !clump_import_log_add(r->log, &key, &sample))
            return false;
    }
    return true;
}

static bool end_table(reader *r)
{
    if (r->row_count == 0)
        return clump_import_fail(r->log,
                                 "found a table without rows, expected results: the run may have "
                                 "crashed");
    const char *collective = r->collective[0] != '\0' ? r->collective : guess(r);
    char benchmark[80];
    snprintf(benchmark, sizeof benchmark, "nccl %s",
             collective != NULL ? collective : "collective");
    if (collective == NULL &&
        !clump_import_notice_at(r->log, r->rows[0].line,
                                "the log does not tell which collective it is of; its benchmark is "
                                "called '%s'",
                                benchmark))
        return false;
    clump_import_log_begin(r->log);
    for (size_t i = 0; i < r->row_count; i++)
        if (!add_row(r, &r->rows[i], benchmark))
            return false;
    r->row_count = r->first = 0;
    r->tables++;
    return true;
}

/* ---- lines */

static bool read_names(reader *r, char *line)
{
    static const char *const names[COLUMNS] = {[SIZE] = "size",
                                               [COUNT] = "count",
                                               [TYPE] = "type",
                                               [OPERATION] = "redop",
                                               [ROOT] = "root"};
    char *words[CLUMP_IMPORT_WORDS];
    const size_t count = clump_import_words(line + 1, words);
    if (r->first > 0)
        return clump_import_fail(r->log,
                                 "found a second table, expected the end of the first: output of "
                                 "several runs may be mixed");
    for (size_t k = 0; k < COLUMNS; k++)
        r->place[k] = -1;
    for (r->first = 0; r->first < count && strcmp(words[r->first], "time") != 0; r->first++)
        for (size_t k = 0; k < COLUMNS; k++)
            if (strcmp(words[r->first], names[k]) == 0)
                r->place[k] = (int)r->first;
    r->count = r->first + HALVES * GROUP;
    if (count != r->count || r->place[SIZE] != 0 || r->place[TYPE] < 0)
        return clump_import_fail(
            r->log, "found other columns than size, count, type and twice time, algbw, "
                    "busbw and errors, expected these");
    return true;
}

/* "nccl-tests version 2.17.1 ..." */
static bool read_comment(reader *r, char *line)
{
    const char *version = strstr(line, "-tests version ");
    const char *starting = strstr(line, "ollective test starting: ");
    const char *iterations = strstr(line, "warmup iters:");
    if (version != NULL) {
        clump_import_copy(r->log->version, sizeof r->log->version, version + 15);
        r->log->version[strcspn(r->log->version, " ")] = '\0';
    } else if (starting != NULL) {
        clump_import_copy(r->collective, sizeof r->collective, starting + 25);
        char *end = strstr(r->collective, "_perf");
        if (end != NULL)
            *end = '\0';
    } else if (iterations != NULL) {
        const char *at = strstr(iterations + 13, " iters:");
        const long number = at != NULL ? strtol(at + 7, NULL, 10) : 0;
        r->iterations = number > 0 ? number : 0;
        r->ranks = 0;
    } else if (strstr(line, " Rank ") != NULL && strstr(line, " device ") != NULL) {
        r->ranks++;
    } else if (strstr(line, " size ") != NULL && strstr(line, " algbw ") != NULL) {
        return read_names(r, line);
    } else if (strstr(line, "Out of bounds values") != NULL && r->first > 0) {
        if (strstr(line, "FAILED") != NULL)
            return clump_import_fail(r->log,
                                     "found wrong results ('%.60s'), expected none: data arrived "
                                     "damaged",
                                     line);
        return end_table(r);
    }
    return true;
}

static bool read_half(reader *r, char *const *words, int half, row *made)
{
    double algorithm = 0, bus = 0;
    made->time[half] = NAN;
    if (strcmp(words[0], "N/A") == 0)
        return true;
    if (!clump_import_amount(r->log, words[0], "a time", &made->time[half]) ||
        !clump_import_amount(r->log, words[1], "a rate", &algorithm) ||
        !clump_import_amount(r->log, words[2], "a rate", &bus))
        return false;
    if (algorithm > made->algorithm) {
        made->algorithm = algorithm;
        made->bus = bus;
    }
    return true;
}

static bool read_row(reader *r, char *line)
{
    char *words[CLUMP_IMPORT_WORDS];
    char shown[61];
    row made = {.line = r->text->line};
    clump_import_copy(shown, sizeof shown, line);
    const size_t count = clump_import_words(line, words);
    if (count != r->count)
        return clump_import_fail(
            r->log, "found '%s', expected %zu columns: the run may have crashed", shown, r->count);
    if (!clump_import_whole(r->log, words[0], "a size", &made.size) ||
        !read_half(r, words + r->first, 0, &made) ||
        !read_half(r, words + r->first + GROUP, 1, &made))
        return false;
    snprintf(made.type, sizeof made.type, "%s", words[r->place[TYPE]]);
    if (r->place[OPERATION] >= 0)
        snprintf(made.operation, sizeof made.operation, "%s", words[r->place[OPERATION]]);
    made.rooted = r->place[ROOT] >= 0 && words[r->place[ROOT]][0] != '-';
    row *rows = clump_import_more(r->log, r->rows, r->row_count, sizeof *rows);
    if (rows == NULL)
        return false;
    r->rows = rows;
    r->rows[r->row_count++] = made;
    return true;
}

static bool read_all(reader *r)
{
    for (char *line; (line = clump_import_text_next(r->text)) != NULL;) {
        char *first = line + strspn(line, " \t");
        /* Others print, too: NCCL_DEBUG, UCX, mpirun. */
        const bool good = *first == '#'                                    ? read_comment(r, first)
                          : r->first > 0 && *first >= '0' && *first <= '9' ? read_row(r, line)
                                                                           : true;
        if (!good)
            return false;
    }
    if (r->first > 0 || r->tables == 0)
        return clump_import_fail(
            r->log, "found the end of the file, expected '# Out of bounds values': the "
                    "run may have crashed");
    return clump_import_text_is_whole(r->text, r->log);
}

static bool parse(clump_import_text *text, clump_import_log *log)
{
    reader r = {.text = text, .log = log};
    return read_all(&r);
}

const clump_import_format clump_import_nccl_tests = {"nccl-tests", "nccl-tests", recognize, parse};
