/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/import/import_log.h"

#include "data/hash.h"
#include "data/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void clump_import_log_free(clump_import_log *log)
{
    for (size_t i = 0; i < log->count; i++) {
        for (size_t j = 0; log->own && j < log->series[i]->count; j++)
            free(log->series[i]->samples[j].note);
        free(log->series[i]->texts);
        free(log->series[i]->samples);
        free(log->series[i]);
    }
    for (size_t kind = 0; kind < sizeof log->records / sizeof *log->records; kind++) {
        for (size_t i = 0; i < log->records[kind].count; i++)
            clump_store_free(log->records[kind].items[i].record);
        free(log->records[kind].items);
    }
    free(log->series);
    free(log->notices);
    *log = (clump_import_log){.format = NULL};
}

bool clump_import_fail_at(clump_import_log *log, size_t line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(log->message, sizeof log->message, format, arguments);
    va_end(arguments);
    log->line = line;
    return false;
}

bool clump_import_fail_memory(clump_import_log *log)
{
    log->no_memory = true;
    return clump_import_fail_at(log, 0, "out of memory");
}

bool clump_import_notice_at(clump_import_log *log, size_t line, const char *format, ...)
{
    enum { MOST = 4096 }; /* bytes: nobody reads more */
    char text[CLUMP_IMPORT_MESSAGE];
    const int used = line > 0 ? snprintf(text, sizeof text, "line %zu: ", line) : 0;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, sizeof text - (size_t)used, format, arguments);
    va_end(arguments);
    const size_t size = strlen(text);
    if (log->notices_size > MOST)
        return true;
    char *notices = realloc(log->notices, log->notices_size + size + 2);
    if (notices == NULL)
        return clump_import_fail_memory(log);
    memcpy(notices + log->notices_size, text, size);
    memcpy(notices + log->notices_size + size, "\n", 2);
    log->notices = notices;
    log->notices_size += size + 1;
    return true;
}

void clump_import_log_begin(clump_import_log *log)
{
    log->block++;
}

static const char *or_empty(const char *text)
{
    return text != NULL ? text : "";
}

static uint64_t hash_key(const clump_import_key *key)
{
    const char *const texts[] = {key->quantity, key->statistic,   key->benchmark, key->variant,
                                 key->platform, key->application, key->transport};
    uint64_t hash = CLUMP_HASH_START;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        hash = clump_hash_bytes(hash, texts[i], strlen(texts[i]) + 1);
    const int64_t numbers[] = {key->window, key->processes, key->of_application,
                               (int64_t)key->origin};
    return clump_hash_bytes(hash, numbers, sizeof numbers);
}

/* Each row is compared with the series of the one before, and most texts are empty. */
static inline bool is_same_text(const char *a, const char *b)
{
    return *a == *b && (*a == '\0' || strcmp(a, b) == 0);
}

static bool is_same_key(const clump_import_key *a, const clump_import_key *b)
{
    return is_same_text(a->quantity, b->quantity) && is_same_text(a->statistic, b->statistic) &&
           is_same_text(a->benchmark, b->benchmark) && is_same_text(a->variant, b->variant) &&
           is_same_text(a->platform, b->platform) && is_same_text(a->application, b->application) &&
           is_same_text(a->transport, b->transport) && a->window == b->window &&
           a->processes == b->processes && a->of_application == b->of_application &&
           a->origin == b->origin;
}

static clump_import_series *make_series(const clump_import_key *key, uint64_t hash)
{
    const char *const texts[] = {key->quantity, key->statistic, key->benchmark,   key->variant,
                                 key->unit,     key->platform,  key->application, key->transport};
    enum { TEXTS = sizeof texts / sizeof *texts };
    size_t size = 0;
    for (size_t i = 0; i < TEXTS; i++)
        size += strlen(texts[i]) + 1;
    clump_import_series *made = calloc(1, sizeof *made);
    char *copy = malloc(size);
    if (made == NULL || copy == NULL) {
        free(made);
        free(copy);
        return NULL;
    }
    made->texts = copy;
    made->key = *key;
    const char **to[] = {&made->key.quantity,    &made->key.statistic, &made->key.benchmark,
                         &made->key.variant,     &made->key.unit,      &made->key.platform,
                         &made->key.application, &made->key.transport};
    for (size_t i = 0; i < TEXTS; i++) {
        *to[i] = strcpy(copy, texts[i]);
        copy += strlen(texts[i]) + 1;
    }
    made->hash = hash;
    return made;
}

static clump_import_series *find_series(clump_import_log *log, const clump_import_key *wanted)
{
    clump_import_key key = *wanted;
    key.statistic = key.statistic != NULL ? key.statistic : "single";
    key.benchmark = or_empty(key.benchmark);
    key.variant = or_empty(key.variant);
    key.unit = or_empty(key.unit);
    key.platform = or_empty(key.platform);
    key.application = or_empty(key.application);
    key.transport = or_empty(key.transport);
    if (key.processes == 0 && !log->own)
        key.processes = log->processes;
    if (log->last != NULL && is_same_key(&log->last->key, &key))
        return log->last;
    const uint64_t hash = hash_key(&key);
    for (size_t i = 0; i < log->count; i++)
        if (log->series[i]->hash == hash && is_same_key(&log->series[i]->key, &key))
            return log->series[i];
    if (log->count == CLUMP_IMPORT_SERIES) {
        clump_import_fail(log, "found more than %d series, expected fewer", CLUMP_IMPORT_SERIES);
        return NULL;
    }
    if (log->count == log->room) {
        const size_t room = log->room > 0 ? 2 * log->room : 16;
        clump_import_series **series = realloc(log->series, room * sizeof *series);
        if (series == NULL) {
            clump_import_fail_memory(log);
            return NULL;
        }
        log->series = series;
        log->room = room;
    }
    clump_import_series *made = make_series(&key, hash);
    if (made == NULL) {
        clump_import_fail_memory(log);
        return NULL;
    }
    log->series[log->count++] = made;
    return made;
}

static bool may_be_negative(const char *quantity)
{
    /* Those that a benchmark fits, and not measures; the store knows about all the others. */
    return strncmp(quantity, "fitted_", 7) == 0;
}

static bool check(clump_import_log *log, const clump_import_key *key,
                  const clump_import_series *series, const clump_import_sample *sample)
{
    const size_t line = sample->line;
    if (!isfinite(sample->value))
        return clump_import_fail_at(log, line,
                                    "found a value that is not finite, expected a number");
    if (sample->value < 0 && !may_be_negative(key->quantity) && strcmp(log->format, "csv") != 0 &&
        !log->own) { /* there the store decides */
        return clump_import_fail_at(log, line, "found %g for %s, expected 0 or more", sample->value,
                                    key->quantity);
    }
    if (sample->size_bytes < -1) {
        return clump_import_fail_at(log, line, "found a size of %lld bytes, expected 0 or more",
                                    (long long)sample->size_bytes);
    }
    if (strcmp(series->key.unit, or_empty(key->unit)) != 0) {
        return clump_import_fail_at(log, line,
                                    "found unit '%.20s' after '%.20s', expected one unit "
                                    "for the same quantity",
                                    or_empty(key->unit), series->key.unit);
    }
    if (!log->any_order && series->count > 0 && series->block == log->block &&
        sample->size_bytes >= 0 &&
        (sample->size_bytes < series->last_size ||
         (sample->size_bytes == series->last_size && !log->repeats))) {
        return clump_import_fail_at(log, line,
                                    "found size %lld after size %lld, expected larger and larger "
                                    "sizes: output of several runs may be mixed%s",
                                    (long long)sample->size_bytes, (long long)series->last_size,
                                    log->repeats ? "; number them in a column 'run'" : "");
    }
    return true;
}

bool clump_import_log_add(clump_import_log *log, const clump_import_key *key,
                          const clump_import_sample *from)
{
    clump_import_sample sample = *from;
    sample.line = sample.line > 0 ? sample.line : log->at;
    clump_import_series *series = find_series(log, key);
    if (series == NULL || !check(log, key, series, &sample))
        return false;
    if (series->count == series->room) {
        const size_t room = series->room > 0 ? 2 * series->room : 32;
        clump_import_sample *samples = realloc(series->samples, room * sizeof *samples);
        if (samples == NULL)
            return clump_import_fail_memory(log);
        series->samples = samples;
        series->room = room;
    }
    if (series->block != log->block || series->run == 0) {
        series->run++;
        series->block = log->block;
    }
    clump_import_sample *added = &series->samples[series->count++];
    *added = sample;
    if (added->run == 0 && !log->own)
        added->run = series->run;
    series->last_size = sample.size_bytes;
    log->last = series;
    log->samples++;
    return true;
}

bool clump_import_log_is_empty(const clump_import_log *log)
{
    return log->samples + log->records[CLUMP_STORE_PLATFORM].count +
               log->records[CLUMP_STORE_APPLICATION].count ==
           0;
}

clump_import_sample clump_import_sample_of(double value, int64_t size_bytes, int64_t iterations)
{
    return (clump_import_sample){.value = value,
                                 .half_width = NAN,
                                 .std_dev = NAN,
                                 .size_bytes = size_bytes,
                                 .iterations = iterations,
                                 .task = -1};
}

/* ---- what a log says about itself: short texts, and where exported samples come from */

void clump_import_copy(char *to, size_t room, const char *from)
{
    while (*from == ' ' || *from == '\t')
        from++;
    size_t size = strlen(from);
    size = size < room ? size : room - 1;
    while (size > 0 && (from[size - 1] == ' ' || from[size - 1] == '\t'))
        size--;
    memcpy(to, from, size);
    to[size] = '\0';
    const bool printable = clump_text_is_printable(to, size);
    for (size_t i = 0; i < size && !printable; i++)
        to[i] = (unsigned char)to[i] < 0x20 || (unsigned char)to[i] >= 0x7F ? '?' : to[i];
}

static bool is_same(const char *const *a, const char *const *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(or_empty(a[i]), or_empty(b[i])) != 0)
            return false;
    return true;
}

static bool is_same_source(const clump_store_source *a, const clump_store_source *b)
{
    const char *const x[] = {a->name, a->kind,   a->title, a->table_label,  a->section, a->page,
                             a->file, a->sha256, a->tool,  a->tool_version, a->command, a->note},
                      *const y[] = {b->name,    b->kind,         b->title,   b->table_label,
                                    b->section, b->page,         b->file,    b->sha256,
                                    b->tool,    b->tool_version, b->command, b->note};
    return is_same(x, y, sizeof x / sizeof *x);
}

static bool is_same_platform(const clump_store_platform *a, const clump_store_platform *b)
{
    const char *const x[] = {a->mapping, a->counterpart}, *const y[] = {b->mapping, b->counterpart};
    return a->nodes == b->nodes && a->processors == b->processors && a->nics == b->nics &&
           is_same(x, y, sizeof x / sizeof *x);
}

/* Whether it is the record that is there already: *good is false if it has its name only. */
static bool is_there(clump_import_log *log, clump_store_kind kind, const void *there,
                     const void *record, bool *good)
{
    const clump_store_platform *p = there, *platform = record;
    const clump_store_application *a = there, *application = record;
    *good = true;
    if (kind == CLUMP_STORE_SOURCE)
        return is_same_source(there, record);
    if (kind == CLUMP_STORE_PLATFORM && strcmp(p->name, platform->name) == 0) {
        *good = is_same_platform(p, platform) ||
                clump_import_fail(log,
                                  "found other numbers of nodes, processors and NICs for platform "
                                  "'%.60s' than before, expected the same",
                                  p->name);
        return true;
    }
    if (kind == CLUMP_STORE_APPLICATION && strcmp(a->name, application->name) == 0) {
        *good = is_same(&a->style, &application->style, 1) ||
                clump_import_fail(log,
                                  "found another style of application '%.60s' than before, "
                                  "expected the same",
                                  a->name);
        return true;
    }
    return false;
}

bool clump_import_log_record(clump_import_log *log, clump_store_kind kind, const void *record,
                             size_t origin, size_t *index)
{
    clump_import_records *all = &log->records[kind];
    bool good = true;
    size_t i = all->count; /* rows of one source stand together: the last one is looked at first */
    while (i > 0 && !is_there(log, kind, all->items[i - 1].record, record, &good))
        i--;
    if (i == 0) {
        clump_import_record *items = realloc(all->items, (all->count + 1) * sizeof *items);
        if (items == NULL)
            return clump_import_fail_memory(log);
        all->items = items;
        items[all->count] = (clump_import_record){clump_store_copy_record(kind, record), origin};
        if (items[all->count].record == NULL)
            return clump_import_fail_memory(log);
        i = ++all->count;
    }
    if (index != NULL)
        *index = i - 1;
    return good;
}
