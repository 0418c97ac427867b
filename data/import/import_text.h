/* SPDX-License-Identifier: GPL-3.0-or-later */
/** The text of a log file, line by line and word by word. Internal to data/. */
#ifndef CLUMP_DATA_IMPORT_IMPORT_TEXT_H
#define CLUMP_DATA_IMPORT_IMPORT_TEXT_H

#include "data/import/import_log.h"

enum {
    CLUMP_IMPORT_LINE = 1 << 16 /**< most bytes of a line */
};

/** What the user knows beside the file; 0, -1 and NULL: nothing. */
typedef struct clump_import_hints {
    int64_t window;
    int64_t processes;
    int64_t size_bytes;
    const char *quantity;                /**< of a file that does not say */
    const char *name;                    /**< of the file */
    bool of_application;                 /**< what is measured is of an application */
    const struct clump_job_context *job; /**< what the log's job says of itself; may be NULL */
} clump_import_hints;

typedef struct clump_import_text {
    clump_import_log *log;
    char *bytes; /**< end with NUL; lines are cut out of them in place */
    size_t size;
    size_t at;
    size_t line; /**< that was read last, from 1 */
    bool whole;  /**< the last line ends as a line does */
    size_t crlf; /**< the first line that ended with CR LF, which is LF here; 0: none did */
    clump_import_hints hints;
} clump_import_text;

/**
 * Makes `bytes`, which has room for one more, text: colours of a terminal go, and what mpirun or
 * srun put before each line to say which process printed it (then what it printed to stderr goes,
 * too). False with a message
 * in the log if it is binary, has a byte order mark or lines that end with CR, has a line that is too long, or is empty.
 */
bool clump_import_text_start(clump_import_text *text, char *bytes, size_t size,
                             clump_import_log *log);

/** The next line, without its end and without blanks at its end; NULL: no more. */
char *clump_import_text_next(clump_import_text *text);

/** Whether it is in one of the first `lines` lines that are not empty: only before lines were cut. */
bool clump_import_text_has(const clump_import_text *text, const char *needle, size_t lines);

/** False with a message if the file stops in the middle of a line: every tool ends its last line,
 *  so that the rest of the file is missing. */
bool clump_import_text_is_whole(const clump_import_text *text, clump_import_log *log);

/** A number; false with a message that says what is wrong with it: a decimal comma, not a number
 *  at all, infinite. `what` is what was expected. */
bool clump_import_number(clump_import_log *log, const char *word, const char *what, double *value);

/** The same, and not negative. */
bool clump_import_amount(clump_import_log *log, const char *word, const char *what, double *value);

/** A whole number that is not negative. */
bool clump_import_whole(clump_import_log *log, const char *word, const char *what, int64_t *value);

/** nan or -nan, by which some tools mark what is missing. */
bool clump_import_is_nan(const char *word);

/**
 * One measurement that is printed twice: as a time with few digits, and as a rate from which
 * `better` was computed. Takes `better` if it rounds to `printed`; false with a message if they
 * contradict each other. `half` is half a unit of the last digit of `printed`, `error` what
 * `better` may be off by, relatively.
 */
bool clump_import_sharpen(clump_import_log *log, double printed, double half, double better,
                          double error, double *value);

#endif
