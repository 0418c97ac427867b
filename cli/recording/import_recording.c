/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/recording/import_recording.h"

#include "cli/database.h"
#include "cli/output/errors.h"
#include "cli/recording/recording_open.h"
#include "data/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct imported {
    const char *path;
    clump_recorded_run *run;
    char application[201], source[201];
    bool repeated;
} imported;

bool import_is_recording(const char *format)
{
    return recording_format_is_known(format);
}

/* ---- what it is called */

static const char *last_part(const char *path, char room[201])
{
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/')
        end--;
    size_t begin = end;
    while (begin > 0 && path[begin - 1] != '/')
        begin--;
    snprintf(room, 201, "%.*s", (int)(end - begin < 200 ? end - begin : 200), path + begin);
    clump_text_clean(room, strlen(room));
    return room;
}

static void name_it(imported *i, const char *name)
{
    char folder[201];
    const char *own = i->run->program != NULL ? i->run->program : last_part(i->path, folder);
    snprintf(i->application, sizeof i->application, "%.200s", name != NULL ? name : own);
    snprintf(i->source, sizeof i->source, "%.150s %.12s", last_part(i->path, folder),
             i->run->sha256);
}

/* ---- storing */

static int refuse(const command_invocation *invocation, const imported *i, const char *what)
{
    return error_usage(invocation->arguments.command,
                       "%.300s: found application '%.200s', which is there already %s, expected a "
                       "new name: --name NAME, or 'data remove' first",
                       i->path, i->application, what);
}

static clump_store_status find_source(clump_store *store, const imported *i, bool *there)
{
    clump_store_source *source = NULL;
    const clump_store_status status = clump_store_find_source(store, i->source, &source);
    *there = source != NULL;
    clump_store_free(source);
    return status == CLUMP_STORE_NOT_FOUND ? CLUMP_STORE_OK : status;
}

static clump_store_status add_source(clump_store *store, const imported *i,
                                     const clump_import_options *options)
{
    char title[700], file[201];
    bool there = false;
    clump_store_status status = find_source(store, i, &there);
    if (status != CLUMP_STORE_OK || there)
        return status;
    snprintf(title, sizeof title, "A run of %.200s with %lld rank(s) on %lld node(s)%s%.60s",
             i->run->program != NULL ? i->run->program : i->application, (long long)i->run->ranks,
             (long long)i->run->nodes, i->run->started != NULL ? ", " : "",
             i->run->started != NULL ? i->run->started : "");
    return clump_store_add_source(store, &(clump_store_source){.name = i->source,
                                                               .kind = "log",
                                                               .title = title,
                                                               .file = last_part(i->path, file),
                                                               .sha256 = i->run->sha256,
                                                               .tool = i->run->library,
                                                               .command = i->run->command,
                                                               .note = options->note});
}

static int store_one(const command_invocation *invocation, clump_store *store, imported *i,
                     const clump_import_options *options)
{
    const char *command = invocation->arguments.command;
    clump_store_application *application = NULL;
    clump_recorded_run *there = NULL;
    clump_store_status status = clump_store_find_application(store, i->application, &application);
    const bool known = status == CLUMP_STORE_OK;
    clump_store_free(application);
    if (known)
        status = clump_store_find_run(store, i->application, &there);
    else if (status == CLUMP_STORE_NOT_FOUND)
        status = CLUMP_STORE_OK;
    if (status != CLUMP_STORE_OK)
        return error_store(command, store, status);
    if (known) {
        const bool same = there != NULL && clump_recorded_run_is_same(there, i->run);
        const bool recorded = there != NULL;
        free(there);
        i->repeated = same;
        return same ? EXIT_DONE
                    : refuse(invocation, i,
                             recorded ? "with another recording" : "and has no recording");
    }
    char title[400];
    snprintf(title, sizeof title, "%.300s, as it was recorded",
             i->run->program != NULL ? i->run->program : i->application);
    i->run->application = i->application;
    status = add_source(store, i, options);
    if (status == CLUMP_STORE_OK)
        status =
            clump_store_add_application(store, &(clump_store_application){.name = i->application,
                                                                          .title = title,
                                                                          .style = options->style,
                                                                          .source = i->source,
                                                                          .note = options->note});
    if (status == CLUMP_STORE_OK)
        status = clump_store_add_run(store, i->run);
    return status == CLUMP_STORE_OK ? EXIT_DONE : error_store(command, store, status);
}

static int store_all(const command_invocation *invocation, imported *all, size_t count,
                     const clump_import_options *options)
{
    clump_store *store = NULL;
    int status = database_create(invocation, &store);
    if (status == EXIT_DONE) {
        clump_store_status begun = clump_store_begin(store);
        if (begun != CLUMP_STORE_OK)
            status = error_store(invocation->arguments.command, store, begun);
    }
    for (size_t i = 0; i < count && status == EXIT_DONE; i++)
        status = store_one(invocation, store, &all[i], options);
    if (status == EXIT_DONE) {
        const clump_store_status done = clump_store_commit(store);
        if (done != CLUMP_STORE_OK)
            status = error_store(invocation->arguments.command, store, done);
    }
    database_close(invocation, store, status);
    return status;
}

/* ---- what has become of it */

#define IMPORTED(member) FIELD(imported, member)

static const clump_recorded_run *run_of(const void *record)
{
    return ((const imported *)record)->run;
}

static void make_ranks(const void *record, table_cell *cell)
{
    cell_whole(cell, run_of(record)->ranks);
}

static void make_nodes(const void *record, table_cell *cell)
{
    cell_whole(cell, run_of(record)->nodes);
}

static void make_format(const void *record, table_cell *cell)
{
    cell_text(cell, run_of(record)->origin);
}

static void make_calls(const void *record, table_cell *cell)
{
    if (run_of(record)->mpi_calls > 0)
        cell_whole(cell, run_of(record)->mpi_calls);
}

static void make_wall(const void *record, table_cell *cell)
{
    cell_real(cell, run_of(record)->wall);
}

static void make_status(const void *record, table_cell *cell)
{
    cell_text(cell, ((const imported *)record)->repeated ? "already there" : "imported");
}

static const table_column columns[] = {
    {"file", "File", IMPORTED(path)},
    {"format", "Format", .make = make_format, .layout = COLUMN_LEFT},
    {"application", "Application", FIELD_ARRAY(imported, application)},
    {"ranks", "Ranks", .make = make_ranks},
    {"nodes", "Nodes", .make = make_nodes},
    {"calls", "Calls", .make = make_calls},
    {"wall_s", "Wall time s", .make = make_wall},
    {"source", NULL, FIELD_ARRAY(imported, source)},
    {"status", "Status", .make = make_status, .layout = COLUMN_LEFT},
};

static int print(const command_invocation *invocation, const imported *all, size_t count)
{
    const table_rows rows = {.key = "files", COLUMNS(columns), RECORDS(all, count)};
    for (size_t i = 0; i < count && !invocation->quiet; i++)
        recording_tell_notes(invocation->arguments.command, all[i].path, all[i].run);
    return output_print(invocation->format, &rows, NULL, 0);
}

int import_recordings(const command_invocation *invocation, const clump_import_options *options,
                      const char *name)
{
    const command_line *line = &invocation->arguments;
    const size_t count = line->operand_count - 1;
    const char *wanted = name != NULL ? name : options->application;
    int status = EXIT_DONE;
    if (options->platform != NULL)
        return error_usage(
            line->command,
            "--platform is not for recordings: they say themselves what nodes there were");
    imported *all = calloc(count + 1, sizeof *all);
    if (all == NULL)
        return error_memory(line->command);
    for (size_t i = 0; i < count && status == EXIT_DONE; i++) {
        all[i].path = line->operands[i + 1];
        status = recording_read_run(line->command, line->operands[0], all[i].path,
                                    &(run_choices){.digest = true}, &all[i].run);
        if (status == EXIT_DONE)
            name_it(&all[i], wanted);
    }
    if (status == EXIT_DONE)
        status = store_all(invocation, all, count, options);
    if (status == EXIT_DONE)
        status = print(invocation, all, count);
    for (size_t i = 0; i < count; i++)
        free(all[i].run);
    free(all);
    return status;
}
