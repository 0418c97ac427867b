/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/store/recorded_run.h"

#include "data/store/row.h"

#include <stdlib.h>
#include <string.h>

#define RUN(column, type, member) CLUMP_ROW_FIELD(clump_recorded_run, column, type, member)

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

#define RUNS " FROM main.recording r JOIN main.application a ON a.id = r.application_id"

clump_store_status clump_store_read_runs(clump_store *store, clump_arena *arena,
                                         clump_recorded_run **runs, size_t *count)
{
    void *rows;
    const clump_store_status status =
        clump_row_read_all(store, "SELECT a.name, " COLUMNS ", NULL" RUNS " ORDER BY a.name", 0,
                           &read_form, sizeof **runs, arena, &rows, count);
    *runs = rows;
    return status;
}

static clump_store_status read_run(clump_store *store, int64_t id, clump_arena *arena,
                                   clump_recorded_run **run)
{
    void *row;
    size_t count = 0;
    clump_store_status status =
        clump_row_read_all(store, "SELECT a.name, " COLUMNS ", r.calls" RUNS " WHERE a.id = ?1", id,
                           &read_form, sizeof **run, arena, &row, &count);
    if (status != CLUMP_STORE_OK || count == 0)
        return status;
    if (((clump_recorded_run *)row)->ranks < 1)
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                "the database has a recording of no ranks; restore it from a copy");
    *run = clump_recorded_run_copy(row);
    return *run != NULL ? CLUMP_STORE_OK : clump_store_fail_memory(store);
}

clump_store_status clump_store_find_run(clump_store *store, const char *application,
                                        clump_recorded_run **run)
{
    int64_t id = 0;
    *run = NULL;
    clump_store_status status =
        clump_store_check_name(store, "the name of an application", application);
    if (status == CLUMP_STORE_OK)
        status = clump_store_find_id(store, "SELECT id FROM main.application WHERE name = ?1",
                                     application, &id);
    if (status != CLUMP_STORE_OK || id == 0)
        return status;
    clump_arena *arena = clump_arena_new();
    status = arena != NULL ? read_run(store, id, arena, run) : clump_store_fail_memory(store);
    clump_arena_free(arena);
    return status;
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
