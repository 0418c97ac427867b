/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nxnlatbw: each of N processes with each other one, two at a time. A line of names, and for every
 * ordered pair "7,0,0.81,12042.811187": half a round trip of an empty message (us, of 10,000), and the
 * rate (10^6 bytes/s) of ten messages of 4 MiB that one answer follows. Processes print on their own:
 * lines are in any order, that of the names among them. There is a series for each process that
 * sends; the other one is the task of a sample.
 */
#include "data/import/import_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 2048, FIELDS = 4, LATENCIES = 10000, MESSAGES = 10, SIZE = 4 << 20 };

static const char heading[] = "src,dst,lat(us),bandwidth";

static bool recognize(const clump_import_text *text)
{
    const char *first = text->bytes + strspn(text->bytes, "\n");
    return (strncmp(first, heading, sizeof heading - 1) == 0 || (*first >= '0' && *first <= '9')) &&
           clump_import_text_has(text, heading, (size_t)MOST * MOST);
}

/* Cuts a line at its commas; whether there are as many fields as there must be. */
static bool split(char *line, char *fields[FIELDS])
{
    size_t count = 0;
    for (char *at = line; at != NULL && count < FIELDS; count++) {
        fields[count] = at;
        at = strchr(at, ',');
        if (at != NULL)
            *at++ = '\0';
        if (count + 1 == FIELDS && at != NULL)
            return false;
    }
    return count == FIELDS;
}

typedef struct reader {
    clump_import_log *log;
    int64_t from, to;
    unsigned char *seen; /* a bit for each pair */
} reader;

static bool add(const reader *r, const char *quantity, int64_t size, int64_t iterations,
                int64_t window, double value)
{
    char variant[40];
    snprintf(variant, sizeof variant, "from %lld", (long long)r->from);
    const clump_import_key key = {.quantity = quantity,
                                  .statistic = "mean",
                                  .benchmark = "nxnlatbw",
                                  .variant = variant,
                                  .window = window,
                                  .processes = 2};
    clump_import_sample sample = clump_import_sample_of(value, size, iterations);
    sample.task = r->to;
    return clump_import_log_add(r->log, &key, &sample);
}

static bool read_end(const reader *r, const char *word, int64_t *end)
{
    return clump_import_whole(r->log, word, "a process", end) &&
           (*end < MOST ||
            clump_import_fail(r->log, "found process %.40s, expected less than %d", word, MOST));
}

static bool read_row(reader *r, char *row)
{
    char shown[61];
    char *fields[FIELDS];
    double time = 0;
    double rate = 0;
    clump_import_copy(shown, sizeof shown, row);
    if (!split(row, fields))
        return clump_import_fail(r->log,
                                 "found '%s', expected two processes, a time and a rate: lines may "
                                 "be mixed up, or the run has crashed",
                                 shown);
    if (!read_end(r, fields[0], &r->from) || !read_end(r, fields[1], &r->to))
        return false;
    const size_t pair = (size_t)(r->from * MOST + r->to);
    const unsigned char bit = (unsigned char)(1 << pair % 8);
    if (r->from == r->to || (r->seen[pair / 8] & bit) != 0)
        return clump_import_fail(r->log,
                                 "found %lld to %lld%s, expected each pair of processes once: "
                                 "output of several runs may be mixed",
                                 (long long)r->from, (long long)r->to,
                                 r->from == r->to ? "" : " a second time");
    r->seen[pair / 8] |= bit;
    return clump_import_amount(r->log, fields[2], "a time", &time) &&
           clump_import_amount(r->log, fields[3], "a rate", &rate) &&
           add(r, "half_round_trip", 0, LATENCIES, 0, time) &&
           add(r, "transfer_rate", SIZE, MESSAGES, MESSAGES, rate);
}

static bool read_all(reader *r, clump_import_text *text)
{
    int64_t last = 0; /* highest number of a process */
    int64_t rows = 0;
    for (char *line; (line = clump_import_text_next(text)) != NULL;) {
        if (*line == '\0' || strncmp(line, heading, sizeof heading - 1) == 0)
            continue;
        if (!read_row(r, line))
            return false;
        last = r->from > last ? r->from : last;
        last = r->to > last ? r->to : last;
        rows++;
    }
    if (rows != last * (last + 1))
        return clump_import_fail(r->log,
                                 "found %lld pairs, expected %lld of %lld processes: the log is "
                                 "truncated, or the run has crashed",
                                 (long long)rows, (long long)(last * (last + 1)),
                                 (long long)(last + 1));
    return clump_import_text_is_whole(text, r->log);
}

static bool parse(clump_import_text *text, clump_import_log *log)
{
    reader r = {.log = log, .seen = clump_import_take(log, (size_t)MOST * MOST / 8)};
    log->repeats = true;
    clump_import_log_begin(log);
    return r.seen != NULL && read_all(&r, text);
}

const clump_import_format clump_import_nxnlatbw = {"nxnlatbw", "nxnlatbw", recognize, parse};
