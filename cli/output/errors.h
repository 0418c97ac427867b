/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_OUTPUT_ERRORS_H
#define CLUMP_CLI_OUTPUT_ERRORS_H

/*
 * What goes to stderr, and the exit codes. Each function prints "clumpmodel[ COMMAND]: MESSAGE" with
 * control characters of the message escaped; those of errors return the exit code that fits.
 */

#include "data/store/store.h"

#include <stdbool.h>

enum {
    EXIT_DONE = 0,
    EXIT_FAILED = 1, /**< ran but failed */
    EXIT_INPUT = 2   /**< the user's input */
};

#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))

/** Something to know that is no error: "clumpmodel[ COMMAND]: note: MESSAGE". */
void note_print(const char *command, const char *format, ...) PRINTF_LIKE(2, 3);

/** A note for each line of a text, after "ABOUT: " if that is not NULL. */
void note_lines(const char *command, const char *about, const char *lines);

/** Misuse of the command line; adds a line that points to the help of `command` (or NULL). */
int error_usage(const char *command, const char *format, ...) PRINTF_LIKE(2, 3);

/** A file, scenario or database of the user that cannot be used. */
int error_input(const char *command, const char *format, ...) PRINTF_LIKE(2, 3);

/** Ran but failed. */
int error_failed(const char *command, const char *format, ...) PRINTF_LIKE(2, 3);

/** What a library says: of the user's input, or of a failure. */
int error_told(const char *command, bool of_input, const char *message);

/** Out of memory. */
int error_memory(const char *command);

/** The last failure of a store; NULL stands for a store that could not even be allocated. */
int error_store(const char *command, const clump_store *store, clump_store_status status);

#endif
