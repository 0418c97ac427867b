/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_NODE_NODE_CURVE_H
#define CLUMP_FITTING_NODE_NODE_CURVE_H

/*
 * A law of node_law.h, times the efficiency E(q) = 1/(1 + e (q-1)), through the rates of q pairs: least
 * squares of logarithms, and intervals where the sum of squares has not yet risen by what t^2 of its
 * degrees of freedom allows (profiles). MODEL.md, "A node from its pairs".
 */

#include "fitting/node/node_law.h"

#include <stdbool.h>

/** By which runs are taken to differ (standard deviation of a logarithm) where nothing tells how much they do. */
#define CLUMP_NODE_RUN_TO_RUN 0.02

/** One measurement of a number of pairs. */
typedef struct clump_node_point {
    double pairs;    /**< a whole number, at least 1 */
    double log_rate; /**< of all together */
} clump_node_point;

typedef struct clump_node_interval {
    double value, low, high; /**< NAN: not known; low 0 or high HUGE_VAL: no limit on that side */
} clump_node_interval;

/** A law as it was tried. */
typedef struct clump_node_hypothesis {
    clump_node_sharing sharing;
    double nics;    /**< 1 if pooled: their number has no meaning */
    double squares; /**< least sum of squares */
    double ratio;   /**< there: processes that fill the NICs, r */
    double loss;    /**< there: e */
} clump_node_hypothesis;

enum { CLUMP_NODE_HYPOTHESES = CLUMP_NODE_MOST_NICS + CLUMP_NODE_MOST_RANDOM };

typedef struct clump_node_curve_options {
    clump_node_account account;
    bool only; /**< the law is known: `sharing` with `nics` */
    clump_node_sharing sharing;
    double nics;
    /** Standard deviation of a logarithm, for fewer points than tell it; NAN: not known. */
    double scatter;
    double scatter_freedom; /**< its degrees of freedom */
} clump_node_curve_options;

typedef struct clump_node_curve {
    clump_node_hypothesis hypotheses[CLUMP_NODE_HYPOTHESES]; /**< the pooled one first */
    size_t hypothesis_count;
    size_t best; /**< the law that is used: pooled unless that is out of the question */
    double least_pairs, most_pairs;
    size_t numbers;   /**< different numbers of pairs */
    double freedom;   /**< degrees of freedom of `deviation` */
    double deviation; /**< of a point's logarithm; NAN: not known */
    bool by_scatter;  /**< it is the options' scatter, and CLUMP_NODE_RUN_TO_RUN */
    bool loss_fitted; /**< else e is taken as 0: that needs four numbers of pairs */
    bool full;        /**< the total was reached: more pairs than r, in all of its interval */
    clump_node_interval ratio;     /**< r */
    clump_node_interval loss;      /**< e */
    clump_node_interval process;   /**< rate of one process */
    clump_node_interval best_rate; /**< of the numbers of pairs that were measured */
    clump_node_interval total;     /**< rate of all NICs, without losses; at least, unless full */
} clump_node_curve;

/**
 * @param points  at least 1
 * Cost: some 10^4 evaluations of a law for each hypothesis and number of pairs.
 */
clump_status clump_node_curve_fit(const clump_node_point *points, size_t count,
                                  const clump_node_curve_options *options, clump_node_curve *curve,
                                  clump_error *error);

/** Whether the data allow hypothesis `i` as well as the one that is used, at 95%. */
bool clump_node_curve_allows(const clump_node_curve *curve, size_t i);

/** The fitted rate. `efficiency` may be NULL: receives E. */
clump_status clump_node_curve_rate(const clump_node_curve *curve, clump_node_account account,
                                   double pairs, double *rate, double *efficiency,
                                   clump_error *error);

/** Half of the 95% interval of the mean of `count` logarithms; NAN: not known. */
double clump_node_curve_half_width(const clump_node_curve *curve, double count);

#endif
