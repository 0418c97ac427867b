/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Logs, from files of tests/logs/ or from text, as the importers read them. */
#ifndef CLUMP_TEST_IMPORT_H
#define CLUMP_TEST_IMPORT_H

#include "tests/unit/unit.h"

#include "data/import/import_format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static clump_import_hints test_hints = {.size_bytes = -1};

/* Parses a copy; `format` NULL: auto. */
static inline bool parse_bytes(const char *format, const char *bytes, size_t size,
                               clump_import_log *log)
{
    char *copy = malloc(size + 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    *log = (clump_import_log){.format = NULL};
    const bool good = clump_import_parse(format != NULL ? clump_import_format_find(format) : NULL,
                                         copy, size, &test_hints, log);
    free(copy);
    return good;
}

/* Reads a text that must be understood. */
static inline void read_text(const char *format, const char *text, clump_import_log *log)
{
    if (!parse_bytes(NULL, text, strlen(text), log))
        fail_msg("line %zu: %s", log->line, log->message);
    assert_string_equal(log->format, format);
}

static inline char *load_log(const char *name, size_t *size)
{
    char path[500];
    const char *directory = getenv("CLUMP_TEST_DIR");
    snprintf(path, sizeof path, "%s/logs/%s", directory != NULL ? directory : "tests", name);
    FILE *file = fopen(path, "rb");
    char *bytes = malloc(1 << 20);
    assert_non_null(file);
    assert_non_null(bytes);
    *size = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

/* The same of a file of tests/logs/. */
static inline void read_log(const char *format, const char *name, clump_import_log *log)
{
    size_t size = 0;
    char *bytes = load_log(name, &size);
    if (!parse_bytes(NULL, bytes, size, log))
        fail_msg("%s:%zu: %s", name, log->line, log->message);
    free(bytes);
    assert_string_equal(log->format, format);
}

/* A text that must be refused on this line (0: as a whole) with this in the message. */
static inline void refuse_bytes(const char *format, const char *text, size_t size, size_t line,
                                const char *part)
{
    clump_import_log log;
    if (parse_bytes(format, text, size, &log))
        fail_msg("accepted what should be refused with '%s'", part);
    if (strstr(log.message, part) == NULL || log.line != line)
        fail_msg("line %zu: '%s' is not line %zu: '%s'", log.line, log.message, line, part);
    clump_import_log_free(&log);
}

static inline void refuse_text(const char *format, const char *text, size_t line, const char *part)
{
    refuse_bytes(format, text, strlen(text), line, part);
}

/* What to look for; NULL, -1: any. */
typedef struct wanted {
    const char *quantity;
    const char *statistic;
    int64_t size;
    int64_t window;
    const char *variant;
    int64_t run;
} wanted;

static inline const clump_import_sample *find_sample(const clump_import_log *log, wanted w,
                                                     const clump_import_series **of)
{
    const clump_import_sample *found = NULL;
    for (size_t i = 0; i < log->count; i++) {
        const clump_import_series *s = log->series[i];
        if (strcmp(s->key.quantity, w.quantity) != 0 ||
            (w.statistic != NULL && strcmp(s->key.statistic, w.statistic) != 0) ||
            (w.variant != NULL && strcmp(s->key.variant, w.variant) != 0) ||
            (w.window > 0 && s->key.window != w.window))
            continue;
        for (size_t j = 0; j < s->count; j++) {
            if ((w.size == -1 || s->samples[j].size_bytes == w.size) &&
                (w.run == 0 || s->samples[j].run == w.run)) {
                if (found == NULL) {
                    found = &s->samples[j];
                    *of = s;
                }
            }
        }
    }
    if (found == NULL)
        fail_msg("no %s of size %lld", w.quantity, (long long)w.size);
    return found;
}

static inline void has_value(const clump_import_log *log, wanted w, double value)
{
    const clump_import_series *of = NULL;
    const clump_import_sample *found = find_sample(log, w, &of);
    if (!(fabs(found->value - value) <= 1e-9 * fabs(value))) {
        fail_msg("%s of size %lld is %.17g, not %.17g", w.quantity, (long long)w.size, found->value,
                 value);
    }
}

/* What the series of a sample says. */
static inline void has_key(const clump_import_log *log, wanted w, const char *benchmark,
                           int64_t window, int64_t processes)
{
    const clump_import_series *of = NULL;
    find_sample(log, w, &of);
    assert_string_equal(of->key.benchmark, benchmark);
    assert_int_equal(of->key.window, window);
    assert_int_equal(of->key.processes, processes);
}

#endif
