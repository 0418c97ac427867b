/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FIT_SLOWDOWN_QUESTION_H
#define FIT_SLOWDOWN_QUESTION_H

/*
 * The options of `clumpmodel fit slowdown`: runs from the store, a file and the command line, and
 * what is to be found from them.
 */

#include "cli/command.h"
#include "fitting/slowdown/slowdown_runs.h"

enum {
    FIT_APPLICATION,
    FIT_PLATFORM,
    FIT_VARIANT,
    FIT_QUANTITY,
    FIT_FILE,
    FIT_RUN,
    FIT_FREE,
    FIT_FIX,
    FIT_DEMAND,
    FIT_EFFICIENCY,
    FIT_MAPPING,
    FIT_CONFIDENCE,
    FIT_NAME,
    FIT_PLOT,
    FIT_PLOT_SCRIPT,
    FIT_SLOWDOWN_OPTION_COUNT
};

extern const option_entry fit_slowdown_options[FIT_SLOWDOWN_OPTION_COUNT];

typedef struct fit_slowdown_question {
    clump_slowdown_runs runs;
    clump_slowdown_question question; /**< points into `runs` and `base_times_s` */
    double base_times_s[CLUMP_SLOWDOWN_BASES];
    char file_sha256[65]; /**< of --file; "" if there is none */
} fit_slowdown_question;

/**
 * Read the options and the runs they name; complains itself. Free the question in any case.
 * @param store  NULL unless --application is given
 */
int fit_slowdown_question_read(const command_invocation *invocation, clump_store *store,
                               fit_slowdown_question *question);

void fit_slowdown_question_free(fit_slowdown_question *question);

#endif
