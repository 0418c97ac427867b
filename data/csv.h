/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Strict reader for CSV (RFC 4180) in memory.
 *
 * Records end with LF or CR LF; empty lines are skipped; a byte order mark at the beginning is
 * skipped; with `comments`, so are lines that begin with '#'. Everything else that is not RFC 4180
 * in UTF-8 is refused: NUL, a lone CR, a quote inside an unquoted field, text after a closing
 * quote, a quote that is never closed, a record with more or fewer fields than the first.
 */
#ifndef CLUMP_DATA_CSV_H
#define CLUMP_DATA_CSV_H

#include <stdbool.h>
#include <stddef.h>

enum {
    CLUMP_CSV_FIELDS = 256,     /**< most fields in a record */
    CLUMP_CSV_RECORD = 1 << 16, /**< most bytes in a record */
    CLUMP_CSV_MESSAGE = 160
};

typedef enum clump_csv_status {
    CLUMP_CSV_ROW,
    CLUMP_CSV_END,
    CLUMP_CSV_BAD /**< see message and line; there is nothing more to read */
} clump_csv_status;

typedef struct clump_csv_field {
    const char *text; /**< unquoted, ends with NUL, contains none; valid until the next record */
    size_t size;
} clump_csv_field;

/** The reader. Read `field`, `fields`, `line` and `message`; leave the rest alone. About 70 kB. */
typedef struct clump_csv {
    clump_csv_field field[CLUMP_CSV_FIELDS];
    size_t fields;                   /**< in this record */
    size_t line;                     /**< on which this record begins, or the error is, from 1 */
    char message[CLUMP_CSV_MESSAGE]; /**< after CLUMP_CSV_BAD */

    const char *at;
    const char *end;
    size_t next_line;
    size_t expected; /* fields of the first record; 0 before it */
    size_t used;     /* of text */
    bool comments;
    char text[CLUMP_CSV_RECORD];
} clump_csv;

/** Starts reading; `bytes` must stay until the last clump_csv_next(). */
void clump_csv_start(clump_csv *csv, const char *bytes, size_t size, bool comments);

/** Reads the next record. */
clump_csv_status clump_csv_next(clump_csv *csv);

/** Which field of the current record has this text? -1 if none. For header lines. */
int clump_csv_find(const clump_csv *csv, const char *name);

/** A name that a column may have, and its place in the caller's list of columns. */
typedef struct clump_csv_name {
    const char *name; /**< NULL after the last */
    int place;
} clump_csv_name;

typedef enum clump_csv_naming {
    CLUMP_CSV_NAMED,   /**< the whole line of names is read */
    CLUMP_CSV_UNKNOWN, /**< a name is none of those */
    CLUMP_CSV_TWICE    /**< there was a column of this place before */
} clump_csv_naming;

/**
 * Reads a header line, the current record: which column is where.
 *
 * @param column  receives the column of each place; start with -1, "not there", in all
 * @param next    start with 0. Field after the one that is UNKNOWN or TWICE, so that the caller can
 *                call again to pass it by
 */
clump_csv_naming clump_csv_name_columns(const clump_csv *csv, const clump_csv_name *names,
                                        int *column, size_t *next);

/** What the current record has in this column; NULL: nothing, or `column` is -1. */
const char *clump_csv_value(const clump_csv *csv, int column);

#endif
