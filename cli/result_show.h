/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_RESULT_SHOW_H
#define CLUMP_CLI_RESULT_SHOW_H

/*
 * What results of scenarios can become beside text: --plot, --plot-kind, --plot-script, --html, for
 * every command that has such results.
 *
 *     enum { ..., CLUMP_CLI_SHOW_NAMES, OPTION_COUNT };
 *     static const clump_cli_option options[OPTION_COUNT] = { ..., CLUMP_CLI_SHOW_OPTIONS };
 *
 *     clump_cli_show show;
 *     status = clump_cli_show_read(arguments, PLOT, &show);       // before anything is computed
 *     ... compute, print ...
 *     status = clump_cli_show_results(&show, format, &page);
 */

#include "cli/plot_options.h"
#include "cli/result_page.h"

#define CLUMP_CLI_SHOW_NAMES PLOT, PLOT_KIND, PLOT_SCRIPT, HTML
#define CLUMP_CLI_SHOW_OPTIONS                                                                     \
    [PLOT] = CLUMP_CLI_PLOT_OPTION,                                                                \
    [PLOT_KIND] = {.name = "plot-kind",                                                            \
                   .argument = "lines|heat",                                                       \
                   .help = "slowdown over the quantity with most values (default), or a\n"         \
                           "map of it over two quantities"},                                       \
    [PLOT_SCRIPT] = CLUMP_CLI_PLOT_SCRIPT_OPTION, [HTML] = CLUMP_CLI_HTML_OPTION

typedef struct clump_cli_show {
    clump_cli_plot_request plot;
    clump_cli_result_plot_kind kind;
    const char *html; /**< file, or NULL */
} clump_cli_show;

/** Read the options, of which --plot is `first`; complains itself. @return exit code */
int clump_cli_show_read(const clump_cli_arguments *arguments, size_t first, clump_cli_show *show);

/**
 * Draw and write what was asked for, if anything, after the results are printed; complains itself.
 *
 * @param page  the results; command, path and kind are filled in here
 * @return exit code
 */
int clump_cli_show_results(const clump_cli_show *show, clump_cli_format format,
                           clump_cli_result_page page);

#endif
