/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/store/handle.h"

#include "data/suggest.h"

#include <stdio.h>
#include <string.h>

enum { LISTED = 8 };

/* The names of a table: those similar to the one wanted, and the first ones for when none is. */
typedef struct known_names {
    clump_suggestion similar;
    char first[512];
    size_t count;
} known_names;

static void add_name(known_names *known, const char *name)
{
    const size_t used = strlen(known->first);
    if (known->count++ < LISTED) {
        snprintf(known->first + used, sizeof known->first - used, "%s'%.60s'", used > 0 ? ", " : "",
                 name);
    }
    clump_suggest_offer(&known->similar, name);
}

static clump_store_status fail_unknown(clump_store *store, const char *table,
                                       const known_names *known)
{
    char hint[700];
    if (known->similar.count > 0) {
        clump_suggest_text(&known->similar, "", hint);
    } else if (known->count > 0) {
        snprintf(hint, sizeof hint, "; there %s %s%s; is it in another database (--db)?",
                 known->count == 1 ? "is" : "are", known->first,
                 known->count > LISTED ? "..." : "");
    } else {
        snprintf(hint, sizeof hint, "; there is none at all");
    }
    return clump_store_fail(store, CLUMP_STORE_NOT_FOUND, "no %s is called '%.200s'%s", table,
                            known->similar.wanted, hint);
}

static clump_store_status suggest(clump_store *store, const char *table, const char *name)
{
    char sql[160];
    snprintf(sql, sizeof sql, "SELECT name FROM main.%s UNION SELECT name FROM reference.%s", table,
             table);
    known_names known = {.similar = clump_suggest_start(CLUMP_SUGGEST_RECORD, name)};
    sqlite3_stmt *statement = NULL;
    clump_store_status status = clump_store_prepare(store, sql, &statement);
    bool row = status == CLUMP_STORE_OK;
    while (row) {
        status = clump_store_step(store, statement, &row);
        row = row && status == CLUMP_STORE_OK;
        if (row) {
            bool bad = false;
            const char *text = clump_store_column(statement, 0, &bad);
            if (text != NULL && !bad)
                add_name(&known, text);
        }
    }
    sqlite3_finalize(statement);
    return status == CLUMP_STORE_OK ? fail_unknown(store, table, &known) : status;
}

/* The first column of the first row of a query with one text parameter; *found says if any. */
static clump_store_status look_up(clump_store *store, const char *sql, const char *name,
                                  bool *found, int64_t *first, int64_t *second)
{
    sqlite3_stmt *statement = NULL;
    clump_store_status status = clump_store_prepare(store, sql, &statement);
    if (status == CLUMP_STORE_OK) {
        clump_store_bind(statement, 1, name);
        status = clump_store_step(store, statement, found);
    }
    if (status == CLUMP_STORE_OK && *found) {
        *first = sqlite3_column_int64(statement, 0);
        *second = sqlite3_column_int64(statement, 1);
    }
    sqlite3_finalize(statement);
    return status;
}

/* The statement that tells whether a table has a name; it stays prepared. */
static clump_store_status prepare_known(clump_store *store, const char *table,
                                        sqlite3_stmt **statement)
{
    static const char *const tables[] = {"platform", "application", "quantity", "source"};
    char sql[200];
    int i = 0;
    while (strcmp(tables[i], table) != 0)
        i++;
    sqlite3_stmt **const kept = &store->cached[CLUMP_CACHED_KNOWN + i];
    snprintf(sql, sizeof sql,
             "SELECT 1 FROM main.%s WHERE name = ?1 UNION ALL "
             "SELECT 1 FROM reference.%s WHERE name = ?1",
             table, table);
    store->work = 0;
    const clump_store_status status =
        *kept == NULL ? clump_store_prepare(store, sql, kept) : CLUMP_STORE_OK;
    *statement = *kept;
    return status;
}

clump_store_status clump_store_check_known(clump_store *store, const char *table, const char *name)
{
    sqlite3_stmt *statement = NULL;
    bool found = false;
    clump_store_status status = prepare_known(store, table, &statement);
    if (status != CLUMP_STORE_OK)
        return status;
    clump_store_bind(statement, 1, name);
    status = clump_store_step(store, statement, &found);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return status == CLUMP_STORE_OK && !found ? suggest(store, table, name) : status;
}

clump_store_status clump_store_check_new(clump_store *store, const char *table, const char *name)
{
    clump_store_status status = clump_store_check_writing(store);
    if (status == CLUMP_STORE_OK)
        status = clump_store_check_name(store, "name", name);
    char sql[100];
    snprintf(sql, sizeof sql, "SELECT id, adopted FROM main.%s WHERE name = ?1", table);
    bool found = false;
    int64_t id = 0;
    int64_t adopted = 0;
    if (status == CLUMP_STORE_OK)
        status = look_up(store, sql, name, &found, &id, &adopted);
    if (status == CLUMP_STORE_OK && found) {
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                adopted ? "the database already uses the reference %s '%s'; "
                                          "choose another name"
                                        : "the database already has the %s '%s'; choose another "
                                          "name",
                                table, name);
    }
    return status;
}

/* Copies of reference rows. What a copy's platform points to is read from the reference row. */
static const char *adopting(const char *table)
{
    if (strcmp(table, "source") == 0) {
        return "INSERT INTO main.source (name, kind, title, table_label, section, page, file,"
               " sha256, tool, tool_version, command, note, adopted) "
               "SELECT name, kind, title, table_label, section, page, file, sha256, tool,"
               " tool_version, command, note, 1 FROM reference.source WHERE name = ?1";
    }
    if (strcmp(table, "platform") == 0) {
        return "INSERT INTO main.platform (name, title, nodes, processors, nics, mapping,"
               " source_id, note, adopted) "
               "SELECT name, title, nodes, processors, nics, mapping, ?2, note, 1 "
               "FROM reference.platform WHERE name = ?1";
    }
    if (strcmp(table, "application") == 0) {
        return "INSERT INTO main.application (name, title, style, source_id, note, adopted) "
               "SELECT name, title, style, ?2, note, 1 FROM reference.application WHERE name = ?1";
    }
    return "INSERT INTO main.quantity (name, unit, meaning, may_be_negative, adopted) "
           "SELECT name, unit, meaning, may_be_negative, 1 FROM reference.quantity WHERE name = ?1";
}

/* The source of a reference platform or application, adopted. */
static clump_store_status adopt_its_source(clump_store *store, const char *table, const char *name,
                                           int64_t *id)
{
    char sql[160];
    snprintf(sql, sizeof sql,
             "SELECT s.name FROM reference.%s t JOIN reference.source s ON s.id = t.source_id"
             " WHERE t.name = ?1",
             table);
    sqlite3_stmt *statement = NULL;
    bool row = false;
    clump_store_status status = clump_store_prepare(store, sql, &statement);
    if (status == CLUMP_STORE_OK) {
        clump_store_bind(statement, 1, name);
        status = clump_store_step(store, statement, &row);
    }
    if (status == CLUMP_STORE_OK && row) {
        bool bad = false;
        const char *source = clump_store_column(statement, 0, &bad);
        status = source == NULL || bad ? clump_store_fail_text(store, "source")
                                       : clump_store_adopt(store, "source", source, id);
    }
    sqlite3_finalize(statement);
    return status;
}

/* At most two deep: a platform or application, then its source. */
/* NOLINTNEXTLINE(misc-no-recursion) */
clump_store_status clump_store_adopt(clump_store *store, const char *table, const char *name,
                                     int64_t *id)
{
    if (name == NULL) {
        *id = 0;
        return CLUMP_STORE_OK;
    }
    char sql[100];
    snprintf(sql, sizeof sql, "SELECT id, 0 FROM main.%s WHERE name = ?1", table);
    bool found = false;
    int64_t unused = 0;
    clump_store_status status = look_up(store, sql, name, &found, id, &unused);
    if (status != CLUMP_STORE_OK || found)
        return status;
    status = clump_store_check_known(store, table, name);
    int64_t source = 0;
    if (status == CLUMP_STORE_OK &&
        (strcmp(table, "platform") == 0 || strcmp(table, "application") == 0))
        status = adopt_its_source(store, table, name, &source);
    sqlite3_stmt *statement = NULL;
    if (status == CLUMP_STORE_OK)
        status = clump_store_prepare(store, adopting(table), &statement);
    if (status == CLUMP_STORE_OK) {
        clump_store_bind(statement, 1, name);
        if (source != 0)
            sqlite3_bind_int64(statement, 2, source);
        status = clump_store_run(store, statement, "copy a reference row");
    }
    if (status == CLUMP_STORE_OK)
        *id = sqlite3_last_insert_rowid(store->db);
    return status;
}
