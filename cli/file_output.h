/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_FILE_OUTPUT_H
#define CLUMP_CLI_FILE_OUTPUT_H

/*
 * Files that a command writes. The file appears, or is replaced, when it is whole, or not at all:
 *
 *     begin -> write to `file` -> commit | abandon
 */

#include <stdio.h>

typedef struct clump_cli_file {
    const char *command; /**< for messages */
    const char *path;    /**< as the user wrote it */
    FILE *file;
    char *temporary; /**< its name meanwhile, in the same directory */
} clump_cli_file;

/** Complains itself. @return exit code; nothing to release unless it is CLUMP_CLI_DONE */
int clump_cli_file_begin(const char *command, const char *path, clump_cli_file *output);

/** @return exit code; 1 and nothing changed if not all could be written */
int clump_cli_file_commit(clump_cli_file *output);

void clump_cli_file_abandon(clump_cli_file *output);

#endif
