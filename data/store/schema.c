/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/store/schema.h"

#include <stdio.h>

/* The text of schema.sql: comments are stored with the tables, so that `.schema` explains a database by itself. This object
 * depends on the file. */
__asm__(".pushsection .rodata\n"
        ".globl clump_schema_sql\n.hidden clump_schema_sql\nclump_schema_sql:\n"
        ".incbin \"data/store/schema.sql\"\n.byte 0\n.popsection\n");
extern const char clump_schema_sql[] __attribute__((visibility("hidden")));

static int read_number(sqlite3 *db, const char *sql, int64_t *number)
{
    sqlite3_stmt *statement = NULL;
    int rc = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    if (rc != SQLITE_OK)
        return rc;
    int64_t found = 0;
    rc = sqlite3_step(statement);
    if (rc == SQLITE_ROW) {
        found = sqlite3_column_int64(statement, 0);
        rc = SQLITE_OK;
    }
    const int end = sqlite3_finalize(statement);
    if (rc == SQLITE_OK)
        *number = found;
    return rc == SQLITE_OK || rc == SQLITE_DONE ? end : rc;
}

static int inspect(sqlite3 *db, clump_schema_finding *finding)
{
    clump_schema_finding found = {CLUMP_SCHEMA_FOREIGN, 0, 0};
    int rc = read_number(db, "PRAGMA main.application_id", &found.application_id);
    if (rc == SQLITE_OK)
        rc = read_number(db, "PRAGMA main.user_version", &found.version);
    if (rc != SQLITE_OK)
        return rc;
    if (found.application_id == CLUMP_SCHEMA_APPLICATION_ID) {
        found.state =
            found.version == CLUMP_SCHEMA_VERSION ? CLUMP_SCHEMA_CURRENT : CLUMP_SCHEMA_OTHER;
    } else if (found.application_id == 0 && found.version == 0) {
        int64_t objects = 0;
        rc = read_number(db, "SELECT count(*) FROM (SELECT 1 FROM main.sqlite_schema LIMIT 1)",
                         &objects);
        if (rc != SQLITE_OK)
            return rc;
        found.state = objects == 0 ? CLUMP_SCHEMA_EMPTY : CLUMP_SCHEMA_FOREIGN;
    }
    *finding = found;
    return SQLITE_OK;
}

/* What is asked one after the other must be of one moment: another process may just be making it.
 * The application id is set once, so that it tells whether that happened in between. */
int clump_schema_inspect(sqlite3 *db, clump_schema_finding *finding)
{
    int64_t application_id = 0;
    int rc;
    do {
        rc = inspect(db, finding);
        if (rc == SQLITE_OK)
            rc = read_number(db, "PRAGMA main.application_id", &application_id);
    } while (rc == SQLITE_OK && application_id != finding->application_id);
    return rc;
}

int clump_schema_make(sqlite3 *db)
{
    char pragmas[128];
    snprintf(pragmas, sizeof pragmas,
             "PRAGMA main.application_id = %lld; PRAGMA main.user_version = %d;",
             (long long)CLUMP_SCHEMA_APPLICATION_ID, CLUMP_SCHEMA_VERSION);
    int rc = sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    if (rc != SQLITE_OK)
        return rc;
    /* Asked again under the lock: another process may just have made it. */
    int64_t version = 0;
    rc = read_number(db, "PRAGMA main.user_version", &version);
    if (rc == SQLITE_OK && version == 0)
        rc = sqlite3_exec(db, clump_schema_sql, NULL, NULL, NULL);
    if (rc == SQLITE_OK && version == 0)
        rc = sqlite3_exec(db, pragmas, NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
    if (rc != SQLITE_OK && sqlite3_get_autocommit(db) == 0)
        sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    return rc;
}
