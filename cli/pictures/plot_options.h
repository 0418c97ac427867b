/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PLOT_OPTIONS_H
#define PLOT_OPTIONS_H

/*
 * What every command that draws has in common: --plot FILE and --plot-script FILE.
 *
 *     enum { ..., PLOT, PLOT_SCRIPT, OPTION_COUNT };
 *     static const option_entry options[OPTION_COUNT] = { ...,
 *         [PLOT] = PLOT_OPTION, [PLOT_SCRIPT] = PLOT_SCRIPT_OPTION };
 *
 *     plot_request request;
 *     status = plot_request_read(arguments, PLOT, PLOT_SCRIPT, &request);   // first
 *     ... print the results ...
 *     if (status == EXIT_DONE && plot_request_is_made(&request))
 *         status = plot_request_draw(&request, plots, count, format);
 */

#include "cli/options/options.h"
#include "cli/output/output.h"
#include "cli/pictures/plot.h"

#define PLOT_OPTION                                                                                \
    {                                                                                              \
        .name = "plot", .argument = "FILE",                                                        \
        .help = "draw the results: FILE.svg, FILE.png or FILE.pdf (by gnuplot), or\n"              \
                "'-' for the terminal"                                                             \
    }
#define PLOT_SCRIPT_OPTION                                                                         \
    {                                                                                              \
        .name = "plot-script", .argument = "FILE",                                                 \
        .help = "write the picture as a gnuplot script with its data, to be\n"                     \
                "finished by hand"                                                                 \
    }

typedef struct plot_request {
    const char *command; /**< for messages */
    const char *file;    /**< of --plot, or NULL */
    const char *script;  /**< of --plot-script, or NULL */
} plot_request;

/** Read both options and check the names; complains itself. @return exit code */
int plot_request_read(const command_line *arguments, size_t plot_option, size_t script_option,
                      plot_request *request);

/**
 * For commands that measure: whether the files can be written is told before anything is measured
 * or stored, not after. Complains itself. @return exit code
 */
int plot_request_try(const plot_request *request);

/** Whether there is anything to draw. */
bool plot_request_is_made(const plot_request *request);

/**
 * Draw and write what was asked for, after the results: the terminal's picture goes to stdout
 * after a table, else to stderr. Complains itself. @return exit code
 */
int plot_request_draw(const plot_request *request, const plot_picture *plots, size_t count,
                      output_format format);

#endif
