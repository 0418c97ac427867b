/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/store/handle.h"

#include "data/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *clump_store_message(const clump_store *store)
{
    return store == NULL ? "out of memory" : store->message;
}

bool clump_store_lacked_memory(const clump_store *store)
{
    return store == NULL || store->no_memory;
}

clump_store_status clump_store_fail(clump_store *store, clump_store_status status,
                                    const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(store->message, sizeof store->message, format, arguments);
    va_end(arguments);
    for (char *at = store->message; *at != '\0'; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7F)
            *at = '?';
    store->no_memory = false;
    return status;
}

clump_store_status clump_store_fail_memory(clump_store *store)
{
    clump_store_fail(store, CLUMP_STORE_FAILED, "out of memory");
    store->no_memory = true;
    return CLUMP_STORE_FAILED;
}

clump_store_status clump_store_fail_sqlite(clump_store *store, const char *doing)
{
    const int rc = sqlite3_errcode(store->db) & 0xFF;
    const char *reason = sqlite3_errmsg(store->db);
    switch (rc) {
    case SQLITE_NOMEM:
        clump_store_fail(store, CLUMP_STORE_FAILED, "cannot %s: out of memory", doing);
        store->no_memory = true;
        return CLUMP_STORE_FAILED;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return clump_store_fail(store, CLUMP_STORE_FAILED,
                                "cannot %s: the database is locked: another program is writing to "
                                "it; try again when it is done",
                                doing);
    /* What is in the file is the user's input. */
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_TOOBIG:
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                "cannot %s: the database is damaged (%s); restore it from a copy",
                                doing, reason);
    case SQLITE_INTERRUPT:
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                "cannot %s: the database is damaged (reading it does not end); "
                                "restore it from a copy",
                                doing);
    case SQLITE_FULL:
        return clump_store_fail(store, CLUMP_STORE_FAILED, "cannot %s: no space left", doing);
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT, "cannot %s: %s", doing, reason);
    default:
        return clump_store_fail(store, CLUMP_STORE_FAILED, "cannot %s: %s", doing, reason);
    }
}

clump_store_status clump_store_prepare(clump_store *store, const char *sql,
                                       sqlite3_stmt **statement)
{
    if (store->db == NULL)
        return clump_store_fail(store, CLUMP_STORE_FAILED, "the database did not open");
    store->work = 0;
    if (sqlite3_prepare_v2(store->db, sql, -1, statement, NULL) != SQLITE_OK)
        return clump_store_fail_sqlite(store, "read the database");
    return CLUMP_STORE_OK;
}

clump_store_status clump_store_step(clump_store *store, sqlite3_stmt *statement, bool *row)
{
    const bool first = sqlite3_stmt_busy(statement) == 0;
    const int rc = sqlite3_step(statement);
    if (rc != SQLITE_ROW && rc != SQLITE_DONE)
        return clump_store_fail_sqlite(store, "read the database");
    *row = rc == SQLITE_ROW;
    if (store->trace != NULL)
        store->trace(store, statement, first, *row);
    return CLUMP_STORE_OK;
}

void clump_store_bind(sqlite3_stmt *statement, int index, const char *text)
{
    /* A failure to bind leaves NULL; out of memory then shows again when stepping. */
    sqlite3_bind_text(statement, index, text, -1, SQLITE_STATIC);
}

void clump_store_bind_real(sqlite3_stmt *statement, int index, double value)
{
    if (isnan(value))
        sqlite3_bind_null(statement, index);
    else
        sqlite3_bind_double(statement, index, value);
}

double clump_store_column_real(sqlite3_stmt *statement, int index)
{
    return sqlite3_column_type(statement, index) == SQLITE_NULL
               ? NAN
               : sqlite3_column_double(statement, index);
}

void clump_store_bind_id(sqlite3_stmt *statement, int index, int64_t id)
{
    if (id != 0)
        sqlite3_bind_int64(statement, index, id);
}

const char *clump_store_column(sqlite3_stmt *statement, int index, bool *bad)
{
    const int type = sqlite3_column_type(statement, index);
    if (type == SQLITE_NULL)
        return NULL;
    const char *text = (const char *)sqlite3_column_text(statement, index);
    const int size = sqlite3_column_bytes(statement, index);
    if (text == NULL || type != SQLITE_TEXT || size < 0 || strlen(text) != (size_t)size ||
        !clump_text_is_printable(text, (size_t)size)) {
        *bad = true;
        return "";
    }
    return text;
}

clump_store_status clump_store_fail_text(clump_store *store, const char *table)
{
    return clump_store_fail(
        store, CLUMP_STORE_BAD_INPUT,
        "the database holds in table '%s' what this program never writes: text "
        "that is not printable UTF-8, or a number beyond all that is measured; restore it "
        "from a copy",
        table);
}

clump_store_status clump_store_fail_dangling(clump_store *store, const char *what,
                                             const char *target)
{
    return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                            "the database is damaged: %s points to %s that does not exist; restore "
                            "it from a copy",
                            what, target);
}

clump_store_status clump_store_check_text(clump_store *store, const char *what, const char *text,
                                          bool may_be_null)
{
    if (text == NULL && may_be_null)
        return CLUMP_STORE_OK;
    if (text == NULL || text[0] == '\0')
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT, "%s is empty", what);
    const size_t size = strlen(text);
    if (size > CLUMP_STORE_TEXT) {
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT, "%s is longer than %d bytes", what,
                                CLUMP_STORE_TEXT);
    }
    if (!clump_text_is_printable(text, size)) {
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                "%s has bytes that are not printable UTF-8 on one line", what);
    }
    return CLUMP_STORE_OK;
}

clump_store_status clump_store_check_name(clump_store *store, const char *what, const char *name)
{
    clump_store_status status = clump_store_check_text(store, what, name, false);
    if (status != CLUMP_STORE_OK)
        return status;
    const size_t size = strlen(name);
    if (size > CLUMP_STORE_NAME) {
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT, "%s is longer than %d bytes", what,
                                CLUMP_STORE_NAME);
    }
    if (name[0] == ' ' || name[size - 1] == ' ') {
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT, "%s '%s' begins or ends with a space",
                                what, name);
    }
    return CLUMP_STORE_OK;
}

void clump_store_free(void *record)
{
    free(record);
}

/* ---- transactions */

clump_store_status clump_store_check_writing(clump_store *store)
{
    if (store->in_transaction && sqlite3_get_autocommit(store->db) != 0) {
        /* SQLite itself rolled back: no space left, I/O error, out of memory. */
        clump_store_rollback(store);
        return clump_store_fail(store, CLUMP_STORE_FAILED,
                                "an earlier failure has undone the transaction");
    }
    if (!store->in_transaction) {
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                "writing needs a transaction: call clump_store_begin() first");
    }
    return CLUMP_STORE_OK;
}

clump_store_status clump_store_begin(clump_store *store)
{
    if (store->db == NULL || !store->writable) {
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                "the database is not open for writing");
    }
    if (store->in_transaction)
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT, "a transaction is already open");
    /* BEGIN IMMEDIATE would want to write to the reference database too. A first statement that
     * changes nothing takes the same lock, on the user's database only. */
    if (sqlite3_exec(store->db, "BEGIN; DELETE FROM main.sample WHERE 0", NULL, NULL, NULL) !=
        SQLITE_OK) {
        const clump_store_status status = clump_store_fail_sqlite(store, "begin to write");
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
        return status;
    }
    int moved = 0;
    sqlite3_file_control(store->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    if (moved != 0) {
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
        return clump_store_fail(store, CLUMP_STORE_FAILED,
                                "the database was removed or replaced since it was opened; start "
                                "again");
    }
    store->in_transaction = true;
    store->series = 0;
    return CLUMP_STORE_OK;
}

clump_store_status clump_store_commit(clump_store *store)
{
    clump_store_status status = clump_store_check_writing(store);
    if (status != CLUMP_STORE_OK)
        return status;
    if (sqlite3_exec(store->db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK) {
        status = clump_store_fail_sqlite(store, "commit");
        clump_store_rollback(store);
        return status;
    }
    store->in_transaction = false;
    store->series = 0;
    return CLUMP_STORE_OK;
}

void clump_store_rollback(clump_store *store)
{
    if (!store->in_transaction)
        return;
    for (int i = 0; i < CLUMP_CACHED_COUNT; i++)
        if (store->cached[i] != NULL)
            sqlite3_reset(store->cached[i]);
    if (sqlite3_get_autocommit(store->db) == 0)
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    store->in_transaction = false;
    store->series = 0;
}

clump_store_status clump_store_find_id(clump_store *store, const char *sql, const char *name,
                                       int64_t *id)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    clump_store_status status = clump_store_prepare(store, sql, &statement);
    if (status == CLUMP_STORE_OK) {
        clump_store_bind(statement, 1, name);
        status = clump_store_step(store, statement, &row);
    }
    *id = status == CLUMP_STORE_OK && row ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return status;
}

clump_store_status clump_store_run(clump_store *store, sqlite3_stmt *statement, const char *doing)
{
    clump_store_status status = CLUMP_STORE_OK;
    if (sqlite3_step(statement) != SQLITE_DONE)
        status = clump_store_fail_sqlite(store, doing);
    sqlite3_finalize(statement);
    return status;
}

clump_store_status clump_store_run_sql(clump_store *store, const char *sql, int64_t first,
                                       int64_t second, int64_t *changed)
{
    sqlite3_stmt *statement = NULL;
    clump_store_status status = clump_store_prepare(store, sql, &statement);
    if (status != CLUMP_STORE_OK)
        return status;
    const int places = sqlite3_bind_parameter_count(statement);
    if (places >= 1)
        sqlite3_bind_int64(statement, 1, first);
    if (places >= 2)
        sqlite3_bind_int64(statement, 2, second);
    status = clump_store_run(store, statement, "change the database");
    if (status == CLUMP_STORE_OK && changed != NULL)
        *changed = sqlite3_changes64(store->db);
    return status;
}

clump_store_status clump_store_begin_change(clump_store *store)
{
    return sqlite3_exec(store->db, "SAVEPOINT change", NULL, NULL, NULL) == SQLITE_OK
               ? CLUMP_STORE_OK
               : clump_store_fail_sqlite(store, "change the database");
}

clump_store_status clump_store_end_change(clump_store *store, clump_store_status status)
{
    sqlite3_exec(store->db,
                 status == CLUMP_STORE_OK ? "RELEASE change" : "ROLLBACK TO change; RELEASE change",
                 NULL, NULL, NULL);
    store->series = 0; /* it may be gone */
    return status;
}
