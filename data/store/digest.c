/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a store answers, by digests. */
#include "data/store/digest.h"

#include "data/store/handle.h"

#include <stdio.h>
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

/* Which question a statement asks, with its values, and at which row it is. Questions nest, but not deeply. */
static clump_store_traced *find_question(clump_store *store, sqlite3_stmt *statement, bool first)
{
    clump_store_traced *found = NULL;
    for (size_t i = 0; i < CLUMP_STORE_NESTED && found == NULL; i++)
        if (store->traced[i].statement == statement)
            found = &store->traced[i];
    if (found != NULL && !first)
        return found;
    if (found == NULL)
        found = &store->traced[store->next_traced++ % CLUMP_STORE_NESTED];
    char *sql = sqlite3_expanded_sql(statement), *text = sql;
    if (sql == NULL) /* no memory: without its values */
        text = (char *)(uintptr_t)sqlite3_sql(statement);
    found->statement = statement;
    found->row = 0;
    clump_sha256(text, strlen(text), found->question);
    sqlite3_free(sql);
    return found;
}

/* A row, or that there is none behind so many. */
static void trace_row(clump_store *store, sqlite3_stmt *statement, bool first, bool row)
{
    clump_store_traced *question = find_question(store, statement, first);
    char name[CLUMP_PROVENANCE_NAME], sha256[CLUMP_SHA256_TEXT];
    struct sha256_ctx state;
    question->row += row;
    sha256_init(&state);
    sha256_update(&state, sizeof question->row, (const uint8_t *)&question->row);
    for (int i = 0; row && i < sqlite3_column_count(statement); i++)
        add_value(&state, statement, i);
    clump_sha256_end(&state, sha256);
    snprintf(name, sizeof name, CLUMP_PROVENANCE_ANSWER "%s %lld", question->question,
             row ? (long long)question->row : 0);
    clump_provenance_add_known(store->provenance, name, sha256);
}

void clump_store_trace(clump_store *store, clump_provenance *provenance)
{
    store->provenance = provenance;
    store->trace = provenance != NULL ? trace_row : NULL;
}
