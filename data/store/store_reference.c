/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The database that ships, beside the user's, and as what the user's must look like. */
#include "data/store/handle.h"

#include "data/store/schema.h"

/* An empty database of the current version, for want of a reference one. */
static unsigned char *make_empty_image(sqlite3_int64 *size)
{
    sqlite3 *db = NULL;
    unsigned char *image = NULL;
    if (sqlite3_open(":memory:", &db) == SQLITE_OK && clump_schema_migrate(db) == SQLITE_OK)
        image = sqlite3_serialize(db, "main", size, 0);
    sqlite3_close(db);
    return image;
}

clump_store_status clump_store_attach_reference(clump_store *store)
{
    if (sqlite3_exec(store->db, "ATTACH ':memory:' AS reference", NULL, NULL, NULL) != SQLITE_OK)
        return clump_store_fail_sqlite(store, "set up SQLite");
    size_t shipped = 0;
    const unsigned char *image = clump_reference_image(&shipped);
    sqlite3_int64 size = (sqlite3_int64)shipped;
    unsigned flags = SQLITE_DESERIALIZE_READONLY;
    /* SQLite does not write to a read-only image, whatever its prototype says. */
    unsigned char *bytes = (unsigned char *)(uintptr_t)image;
    if (shipped == 0) {
        bytes = make_empty_image(&size);
        flags |= SQLITE_DESERIALIZE_FREEONCLOSE;
        if (bytes == NULL) {
            return clump_store_fail(store, CLUMP_STORE_FAILED,
                                    "cannot set up SQLite: out of memory");
        }
    }
    if (sqlite3_deserialize(store->db, "reference", bytes, size, size, flags) != SQLITE_OK)
        return clump_store_fail_sqlite(store, "open the reference data");
    return CLUMP_STORE_OK;
}

/* Comparing the text of every table and index with those of the reference database, which this
 * program's own schema made, rules out views, triggers and look-alike tables all at once. */
clump_store_status clump_store_check_schema(clump_store *store, const char *path)
{
    static const char sql[] =
        "SELECT EXISTS (SELECT 1 FROM reference.sqlite_schema r WHERE r.name = m.name), type, name"
        " FROM ("
        "  SELECT type, name, tbl_name, sql FROM main.sqlite_schema EXCEPT"
        "  SELECT type, name, tbl_name, sql FROM reference.sqlite_schema) m "
        "UNION ALL SELECT 2, type, name FROM ("
        "  SELECT type, name, tbl_name, sql FROM reference.sqlite_schema EXCEPT"
        "  SELECT type, name, tbl_name, sql FROM main.sqlite_schema) LIMIT 1";
    static const char *const verbs[] = {"another program added", "another program changed",
                                        "it lacks"};
    sqlite3_stmt *statement = NULL;
    bool row = false;
    clump_store_status status = clump_store_prepare(store, sql, &statement);
    if (status == CLUMP_STORE_OK)
        status = clump_store_step(store, statement, &row);
    if (status == CLUMP_STORE_OK && row) {
        const int how = sqlite3_column_int(statement, 0);
        const char *type = (const char *)sqlite3_column_text(statement, 1);
        const char *name = (const char *)sqlite3_column_text(statement, 2);
        status = clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                  "'%s': its schema was altered (%s the %s '%.100s'); export its "
                                  "samples with the program that altered it "
                                  "and import them into a new database",
                                  path, verbs[how], type != NULL ? type : "?",
                                  name != NULL ? name : "?");
    }
    sqlite3_finalize(statement);
    return status;
}
