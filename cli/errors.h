/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_ERRORS_H
#define CLUMP_CLI_ERRORS_H

/*
 * What goes to stderr, and the exit codes. Every function prints "clumpmodel[ COMMAND]: MESSAGE",
 * with control characters of the message escaped, and returns the exit code that fits.
 */

#include "data/store.h"

enum {
    CLUMP_CLI_DONE = 0,
    CLUMP_CLI_FAILED = 1, /**< ran but failed */
    CLUMP_CLI_INPUT = 2   /**< the user's input */
};

#if defined(__GNUC__)
#define CLUMP_CLI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CLUMP_CLI_PRINTF(text, first)
#endif

/** Misuse of the command line; adds a line that points to the help of `command` (or NULL). */
int clump_cli_error_usage(const char *command, const char *format, ...) CLUMP_CLI_PRINTF(2, 3);

/** A file, scenario or data base of the user that cannot be used. */
int clump_cli_error_input(const char *command, const char *format, ...) CLUMP_CLI_PRINTF(2, 3);

/** Ran but failed. */
int clump_cli_error_failed(const char *command, const char *format, ...) CLUMP_CLI_PRINTF(2, 3);

/** Out of memory. */
int clump_cli_error_memory(const char *command);

/** The last failure of a store; NULL stands for a store that could not even be allocated. */
int clump_cli_error_store(const char *command, const clump_store *store, clump_store_status status);

#endif
