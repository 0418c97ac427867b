/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening: the user's file, of which nothing is believed, and the database that ships. */
#include "data/store/handle.h"
#include "data/store/schema.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the user's file */

/* A URI that SQLite decodes to exactly this path: relative ones get "./", so that neither
 * ":memory:" nor anything else is special. The caller frees it. */
static char *make_uri(const char *path, const char *suffix)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "/._-~";
    static const char hex[] = "0123456789ABCDEF";
    const char *prefix = path[0] == '/' ? "file://" : "file:./";
    char *uri = malloc(strlen(prefix) + 3 * strlen(path) + strlen(suffix) + 1);
    if (uri == NULL)
        return NULL;
    char *to = uri + strlen(strcpy(uri, prefix));
    for (const char *from = path; *from != '\0'; from++) {
        if (strchr(plain, *from) != NULL) {
            *to++ = *from;
        } else {
            *to++ = '%';
            *to++ = hex[(unsigned char)*from >> 4];
            *to++ = hex[(unsigned char)*from & 15];
        }
    }
    strcpy(to, suffix);
    return uri;
}

static clump_store_status fail_no_database(clump_store *store, const char *path)
{
    return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                            "'%s' is not a database of this program: it is no SQLite file at all; "
                            "give another file, or import it if it is a log",
                            path);
}

static clump_store_status fail_open(clump_store *store, const char *path)
{
    const char *reason = store->db != NULL ? sqlite3_errmsg(store->db) : "out of memory";
    const int rc = store->db != NULL ? sqlite3_errcode(store->db) & 0xFF : SQLITE_NOMEM;
    if (rc == SQLITE_NOTADB)
        return fail_no_database(store, path);
    if (rc == SQLITE_CORRUPT || rc == SQLITE_ERROR) { /* an error: the header has another format */
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                "'%s' is damaged (%s); restore it from a copy", path, reason);
    }
    if (rc == SQLITE_BUSY || rc == SQLITE_LOCKED) {
        return clump_store_fail(store, CLUMP_STORE_FAILED,
                                "cannot open '%s': it is locked: another program is writing to it; "
                                "try again when it is done",
                                path);
    }
    if (store->wal && rc != SQLITE_NOMEM) {
        return clump_store_fail(store, CLUMP_STORE_FAILED,
                                "cannot open '%s': %s; it is in WAL mode and its -wal file has "
                                "changes, which cannot be read where the files beside it cannot be "
                                "written: copy both to another directory, or end WAL mode there "
                                "with PRAGMA journal_mode = delete",
                                path, reason);
    }
    return clump_store_fail(store, CLUMP_STORE_FAILED, "cannot open '%s': %s", path, reason);
}

/* Two things that decide how to open it, from the header (SQLite's file format, 1.3). A file that
 * is no database gets its message from SQLite. */
static void read_header(clump_store *store, const char *path)
{
    unsigned char header[100];
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return;
    if (fread(header, 1, sizeof header, file) == sizeof header &&
        memcmp(header, "SQLite format 3", 16) == 0) {
        store->wal = header[18] == 2 && header[19] == 2;
        store->utf16 = header[59] == 2 || header[59] == 3;
    }
    fclose(file);
}

/* Only regular files: opening a pipe would wait for its other end. */
static clump_store_status check_file(clump_store *store, const char *path)
{
    struct stat status;
    if (path[0] == '\0')
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT, "the name of the database is empty");
    if (stat(path, &status) != 0) {
        if (errno == ENOENT && store->writable)
            return CLUMP_STORE_OK;
        return clump_store_fail(store, errno == ENOENT ? CLUMP_STORE_NOT_FOUND : CLUMP_STORE_FAILED,
                                "cannot open '%s': %s", path,
                                errno == ENOENT   ? "No such file or directory"
                                : errno == EACCES ? "Permission denied"
                                                  : "it cannot be looked at");
    }
    if (!S_ISREG(status.st_mode)) {
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                "'%s' is not a regular file; give a database", path);
    }
    if (status.st_size == 1) /* SQLite takes it as empty (unixFileSize in its os_unix.c) */
        return fail_no_database(store, path);
    read_header(store, path);
    store->work_allowed += (int64_t)status.st_size * 64 / CLUMP_STORE_STEP;
    return CLUMP_STORE_OK;
}

static int open_uri(clump_store *store, const char *path, const char *suffix, int access)
{
    char *uri = path != NULL ? make_uri(path, suffix) : NULL;
    if (path != NULL && uri == NULL)
        return SQLITE_NOMEM;
    const int rc = sqlite3_open_v2(uri != NULL ? uri : ":memory:", &store->db,
                                   access | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
    free(uri);
    return rc;
}

static bool has_content(const char *path)
{
    struct stat status;
    return path != NULL && stat(path, &status) == 0 && status.st_size > 0;
}

/* Does all that is in the database stand in its file? SQLite knows how the others are called. */
static bool is_all_in_file(const clump_store *store)
{
    const char *name = sqlite3_db_filename(store->db, "main");
    return name != NULL && name[0] != '\0' && !has_content(sqlite3_filename_wal(name)) &&
           !has_content(sqlite3_filename_journal(name));
}

/* A process that was killed while it wrote leaves a journal with which the next writer undoes what
 * it did. A reader cannot; so let a writer come by. */
static void undo_what_was_left(const char *path)
{
    sqlite3 *db = NULL;
    char *uri = make_uri(path, "?mode=rw");
    if (uri != NULL &&
        sqlite3_open_v2(uri, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI, NULL) == SQLITE_OK) {
        sqlite3_busy_timeout(db, 30000);
        sqlite3_exec(db, "SELECT 1 FROM sqlite_schema", NULL, NULL, NULL);
    }
    sqlite3_close(db);
    free(uri);
}

static bool has_journal(const char *path)
{
    char *name = malloc(strlen(path) + sizeof "-journal");
    const bool has = name != NULL && has_content(strcat(strcpy(name, path), "-journal"));
    free(name);
    return has;
}

static clump_store_status open_file(clump_store *store, const char *path)
{
    const bool writes = store->writable || path == NULL;
    const int access = writes ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    if (path != NULL) {
        clump_store_status status = check_file(store, path);
        if (status != CLUMP_STORE_OK)
            return status;
        if (!writes && has_journal(path))
            undo_what_was_left(path);
    }
    int rc = open_uri(store, path, writes ? "?mode=rwc" : "?mode=ro", access);
    /* Reading in WAL mode makes files beside the database, which may not be possible and is not
     * wanted. Where they would be empty it can be read as if nobody ever wrote to it. */
    if (rc == SQLITE_OK && store->wal && !writes && is_all_in_file(store)) {
        sqlite3_close(store->db);
        store->db = NULL;
        store->wal = false;
        rc = open_uri(store, path, "?mode=ro&immutable=1", access);
    }
    return rc == SQLITE_OK ? CLUMP_STORE_OK : fail_open(store, path != NULL ? path : ":memory:");
}

/* ---- the database that ships */

/* The database that ships, beside the user's, and as what the user's must look like. */

/* An empty database of the current version, for want of a reference one. */
static unsigned char *make_empty_image(sqlite3_int64 *size)
{
    sqlite3 *db = NULL;
    unsigned char *image = NULL;
    if (sqlite3_open(":memory:", &db) == SQLITE_OK && clump_schema_make(db) == SQLITE_OK)
        image = sqlite3_serialize(db, "main", size, 0);
    sqlite3_close(db);
    return image;
}

static clump_store_status attach_reference(clump_store *store)
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

clump_store_status clump_store_attach_copy(clump_store *store, clump_store *from)
{
    /* To let go of the last one may have failed, for want of memory. */
    sqlite3_exec(store->db, "DETACH copy", NULL, NULL, NULL);
    if (sqlite3_exec(store->db,
                     "ATTACH '' AS copy; PRAGMA copy.journal_mode = off;"
                     "PRAGMA copy.cache_size = -32768",
                     NULL, NULL, NULL) != SQLITE_OK)
        return clump_store_fail_sqlite(store, "copy the database");
    sqlite3_backup *backup = sqlite3_backup_init(store->db, "copy", from->db, "main");
    if (backup != NULL)
        sqlite3_backup_step(backup, -1);
    if (sqlite3_backup_finish(backup) != SQLITE_OK || backup == NULL)
        return clump_store_fail_sqlite(store, "copy the database");
    return CLUMP_STORE_OK;
}

/* Comparing the text of every table and index with those of the reference database, which this
 * program's own schema made, rules out views, triggers and look-alike tables all at once. */
clump_store_status clump_store_check_schema(clump_store *store, const char *path)
{
    static const char sql[] =
        "SELECT EXISTS (SELECT 1 FROM reference.sqlite_schema r WHERE r.name = m.name), type, name"
        " FROM (  SELECT type, name, tbl_name, sql FROM main.sqlite_schema EXCEPT"
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

/* ---- both */

static int limit_work(void *context)
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
    sqlite3_limit(store->db, SQLITE_LIMIT_LENGTH, 1 << 26);
    sqlite3_limit(store->db, SQLITE_LIMIT_SQL_LENGTH, 1 << 16);
    sqlite3_limit(store->db, SQLITE_LIMIT_EXPR_DEPTH, 100);
    sqlite3_limit(store->db, SQLITE_LIMIT_ATTACHED, 2); /* `reference` and `copy` */
    /* A writer waits for another one to store millions of samples. */
    sqlite3_busy_timeout(store->db, store->writable ? 120000 : 30000);
    sqlite3_progress_handler(store->db, CLUMP_STORE_STEP, limit_work, store);
}

static clump_store_status set_up(clump_store *store, const char *sql)
{
    if (sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK)
        return CLUMP_STORE_OK;
    const bool format = (sqlite3_errcode(store->db) & 0xFF) == SQLITE_ERROR; /* as in fail_open */
    const clump_store_status status = clump_store_fail_sqlite(store, "set up SQLite");
    return format ? CLUMP_STORE_BAD_INPUT : status;
}

/* Undoing what failed may clear SQLite's own message. */
static clump_store_status make_schema(clump_store *store, const char *path)
{
    const int rc = clump_schema_make(store->db);
    if (rc == SQLITE_OK)
        return CLUMP_STORE_OK;
    if ((rc & 0xFF) == SQLITE_FULL) {
        return clump_store_fail(store, CLUMP_STORE_FAILED, "cannot write '%s': no space left",
                                path);
    }
    return sqlite3_errcode(store->db) != SQLITE_OK
               ? fail_open(store, path)
               : clump_store_fail(store, CLUMP_STORE_FAILED, "cannot write '%s': %s", path,
                                  sqlite3_errstr(rc));
}

/* NOT_FOUND: nothing is in it, and it is only read. */
static clump_store_status check_content(clump_store *store, const char *path)
{
    clump_schema_finding found;
    const int rc = clump_schema_inspect(store->db, &found);
    if (store->utf16 && (rc != SQLITE_OK || (found.state != CLUMP_SCHEMA_FOREIGN &&
                                             found.state != CLUMP_SCHEMA_OTHER))) {
        /* SQLite's own message would quote text that is read in the wrong encoding. */
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                "'%s' keeps its text in UTF-16, and this program only makes UTF-8: "
                                "it is damaged or of another program; restore it from a copy or "
                                "give another file",
                                path);
    }
    if (rc != SQLITE_OK)
        return fail_open(store, path);
    switch (found.state) {
    case CLUMP_SCHEMA_FOREIGN:
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                "'%s' is a database of another program (application id 0x%llx, "
                                "version %lld; expected 0x%llx); give another file",
                                path, (unsigned long long)found.application_id,
                                (long long)found.version,
                                (unsigned long long)CLUMP_SCHEMA_APPLICATION_ID);
    case CLUMP_SCHEMA_OTHER:
        return clump_store_fail(
            store, CLUMP_STORE_BAD_INPUT,
            "'%s' has schema version %lld, and this program knows %d; export its "
            "samples with the program that made it, then move it away (or "
            "give --db another file) and import them",
            path, (long long)found.version, CLUMP_SCHEMA_VERSION);
    case CLUMP_SCHEMA_EMPTY:
        return store->writable ? make_schema(store, path) : CLUMP_STORE_NOT_FOUND;
    case CLUMP_SCHEMA_CURRENT:
        break;
    }
    return CLUMP_STORE_OK;
}

static clump_store_status open_all(clump_store *store, const char *path)
{
    clump_store_status status = open_file(store, path);
    if (status != CLUMP_STORE_OK)
        return status;
    harden(store);
    if (path == NULL) {
        return clump_schema_make(store->db) == SQLITE_OK
                   ? attach_reference(store)
                   : clump_store_fail_sqlite(store, "set up SQLite");
    }
    if (store->writable && sqlite3_db_readonly(store->db, "main") == 1)
        return clump_store_fail(store, CLUMP_STORE_FAILED, "'%s' is write-protected", path);
    status = check_content(store, path);
    if (status ==
        CLUMP_STORE_NOT_FOUND) { /* nothing is in it yet, as while another process makes it: like none */
        sqlite3_close(store->db);
        store->db = NULL;
        return open_all(store, NULL);
    }
    if (status == CLUMP_STORE_OK) {
        status = set_up(store, "PRAGMA cell_size_check = 1; PRAGMA mmap_size = 0;"
                               "PRAGMA temp_store = 2; PRAGMA cache_size = -32768");
    }
    if (status == CLUMP_STORE_OK)
        status = attach_reference(store);
    return status == CLUMP_STORE_OK ? clump_store_check_schema(store, path) : status;
}

/* After a failure: the file that opening made, if nothing is in it. To begin to write, as in clump_store_close_unused(), takes a
 * journal, for which a full disk has no room; but while somebody reads nobody else can write, either. */
static void remove_empty(clump_store *store, const char *path)
{
    struct stat found;
    if (store->db == NULL)
        return;
    sqlite3_busy_timeout(store->db, 0);
    if (sqlite3_exec(store->db, "BEGIN; SELECT 1 FROM main.sqlite_schema", NULL, NULL, NULL) ==
            SQLITE_OK &&
        stat(path, &found) == 0 && S_ISREG(found.st_mode) && found.st_size == 0)
        unlink(path);
}

clump_store_status clump_store_open(const char *path, unsigned flags, clump_store **store)
{
    clump_store *made = calloc(1, sizeof *made);
    *store = made;
    if (made == NULL)
        return CLUMP_STORE_FAILED;
    made->writable = (flags & CLUMP_STORE_WRITE) != 0;
    made->work_allowed = 1000;
    struct stat found;
    const bool is_new = made->writable && path != NULL && stat(path, &found) != 0;
    clump_store_status status = open_all(made, path);
    if (status == CLUMP_STORE_OK && is_new && (made->made = strdup(path)) == NULL)
        status = clump_store_fail_memory(made);
    if (status != CLUMP_STORE_OK) {
        if (path != NULL && strstr(made->message, path) == NULL) {
            char reason[sizeof made->message];
            memcpy(reason, made->message, sizeof reason);
            clump_store_fail(made, status, "'%.300s': %.700s", path, reason);
        }
        if (is_new)
            remove_empty(made, path);
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
    free(store->made);
    free(store);
}

const char *clump_store_made(const clump_store *store)
{
    return store->made;
}

/* All that is stored is from a source, but for these; false also if nobody can tell. */
static bool is_unused(clump_store *store)
{
    int64_t used = 1;
    return clump_store_find_id(
               store,
               "SELECT EXISTS (SELECT 1 FROM main.source) + EXISTS (SELECT 1 FROM"
               " main.quantity) + EXISTS (SELECT 1 FROM main.frozen) WHERE ?1 IS NULL",
               NULL, &used) == CLUMP_STORE_OK &&
           used == 0;
}

/* While nobody else can write: who waits for that sees then that the file is gone. */
void clump_store_close_unused(clump_store *store)
{
    if (store != NULL && store->made != NULL && store->db != NULL) {
        clump_store_rollback(store);
        if (clump_store_begin(store) == CLUMP_STORE_OK && is_unused(store))
            unlink(store->made);
    }
    clump_store_close(store);
}
