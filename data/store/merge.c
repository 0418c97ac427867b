/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Another database into this one: its pages are copied to a temporary file, which SQLite attaches as `copy`.
 * Rows are the same if their names are; what is new keeps its order and gets ids above all that
 * there are.
 */
#include "data/store/handle.h"

#include <string.h>

/* ---- what may not be merged */

typedef struct conflict {
    const char *table;
    const char *values; /* that rows of one name must have in common */
} conflict;

#define SAME_PREDICTIONS                                                                           \
    ", (SELECT group_concat(platform || application || inputs || predicted) FROM "                 \
    "%s.frozen_prediction"                                                                         \
    " WHERE frozen_id = t.id)"

static const conflict conflicts[] = {
    {"source", "kind, title, sha256, adopted"},
    {"quantity", "unit, may_be_negative, adopted"},
    {"platform", "nodes, processors, nics, mapping, adopted"},
    {"application", "style, adopted"},
    {"frozen", "made, rules, level" SAME_PREDICTIONS},
};

/* The first column of the first row, and the second, as texts that sqlite3_free() takes; NULL: no row. */
static clump_store_status first_row(clump_store *store, char *sql, char **text)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    *text = NULL;
    if (sql == NULL)
        return clump_store_fail_memory(store);
    clump_store_status status = clump_store_prepare(store, sql, &statement);
    sqlite3_free(sql);
    if (status == CLUMP_STORE_OK)
        status = clump_store_step(store, statement, &row);
    if (status == CLUMP_STORE_OK && row) {
        *text = sqlite3_mprintf("%s", sqlite3_column_text(statement, 0));
        if (*text == NULL)
            status = clump_store_fail_memory(store);
    }
    sqlite3_finalize(statement);
    return status;
}

static clump_store_status check_names(clump_store *store, const char *path)
{
    for (size_t i = 0; i < sizeof conflicts / sizeof *conflicts; i++) {
        char *name = NULL, *here = sqlite3_mprintf(conflicts[i].values, "main"),
             *there = sqlite3_mprintf(conflicts[i].values, "copy");
        const clump_store_status status = first_row(
            store,
            here != NULL && there != NULL
                ? sqlite3_mprintf("SELECT name FROM (SELECT name, %s FROM copy.%s t EXCEPT"
                                  " SELECT name, %s FROM main.%s t)"
                                  " WHERE name IN (SELECT name FROM main.%s)",
                                  there, conflicts[i].table, here, conflicts[i].table,
                                  conflicts[i].table)
                : NULL,
            &name);
        sqlite3_free(here);
        sqlite3_free(there);
        if (status != CLUMP_STORE_OK)
            return status;
        if (name != NULL) {
            clump_store_fail(
                store, CLUMP_STORE_BAD_INPUT,
                "'%.300s' has another %s '%.200s' than the database, expected the same "
                "or another name ('clumpmodel data rename')",
                path, conflicts[i].table, name);
            sqlite3_free(name);
            return CLUMP_STORE_BAD_INPUT;
        }
    }
    return CLUMP_STORE_OK;
}

/* ---- tables whose first column is the application that a row describes: fits and recordings */

/* The row of `copy.application` with the same name. */
#define THERE                                                                                      \
    "(SELECT o.id FROM copy.application o JOIN main.application m USING (name) WHERE m.id = "
#define HERE                                                                                       \
    "(SELECT m.id FROM main.application m JOIN copy.application o USING (name) WHERE o.id = "

/* `fit` of fit_parameter: the table with one row an application, whose other tables have names that begin
 * with it. */
typedef struct detail {
    const char *table, *columns;
    char *head;
} detail;

static clump_store_status check_detail(clump_store *store, const char *path, const detail *d)
{
    char *name = NULL;
    const clump_store_status status = first_row(
        store,
        sqlite3_mprintf(
            "SELECT a.name FROM main.application a JOIN copy.application b USING (name)"
            " JOIN main.%s h ON h.application_id = a.id JOIN copy.%s g ON g.application_id = b.id"
            " WHERE EXISTS (SELECT %s FROM main.%s WHERE application_id = a.id EXCEPT"
            " SELECT %s FROM copy.%s WHERE application_id = b.id) OR"
            " EXISTS (SELECT %s FROM copy.%s WHERE application_id = b.id EXCEPT"
            " SELECT %s FROM main.%s WHERE application_id = a.id)",
            d->head, d->head, d->columns, d->table, d->columns, d->table, d->columns, d->table,
            d->columns, d->table),
        &name);
    if (status != CLUMP_STORE_OK || name == NULL)
        return status;
    clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                     "'%.300s' has another %s of application '%.200s' than the database, expected "
                     "the same or another name ('clumpmodel data rename')",
                     path, d->head, name);
    sqlite3_free(name);
    return CLUMP_STORE_BAD_INPUT;
}

static clump_store_status add_detail(clump_store *store, const char *path, const detail *d,
                                     int64_t *heads)
{
    int64_t added = 0;
    clump_store_status status = check_detail(store, path, d);
    char *sql = sqlite3_mprintf("INSERT INTO main.%s (application_id, %s) SELECT " HERE
                                "t.application_id) AS id, %s FROM copy.%s t WHERE id NOT IN"
                                " (SELECT application_id FROM main.%s)",
                                d->table, d->columns, d->columns, d->table, d->head);
    if (status == CLUMP_STORE_OK)
        status = sql != NULL ? clump_store_run_sql(store, sql, 0, 0, &added)
                             : clump_store_fail_memory(store);
    sqlite3_free(sql);
    *heads += strcmp(d->table, d->head) == 0 ? added : 0;
    return status;
}

/* Heads, whose names are the shortest, last: they tell what was there before. */
static clump_store_status add_details(clump_store *store, const char *path, int64_t *heads)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    clump_store_status status = clump_store_prepare(
        store,
        "SELECT t.name, group_concat(c.name) FROM main.sqlite_schema t"
        " JOIN pragma_table_info(t.name) k ON k.cid = 0 AND k.name = 'application_id'"
        " JOIN pragma_table_info(t.name) c ON c.cid > 0 WHERE t.type = 'table'"
        " GROUP BY t.name ORDER BY t.name DESC",
        &statement);
    while (status == CLUMP_STORE_OK) {
        status = clump_store_step(store, statement, &row);
        if (status != CLUMP_STORE_OK || !row)
            break;
        detail d = {.table = (const char *)sqlite3_column_text(statement, 0),
                    .columns = (const char *)sqlite3_column_text(statement, 1)};
        if (d.table != NULL && d.columns != NULL)
            d.head = sqlite3_mprintf("%.*s", (int)strcspn(d.table, "_"), d.table);
        status =
            d.head != NULL ? add_detail(store, path, &d, heads) : clump_store_fail_memory(store);
        sqlite3_free(d.head);
    }
    sqlite3_finalize(statement);
    return status;
}

/* ---- all rows */

/* The id of a row of another table, which is there already or will be. */
#define ID(table, column)                                                                          \
    "(SELECT coalesce(m.id, o.id + ?1) FROM copy." table " o LEFT JOIN main." table                \
    " m USING (name) WHERE o.id = t." column ")"
#define SOURCE                                                                                     \
    "name, kind, title, table_label, section, page, file, sha256, tool, tool_version, command, "   \
    "note, adopted"
#define QUANTITY "name, unit, meaning, may_be_negative, adopted"
#define PLATFORM "name, title, nodes, processors, nics, mapping, note, adopted"
#define APPLICATION "name, title, style, note, adopted"
#define SERIES "transport, variant, statistic, benchmark, window, processes"
#define SAMPLE                                                                                     \
    "ordinal, run, size_bytes, value, iterations, delay, half_width, std_dev, doubtful, note"
#define FROZEN "name, made, program, rules, level, note"
#define PREDICTION                                                                                 \
    "ordinal, platform, application, base, change, inputs, now_time, predicted, low, high"

/* What breaks a UNIQUE constraint is there already. */
#define ADD(table, columns, more, values)                                                          \
    "INSERT OR IGNORE INTO main." table " (id, " columns more ") SELECT id + ?1, " columns values  \
    " FROM copy." table " t ORDER BY id"
#define ADD_BELOW(table, owner, id, columns)                                                       \
    "INSERT INTO main." table " (" id ", " columns ") SELECT " id " + ?1, " columns                \
    " FROM copy." table " WHERE " id " + ?1 IN (SELECT id FROM main." owner ")"

static clump_store_status add_all(clump_store *store, const char *path, clump_store_merged *merged)
{
    clump_store_merged all = {0};
    const struct {
        const char *sql;
        int64_t *added;
    } steps[] = {
        {ADD("source", SOURCE, "", ""), &all.sources},
        {ADD("quantity", QUANTITY, "", ""), NULL},
        {ADD("platform", PLATFORM, ", part_of_id, counterpart_id, source_id",
             ", " ID("platform", "part_of_id") ", " ID("platform", "counterpart_id") ", " ID(
                 "source", "source_id")),
         &all.platforms},
        {ADD("application", APPLICATION, ", source_id", ", " ID("source", "source_id")),
         &all.applications},
        {ADD("series", SERIES, ", platform_id, application_id, quantity_id, source_id",
             ", " ID("platform", "platform_id") ", " ID("application", "application_id") ", " ID(
                 "quantity", "quantity_id") ", " ID("source", "source_id")),
         &all.series},
        {ADD_BELOW("sample", "series", "series_id", SAMPLE), &all.samples},
        {ADD("frozen", FROZEN, "", ""), &all.frozen},
        {ADD_BELOW("frozen_prediction", "frozen", "frozen_id", PREDICTION), NULL},
    };
    static const char highest[] =
        "SELECT max(id) FROM (SELECT max(id) AS id FROM main.source UNION ALL SELECT max(id) FROM"
        " main.quantity UNION ALL SELECT max(id) FROM main.platform UNION ALL SELECT max(id) FROM"
        " main.application UNION ALL SELECT max(id) FROM main.series UNION ALL SELECT max(id) FROM"
        " main.frozen) WHERE ?1 IS NULL";
    int64_t base = 0;
    clump_store_status status = check_names(store, path);
    if (status == CLUMP_STORE_OK)
        status = clump_store_find_id(store, highest, NULL, &base);
    for (size_t i = 0; i < sizeof steps / sizeof *steps && status == CLUMP_STORE_OK; i++)
        status = clump_store_run_sql(store, steps[i].sql, base, 0, steps[i].added);
    if (status == CLUMP_STORE_OK)
        status = add_details(store, path, &all.descriptions);
    if (status == CLUMP_STORE_OK)
        *merged = all;
    return status;
}

static clump_store_status merge(clump_store *store, clump_store *other, const char *path,
                                clump_store_merged *merged)
{
    clump_store_merged all;
    clump_store_status status = clump_store_attach_copy(store, other);
    if (status == CLUMP_STORE_OK)
        status = clump_store_begin(store);
    /* Details of an application come before what they refer to. */
    if (status == CLUMP_STORE_OK &&
        sqlite3_exec(store->db, "PRAGMA defer_foreign_keys = on", NULL, NULL, NULL) != SQLITE_OK)
        status = clump_store_fail_sqlite(store, "merge");
    if (status == CLUMP_STORE_OK)
        status = add_all(store, path, &all);
    if (status == CLUMP_STORE_OK)
        status = clump_store_commit(store);
    else
        clump_store_rollback(store);
    sqlite3_exec(store->db, "DETACH copy", NULL, NULL, NULL);
    if (status == CLUMP_STORE_OK)
        *merged = all;
    return status;
}

clump_store_status clump_store_merge(clump_store *store, const char *path,
                                     clump_store_merged *merged)
{
    clump_store *other = NULL;
    size_t findings = 0;
    clump_store_status status = clump_store_open(path, CLUMP_STORE_READ, &other);
    if (status == CLUMP_STORE_OK)
        status = clump_store_check_sound(other, &findings);
    if (status != CLUMP_STORE_OK) {
        clump_store_fail(store, status, "%s", clump_store_message(other));
        store->no_memory = clump_store_lacked_memory(other);
    } else if (findings > 0) {
        status = clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                  "'%.300s' is damaged; 'clumpmodel data check' tells more", path);
    } else {
        status = merge(store, other, path, merged);
    }
    clump_store_close(other);
    return status;
}
