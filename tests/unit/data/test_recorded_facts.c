/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts of recordings in the store: what was put in comes out, through databases and exports. */
#include "data/import/import.h"
#include "data/store/recorded_facts.h"

#include <math.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char path[2][64];

static const char *database(size_t which)
{
    if (path[which][0] == '\0')
        snprintf(path[which], sizeof path[which], "/tmp/clump-facts-%ld-%zu.db", (long)getpid(),
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

/* A row of each part with other numbers in each field; every second one lacks what may lack. */
static void fill(clump_facts *facts, clump_facts_part part, bool lacks, int seed)
{
    static const char digest[] = "0123456789abcdef0123456789abcdef"
                                 "0123456789abcdef0123456789abcdef";
    static const char *const texts[] = {"a text", "100% of \"it\", with: comma", "Übung =x",
                                        digest};
    const clump_facts_form *form = clump_facts_form_of(part);
    clump_facts_any_row row;
    unsigned char *bytes = (unsigned char *)&row;
    memset(&row, 0, sizeof row);
    for (size_t i = 0; i < form->field_count; i++) {
        const clump_facts_field *field = &form->fields[i];
        const bool none = lacks && field->may_lack;
        const bool index = strcmp(field->name, "node") == 0 || strcmp(field->name, "rank") == 0 ||
                           strcmp(field->name, "sender") == 0 ||
                           strcmp(field->name, "receiver") == 0 || strcmp(field->name, "q") == 0;
        const char *text = none                                 ? NULL
                           : strcmp(field->name, "origin") == 0 ? "otf2"
                           : strcmp(field->name, "doing") == 0  ? "in MPI"
                           : strcmp(field->name, "sha256") == 0 ? texts[3]
                                                                : texts[(size_t)seed % 3];
        const double real = none             ? NAN
                            : field->below_0 ? -1.0 / (seed + 3)
                                             : (seed + 1) / 3.0 + (double)i;
        const int64_t whole = none                                     ? -1
                              : index                                  ? seed % 2
                              : strcmp(field->name, "processors") == 0 ? 2
                              : strcmp(field->name, "members") == 0    ? 2
                              : strcmp(field->name, "size_limit") == 0 ? INT64_MAX
                                                                       : seed + (int64_t)i;
        const bool truth = seed % 2 == 0;
        switch (field->type) {
        case CLUMP_FACTS_TEXT:
            memcpy(bytes + field->offset, &text, sizeof text);
            break;
        case CLUMP_FACTS_REAL:
            memcpy(bytes + field->offset, &real, sizeof real);
            break;
        case CLUMP_FACTS_WHOLE:
            memcpy(bytes + field->offset, &whole, sizeof whole);
            break;
        case CLUMP_FACTS_TRUTH:
            memcpy(bytes + field->offset, &truth, sizeof truth);
            break;
        }
    }
    if (part == CLUMP_FACTS_HEAD)
        row.head.application = facts->application;
    assert_true(clump_facts_add(facts, part, &row));
}

static clump_facts *make_facts(const char *application, bool lacks)
{
    clump_facts *facts = clump_facts_new();
    assert_non_null(facts);
    facts->application = application;
    for (size_t p = 0; p < CLUMP_FACTS_PARTS; p++)
        for (int i = 0; i < (p == CLUMP_FACTS_HEAD ? 1 : 4); i++)
            fill(facts, (clump_facts_part)p, lacks && i % 2 == 0, i);
    return facts;
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

static void store_facts(clump_store *store, const char *name, bool lacks)
{
    clump_facts *facts = make_facts(name, lacks);
    add_application(store, name);
    const clump_store_status status = clump_store_add_facts(store, facts);
    if (status != CLUMP_STORE_OK)
        fail_msg("%s", clump_store_message(store));
    clump_facts_free(facts);
}

static void remove_databases(void)
{
    unlink(database(0));
    unlink(database(1));
}

static void keeps_all(void **state)
{
    (void)state;
    clump_store *store = open_for_writing(0);
    store_facts(store, "first", false);
    store_facts(store, "second", true);
    assert_int_equal(clump_store_commit(store), CLUMP_STORE_OK);
    clump_store_close(store);
    assert_int_equal(clump_store_open(database(0), CLUMP_STORE_READ, &store), CLUMP_STORE_OK);
    for (int i = 0; i < 2; i++) {
        const char *name = i == 0 ? "first" : "second";
        clump_facts *found = NULL, *expected = make_facts(name, i == 1);
        assert_int_equal(clump_store_find_facts(store, name, &found), CLUMP_STORE_OK);
        assert_non_null(found);
        assert_string_equal(found->application, name);
        assert_true(clump_facts_are_same(found, expected));
        clump_facts_free(found);
        found = make_facts(name, i == 0);
        assert_false(clump_facts_are_same(found, expected));
        clump_facts_free(found);
        clump_facts_free(expected);
    }
    clump_facts *none = NULL;
    assert_int_equal(clump_store_find_facts(store, "third", &none), CLUMP_STORE_OK);
    assert_null(none);
    size_t findings = 1;
    assert_int_equal(clump_store_check(store, NULL, NULL, &findings), CLUMP_STORE_OK);
    assert_int_equal(findings, 0);
    clump_store_close(store);
    remove_databases();
}

static void refuses(void **state)
{
    (void)state;
    clump_store *store = open_for_writing(0);
    store_facts(store, "first", false);
    clump_facts *facts = make_facts("first", true);
    assert_int_equal(clump_store_add_facts(store, facts), CLUMP_STORE_IN_USE);
    facts->application = "nobody";
    assert_int_equal(clump_store_add_facts(store, facts), CLUMP_STORE_NOT_FOUND);
    add_application(store, "second");
    facts->application = "second";
    clump_facts_traffic *traffic = clump_facts_row(facts, CLUMP_FACTS_TRAFFIC, 2);
    traffic->receiver = 4;
    assert_int_equal(clump_store_add_facts(store, facts), CLUMP_STORE_BAD_INPUT);
    traffic->receiver = 1;
    traffic->bytes = -1;
    assert_int_equal(clump_store_add_facts(store, facts), CLUMP_STORE_BAD_INPUT);
    assert_non_null(strstr(clump_store_message(store), "row 3 of recording_traffic"));
    traffic->bytes = 1;
    /* All or nothing: what was refused left no head behind. */
    assert_int_equal(clump_store_add_facts(store, facts), CLUMP_STORE_OK);
    clump_facts_free(facts);
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

static void goes_with_its_application(void **state)
{
    (void)state;
    clump_store *store = open_for_writing(0);
    store_facts(store, "first", false);
    store_facts(store, "second", false);
    assert_int_equal(clump_store_rename(store, CLUMP_STORE_APPLICATION, "second", "third"),
                     CLUMP_STORE_OK);
    assert_int_equal(clump_store_remove(store, CLUMP_STORE_APPLICATION, "first", false, NULL, NULL),
                     CLUMP_STORE_OK);
    assert_int_equal(clump_store_commit(store), CLUMP_STORE_OK);
    clump_facts *found = NULL;
    assert_int_equal(clump_store_find_facts(store, "third", &found), CLUMP_STORE_OK);
    assert_non_null(found);
    clump_facts_free(found);
    clump_store_close(store);
    for (size_t p = 0; p < CLUMP_FACTS_PARTS; p++)
        assert_int_equal(count_rows(clump_facts_form_of((clump_facts_part)p)->table),
                         p == CLUMP_FACTS_HEAD ? 1 : 4);
    remove_databases();
}

/* ---- into another database */

static void comes_back(void **state)
{
    (void)state;
    clump_store_merged added;
    clump_store *store = open_for_writing(0);
    store_facts(store, "first", false);
    store_facts(store, "the second, \"quoted\"", true);
    assert_int_equal(clump_store_commit(store), CLUMP_STORE_OK);
    clump_store_close(store);
    assert_int_equal(clump_store_open(database(1), CLUMP_STORE_WRITE, &store), CLUMP_STORE_OK);
    assert_int_equal(clump_store_merge(store, database(0), &added), CLUMP_STORE_OK);
    assert_int_equal(added.applications, 2);
    assert_int_equal(clump_store_merge(store, database(0), &added), CLUMP_STORE_OK);
    assert_int_equal(added.applications, 0);
    for (int i = 0; i < 2; i++) {
        const char *name = i == 0 ? "first" : "the second, \"quoted\"";
        clump_facts *found = NULL, *expected = make_facts(name, i == 1);
        assert_int_equal(clump_store_find_facts(store, name, &found), CLUMP_STORE_OK);
        assert_non_null(found);
        assert_true(clump_facts_are_same(found, expected));
        clump_facts_free(found);
        clump_facts_free(expected);
    }
    clump_store_close(store);
    remove_databases();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_all),
        cmocka_unit_test(refuses),
        cmocka_unit_test(comes_back),
        cmocka_unit_test(goes_with_its_application),

    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
