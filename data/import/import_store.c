/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From memory into the store. */
#include "data/import/import_fit.h"
#include "data/import/import_private.h"
#include "data/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct writer {
    clump_import *import;
    clump_store *store;
    clump_import_file *file; /* NULL: none in particular */
    bool made;               /* the platform */
} writer;

/* What the store says, with the file it is about. */
static clump_store_status fail(writer *to, clump_store_status status)
{
    if (to->file == NULL)
        return clump_import_fail_with(to->import, status, "%s", clump_store_message(to->store));
    return clump_import_fail_with(to->import, status, "%.300s: %s", to->file->path,
                                  clump_store_message(to->store));
}

/* Passes OK on. */
static clump_store_status check(writer *to, clump_store_status status)
{
    return status == CLUMP_STORE_OK ? status : fail(to, status);
}

/* The same of what stands in a line. */
static clump_store_status check_line(writer *to, size_t line, clump_store_status status)
{
    return status == CLUMP_STORE_OK
               ? status
               : clump_import_fail_with(to->import, status, "%.300s:%zu: %s", to->file->path, line,
                                        clump_store_message(to->store));
}

/* A name for the source that is free: the file's, with the beginning of its digest. */
static clump_store_status name_source(writer *to)
{
    clump_import_file *file = to->file;
    for (int i = 1; i < 1000; i++) {
        char number[16] = "";
        if (i > 1)
            snprintf(number, sizeof number, " (%d)", i);
        snprintf(file->source, sizeof file->source, "%.150s %.12s%s", file->name, file->sha256,
                 number);
        clump_store_source *found = NULL;
        const clump_store_status status = clump_store_find_source(to->store, file->source, &found);
        clump_store_free(found);
        if (status == CLUMP_STORE_NOT_FOUND)
            return CLUMP_STORE_OK;
        if (status != CLUMP_STORE_OK)
            return fail(to, status);
    }
    return clump_import_fail_with(to->import, CLUMP_STORE_FAILED,
                                  "%.300s: was imported too many times", file->path);
}

static const char *or_null(const char *text)
{
    return text[0] != '\0' ? text : NULL;
}

static clump_store_status add_source(writer *to)
{
    clump_store_status status = name_source(to);
    if (status != CLUMP_STORE_OK)
        return status;
    const clump_import_log *log = &to->file->log;
    const char *benchmark = log->count > 0 ? log->series[0]->key.benchmark : "";
    char title[400];
    snprintf(title, sizeof title, "%s%s%s%s%s%s", log->tool != NULL ? log->tool : "Samples",
             log->version[0] != '\0' ? " " : "", log->version, benchmark[0] != '\0' ? ": " : "",
             benchmark, log->tool == NULL ? " (CSV)" : "");
    return check(
        to, clump_store_add_source(to->store,
                                   &(clump_store_source){.name = to->file->source,
                                                         .kind = "log",
                                                         .title = title,
                                                         .table_label = to->import->options.dataset,
                                                         .file = to->file->name,
                                                         .sha256 = to->file->sha256,
                                                         .tool = log->tool,
                                                         .tool_version = or_null(log->version),
                                                         .command = or_null(log->command),
                                                         .note = to->import->options.note}));
}

/* What is known already does not change. */
static clump_store_status check_text(writer *to, const char *option, const char *wanted,
                                     const char *found)
{
    if (wanted == NULL || (found != NULL && strcmp(wanted, found) == 0))
        return CLUMP_STORE_OK;
    return clump_import_fail_with(to->import, CLUMP_STORE_BAD_INPUT,
                                  "--%s: found '%.100s', expected %s%.100s%s, as it is known",
                                  option, wanted, found != NULL ? "'" : "",
                                  found != NULL ? found : "none", found != NULL ? "'" : "");
}

static clump_store_status check_platform(writer *to, const clump_store_platform *platform)
{
    const clump_import_options *o = &to->import->options;
    const struct {
        const char *option;
        int64_t wanted, found;
    } numbers[] = {{"nodes", o->nodes, platform->nodes},
                   {"processors", o->processors, platform->processors},
                   {"nics", o->nics, platform->nics}};
    for (size_t i = 0; i < 3; i++) {
        if (numbers[i].wanted >= 0 && numbers[i].wanted != numbers[i].found) {
            return clump_import_fail_with(
                to->import, CLUMP_STORE_BAD_INPUT,
                "--%s: found %lld, expected %lld, as platform '%.200s' is known to have; if it is "
                "another machine give it another name, or its data another database (--db); if "
                "that was wrong begin again after 'clumpmodel data remove %.200s'",
                numbers[i].option, (long long)numbers[i].wanted, (long long)numbers[i].found,
                platform->name, platform->name);
        }
    }
    clump_store_status status = check_text(to, "mapping", o->mapping, platform->mapping);
    if (status == CLUMP_STORE_OK)
        status = check_text(to, "counterpart", o->counterpart, platform->counterpart);
    if (status == CLUMP_STORE_OK)
        status = check_text(to, "part-of", o->part_of, platform->part_of);
    return status;
}

/* What the user said, or else the log, or else 1. */
static int64_t said_or(int64_t option, int64_t log)
{
    return option >= 0 ? option : log > 0 ? log : 1;
}

/* Makes the platform if there is none of its name; the first log is its source. */
static clump_store_status find_platform(writer *to)
{
    const clump_import_options *o = &to->import->options;
    clump_store_platform *found = NULL;
    clump_store_status status = clump_store_find_platform(to->store, o->platform, &found);
    if (status == CLUMP_STORE_OK) {
        status = check_platform(to, found);
        clump_store_free(found);
        return status;
    }
    if (status != CLUMP_STORE_NOT_FOUND)
        return fail(to, status);
    status = clump_store_add_platform(
        to->store,
        &(clump_store_platform){.name = o->platform,
                                .title = o->platform,
                                .nodes = said_or(o->nodes, to->file->log.nodes),
                                .processors = said_or(o->processors, to->file->log.processors),
                                .nics = said_or(o->nics, 1),
                                .mapping = o->mapping,
                                .part_of = o->part_of,
                                .counterpart = o->counterpart,
                                .source = to->file->source});
    to->made = status == CLUMP_STORE_OK;
    return check(to, status);
}

/* What a style does not say: all processors ask at once. */
static clump_store_status add_mutual_exchange(writer *to, const char *application)
{
    const clump_store_series series = {.application = application,
                                       .quantity = "mutual_exchange",
                                       .statistic = "single",
                                       .source = to->file->source};
    const clump_store_measurement yes = {
        .value = 1, .half_width = NAN, .std_dev = NAN, .size_bytes = -1};
    int64_t id = 0;
    const clump_store_status status = check(to, clump_store_add_series(to->store, &series, &id));
    return status == CLUMP_STORE_OK ? check(to, clump_store_add_sample(to->store, id, &yes))
                                    : status;
}

/* The same for the application. */
static clump_store_status find_application(writer *to, const char **name)
{
    const clump_import_log *log = &to->file->log;
    const char *wanted = to->import->options.application;
    *name = wanted != NULL ? wanted : log->application;
    if ((*name)[0] == '\0') {
        return clump_import_fail_with(to->import, CLUMP_STORE_BAD_INPUT,
                                      "%.300s: does not say which application it is about, "
                                      "expected --application",
                                      to->file->path);
    }
    clump_store_application *found = NULL;
    /* In an exchange processors wait for answers, and answer each other. */
    const char *given = to->import->options.style;
    const bool mutual = given != NULL && strcmp(given, "exchange") == 0;
    const char *style = mutual ? "blocking" : given;
    clump_store_status status = clump_store_find_application(to->store, *name, &found);
    if (status != CLUMP_STORE_NOT_FOUND) {
        status = status == CLUMP_STORE_OK ? check_text(to, "style", style, found->style)
                                          : check(to, status);
        clump_store_free(found);
        return status;
    }
    const char *title = log->application[0] != '\0' ? log->application : *name;
    status = check(to, clump_store_add_application(
                           to->store, &(clump_store_application){.name = *name,
                                                                 .title = title,
                                                                 .style = style,
                                                                 .source = to->file->source}));
    return status == CLUMP_STORE_OK && mutual ? add_mutual_exchange(to, *name) : status;
}

static void tell(const writer *to)
{
    const clump_import_options *o = &to->import->options;
    if (o->progress != NULL)
        o->progress(to->import->done, to->import->total, o->context);
}

/* Values of the file's unit in that of the quantity. */
static clump_store_status convert(writer *to, const clump_import_series *series, const char *unit,
                                  clump_import_sample *sample)
{
    const char *from = series->key.unit;
    if (from[0] == '\0' || strcmp(from, unit) == 0)
        return CLUMP_STORE_OK;
    double *numbers[] = {&sample->value, &sample->half_width, &sample->std_dev};
    for (size_t i = 0; i < 3; i++) {
        if (clump_unit_convert(*numbers[i], from, unit, numbers[i]) != CLUMP_UNIT_OK) {
            return clump_import_fail_with(to->import, CLUMP_STORE_BAD_INPUT,
                                          "%.300s:%zu: found unit '%.20s', expected one of %.60s, "
                                          "which is kept in %.20s",
                                          to->file->path, sample->line, from, series->key.quantity,
                                          unit);
        }
    }
    return CLUMP_STORE_OK;
}

/* What is handed to the store at once. */
enum { BATCH = 256 };

typedef struct batch {
    clump_store_measurement measured[BATCH];
    char notes[BATCH][40]; /* of those that have a task */
} batch;

static void put_sample(batch *in, size_t i, const clump_import_sample *sample)
{
    if (sample->task >= 0)
        snprintf(in->notes[i], sizeof in->notes[i], "task %lld", (long long)sample->task);
    in->measured[i] =
        (clump_store_measurement){.value = sample->value,
                                  .half_width = sample->half_width,
                                  .std_dev = sample->std_dev,
                                  .size_bytes = sample->size_bytes,
                                  .run = sample->run,
                                  .iterations = sample->iterations,
                                  .delay_us = sample->delay_us,
                                  .doubtful = sample->doubtful,
                                  .note = sample->task >= 0 ? in->notes[i] : sample->note};
}

/* The samples of a series from `from` on, as many as are handed over at once. */
static clump_store_status add_batch(writer *to, int64_t id, const clump_import_series *series,
                                    size_t from, const char *unit, batch *in)
{
    enum { TELL = 4096 };
    size_t count = 0, added = 0;
    clump_store_status status = CLUMP_STORE_OK;
    for (; count < BATCH && from + count < series->count && status == CLUMP_STORE_OK; count++) {
        clump_import_sample sample = series->samples[from + count];
        status = convert(to, series, unit, &sample);
        put_sample(in, count, &sample);
    }
    if (status != CLUMP_STORE_OK)
        return status;
    status = clump_store_add_samples(to->store, id, in->measured, count, &added);
    if (status != CLUMP_STORE_OK)
        return check_line(to, series->samples[from + added].line, status);
    const size_t before = to->import->done;
    to->import->done += count;
    if (before / TELL != to->import->done / TELL)
        tell(to);
    return status;
}

/* Adds a series and its samples, in the unit of the quantity. */
static clump_store_status write_series(writer *to, const clump_import_series *series,
                                       const clump_store_series *as)
{
    clump_store_quantity *quantity = NULL;
    batch in;
    int64_t id = 0;
    const size_t line = series->count > 0 ? series->samples[0].line : 1;
    clump_store_status status =
        check_line(to, line, clump_store_find_quantity(to->store, series->key.quantity, &quantity));
    if (status == CLUMP_STORE_OK)
        status = check_line(to, line, clump_store_add_series(to->store, as, &id));
    for (size_t i = 0; i < series->count && status == CLUMP_STORE_OK; i += BATCH)
        status = add_batch(to, id, series, i, quantity->unit, &in);
    clump_store_free(quantity);
    return status;
}

/* ---- what was exported: each series with the platform, application and source that it had. What is
 * there already is left out, so that the same file can be imported again. */

/* A source of this name is taken for the same one if it is of the same log. */
static clump_store_status restore_source(writer *to, const clump_import_origin *origin)
{
    const char *const *f = origin->fields;
    clump_store_source *found = NULL;
    clump_store_status status = clump_store_find_source(to->store, f[0], &found);
    if (status == CLUMP_STORE_OK) {
        const char *sha256 = found->sha256 != NULL ? found->sha256 : "";
        const bool same = strcmp(found->kind, f[1]) == 0 && strcmp(sha256, f[7]) == 0 &&
                          strcmp(found->title, f[2]) == 0;
        clump_store_free(found);
        return same ? CLUMP_STORE_OK
                    : clump_import_fail_with(to->import, CLUMP_STORE_BAD_INPUT,
                                             "%.300s: found the source '%.200s', expected another "
                                             "name: the database has another source of this one",
                                             to->file->path, f[0]);
    }
    if (status != CLUMP_STORE_NOT_FOUND)
        return check(to, status);
    return check(
        to, clump_store_add_source(to->store, &(clump_store_source){.name = f[0],
                                                                    .kind = f[1],
                                                                    .title = f[2],
                                                                    .table_label = or_null(f[3]),
                                                                    .section = or_null(f[4]),
                                                                    .page = or_null(f[5]),
                                                                    .file = or_null(f[6]),
                                                                    .sha256 = or_null(f[7]),
                                                                    .tool = or_null(f[8]),
                                                                    .tool_version = or_null(f[9]),
                                                                    .command = or_null(f[10]),
                                                                    .note = or_null(f[11])}));
}

static const clump_import_place *find_place(const writer *to, const char *name)
{
    const clump_import_log *log = &to->file->log;
    for (size_t i = 0; i < log->place_count; i++)
        if (strcmp(log->places[i].name, name) == 0)
            return &log->places[i];
    return NULL;
}

/* The source of a platform or an application: the one that it had, if the file or the database has
 * it, or else that of the row. */
static clump_store_status find_owner(writer *to, const char *name, size_t row, const char **source)
{
    const clump_import_log *log = &to->file->log;
    const clump_import_origin *origin = &log->origins[row];
    clump_store_source *found = NULL;
    bool known = false;
    for (size_t i = 0; name[0] != '\0' && i < log->origin_count && !known; i++)
        if (strcmp(log->origins[i].fields[0], name) == 0) {
            origin = &log->origins[i];
            known = true;
        }
    if (name[0] != '\0' && !known) {
        const clump_store_status status = clump_store_find_source(to->store, name, &found);
        clump_store_free(found);
        if (status != CLUMP_STORE_NOT_FOUND) {
            *source = name;
            return check(to, status);
        }
    }
    *source = origin->fields[0];
    return restore_source(to, origin);
}

/* More than any sensible chain of platforms. */
enum { GENERATIONS = 8 };

static clump_store_status restore_platform(writer *to, const char *name, const char *wanted,
                                           int depth);

/* A platform that another one names, its NOW or what it is part of, if the database knows it or the
 * file describes it; NULL: none. Circles make no sense: they are not followed for ever. */
/* NOLINTNEXTLINE(misc-no-recursion) */
static clump_store_status find_relative(writer *to, const clump_import_place *place,
                                        const char *what, const char *name, int depth,
                                        const char **relative)
{
    clump_store_platform *found = NULL;
    *relative = NULL;
    if (name == NULL || name[0] == '\0' || depth > GENERATIONS)
        return CLUMP_STORE_OK;
    clump_store_status status = clump_store_find_platform(to->store, name, &found);
    clump_store_free(found);
    if (status == CLUMP_STORE_NOT_FOUND && find_place(to, name) != NULL) {
        status = restore_platform(to, name, name, depth + 1);
    } else if (status == CLUMP_STORE_NOT_FOUND) {
        return clump_import_notice(&to->file->log, 0,
                                   "platform '%.60s' is %s '%.60s', which is neither in "
                                   "the file nor in the database: left out",
                                   place != NULL ? place->name : "", what, name)
                   ? CLUMP_STORE_OK
                   : clump_import_fail_with(to->import, CLUMP_STORE_FAILED, "out of memory");
    } else {
        status = check(to, status);
    }
    if (status == CLUMP_STORE_OK)
        *relative = name;
    return status;
}

/* Whether the database has it; false with another status than OK: it cannot be read. */
static bool has_platform(writer *to, const char *name, clump_store_status *status)
{
    clump_store_platform *found = NULL;
    const clump_store_status looked = clump_store_find_platform(to->store, name, &found);
    clump_store_free(found);
    *status = looked == CLUMP_STORE_NOT_FOUND ? CLUMP_STORE_OK : check(to, looked);
    return looked == CLUMP_STORE_OK;
}

/* `wanted` is its name in the file. */
/* NOLINTNEXTLINE(misc-no-recursion) */
static clump_store_status restore_platform(writer *to, const char *name, const char *wanted,
                                           int depth)
{
    const clump_import_options *o = &to->import->options;
    const clump_import_place *place = find_place(to, wanted);
    const char *counterpart = NULL, *part_of = NULL, *source = NULL;
    clump_store_status status;
    if (has_platform(to, name, &status) || status != CLUMP_STORE_OK)
        return status;
    status = find_relative(to, place, "compared with",
                           place != NULL && place->counterpart[0] != '\0' ? place->counterpart
                                                                          : o->counterpart,
                           depth, &counterpart);
    if (status == CLUMP_STORE_OK)
        status =
            find_relative(to, place, "part of",
                          place != NULL && place->part_of[0] != '\0' ? place->part_of : o->part_of,
                          depth, &part_of);
    if (status == CLUMP_STORE_OK)
        status = find_owner(to, place != NULL ? place->source : "",
                            place != NULL ? place->origin : 0, &source);
    /* In a circle it was made on the way. */
    if (status != CLUMP_STORE_OK || has_platform(to, name, &status) || status != CLUMP_STORE_OK)
        return status;
    const int64_t numbers[3] = {place != NULL && place->nodes >= 0 ? place->nodes : o->nodes,
                                place != NULL && place->processors >= 0 ? place->processors
                                                                        : o->processors,
                                place != NULL && place->nics >= 0 ? place->nics : o->nics};
    const bool titled = place != NULL && place->title[0] != '\0' && strcmp(name, wanted) == 0;
    return check(to, clump_store_add_platform(
                         to->store,
                         &(clump_store_platform){
                             .name = name,
                             .title = titled ? place->title : name,
                             .nodes = numbers[0] >= 0 ? numbers[0] : 1,
                             .processors = numbers[1] >= 0 ? numbers[1] : 1,
                             .nics = numbers[2] >= 0 ? numbers[2] : 1,
                             .mapping = place != NULL && place->mapping[0] != '\0' ? place->mapping
                                                                                   : o->mapping,
                             .part_of = part_of,
                             .counterpart = counterpart,
                             .source = source,
                             .note = place != NULL ? or_null(place->note) : NULL}));
}

static clump_store_status restore_application(writer *to, const char *name)
{
    const clump_import_log *log = &to->file->log;
    const clump_import_program *program = NULL;
    clump_store_application *found = NULL;
    const char *source = NULL;
    clump_store_status status = clump_store_find_application(to->store, name, &found);
    clump_store_free(found);
    if (status != CLUMP_STORE_NOT_FOUND)
        return check(to, status);
    for (size_t i = 0; i < log->program_count && program == NULL; i++)
        if (strcmp(log->programs[i].name, name) == 0)
            program = &log->programs[i];
    status = find_owner(to, program->source, program->origin, &source);
    if (status != CLUMP_STORE_OK)
        return status;
    return check(to, clump_store_add_application(
                         to->store, &(clump_store_application){
                                        .name = name,
                                        .title = program->title[0] != '\0' ? program->title : name,
                                        .style = or_null(program->style),
                                        .source = source,
                                        .note = or_null(program->note)}));
}

/* Platforms and applications without samples. */
static clump_store_status restore_bare(writer *to, size_t *added)
{
    const clump_import_log *log = &to->file->log;
    clump_store_status status = CLUMP_STORE_OK;
    for (size_t i = 0; i < log->place_count && status == CLUMP_STORE_OK; i++) {
        const char *name = log->places[i].name;
        /* --platform stands for the only one, which has samples. */
        if (to->import->options.platform == NULL && !has_platform(to, name, &status) &&
            status == CLUMP_STORE_OK) {
            status = restore_platform(to, name, name, 0);
            ++*added;
        }
    }
    for (size_t i = 0; i < log->program_count && status == CLUMP_STORE_OK; i++) {
        clump_store_application *found = NULL;
        status = clump_store_find_application(to->store, log->programs[i].name, &found);
        clump_store_free(found);
        if (status == CLUMP_STORE_NOT_FOUND) {
            status = restore_application(to, log->programs[i].name);
            ++*added;
        } else {
            status = check(to, status);
        }
    }
    return status;
}

/* Those of applications that have none. */
static clump_store_status restore_fits(writer *to, size_t *added)
{
    const clump_import_log *log = &to->file->log;
    clump_store_status status = CLUMP_STORE_OK;
    for (size_t i = 0; i < log->fit_count && status == CLUMP_STORE_OK; i++) {
        clump_store_fit *found = NULL;
        status = check(to, clump_store_find_fit(to->store, log->fits[i].fit.application, &found));
        if (status == CLUMP_STORE_OK && found == NULL) {
            status = check(to, clump_store_add_fit(to->store, &log->fits[i].fit));
            ++*added;
        }
        clump_store_free(found);
    }
    return status;
}

/* ---- frozen predictions: those of a name that is there must be the same */

typedef struct comparison {
    const clump_import_frozen *with;
    size_t seen;
    bool there, same;
} comparison;

static bool is_same_text(const char *a, const char *b)
{
    return strcmp(a != NULL ? a : "", b != NULL ? b : "") == 0;
}

static bool is_same_number(double a, double b)
{
    return (isnan(a) && isnan(b)) || !(fabs(a - b) > 0);
}

static int compare_prediction(const clump_store_prediction *p, void *context)
{
    comparison *c = context;
    const clump_store_prediction *q =
        c->seen < c->with->count ? &c->with->predictions[c->seen] : NULL;
    c->seen++;
    c->same = c->same && q != NULL && is_same_text(p->platform, q->platform) &&
              is_same_text(p->application, q->application) && is_same_text(p->base, q->base) &&
              is_same_text(p->inputs, q->inputs) &&
              is_same_number(p->predicted_s, q->predicted_s) &&
              is_same_number(p->low_s, q->low_s) && is_same_number(p->high_s, q->high_s);
    return 0;
}

static int compare_frozen(const clump_store_frozen *f, void *context)
{
    comparison *c = context;
    if (strcmp(f->name, c->with->head.name) != 0)
        return 0;
    c->there = true;
    c->same = is_same_text(f->made, c->with->head.made) &&
              is_same_text(f->rules, c->with->head.rules) && (size_t)f->count == c->with->count;
    return 1;
}

static clump_store_status restore_frozen(writer *to, size_t *added)
{
    const clump_import_log *log = &to->file->log;
    clump_store_status status = CLUMP_STORE_OK;
    for (size_t i = 0; i < log->frozen_count && status == CLUMP_STORE_OK; i++) {
        const clump_import_frozen *f = &log->frozen[i];
        comparison c = {.with = f};
        status = clump_store_each_frozen(to->store, compare_frozen, &c);
        if (status == CLUMP_STORE_STOPPED)
            status = CLUMP_STORE_OK;
        if (status == CLUMP_STORE_OK && c.there)
            status = clump_store_each_prediction(to->store, f->head.name, compare_prediction, &c);
        else if (status == CLUMP_STORE_OK) {
            status = clump_store_add_frozen(to->store, &f->head, f->predictions, f->count);
            ++*added;
        }
        if (status == CLUMP_STORE_OK && c.there && !c.same)
            return clump_import_fail_with(to->import, CLUMP_STORE_BAD_INPUT,
                                          "%.300s: found frozen predictions '%.200s', expected "
                                          "those that are there already, or another name",
                                          to->file->path, f->head.name);
        status = check(to, status);
    }
    return status;
}

/* ---- recordings: those of an application that has one must be the same */

static clump_store_status restore_facts(writer *to, size_t *added)
{
    const clump_import_log *log = &to->file->log;
    clump_store_status status = CLUMP_STORE_OK;
    for (size_t i = 0; i < log->facts_count && status == CLUMP_STORE_OK; i++) {
        const clump_facts *facts = log->facts[i];
        clump_facts *there = NULL;
        status = check(to, clump_store_find_facts(to->store, facts->application, &there));
        if (status == CLUMP_STORE_OK && there == NULL) {
            status = check(to, clump_store_add_facts(to->store, facts));
            ++*added;
        } else if (status == CLUMP_STORE_OK && !clump_facts_are_same(there, facts)) {
            status = clump_import_fail_with(to->import, CLUMP_STORE_BAD_INPUT,
                                            "%.300s: found a recording of application '%.200s', "
                                            "expected the one that is there already",
                                            to->file->path, facts->application);
        }
        clump_facts_free(there);
    }
    return status;
}

/* ---- is it there already? */

typedef struct twin {
    const clump_import_series *series;
    bool there;
} twin;

static int look(const clump_store_sample *sample, void *context)
{
    twin *t = context;
    t->there = !sample->reference && sample->window == t->series->key.window &&
               sample->processes == t->series->key.processes;
    return t->there;
}

/* In the database as it was before this import: names that are new have nothing. */
static clump_store_status is_there(writer *to, const clump_import_series *series,
                                   const char *platform, bool *there)
{
    const clump_import_key *key = &series->key;
    const clump_store_filter filter = {.platform = platform,
                                       .application = key->application,
                                       .transport = key->transport,
                                       .quantity = key->quantity,
                                       .statistic = key->statistic,
                                       .variant = key->variant,
                                       .source = to->file->log.origins[key->origin].fields[0],
                                       .benchmark = key->benchmark};
    twin t = {.series = series};
    const clump_store_status status = clump_store_each_sample(to->store, &filter, look, &t);
    *there = t.there;
    return status == CLUMP_STORE_STOPPED || status == CLUMP_STORE_NOT_FOUND ? CLUMP_STORE_OK
                                                                            : check(to, status);
}

/* ---- all of a file */

/* --platform stands for the one platform that a file is of. */
static clump_store_status check_platforms(writer *to)
{
    const clump_import_options *o = &to->import->options;
    if (o->platform == NULL || to->file->log.place_count <= 1)
        return CLUMP_STORE_OK;
    return clump_import_fail_with(to->import, CLUMP_STORE_BAD_INPUT,
                                  "%.300s: found samples of %zu platforms, expected one, or no "
                                  "--platform: the file says what it is of",
                                  to->file->path, to->file->log.place_count);
}

static clump_store_status restore_series(writer *to, const clump_import_series *series,
                                         size_t *added)
{
    const clump_import_key *key = &series->key;
    const clump_import_origin *origin = &to->file->log.origins[key->origin];
    const char *wanted = to->import->options.platform;
    const char *platform = key->platform[0] == '\0' ? NULL
                           : wanted != NULL         ? wanted
                                                    : key->platform;
    bool there = false;
    clump_store_status status = is_there(to, series, platform != NULL ? platform : "", &there);
    if (status != CLUMP_STORE_OK || there) {
        to->import->done += there ? series->count : 0;
        return status;
    }
    status = restore_source(to, origin);
    if (status == CLUMP_STORE_OK && platform != NULL)
        status = restore_platform(to, platform, key->platform, 0);
    if (status == CLUMP_STORE_OK && key->of_application)
        status = restore_application(to, key->application);
    if (status != CLUMP_STORE_OK)
        return status;
    ++*added;
    return write_series(to, series,
                        &(clump_store_series){.platform = platform,
                                              .application = or_null(key->application),
                                              .quantity = key->quantity,
                                              .transport = key->transport,
                                              .variant = key->variant,
                                              .statistic = key->statistic,
                                              .benchmark = key->benchmark,
                                              .window = key->window,
                                              .processes = key->processes,
                                              .source = origin->fields[0]});
}

/* All of a file that says itself what its samples are of and come from. */
static clump_store_status restore(writer *to)
{
    clump_import_log *log = &to->file->log;
    size_t added = 0;
    clump_store_status status = check_platforms(to);
    for (size_t i = 0; i < log->count && status == CLUMP_STORE_OK; i++)
        status = restore_series(to, log->series[i], &added);
    size_t bare = 0;
    if (status == CLUMP_STORE_OK)
        status = restore_bare(to, &bare);
    if (status == CLUMP_STORE_OK)
        status = restore_fits(to, &bare);
    if (status == CLUMP_STORE_OK)
        status = restore_frozen(to, &bare);
    if (status == CLUMP_STORE_OK)
        status = restore_facts(to, &bare);
    if (status != CLUMP_STORE_OK)
        return status;
    to->file->repeated = added == 0 && bare == 0;
    snprintf(to->file->source, sizeof to->file->source, "%s",
             log->origin_count > 0 ? log->origins[0].fields[0] : log->frozen[0].head.name);
    if (added > 0 && added < log->count &&
        !clump_import_notice(log, 0, "%zu of its %zu series are there already: left out",
                             log->count - added, log->count))
        return clump_import_fail_with(to->import, CLUMP_STORE_FAILED, "out of memory");
    return CLUMP_STORE_OK;
}

/* ---- all files */

/* The user's name is that of a network: what went inside a node, as the log says, did not use it. */
static const char *transport_of(const writer *to, const clump_import_series *series)
{
    const char *given = to->import->options.transport, *said = series->key.transport;
    const bool inside = strcmp(said, "shared-memory") == 0;
    return said[0] != '\0' && (given == NULL || inside) ? said : given;
}

static clump_store_status add_series(writer *to, const clump_import_series *series,
                                     const char *application)
{
    const clump_import_options *o = &to->import->options;
    return write_series(
        to, series,
        &(clump_store_series){.platform = o->platform,
                              .application = series->key.of_application ? application : NULL,
                              .quantity = series->key.quantity,
                              .transport = transport_of(to, series),
                              .variant = series->key.variant,
                              .statistic = series->key.statistic,
                              .benchmark = series->key.benchmark,
                              .window = series->key.window,
                              .processes = series->key.processes,
                              .source = to->file->source});
}

static clump_store_status add_file(writer *to)
{
    const clump_import_options *o = &to->import->options;
    const clump_import_log *log = &to->file->log;
    char *earlier = NULL;
    if (log->own)
        return restore(to);
    /* What is true of a program on every machine. */
    const bool program = o->platform == NULL && o->application != NULL;
    if (o->platform == NULL && !program) {
        return clump_import_fail_with(to->import, CLUMP_STORE_BAD_INPUT,
                                      "%.300s: does not say what was measured, expected --platform",
                                      to->file->path);
    }
    clump_store_status status =
        check(to, clump_store_find_log(
                      to->store, to->file->sha256, o->platform, o->application,
                      log->count > 0 ? transport_of(to, log->series[0]) : o->transport, &earlier));
    if (status != CLUMP_STORE_OK)
        return status;
    if (earlier != NULL) {
        to->file->repeated = true;
        to->import->done += log->samples;
        snprintf(to->file->source, sizeof to->file->source, "%s", earlier);
        clump_store_free(earlier);
        /* Who says more of the platform now has to learn that it was not heard. */
        return program ? CLUMP_STORE_OK : find_platform(to);
    }
    const char *application = NULL;
    bool any = o->application != NULL;
    for (size_t i = 0; i < log->count; i++)
        any = any || log->series[i]->key.of_application;
    status = add_source(to);
    if (status == CLUMP_STORE_OK && !program)
        status = find_platform(to);
    if (status == CLUMP_STORE_OK && any)
        status = find_application(to, &application);
    for (size_t i = 0; i < log->count && status == CLUMP_STORE_OK; i++)
        status = add_series(to, log->series[i], application);
    return status;
}

clump_store_status clump_import_store(clump_import *import, clump_store *store, bool *made)
{
    writer to = {.import = import, .store = store};
    import->done = 0;
    clump_store_status status = check(&to, clump_store_begin(store));
    if (status != CLUMP_STORE_OK)
        return status;
    for (size_t i = 0; i < import->count && status == CLUMP_STORE_OK; i++) {
        to.file = import->files[i];
        status = add_file(&to);
        tell(&to);
    }
    to.file = NULL;
    if (status == CLUMP_STORE_OK)
        status = check(&to, clump_store_commit(store));
    if (status != CLUMP_STORE_OK) {
        clump_store_rollback(store);
        return status;
    }
    if (made != NULL)
        *made = to.made;
    return CLUMP_STORE_OK;
}
