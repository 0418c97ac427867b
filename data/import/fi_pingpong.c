/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fi_pingpong of libfabric:
 *   bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec
 *   64      100k    =100k    12m         0.06s    205.16       0.31       3.21
 * Sizes have suffixes of 1024, counts of 1000; MB are 10^6 bytes; usec/xfer is half a round trip,
 * which MB/sec tells with more digits.
 */
#include "data/import/import_format.h"

#include "data/number.h"

#include <string.h>

static bool recognize(const clump_import_text *text)
{
    return clump_import_text_has(text, "#sent", 20) && clump_import_text_has(text, "usec/xfer", 20);
}

/* "64", "1k", "1.5k": with powers of `base`; false if it is none or not whole. */
static bool read_suffixed(const char *word, int64_t base, int64_t *value)
{
    static const char suffixes[] = "kmgt";
    const size_t size = strlen(word);
    const char *suffix = size > 1 ? strchr(suffixes, word[size - 1]) : NULL;
    int64_t factor = 1;
    for (const char *at = suffixes; suffix != NULL && at <= suffix; at++)
        factor *= base;
    double number = 0;
    if (clump_number_parse(word, suffix != NULL ? size - 1 : size, &number) != CLUMP_NUMBER_OK ||
        !(number >= 0 && number < 1e6 * 1e3))
        return false;
    const double product = number * (double)factor;
    *value = product < 9e15 ? (int64_t)product : -1;
    return (double)*value == product;
}

static bool read_row(clump_import_log *log, char *line)
{
    char *words[CLUMP_IMPORT_WORDS];
    char shown[61];
    int64_t size = 0;
    int64_t sent = 0;
    double rate = 0;
    double time = 0;
    clump_import_copy(shown, sizeof shown, line);
    const size_t count = clump_import_words(line, words);
    if (count != 8) {
        return clump_import_fail(log, "found '%s', expected 8 columns: the run may have crashed",
                                 shown);
    }
    if (!read_suffixed(words[0], 1024, &size))
        return clump_import_fail(log, "found '%.40s', expected a whole number of bytes", words[0]);
    if (!read_suffixed(words[1], 1000, &sent))
        return clump_import_fail(log, "found '%.40s', expected a number of messages", words[1]);
    if (!clump_import_amount(log, words[5], "a rate", &rate) ||
        !clump_import_amount(log, words[6], "a time", &time))
        return false;
    if (rate > 0 &&
        !clump_import_sharpen(log, time, 0.005, (double)size / rate, 0.005 / rate, &time))
        return false;
    const clump_import_key key = {.quantity = "half_round_trip",
                                  .statistic = "mean",
                                  .benchmark = "fi_pingpong",
                                  .processes = 2};
    const clump_import_sample sample = clump_import_sample_of(time, size, sent);
    return clump_import_log_add(log, &key, &sample);
}

static bool parse(clump_import_text *text, clump_import_log *log)
{
    bool table = false;
    char *line;
    while ((line = clump_import_text_next(text)) != NULL) {
        if (strstr(line, "#sent") != NULL && strstr(line, "usec/xfer") != NULL) {
            table = true;
            clump_import_log_begin(log);
        } else if (table && *line != '\0' && !read_row(log, line)) {
            return false;
        }
    }
    return clump_import_text_is_whole(text, log);
}

const clump_import_format clump_import_fi_pingpong = {"fi-pingpong", "fi_pingpong", recognize,
                                                      parse};
