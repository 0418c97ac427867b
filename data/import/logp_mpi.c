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
#include "data/import/import_table.h"

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

#define SECONDS(what, of)                                                                          \
    {                                                                                              \
        .kind = CLUMP_COLUMN_VALUE, .quantity = what, .statistic = of, .factor = 1e6               \
    }
/* The column after next is the half width, of which rounding may have left 0. */
#define MEAN_SECONDS(what)                                                                         \
    {                                                                                              \
        .kind = CLUMP_COLUMN_VALUE, .quantity = what, .factor = 1e6, .half_width = 2               \
    }

static const clump_import_column columns[] = {
    {.kind = CLUMP_COLUMN_IGNORED}, {.kind = CLUMP_COLUMN_SIZE},    MEAN_SECONDS("send_time"),
    SECONDS("send_time", "min"),    {.kind = CLUMP_COLUMN_IGNORED}, MEAN_SECONDS("receive_time"),
    SECONDS("receive_time", "min"), {.kind = CLUMP_COLUMN_IGNORED}, SECONDS("message_gap", "mean")};

static const clump_import_column printed[] = {{.kind = CLUMP_COLUMN_SIZE},
                                              SECONDS("send_time", "mean"),
                                              SECONDS("receive_time", "mean"),
                                              SECONDS("message_gap", "mean")};
static const clump_import_key logp = {
    .quantity = "plogp_latency", .benchmark = "logp_mpi", .processes = 2};

static bool read_file_row(reader *r, char *line)
{
    const char *latency = clump_import_after(line, "# Latency =");
    if (latency != NULL) {
        double value = 0;
        if (!clump_import_number(r->log, latency, "a time in seconds", &value))
            return false;
        if (value < 0)
            return clump_import_fail(r->log, "found %.40s, expected a time of 0 or more", latency);
        const clump_import_sample sample = clump_import_sample_of(value * 1e6, -1, 0);
        return clump_import_log_add(r->log, &logp, &sample);
    }
    return *line == '#' || *line == '\0' ||
           clump_import_row(r->log, line, columns, sizeof columns / sizeof *columns, &logp, NULL);
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
               clump_import_fail(r->log,
                                 "found '%.60s', expected results: the run may have crashed", line);
    }
    const char *rest = colon + 1;
    const char *begin = rest + strspn(rest, " ");
    const size_t digits = strspn(begin, "0123456789");
    if (*rest == '+' || digits == 0 || begin[digits] != ':')
        return true; /* what it is doing */
    char *words[CLUMP_IMPORT_WORDS];
    char number[24];
    snprintf(number, sizeof number, "%.*s", (int)(digits < 23 ? digits : 23), begin);
    const size_t count = clump_import_words(line + (begin + digits + 1 - line), words);
    const char *send = value_of(words, count, "os");
    const char *receive = value_of(words, count, "or");
    const char *gap = value_of(words, count, "g");
    if (send == NULL || receive == NULL || gap == NULL) {
        return clump_import_fail(r->log, "found a row without os, or or g, expected "
                                         "all three: the log may be truncated");
    }
    r->any = true;
    return clump_import_values(r->log, (const char *const[]){number, send, receive, gap}, printed,
                               sizeof printed / sizeof *printed, &logp, NULL);
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
