/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is in the user's database, in a few digits: rows, not pages, which a copy may have elsewhere. */
#include "data/store/digest.h"

#include "data/sha256.h"
#include "data/store/handle.h"

#include <string.h>

static void add_value(struct sha256_ctx *state, sqlite3_stmt *statement, int column)
{
    const int type = sqlite3_column_type(statement, column);
    const int64_t whole = sqlite3_column_int64(statement, column);
    const double real = sqlite3_column_double(statement, column);
    sha256_update(state, sizeof type, (const uint8_t *)&type);
    if (type == SQLITE_INTEGER) {
        sha256_update(state, sizeof whole, (const uint8_t *)&whole);
    } else if (type == SQLITE_FLOAT) {
        sha256_update(state, sizeof real, (const uint8_t *)&real);
    } else if (type != SQLITE_NULL) {
        const void *bytes = sqlite3_column_blob(statement, column);
        const int64_t size = sqlite3_column_bytes(statement, column);
        sha256_update(state, sizeof size, (const uint8_t *)&size);
        if (size > 0)
            sha256_update(state, (size_t)size, bytes);
    }
}

static clump_store_status add_table(clump_store *store, struct sha256_ctx *state, const char *name)
{
    sqlite3_stmt *statement = NULL;
    bool row = true;
    /* In the order of its key: with or without rowids. */
    char *sql = sqlite3_mprintf("SELECT * FROM main.\"%w\"", name);
    if (sql == NULL)
        return clump_store_fail_memory(store);
    clump_store_status status = clump_store_prepare(store, sql, &statement);
    sqlite3_free(sql);
    sha256_update(state, strlen(name) + 1, (const uint8_t *)name);
    while (status == CLUMP_STORE_OK && row) {
        store->work = 0; /* as many rows as there are */
        status = clump_store_step(store, statement, &row);
        for (int i = 0; row && status == CLUMP_STORE_OK && i < sqlite3_column_count(statement); i++)
            add_value(state, statement, i);
    }
    sqlite3_finalize(statement);
    return status;
}

clump_store_status clump_store_digest(clump_store *store, char text[CLUMP_STORE_DIGEST_TEXT])
{
    struct sha256_ctx state;
    sqlite3_stmt *statement = NULL;
    bool row = true;
    sha256_init(&state);
    clump_store_status status = clump_store_prepare(
        store,
        "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
        " ORDER BY name",
        &statement);
    while (status == CLUMP_STORE_OK && row) {
        status = clump_store_step(store, statement, &row);
        if (status == CLUMP_STORE_OK && row)
            status = add_table(store, &state, (const char *)sqlite3_column_text(statement, 0));
    }
    sqlite3_finalize(statement);
    if (status == CLUMP_STORE_OK)
        clump_sha256_end(&state, text);
    return status;
}
