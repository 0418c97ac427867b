/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_OUTPUT_STANDARD_OUTPUT_H
#define CLUMP_CLI_OUTPUT_STANDARD_OUTPUT_H

/*
 * Standard output, to which all commands print their results, and the file of --output that can take
 * its place:
 *
 *     redirect -> the command prints -> return -> close
 */

#include "cli/output/file_output.h"

#include <stdbool.h>

typedef struct output_redirection {
    output_file file;
    int before; /**< what standard output was */
    bool active;
} output_redirection;

/** From here on standard output is the file `path`; nothing changes if that is NULL or "-". Complains
 *  itself. @return exit code */
int standard_output_redirect(const char *command, const char *path,
                             output_redirection *redirection);

/**
 * Standard output is again what it was. The file is replaced by what was printed; it stays as it was if
 * not all could be written, if the input was wrong, or if a command that failed printed nothing. What an
 * interrupted command printed says itself that it is incomplete.
 *
 * @param status  how the command ended
 * @return its exit code, or 1 if the file could not be written
 */
int standard_output_return(output_redirection *redirection, int status);

/** Output that did not arrive is a failure, whatever the command thinks of itself. Nothing can be
 *  printed afterwards. @return `status`, or 1 */
int standard_output_close(int status);

#endif
