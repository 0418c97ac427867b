/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_RESULT_PLOT_H
#define CLUMP_CLI_RESULT_PLOT_H

/*
 * Pictures of results: slowdown over the quantity that was varied most, a line for each combination
 * of the others, measured values with their intervals on top; or, if nothing but the application
 * varies, a place for each of them. A scenario gives a picture, and scenarios over the same
 * quantity share one if at most one of them has several lines.
 */

#include "cli/plot.h"
#include "scenarios/result.h"

typedef enum clump_cli_result_plot_kind {
    CLUMP_CLI_RESULT_PLOT_LINES = 0,
    CLUMP_CLI_RESULT_PLOT_HEAT /**< slowdown over two quantities */
} clump_cli_result_plot_kind;

/** Where 90% of the draws of a slowdown lie; NAN: not known. */
typedef struct clump_cli_result_band {
    double low, high;
} clump_cli_result_band;

typedef struct clump_cli_result_plots {
    clump_cli_plot *plots;
    size_t count;
    void *memory;
} clump_cli_result_plots;

/**
 * Make the pictures; complains itself if the results make none.
 *
 * @param command  for messages
 * @param results  must outlive the pictures
 * @param bands    one a result, for lines, or NULL
 * @param plots    release with clump_cli_result_plots_free if the exit code is CLUMP_CLI_DONE
 * @return exit code
 */
int clump_cli_result_plots_make(const char *command, const clump_result *results,
                                const clump_cli_result_band *bands, size_t count,
                                clump_cli_result_plot_kind kind, clump_cli_result_plots *plots);

void clump_cli_result_plots_free(clump_cli_result_plots *plots);

#endif
