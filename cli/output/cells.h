/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_OUTPUT_CELLS_H
#define CLUMP_CLI_OUTPUT_CELLS_H

/*
 * Results as the formats of output.h get them: records, and a table of columns that says once what
 * each column is called, where its value stands in a record, and how a table shows it.
 *
 *     static const table_column columns[] = {
 *         {"name", "Platform", FIELD(clump_store_platform, name)},
 *         {"nodes", "Nodes", FIELD(clump_store_platform, nodes), .folding = FOLD_ROWS},
 *     };
 *     const table_rows rows = {.key = "platforms", COLUMNS(columns), RECORDS(platforms, count)};
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum table_cell_kind {
    CELL_NONE = 0, /**< does not apply: "-", no key, empty */
    CELL_TEXT,
    CELL_REAL, /**< NAN and infinities become CELL_NONE */
    CELL_WHOLE,
    CELL_TRUTH
} table_cell_kind;

typedef struct table_cell {
    table_cell_kind kind;
    const char *text; /**< may point to `buffer` */
    double real;
    int64_t whole; /**< also truth: 0 or 1 */
    char buffer[64];
} table_cell;

void cell_text(table_cell *cell, const char *text); /**< NULL or "": none */
void cell_real(table_cell *cell, double real);
void cell_whole(table_cell *cell, int64_t whole);
/** A whole number that is kept as a double, such as a size in bytes; the nearest there is. */
void cell_rounded(table_cell *cell, double real);
void cell_truth(table_cell *cell, bool truth);

/** A text that is made in the cell's own buffer. */
__attribute__((format(printf, 2, 3))) void cell_print(table_cell *cell, const char *format, ...);

typedef struct table_column table_column;

/** A number that a column has for a record as it stands there, without a cell: NAN where there is none.
 *  @return false if only a cell can tell */
bool column_read_real(const table_column *column, const void *record, double *number);

/** How a table writes real numbers. */
typedef enum number_notation {
    NUMBER_GENERAL = 0, /**< up to 4 significant digits */
    NUMBER_EXACT,       /**< up to 9, for numbers that were read, not computed */
    NUMBER_RATIO,       /**< 4 decimals, for slowdowns */
    NUMBER_PERCENT,     /**< 0.123 as 12.3% */
    NUMBER_SIGNED       /**< the same with a sign, for errors */
} number_notation;

/** When a column of a table becomes a line above it; never where rows differ. */
typedef enum column_folding {
    FOLD_NEVER = 0,
    FOLD_ROWS, /**< if there is more than one row */
    FOLD_ALWAYS
} column_folding;

/** How a column stands in a table. */
typedef enum column_layout {
    COLUMN_BY_TYPE = 0, /**< texts and truth left, all else right */
    COLUMN_RIGHT,
    COLUMN_LEFT,
    COLUMN_PROSE, /**< text that is broken into lines on a narrow terminal */
    COLUMN_DETAIL /**< only with a single record, or where details are wanted, and in JSON and CSV */
} column_layout;

/** The type of a record's field. */
typedef enum field_type {
    FIELD_MADE = 0, /**< no field: `make` or `make_with` fills in the cell */
    FIELD_TEXT,     /**< const char *; NULL or "" is none */
    FIELD_CHARS,    /**< an array of char; "" is none */
    FIELD_REAL,     /**< double; NAN and infinities are none */
    FIELD_SIZE,     /**< size_t */
    FIELD_UNSIGNED, /**< unsigned */
    FIELD_WHOLE,    /**< int64_t */
    FIELD_TRUTH     /**< bool */
} field_type;

/** A field of a record, of any of the types above but an array. */
#define FIELD(record, member)                                                                      \
    .type = _Generic(&((record *)0)->member,                                                       \
        const char **: FIELD_TEXT,                                                                 \
        char **: FIELD_TEXT,                                                                       \
        double *: FIELD_REAL,                                                                      \
        unsigned long *: FIELD_SIZE, /* size_t, or as wide as it */                                \
        unsigned *: FIELD_UNSIGNED,                                                                \
        int64_t *: FIELD_WHOLE,                                                                    \
        bool *: FIELD_TRUTH),                                                                      \
    .offset = offsetof(record, member)

#define FIELD_ARRAY(record, member) .type = FIELD_CHARS, .offset = offsetof(record, member)

struct table_column {
    const char *key;     /**< in JSON and CSV; NULL: only in tables */
    const char *heading; /**< of tables; NULL: only in JSON and CSV */
    number_notation notation;
    column_folding folding;
    column_layout layout;
    /** FIELD(); with `make`: FIELD_REAL if it makes numbers that conditions use. */
    field_type type;
    size_t offset;
    bool positive; /**< what is not above 0 is none */
    /** What the field belongs to, and what `make` speaks of, where that is not the record itself; it
     *  may return NULL: none. */
    const void *(*of)(const void *record);
    /** Fill in the cell, which is none so far. */
    void (*make)(const void *record, table_cell *cell);
    /** The same for several columns, which `offset` can tell apart. */
    void (*make_with)(const table_column *column, const void *record, table_cell *cell);
    /** Whether the record has such a value; NULL: yes. */
    bool (*applies)(const void *record);
    /** Whether a table should show it: a column that no row has a use for is left out there. NULL:
     *  yes. */
    bool (*worth)(const void *record);
    /** The same for all formats. */
    bool (*wanted)(const void *record);
    /* Of columns that pictures and conditions know. */
    const char *symbol;  /**< such as "U" */
    const char *label;   /**< of an axis; NULL: the heading */
    const char *meaning; /**< in the manual; NULL: the label, or the heading */
    const char *words;   /**< how a value is told, such as "U = %.4g" or "%.0f NIC(s)" */
};

typedef struct table_rows {
    const char *key; /**< of the array in JSON */
    const table_column *columns;
    size_t column_count;
    const void *records;
    size_t record_size; /**< 0: `records` are pointers to them */
    size_t row_count;
    bool details; /**< tables have columns of COLUMN_DETAIL, too */
} table_rows;

#define COLUMNS(list) .columns = list, .column_count = sizeof(list) / sizeof *(list)
#define RECORDS(list, count) .records = list, .record_size = sizeof *(list), .row_count = count
#define RECORD_POINTERS(list, count) .records = list, .row_count = count

/** What stands in a column of a record. */
void column_read(const table_column *column, const void *record, table_cell *cell);

/** The same by numbers of row and column. */
void cell_read(const table_rows *rows, size_t row, size_t column, table_cell *cell);

/** Which columns some row wants. Only the first ones can have conditions. */
enum { CONDITIONAL_COLUMNS = 64 };
typedef struct wanted_columns {
    bool left_out[CONDITIONAL_COLUMNS];
} wanted_columns;

wanted_columns columns_wanted(const table_rows *rows);

/** Whether JSON and CSV have the column. */
bool column_has_key(const table_rows *rows, const wanted_columns *wanted, size_t column);

/** What becomes of a column in a table. */
typedef enum column_fate {
    FATE_IN_TABLE,
    FATE_FOLDED, /**< a line above, because all rows say the same */
    FATE_DROPPED /**< nothing worth showing */
} column_fate;

column_fate column_decide(const table_rows *rows, size_t column);

/** COLUMN_BY_TYPE is resolved. */
column_layout column_layout_of(const table_column *column);

/** Beside the arrays in JSON: one value, or a list of numbers. */
typedef struct output_field {
    const char *key;
    table_cell value;
    const double *numbers; /**< if not NULL, instead of the value */
    size_t number_count;
} output_field;

output_field field_text(const char *key, const char *text); /**< which must outlive it */
output_field field_real(const char *key, double real);
output_field field_size(const char *key, size_t size);

/** A cell as a table shows it, unescaped; "-" for none. `text` is used for numbers. */
#define SHOWN_SIZE 64
const char *cell_show(const table_cell *cell, number_notation notation, char text[SHOWN_SIZE]);

/** "±", or "+-" where the terminal has no such character. */
const char *plus_minus(void);

#endif
