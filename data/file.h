/* SPDX-License-Identifier: GPL-3.0-or-later */
/** Whole files into memory. */
#ifndef CLUMP_DATA_FILE_H
#define CLUMP_DATA_FILE_H

#include <stddef.h>
#include <stdio.h>

typedef enum clump_file_status {
    CLUMP_FILE_OK = 0,
    CLUMP_FILE_NOT_OPENED, /**< errno tells why, here and in the next two */
    CLUMP_FILE_DIRECTORY,
    CLUMP_FILE_UNREADABLE,
    CLUMP_FILE_TOO_LARGE,
    CLUMP_FILE_NO_MEMORY
} clump_file_status;

/**
 * Reads a file, or standard input. A named pipe to which nobody writes within a minute is empty.
 *
 * @param path   "-" is standard input
 * @param limit  most bytes that it may have
 * @param bytes  receives what it holds, with a NUL behind it, to be freed; only if all is well
 */
clump_file_status clump_file_read(const char *path, size_t limit, char **bytes, size_t *size);

/** The same with the rest of a stream that is open. */
clump_file_status clump_file_read_stream(FILE *file, size_t limit, char **bytes, size_t *size);

enum { CLUMP_FILE_WORDS = 256 };

/** Why a file was not read, to stand behind its name; errno is as it was then.
 *  @param expected  what it should have: "a schedule" */
const char *clump_file_words(clump_file_status status, size_t limit, const char *expected,
                             char words[CLUMP_FILE_WORDS]);

#endif
