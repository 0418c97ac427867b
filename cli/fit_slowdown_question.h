/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_FIT_SLOWDOWN_QUESTION_H
#define CLUMP_CLI_FIT_SLOWDOWN_QUESTION_H

/*
 * The options of `clumpmodel fit slowdown`: runs from the store, a file and the command line, and
 * what is to be found from them.
 */

#include "cli/command.h"
#include "fitting/slowdown_runs.h"

enum {
    CLUMP_CLI_FIT_APPLICATION,
    CLUMP_CLI_FIT_PLATFORM,
    CLUMP_CLI_FIT_VARIANT,
    CLUMP_CLI_FIT_QUANTITY,
    CLUMP_CLI_FIT_FILE,
    CLUMP_CLI_FIT_RUN,
    CLUMP_CLI_FIT_FREE,
    CLUMP_CLI_FIT_FIX,
    CLUMP_CLI_FIT_DEMAND,
    CLUMP_CLI_FIT_EFFICIENCY,
    CLUMP_CLI_FIT_MAPPING,
    CLUMP_CLI_FIT_CONFIDENCE,
    CLUMP_CLI_FIT_NAME,
    CLUMP_CLI_FIT_PLOT,
    CLUMP_CLI_FIT_PLOT_SCRIPT,
    CLUMP_CLI_FIT_SLOWDOWN_OPTION_COUNT
};

extern const clump_cli_option clump_cli_fit_slowdown_options[CLUMP_CLI_FIT_SLOWDOWN_OPTION_COUNT];

typedef struct clump_cli_fit_slowdown_question {
    clump_slowdown_runs runs;
    clump_slowdown_question question; /**< points into `runs` and `base_times_s` */
    double base_times_s[CLUMP_SLOWDOWN_BASES];
    char file_sha256[65]; /**< of --file; "" if there is none */
} clump_cli_fit_slowdown_question;

/**
 * Read the options and the runs they name; complains itself. Free the question in any case.
 * @param store  NULL unless --application is given
 */
int clump_cli_fit_slowdown_question_read(const clump_cli_invocation *invocation, clump_store *store,
                                         clump_cli_fit_slowdown_question *question);

void clump_cli_fit_slowdown_question_free(clump_cli_fit_slowdown_question *question);

#endif
