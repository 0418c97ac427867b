/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/store/recorded_run.h"

#include "data/store/row.h"

#include <stdlib.h>
#include <string.h>

#define RUN(column, type, member)                                                                  \
    {                                                                                              \
        column, CLUMP_ROW_##type, offsetof(clump_recorded_run, member)                             \
    }

/* The application's name stands in another table. */
static const clump_row_field fields[] = {
    RUN("application", NAME, application),
    RUN("origin", TEXT, origin),
    RUN("program", OPTIONAL, program),
    RUN("command", OPTIONAL, command),
    RUN("library", OPTIONAL, library),
    RUN("started", OPTIONAL, started),
    RUN("sha256", OPTIONAL, sha256),
    RUN("notes", LINES, notes),
    RUN("ranks", WHOLE, ranks),
    RUN("nodes", WHOLE, nodes),
    RUN("mpi_calls", WHOLE, mpi_calls),
    RUN("wall", REAL, wall),
    RUN("seconds", REAL, seconds),
    RUN("run", REAL, run),
    RUN("calls", LINES, calls),
};
static const clump_row_form read_form = {.table = "recording", CLUMP_ROW_FIELDS(fields)},
                            own_form = {"recording", fields + 1,
                                        sizeof fields / sizeof *fields - 1};

clump_recorded_run *clump_recorded_run_copy(const clump_recorded_run *run)
{
    clump_recorded_run *copy = malloc(sizeof *copy + clump_row_texts(&read_form, run));
    if (copy != NULL) {
        *copy = *run;
        clump_row_move_texts(&read_form, copy, (char *)(copy + 1));
    }
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
        if (!clump_row_read(statement, 0, &read_form, &run) || run.ranks < 1)
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
    int64_t id = 0;
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
    return status == CLUMP_STORE_OK
               ? clump_row_insert(store, &own_form, "application_id,", &id, run)
               : status;
}
