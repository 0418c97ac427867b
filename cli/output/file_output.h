/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_OUTPUT_FILE_OUTPUT_H
#define CLUMP_CLI_OUTPUT_FILE_OUTPUT_H

/*
 * Files that a command writes: every one of them goes through here. The file appears, or is
 * replaced, when it is whole and on the disk, or nothing changes:
 *
 *     begin -> write to `file` -> commit | abandon
 *
 * What was there keeps its permissions, its owner if the system allows that, and the symbolic link
 * through which it was named. Of several hard links only the one that was named has the new
 * contents. A pipe or a terminal (/dev/stdout, /dev/null, >(...) of a shell) cannot be replaced: it
 * is written to as it is. ^C and the like leave nothing unfinished behind.
 */

#include <stdbool.h>
#include <stdio.h>

typedef struct output_file {
    const char *command; /**< for messages */
    const char *path;    /**< as the user wrote it */
    FILE *file;
    char *target;    /**< behind all symbolic links; NULL: written to as it is */
    char *temporary; /**< its name meanwhile, in the same directory */
} output_file;

/** Complains itself. @return exit code; nothing to release unless it is EXIT_DONE */
int file_begin(const char *command, const char *path, output_file *output);

/** @return exit code; 1 and nothing changed if not all could be written */
int file_commit(output_file *output);

void file_abandon(output_file *output);

/** Everything printed to it has arrived: 0, else the errno that tells why not. */
int file_flush(FILE *file);

/** Whether a file could be begun, without touching what is there. Complains itself. @return exit code */
int file_try(const char *command, const char *path);

/** Whether two names are those of one file, also if it is not there yet. */
bool file_is_same(const char *a, const char *b);

#endif
