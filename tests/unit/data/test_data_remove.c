/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Removing and renaming: what goes, what stays, and that nothing is left over. The tables are looked at
 * with SQLite itself, and memory of ours and of SQLite's fails, one allocation in each run.
 */
#include "tests/unit/unit.h"

#include "data/store/store.h"
#include "tests/unit/failing_sqlite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- a database to remove from */

static char directory[40], path[100];
static clump_store *store;

static void ok(clump_store_status status)
{
    if (status != CLUMP_STORE_OK)
        fail_msg("status %d: %s", (int)status, clump_store_message(store));
}

static void fails(clump_store_status status, clump_store_status expected, const char *reason)
{
    assert_int_equal(status, expected);
    if (strstr(clump_store_message(store), reason) == NULL)
        fail_msg("'%s' does not say '%s'", clump_store_message(store), reason);
}

static void add_source(const char *name)
{
    ok(clump_store_add_source(
        store, &(clump_store_source){.name = name, .kind = "inline", .title = "Made up"}));
}

static void add_platform(const char *name, const char *part_of, const char *counterpart,
                         const char *source)
{
    ok(clump_store_add_platform(store, &(clump_store_platform){.name = name,
                                                               .title = "A machine",
                                                               .nodes = 1,
                                                               .processors = 2,
                                                               .nics = 1,
                                                               .part_of = part_of,
                                                               .counterpart = counterpart,
                                                               .source = source}));
}

static void add_application(const char *name, const char *source)
{
    ok(clump_store_add_application(
        store, &(clump_store_application){.name = name, .title = "A program", .source = source}));
}

static void add_samples(const char *platform, const char *application, const char *quantity,
                        const char *source, int count)
{
    int64_t id = 0;
    ok(clump_store_add_series(store,
                              &(clump_store_series){.platform = platform,
                                                    .application = application,
                                                    .quantity = quantity,
                                                    .statistic = "single",
                                                    .source = source},
                              &id));
    for (int i = 0; i < count; i++)
        ok(clump_store_add_sample(
            store, id,
            &(clump_store_measurement){
                .value = 1 + i, .half_width = NAN, .std_dev = NAN, .size_bytes = -1}));
}

static void add_fit(const char *application, const char *from, const char *platform)
{
    const clump_store_fit_parameter parameter = {"U", 0.5, 0.4, 0.6, true};
    const clump_store_fit_run run = {.platform = platform,
                                     .source = "log two",
                                     .base = "lab",
                                     .mapping = "pooled",
                                     .processors = 2,
                                     .nics = 1,
                                     .utilization = NAN,
                                     .remote_fraction = NAN,
                                     .cost_ratio = NAN,
                                     .waiting_fraction = NAN,
                                     .base_time_s = 1,
                                     .time_s = 2,
                                     .relative_error = NAN,
                                     .fitted_s = 2};
    ok(clump_store_add_fit(store, &(clump_store_fit){.application = application,
                                                     .fitted_from = from,
                                                     .demand = "independent",
                                                     .efficiency = "power",
                                                     .confidence = 0.95,
                                                     .parameters = &parameter,
                                                     .parameter_count = 1,
                                                     .runs = &run,
                                                     .run_count = 1}));
}

/*
 * lab has samples of two logs, and is what lab/fitted is part of and fat is compared with; the program
 * was measured on fat only, and fitted. All four kinds of reference rows are pointed to.
 */
static int make_store(void **state)
{
    (void)state;
    strcpy(directory, "/tmp/clump-test-XXXXXX");
    if (mkdtemp(directory) == NULL)
        return 1;
    snprintf(path, sizeof path, "%s/a.db", directory);
    if (clump_store_open(path, CLUMP_STORE_WRITE, &store) != CLUMP_STORE_OK)
        return 1;
    ok(clump_store_begin(store));
    add_source("log one");
    add_source("log two");
    add_source("log three");
    add_platform("lab", "e5000-clump", NULL, "log one");
    add_platform("lab/fitted", "lab", NULL, "log two");
    add_platform("fat", NULL, "lab", "log three");
    add_application("program", "log three");
    add_application("program, fitted", "log three");
    add_samples("lab", NULL, "gap", "log one", 3);
    add_samples("lab", NULL, "gap", "log two", 4);
    add_samples("fat", NULL, "gap", "log three", 5);
    add_samples("fat", "program", "execution_time", "log three", 6);
    add_samples("lab", "SAMPLE", "execution_time", "thesis-table-7.6", 7);
    add_fit("program, fitted", "program", "fat");
    ok(clump_store_commit(store));
    return 0;
}

static int close_store(void **state)
{
    (void)state;
    allocations_succeed();
    clump_store_close(store);
    store = NULL;
    return unlink(path) != 0 || rmdir(directory) != 0;
}

/* The first column of the first row, asked of the file. */
static long ask(const char *sql)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    const long found = (long)sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return found;
}

static long named(const char *table, const char *name)
{
    char sql[200];
    snprintf(sql, sizeof sql, "SELECT count(*) FROM %s WHERE name = '%s'", table, name);
    return ask(sql);
}

static void is_sound(void)
{
    size_t findings = 9;
    ok(clump_store_check(store, NULL, NULL, &findings));
    assert_int_equal(findings, 0);
    assert_int_equal(ask("SELECT count(*) FROM pragma_foreign_key_check"), 0);
}

/* What the callback was told, as text. */
static char told[1000];

static int note_removed(const clump_store_removed *removed, void *context)
{
    const size_t used = strlen(told);
    static const char *const kinds[] = {"platform", "application", "source"};
    snprintf(told + used, sizeof told - used, "%s %s %d%s; ", kinds[removed->kind], removed->name,
             (int)removed->samples, removed->stays ? " stays" : "");
    return context != NULL;
}

static clump_store_status remove_it(clump_store_kind kind, const char *name, bool force)
{
    told[0] = '\0';
    return clump_store_remove(store, kind, name, force, note_removed, NULL);
}

/* ---- */

TEST_WITH(refuses_what_is_in_use, make_store, close_store)
{
    ok(clump_store_begin(store));
    fails(remove_it(CLUMP_STORE_PLATFORM, "lab", false), CLUMP_STORE_IN_USE,
          "2 platforms are part of it or compared with it, such as 'fat'");
    fails(remove_it(CLUMP_STORE_PLATFORM, "fat", false), CLUMP_STORE_IN_USE,
          "6 samples of applications such as 'program' were measured on it");
    fails(remove_it(CLUMP_STORE_SOURCE, "log three", false), CLUMP_STORE_IN_USE,
          "all that is known of platform 'fat' is from it");
    assert_string_equal(told, "");
    ok(clump_store_commit(store));
    assert_int_equal(ask("SELECT count(*) FROM sample"), 25);
    assert_int_equal(ask("SELECT count(*) FROM platform WHERE NOT adopted"), 3);
    is_sound();
}

TEST_WITH(removes_with_what_belongs_to_it, make_store, close_store)
{
    ok(clump_store_begin(store));
    ok(remove_it(CLUMP_STORE_APPLICATION, "program", false));
    assert_string_equal(told, "application program 6; ");
    ok(remove_it(CLUMP_STORE_PLATFORM, "fat", false));
    assert_string_equal(told, "platform fat 5; "); /* the fitted program is from log three, too */
    ok(remove_it(CLUMP_STORE_APPLICATION, "program, fitted", false));
    assert_string_equal(told, "application program, fitted 0; source log three 0; ");
    ok(remove_it(CLUMP_STORE_PLATFORM, "lab/fitted", false));
    assert_string_equal(told, "platform lab/fitted 0; "); /* lab has samples of log two */
    ok(clump_store_commit(store));
    assert_int_equal(ask("SELECT count(*) FROM sample"), 14);
    assert_int_equal(ask("SELECT count(*) FROM fit_run") +
                         ask("SELECT count(*) FROM fit_parameter") +
                         ask("SELECT count(*) FROM fit"),
                     0);
    is_sound();
    ok(clump_store_begin(store));
    fails(remove_it(CLUMP_STORE_PLATFORM, "lab", false), CLUMP_STORE_IN_USE,
          "7 samples of applications such as 'SAMPLE'");
    ok(remove_it(CLUMP_STORE_PLATFORM, "lab", true));
    assert_string_equal(told, "platform lab 14; source log one 0; source log two 0; ");
    ok(clump_store_commit(store));
    /* No copy of a reference row is left either. */
    static const char *const tables[] = {"sample",   "series", "platform", "application",
                                         "quantity", "source", "fit"};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        char sql[100];
        snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", tables[i]);
        assert_int_equal(ask(sql), 0);
    }
    is_sound();
}

TEST_WITH(force_lets_go_of_others, make_store, close_store)
{
    ok(clump_store_begin(store));
    ok(remove_it(CLUMP_STORE_PLATFORM, "lab", true));
    assert_string_equal(told, "platform fat 0 stays; platform lab/fitted 0 stays; platform lab 14; "
                              "source log one 0; ");
    ok(clump_store_commit(store));
    clump_store_platform *platform = NULL;
    ok(clump_store_find_platform(store, "fat", &platform));
    assert_null(platform->counterpart);
    clump_store_free(platform);
    ok(clump_store_find_platform(store, "lab/fitted", &platform));
    assert_null(platform->part_of);
    clump_store_free(platform);
    assert_int_equal(named("source", "log two"), 1); /* lab/fitted is from it */
    is_sound();
}

TEST_WITH(a_platform_goes_over_to_its_next_source, make_store, close_store)
{
    ok(clump_store_begin(store));
    ok(remove_it(CLUMP_STORE_SOURCE, "log one", false));
    assert_string_equal(told, "source log one 3; ");
    fails(remove_it(CLUMP_STORE_SOURCE, "log two", false), CLUMP_STORE_IN_USE,
          "platform 'lab/fitted'");
    ok(remove_it(CLUMP_STORE_SOURCE, "log two", true));
    /* lab still has samples of a table of the thesis */
    assert_string_equal(told, "platform lab/fitted 0; source log two 4; ");
    ok(clump_store_commit(store));
    clump_store_platform *platform = NULL;
    ok(clump_store_find_platform(store, "lab", &platform));
    assert_string_equal(platform->source, "thesis-table-7.6");
    clump_store_free(platform);
    ok(clump_store_begin(store));
    ok(remove_it(CLUMP_STORE_SOURCE, "log three", true));
    assert_string_equal(told, "platform fat 11; application program 0; "
                              "application program, fitted 0; source log three 0; ");
    ok(clump_store_commit(store));
    is_sound();
}

static int stop(const clump_store_removed *removed, void *context)
{
    (void)context;
    return removed->kind == CLUMP_STORE_SOURCE;
}

TEST_WITH(refuses, make_store, close_store)
{
    fails(remove_it(CLUMP_STORE_PLATFORM, "lab", true), CLUMP_STORE_BAD_INPUT, "begin");
    fails(clump_store_rename(store, CLUMP_STORE_PLATFORM, "lab", "x"), CLUMP_STORE_BAD_INPUT,
          "begin");
    ok(clump_store_begin(store));
    fails(remove_it(CLUMP_STORE_PLATFORM, "lap", true), CLUMP_STORE_NOT_FOUND, "'lab'");
    fails(remove_it(CLUMP_STORE_PLATFORM, "", true), CLUMP_STORE_BAD_INPUT, "empty");
    /* A copy is there of the first, and none of the second. */
    fails(remove_it(CLUMP_STORE_PLATFORM, "e5000-clump", true), CLUMP_STORE_BAD_INPUT, "ships");
    fails(remove_it(CLUMP_STORE_APPLICATION, "CON/comm", true), CLUMP_STORE_BAD_INPUT, "ships");
    fails(remove_it(CLUMP_STORE_SOURCE, "thesis-table-7.6", true), CLUMP_STORE_BAD_INPUT, "ships");
    assert_int_equal(clump_store_remove(store, CLUMP_STORE_PLATFORM, "lab", true, stop, NULL),
                     CLUMP_STORE_STOPPED);
    ok(clump_store_commit(store));
    assert_int_equal(ask("SELECT count(*) FROM sample"), 25);
    ok(clump_store_begin(store));
    ok(remove_it(CLUMP_STORE_PLATFORM, "lab", true));
    clump_store_rollback(store);
    assert_int_equal(ask("SELECT count(*) FROM sample"), 25);
    is_sound();
}

TEST_WITH(writing_goes_on_after_removing, make_store, close_store)
{
    int64_t id = 0;
    const clump_store_series series = {
        .platform = "lab/fitted", .quantity = "gap", .statistic = "single", .source = "log two"};
    const clump_store_measurement one = {
        .value = 1, .half_width = NAN, .std_dev = NAN, .size_bytes = -1};
    ok(clump_store_begin(store));
    ok(clump_store_add_series(store, &series, &id));
    ok(clump_store_add_sample(store, id, &one));
    ok(remove_it(CLUMP_STORE_PLATFORM, "lab/fitted", false));
    fails(clump_store_add_sample(store, id, &one), CLUMP_STORE_BAD_INPUT, "no series");
    ok(clump_store_commit(store));
    is_sound();
}

TEST_WITH(renames, make_store, close_store)
{
    ok(clump_store_begin(store));
    fails(clump_store_rename(store, CLUMP_STORE_PLATFORM, "lab", "fat"), CLUMP_STORE_BAD_INPUT,
          "already has the platform 'fat'");
    fails(clump_store_rename(store, CLUMP_STORE_PLATFORM, "lab", "e5000-myrinet"),
          CLUMP_STORE_BAD_INPUT, "ships");
    fails(clump_store_rename(store, CLUMP_STORE_PLATFORM, "lab", "e5000-clump"),
          CLUMP_STORE_BAD_INPUT, "already uses the reference platform");
    fails(clump_store_rename(store, CLUMP_STORE_PLATFORM, "e5000-clump", "x"),
          CLUMP_STORE_BAD_INPUT, "ships");
    fails(clump_store_rename(store, CLUMP_STORE_PLATFORM, "lab", "a\nb"), CLUMP_STORE_BAD_INPUT,
          "printable");
    ok(clump_store_rename(store, CLUMP_STORE_PLATFORM, "lab", "laboratory"));
    ok(clump_store_rename(store, CLUMP_STORE_PLATFORM, "fat", "SAMPLE")); /* of another kind */
    ok(clump_store_rename(store, CLUMP_STORE_APPLICATION, "program", "fft"));
    ok(clump_store_rename(store, CLUMP_STORE_SOURCE, "log two", "log 2"));
    ok(clump_store_commit(store));
    clump_store_platform *platform = NULL;
    ok(clump_store_find_platform(store, "lab/fitted", &platform));
    assert_string_equal(platform->part_of, "laboratory");
    clump_store_free(platform);
    clump_store_fit *fit = NULL;
    ok(clump_store_find_fit(store, "program, fitted", &fit));
    assert_string_equal(fit->fitted_from, "fft");
    assert_string_equal(fit->runs[0].platform, "SAMPLE");
    assert_string_equal(fit->runs[0].base, "laboratory");
    assert_string_equal(fit->runs[0].source, "log 2");
    clump_store_free_fit(fit);
    assert_int_equal(ask("SELECT count(*) FROM sample"), 25);
    is_sound();
}

/* It says so, and the transaction is as it was. SQLite recovers from some failures by itself; what
 * counts is that OK means OK. */
TEST_WITH(any_allocation_may_fail, make_store, close_store)
{
    for (long i = 0;; i += i < 100 ? 1 : 13) {
        ok(clump_store_begin(store));
        allocation_fails(i);
        const bool renaming = i % 2 == 1;
        clump_store_status status =
            renaming ? clump_store_rename(store, CLUMP_STORE_PLATFORM, "lab", "x")
                     : clump_store_remove(store, CLUMP_STORE_PLATFORM, "lab", true, NULL, NULL);
        const bool done = allocations_succeed() == 0;
        if (status != CLUMP_STORE_OK) {
            assert_int_equal(status, CLUMP_STORE_FAILED);
            assert_true(strlen(clump_store_message(store)) > 0);
            /* SQLite itself may have undone the transaction. */
            status = clump_store_commit(store);
            assert_true(status == CLUMP_STORE_OK || status == CLUMP_STORE_FAILED);
            assert_int_equal(ask("SELECT count(*) FROM sample"), 25);
            assert_int_equal(named("platform", "lab"), 1);
        } else {
            clump_store_rollback(store);
        }
        if (done && !renaming) {
            assert_true(i > 50);
            break;
        }
    }
    is_sound();
}

UNIT_MAIN(make_sqlite_fail, NULL)
