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
    clump_arena_free(log->texts);
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

void *clump_import_take(clump_import_log *log, size_t size)
{
    if (log->texts == NULL)
        log->texts = clump_arena_new();
    void *taken = log->texts != NULL ? clump_arena_take(log->texts, size) : NULL;
    if (taken == NULL)
        clump_import_fail_memory(log);
    return taken;
}

void *clump_import_more(clump_import_log *log, void *rows, size_t count, size_t size)
{
    if (log->texts == NULL)
        log->texts = clump_arena_new();
    void *more = log->texts != NULL ? clump_arena_more(log->texts, rows, count, size) : NULL;
    if (more == NULL)
        clump_import_fail_memory(log);
    return more;
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

static bool is_same(const clump_import_key *a, const clump_import_key *b)
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
    if (log->last != NULL && is_same(&log->last->key, &key))
        return log->last;
    const uint64_t hash = hash_key(&key);
    for (size_t i = 0; i < log->count; i++)
        if (log->series[i]->hash == hash && is_same(&log->series[i]->key, &key))
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

/* Texts of a place or program, into the log's own memory. */
static bool own_texts(clump_import_log *log, const char **texts[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *copy = clump_import_take(log, strlen(*texts[i]) + 1);
        if (copy == NULL)
            return false;
        *texts[i] = strcpy(copy, *texts[i]);
    }
    return true;
}

static bool is_same_origin(const clump_import_origin *origin, const char *const *fields)
{
    for (size_t i = 0; i < CLUMP_IMPORT_ORIGIN; i++)
        if (strcmp(origin->fields[i], fields[i]) != 0)
            return false;
    return true;
}

static bool add_origin(clump_import_log *log, const char *const *fields)
{
    clump_import_origin *origins =
        clump_import_more(log, log->origins, log->origin_count, sizeof *origins);
    if (origins == NULL)
        return false;
    log->origins = origins;
    const char **texts[CLUMP_IMPORT_ORIGIN];
    clump_import_origin *made = &origins[log->origin_count];
    for (size_t i = 0; i < CLUMP_IMPORT_ORIGIN; i++) {
        made->fields[i] = fields[i];
        texts[i] = &made->fields[i];
    }
    if (!own_texts(log, texts, CLUMP_IMPORT_ORIGIN))
        return false;
    log->origin_count++;
    return true;
}

bool clump_import_log_origin(clump_import_log *log, const char *const fields[CLUMP_IMPORT_ORIGIN],
                             size_t *index)
{
    /* Rows of one source stand together: the last one is looked at first. */
    for (size_t i = log->origin_count; i-- > 0;) {
        if (is_same_origin(&log->origins[i], fields)) {
            *index = i;
            return true;
        }
    }
    if (!add_origin(log, fields))
        return false;
    *index = log->origin_count - 1;
    return true;
}

bool clump_import_log_place(clump_import_log *log, const clump_import_place *place)
{
    for (size_t i = log->place_count; i-- > 0;) {
        const clump_import_place *there = &log->places[i];
        if (strcmp(there->name, place->name) != 0)
            continue;
        return (there->nodes == place->nodes && there->processors == place->processors &&
                there->nics == place->nics && strcmp(there->mapping, place->mapping) == 0 &&
                strcmp(there->counterpart, place->counterpart) == 0) ||
               clump_import_fail(log,
                                 "found other numbers of nodes, processors and NICs for platform "
                                 "'%.60s' than before, expected the same",
                                 place->name);
    }
    clump_import_place *places =
        clump_import_more(log, log->places, log->place_count, sizeof *places);
    if (places == NULL)
        return false;
    log->places = places;
    clump_import_place *made = &log->places[log->place_count];
    *made = *place;
    const char **texts[] = {&made->title, &made->part_of, &made->note, &made->source};
    if (!own_texts(log, texts, sizeof texts / sizeof *texts))
        return false;
    log->place_count++;
    return true;
}

bool clump_import_log_program(clump_import_log *log, const clump_import_program *program)
{
    for (size_t i = log->program_count; i-- > 0;) {
        const clump_import_program *there = &log->programs[i];
        if (strcmp(there->name, program->name) == 0)
            return strcmp(there->style, program->style) == 0 ||
                   clump_import_fail(log,
                                     "found another style of application '%.60s' than before, "
                                     "expected the same",
                                     program->name);
    }
    clump_import_program *programs =
        clump_import_more(log, log->programs, log->program_count, sizeof *programs);
    if (programs == NULL)
        return false;
    log->programs = programs;
    clump_import_program *made = &log->programs[log->program_count];
    *made = *program;
    const char **texts[] = {&made->name, &made->title, &made->style, &made->note, &made->source};
    if (!own_texts(log, texts, sizeof texts / sizeof *texts))
        return false;
    log->program_count++;
    return true;
}
