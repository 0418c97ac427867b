/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recordings in the store: what was put in comes out, through databases of all versions. */
#include "data/store/recorded_run.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/unit.h"

static char path[2][64];

static const char *database(size_t which)
{
    if (path[which][0] == '\0')
        snprintf(path[which], sizeof path[which], "/tmp/clump-run-%ld-%zu.db", (long)getpid(),
                 which);
    return path[which];
}

static clump_store *open_for_writing(size_t which)
{
    clump_store *store = NULL;
    const clump_store_status status = clump_store_open(database(which), CLUMP_STORE_WRITE, &store);
    if (status != CLUMP_STORE_OK)
        fail_msg("%s", clump_store_message(store));
    assert_int_equal(clump_store_begin(store), CLUMP_STORE_OK);
    return store;
}

/* With all that there can be, or with all missing that may be. */
static clump_recorded_run run_of(const char *name, bool lacks)
{
    return lacks ? (clump_recorded_run){.application = name,
                                        .origin = "goal",
                                        .ranks = 1,
                                        .nodes = 1,
                                        .wall = NAN,
                                        .seconds = NAN,
                                        .run = NAN}
                 : (clump_recorded_run){
                       .application = name,
                       .origin = "recording",
                       .program = "halo",
                       .command = "halo \"64\", twice",
                       .library = "MPICH 4.0.2",
                       .started = "2026-11-22T14:30:00Z",
                       .sha256 = "433f4ad86c649e1545be05e508a3ebab34782a232c01f36f6fa5a64a009f0a3c",
                       .notes = "One thing.\nAnother thing.",
                       .ranks = 2,
                       .nodes = 1,
                       .mpi_calls = 7,
                       .wall = 1.5,
                       .seconds = 0.25,
                       .run = 1.25,
                       .calls = "m0-1\nrc5s8.1a0.0:barrier:\nrr8.0a0.0:barrier:\n"};
}

static void expect_text(const char *found, const char *expected)
{
    if (expected == NULL)
        assert_null(found);
    else
        assert_string_equal(found, expected);
}

static void expect_number(double found, double expected)
{
    assert_true(isnan(expected) ? isnan(found) : fabs(found - expected) < 1e-12);
}

static void expect(clump_store *store, const clump_recorded_run *expected)
{
    clump_recorded_run *found = NULL;
    assert_int_equal(clump_store_find_run(store, expected->application, &found), CLUMP_STORE_OK);
    assert_non_null(found);
    expect_text(found->application, expected->application);
    expect_text(found->origin, expected->origin);
    expect_text(found->program, expected->program);
    expect_text(found->command, expected->command);
    expect_text(found->library, expected->library);
    expect_text(found->started, expected->started);
    expect_text(found->sha256, expected->sha256);
    expect_text(found->notes, expected->notes);
    expect_text(found->calls, expected->calls);
    assert_int_equal(found->ranks, expected->ranks);
    assert_int_equal(found->nodes, expected->nodes);
    assert_int_equal(found->mpi_calls, expected->mpi_calls);
    expect_number(found->wall, expected->wall);
    expect_number(found->seconds, expected->seconds);
    expect_number(found->run, expected->run);
    assert_true(clump_recorded_run_is_same(found, expected));
    free(found);
}

static void add_application(clump_store *store, const char *name)
{
    clump_store_source *source = NULL;
    if (clump_store_find_source(store, "run", &source) != CLUMP_STORE_OK)
        assert_int_equal(
            clump_store_add_source(
                store, &(clump_store_source){.name = "run", .kind = "inline", .title = "A run"}),
            CLUMP_STORE_OK);
    clump_store_free(source);
    assert_int_equal(
        clump_store_add_application(
            store, &(clump_store_application){.name = name, .title = "A program", .source = "run"}),
        CLUMP_STORE_OK);
}

static void store_run(clump_store *store, const char *name, bool lacks)
{
    const clump_recorded_run run = run_of(name, lacks);
    add_application(store, name);
    if (clump_store_add_run(store, &run) != CLUMP_STORE_OK)
        fail_msg("%s", clump_store_message(store));
}

static void remove_databases(void)
{
    unlink(database(0));
    unlink(database(1));
}

static void expect_sound(clump_store *store)
{
    size_t findings = 1;
    assert_int_equal(clump_store_check(store, NULL, NULL, &findings), CLUMP_STORE_OK);
    assert_int_equal(findings, 0);
}

TEST(keeps_all)
{
    clump_store *store = open_for_writing(0);
    clump_recorded_run *none;
    store_run(store, "first", false);
    store_run(store, "second", true);
    assert_int_equal(clump_store_commit(store), CLUMP_STORE_OK);
    clump_store_close(store);
    assert_int_equal(clump_store_open(database(0), CLUMP_STORE_READ, &store), CLUMP_STORE_OK);
    const clump_recorded_run first = run_of("first", false), second = run_of("second", true);
    expect(store, &first);
    expect(store, &second);
    assert_false(clump_recorded_run_is_same(&first, &second));
    assert_int_equal(clump_store_find_run(store, "third", &none), CLUMP_STORE_OK);
    assert_null(none);
    expect_sound(store);
    clump_store_close(store);
    remove_databases();
}

TEST(refuses)
{
    clump_store *store = open_for_writing(0);
    store_run(store, "first", false);
    clump_recorded_run run = run_of("first", true);
    assert_int_equal(clump_store_add_run(store, &run), CLUMP_STORE_BAD_INPUT);
    assert_non_null(strstr(clump_store_message(store), "UNIQUE constraint failed"));
    run.application = "nobody";
    assert_int_equal(clump_store_add_run(store, &run), CLUMP_STORE_NOT_FOUND);
    add_application(store, "second");
    run.application = "second";
    run.ranks = 0;
    assert_int_equal(clump_store_add_run(store, &run), CLUMP_STORE_BAD_INPUT);
    run.ranks = 1;
    run.wall = -1;
    assert_int_equal(clump_store_add_run(store, &run), CLUMP_STORE_BAD_INPUT);
    run.wall = 1;
    run.program = "a\nb";
    assert_int_equal(clump_store_add_run(store, &run), CLUMP_STORE_BAD_INPUT);
    run.program = NULL;
    assert_int_equal(clump_store_add_run(store, &run), CLUMP_STORE_OK);
    clump_store_close(store);
    remove_databases();
}

static int64_t count_rows(const char *table)
{
    char sql[100];
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", table);
    assert_int_equal(sqlite3_open(database(0), &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    const int64_t count = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return count;
}

TEST(goes_with_its_application)
{
    clump_store *store = open_for_writing(0);
    store_run(store, "first", false);
    store_run(store, "second", false);
    assert_int_equal(clump_store_rename(store, CLUMP_STORE_APPLICATION, "second", "third"),
                     CLUMP_STORE_OK);
    assert_int_equal(clump_store_remove(store, CLUMP_STORE_APPLICATION, "first", false, NULL, NULL),
                     CLUMP_STORE_OK);
    assert_int_equal(clump_store_commit(store), CLUMP_STORE_OK);
    const clump_recorded_run third = run_of("third", false);
    expect(store, &third);
    clump_store_close(store);
    assert_int_equal(count_rows("recording"), 1);
    remove_databases();
}

TEST(comes_back)
{
    clump_store_merged added;
    clump_store *store = open_for_writing(0);
    store_run(store, "first", false);
    store_run(store, "the second, \"quoted\"", true);
    assert_int_equal(clump_store_commit(store), CLUMP_STORE_OK);
    clump_store_close(store);
    assert_int_equal(clump_store_open(database(1), CLUMP_STORE_WRITE, &store), CLUMP_STORE_OK);
    assert_int_equal(clump_store_merge(store, database(0), &added), CLUMP_STORE_OK);
    assert_int_equal(added.applications, 2);
    assert_int_equal(clump_store_merge(store, database(0), &added), CLUMP_STORE_OK);
    assert_int_equal(added.applications, 0);
    const clump_recorded_run first = run_of("first", false),
                             second = run_of("the second, \"quoted\"", true);
    expect(store, &first);
    expect(store, &second);
    clump_store_close(store);
    remove_databases();
}

UNIT_MAIN(NULL, NULL)
