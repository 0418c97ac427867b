/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ucx_perftest, a run of one test. A head in boxes, then rows: number of iterations, time (a
 * percentile, average since the last row, overall), bandwidth (average, overall; MB are 2^20
 * bytes), message rate (average, overall). From 1.10 on the last one begins with "Final:" and those
 * before with "[thread 0]"; with -f there is only the last, without that word; with -v comes CSV.
 * Times of latency tests are half round trips; those of bandwidth tests ("overhead") are times per
 * message. The client prints neither the size nor, as CSV, the kind of test; the size is what
 * bandwidth over rate gives.
 */
#include "data/import/import_format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the size */

/* The size of which bandwidth, rate and time tell: what all of them, as rounded, allow. */
static bool find_size(clump_import_log *log, size_t line, const double numbers[8], int64_t told,
                      int64_t *size)
{
    const double bandwidth = numbers[5];
    const double rate = numbers[7];
    const double time = numbers[3];
    const double unit = 1048576;
    const double least = bandwidth - 0.005 > 0 ? bandwidth - 0.005 : 0;
    double low = least * unit / (rate + 0.5);
    double high = rate > 0.5 ? (bandwidth + 0.005) * unit / (rate - 0.5) : 1e18;
    const double other_low = least * unit * 1e-6 * fmax(time - 0.0005, 0);
    const double other_high = (bandwidth + 0.005) * unit * 1e-6 * (time + 0.0005);
    /* Beside the rounding, the numbers were seen to disagree by 1e-6. */
    low = fmax(low, other_low) * (1 - 4e-6);
    high = fmin(high, other_high) * (1 + 4e-6);
    if (!(high >= low) || !(high < 9e15)) {
        return clump_import_fail_at(log, line,
                                    "found a bandwidth, a message rate and a time "
                                    "that contradict each other, expected them to agree on a size");
    }
    if (told >= 0) {
        *size = told;
        return ((double)told >= low && (double)told <= high) ||
               clump_import_fail_at(log, line,
                                    "found results of messages of %.8g to %.8g "
                                    "bytes, expected the size %lld",
                                    low, high, (long long)told);
    }
    const double first = ceil(low);
    if (floor(high) == first) {
        *size = (int64_t)first;
        return true;
    }
    double power = 1;
    while (power < low)
        power *= 2;
    if (power > high) {
        return clump_import_fail_at(log, line,
                                    "found a size of %.8g to %.8g bytes, which is "
                                    "all that the log tells, expected --size",
                                    low, high);
    }
    *size = (int64_t)power;
    return clump_import_notice_at(
        log, line, "the log tells a size of %.0f to %.0f bytes; taken for %.0f", low, high, power);
}

/* ---- the log */

enum { NUMBERS = 8 };

typedef struct row {
    size_t line;
    double numbers[NUMBERS];
} row;

typedef struct reader {
    clump_import_text *text;
    clump_import_log *log;
    const char *quantity; /* of the times; NULL: not seen */
    char percentile[16];  /* "50.0", as the head says */
    char test[80], api[40];
    int64_t size;   /* that the head tells; -1: it does not */
    int64_t window; /* 0: it does not */
    bool staged;    /* rows say what they are */
    bool final;
    row *rows;
    size_t count;
} reader;

static const char csv_title[] = "_percentile_lat,avg_lat,overall_lat";

static bool recognize(const clump_import_text *text)
{
    return (clump_import_text_has(text, "message rate (msg/s)", 40) &&
            clump_import_text_has(text, "# iterations |", 40)) ||
           clump_import_text_has(text, csv_title, 10);
}

/* "| Test:         tag match latency      |": what follows the name. */
static bool read_head(const char *line, const char *name, char *to, size_t room)
{
    const char *after = clump_import_after(line, "|");
    after = after != NULL ? clump_import_after(after, name) : NULL;
    if (after == NULL || *after == '|')
        return false;
    char value[128];
    snprintf(value, sizeof value, "%.*s", (int)strcspn(after, "|"), after);
    clump_import_copy(to, room, value);
    return true;
}

static void read_box(reader *r, const char *line)
{
    char value[32];
    if (strstr(line, "latency (usec)") != NULL)
        r->quantity = "half_round_trip";
    else if (strstr(line, "overhead (usec)") != NULL)
        r->quantity = "message_gap";
    const char *percent = strstr(line, "%ile");
    if (percent != NULL) {
        const char *begin = percent;
        while (begin > line && ((begin[-1] >= '0' && begin[-1] <= '9') || begin[-1] == '.'))
            begin--;
        snprintf(r->percentile, sizeof r->percentile, "%.*s", (int)(percent - begin), begin);
    } else if (strstr(line, "typical") != NULL) { /* until 1.8: the median */
        snprintf(r->percentile, sizeof r->percentile, "50.0");
    }
    r->staged = r->staged || strstr(line, "Stage") != NULL;
    read_head(line, "Test:", r->test, sizeof r->test);
    read_head(line, "API:", r->api, sizeof r->api);
    if (read_head(line, "Message size:", value, sizeof value))
        r->size = strtoll(value, NULL, 10);
    if (read_head(line, "Window size:", value, sizeof value))
        r->window = strtoll(value, NULL, 10);
    r->window = r->window > 0 ? r->window : 0;
}

/* -N writes 14879666 as 14,879,666 where the locale has it so. */
static void drop_separators(char *word)
{
    const size_t first = strspn(word, "0123456789");
    const size_t size = strlen(word);
    if (first < 1 || first > 3 || word[first] != ',' || (size - first) % 4 != 0 ||
        word[strspn(word, "0123456789,")] != '\0')
        return;
    for (size_t i = first; i < size; i++)
        if ((word[i] == ',') != ((i - first) % 4 == 0))
            return;
    char *to = word;
    for (const char *from = word; *from != '\0'; from++)
        if (*from != ',')
            *to++ = *from;
    *to = '\0';
}

static bool read_row(reader *r, char *words[], size_t count)
{
    const size_t line = r->text->line;
    row one = {.line = line};
    if (count != NUMBERS) {
        return clump_import_fail(r->log, "found %zu numbers, expected %d: the log may be truncated",
                                 count, NUMBERS);
    }
    for (size_t i = 0; i < NUMBERS; i++) {
        if (i == 0 || i >= 6)
            drop_separators(words[i]);
        if (!clump_import_amount(r->log, words[i], "a number", &one.numbers[i]))
            return false;
    }
    row *rows = clump_import_more(r->log, r->rows, r->count, sizeof *rows);
    if (rows == NULL)
        return false;
    r->rows = rows;
    r->rows[r->count++] = one;
    return true;
}

static bool read_line(reader *r, char *line)
{
    char *words[CLUMP_IMPORT_WORDS];
    if (*line == '+' || *line == '|' || *line == '\0') {
        read_box(r, line);
        return true;
    }
    char shown[61];
    clump_import_copy(shown, sizeof shown, line);
    size_t count = clump_import_words(line, words);
    if (r->final) {
        return clump_import_fail(
            r->log, "found '%s', expected nothing after the final row: one run a file", shown);
    }
    if (strcmp(words[0], "Final:") == 0) {
        r->final = true;
        return read_row(r, words + 1, count - 1);
    }
    if (strcmp(words[0], "[thread") == 0 && count > 2)
        return read_row(r, words + 2, count - 2);
    if (words[0][0] >= '0' && words[0][0] <= '9' && r->quantity != NULL)
        return read_row(r, words, count);
    return r->quantity == NULL || /* before: messages of UCX itself */
           clump_import_fail(
               r->log, "found '%s', expected a row of results: the run may have crashed", shown);
}

static bool read_csv(reader *r, char *line)
{
    char *words[CLUMP_IMPORT_WORDS];
    char *title = strstr(line, csv_title);
    if (title != NULL) {
        *title = '\0';
        const char *comma = strrchr(line, ',');
        snprintf(r->percentile, sizeof r->percentile, "%.15s", comma != NULL ? comma + 1 : line);
        return true;
    }
    size_t count = 0;
    for (char *at = line; *line != '\0' && count < CLUMP_IMPORT_WORDS;) {
        words[count++] = at;
        at += strcspn(at, ",");
        if (*at == '\0')
            break;
        *at++ = '\0';
    }
    return count == 0 || read_row(r, words, count);
}

/* CSV says neither latency nor bandwidth; the user, or the name of the file, may. */
static bool guess_quantity(reader *r)
{
    static const char *const known[] = {"half_round_trip", "message_gap"};
    const char *wanted = r->text->hints.quantity;
    const char *name = r->text->hints.name != NULL ? r->text->hints.name : "";
    for (size_t i = 0; i < 2 && wanted != NULL; i++) {
        if (strcmp(wanted, known[i]) == 0) {
            r->quantity = known[i];
            return true;
        }
    }
    const bool latency = strstr(name, "lat") != NULL;
    const bool bandwidth = strstr(name, "bw") != NULL;
    if (wanted != NULL || latency == bandwidth) {
        return clump_import_fail_at(r->log, 1,
                                    "found CSV of ucx_perftest, which does not say what the "
                                    "test was, expected --quantity half_round_trip for a "
                                    "latency test or --quantity message_gap for one of bandwidth");
    }
    r->quantity = known[latency ? 0 : 1];
    return clump_import_notice_at(r->log, 0, "taken for a %s test because of the name of the file",
                                  latency ? "latency" : "bandwidth");
}

static bool add(reader *r, const row *from, const char *quantity, const char *statistic,
                const char *variant, double value, int64_t size, double iterations)
{
    char name[140];
    if (r->test[0] != '\0') {
        snprintf(name, sizeof name, "ucx_perftest %s%s%s", r->test, r->api[0] != '\0' ? ", " : "",
                 r->api);
    } else {
        snprintf(name, sizeof name, "ucx_perftest %s",
                 strcmp(r->quantity, "half_round_trip") == 0 ? "latency" : "bandwidth");
    }
    const bool stream = strcmp(r->quantity, "message_gap") == 0;
    const clump_import_key key = {.quantity = quantity,
                                  .statistic = statistic,
                                  .benchmark = name,
                                  .variant = variant,
                                  .window = !stream          ? 0
                                            : r->window != 0 ? r->window
                                                             : r->text->hints.window,
                                  .processes = 2};
    clump_import_sample sample =
        clump_import_sample_of(value, size, iterations < 9e15 ? (int64_t)iterations : 0);
    sample.line = from->line;
    return clump_import_log_add(r->log, &key, &sample);
}

/* The time per message, with the digits that the rate has where it says the same. */
static double sharpen(double time, double rate)
{
    const double better = rate > 0 ? 1e6 / rate : 0;
    return fabs(better - time) <= 0.000501 && 0.5 * better < 0.0005 * rate ? better : time;
}

static bool add_all(reader *r)
{
    if (r->count == 0 || (r->staged && !r->final)) {
        return clump_import_fail(r->log,
                                 "found the end of the file, expected the final row: the log is "
                                 "truncated or the run crashed");
    }
    const row *last = &r->rows[r->count - 1];
    const double *n = last->numbers;
    int64_t size = 0;
    if ((r->quantity == NULL && !guess_quantity(r)) ||
        !find_size(r->log, last->line, n, r->size >= 0 ? r->size : r->text->hints.size_bytes,
                   &size))
        return false;
    const bool median = strncmp(r->percentile, "50.0", 5) == 0;
    char variant[32] = "";
    if (!median)
        snprintf(variant, sizeof variant, "P%s", r->percentile);
    if (!add(r, last, r->quantity, median ? "median" : "percentile", variant, n[1], size, n[0]) ||
        !add(r, last, r->quantity, "mean", NULL, sharpen(n[3], n[7]), size, n[0]))
        return false;
    if (strcmp(r->quantity, "message_gap") == 0 &&
        (!add(r, last, "transfer_rate", "mean", NULL, n[5] * 1.048576, size, n[0]) ||
         !add(r, last, "message_rate", "mean", NULL, n[7] / 1e6, size, n[0])))
        return false;
    /* The averages of the parts of the run. */
    for (size_t i = 0; i < r->count && r->count > 1; i++) {
        const row *one = &r->rows[i];
        const double before = i > 0 ? r->rows[i - 1].numbers[0] : 0;
        clump_import_log_begin(r->log); /* each is a run with this size */
        if (one->numbers[0] <= before) {
            return clump_import_fail_at(r->log, one->line,
                                        "found %.0f iterations after %.0f, expected more and more",
                                        one->numbers[0], before);
        }
        if (!add(r, one, r->quantity, "mean", "part of a run",
                 sharpen(one->numbers[2], one->numbers[6]), size, one->numbers[0] - before))
            return false;
    }
    return true;
}

static bool parse(clump_import_text *text, clump_import_log *log)
{
    reader r = {.text = text, .log = log, .size = -1};
    const bool csv = clump_import_text_has(text, csv_title, 10);
    char *line;
    bool good = true;
    clump_import_log_begin(log);
    while (good && (line = clump_import_text_next(text)) != NULL)
        good = csv ? read_csv(&r, line) : read_line(&r, line);
    good = good && clump_import_text_is_whole(text, log) && add_all(&r);
    return good;
}

const clump_import_format clump_import_ucx_perftest = {"ucx-perftest", "ucx_perftest", recognize,
                                                       parse};
