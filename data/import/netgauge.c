/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Netgauge, patterns loggp and one_one.
 *
 *   loggp prints  " L=0.41 s=1 o_s=0.04 o_r=0.20 g=-nan G=-nan (-nan GiB/s) lsqu(g,G)=-nan"; its L
 * is half the round trip of a byte, its GiB/s are Gbit/s, and g and G, fitted to the sizes so far,
 * can be negative and are missing in the first rows. loggp's file  "# size n PRTT(1,0,s)
 * PRTT(n,0,s) PRTT(n,PRTT(1,0,s),s) L o_s o_r g G lsqu(g,G)", where PRTT(n,d,s) is the time of n
 * messages of s bytes, d us apart, until the one reply of s bytes is back. All times in us. one_one
 * prints "24 bytes -> 0.18 us == 935.29 Mbit/s", the least half round trip and the median rate; its
 * file has minimum, mean, median and maximum.
 */
#include "data/import/import_format.h"

#include <stdio.h>
#include <string.h>

typedef struct reader {
    clump_import_text *text;
    clump_import_log *log;
    const char *pattern; /* "loggp" or "one_one"; NULL: not seen yet */
    bool file;           /* of results */
    int64_t testing;     /* size whose result is to come; -1: none */
    size_t missing;      /* values that are not there */
    bool any;
} reader;

static bool recognize(const clump_import_text *text)
{
    return clump_import_text_has(text, "Netgauge v", 40) ||
           clump_import_text_has(text, "# size n PRTT(1,0,s)", 40);
}

static bool add(reader *r, const char *quantity, const char *statistic, int64_t size,
                const char *word, int64_t window, double delay)
{
    const bool fitted = strncmp(quantity, "fitted_", 7) == 0;
    double value = 0;
    if (fitted && clump_import_is_nan(word)) {
        r->missing++;
        return true;
    }
    if (!(fitted ? clump_import_number(r->log, r->text->line, word, "a number", &value)
                 : clump_import_amount(r->log, r->text->line, word, "a time", &value)))
        return false;
    char name[40];
    snprintf(name, sizeof name, "netgauge %s", r->pattern);
    const clump_import_key key = {.quantity = quantity,
                                  .statistic = statistic,
                                  .benchmark = name,
                                  .variant = delay > 0 ? "delayed" : NULL,
                                  .window = window,
                                  .processes = 2};
    clump_import_sample sample = clump_import_sample_of(value, size, 0);
    sample.delay_us = delay;
    r->any = true;
    return clump_import_log_add(r->log, r->text->line, &key, &sample);
}

/* "# Info:   (0): Netgauge v2.4.6 MPI enabled (P=2, threadlevel=0) (./netgauge -m mpi ... )" or
 * "## Netgauge v2.4.6 - mode mpi - 2 processes" */
static void read_title(reader *r, const char *line)
{
    const char *version = strstr(line, "Netgauge v") + strlen("Netgauge v");
    clump_import_copy(r->log->version, sizeof r->log->version, version);
    r->log->version[strcspn(r->log->version, " ")] = '\0';
    const char *command = strstr(version, ") (");
    if (command != NULL) {
        clump_import_copy(r->log->command, sizeof r->log->command, command + 3);
        char *end = strrchr(r->log->command, ')');
        if (end != NULL) {
            *end = '\0';
            clump_import_copy(r->log->command, sizeof r->log->command, r->log->command);
        }
    }
    if (strncmp(line, "## ", 3) == 0) {
        r->pattern = "one_one";
        r->file = true;
    }
}

/* "name=" within the line: the word after it, ended in place. */
static char *value_of(char *line, const char *name)
{
    char *at = strstr(line, name);
    if (at == NULL)
        return NULL;
    at += strlen(name);
    return at;
}

static bool read_loggp(reader *r, char *line)
{
    static const char *const names[] = {"L=", " s=", "o_s=", "o_r=", " g=", " G="};
    char *words[6];
    for (size_t i = 0; i < 6; i++) {
        words[i] = value_of(line, names[i]);
        if (words[i] == NULL || strstr(line, "lsqu(g,G)=") == NULL) {
            return clump_import_fail(r->log, r->text->line,
                                     "found a row without '%s', expected L, s, o_s, o_r, g, G and "
                                     "lsqu: the log is truncated",
                                     names[i] + (names[i][0] == ' '));
        }
    }
    for (size_t i = 0; i < 6; i++)
        words[i][strcspn(words[i], " \t")] = '\0';
    int64_t size = 0;
    if (!clump_import_whole(r->log, r->text->line, words[1], "a size", &size))
        return false;
    if (r->testing != size) {
        return clump_import_fail(r->log, r->text->line,
                                 "found the result of size %lld, expected "
                                 "that of the test before it",
                                 (long long)size);
    }
    r->testing = -1;
    if (!r->any) { /* the same in all rows */
        if (!add(r, "half_round_trip", "min", 1, words[0], 0, 0))
            return false;
    }
    return add(r, "send_time", "single", size, words[2], 0, 0) &&
           add(r, "receive_time", "single", size, words[3], 0, 0) &&
           add(r, "fitted_gap", "single", size, words[4], 0, 0) &&
           add(r, "fitted_gap_per_byte", "single", size, words[5], 0, 0);
}

static bool read_loggp_file(reader *r, char *line)
{
    char *words[CLUMP_IMPORT_WORDS];
    int64_t size = 0;
    int64_t count = 0;
    double round_trip = 0;
    const size_t found = clump_import_words(line, words);
    if (found != 11)
        return clump_import_fail(r->log, r->text->line, "found %zu columns, expected 11", found);
    if (!clump_import_whole(r->log, r->text->line, words[0], "a size", &size) ||
        !clump_import_whole(r->log, r->text->line, words[1], "a number of messages", &count) ||
        !clump_import_amount(r->log, r->text->line, words[2], "a time", &round_trip))
        return false;
    if (count < 2) {
        return clump_import_fail(r->log, r->text->line, "found %s messages, expected 2 or more",
                                 words[1]);
    }
    return add(r, "burst_round_trip", "single", size, words[2], 1, 0) &&
           add(r, "burst_round_trip", "single", size, words[3], count, 0) &&
           add(r, "burst_round_trip", "single", size, words[4], count, round_trip) &&
           add(r, "send_time", "single", size, words[6], 0, 0) &&
           add(r, "receive_time", "single", size, words[7], 0, 0) &&
           add(r, "fitted_gap", "single", size, words[8], 0, 0) &&
           add(r, "fitted_gap_per_byte", "single", size, words[9], 0, 0);
}

/* "24 bytes 	 -> 0.18 us 	 == 935.29 Mbit/s" */
static bool read_one_one(reader *r, char *line)
{
    char *words[CLUMP_IMPORT_WORDS];
    int64_t size = 0;
    const size_t count = clump_import_words(line, words);
    if (count != 8 || strcmp(words[1], "bytes") != 0 || strcmp(words[4], "us") != 0) {
        return clump_import_fail(r->log, r->text->line,
                                 "found a row of %zu words, expected a size in bytes, a time in us "
                                 "and a rate",
                                 count);
    }
    return clump_import_whole(r->log, r->text->line, words[0], "a size", &size) &&
           add(r, "half_round_trip", "min", size, words[3], 0, 0);
}

/* "A - B C D E (F G) - H I J K (L M) - N O P Q": send times B to E, half round trips H to K. */
static bool read_one_one_file(reader *r, char *line)
{
    static const char *const statistics[] = {"min", "mean", "median", "max"};
    char *words[CLUMP_IMPORT_WORDS];
    int64_t size = 0;
    const size_t count = clump_import_words(line, words);
    if (count != 20 || strcmp(words[1], "-") != 0 || strcmp(words[8], "-") != 0) {
        return clump_import_fail(r->log, r->text->line,
                                 "found %zu words, expected the 17 numbers of pattern one_one",
                                 count);
    }
    if (!clump_import_whole(r->log, r->text->line, words[0], "a size", &size))
        return false;
    for (size_t i = 0; i < 4; i++)
        if (!add(r, "send_time", statistics[i], size, words[2 + i], 0, 0) ||
            !add(r, "half_round_trip", statistics[i], size, words[9 + i], 0, 0))
            return false;
    return true;
}

static bool read_row(reader *r, char *line)
{
    if (r->file && r->pattern != NULL) {
        return strcmp(r->pattern, "loggp") == 0 ? read_loggp_file(r, line)
                                                : read_one_one_file(r, line);
    }
    const char *testing = clump_import_after(line, "Testing ");
    if (testing != NULL && r->testing < 0) {
        char word[24];
        snprintf(word, sizeof word, "%.*s", (int)strcspn(testing, " "), testing);
        r->pattern = "loggp";
        return clump_import_whole(r->log, r->text->line, word, "a size", &r->testing);
    }
    const char *first = line + strspn(line, " ");
    if (strncmp(first, "L=", 2) == 0) {
        r->pattern = "loggp";
        return read_loggp(r, line);
    }
    if (strstr(line, " bytes ") != NULL && strstr(line, "->") != NULL) {
        r->pattern = "one_one";
        return read_one_one(r, line);
    }
    return r->log->version[0] == '\0' || /* before the title: what mpirun has to say */
           clump_import_fail(r->log, r->text->line,
                             "found '%.60s', expected a row of results: the run may have crashed",
                             first);
}

static bool parse(clump_import_text *text, clump_import_log *log)
{
    reader r = {.text = text, .log = log, .testing = -1};
    char *line;
    clump_import_log_begin(log);
    while ((line = clump_import_text_next(text)) != NULL) {
        bool good = true;
        if (*line == '#') {
            if (strstr(line, "Netgauge v") != NULL) {
                read_title(&r, line);
                clump_import_log_begin(log);
            } else if (strncmp(line, "# size n PRTT", 13) == 0) {
                r.pattern = "loggp";
                r.file = true;
                clump_import_log_begin(log);
            }
        } else if (*line != '\0') {
            good = read_row(&r, line);
        }
        if (!good)
            return false;
    }
    if (r.testing >= 0) {
        return clump_import_fail(log, text->line,
                                 "found no result for size %lld, expected one: the "
                                 "log is truncated or the run crashed",
                                 (long long)r.testing);
    }
    if (r.missing > 0 &&
        !clump_import_notice(log, 0,
                             "skipped %zu values of g and G that the tool itself marks as "
                             "missing (nan)",
                             r.missing))
        return false;
    return clump_import_text_is_whole(text, log);
}

const clump_import_format clump_import_netgauge = {"netgauge", "netgauge", recognize, parse};
