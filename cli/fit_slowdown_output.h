/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FIT_SLOWDOWN_OUTPUT_H
#define FIT_SLOWDOWN_OUTPUT_H

#include "cli/fit_slowdown_question.h"
#include "cli/pictures/plot_options.h"

/** What is printed. */
typedef struct fit_slowdown_answer {
    const fit_slowdown_question *asked;
    const clump_slowdown_fit *fit;
    const char *application; /**< may be NULL */
} fit_slowdown_answer;

/** Parameters, correlations, configurations, goodness; CSV: parameters only. */
int fit_slowdown_print(output_format format, const fit_slowdown_answer *answer);

/** Draw measured and fitted times of the configurations; complains itself. */
int fit_slowdown_draw(const plot_request *request, output_format format,
                      const fit_slowdown_answer *answer);

/** Rows with key "configurations"; the answer must outlive them. */
table_rows fit_slowdown_run_rows(const fit_slowdown_answer *answer);

/** Name of an unknown, as in fit->unknowns: "U", "time", "time ultra170-now". */
#define UNKNOWN_SIZE 64
const char *fit_slowdown_unknown(const fit_slowdown_question *asked, size_t unknown,
                                 char text[UNKNOWN_SIZE]);

/** Warnings on stderr: trade-offs, bounds, a model that does not fit, what to measure next. */
void fit_slowdown_warn(const char *command, const fit_slowdown_answer *answer);

#endif
