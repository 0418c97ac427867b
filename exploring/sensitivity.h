/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_EXPLORING_SENSITIVITY_H
#define CLUMP_EXPLORING_SENSITIVITY_H

#include "exploring/rows.h"

/*
 * Which of several uncertain inputs a result hangs on, over their whole range: the share of the
 * variance that input i explains alone (first-order index), and the share that would vanish last
 * (total index; the difference is what it does together with others).
 *
 * A and B are two independent matrices of draws, one row a sample; A_i is A with column i from B.
 */

typedef struct clump_variance_index {
    double first, first_error; /**< index and its standard error */
    double total, total_error;
} clump_variance_index;

/**
 * M. J. W. Jansen, *Computer Physics Communications* 117 (1999); A. Saltelli et al., *ibid.* 181
 * (2010), whose design it is:
 *     S_i = 1 - E[(f(B) - f(A_i))^2]/(2 V)   or   S_i = E[(f(B) - m) (f(A_i) - f(A))]/V
 *     T_i = E[(f(A) - f(A_i))^2]/(2 V)
 * The first is exact where i explains all, the second where it explains nothing; the one with the
 * smaller standard error is given. Standard errors are those of ratios of means, to first order.
 *
 * @param f_a, f_b, f_ai  `count` values each, for the same rows
 * Errors: CLUMP_BAD_ARGUMENT for fewer than 2 samples. Where nothing varies, all are 0.
 */
clump_status clump_variance_index_estimate(const double *f_a, const double *f_b, const double *f_ai,
                                           size_t count, clump_variance_index *index,
                                           clump_error *error);

/** How one uncertain number acts on what one row is judged by, X = clump_result_relative_time. */
typedef struct clump_influence {
    const clump_explore_row *row;             /**< with all parameters at their medians */
    const clump_explore_parameter *parameter; /**< one of the explorer's */
    double slopes[2],
        slope_error; /**< dX/d parameter below and above the median, where all are at theirs */
    clump_variance_index index;
} clump_influence;

typedef struct clump_sensitivity {
    clump_scenario *medians; /**< owns the strings of the rows */
    clump_explore_row *rows; /**< with all parameters at their medians */
    size_t row_count;
    clump_influence *influences; /**< row by row, one a parameter */
    size_t influence_count;
    size_t most_important; /**< parameter on which the slowdowns of all rows hang most */
} clump_sensitivity;

/**
 * Derivatives at the medians, and indices over the whole range, of every uncertain number. Takes
 * (2 + parameters) times `draws` runs of the script, and some thirty a row and parameter.
 *
 * @param answer  release in any case
 */
clump_explore_status clump_sensitivity_find(clump_explorer *explorer, clump_sensitivity *answer);
void clump_sensitivity_release(clump_sensitivity *answer);

#endif
