/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/recording/import_recording.h"

#include "cli/output/errors.h"
#include "cli/recording/recording_open.h"
#include "data/file.h"
#include "data/text.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct imported_run {
    const char *path, *format;
    clump_recorded_run *run; /* NULL: it was refused */
    char application[201], source[201];
    bool repeated, refused;
};
typedef struct imported_run imported;

/* A folder with the file of a rank. */
static bool has_ranks(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    bool found = false;
    while (folder != NULL && !found && (entry = readdir(folder)) != NULL)
        found = strncmp(entry->d_name, "rank-", 5) == 0;
    if (folder != NULL)
        closedir(folder);
    return found;
}

const char *import_recording_format(const char *path)
{
    char begin[4096];
    const size_t size = clump_file_begin(path, begin, sizeof begin - 1);
    if (has_ranks(path))
        return "recording";
    if (size > 6 && memcmp(begin + 2, "OTF2", 4) == 0)
        return "otf2";
    begin[size] = '\0';
    for (const char *line = begin; *line != '\0'; line += strcspn(line, "\n")) {
        line += strspn(line, " \t\r\n");
        if (strncmp(line, "num_ranks ", 10) == 0)
            return "goal";
        if (strncmp(line, "//", 2) != 0)
            break;
    }
    return NULL;
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
                     const clump_import_options *options, bool *taken)
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
        *taken = true;
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

static void count_refused(imported_runs *runs, imported *i, int status)
{
    i->refused = true;
    runs->code = runs->refused++ == 0 ? status : runs->code;
}

int imported_runs_read(imported_runs *runs, const char *command, const char *format,
                       const char *path, const char *name, const clump_budget *budget)
{
    imported *items = realloc(runs->items, (runs->count + 1) * sizeof *items);
    if (items == NULL)
        return error_memory(command);
    runs->items = items;
    imported *i = &items[runs->count++];
    *i = (imported){.path = path, .format = format};
    const int status = recording_read_run(
        command, format, path, &(run_choices){.digest = true, .budget = budget}, &i->run);
    if (status == EXIT_DONE)
        name_it(i, name);
    else
        count_refused(runs, i, status);
    return status;
}

int imported_runs_store(imported_runs *runs, const command_invocation *invocation,
                        clump_store *store, const clump_import_options *options)
{
    for (size_t i = 0; i < runs->count; i++) {
        imported *one = &runs->items[i];
        bool taken = false; /* its name: nothing has changed */
        const int status =
            one->refused ? EXIT_DONE : store_one(invocation, store, one, options, &taken);
        if (status != EXIT_DONE && (!taken || options->all_or_nothing))
            return status;
        if (status != EXIT_DONE)
            count_refused(runs, one, status);
    }
    return EXIT_DONE;
}

void imported_runs_free(imported_runs *runs)
{
    for (size_t i = 0; i < runs->count; i++)
        free(runs->items[i].run);
    free(runs->items);
}

/* ---- what has become of it */

#define IMPORTED(member) FIELD(imported, member)

static const clump_recorded_run *run_of(const void *record)
{
    return ((const imported *)record)->run;
}

static void make_ranks(const void *record, table_cell *cell)
{
    if (run_of(record) != NULL)
        cell_whole(cell, run_of(record)->ranks);
}

static void make_nodes(const void *record, table_cell *cell)
{
    if (run_of(record) != NULL)
        cell_whole(cell, run_of(record)->nodes);
}

static void make_calls(const void *record, table_cell *cell)
{
    if (run_of(record) != NULL && run_of(record)->mpi_calls > 0)
        cell_whole(cell, run_of(record)->mpi_calls);
}

static void make_wall(const void *record, table_cell *cell)
{
    if (run_of(record) != NULL)
        cell_real(cell, run_of(record)->wall);
}

static void make_status(const void *record, table_cell *cell)
{
    const imported *i = record;
    cell_text(cell, i->refused ? "refused" : i->repeated ? "already there" : "imported");
}

static const table_column columns[] = {
    {"file", "File", IMPORTED(path)},
    {"format", "Format", IMPORTED(format)},
    {"application", "Application", FIELD_ARRAY(imported, application)},
    {"ranks", "Ranks", .make = make_ranks},
    {"nodes", "Nodes", .make = make_nodes},
    {"calls", "Calls", .make = make_calls},
    {"wall_s", "Wall time s", .make = make_wall},
    {"source", NULL, FIELD_ARRAY(imported, source)},
    {"status", "Status", .make = make_status, .layout = COLUMN_LEFT},
};

table_rows imported_runs_rows(const imported_runs *runs, const char *key)
{
    return (table_rows){.key = key, COLUMNS(columns), RECORDS(runs->items, runs->count)};
}

void imported_runs_tell(const imported_runs *runs, const char *command)
{
    for (size_t i = 0; i < runs->count; i++)
        if (!runs->items[i].refused)
            recording_tell_notes(command, runs->items[i].path, runs->items[i].run);
}
