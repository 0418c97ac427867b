/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_SLOWDOWN_PLOT_H
#define CLUMP_CLI_SLOWDOWN_PLOT_H

/*
 * The pictures of `slowdown`: where its answer stands among other utilizations and other numbers of
 * NICs, or the slowdown of each processor where they differ.
 */

#include "cli/pictures/plot_options.h"
#include "model/prediction.h"
#include "model/result.h"

typedef struct slowdown_pictures {
    const plot_request *request;
    const clump_node *node;
    const clump_load *load;
    const clump_result *results; /**< one, or one for each processor */
    size_t count;
} slowdown_pictures;

/** Complains itself. @return exit code */
int slowdown_plot(const slowdown_pictures *pictures);

#endif
