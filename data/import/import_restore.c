/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/import/import_writer.h"

#include <stdio.h>
#include <string.h>

/* ---- sources, platforms and applications */

static const clump_import_records *records_of(const clump_import_writer *to, clump_store_kind kind)
{
    return &to->file->log.records[kind];
}

static const char *source_name(const clump_import_writer *to, size_t origin)
{
    const clump_store_source *source = records_of(to, CLUMP_STORE_SOURCE)->items[origin].record;
    return source->name;
}

/* A source of this name is taken for the same one if it is of the same log. */
static clump_store_status restore_source(clump_import_writer *to, const clump_store_source *origin)
{
    clump_store_source *found = NULL;
    clump_store_status status = clump_store_find_source(to->store, origin->name, &found);
    if (status == CLUMP_STORE_OK) {
        const char *sha256[] = {found->sha256 != NULL ? found->sha256 : "",
                                origin->sha256 != NULL ? origin->sha256 : ""};
        const bool same = strcmp(found->kind, origin->kind) == 0 &&
                          strcmp(sha256[0], sha256[1]) == 0 &&
                          strcmp(found->title, origin->title) == 0;
        clump_store_free(found);
        return same ? CLUMP_STORE_OK
                    : clump_import_fail_with(to->import, CLUMP_STORE_BAD_INPUT,
                                             "%.300s: found the source '%.200s', expected another "
                                             "name: the database has another source of this one",
                                             to->file->path, origin->name);
    }
    return clump_import_writer_check(
        to, status == CLUMP_STORE_NOT_FOUND ? clump_store_add_source(to->store, origin) : status);
}

static const clump_import_record *find_place(const clump_import_writer *to, const char *name)
{
    const clump_import_records *places = records_of(to, CLUMP_STORE_PLATFORM);
    for (size_t i = 0; i < places->count; i++)
        if (strcmp(((const clump_store_platform *)places->items[i].record)->name, name) == 0)
            return &places->items[i];
    return NULL;
}

/* The source of a platform or an application: the one that it had (NULL: not said), if the database has it, as it has
 * all of the file, or else that of the row. */
static clump_store_status find_owner(clump_import_writer *to, const char *name, size_t row,
                                     const char **source)
{
    clump_store_source *found = NULL;
    const clump_store_status status =
        name != NULL ? clump_store_find_source(to->store, name, &found) : CLUMP_STORE_NOT_FOUND;
    clump_store_free(found);
    *source = status == CLUMP_STORE_OK ? name : source_name(to, row);
    return status == CLUMP_STORE_NOT_FOUND ? CLUMP_STORE_OK : clump_import_writer_check(to, status);
}

/* More than any sensible chain of platforms. */
enum { GENERATIONS = 8 };

/* Whether the database has it; false with another status than OK: it cannot be read. */
static bool has_platform(clump_import_writer *to, const char *name, clump_store_status *status)
{
    clump_store_platform *found = NULL;
    const clump_store_status looked = clump_store_find_platform(to->store, name, &found);
    clump_store_free(found);
    *status =
        looked == CLUMP_STORE_NOT_FOUND ? CLUMP_STORE_OK : clump_import_writer_check(to, looked);
    return looked == CLUMP_STORE_OK;
}

static clump_store_status restore_platform(clump_import_writer *to, const char *name,
                                           const clump_import_record *described, int depth);

/* A platform that another one names, its NOW or what it is part of, if the database knows it or the
 * file describes it; NULL: none. Circles make no sense: they are not followed for ever. */
/* NOLINTNEXTLINE(misc-no-recursion) */
static clump_store_status find_relative(clump_import_writer *to, const clump_store_platform *place,
                                        const char *what, const char *said, const char *option,
                                        int depth, const char **relative)
{
    const char *name = said != NULL ? said : option;
    clump_store_status status;
    *relative = NULL;
    if (name == NULL || depth > GENERATIONS)
        return CLUMP_STORE_OK;
    const bool known = has_platform(to, name, &status);
    const clump_import_record *described = find_place(to, name);
    if (status == CLUMP_STORE_OK && !known && described == NULL)
        return clump_import_notice_at(&to->file->log, 0,
                                      "platform '%.60s' is %s '%.60s', which is neither in "
                                      "the file nor in the database: left out",
                                      place->name, what, name)
                   ? CLUMP_STORE_OK
                   : clump_import_fail_with(to->import, CLUMP_STORE_FAILED, "out of memory");
    if (status == CLUMP_STORE_OK && !known)
        status = restore_platform(to, name, described, depth + 1);
    if (status == CLUMP_STORE_OK)
        *relative = name;
    return status;
}

/* What the file says, or else the user, or else 1. */
static int64_t said_or(int64_t said, int64_t option)
{
    return said >= 0 ? said : option >= 0 ? option : 1;
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static clump_store_status restore_platform(clump_import_writer *to, const char *name,
                                           const clump_import_record *described, int depth)
{
    const clump_import_options *o = &to->import->options;
    const clump_store_platform *place = described->record;
    clump_store_platform made = *place;
    clump_store_status status;
    if (has_platform(to, name, &status) || status != CLUMP_STORE_OK)
        return status;
    status = find_relative(to, place, "compared with", place->counterpart, o->counterpart, depth,
                           &made.counterpart);
    if (status == CLUMP_STORE_OK)
        status =
            find_relative(to, place, "part of", place->part_of, o->part_of, depth, &made.part_of);
    if (status == CLUMP_STORE_OK)
        status = find_owner(to, place->source, described->origin, &made.source);
    /* In a circle it was made on the way. */
    if (status != CLUMP_STORE_OK || has_platform(to, name, &status) || status != CLUMP_STORE_OK)
        return status;
    if (place->title == NULL || strcmp(name, place->name) != 0)
        made.title = name;
    made.name = name;
    made.nodes = said_or(place->nodes, o->nodes);
    made.processors = said_or(place->processors, o->processors);
    made.nics = said_or(place->nics, o->nics);
    made.mapping = place->mapping != NULL ? place->mapping : o->mapping;
    to->added++;
    return clump_import_writer_check(to, clump_store_add_platform(to->store, &made));
}

static clump_store_status restore_application(clump_import_writer *to,
                                              const clump_import_record *described)
{
    clump_store_application made = *(const clump_store_application *)described->record;
    clump_store_application *found = NULL;
    clump_store_status status = clump_store_find_application(to->store, made.name, &found);
    clump_store_free(found);
    if (status != CLUMP_STORE_NOT_FOUND)
        return clump_import_writer_check(to, status);
    status = find_owner(to, made.source, described->origin, &made.source);
    if (status != CLUMP_STORE_OK)
        return status;
    made.title = made.title != NULL ? made.title : made.name;
    to->added++;
    return clump_import_writer_check(to, clump_store_add_application(to->store, &made));
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
                                       .source = source_name(to, key->origin),
                                       .benchmark = key->benchmark};
    twin t = {.series = series};
    const clump_store_status status = clump_store_each_sample(to->store, &filter, look, &t);
    *there = t.there;
    return status == CLUMP_STORE_STOPPED || status == CLUMP_STORE_NOT_FOUND
               ? CLUMP_STORE_OK
               : clump_import_writer_check(to, status);
}

/* --platform stands for the one platform that a file is of. */
static clump_store_status check_platforms(clump_import_writer *to)
{
    const clump_import_options *o = &to->import->options;
    const size_t count = records_of(to, CLUMP_STORE_PLATFORM)->count;
    if (o->platform == NULL || count <= 1)
        return CLUMP_STORE_OK;
    return clump_import_fail_with(to->import, CLUMP_STORE_BAD_INPUT,
                                  "%.300s: found samples of %zu platforms, expected one, or no "
                                  "--platform: the file says what it is of",
                                  to->file->path, count);
}

static clump_store_status restore_series(clump_import_writer *to, const clump_import_series *series,
                                         size_t *added)
{
    const clump_import_key *key = &series->key;
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
    ++*added;
    return clump_import_writer_add(
        to, series,
        &(clump_store_series){.platform = platform,
                              .application = clump_import_or_null(key->application),
                              .quantity = key->quantity,
                              .transport = key->transport,
                              .variant = key->variant,
                              .statistic = key->statistic,
                              .benchmark = key->benchmark,
                              .window = key->window,
                              .processes = key->processes,
                              .source = source_name(to, key->origin)});
}

clump_store_status clump_import_restore(clump_import_writer *to)
{
    clump_import_log *log = &to->file->log;
    const clump_import_records *sources = records_of(to, CLUMP_STORE_SOURCE),
                               *places = records_of(to, CLUMP_STORE_PLATFORM),
                               *programs = records_of(to, CLUMP_STORE_APPLICATION);
    const char *wanted = to->import->options.platform;
    size_t added = 0;
    to->added = 0;
    clump_store_status status = check_platforms(to);
    for (size_t i = 0; i < sources->count && status == CLUMP_STORE_OK; i++)
        status = restore_source(to, sources->items[i].record);
    for (size_t i = 0; i < places->count && status == CLUMP_STORE_OK; i++) {
        const clump_store_platform *place = places->items[i].record;
        status = restore_platform(to, wanted != NULL ? wanted : place->name, &places->items[i], 0);
    }
    for (size_t i = 0; i < programs->count && status == CLUMP_STORE_OK; i++)
        status = restore_application(to, &programs->items[i]);
    for (size_t i = 0; i < log->count && status == CLUMP_STORE_OK; i++)
        status = restore_series(to, log->series[i], &added);
    if (status != CLUMP_STORE_OK)
        return status;
    to->file->repeated = added == 0 && to->added == 0;
    snprintf(to->file->source, sizeof to->file->source, "%s", source_name(to, 0));
    if (added > 0 && added < log->count &&
        !clump_import_notice_at(log, 0, "%zu of its %zu series are there already: left out",
                                log->count - added, log->count))
        return clump_import_fail_with(to->import, CLUMP_STORE_FAILED, "out of memory");
    return CLUMP_STORE_OK;
}
