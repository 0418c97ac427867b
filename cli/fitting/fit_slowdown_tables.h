/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_FITTING_FIT_SLOWDOWN_TABLES_H
#define CLUMP_CLI_FITTING_FIT_SLOWDOWN_TABLES_H

#include "cli/fitting/fit_report.h"
#include "fitting/slowdown/slowdown_runs.h"

/** What was found, from which runs. */
typedef struct fit_slowdown_answer {
    const clump_slowdown_runs *runs;
    const clump_slowdown_question *question;
    const clump_slowdown_fit *fit;
    const char *application; /**< may be NULL */
} fit_slowdown_answer;

/** Parameters, correlations, configurations. */
fit_tables fit_slowdown_tables_make(const fit_slowdown_answer *answer);

/** Name of an unknown, as in fit->unknowns: "U", "time", "time ultra170-now". */
#define UNKNOWN_SIZE 64
void fit_slowdown_unknown(const clump_slowdown_runs *runs, size_t unknown, char text[UNKNOWN_SIZE]);

#endif
