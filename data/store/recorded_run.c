/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/store/recorded_run.h"

#include "data/store/handle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Its texts, in the order of the columns; the first one is the application's name, the last one the calls. */
static const size_t texts[] = {
    offsetof(clump_recorded_run, application), offsetof(clump_recorded_run, origin),
    offsetof(clump_recorded_run, program),     offsetof(clump_recorded_run, command),
    offsetof(clump_recorded_run, library),     offsetof(clump_recorded_run, started),
    offsetof(clump_recorded_run, sha256),      offsetof(clump_recorded_run, notes),
    offsetof(clump_recorded_run, calls),
};

enum { TEXTS = sizeof texts / sizeof *texts, FIRST_NUMBER = TEXTS - 1, CALLS = FIRST_NUMBER + 6 };

static const char **text_of(clump_recorded_run *run, size_t i)
{
    return (const char **)(void *)((char *)run + texts[i]);
}

clump_recorded_run *clump_recorded_run_copy(const clump_recorded_run *run)
{
    clump_recorded_run all = *run;
    size_t size = sizeof all;
    for (size_t i = 0; i < TEXTS; i++)
        size += *text_of(&all, i) != NULL ? strlen(*text_of(&all, i)) + 1 : 0;
    clump_recorded_run *copy = malloc(size);
    if (copy == NULL)
        return NULL;
    char *at = (char *)(copy + 1);
    for (size_t i = 0; i < TEXTS; i++) {
        const char **text = text_of(&all, i);
        if (*text == NULL)
            continue;
        const size_t length = strlen(*text) + 1;
        memcpy(at, *text, length);
        *text = at;
        at += length;
    }
    *copy = all;
    return copy;
}

static bool is_same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

bool clump_recorded_run_is_same(const clump_recorded_run *a, const clump_recorded_run *b)
{
    return is_same_text(a->sha256, b->sha256) &&
           (a->sha256 != NULL || is_same_text(a->calls, b->calls));
}

/* ---- in the store */

#define COLUMNS                                                                                    \
    "r.origin, r.program, r.command, r.library, r.started, r.sha256, r.notes,"                     \
    " r.ranks, r.nodes, r.mpi_calls, r.wall, r.seconds, r.run"

/* Notes have several lines, and calls are longer than other texts. */
static const char *lines_of(sqlite3_stmt *statement, int column)
{
    return (const char *)sqlite3_column_text(statement, column);
}

static bool read_run(sqlite3_stmt *statement, clump_recorded_run *run)
{
    bool bad = false;
    *run = (clump_recorded_run){.application = clump_store_column(statement, 0, &bad),
                                .origin = clump_store_column(statement, 1, &bad),
                                .program = clump_store_column(statement, 2, &bad),
                                .command = clump_store_column(statement, 3, &bad),
                                .library = clump_store_column(statement, 4, &bad),
                                .started = clump_store_column(statement, 5, &bad),
                                .sha256 = clump_store_column(statement, 6, &bad),
                                .notes = lines_of(statement, 7),
                                .ranks = sqlite3_column_int64(statement, FIRST_NUMBER),
                                .nodes = sqlite3_column_int64(statement, FIRST_NUMBER + 1),
                                .mpi_calls = sqlite3_column_int64(statement, FIRST_NUMBER + 2),
                                .wall = clump_store_column_real(statement, FIRST_NUMBER + 3),
                                .seconds = clump_store_column_real(statement, FIRST_NUMBER + 4),
                                .run = clump_store_column_real(statement, FIRST_NUMBER + 5),
                                .calls = lines_of(statement, CALLS)};
    return !bad && run->application != NULL && run->origin != NULL && run->ranks > 0;
}

/* @param name  of an application; NULL: all, without their calls */
static clump_store_status read_runs(clump_store *store, const char *name,
                                    clump_store_recorded_fn *fn, void *context)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    clump_store_status status = clump_store_prepare(
        store,
        name != NULL ? "SELECT a.name, " COLUMNS ", r.calls FROM main.recording r"
                       " JOIN main.application a ON a.id = r.application_id WHERE a.name = ?1"
                     : "SELECT a.name, " COLUMNS ", NULL FROM main.recording r"
                       " JOIN main.application a ON a.id = r.application_id ORDER BY a.name",
        &statement);
    if (status == CLUMP_STORE_OK && name != NULL)
        clump_store_bind(statement, 1, name);
    while (status == CLUMP_STORE_OK) {
        clump_recorded_run run;
        status = clump_store_step(store, statement, &row);
        if (status != CLUMP_STORE_OK || !row)
            break;
        if (!read_run(statement, &run))
            status = clump_store_fail_text(store, "recording");
        else if (fn != NULL && fn(&run, context) != 0)
            status = CLUMP_STORE_STOPPED;
    }
    sqlite3_finalize(statement);
    return status;
}

static int keep(const clump_recorded_run *run, void *context)
{
    clump_recorded_run **kept = context;
    *kept = clump_recorded_run_copy(run);
    return *kept == NULL;
}

clump_store_status clump_store_find_run(clump_store *store, const char *application,
                                        clump_recorded_run **run)
{
    *run = NULL;
    clump_store_status status =
        clump_store_check_name(store, "the name of an application", application);
    if (status == CLUMP_STORE_OK)
        status = read_runs(store, application, keep, run);
    return status == CLUMP_STORE_STOPPED ? clump_store_fail_memory(store) : status;
}

clump_store_status clump_store_each_recorded(clump_store *store, clump_store_recorded_fn *fn,
                                             void *context)
{
    return read_runs(store, NULL, fn, context);
}

clump_store_status clump_store_add_run(clump_store *store, const clump_recorded_run *run)
{
    clump_recorded_run all = *run;
    int64_t id = 0;
    sqlite3_stmt *statement = NULL;
    clump_store_status status = clump_store_check_writing(store);
    if (status == CLUMP_STORE_OK)
        status = clump_store_check_name(store, "the application of a recording", run->application);
    if (status == CLUMP_STORE_OK)
        status = clump_store_find_id(store, "SELECT id FROM main.application WHERE name = ?1",
                                     run->application, &id);
    if (status == CLUMP_STORE_OK && id == 0)
        return clump_store_fail(store, CLUMP_STORE_NOT_FOUND,
                                "there is no application '%.200s' to keep a recording of",
                                run->application);
    for (size_t i = 1; i < TEXTS - 2 && status == CLUMP_STORE_OK; i++)
        status = clump_store_check_text(store, "a field of a recording", *text_of(&all, i), i > 1);
    if (status == CLUMP_STORE_OK)
        status = clump_store_prepare(
            store,
            "INSERT INTO main.recording (application_id, origin, program, command, library, "
            "started,"
            " sha256, notes, ranks, nodes, mpi_calls, wall, seconds, run, calls)"
            " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
            &statement);
    if (status != CLUMP_STORE_OK)
        return status;
    sqlite3_bind_int64(statement, 1, id);
    for (size_t i = 1; i < TEXTS - 1; i++)
        clump_store_bind(statement, (int)i + 1, *text_of(&all, i));
    sqlite3_bind_int64(statement, FIRST_NUMBER + 1, run->ranks);
    sqlite3_bind_int64(statement, FIRST_NUMBER + 2, run->nodes);
    sqlite3_bind_int64(statement, FIRST_NUMBER + 3, run->mpi_calls);
    clump_store_bind_real(statement, FIRST_NUMBER + 4, run->wall);
    clump_store_bind_real(statement, FIRST_NUMBER + 5, run->seconds);
    clump_store_bind_real(statement, FIRST_NUMBER + 6, run->run);
    clump_store_bind(statement, CALLS + 1, run->calls);
    return clump_store_run_checked(store, statement,
                                   "the application has a recording already, or one of its numbers "
                                   "is out of range",
                                   "keep a recording");
}
