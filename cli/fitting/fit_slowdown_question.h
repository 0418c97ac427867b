/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_FITTING_FIT_SLOWDOWN_QUESTION_H
#define CLUMP_CLI_FITTING_FIT_SLOWDOWN_QUESTION_H

/* What the options of `fit slowdown` ask, and of which runs. */

#include "cli/command.h"
#include "cli/pictures/plot_options.h"
#include "data/sha256.h"
#include "fitting/slowdown/slowdown_runs.h"

/** What the options are read into. */
typedef struct fit_slowdown_settings {
    clump_slowdown_selection selection; /* of the database's times; also the mapping of others */
    option_texts platforms;
    const char *file;
    option_texts runs;
    const char *free, *demand;
    option_texts fixed;
    clump_efficiency_form form;
    const char *name; /* of the application that it becomes, or NULL */
    plot_request plot;
} fit_slowdown_settings;

/** The question, and the runs that the options name. */
typedef struct fit_slowdown_asked {
    const command_invocation *invocation;
    const fit_slowdown_settings *settings;
    clump_slowdown_runs runs;
    clump_slowdown_question question; /* points into `runs` and `base_times_s` */
    double base_times_s[CLUMP_SLOWDOWN_BASES];
    char file_sha256[CLUMP_SHA256_TEXT]; /* of --file */
} fit_slowdown_asked;

/**
 * Fill in the question from the settings.
 *
 * @param asked  invocation and settings are set; `runs` is to be freed, also after a failure
 * @param store  whose times --application means; NULL: there is none
 * @return the exit code; what is wrong has been said
 */
int fit_slowdown_read_question(fit_slowdown_asked *asked, clump_store *store);

/** Say what is wrong, if anything is. @return the exit code */
int fit_slowdown_complain(const fit_slowdown_asked *asked, clump_status status,
                          const clump_error *error);

#endif
