/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * logp_mpi, parameterized LogP: o_s, o_r and g as functions of the size, in seconds with seven
 * decimals (steps of 0.1 us).
 *
 *   its file      "# LogP network performance data", "# Latency = 0.0000001", then time of day,
 *                 bytes, os, os_min, os_cnfint, or, or_min, or_cnfint, g
 *   it prints     "0:     128: os 0.0000001 [72] or 0.0000003 [12]  g 0.0000002 or > g!" where
 * sizes come as they are refined; lines "0:+" compare with neighbours
 */
#include "data/import/import_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    clump_import_text *text;
    clump_import_log *log;
    bool any;
} reader;

static const char title[] = "# LogP network performance data";

static bool recognize(const clump_import_text *text)
{
    return clump_import_text_has(text, title, 5) ||
           (clump_import_text_has(text, ": measuring with peer", 40) &&
            clump_import_text_has(text, "Clock overhead is", 40));
}

static bool add(reader *r, const char *quantity, const char *statistic, int64_t size,
                const char *word, const char *half_width)
{
    double value = 0;
    double half = 0;
    if (!clump_import_amount(r->log, r->text->line, word, "a time in seconds", &value) ||
        (half_width != NULL &&
         !clump_import_amount(r->log, r->text->line, half_width, "an interval", &half)))
        return false;
    const clump_import_key key = {
        .quantity = quantity, .statistic = statistic, .benchmark = "logp_mpi", .processes = 2};
    clump_import_sample sample = clump_import_sample_of(value * 1e6, size, 0);
    if (half_width != NULL && half > 0) /* 0 is what rounding has left of it */
        sample.half_width = half * 1e6;
    r->any = true;
    return clump_import_log_add(r->log, r->text->line, &key, &sample);
}

static bool read_file_row(reader *r, char *line)
{
    char *words[CLUMP_IMPORT_WORDS];
    int64_t size = 0;
    const char *latency = clump_import_after(line, "# Latency =");
    if (latency != NULL) {
        double value = 0;
        const clump_import_key key = {
            .quantity = "plogp_latency", .benchmark = "logp_mpi", .processes = 2};
        if (!clump_import_number(r->log, r->text->line, latency, "a time in seconds", &value))
            return false;
        if (value < 0) {
            return clump_import_fail(r->log, r->text->line,
                                     "found %.40s, expected a time of 0 or more", latency);
        }
        const clump_import_sample sample = clump_import_sample_of(value * 1e6, -1, 0);
        return clump_import_log_add(r->log, r->text->line, &key, &sample);
    }
    if (*line == '#' || *line == '\0')
        return true;
    const size_t count = clump_import_words(line, words);
    if (count != 9) {
        return clump_import_fail(r->log, r->text->line,
                                 "found %zu columns, expected 9: the log may be truncated", count);
    }
    return clump_import_whole(r->log, r->text->line, words[1], "a size", &size) &&
           add(r, "send_time", "mean", size, words[2], words[4]) &&
           add(r, "send_time", "min", size, words[3], NULL) &&
           add(r, "receive_time", "mean", size, words[5], words[7]) &&
           add(r, "receive_time", "min", size, words[6], NULL) &&
           add(r, "message_gap", "mean", size, words[8], NULL);
}

/* What this line has after the name, as a word of its own; NULL if it has not. */
static char *value_of(char *words[], size_t count, const char *name)
{
    for (size_t i = 0; i + 1 < count; i++)
        if (strcmp(words[i], name) == 0)
            return words[i + 1];
    return NULL;
}

static bool read_printed(reader *r, char *line)
{
    const char *colon = strchr(line, ':');
    if (colon == NULL || line[strspn(line, "0123456789")] != ':') {
        return *line == '\0' || strncmp(line, "Clock overhead is", 17) == 0 || !r->any ||
               clump_import_fail(r->log, r->text->line,
                                 "found '%.60s', expected results: the run may have crashed", line);
    }
    const char *rest = colon + 1;
    const char *begin = rest + strspn(rest, " ");
    const size_t digits = strspn(begin, "0123456789");
    if (*rest == '+' || digits == 0 || begin[digits] != ':')
        return true; /* what it is doing */
    char *words[CLUMP_IMPORT_WORDS];
    char number[24];
    int64_t size = 0;
    snprintf(number, sizeof number, "%.*s", (int)(digits < 23 ? digits : 23), begin);
    const size_t count = clump_import_words(line + (begin + digits + 1 - line), words);
    const char *send = value_of(words, count, "os");
    const char *receive = value_of(words, count, "or");
    const char *gap = value_of(words, count, "g");
    if (send == NULL || receive == NULL || gap == NULL) {
        return clump_import_fail(r->log, r->text->line,
                                 "found a row without os, or or g, expected "
                                 "all three: the log may be truncated");
    }
    return clump_import_whole(r->log, r->text->line, number, "a size", &size) &&
           add(r, "send_time", "mean", size, send, NULL) &&
           add(r, "receive_time", "mean", size, receive, NULL) &&
           add(r, "message_gap", "mean", size, gap, NULL);
}

static bool parse(clump_import_text *text, clump_import_log *log)
{
    reader r = {.text = text, .log = log};
    const bool file = clump_import_text_has(text, title, 5);
    char *line;
    log->any_order = !file;
    clump_import_log_begin(log);
    while ((line = clump_import_text_next(text)) != NULL)
        if (!(file ? read_file_row(&r, line) : read_printed(&r, line)))
            return false;
    return clump_import_text_is_whole(text, log);
}

const clump_import_format clump_import_logp_mpi = {"logp-mpi", "logp_mpi", recognize, parse};
