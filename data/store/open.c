/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/store/handle.h"

#include "data/store/schema.h"

#include <stdlib.h>
#include <string.h>

static int keep_pace(void *context)
{
    clump_store *store = context;
    store->work++;
    return !store->in_transaction && store->work > store->work_allowed;
}

/* What a database made by others could use against us is switched off before it is read. */
static void harden(clump_store *store)
{
    static const struct {
        int what;
        int value;
    } settings[] = {
        {SQLITE_DBCONFIG_DEFENSIVE, 1},      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0}, {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
        {SQLITE_DBCONFIG_ENABLE_FKEY, 1},    {SQLITE_DBCONFIG_DQS_DML, 0},
        {SQLITE_DBCONFIG_DQS_DDL, 0},
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        sqlite3_db_config(store->db, settings[i].what, settings[i].value, NULL);
    sqlite3_limit(store->db, SQLITE_LIMIT_LENGTH, 1 << 20);
    sqlite3_limit(store->db, SQLITE_LIMIT_SQL_LENGTH, 1 << 16);
    sqlite3_limit(store->db, SQLITE_LIMIT_EXPR_DEPTH, 100);
    sqlite3_limit(store->db, SQLITE_LIMIT_ATTACHED, 1);
    /* A writer waits for another one to store millions of samples. */
    sqlite3_busy_timeout(store->db, store->writable ? 120000 : 30000);
    sqlite3_progress_handler(store->db, CLUMP_STORE_PACE, keep_pace, store);
}

static clump_store_status set_up(clump_store *store, const char *sql)
{
    if (sqlite3_exec(store->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        return clump_store_fail_sqlite(store, "set up SQLite");
    return CLUMP_STORE_OK;
}

/* Undoing the steps that failed may clear SQLite's own message. */
static clump_store_status migrate(clump_store *store, const char *path)
{
    const int rc = clump_schema_migrate(store->db);
    if (rc == SQLITE_OK)
        return CLUMP_STORE_OK;
    if ((rc & 0xFF) == SQLITE_FULL) {
        return clump_store_fail(store, CLUMP_STORE_FAILED, "cannot write '%s': no space left",
                                path);
    }
    return sqlite3_errcode(store->db) != SQLITE_OK
               ? clump_store_fail_open(store, path)
               : clump_store_fail(store, CLUMP_STORE_FAILED, "cannot write '%s': %s", path,
                                  sqlite3_errstr(rc));
}

static clump_store_status check_content(clump_store *store, const char *path)
{
    clump_schema_finding found;
    const int rc = clump_schema_inspect(store->db, &found);
    if (store->utf16 && (rc != SQLITE_OK || (found.state != CLUMP_SCHEMA_FOREIGN &&
                                             found.state != CLUMP_SCHEMA_NEWER))) {
        /* SQLite's own message would quote text that is read in the wrong encoding. */
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                "'%s' keeps its text in UTF-16, and this program only makes UTF-8: "
                                "it is damaged or of another program; restore it from a copy or "
                                "give another file",
                                path);
    }
    if (rc != SQLITE_OK)
        return clump_store_fail_open(store, path);
    switch (found.state) {
    case CLUMP_SCHEMA_FOREIGN:
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                "'%s' is a database of another program (application id 0x%llx, "
                                "version %lld; expected 0x%llx); give another file",
                                path, (unsigned long long)found.application_id,
                                (long long)found.version,
                                (unsigned long long)CLUMP_SCHEMA_APPLICATION_ID);
    case CLUMP_SCHEMA_NEWER:
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                "'%s' has schema version %lld, and this program knows up to %d; "
                                "use a newer program",
                                path, (long long)found.version, CLUMP_SCHEMA_VERSION);
    case CLUMP_SCHEMA_EMPTY:
    case CLUMP_SCHEMA_OLDER:
        if (!store->writable) {
            return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                    "'%s' %s; import something into it first, which brings it to "
                                    "version %d",
                                    path,
                                    found.state == CLUMP_SCHEMA_EMPTY
                                        ? "is empty"
                                        : "has the schema of an earlier version",
                                    CLUMP_SCHEMA_VERSION);
        }
        return migrate(store, path);
    case CLUMP_SCHEMA_CURRENT:
        break;
    }
    return CLUMP_STORE_OK;
}

static clump_store_status open_all(clump_store *store, const char *path)
{
    clump_store_status status = clump_store_open_file(store, path);
    if (status != CLUMP_STORE_OK)
        return status;
    harden(store);
    if (path == NULL) {
        if (clump_schema_migrate(store->db) != SQLITE_OK)
            return clump_store_fail_sqlite(store, "set up SQLite");
        return clump_store_attach_reference(store);
    }
    if (store->writable && sqlite3_db_readonly(store->db, "main") == 1)
        return clump_store_fail(store, CLUMP_STORE_FAILED, "'%s' is write-protected", path);
    status = check_content(store, path);
    if (status == CLUMP_STORE_OK) {
        status = set_up(store, "PRAGMA cell_size_check = 1; PRAGMA mmap_size = 0;"
                               "PRAGMA temp_store = 2; PRAGMA cache_size = -32768");
    }
    if (status == CLUMP_STORE_OK)
        status = clump_store_attach_reference(store);
    return status == CLUMP_STORE_OK ? clump_store_check_schema(store, path) : status;
}

clump_store_status clump_store_open(const char *path, unsigned flags, clump_store **store)
{
    clump_store *made = calloc(1, sizeof *made);
    *store = made;
    if (made == NULL)
        return CLUMP_STORE_FAILED;
    made->writable = (flags & CLUMP_STORE_WRITE) != 0;
    made->work_allowed = 1000;
    const clump_store_status status = open_all(made, path);
    if (status != CLUMP_STORE_OK) {
        if (path != NULL && strstr(made->message, path) == NULL) {
            char reason[sizeof made->message];
            memcpy(reason, made->message, sizeof reason);
            clump_store_fail(made, status, "'%.300s': %.700s", path, reason);
        }
        /* Only the message is of use now. */
        sqlite3_close(made->db);
        made->db = NULL;
    }
    return status;
}

void clump_store_close(clump_store *store)
{
    if (store == NULL)
        return;
    clump_store_rollback(store);
    for (int i = 0; i < CLUMP_CACHED_COUNT; i++)
        sqlite3_finalize(store->cached[i]);
    sqlite3_close(store->db);
    free(store);
}
