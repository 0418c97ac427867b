/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_PLOT_OPTIONS_H
#define CLUMP_CLI_PLOT_OPTIONS_H

/*
 * What every command that draws has in common: --plot FILE and --plot-script FILE.
 *
 *     enum { ..., PLOT, PLOT_SCRIPT, OPTION_COUNT };
 *     static const clump_cli_option options[OPTION_COUNT] = { ...,
 *         [PLOT] = CLUMP_CLI_PLOT_OPTION, [PLOT_SCRIPT] = CLUMP_CLI_PLOT_SCRIPT_OPTION };
 *
 *     clump_cli_plot_request request;
 *     status = clump_cli_plot_request_read(arguments, PLOT, PLOT_SCRIPT, &request);   // first
 *     ... print the results ...
 *     if (status == CLUMP_CLI_DONE && clump_cli_plot_request_is_made(&request))
 *         status = clump_cli_plot_request_draw(&request, plots, count, format);
 */

#include "cli/options.h"
#include "cli/output.h"
#include "cli/plot.h"

#define CLUMP_CLI_PLOT_OPTION                                                                      \
    {                                                                                              \
        .name = "plot", .argument = "FILE",                                                        \
        .help = "draw the results: FILE.svg, FILE.png or FILE.pdf (by gnuplot), or\n"              \
                "'-' for the terminal"                                                             \
    }
#define CLUMP_CLI_PLOT_SCRIPT_OPTION                                                               \
    {                                                                                              \
        .name = "plot-script", .argument = "FILE",                                                 \
        .help = "write the picture as a gnuplot script with its data, to be\n"                     \
                "finished by hand"                                                                 \
    }

typedef struct clump_cli_plot_request {
    const char *command; /**< for messages */
    const char *file;    /**< of --plot, or NULL */
    const char *script;  /**< of --plot-script, or NULL */
} clump_cli_plot_request;

/** Read both options and check the names; complains itself. @return exit code */
int clump_cli_plot_request_read(const clump_cli_arguments *arguments, size_t plot_option,
                                size_t script_option, clump_cli_plot_request *request);

/**
 * For commands that measure: whether the files can be written is told before anything is measured
 * or stored, not after. Complains itself. @return exit code
 */
int clump_cli_plot_request_try(const clump_cli_plot_request *request);

/** Whether there is anything to draw. */
bool clump_cli_plot_request_is_made(const clump_cli_plot_request *request);

/**
 * Draw and write what was asked for, after the results: the terminal's picture goes to stdout
 * after a table, else to stderr. Complains itself. @return exit code
 */
int clump_cli_plot_request_draw(const clump_cli_plot_request *request, const clump_cli_plot *plots,
                                size_t count, clump_cli_format format);

#endif
