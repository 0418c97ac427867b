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
#include "data/import/import_table.h"

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

#define SINGLE(what)                                                                               \
    {                                                                                              \
        .kind = CLUMP_COLUMN_VALUE, .quantity = what, .statistic = "single"                        \
    }
#define FITTED(what)                                                                               \
    {                                                                                              \
        .kind = CLUMP_COLUMN_VALUE, .quantity = what, .statistic = "single", .may_lack = true      \
    }
#define OF(what, which)                                                                            \
    {                                                                                              \
        .kind = CLUMP_COLUMN_VALUE, .quantity = what, .statistic = which                           \
    }

static bool add(reader *r, const char *const *words, const clump_import_column *columns,
                size_t count)
{
    char name[40];
    snprintf(name, sizeof name, "netgauge %s", r->pattern);
    const clump_import_key key = {.benchmark = name, .processes = 2};
    r->any = true;
    return clump_import_values(r->log, words, columns, count, &key, &r->missing);
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
            return clump_import_fail(r->log,
                                     "found a row without '%s', expected L, s, o_s, o_r, g, G and "
                                     "lsqu: the log is truncated",
                                     names[i] + (names[i][0] == ' '));
        }
    }
    for (size_t i = 0; i < 6; i++)
        words[i][strcspn(words[i], " \t")] = '\0';
    static const clump_import_column columns[] = {{.kind = CLUMP_COLUMN_SIZE},
                                                  SINGLE("send_time"),
                                                  SINGLE("receive_time"),
                                                  FITTED("fitted_gap"),
                                                  FITTED("fitted_gap_per_byte")},
                                     latency[] = {{.kind = CLUMP_COLUMN_SIZE},
                                                  OF("half_round_trip", "min")};
    int64_t size = 0;
    if (!clump_import_whole(r->log, words[1], "a size", &size))
        return false;
    if (r->testing != size)
        return clump_import_fail(r->log,
                                 "found the result of size %lld, expected "
                                 "that of the test before it",
                                 (long long)size);
    r->testing = -1;
    /* That of a byte is the same in all rows. */
    return (r->any || add(r, (const char *const[]){"1", words[0]}, latency, 2)) &&
           add(r, (const char *const *)words + 1, columns, sizeof columns / sizeof *columns);
}

static bool read_loggp_file(reader *r, char *line)
{
    char *words[CLUMP_IMPORT_WORDS];
    int64_t count = 0;
    double round_trip = 0;
    const size_t found = clump_import_words(line, words);
    if (found != 11)
        return clump_import_fail(r->log, "found %zu columns, expected 11", found);
    if (!clump_import_whole(r->log, words[1], "a number of messages", &count) ||
        !clump_import_amount(r->log, words[2], "a time", &round_trip))
        return false;
    if (count < 2)
        return clump_import_fail(r->log, "found %s messages, expected 2 or more", words[1]);
    clump_import_column columns[] = {{.kind = CLUMP_COLUMN_SIZE}, {.kind = CLUMP_COLUMN_IGNORED},
                                     SINGLE("burst_round_trip"),  SINGLE("burst_round_trip"),
                                     SINGLE("burst_round_trip"),  {.kind = CLUMP_COLUMN_IGNORED},
                                     SINGLE("send_time"),         SINGLE("receive_time"),
                                     FITTED("fitted_gap"),        FITTED("fitted_gap_per_byte")};
    columns[2].window = 1;
    columns[3].window = columns[4].window = count;
    columns[4].delay_us = round_trip;
    columns[4].variant = round_trip > 0 ? "delayed" : NULL;
    return add(r, (const char *const *)words, columns, sizeof columns / sizeof *columns);
}

/* "24 bytes 	 -> 0.18 us 	 == 935.29 Mbit/s" */
static bool read_one_one(reader *r, char *line)
{
    static const clump_import_column columns[] = {{.kind = CLUMP_COLUMN_SIZE},
                                                  OF("half_round_trip", "min")};
    char *words[CLUMP_IMPORT_WORDS];
    const size_t count = clump_import_words(line, words);
    if (count != 8 || strcmp(words[1], "bytes") != 0 || strcmp(words[4], "us") != 0)
        return clump_import_fail(r->log,
                                 "found a row of %zu words, expected a size in bytes, a time in us "
                                 "and a rate",
                                 count);
    return add(r, (const char *const[]){words[0], words[3]}, columns, 2);
}

/* "A - B C D E (F G) - H I J K (L M) - N O P Q": send times B to E, half round trips H to K. */
static bool read_one_one_file(reader *r, char *line)
{
    static const clump_import_column columns[] = {
        {.kind = CLUMP_COLUMN_SIZE},     OF("send_time", "min"),
        OF("half_round_trip", "min"),    OF("send_time", "mean"),
        OF("half_round_trip", "mean"),   OF("send_time", "median"),
        OF("half_round_trip", "median"), OF("send_time", "max"),
        OF("half_round_trip", "max")};
    char *words[CLUMP_IMPORT_WORDS];
    const size_t count = clump_import_words(line, words);
    if (count != 20 || strcmp(words[1], "-") != 0 || strcmp(words[8], "-") != 0)
        return clump_import_fail(
            r->log, "found %zu words, expected the 17 numbers of pattern one_one", count);
    return add(r,
               (const char *const[]){words[0], words[2], words[9], words[3], words[10], words[4],
                                     words[11], words[5], words[12]},
               columns, sizeof columns / sizeof *columns);
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
        return clump_import_whole(r->log, word, "a size", &r->testing);
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
           clump_import_fail(
               r->log, "found '%.60s', expected a row of results: the run may have crashed", first);
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
        return clump_import_fail(log,
                                 "found no result for size %lld, expected one: the "
                                 "log is truncated or the run crashed",
                                 (long long)r.testing);
    }
    if (r.missing > 0 &&
        !clump_import_notice_at(log, 0,
                                "skipped %zu values of g and G that the tool itself marks as "
                                "missing (nan)",
                                r.missing))
        return false;
    return clump_import_text_is_whole(text, log);
}

const clump_import_format clump_import_netgauge = {"netgauge", "netgauge", recognize, parse};
