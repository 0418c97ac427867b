/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_OUTPUT_FILE_OUTPUT_H
#define CLUMP_CLI_OUTPUT_FILE_OUTPUT_H

/*
 * Files that a command writes. The file appears, or is replaced, when it is whole, or not at all:
 *
 *     begin -> write to `file` -> commit | abandon
 */

#include <stdio.h>

typedef struct output_file {
    const char *command; /**< for messages */
    const char *path;    /**< as the user wrote it */
    FILE *file;
    char *temporary; /**< its name meanwhile, in the same directory */
} output_file;

/** Complains itself. @return exit code; nothing to release unless it is EXIT_DONE */
int file_begin(const char *command, const char *path, output_file *output);

/** @return exit code; 1 and nothing changed if not all could be written */
int file_commit(output_file *output);

void file_abandon(output_file *output);

#endif
