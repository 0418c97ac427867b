/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_FIT_SLOWDOWN_OUTPUT_H
#define CLUMP_CLI_FIT_SLOWDOWN_OUTPUT_H

#include "cli/pictures/plot_options.h"
#include "fitting/slowdown/slowdown_runs.h"

/** What was asked: runs from the store, a file and the command line, and what to find from them. */
typedef struct fit_slowdown_question {
    clump_slowdown_runs runs;
    clump_slowdown_question question; /**< points into `runs` and `base_times_s` */
    double base_times_s[CLUMP_SLOWDOWN_BASES];
    char file_sha256[65]; /**< of --file; "" if there is none */
} fit_slowdown_question;

/** What is printed. */
typedef struct fit_slowdown_answer {
    const fit_slowdown_question *asked;
    const clump_slowdown_fit *fit;
    const char *application; /**< may be NULL */
} fit_slowdown_answer;

/** Parameters, correlations, configurations, goodness; CSV: parameters only. */
int fit_slowdown_print(const char *command, output_format format,
                       const fit_slowdown_answer *answer);

/** Draw measured and fitted times of the configurations; complains itself. */
int fit_slowdown_draw(const plot_request *request, output_format format,
                      const fit_slowdown_answer *answer);

/** Notes on stderr: trade-offs, bounds, a model that does not fit, what to measure next. */
void fit_slowdown_warn(const char *command, const fit_slowdown_answer *answer);

#endif
