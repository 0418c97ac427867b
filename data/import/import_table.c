/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/import/import_table.h"

#include "data/number.h"

#include <string.h>

static bool is_pass(const char *word)
{
    double defects;
    return strcmp(word, "Pass") == 0 ||
           (clump_number_parse(word, strlen(word), &defects) == CLUMP_NUMBER_OK && !(defects > 0));
}

static bool read_value(clump_import_log *log, const clump_import_column *c, const char *const *word,
                       const clump_import_key *of_row, int64_t size, int64_t times, size_t *lacking)
{
    double value = 0, half_width = 0;
    clump_import_key key = *of_row;
    if (c->may_lack && clump_import_is_nan(*word)) {
        ++*lacking;
        return true;
    }
    if (!(c->may_lack ? clump_import_number(log, *word, "a number", &value)
                      : clump_import_amount(log, *word, "a number", &value)) ||
        (c->half_width > 0 &&
         !clump_import_amount(log, word[c->half_width], "an interval", &half_width)))
        return false;
    if (c->quantity == NULL || (c->of_bytes && size <= 0))
        return true;
    key.quantity = c->quantity;
    key.statistic = c->statistic != NULL ? c->statistic : "mean";
    key.variant = c->variant != NULL ? c->variant : key.variant;
    key.window = c->window > 0 ? c->window : key.window;
    const double factor = c->factor > 0 ? c->factor : 1, divisor = c->divisor > 0 ? c->divisor : 1;
    clump_import_sample sample = clump_import_sample_of(value * factor / divisor, size, times);
    if (half_width > 0) /* 0 is what rounding has left of it */
        sample.half_width = half_width * factor / divisor;
    sample.delay_us = c->delay_us;
    return clump_import_log_add(log, &key, &sample);
}

bool clump_import_values(clump_import_log *log, const char *const *words,
                         const clump_import_column *columns, size_t count,
                         const clump_import_key *key, size_t *lacking)
{
    int64_t size = -1, times = 0;
    for (size_t i = 0; i < count; i++) {
        if (columns[i].kind == CLUMP_COLUMN_DEFECTS && !is_pass(words[i]))
            return clump_import_fail(
                log, "found %.20s defects, expected none or Pass: data arrived damaged", words[i]);
        if ((columns[i].kind == CLUMP_COLUMN_SIZE &&
             !clump_import_whole(log, words[i], "a size", &size)) ||
            (columns[i].kind == CLUMP_COLUMN_TIMES &&
             !clump_import_whole(log, words[i], "a number of iterations", &times)))
            return false;
    }
    for (size_t i = 0; i < count; i++)
        if (columns[i].kind == CLUMP_COLUMN_VALUE &&
            !read_value(log, &columns[i], words + i, key, size, times, lacking))
            return false;
    return true;
}

bool clump_import_row(clump_import_log *log, char *line, const clump_import_column *columns,
                      size_t count, const clump_import_key *key, size_t *lacking)
{
    char *words[CLUMP_IMPORT_WORDS];
    char shown[61];
    clump_import_copy(shown, sizeof shown, line);
    return clump_import_words(line, words) == count
               ? clump_import_values(log, (const char *const *)words, columns, count, key, lacking)
               : clump_import_fail(log,
                                   "found '%s', expected %zu columns: the run may have crashed",
                                   shown, count);
}
