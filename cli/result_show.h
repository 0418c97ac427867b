/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_RESULT_SHOW_H
#define CLUMP_CLI_RESULT_SHOW_H

/*
 * What results of scenarios can become beside text: --plot, --plot-kind, --plot-script, --html, for
 * every command that has such results: its settings hold a show_options.
 */

#include "cli/pictures/plot_options.h"
#include "cli/pictures/result_page.h"

typedef struct show_options {
    plot_request plot;
    result_plot_kind kind;
    const char *html; /**< file, or NULL */
} show_options;

/** All four, into a show_options. */
extern const option_entry result_show_options[];

/** Whether there is something to be drawn as --plot-kind says; complains itself. @return exit code */
int show_check(const command_line *line);

/**
 * Draw and write what was asked for, if anything, after the results are printed; complains itself.
 *
 * @param page  the results; command, path and kind are filled in here
 * @return exit code
 */
int show_results(const show_options *show, output_format format, result_page page);

#endif
