/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_FIT_SLOWDOWN_OUTPUT_H
#define CLUMP_CLI_FIT_SLOWDOWN_OUTPUT_H

#include "cli/fit_slowdown_question.h"
#include "cli/plot_options.h"

/** What is printed. */
typedef struct clump_cli_fit_slowdown_answer {
    const clump_cli_fit_slowdown_question *asked;
    const clump_slowdown_fit *fit;
    const char *application; /**< may be NULL */
} clump_cli_fit_slowdown_answer;

/** Parameters, correlations, configurations, goodness; CSV: parameters only. */
int clump_cli_fit_slowdown_print(clump_cli_format format,
                                 const clump_cli_fit_slowdown_answer *answer);

/** Draw measured and fitted times of the configurations; complains itself. */
int clump_cli_fit_slowdown_draw(const clump_cli_plot_request *request, clump_cli_format format,
                                const clump_cli_fit_slowdown_answer *answer);

/** Rows with key "configurations"; the answer must outlive them. */
clump_cli_rows clump_cli_fit_slowdown_run_rows(const clump_cli_fit_slowdown_answer *answer);

/** Name of an unknown, as in fit->unknowns: "U", "time", "time ultra170-now". */
#define CLUMP_CLI_UNKNOWN_SIZE 64
const char *clump_cli_fit_slowdown_unknown(const clump_cli_fit_slowdown_question *asked,
                                           size_t unknown, char text[CLUMP_CLI_UNKNOWN_SIZE]);

/** Warnings on stderr: trade-offs, bounds, a model that does not fit, what to measure next. */
void clump_cli_fit_slowdown_warn(const char *command, const clump_cli_fit_slowdown_answer *answer);

#endif
