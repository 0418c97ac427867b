/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/store/handle.h"

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

clump_store_status clump_store_run(clump_store *store, sqlite3_stmt *statement, const char *doing)
{
    clump_store_status status = CLUMP_STORE_OK;
    if (sqlite3_step(statement) != SQLITE_DONE)
        status = clump_store_fail_sqlite(store, doing);
    sqlite3_finalize(statement);
    return status;
}
