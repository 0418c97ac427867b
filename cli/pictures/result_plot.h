/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_PICTURES_RESULT_PLOT_H
#define CLUMP_CLI_PICTURES_RESULT_PLOT_H

/*
 * Pictures of results: slowdown (result_judged) over the quantity that was varied most, a line for each combination
 * of the others, measured values with their intervals on top; or, if nothing but the application
 * varies, a place for each of them. A scenario gives a picture, and scenarios over the same
 * quantity share one if at most one of them has several lines.
 */

#include "cli/pictures/plot.h"
#include "cli/pictures/result_dimensions.h"
#include "model/result.h"

typedef enum result_plot_kind {
    RESULT_PLOT_LINES = 0,
    RESULT_PLOT_HEAT /**< slowdown over two quantities */
} result_plot_kind;

/** Where 90% of the draws of a slowdown lie; NAN: not known. */
typedef struct result_band {
    double low, high;
} result_band;

typedef struct result_plots {
    plot_picture *plots;
    size_t count;
    char problem[RESULT_PROBLEM_SIZE]; /**< why there are none, as a sentence */
    void *memory;
} result_plots;

/**
 * Make the pictures.
 *
 * @param results  must outlive the pictures
 * @param bands    one a result, for lines, or NULL
 * @param plots    release with result_plots_free in any case
 * @return EXIT_DONE; EXIT_INPUT: the results make no picture, see `problem`; EXIT_FAILED: no memory
 */
int result_plots_make(const clump_result *results, const result_band *bands, size_t count,
                      result_plot_kind kind, result_plots *plots);

void result_plots_free(result_plots *plots);

#endif
