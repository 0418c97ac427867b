/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Storing what was exported: each series with the platform, application and source that it had.
 * What is there already is left out, so that the same file can be imported again.
 */
#include "data/import/import_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *or_null(const char *text)
{
    return text[0] != '\0' ? text : NULL;
}

/* A source of this name is taken for the same one if it is of the same log. */
static clump_store_status find_source(clump_import_writer *to, const clump_import_origin *origin)
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
        return clump_import_writer_check(to, status);
    return clump_import_writer_check(
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

static const clump_import_place *find_place(const clump_import_writer *to, const char *name)
{
    const clump_import_log *log = &to->file->log;
    for (size_t i = 0; i < log->place_count; i++)
        if (strcmp(log->places[i].name, name) == 0)
            return &log->places[i];
    return NULL;
}

/* The NOW of a platform, if the database knows it or the file describes it; NULL: none. Neither
 * chains of NOWs nor circles make sense: a second step is not taken. */
static clump_store_status find_platform(clump_import_writer *to, const char *name,
                                        const char *wanted, const char *source, bool is_now);

/* NOLINTNEXTLINE(misc-no-recursion) */
static clump_store_status find_counterpart(clump_import_writer *to, const clump_import_place *place,
                                           const char *source, bool is_now,
                                           const char **counterpart)
{
    const char *wanted = to->import->options.counterpart;
    const char *name = place != NULL && place->counterpart[0] != '\0' ? place->counterpart : wanted;
    clump_store_platform *found = NULL;
    *counterpart = NULL;
    if (name == NULL || is_now)
        return CLUMP_STORE_OK;
    clump_store_status status = clump_store_find_platform(to->store, name, &found);
    clump_store_free(found);
    if (status == CLUMP_STORE_NOT_FOUND && find_place(to, name) != NULL) {
        status = find_platform(to, name, name, source, true);
    } else if (status == CLUMP_STORE_NOT_FOUND) {
        return clump_import_notice(&to->file->log, 0,
                                   "platform '%.60s' is compared with '%.60s', which is neither in "
                                   "the file nor in the database: left out",
                                   place != NULL ? place->name : "", name)
                   ? CLUMP_STORE_OK
                   : clump_import_fail_with(to->import, CLUMP_STORE_FAILED, "out of memory");
    } else {
        status = clump_import_writer_check(to, status);
    }
    if (status == CLUMP_STORE_OK)
        *counterpart = name;
    return status;
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static clump_store_status find_platform(clump_import_writer *to, const char *name,
                                        const char *wanted, const char *source, bool is_now)
{
    clump_store_platform *found = NULL;
    const char *counterpart = NULL;
    const clump_import_place *place = find_place(to, wanted);
    clump_store_status status = clump_store_find_platform(to->store, name, &found);
    clump_store_free(found);
    if (status != CLUMP_STORE_NOT_FOUND)
        return clump_import_writer_check(to, status);
    status = find_counterpart(to, place, source, is_now, &counterpart);
    if (status != CLUMP_STORE_OK)
        return status;
    const clump_import_options *o = &to->import->options;
    const int64_t numbers[3] = {place != NULL && place->nodes >= 0 ? place->nodes : o->nodes,
                                place != NULL && place->processors >= 0 ? place->processors
                                                                        : o->processors,
                                place != NULL && place->nics >= 0 ? place->nics : o->nics};
    return clump_import_writer_check(
        to,
        clump_store_add_platform(
            to->store, &(clump_store_platform){.name = name,
                                               .title = name,
                                               .nodes = numbers[0] >= 0 ? numbers[0] : 1,
                                               .processors = numbers[1] >= 0 ? numbers[1] : 1,
                                               .nics = numbers[2] >= 0 ? numbers[2] : 1,
                                               .mapping = place != NULL && place->mapping[0] != '\0'
                                                              ? place->mapping
                                                              : o->mapping,
                                               .counterpart = counterpart,
                                               .source = source}));
}

static clump_store_status find_application(clump_import_writer *to, const char *name,
                                           const char *source)
{
    clump_store_application *found = NULL;
    const clump_store_status status = clump_store_find_application(to->store, name, &found);
    clump_store_free(found);
    if (status != CLUMP_STORE_NOT_FOUND)
        return clump_import_writer_check(to, status);
    return clump_import_writer_check(
        to,
        clump_store_add_application(
            to->store, &(clump_store_application){.name = name, .title = name, .source = source}));
}

/* ---- is it there already? ---- */

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
static clump_store_status is_there(clump_import_writer *to, const clump_import_series *series,
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
    return status == CLUMP_STORE_STOPPED || status == CLUMP_STORE_NOT_FOUND
               ? CLUMP_STORE_OK
               : clump_import_writer_check(to, status);
}

/* ---- all of a file ---- */

/* --platform stands for the one platform that a file is of. */
static clump_store_status check_platforms(clump_import_writer *to)
{
    const clump_import_options *o = &to->import->options;
    if (o->platform == NULL || to->file->log.place_count <= 1)
        return CLUMP_STORE_OK;
    return clump_import_fail_with(to->import, CLUMP_STORE_BAD_INPUT,
                                  "%.300s: found samples of %zu platforms, expected one, or no "
                                  "--platform: the file says what it is of",
                                  to->file->path, to->file->log.place_count);
}

static clump_store_status add_series(clump_import_writer *to, const clump_import_series *series,
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
    status = find_source(to, origin);
    if (status == CLUMP_STORE_OK && platform != NULL)
        status = find_platform(to, platform, key->platform, origin->fields[0], false);
    if (status == CLUMP_STORE_OK && key->of_application)
        status = find_application(to, key->application, origin->fields[0]);
    if (status != CLUMP_STORE_OK)
        return status;
    ++*added;
    return clump_import_writer_add(to, series,
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

clump_store_status clump_import_restore(clump_import_writer *to)
{
    clump_import_log *log = &to->file->log;
    size_t added = 0;
    clump_store_status status = check_platforms(to);
    for (size_t i = 0; i < log->count && status == CLUMP_STORE_OK; i++)
        status = add_series(to, log->series[i], &added);
    if (status != CLUMP_STORE_OK)
        return status;
    to->file->repeated = added == 0;
    snprintf(to->file->source, sizeof to->file->source, "%s", log->origins[0].fields[0]);
    if (added > 0 && added < log->count &&
        !clump_import_notice(log, 0, "%zu of its %zu series are there already: left out",
                             log->count - added, log->count))
        return clump_import_fail_with(to->import, CLUMP_STORE_FAILED, "out of memory");
    return CLUMP_STORE_OK;
}
