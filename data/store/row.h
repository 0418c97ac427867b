/* SPDX-License-Identifier: GPL-3.0-or-later */
/** Rows of tables as records in memory: one description of a table's columns reads, checks and writes them. Internal to
 *  data/. */
#ifndef CLUMP_DATA_STORE_ROW_H
#define CLUMP_DATA_STORE_ROW_H

#include "data/arena.h"
#include "data/store/handle.h"

#include <stddef.h>

typedef enum clump_row_type {
    CLUMP_ROW_NAME,     /**< const char *, never NULL: clump_store_check_name() */
    CLUMP_ROW_TEXT,     /**< the same: clump_store_check_text() */
    CLUMP_ROW_OPTIONAL, /**< the same, may be NULL */
    CLUMP_ROW_LABEL,    /**< a name, or ""; NULL is written as "" */
    CLUMP_ROW_LINES,    /**< text of any length, may be NULL: nobody looks at it */
    CLUMP_ROW_WHOLE,    /**< int64_t */
    CLUMP_ROW_REAL,     /**< double; NAN is NULL in the file */
    CLUMP_ROW_TRUTH     /**< bool */
} clump_row_type;

typedef struct clump_row_field {
    const char *column; /**< "part_of" of a row that the table has by id */
    clump_row_type type;
    size_t offset; /**< in the record */
} clump_row_field;

/** A table; the records hold more than these fields. */
typedef struct clump_row_form {
    const char *table;
    const clump_row_field *fields;
    size_t count;
} clump_row_form;

/** A field of a type of records: the column that it is in, what follows CLUMP_ROW_ of its type, and the member. */
#define CLUMP_ROW_FIELD(record, column, type, member)                                              \
    {                                                                                              \
        column, CLUMP_ROW_##type, offsetof(record, member)                                         \
    }
#define CLUMP_ROW_FIELDS(list) .fields = list, .count = sizeof(list) / sizeof *(list)

/** Fills a record from columns `first` and following; false if a text is missing or not printable.
 *  Texts last until the next step of the statement. */
bool clump_row_read(sqlite3_stmt *statement, int first, const clump_row_form *form, void *record);

/** Bytes of all texts of a record; and these texts copied to where there is room for them, which is the record's then. */
size_t clump_row_texts(const clump_row_form *form, const void *record);
void clump_row_move_texts(const clump_row_form *form, void *record, char *to);

/** Adds a row, of which some columns are ids: `id_columns` has their names with commas, each followed by one, and `ids`
 *  the numbers; 0: none. BAD_INPUT for a text that cannot be one; constraints of the table see to the ranges: what breaks one is BAD_INPUT. */
clump_store_status clump_row_insert(clump_store *store, const clump_row_form *form,
                                    const char *id_columns, const int64_t *ids, const void *record);

/** Binds a record to the places `first` and following; texts must stay until the statement is reset. */
void clump_row_bind(sqlite3_stmt *statement, int first, const clump_row_form *form,
                    const void *record);

/** All rows of a query with one number, if it has a place for one: an array of records of `size` bytes, with their texts, in
 *  the arena. */
clump_store_status clump_row_read_all(clump_store *store, const char *sql, int64_t id,
                                      const clump_row_form *form, size_t size, clump_arena *arena,
                                      void **rows, size_t *count);

#endif
