/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/store/handle.h"

#include <stdlib.h>
#include <string.h>

clump_store_status clump_store_find_log(clump_store *store, const char *sha256,
                                        const char *platform, const char *transport, char **name)
{
    static const char sql[] =
        "SELECT o.name FROM main.source o JOIN main.series s ON s.source_id = o.id"
        " LEFT JOIN main.platform p ON p.id = s.platform_id WHERE o.sha256 = ?1"
        " AND (?2 IS NULL OR p.name = ?2) AND s.transport = ?3 LIMIT 1";
    sqlite3_stmt *statement = NULL;
    clump_store_status status = clump_store_prepare(store, sql, &statement);
    bool row = false;
    bool bad = false;
    char *copy = NULL;
    if (status == CLUMP_STORE_OK) {
        clump_store_bind(statement, 1, sha256);
        clump_store_bind(statement, 2, platform);
        clump_store_bind(statement, 3, transport != NULL ? transport : "");
        status = clump_store_step(store, statement, &row);
    }
    if (status == CLUMP_STORE_OK && row) {
        const char *found = clump_store_column(statement, 0, &bad);
        if (bad || found == NULL)
            status = clump_store_fail_text(store, "source");
        else if ((copy = strdup(found)) == NULL)
            status = clump_store_fail(store, CLUMP_STORE_FAILED, "out of memory");
    }
    sqlite3_finalize(statement);
    if (status == CLUMP_STORE_OK)
        *name = copy;
    return status;
}
