/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_SUGGEST_H
#define CLUMP_CLI_SUGGEST_H

/*
 * "Did you mean": offer every name that exists, ask for the one most like what was typed.
 */

#include <stddef.h>

#define CLUMP_CLI_SUGGEST_LENGTH 64

typedef struct clump_cli_suggestion {
    const char *wanted;
    char best[CLUMP_CLI_SUGGEST_LENGTH]; /**< "" if nothing is alike enough */
    size_t distance;
} clump_cli_suggestion;

clump_cli_suggestion clump_cli_suggest_start(const char *wanted);

void clump_cli_suggest_offer(clump_cli_suggestion *suggestion, const char *name);

#define CLUMP_CLI_SUGGEST_TEXT_SIZE (CLUMP_CLI_SUGGEST_LENGTH + 32)

/** "; did you mean '--nics'?" with `prefix` "--", or "" if nothing is alike. */
const char *clump_cli_suggest_text(const clump_cli_suggestion *suggestion, const char *prefix,
                                   char text[CLUMP_CLI_SUGGEST_TEXT_SIZE]);

#endif
