/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef EXPLORE_SENSITIVITY_STUDY_H
#define EXPLORE_SENSITIVITY_STUDY_H

/* What explore_sensitivity.c finds and explore_sensitivity_output.c prints. */

#include "exploring/explorer.h"
#include "fitting/variance_indices.h"

enum { SENSITIVITY_MESSAGE = 2048 };

typedef struct influence {
    size_t row, parameter;
    double slope, slope_error; /* dX/d parameter, where all are at their medians */
    clump_variance_index index;
} influence;

typedef struct study {
    clump_explorer *explorer;
    clump_scenario *medians; /* owns the strings of the rows */
    clump_explorer_row *rows;
    size_t row_count;
    influence *influences; /* row by row */
    double *a, *b, *mixed; /* slowdowns: draw by draw, `row_count` each */
    char message[SENSITIVITY_MESSAGE];
    clump_scenario_status failed;
} study;

/** @return exit code */
int clump_sensitivity_print(const study *s);

#endif
