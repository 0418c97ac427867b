/* SPDX-License-Identifier: GPL-3.0-or-later */
/** What is inside a clump_store. Internal to data/. */
#ifndef CLUMP_DATA_STORE_HANDLE_H
#define CLUMP_DATA_STORE_HANDLE_H

#include "data/store/store.h"

#include "data/provenance.h"

#include <sqlite3.h>

/** Statements that stay prepared: to prepare one that joins many tables takes longer than to run it. */
typedef enum clump_store_cached {
    CLUMP_CACHED_ADD_SAMPLE,
    CLUMP_CACHED_SERIES_STATE,
    CLUMP_CACHED_EACH_OF_USER,
    CLUMP_CACHED_EACH_OF_REFERENCE,
    CLUMP_CACHED_EACH_BY_KEY, /* of the reference data, by platform, application and quantity */
    CLUMP_CACHED_KNOWN,       /* a platform, an application, a quantity, a source of some name */
    CLUMP_CACHED_KNOWN_LAST = CLUMP_CACHED_KNOWN + 3,
    CLUMP_CACHED_FIND, /* the record of that name, in the same order */
    CLUMP_CACHED_FIND_LAST = CLUMP_CACHED_FIND + 3,
    CLUMP_CACHED_COUNT
} clump_store_cached;

/* A statement whose rows are traced (digest.h). */
typedef struct clump_store_traced {
    sqlite3_stmt *statement;
    char question[CLUMP_SHA256_TEXT];
    int64_t row; /* the last one, from 1 */
} clump_store_traced;

/* Of any number: percentages and sums of it are numbers, too. */
#define CLUMP_STORE_MOST_NUMBER 1e300

enum { CLUMP_STORE_NESTED = 8 };

struct clump_store {
    sqlite3 *db; /* `main`: the user's database; `reference`: the one that ships */
    bool writable;
    bool in_transaction;
    bool wal;   /* the file is in WAL mode, and read through its -wal file */
    bool utf16; /* its header says so */
    char *made; /* path of the file if this handle made it; NULL: it was there */
    char message[1024];
    bool no_memory; /* that is what the message is about */
    sqlite3_stmt *cached[CLUMP_CACHED_COUNT];
    /* The series that samples were last added to. */
    int64_t series; /* 0: none */
    int64_t ordinal;
    bool may_be_negative;
    /* Reading gives up when it does more than the file can be worth: a damaged tree of pages can
     * be made to look endless. In units of CLUMP_STORE_STEP virtual machine instructions. */
    int64_t work;
    int64_t work_allowed;
    /* Told each row, if it is the first, and the end; NULL: nobody asks. */
    void (*trace)(clump_store *store, sqlite3_stmt *statement, bool first, bool row);
    clump_provenance *provenance;
    clump_store_traced traced[CLUMP_STORE_NESTED];
    size_t next_traced;
};

enum { CLUMP_STORE_STEP = 100000, CLUMP_STORE_NAME = 200, CLUMP_STORE_TEXT = 4096 };

/* Leaves a message (control characters replaced) and returns `status`. */
__attribute__((format(printf, 3, 4))) clump_store_status
clump_store_fail(clump_store *store, clump_store_status status, const char *format, ...);

/* Leaves the message that there was no memory, and returns CLUMP_STORE_FAILED. */
clump_store_status clump_store_fail_memory(clump_store *store);

/* The same from what SQLite says; `doing` completes "cannot ...". */
clump_store_status clump_store_fail_sqlite(clump_store *store, const char *doing);

/* Prepares; finalize it yourself. */
clump_store_status clump_store_prepare(clump_store *store, const char *sql,
                                       sqlite3_stmt **statement);

/* Steps: *row tells whether there is one. */
clump_store_status clump_store_step(clump_store *store, sqlite3_stmt *statement, bool *row);

/* Binds text, or NULL for NULL. Without copying: it must stay until the statement is reset. */
void clump_store_bind(sqlite3_stmt *statement, int index, const char *text);

/* NAN is NULL in the file. */
void clump_store_bind_real(sqlite3_stmt *statement, int index, double value);
double clump_store_column_real(sqlite3_stmt *statement, int index);

/* Binds the id of a row; 0 is NULL: none. */
void clump_store_bind_id(sqlite3_stmt *statement, int index, int64_t id);

/* Reads a text column that may be NULL. Text that is not printable sets *bad: it is a file's. */
const char *clump_store_column(sqlite3_stmt *statement, int index, bool *bad);

/* The failure for *bad above. */
clump_store_status clump_store_fail_text(clump_store *store, const char *table);

/* The failure for a row that refers to one that does not exist: "series 7", "a source". */
clump_store_status clump_store_fail_dangling(clump_store *store, const char *what,
                                             const char *target);

/* Leaves a message about a caller's text: `what` names the field. NULL passes if it may. */
clump_store_status clump_store_check_name(clump_store *store, const char *what, const char *name);
clump_store_status clump_store_check_text(clump_store *store, const char *what, const char *text,
                                          bool may_be_null);

/* Is there a row of this name in `table` (platform, application, quantity or source)? If not:
 * NOT_FOUND, with similar names. */
clump_store_status clump_store_check_known(clump_store *store, const char *table, const char *name);

/* BAD_INPUT unless a transaction is open. */
clump_store_status clump_store_check_writing(clump_store *store);

/* The row of this name in the user's database; a reference row is copied there first.
 * *id = 0 if name is NULL. */
clump_store_status clump_store_adopt(clump_store *store, const char *table, const char *name,
                                     int64_t *id);

/* Is the name free in the user's database, and a transaction open? */
clump_store_status clump_store_check_new(clump_store *store, const char *table, const char *name);

/* The number in the first column of the first row of a query with one text parameter; 0: no row. */
clump_store_status clump_store_find_id(clump_store *store, const char *sql, const char *name,
                                       int64_t *id);

/* Runs a bound statement that gives no rows, and finalizes it. `doing` as above. */
clump_store_status clump_store_run(clump_store *store, sqlite3_stmt *statement, const char *doing);

/* The same of a text with up to two numbers; `changed` (may be NULL) receives the number of rows. */
clump_store_status clump_store_run_sql(clump_store *store, const char *sql, int64_t first,
                                       int64_t second, int64_t *changed);

/* What changes the database in several steps within a transaction: all or nothing of them. The message of a
 * failure stays. */
clump_store_status clump_store_begin_change(clump_store *store);
clump_store_status clump_store_end_change(clump_store *store, clump_store_status status);

/* BAD_INPUT unless the tables and indexes of `main` are exactly those of this program. */
clump_store_status clump_store_check_schema(clump_store *store, const char *path);

/* Attaches a copy of another one's main database, page by page and whatever is in them, as `copy`: a temporary
 * file without a name. */
clump_store_status clump_store_attach_copy(clump_store *store, clump_store *from);

/* As clump_store_check(), without what is measured: only pages, indexes, constraints, references and texts. */
clump_store_status clump_store_check_sound(clump_store *store, size_t *findings);

/* The reference database that ships; size 0: none. */
const unsigned char *clump_reference_image(size_t *size);

#endif
