/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From memory into the store. */

#include "data/import/import_writer.h"
#include "data/store/handle.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A name for the source that is free: the file's, with the beginning of its digest. */
static clump_store_status name_source(clump_import_writer *to)
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
            return clump_import_writer_fail(to, status);
    }
    return clump_import_fail_with(to->import, CLUMP_STORE_FAILED,
                                  "%.300s: was imported too many times", file->path);
}

static clump_store_status add_source(clump_import_writer *to)
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
    return clump_import_writer_check(
        to, clump_store_add_source(
                to->store, &(clump_store_source){.name = to->file->source,
                                                 .kind = "log",
                                                 .title = title,
                                                 .table_label = to->import->options.dataset,
                                                 .file = to->file->name,
                                                 .sha256 = to->file->sha256,
                                                 .tool = log->tool,
                                                 .tool_version = clump_import_or_null(log->version),
                                                 .command = clump_import_or_null(log->command),
                                                 .note = to->import->options.note}));
}

/* What is known already does not change. */
static clump_store_status check_text(clump_import_writer *to, const char *option,
                                     const char *wanted, const char *found)
{
    if (wanted == NULL || (found != NULL && strcmp(wanted, found) == 0))
        return CLUMP_STORE_OK;
    return clump_import_fail_with(to->import, CLUMP_STORE_BAD_INPUT,
                                  "--%s: found '%.100s', expected %s%.100s%s, as it is known",
                                  option, wanted, found != NULL ? "'" : "",
                                  found != NULL ? found : "none", found != NULL ? "'" : "");
}

static clump_store_status check_platform(clump_import_writer *to,
                                         const clump_store_platform *platform)
{
    const clump_import_options *o = &to->import->options;
    const struct {
        const char *option;
        int64_t wanted, found;
    } numbers[] = {{"nodes", o->nodes, platform->nodes},
                   {"processors", o->processors, platform->processors},
                   {"nics", o->nics, platform->nics}};
    to->import->of_all = true;
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
    to->import->of_all = status != CLUMP_STORE_OK;
    return status;
}

/* What the user said, or else the log, or else 1. */
static int64_t said_or(int64_t option, int64_t log)
{
    return option >= 0 ? option : log > 0 ? log : 1;
}

/* Makes the platform if there is none of its name; the first log is its source. */
static clump_store_status find_platform(clump_import_writer *to)
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
        return clump_import_writer_fail(to, status);
    const clump_import_log *log = &to->file->log;
    const clump_import_platform made = {
        .made = true,
        .nodes = said_or(o->nodes, log->nodes),
        .processors = said_or(o->processors, log->processors),
        .nics = said_or(o->nics, log->nics),
        .assumed = (o->nodes < 0 && log->nodes < 1) || (o->nics < 0 && log->nics < 1) ||
                   (o->processors < 0 && log->processors < 1),
    };
    status =
        clump_store_add_platform(to->store, &(clump_store_platform){.name = o->platform,
                                                                    .title = o->platform,
                                                                    .nodes = made.nodes,
                                                                    .processors = made.processors,
                                                                    .nics = made.nics,
                                                                    .mapping = o->mapping,
                                                                    .part_of = o->part_of,
                                                                    .counterpart = o->counterpart,
                                                                    .source = to->file->source});
    if (status == CLUMP_STORE_OK)
        to->platform = made;
    to->import->of_all = status == CLUMP_STORE_BAD_INPUT;
    return clump_import_writer_check(to, status);
}

/* What a style does not say: all processors ask at once. */
static clump_store_status add_mutual_exchange(clump_import_writer *to, const char *application)
{
    const clump_store_series series = {.application = application,
                                       .quantity = "mutual_exchange",
                                       .statistic = "single",
                                       .source = to->file->source};
    const clump_store_measurement yes = {
        .value = 1, .half_width = NAN, .std_dev = NAN, .size_bytes = -1};
    int64_t id = 0;
    const clump_store_status status =
        clump_import_writer_check(to, clump_store_add_series(to->store, &series, &id));
    return status == CLUMP_STORE_OK
               ? clump_import_writer_check(to, clump_store_add_sample(to->store, id, &yes))
               : status;
}

/* The same for the application. */
static clump_store_status find_application(clump_import_writer *to, const char **name)
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
                                          : clump_import_writer_check(to, status);
        clump_store_free(found);
        return status;
    }
    const char *title = log->application[0] != '\0' ? log->application : *name;
    status = clump_import_writer_check(
        to, clump_store_add_application(
                to->store,
                &(clump_store_application){
                    .name = *name, .title = title, .style = style, .source = to->file->source}));
    return status == CLUMP_STORE_OK && mutual ? add_mutual_exchange(to, *name) : status;
}

/* The user's name is that of a network: what went inside a node, as the log says, did not use it. */
static const char *transport_of(const clump_import_writer *to, const clump_import_series *series)
{
    const char *given = to->import->options.transport, *said = series->key.transport;
    const bool inside = strcmp(said, "shared-memory") == 0;
    return said[0] != '\0' && (given == NULL || inside) ? said : given;
}

static clump_store_status add_series(clump_import_writer *to, const clump_import_series *series,
                                     const char *application)
{
    const clump_import_options *o = &to->import->options;
    return clump_import_writer_add(
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

static clump_store_status add_file(clump_import_writer *to)
{
    const clump_import_options *o = &to->import->options;
    const clump_import_log *log = &to->file->log;
    char *earlier = NULL;
    if (log->own)
        return clump_import_restore(to);
    /* What is true of a program on every machine. */
    const bool program = o->platform == NULL && o->application != NULL;
    if (o->platform == NULL && !program) {
        return clump_import_fail_with(to->import, CLUMP_STORE_BAD_INPUT,
                                      "%.300s: does not say what was measured, expected --platform",
                                      to->file->path);
    }
    clump_store_status status = clump_import_writer_check(
        to, clump_store_find_log(to->store, to->file->sha256, o->platform, o->application,
                                 log->count > 0 ? transport_of(to, log->series[0]) : o->transport,
                                 &earlier));
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

/* All of it or nothing; what is wrong with this file alone leaves the others be. */
static clump_store_status try_file(clump_import_writer *to)
{
    const clump_import_writer before = *to;
    clump_store_status status = clump_import_writer_check(to, clump_store_begin_change(to->store));
    if (status != CLUMP_STORE_OK)
        return status;
    status = clump_store_end_change(to->store, add_file(to));
    const bool input = status == CLUMP_STORE_BAD_INPUT || status == CLUMP_STORE_NOT_FOUND;
    if (!input || to->import->options.all_or_nothing || to->import->of_all)
        return status;
    to->platform = before.platform;
    to->added = before.added;
    to->file->source[0] = '\0';
    status = clump_import_refuse(to->import, to->file, status);
    return status == CLUMP_STORE_FAILED ? status : CLUMP_STORE_OK;
}

clump_store_status clump_import_add(clump_import *import, clump_store *store,
                                    clump_import_platform *platform)
{
    clump_import_writer to = {.import = import, .store = store};
    clump_store_status status = CLUMP_STORE_OK;
    import->done = 0;
    for (size_t i = 0; i < import->count && status == CLUMP_STORE_OK; i++) {
        to.file = import->files[i];
        if (to.file->refused == NULL)
            status = try_file(&to);
        clump_import_writer_tell(&to);
    }
    if (status == CLUMP_STORE_OK && platform != NULL)
        *platform = to.platform;
    return status;
}

clump_store_status clump_import_store(clump_import *import, clump_store *store,
                                      clump_import_platform *platform)
{
    clump_import_writer to = {.import = import, .store = store};
    clump_import_platform made;
    import->options.all_or_nothing = true;
    clump_store_status status = clump_import_writer_check(&to, clump_store_begin(store));
    if (status != CLUMP_STORE_OK)
        return status;
    status = clump_import_add(import, store, &made);
    if (status == CLUMP_STORE_OK)
        status = clump_import_writer_check(&to, clump_store_commit(store));
    if (status != CLUMP_STORE_OK) {
        clump_store_rollback(store);
        return status;
    }
    if (platform != NULL)
        *platform = made;
    return CLUMP_STORE_OK;
}
