/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_PICTURES_PLOT_OPTIONS_H
#define CLUMP_CLI_PICTURES_PLOT_OPTIONS_H

/*
 * What every command that draws has in common: --plot FILE, a picture or a gnuplot script that
 * makes it. Its settings hold a plot_request, into which plot_options is read; after the results are printed:
 *
 *     if (status == EXIT_DONE && plot_request_is_made(&settings->plot))
 *         status = plot_request_draw(&settings->plot, plots, count);
 */

#include "cli/options/options.h"
#include "cli/pictures/plot.h"

typedef struct plot_request {
    const char *command; /**< for messages; NULL if nothing is to be drawn */
    const char *file;    /**< picture, or NULL */
    const char *script;  /**< FILE.gp, or NULL */
} plot_request;

/** The option, into a plot_request. */
extern const option_entry plot_options[];

/** The same for a table of more options, whose structure holds a plot_request. */
#define PLOT_FILE_ENTRY(structure, request)                                                        \
    {                                                                                              \
        .name = "plot", .argument = "FILE",                                                        \
        .help = "draw the results: FILE.svg, FILE.png or FILE.pdf (by gnuplot), or\n"              \
                "FILE.gp: a gnuplot script with the data, to be finished by hand",                 \
        .repeated = true, OPTION_READ(plot_read_file, structure, request)                          \
    }
int plot_read_file(command_line *line, const option_entry *option, const char *text, void *request);

/**
 * For commands that measure: whether the files can be written is told before anything is measured
 * or stored, not after. Complains itself. @return exit code
 */
int plot_request_try(const plot_request *request);

/** Whether there is anything to draw. */
bool plot_request_is_made(const plot_request *request);

/** Draw and write what was asked for, after the results. Complains itself. @return exit code */
int plot_request_draw(const plot_request *request, const plot_picture *plots, size_t count);

#endif
