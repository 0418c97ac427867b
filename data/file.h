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
    CLUMP_FILE_DAMAGED, /**< it is compressed, and cannot be made what it was */
    CLUMP_FILE_TOO_LARGE,
    CLUMP_FILE_NO_MEMORY
} clump_file_status;

/**
 * Reads a file, or standard input; what gzip has compressed as it was before. A named pipe to which nobody writes within a minute is empty.
 *
 * @param path   "-" is standard input
 * @param limit  most bytes that it may have, uncompressed
 * @param bytes  receives what it holds, with a NUL behind it, to be freed; only if all is well
 */
clump_file_status clump_file_read(const char *path, size_t limit, char **bytes, size_t *size);

/** The same with the rest of a stream that is open. */
clump_file_status clump_file_read_stream(FILE *file, size_t limit, char **bytes, size_t *size);

/** The beginning of a regular file, likewise: how many bytes there are of `room`; 0 also if it cannot be read. */
size_t clump_file_begin(const char *path, char *bytes, size_t room);

enum { CLUMP_FILE_WORDS = 256 };

/** Why a file was not read, to stand behind its name; errno is as it was then.
 *  @param expected  what it should have: "a schedule" */
const char *clump_file_words(clump_file_status status, size_t limit, const char *expected,
                             char words[CLUMP_FILE_WORDS]);

#endif
