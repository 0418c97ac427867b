/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A writable copy of the user's database, to check what SQLite checks only there. */
#include "data/store/handle.h"

/* As for the database itself: its tree of pages may look endless. */
static int keep_pace(void *context)
{
    clump_store *store = context;
    return ++store->work > store->work_allowed;
}

/* Copies page by page, whatever is in them. The copy is a temporary file without a name. */
static int copy_main(clump_store *store, sqlite3 **copy)
{
    int rc = sqlite3_open_v2("", copy, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
    if (rc != SQLITE_OK)
        return rc;
    sqlite3_db_config(*copy, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(*copy, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_limit(*copy, SQLITE_LIMIT_LENGTH, 1 << 20);
    rc = sqlite3_exec(*copy, "PRAGMA journal_mode = off; PRAGMA cache_size = -32768", NULL, NULL,
                      NULL);
    sqlite3_backup *backup =
        rc == SQLITE_OK ? sqlite3_backup_init(*copy, "main", store->db, "main") : NULL;
    if (backup == NULL)
        return rc != SQLITE_OK ? rc : sqlite3_errcode(*copy);
    sqlite3_backup_step(backup, -1);
    return sqlite3_backup_finish(backup);
}

static int each_finding(clump_store *store, sqlite3 *copy,
                        int (*fn)(const char *finding, void *context), void *context)
{
    sqlite3_stmt *statement = NULL;
    store->work = 0;
    sqlite3_progress_handler(copy, CLUMP_STORE_PACE, keep_pace, store);
    int rc = sqlite3_prepare_v2(copy, "PRAGMA integrity_check(20)", -1, &statement, NULL);
    while (rc == SQLITE_OK && (rc = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *finding = (const char *)sqlite3_column_text(statement, 0);
        rc = finding == NULL ? SQLITE_NOMEM : fn(finding, context) == 0 ? SQLITE_OK : SQLITE_ABORT;
    }
    sqlite3_finalize(statement);
    return rc;
}

static bool is_damage(int rc)
{
    rc &= 0xFF;
    return rc == SQLITE_CORRUPT || rc == SQLITE_NOTADB || rc == SQLITE_TOOBIG ||
           rc == SQLITE_INTERRUPT;
}

clump_store_status clump_store_check_copy(clump_store *store,
                                          int (*fn)(const char *finding, void *context),
                                          void *context, bool *damaged)
{
    sqlite3 *copy = NULL;
    int rc = copy_main(store, &copy);
    if (rc == SQLITE_OK)
        rc = each_finding(store, copy, fn, context);
    sqlite3_close(copy);
    *damaged = is_damage(rc);
    if (rc == SQLITE_OK || rc == SQLITE_DONE || *damaged)
        return CLUMP_STORE_OK;
    return rc == SQLITE_ABORT
               ? CLUMP_STORE_STOPPED
               : clump_store_fail(store, CLUMP_STORE_FAILED,
                                  "cannot copy the database to check it: %s%s", sqlite3_errstr(rc),
                                  (rc & 0xFF) == SQLITE_BUSY
                                      ? "; another program is writing to it; try again when it is "
                                        "done"
                                      : "");
}
