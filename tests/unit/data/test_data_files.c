/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files: created, reopened, and those that others made or damaged. */
#include "tests/unit/unit.h"

#include "data/store/reference.h"
#include "data/store/store.h"

#include <math.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[] = "/tmp/clump-test-XXXXXX";
static char path[200];

static int make_directory(void **state)
{
    (void)state;
    return mkdtemp(directory) == NULL;
}

static int remove_directory(void **state)
{
    (void)state;
    return rmdir(directory); /* fails if a test, or SQLite, left something behind */
}

static int name_file(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "%s/a b?c=d#e%%20f&mode=rwc.db", directory);
    return 0;
}

static int remove_file(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

static void run_sql(const char *sql)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    char *message = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", sql, message);
    sqlite3_close(db);
}

/* A database with one platform and `samples` samples. */
static void make_file(int samples)
{
    clump_store *store = NULL;
    int64_t id = 0;
    assert_int_equal(clump_store_open(path, CLUMP_STORE_WRITE, &store), CLUMP_STORE_OK);
    assert_int_equal(clump_store_begin(store), CLUMP_STORE_OK);
    assert_int_equal(
        clump_store_add_source(store,
                               &(clump_store_source){.name = "me", .kind = "inline", .title = "t"}),
        CLUMP_STORE_OK);
    assert_int_equal(clump_store_add_platform(store, &(clump_store_platform){.name = "mine",
                                                                             .title = "t",
                                                                             .nodes = 1,
                                                                             .processors = 1,
                                                                             .source = "me"}),
                     CLUMP_STORE_OK);
    assert_int_equal(clump_store_add_series(store,
                                            &(clump_store_series){.platform = "mine",
                                                                  .quantity = "gap",
                                                                  .statistic = "single",
                                                                  .source = "me"},
                                            &id),
                     CLUMP_STORE_OK);
    for (int i = 0; i < samples; i++) {
        const clump_store_measurement measured = {
            .value = i, .half_width = NAN, .std_dev = NAN, .size_bytes = i};
        assert_int_equal(clump_store_add_sample(store, id, &measured), CLUMP_STORE_OK);
    }
    assert_int_equal(clump_store_commit(store), CLUMP_STORE_OK);
    clump_store_close(store);
}

static void assert_refused(unsigned flags, clump_store_status expected, const char *reason)
{
    clump_store *store = NULL;
    const clump_store_status status = clump_store_open(path, flags, &store);
    assert_non_null(store);
    if (status != expected || strstr(clump_store_message(store), reason) == NULL ||
        strstr(clump_store_message(store), directory) == NULL)
        fail_msg("%d: %s", (int)status, clump_store_message(store));
    clump_store_platform *platform = NULL; /* a handle that did not open refuses, and lives */
    assert_int_not_equal(clump_store_find_platform(store, "mine", &platform), CLUMP_STORE_OK);
    assert_int_not_equal(clump_store_begin(store), CLUMP_STORE_OK);
    clump_store_close(store);
}

static void write_file(const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static unsigned char *read_file(size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    unsigned char *bytes = malloc(1 << 20);
    assert_non_null(bytes);
    *size = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

static int count_sample(const clump_store_sample *sample, void *context)
{
    (void)sample;
    ++*(size_t *)context;
    return 0;
}

TEST_WITH(reopens, name_file, remove_file)
{
    make_file(3);
    size_t before = 0;
    unsigned char *bytes = read_file(&before);
    clump_store *store = NULL;
    assert_int_equal(clump_store_open(path, CLUMP_STORE_READ, &store), CLUMP_STORE_OK);
    size_t count = 0;
    const clump_store_filter filter = {.platform = "mine"};
    assert_int_equal(clump_store_each_sample(store, &filter, count_sample, &count), CLUMP_STORE_OK);
    assert_int_equal(count, 3);
    assert_int_equal(clump_store_begin(store), CLUMP_STORE_BAD_INPUT);
    size_t findings = 9;
    assert_int_equal(clump_store_check(store, NULL, NULL, &findings), CLUMP_STORE_OK);
    assert_int_equal(findings, 0);
    clump_store_close(store);
    size_t after = 0;
    unsigned char *again = read_file(&after);
    assert_int_equal(before, after);
    assert_memory_equal(bytes, again, before);
    free(bytes);
    free(again);
}

TEST_WITH(reading_creates_nothing, name_file, remove_file)
{
    assert_refused(CLUMP_STORE_READ, CLUMP_STORE_NOT_FOUND, "No such file");
    assert_int_not_equal(access(path, F_OK), 0);
}

TEST_WITH(empty_file_is_none_until_it_becomes_ours_when_writing, name_file, remove_file)
{
    clump_store *store = NULL;
    write_file("", 0);
    assert_int_equal(clump_store_open(path, CLUMP_STORE_READ, &store), CLUMP_STORE_OK);
    clump_store_close(store);
    make_file(1);
    assert_int_equal(clump_store_open(path, CLUMP_STORE_READ, &store), CLUMP_STORE_OK);
    clump_store_close(store);
}

static void assert_says(clump_store *store, clump_store_status status, const char *reason)
{
    assert_int_equal(status, CLUMP_STORE_BAD_INPUT);
    if (strstr(clump_store_message(store), reason) == NULL)
        fail_msg("'%s' does not say '%s'", clump_store_message(store), reason);
}

/* A file that was made for nothing goes again; who waits for it does not write into the void. */
TEST_WITH(unused_file_is_removed, name_file, remove_file)
{
    clump_store *store = NULL, *other = NULL;
    struct stat found;
    assert_int_equal(clump_store_open(path, CLUMP_STORE_WRITE, &store), CLUMP_STORE_OK);
    assert_string_equal(clump_store_made(store), path);
    assert_int_equal(clump_store_open(path, CLUMP_STORE_WRITE, &other), CLUMP_STORE_OK);
    assert_null(clump_store_made(other));
    clump_store_close_unused(store);
    assert_int_equal(stat(path, &found), -1);
    assert_int_equal(clump_store_begin(other), CLUMP_STORE_FAILED);
    assert_non_null(strstr(clump_store_message(other), "removed or replaced"));
    clump_store_close(other);
    /* One with something in it stays, and so does one that was there. */
    assert_int_equal(clump_store_open(path, CLUMP_STORE_WRITE, &store), CLUMP_STORE_OK);
    make_file(1);
    clump_store_close_unused(store);
    assert_int_equal(stat(path, &found), 0);
    unlink(path);
    assert_int_equal(clump_store_open(path, CLUMP_STORE_WRITE, &store), CLUMP_STORE_OK);
    clump_store_close(store);
    assert_int_equal(clump_store_open(path, CLUMP_STORE_WRITE, &store), CLUMP_STORE_OK);
    clump_store_close_unused(store);
    assert_int_equal(stat(path, &found), 0);
}

static void assert_left_as_it_was(const char *text, size_t size)
{
    char found[4100];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(found, 1, sizeof found, file), size);
    fclose(file);
    assert_memory_equal(found, text, size);
}

/* Whatever their size is: one byte SQLite would take for nothing. */
TEST_WITH(refuses_short_files, name_file, remove_file)
{
    static const size_t sizes[] = {1, 2, 15, 16, 17, 99, 100, 511, 512, 4096};
    char text[4096] = "SQLite format 3";
    for (int k = 0; k < 3; k++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            write_file(text, sizes[i]);
            assert_refused(CLUMP_STORE_READ, CLUMP_STORE_BAD_INPUT,
                           "not a database of this program");
            assert_refused(CLUMP_STORE_WRITE, CLUMP_STORE_BAD_INPUT,
                           "not a database of this program");
            assert_left_as_it_was(text, sizes[i]);
        }
        memset(text, k == 0 ? 'x' : '\0', sizeof text);
    }
}

/* A schema of a format that SQLite does not know, which it calls an error and no damage. */
TEST_WITH(refuses_unknown_formats, name_file, remove_file)
{
    make_file(1);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, 44, SEEK_SET), 0);
    assert_int_equal(fwrite("\0\0\0\5", 1, 4, file), 4);
    assert_int_equal(fclose(file), 0);
    assert_refused(CLUMP_STORE_READ, CLUMP_STORE_BAD_INPUT, "unsupported file format");
    assert_refused(CLUMP_STORE_WRITE, CLUMP_STORE_BAD_INPUT, "unsupported file format");
}

/* As on a full disk: no file may be longer than nothing. */
static clump_store_status open_without_room(char message[200])
{
    struct rlimit before, none;
    clump_store *store = NULL;
    void (*const handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    none = before;
    none.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    const clump_store_status status = clump_store_open(path, CLUMP_STORE_WRITE, &store);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    snprintf(message, 200, "%s", clump_store_message(store));
    clump_store_close(store);
    return status;
}

/* What cannot be made does not stay behind; what was there does. */
TEST_WITH(leaves_no_empty_file, name_file, remove_file)
{
    char message[200];
    struct stat found;
    assert_int_equal(open_without_room(message), CLUMP_STORE_FAILED);
    assert_non_null(strstr(message, path));
    assert_int_equal(stat(path, &found), -1);
    write_file("", 0);
    assert_int_equal(open_without_room(message), CLUMP_STORE_FAILED);
    assert_int_equal(stat(path, &found), 0);
    assert_int_equal(found.st_size, 0);
    make_file(1);
}

TEST_WITH(refuses_other_files, name_file, remove_file)
{
    char text[2000];
    memset(text, 'x', sizeof text);
    write_file(text, sizeof text);
    assert_refused(CLUMP_STORE_READ, CLUMP_STORE_BAD_INPUT, "not a database of this program");
    assert_refused(CLUMP_STORE_WRITE, CLUMP_STORE_BAD_INPUT, "not a database of this program");
    assert_int_equal(unlink(path), 0);
    run_sql("CREATE TABLE t (x)");
    assert_refused(CLUMP_STORE_READ, CLUMP_STORE_BAD_INPUT, "another program");
    assert_refused(CLUMP_STORE_WRITE, CLUMP_STORE_BAD_INPUT, "another program");
    assert_int_equal(unlink(path), 0);
    run_sql("PRAGMA application_id = 252006673; CREATE TABLE t (x)");
    assert_refused(CLUMP_STORE_WRITE, CLUMP_STORE_BAD_INPUT, "another program");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_refused(CLUMP_STORE_WRITE, CLUMP_STORE_BAD_INPUT, "not a regular file");
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0); /* must not wait for a writer */
    assert_refused(CLUMP_STORE_READ, CLUMP_STORE_BAD_INPUT, "not a regular file");
}

TEST_WITH(refuses_other_versions, name_file, remove_file)
{
    make_file(1);
    run_sql("PRAGMA user_version = 99");
    assert_refused(CLUMP_STORE_READ, CLUMP_STORE_BAD_INPUT, "version 99");
    assert_refused(CLUMP_STORE_WRITE, CLUMP_STORE_BAD_INPUT, "this program knows");
}

TEST_WITH(refuses_altered_schemas, name_file, remove_file)
{
    static const char *const alterations[] = {
        "CREATE TRIGGER t AFTER INSERT ON sample BEGIN DELETE FROM source; END",
        "ALTER TABLE platform RENAME TO p; CREATE VIEW platform AS SELECT * FROM p",
        "CREATE TABLE more (x)",
        "DROP INDEX series_identity",
        "ALTER TABLE sample ADD COLUMN extra TEXT",
        "CREATE TABLE \"sample \" (x)",
    };
    for (size_t i = 0; i < sizeof alterations / sizeof *alterations; i++) {
        make_file(1);
        run_sql(alterations[i]);
        assert_refused(CLUMP_STORE_READ, CLUMP_STORE_BAD_INPUT, "altered");
        assert_refused(CLUMP_STORE_WRITE, CLUMP_STORE_BAD_INPUT, "altered");
        assert_int_equal(unlink(path), 0);
    }
}

/* Rows that only another program could have written. */
TEST_WITH(survives_strange_rows, name_file, remove_file)
{
    make_file(1);
    run_sql("PRAGMA ignore_check_constraints = 1;"
            "INSERT INTO platform (id, name, title, nodes, processors, nics, source_id, part_of_id)"
            " VALUES (50, 'a', 't', 1, 1, 1, 1, 51), (51, 'b', 't', 1, 1, 1, 1, 50);"
            "INSERT INTO platform (id, name, title, nodes, processors, nics, source_id)"
            " VALUES (52, 'c' || char(27) || '[2J', 't', 1, 1, 1, 1), (53, 'z', 't', 0, 1, 1, 1);"
            "UPDATE sample SET value = -9e999");
    clump_store *store = NULL;
    assert_int_equal(clump_store_open(path, CLUMP_STORE_READ, &store), CLUMP_STORE_OK);
    clump_store_measurement measured;
    const clump_store_filter circle = {.platform = "a", .quantity = "gap"};
    assert_int_equal(clump_store_value(store, &circle, &measured), CLUMP_STORE_NOT_FOUND);
    clump_store_platform *platform = NULL;
    assert_int_equal(clump_store_find_platform(store, "z", &platform), CLUMP_STORE_BAD_INPUT);
    assert_int_equal(clump_store_find_platform(store, "x", &platform), CLUMP_STORE_NOT_FOUND);
    assert_null(strchr(clump_store_message(store), '\x1B'));
    size_t count = 0;
    const clump_store_filter mine = {.platform = "mine"};
    assert_int_equal(clump_store_each_sample(store, &mine, count_sample, &count),
                     CLUMP_STORE_BAD_INPUT);
    assert_int_equal(count, 0);
    size_t findings = 0;
    assert_int_equal(clump_store_check(store, NULL, NULL, &findings), CLUMP_STORE_OK);
    assert_true(findings >= 2);
    clump_store_close(store);
}

static int skip_platform(const void *record, void *context)
{
    const clump_store_platform *platform = record;
    (void)platform;
    (void)context;
    return 0;
}

static int skip_application(const void *record, void *context)
{
    const clump_store_application *application = record;
    (void)application;
    (void)context;
    return 0;
}

static int keep_finding(const char *finding, void *context)
{
    char *all = context;
    const size_t used = strlen(all);
    snprintf(all + used, 4000 - used, "%s\n", finding);
    return 0;
}

static clump_store *open_to_read(void)
{
    clump_store *store = NULL;
    assert_int_equal(clump_store_open(path, CLUMP_STORE_READ, &store), CLUMP_STORE_OK);
    return store;
}

/* Rows that point to nothing are complained about, not left out, and nothing is found in them. */
TEST_WITH(complains_about_dangling_rows, name_file, remove_file)
{
    make_file(2);
    run_sql("PRAGMA foreign_keys = 0; INSERT INTO application (name, title, source_id)"
            " VALUES ('app', 't', 1); DELETE FROM source");
    clump_store *store = open_to_read();
    clump_store_platform *platform = (clump_store_platform *)&path;
    assert_says(store, clump_store_find_platform(store, "mine", &platform),
                "platform 'mine' points to a source that does not exist");
    assert_null(platform);
    clump_store_application *application = (clump_store_application *)&path;
    assert_says(store, clump_store_find_application(store, "app", &application),
                "application 'app' points to a source that does not exist");
    assert_null(application);
    clump_store_source *source = (clump_store_source *)&path;
    assert_int_equal(clump_store_find_source(store, "me", &source), CLUMP_STORE_NOT_FOUND);
    assert_null(source);
    clump_store_quantity *quantity = (clump_store_quantity *)&path;
    assert_int_equal(clump_store_find_quantity(store, "nothing", &quantity), CLUMP_STORE_NOT_FOUND);
    assert_null(quantity);
    assert_says(store, clump_store_each_record(store, CLUMP_STORE_PLATFORM, skip_platform, NULL),
                "'mine' points");
    assert_says(store,
                clump_store_each_record(store, CLUMP_STORE_APPLICATION, skip_application, NULL),
                "'app' points");
    size_t count = 0;
    const clump_store_filter filters[] = {
        {.platform = "mine"}, {.quantity = "gap"}, {.source = ""}};
    for (size_t i = 0; i < 3; i++) {
        assert_says(store, clump_store_each_sample(store, &filters[i], count_sample, &count),
                    "points to a source that does not exist");
    }
    assert_int_equal(count, 0);
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_says(store, clump_store_export(store, &filters[0], file), "points to");
    assert_int_equal(ftell(file), 0); /* nothing is written before everything is known to be good */
    fclose(file);
    clump_store_close(store);
    assert_int_equal(unlink(path), 0);

    static const char *const others[][2] = {
        {"UPDATE platform SET part_of_id = 99", "'mine' points to a platform"},
        {"UPDATE platform SET counterpart_id = 99", "'mine' points to a platform"},
    };
    for (size_t i = 0; i < 2; i++) {
        make_file(1);
        run_sql(others[i][0]);
        store = open_to_read();
        assert_says(store, clump_store_find_platform(store, "mine", &platform), others[i][1]);
        clump_store_close(store);
        assert_int_equal(unlink(path), 0);
    }
    static const char *const keys[][2] = {{"platform_id", "a platform"},
                                          {"application_id", "an application"},
                                          {"quantity_id", "a quantity"}};
    for (size_t i = 0; i < 3; i++) {
        char sql[100];
        make_file(1);
        snprintf(sql, sizeof sql, "UPDATE series SET %s = 99", keys[i][0]);
        run_sql(sql);
        store = open_to_read();
        const clump_store_filter filter = {.platform = "mine", .quantity = "gap"};
        assert_says(store, clump_store_each_sample(store, &filter, count_sample, &count),
                    keys[i][1]);
        clump_store_close(store);
        assert_int_equal(unlink(path), 0);
    }
}

/* SQLite checks constraints only where it could write; the store must do it all the same. */
TEST_WITH(check_finds_broken_constraints, name_file, remove_file)
{
    static const char *const broken[][2] = {
        {"UPDATE platform SET mapping = 'foo'", "table 'platform'"},
        {"UPDATE quantity SET may_be_negative = 7", "table 'quantity'"},
        {"UPDATE source SET kind = 'rumour'", "table 'source'"},
        {"UPDATE series SET statistic = 'typical'", "table 'series'"},
        {"INSERT INTO application (name, title, style, source_id) VALUES ('a', 't', 'loud', 1)",
         "table 'application'"},
        {"UPDATE source SET sha256 = 'abc'", "table 'source'"},
        {"UPDATE sample SET doubtful = 2", "table 'sample'"},
        {"UPDATE sample SET size_bytes = -5", "table 'sample'"},
        {"INSERT INTO platform (id, name, title, nodes, processors, nics, source_id, part_of_id)"
         " VALUES (50, 'a', 't', 1, 1, 1, 1, 51), (51, 'b', 't', 1, 1, 1, 1, 52),"
         " (52, 'c', 't', 1, 1, 1, 1, 50)",
         "platform 'c' is part of 'a', and so on in a circle"},
        {"UPDATE platform SET title = CAST(x'ff80' AS TEXT)", "not printable"},
        {"UPDATE platform SET title = CAST(zeroblob(70000000) AS TEXT)", "too big"},
    };
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        char sql[400];
        char all[4000] = "";
        size_t findings = 0;
        make_file(1);
        snprintf(sql, sizeof sql, "PRAGMA ignore_check_constraints = 1; %s", broken[i][0]);
        run_sql(sql);
        clump_store *store = open_to_read();
        assert_int_equal(clump_store_check(store, keep_finding, all, &findings), CLUMP_STORE_OK);
        if (findings < 1 || strstr(all, broken[i][1]) == NULL)
            fail_msg("%s: found '%s'", broken[i][0], all);
        clump_store_platform *platform = NULL;
        if (i == 0)
            assert_says(store, clump_store_find_platform(store, "mine", &platform), "'foo'");
        clump_store_application *application = NULL;
        if (i == 4)
            assert_says(store, clump_store_find_application(store, "a", &application), "'loud'");
        clump_store_close(store);
        assert_int_equal(unlink(path), 0);
    }
}

static bool is_there(const char *suffix)
{
    char name[220];
    snprintf(name, sizeof name, "%s%s", path, suffix);
    return access(name, F_OK) == 0;
}

/* A file in WAL mode is read without files beside it, but with what they hold if there are any. */
TEST_WITH(reads_files_in_wal_mode, name_file, remove_file)
{
    make_file(3);
    run_sql("PRAGMA journal_mode = wal");
    clump_store *store = open_to_read();
    size_t count = 0;
    const clump_store_filter mine = {.platform = "mine"};
    assert_int_equal(clump_store_each_sample(store, &mine, count_sample, &count), CLUMP_STORE_OK);
    assert_int_equal(count, 3);
    size_t findings = 9;
    assert_int_equal(clump_store_check(store, NULL, NULL, &findings), CLUMP_STORE_OK);
    assert_int_equal(findings, 0);
    assert_false(is_there("-wal") || is_there("-shm"));
    clump_store_close(store);
    assert_false(is_there("-wal") || is_there("-shm"));

    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "DELETE FROM sample WHERE ordinal > 1", NULL, NULL, NULL),
                     SQLITE_OK);
    assert_true(is_there("-wal"));
    store = open_to_read();
    count = 0;
    assert_int_equal(clump_store_each_sample(store, &mine, count_sample, &count), CLUMP_STORE_OK);
    assert_int_equal(count, 1);
    clump_store_close(store);
    sqlite3_close(db);
}

/* Bytes changed anywhere: whatever comes out, nothing crashes or hangs, and nobody writes. */
TEST_WITH(survives_damage, name_file, remove_file)
{
    make_file(400);
    size_t size = 0;
    unsigned char *bytes = read_file(&size);
    uint32_t seed = 99;
    size_t noticed = 0;
    /* What is done to a file repeats after 210. */
    const int files = getenv("CLUMP_TEST_LONG") != NULL ? 2100 : 105;
    for (int i = 0; i < files; i++) {
        unsigned char *copy = malloc(size);
        assert_non_null(copy);
        memcpy(copy, bytes, size);
        for (int j = 0; j < 1 + i % 7; j++) {
            seed = seed * 1664525u + 1013904223u;
            const size_t page = (seed >> 4) % (size / 4096);
            const size_t offset = (seed >> 16) % (i % 2 == 0 ? 64 : 4096); /* often in headers */
            copy[page * 4096 + offset] = (unsigned char)(seed >> 24);
        }
        write_file(copy, i % 10 == 9 ? size - (seed >> 8) % size : size);
        free(copy);
        clump_store *store = NULL;
        if (clump_store_open(path, i % 3 == 0 ? CLUMP_STORE_WRITE : CLUMP_STORE_READ, &store) ==
            CLUMP_STORE_OK) {
            size_t count = 0;
            size_t findings = 0;
            const clump_store_filter any = {.platform = NULL};
            clump_store_each_sample(store, &any, count_sample, &count);
            clump_store_check(store, NULL, NULL, &findings);
            noticed += findings > 0 ? 1 : 0;
        } else {
            assert_true(strlen(clump_store_message(store)) > 0);
            noticed++;
        }
        clump_store_close(store);
        char journal[220];
        snprintf(journal, sizeof journal, "%s-journal", path);
        unlink(journal);
        snprintf(journal, sizeof journal, "%s-wal", path);
        unlink(journal);
        snprintf(journal, sizeof journal, "%s-shm", path);
        unlink(journal);
    }
    assert_true(noticed > (size_t)files / 3);
    free(bytes);
}

TEST_WITH(waits_not_forever_and_keeps_readers_out_of_the_way, name_file, remove_file)
{
    make_file(2);
    clump_store *writer = NULL;
    clump_store *reader = NULL;
    assert_int_equal(clump_store_open(path, CLUMP_STORE_WRITE, &writer), CLUMP_STORE_OK);
    assert_int_equal(clump_store_begin(writer), CLUMP_STORE_OK);
    assert_int_equal(
        clump_store_add_source(
            writer, &(clump_store_source){.name = "new", .kind = "inline", .title = "t"}),
        CLUMP_STORE_OK);
    assert_int_equal(clump_store_open(path, CLUMP_STORE_READ, &reader), CLUMP_STORE_OK);
    clump_store_source *source = NULL;
    assert_int_equal(clump_store_find_source(reader, "new", &source), CLUMP_STORE_NOT_FOUND);
    assert_int_equal(clump_store_commit(writer), CLUMP_STORE_OK);
    assert_int_equal(clump_store_find_source(reader, "new", &source), CLUMP_STORE_OK);
    clump_store_free(source);
    clump_store_close(reader);
    clump_store_close(writer);
}

TEST_WITH(closing_without_commit_leaves_nothing, name_file, remove_file)
{
    make_file(1);
    clump_store *store = NULL;
    assert_int_equal(clump_store_open(path, CLUMP_STORE_WRITE, &store), CLUMP_STORE_OK);
    assert_int_equal(clump_store_begin(store), CLUMP_STORE_OK);
    assert_int_equal(
        clump_store_add_source(
            store, &(clump_store_source){.name = "new", .kind = "inline", .title = "t"}),
        CLUMP_STORE_OK);
    clump_store_close(store);
    assert_int_equal(clump_store_open(path, CLUMP_STORE_READ, &store), CLUMP_STORE_OK);
    clump_store_source *source = NULL;
    assert_int_equal(clump_store_find_source(store, "new", &source), CLUMP_STORE_NOT_FOUND);
    clump_store_close(store);
}

/* ---- loading CSV files ---- */

typedef struct report {
    size_t lines;
    char all[2000];
} report;

static void keep_report(const char *message, void *context)
{
    report *to = context;
    const size_t used = strlen(to->all);
    snprintf(to->all + used, sizeof to->all - used, "%s\n", message);
    to->lines++;
}

#define SAMPLES                                                                                    \
    "platform,application,transport,variant,quantity,statistic,value,half_width,std_dev,unit,"     \
    "source,doubtful,note\n"

static clump_reference_text text_file(const char *name, const char *text)
{
    return (clump_reference_text){.name = name, .bytes = text, .size = strlen(text)};
}

TEST_WITH(loading_reports_every_error_and_stores_nothing, name_file, remove_file)
{
    clump_store *store = NULL;
    assert_int_equal(clump_store_open(NULL, CLUMP_STORE_WRITE, &store), CLUMP_STORE_OK);
    const clump_reference_text files[] = {
        text_file("x/b.csv", SAMPLES "# comment\n"
                                     "p,,,,q,mean,1.5,,,ns,s,0,\n"
                                     "p,,,,q,mean,1;5,,,ns,s,0,\n"
                                     "p,,,,q,mean,1,,,furlong,s,0,\n"
                                     "p,,,,q,mean,1,,,B,s,0,\n"
                                     "p,,,,q,mean,1,,,ns,s,maybe,\n"
                                     "p,,,,q,max,1,,,ns,s,1,\n"
                                     "p,,,,qq,max,1,,,ns,s,0,\n"
                                     "p,,,,q,mean,1,,,ns,s,0,\n"),
        text_file("x/platforms.csv",
                  "name,title,nodes,processors,nics,mapping,part_of,counterpart,source,note\n"
                  "p,t,1,1,1,,,,s,\nr,t,one,1,1,,,,s,\n"),
        text_file("x/quantities.csv", "name,unit,meaning,may_be_negative\nq,us,m,0\n"),
        text_file("x/sources.csv", "name,kind,title,table,section,page,note\ns,document,t,,,,\n"),
        text_file("x/bad.csv", "platform,value\n"),
        text_file("x/empty.csv", ""),
    };
    report errors = {.lines = 0};
    assert_int_equal(clump_reference_load(store, files, 6, keep_report, &errors),
                     CLUMP_STORE_BAD_INPUT);
    static const char *const expected[] = {"x/platforms.csv:3: nodes is 'one'",
                                           "x/b.csv:4: value '1;5' is not a number",
                                           "x/b.csv:5: unit 'furlong' is not known",
                                           "x/b.csv:6: unit 'B' does not convert to us",
                                           "x/b.csv:7: doubtful is 'maybe'",
                                           "x/b.csv:8: the sample is doubtful and no note",
                                           "x/b.csv:9: no quantity is called 'qq'",
                                           "x/b.csv:10: there already is a series",
                                           "x/bad.csv:1: the header lacks the column 'application'",
                                           "x/empty.csv:1: the header line is missing"};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        if (strstr(errors.all, expected[i]) == NULL)
            fail_msg("no '%s' in:\n%s", expected[i], errors.all);
    assert_int_equal(errors.lines, 10);
    clump_store_platform *platform = NULL;
    assert_int_equal(clump_store_find_platform(store, "p", &platform), CLUMP_STORE_NOT_FOUND);
    clump_store_close(store);
}

UNIT_MAIN(make_directory, remove_directory)
