/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_REPRODUCTIONS_COMMAND_CALIBRATE_VIRTUAL_PLOT_H
#define CLUMP_REPRODUCTIONS_COMMAND_CALIBRATE_VIRTUAL_PLOT_H

/*
 * Pictures of `calibrate virtual`: what a document printed beside what the modelled hardware takes,
 * and, of each unit, what was measured for several sizes of messages.
 */

#include "cli/pictures/plot_options.h"

#include <stdint.h>

/** What was measured, and what a document printed. */
typedef struct virtual_line {
    const char *quantity, *unit;
    int64_t size_bytes; /**< -1: of no size */
    int64_t nodes;
    double value, printed, error; /**< the last two NAN: printed nowhere */
} virtual_line;

/** Complains itself. @return exit code */
int virtual_plot(const plot_request *request, output_format format, const char *machine,
                 const virtual_line *lines, size_t count);

#endif
