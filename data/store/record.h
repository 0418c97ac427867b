/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Reading the tables of named records (platform, application, quantity, source): one description a
 * table, and what finds, lists and copies the records of any. Internal to data/.
 */
#ifndef CLUMP_DATA_STORE_RECORD_H
#define CLUMP_DATA_STORE_RECORD_H

#include "data/store/handle.h"

/** What a column holds, and so what type the field of the record has. */
typedef enum clump_store_field_type {
    CLUMP_STORE_FIELD_TEXT,     /**< const char *, never NULL */
    CLUMP_STORE_FIELD_OPTIONAL, /**< const char *, may be NULL */
    CLUMP_STORE_FIELD_COUNT,    /**< int64_t */
    CLUMP_STORE_FIELD_TRUTH     /**< bool */
} clump_store_field_type;

typedef struct clump_store_field {
    clump_store_field_type type;
    size_t offset; /**< in the record */
} clump_store_field;

/** Stands for the clump_store_<thing>_fn of any table. */
typedef void clump_store_any_fn(void);

typedef struct clump_store_table {
    const char *name;                /**< "platform" */
    const char *key;                 /**< for messages: "the name of a platform" */
    const char *all;                 /**< CLUMP_STORE_RECORDS with CLUMP_STORE_ANY */
    const char *one;                 /**< the same with CLUMP_STORE_NAMED */
    const clump_store_field *fields; /**< one for each column of the query but the last */
    size_t field_count;
    size_t record_size;
    /** What else a record must fulfil; NULL: nothing. Leaves a message. */
    clump_store_status (*check)(clump_store *store, const void *record);
    /** Calls `fn`, which is the table's own type of function. */
    int (*call)(clump_store_any_fn *fn, const void *record, void *context);
} clump_store_table;

/**
 * The query of a table: the user's rows, then the reference ones whose name no row of the user's
 * has taken; an adopted copy does not count while there is the original.
 * @param table  its name
 * @param letter that stands for it in `columns`, `dangling` and `from`
 * @param columns the first is the name; the query adds whether the row is a reference row
 * @param dangling what the row points to that does not exist, NULL if all does; the last column.
 *               Outer joins and this column, not inner joins: those would lose the row in silence
 * @param from   a macro that makes what follows FROM for a schema
 * @param which  CLUMP_STORE_ANY or CLUMP_STORE_NAMED. Two queries, because one for both could not
 *               use the index of the names
 */
#define CLUMP_STORE_ANY(letter) ""
#define CLUMP_STORE_NAMED(letter) " AND " letter ".name = ?1"
#define CLUMP_STORE_RECORDS(table, letter, columns, dangling, from, which)                         \
    "SELECT * FROM ("                                                                              \
    "SELECT " columns ", 0, " dangling                                                             \
    " FROM " from("main") " WHERE NOT (" letter ".adopted AND EXISTS"                              \
                          " (SELECT 1 FROM reference." table " r WHERE r.name = " letter           \
                          ".name))" which(                                                         \
                              letter) " UNION ALL "                                                \
                                      "SELECT " columns ", 1, " dangling                           \
                                      " FROM " from("reference") " WHERE NOT EXISTS"               \
                                                                 " (SELECT 1 FROM main." table     \
                                                                 " m WHERE m.name = " letter       \
                                                                 ".name AND NOT m.adopted)" which( \
                                                                     letter) ") ORDER BY name"

/** Fills the fields of a record from columns `first` and following; false if one of the texts is
 *  not printable or lacks. The texts last until the next step of the statement. */
bool clump_store_read_fields(sqlite3_stmt *statement, int first, const clump_store_field *fields,
                             size_t count, void *record);

/** Calls `fn` for each record, in order of name. */
clump_store_status clump_store_each_record(clump_store *store, const clump_store_table *table,
                                           clump_store_any_fn *fn, void *context);

/** A copy of a record in one block on the heap; NULL: out of memory. */
void *clump_store_copy_record(const clump_store_table *table, const void *record);

/** A copy of the record of that name, in one block on the heap. */
clump_store_status clump_store_find_record(clump_store *store, const clump_store_table *table,
                                           const char *name, void **record);

#endif
