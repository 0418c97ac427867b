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
    int64_t found = 0; /* 2: a copy of a reference row */
    snprintf(sql, sizeof sql, "SELECT 1 + adopted FROM main.%s WHERE name = ?1", table);
    if (status == CLUMP_STORE_OK)
        status = clump_store_find_id(store, sql, name, &found);
    if (status == CLUMP_STORE_OK && found != 0)
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                found == 2 ? "the database already uses the reference %s '%s'; "
                                             "choose another name"
                                           : "the database already has the %s '%s'; choose another "
                                             "name",
                                table, name);
    return status;
}

/* Copies of reference rows, of a platform or an application with its source. What a copy's platform points to is read
 * from the reference row. */
#define SOURCE                                                                                     \
    "name, kind, title, table_label, section, page, file, sha256, tool, tool_version, command, "   \
    "note"
#define ITS_SOURCE                                                                                 \
    "(SELECT m.id FROM main.source m JOIN reference.source r USING (name) WHERE r.id = "           \
    "t.source_id)"
#define ADOPT_SOURCE                                                                               \
    "INSERT OR IGNORE INTO main.source (" SOURCE ", adopted) SELECT " SOURCE                       \
    ", 1 FROM reference.source"
#define ADOPT_WITH_SOURCE(table, columns)                                                          \
    ADOPT_SOURCE " WHERE id = (SELECT source_id FROM reference." table " WHERE name = ?1)",        \
        "INSERT INTO main." table " (" columns ", source_id, adopted) SELECT " columns             \
        ", " ITS_SOURCE ", 1 FROM reference." table " t WHERE name = ?1"

static const struct {
    const char *table, *steps[2];
} adopting[] = {
    {"source", {ADOPT_SOURCE " WHERE name = ?1", NULL}},
    {"quantity",
     {"INSERT INTO main.quantity (name, unit, meaning, may_be_negative, adopted) SELECT name, unit,"
      " meaning, may_be_negative, 1 FROM reference.quantity WHERE name = ?1",
      NULL}},
    {"platform",
     {ADOPT_WITH_SOURCE("platform", "name, title, nodes, processors, nics, mapping, note")}},
    {"application", {ADOPT_WITH_SOURCE("application", "name, title, style, note")}},
};

clump_store_status clump_store_adopt(clump_store *store, const char *table, const char *name,
                                     int64_t *id)
{
    char sql[100];
    size_t kind = 0;
    *id = 0;
    if (name == NULL)
        return CLUMP_STORE_OK;
    snprintf(sql, sizeof sql, "SELECT id FROM main.%s WHERE name = ?1", table);
    clump_store_status status = clump_store_find_id(store, sql, name, id);
    if (status != CLUMP_STORE_OK || *id != 0)
        return status;
    status = clump_store_check_known(store, table, name);
    while (strcmp(adopting[kind].table, table) != 0)
        kind++;
    for (size_t i = 0; i < 2 && adopting[kind].steps[i] != NULL && status == CLUMP_STORE_OK; i++) {
        sqlite3_stmt *statement = NULL;
        status = clump_store_prepare(store, adopting[kind].steps[i], &statement);
        if (status != CLUMP_STORE_OK)
            break;
        clump_store_bind(statement, 1, name);
        status = clump_store_run(store, statement, "copy a reference row");
    }
    return status == CLUMP_STORE_OK ? clump_store_find_id(store, sql, name, id) : status;
}
