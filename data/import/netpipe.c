/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * NetPIPE: what it prints, and the file of results (np.out).
 *
 *   3.x prints  " 12:      27 bytes 472904 times -->    483.15 Mbps in       0.43 usec"; Mbps is
 *               2^20 bit/s. The other process's lines may come between "-->" and the result.
 *   5.x prints  " 56:   4.093 KB     521825 times -->   40.511 Gbps  in  405.029 nsecs" in colours,
 *               with powers of ten. A size in MB is rounded; np.out has it exactly.
 *   np.out      size, Mbps, seconds (3.x); size, Gbps, lowest Gbps, kbit, us (5.x).
 *
 * The time is half a round trip, of streams the time per message; 3.x prints the least of the means
 * of some trials. The rate says the same with more digits where times are short. In both directions
 * at once 3.x counts the bytes of both in the rate, and in the sizes of np.out.
 */
#include "data/import/import_format.h"

#include "data/number.h"

#include <math.h>
#include <string.h>

typedef struct reader {
    clump_import_text *text;
    clump_import_log *log;
    const char *quantity;
    const char *name;
    bool row;   /* begun: waits for its result */
    bool exact; /* its size is */
    size_t row_line;
    int64_t size, times;
    bool any;
} reader;

/* Numbers in the first line that has any; 0 if it is another kind of line. */
static size_t count_numbers(const clump_import_text *text)
{
    const char *at = text->bytes + strspn(text->bytes, " \t\n");
    size_t count = 0;
    if (at[strspn(at, "0123456789")] != ' ')
        return 0; /* the size is whole */
    while (*at != '\0' && *at != '\n') {
        const size_t size = strcspn(at, " \t\n");
        double unused;
        if (clump_number_parse(at, size, &unused) != CLUMP_NUMBER_OK)
            return 0;
        count++;
        at += size;
        at += strspn(at, " \t");
    }
    return count;
}

static bool is_result_file(const clump_import_text *text)
{
    const size_t count = count_numbers(text);
    return count == 3 || count == 5;
}

static bool recognize(const clump_import_text *text)
{
    return (clump_import_text_has(text, " times -->", 60) &&
            (clump_import_text_has(text, "Now starting the main loop", 60) ||
             clump_import_text_has(text, "Start testing with", 60))) ||
           is_result_file(text);
}

static bool add(reader *r, int64_t size, int64_t times, double time_us)
{
    const clump_import_key key = {
        .quantity = r->quantity, .statistic = "mean", .benchmark = r->name, .processes = 2};
    const clump_import_sample sample = clump_import_sample_of(time_us, size, times);
    return clump_import_log_add(r->log, &key, &sample);
}

/* "-->" has been read up to; `words`: "483.15 Mbps in 0.43 usec". */
static bool read_result(reader *r, char *words[], size_t count)
{
    static const struct {
        const char *name;
        double factor;
    } rates[] = {{"Kbps", 1e3}, {"Mbps", 1e6}, {"Gbps", 1e9}, {"Tbps", 1e12}},
      times[] = {{"usec", 1}, {"nsecs", 1e-3}, {"usecs", 1}, {"msecs", 1e3}, {"secs", 1e6}};
    double rate = 0;
    double time = 0;
    size_t i = 0;
    size_t j = 0;
    if (count != 5 || strcmp(words[2], "in") != 0) {
        return clump_import_fail(r->log, "found '%.60s', expected a rate and a time",
                                 count > 0 ? words[0] : "");
    }
    while (i < 4 && strcmp(rates[i].name, words[1]) != 0)
        i++;
    while (j < 5 && strcmp(times[j].name, words[4]) != 0)
        j++;
    if (i == 4 || j == 5) {
        return clump_import_fail(r->log,
                                 "found units '%.20s' and '%.20s', expected Mbps and "
                                 "usec or the like",
                                 words[1], words[4]);
    }
    if (!clump_import_amount(r->log, words[0], "a rate", &rate) ||
        !clump_import_amount(r->log, words[3], "a time", &time))
        return false;
    const bool old = j == 0; /* 3.x */
    const bool both = strcmp(r->quantity, "operation_time") == 0;
    const double bits = (both ? 16.0 : 8.0) * (double)r->size;
    const double unit = old ? 1048576 : rates[i].factor;
    const double us = rate > 0 ? bits / (rate * unit) * 1e6 : 0;
    const double half = (old ? 0.005 : 0.0005) * times[j].factor;
    double value = time * times[j].factor;
    if (rate > 0 && r->exact && (old || !both) &&
        !clump_import_sharpen(r->log, value, half, us, (old ? 0.005 : 0.0005) / rate, &value))
        return false;
    r->row = false;
    r->any = true;
    if (!r->exact) {
        return clump_import_notice(r->log,
                                   "skipped: the size %lld is rounded; np.out, the "
                                   "file of results, has it exactly",
                                   (long long)r->size);
    }
    return add(r, r->size, r->times, value);
}

/* " 12:      27 bytes 472904 times" or " 56:   4.093 KB     521825 times" */
static bool begin_row(reader *r, char *words[], size_t count)
{
    double size = 0;
    double factor = 0;
    if (count == 5) {
        factor = strcmp(words[2], "bytes") == 0 || strcmp(words[2], "B") == 0 ? 1
                 : strcmp(words[2], "KB") == 0                                ? 1e3
                 : strcmp(words[2], "MB") == 0                                ? 1e6
                 : strcmp(words[2], "GB") == 0                                ? 1e9
                                                                              : 0;
    }
    if (factor == 0) {
        return clump_import_fail(r->log,
                                 "found a row that begins '%.40s', expected a number, "
                                 "a size with unit and a number of times",
                                 count > 0 ? words[0] : "");
    }
    if (!clump_import_amount(r->log, words[1], "a size", &size) ||
        !clump_import_whole(r->log, words[3], "a number of times", &r->times))
        return false;
    if (size * factor > 1e15) {
        return clump_import_fail(r->log, "found size %.20s %.5s, expected less", words[1],
                                 words[2]);
    }
    r->size = (int64_t)nearbyint(size * factor);
    r->exact = factor <= 1e3;
    r->row = true;
    r->row_line = r->log->at;
    return true;
}

static bool fail_half(const reader *r)
{
    return clump_import_fail_at(r->log, r->row_line,
                                "found a row without result, expected a rate and "
                                "a time: the log is truncated or the run crashed");
}

static bool read_line(reader *r, char *line)
{
    char *words[CLUMP_IMPORT_WORDS];
    char *arrow = strstr(line, "-->");
    if (arrow != NULL) {
        if (r->row)
            return fail_half(r);
        *arrow = '\0';
        size_t count = clump_import_words(line, words);
        if (!begin_row(r, words, count))
            return false;
        if (strstr(arrow + 3, "bps") == NULL)
            return true; /* cut off, or interleaved: then the result comes later */
        count = clump_import_words(arrow + 3, words);
        return read_result(r, words, count);
    }
    if (r->row && strstr(line, "bps") != NULL && strstr(line, " in ") != NULL) {
        const size_t count = clump_import_words(line, words);
        return read_result(r, words, count);
    }
    if (strstr(line, "Streaming in one direction") != NULL) {
        r->quantity = "message_gap";
        r->name = "NetPIPE stream";
    } else if (strstr(line, "both directions") != NULL) {
        r->quantity = "operation_time";
        r->name = "NetPIPE both ways";
    } else if (strstr(line, "Start testing with") != NULL) {
        clump_import_copy(r->log->version, sizeof r->log->version, "5");
    } else if (strstr(line, "Now starting the main loop") != NULL) {
        clump_import_copy(r->log->version, sizeof r->log->version, "3");
    } else if (r->any && *line != '\0' && strstr(line, "Completed") == NULL) {
        return clump_import_fail(r->log,
                                 "found '%.60s', expected a row of results: the run "
                                 "may have crashed",
                                 line);
    }
    return true;
}

static bool read_file_row(reader *r, char *line)
{
    char *words[CLUMP_IMPORT_WORDS];
    const size_t count = clump_import_words(line, words);
    int64_t size = 0;
    double rate = 0;
    double time = 0;
    if (count == 0)
        return true;
    if (count != 3 && count != 5)
        return clump_import_fail(r->log, "found %zu columns, expected 3 or 5", count);
    if (!clump_import_whole(r->log, words[0], "a size", &size) ||
        !clump_import_amount(r->log, words[1], "a rate", &rate) ||
        !clump_import_amount(r->log, words[count - 1], "a time", &time))
        return false;
    const bool old = count == 3;
    double value = old ? time * 1e6 : time;
    const double us = 8.0 * (double)size / (rate * (old ? 1.048576 : 1e3));
    if (rate > 0 &&
        !clump_import_sharpen(r->log, value, 0.005, us, (old ? 0.0000005 : 0.0005) / rate, &value))
        return false;
    return add(r, strcmp(r->quantity, "operation_time") == 0 ? size / 2 : size, 0, value);
}

/* What a file of results is about: as the user says, or its name, or else a ping-pong. */
static bool choose_quantity(reader *r)
{
    static const char *const known[][2] = {{"half_round_trip", "NetPIPE ping-pong"},
                                           {"message_gap", "NetPIPE stream"},
                                           {"operation_time", "NetPIPE both ways"}};
    const char *wanted = r->text->hints.quantity;
    const char *name = r->text->hints.name != NULL ? r->text->hints.name : "";
    const bool stream = wanted == NULL && strstr(name, "stream") != NULL;
    size_t i = stream ? 1 : 0;
    while (wanted != NULL && i < 3 && strcmp(known[i][0], wanted) != 0)
        i++;
    if (i == 3) {
        return clump_import_fail_at(
            r->log, 0,
            "found --quantity %.40s for a file of results of NetPIPE, expected "
            "half_round_trip, message_gap (it streamed) or operation_time "
            "(both directions at once)",
            wanted);
    }
    r->quantity = known[i][0];
    r->name = known[i][1];
    return wanted != NULL ||
           clump_import_notice_at(r->log, 0,
                                  "taken for a %s, as the file of results does not say%s; say "
                                  "otherwise with --quantity",
                                  stream ? "stream" : "ping-pong",
                                  stream ? " and its name has 'stream'" : "");
}

static bool parse(clump_import_text *text, clump_import_log *log)
{
    reader r = {
        .text = text, .log = log, .quantity = "half_round_trip", .name = "NetPIPE ping-pong"};
    const bool results = is_result_file(text);
    char *line;
    clump_import_log_begin(log);
    if (results && !choose_quantity(&r))
        return false;
    while ((line = clump_import_text_next(text)) != NULL)
        if (!(results ? read_file_row(&r, line) : read_line(&r, line)))
            return false;
    return (!r.row || fail_half(&r)) && clump_import_text_is_whole(text, log);
}

const clump_import_format clump_import_netpipe = {"netpipe", "NetPIPE", recognize, parse};
