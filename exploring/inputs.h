/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_EXPLORING_INPUTS_H
#define CLUMP_EXPLORING_INPUTS_H

/*
 * What uncertain inputs do to predictions: measured numbers with intervals, fitted ones, and what a
 * script calls uncertain. The script runs again with one of them at a time at either end of its
 * interval, the others as they are; what that does to a row adds up in quadrature, on the scale of
 * logarithms (MODEL.md 18, "Intervals").
 */

#include "model/uncertain.h"
#include "scenarios/scenario.h"

/** An uncertain number, as a run of the script met it. */
typedef struct clump_explore_parameter {
    char name[201]; /**< as long as those of scripts may be */
    clump_uncertain distribution;
} clump_explore_parameter;

/** Those of a script; start with all zero. */
typedef struct clump_inputs {
    clump_explore_parameter *list;
    size_t count, room;
    bool no_memory;
} clump_inputs;

void clump_inputs_release(clump_inputs *inputs);

/** For clump_scenario_options.draw, with the inputs as context: notes each name once, gives medians. */
double clump_inputs_note(const char *name, const clump_uncertain *distribution, void *inputs);

/** Up to so many inputs are looked at in more places than at their ends. */
enum { CLUMP_INPUTS_FEW = 3, CLUMP_INPUTS_POINTS = 25 };

/** Points at which each of so many inputs is put: CLUMP_INPUTS_POINTS of few, 2 of others. */
size_t clump_inputs_points(size_t inputs);

/** The quantile of a point, in ascending order. Of 2 those of the ends of intervals at
 *  CLUMP_MODEL_ERROR_LEVEL, 0.05 and 0.95, which are among CLUMP_INPUTS_POINTS, too. */
double clump_inputs_quantile(size_t point, size_t points);

/** The k-th point from the middle outwards, upper and lower in turn: where a script fails at one, those further out on
 *  that side need not be tried. */
size_t clump_inputs_outwards(size_t k, size_t points);

/**
 * The points of a share of the time, such as a utilization; at least 0 and at most 1.
 * @param half_width  of its 95% interval; not above 0: none is known
 * @return whether there are any
 */
bool clump_inputs_share_points(double value, double half_width, double points[CLUMP_INPUTS_POINTS]);

/**
 * Give a row of equal processors the interval that follows from that of their utilization (input_low, input_high); the
 * row is left alone where none is known.
 *
 * @param half_width  as above
 * Errors: those of clump_predict. Cost: CLUMP_INPUTS_POINTS predictions.
 */
clump_status clump_inputs_of_utilization(const clump_node *node, const clump_load *load,
                                         double half_width, clump_result *row, clump_error *error);

/** How far all inputs together move one row. Start with all zero. */
typedef struct clump_input_share {
    double below, above; /**< sums of squares of the logarithm of an end over the median */
    double median;       /**< the slowdown, ratio or time with all inputs at their medians */
    bool some;           /**< something was added */
} clump_input_share;

/**
 * Add what one input does to a slowdown, a ratio or a time: its 5% and its 95% quantile, taking it to be linear between
 * the points of the input. Cost: some hundred times `points`.
 *
 * @param value   with all inputs at their medians
 * @param relative_times   with this input at each of its points; NAN where there is no prediction. If an end of the
 *                interval has none, the farthest of the others counts in both directions
 * @param points  2 or CLUMP_INPUTS_POINTS
 * @return false: `value` is a prediction, and there is none at any of the points
 */
bool clump_input_share_add(clump_input_share *share, double value, const double *relative_times,
                           size_t points);

/** Put the interval into a row that has a prediction: clump_result.input_low and input_high. It lies around the prediction
 *  from medians, and is widened to hold the row's own: that is from measured values, which are not the medians of
 *  distributions that are cut off on one side. */
void clump_input_share_put(const clump_input_share *share, clump_result *row);

/** Whether rows are given intervals of their inputs. */
typedef enum clump_inputs_choice {
    CLUMP_INPUTS_AUTO, /**< if that takes at most CLUMP_INPUTS_ROWS */
    CLUMP_INPUTS_ALL,  /**< however long it takes */
    CLUMP_INPUTS_NONE,
    CLUMP_INPUTS_SOON /**< if that takes at most CLUMP_INPUTS_SECONDS */
} clump_inputs_choice;

/** What became of all rows. */
typedef struct clump_inputs_told {
    size_t count; /**< inputs that are uncertain */
    size_t
        missing; /**< of these, those with which no row can be predicted but at their medians: left out */
    bool limited; /**< it would need more than CLUMP_INPUTS_SECONDS: rows are as they were */
} clump_inputs_told;

/** Processor time of all runs together, s: what somebody waits for at a terminal. */
#define CLUMP_INPUTS_SECONDS 3.0

/** Rows of all runs of a sweep, some 30 us each. Not its seconds: parts of it run on machines that are not equally fast,
 *  and its rows are the same on a busy one. */
#define CLUMP_INPUTS_ROWS 1e5

#endif
