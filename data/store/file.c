/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening the user's file, before anything in it is believed. */
#include "data/store/handle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

clump_store_status clump_store_fail_open(clump_store *store, const char *path)
{
    const char *reason = store->db != NULL ? sqlite3_errmsg(store->db) : "out of memory";
    const int rc = store->db != NULL ? sqlite3_errcode(store->db) & 0xFF : SQLITE_NOMEM;
    if (rc == SQLITE_NOTADB) {
        return clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                "'%s' is not a database of this program: it is no SQLite file at "
                                "all; give another file, or import it if it is a log",
                                path);
    }
    if (rc == SQLITE_CORRUPT) {
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
    read_header(store, path);
    store->work_allowed += (int64_t)status.st_size * 64 / CLUMP_STORE_PACE;
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

clump_store_status clump_store_open_file(clump_store *store, const char *path)
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
    return rc == SQLITE_OK ? CLUMP_STORE_OK
                           : clump_store_fail_open(store, path != NULL ? path : ":memory:");
}
