/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RESULT_SHOW_H
#define RESULT_SHOW_H

/*
 * What results of scenarios can become beside text: --plot, --plot-kind, --plot-script, --html, for
 * every command that has such results.
 *
 *     enum { ..., SHOW_NAMES, OPTION_COUNT };
 *     static const option_entry options[OPTION_COUNT] = { ..., SHOW_OPTIONS };
 *
 *     show_options show;
 *     status = show_read(arguments, PLOT, &show);       // before anything is computed
 *     ... compute, print ...
 *     status = show_results(&show, format, &page);
 */

#include "cli/pictures/plot_options.h"
#include "cli/pictures/result_page.h"

#define SHOW_NAMES PLOT, PLOT_KIND, PLOT_SCRIPT, HTML
#define SHOW_OPTIONS                                                                               \
    [PLOT] = PLOT_OPTION,                                                                          \
    [PLOT_KIND] = {.name = "plot-kind",                                                            \
                   .argument = "lines|heat",                                                       \
                   .help = "slowdown over the quantity with most values (default), or a\n"         \
                           "map of it over two quantities"},                                       \
    [PLOT_SCRIPT] = PLOT_SCRIPT_OPTION, [HTML] = HTML_OPTION

typedef struct show_options {
    plot_request plot;
    result_plot_kind kind;
    const char *html; /**< file, or NULL */
} show_options;

/** All four, into a show_options. */
extern const option_entry result_show_options[];

/** Whether there is something to be drawn as --plot-kind says; complains itself. @return exit code */
int show_check(const command_line *line);

/** Read the options, of which --plot is `first`; complains itself. @return exit code */
int show_read(const command_line *arguments, size_t first, show_options *show);

/**
 * Draw and write what was asked for, if anything, after the results are printed; complains itself.
 *
 * @param page  the results; command, path and kind are filled in here
 * @return exit code
 */
int show_results(const show_options *show, output_format format, result_page page);

#endif
