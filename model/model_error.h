/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_MODEL_ERROR_H
#define CLUMP_MODEL_MODEL_ERROR_H

/*
 * How wrong the model was against measurements, by the kind of change that it was asked to predict,
 * and the interval around a prediction that follows from that (MODEL.md 18, "Intervals").
 *
 * The errors come from `clumpmodel validate` over the data that ship with the program: for each row
 * log(measured/predicted), predicted with constants that were fitted without the row's data set.
 * `make model-error` writes them into model_error_table.h, and a test compares that with validate.
 */

#include "model/node.h"
#include "model/status.h"

#include <stddef.h>

/** Probability level of the intervals that commands show. */
#define CLUMP_MODEL_ERROR_LEVEL 0.9

/** What is different between the machine that is predicted and the one that it is compared with. */
typedef enum clump_change {
    CLUMP_CHANGE_ONE_NODE, /**< all processors in one node instead of a NOW: no message uses a NIC */
    CLUMP_CHANGE_SHARED_NICS, /**< nodes with fewer NICs than processors instead of a NOW */
    CLUMP_CHANGE_NIC_EACH,    /**< nodes with a NIC for each processor, or more, instead of a NOW */
    CLUMP_CHANGE_OTHER_NIC,   /**< the same nodes with other NICs: faster, dearer, more of them */
    CLUMP_CHANGE_COUNT
} clump_change;

/** Which rows the error of a kind of change is taken from: its own if they are of two data sets at
 *  least, else those of more kinds. */
typedef enum clump_error_basis {
    CLUMP_ERROR_OWN = 0,  /**< rows of this kind */
    CLUMP_ERROR_CLUSTERS, /**< rows of nodes instead of a NOW, with shared NICs or a NIC each */
    CLUMP_ERROR_ALL       /**< rows of all kinds */
} clump_error_basis;

/**
 * Distribution of log(measured/predicted) for a new machine or program: scale times Student's t,
 * around 0. The scale is the root mean square of the errors of the data sets, each of which counts
 * the same. There are as many degrees of freedom as data sets, not rows, since rows of one data set
 * are not independent of each other.
 */
typedef struct clump_model_error {
    /** What it was found from; data sets that repeat runs of each other count as one. 0 rows: there
     *  was nothing to judge by. */
    size_t datasets, rows;
    clump_error_basis basis;
    double scale, freedom;
} clump_model_error;

/** "one-node", "shared-nics", "nic-each", "other-nic"; and in words, "one node instead of a NOW". */
const char *clump_change_name(clump_change change);
const char *clump_change_words(clump_change change);

/** "this kind", "clusters", "all kinds". */
const char *clump_error_basis_name(clump_error_basis basis);

/**
 * The kind of change from a NOW to such a node.
 * @param remote_fraction  f: share of the messages that leave a node; 0: all are in one node
 */
clump_change clump_change_of(const clump_node *node, double remote_fraction);

/** The error of that kind of change over the data that ship with the program. */
const clump_model_error *clump_model_error_of(clump_change change);

/**
 * Share of its time for which a processor that computes, alone on the NOW, waits for cache misses
 * (clump_misses.share, workload/misses.h): the one constant of the rules that is fitted, to all times
 * that ship with the program.
 */
double clump_model_error_miss_share(void);

/**
 * The interval in which the measured value is with probability `level`, if the model is as wrong as
 * it was elsewhere, and its inputs as uncertain as given. The two are independent: their distances
 * from the prediction are added in quadrature, on the scale of logarithms.
 *
 * @param error_model  clump_model_error_of(), or one of other data
 * @param predicted    a time or a slowdown, > 0
 * @param input_low, input_high  interval of `predicted` at the same level that follows from the
 *                     inputs alone, around it; both NAN: inputs are taken as exact
 * @param level        above 0, below 1
 * Errors: CLUMP_BAD_ARGUMENT. Without any judged row, CLUMP_OK and an interval of NAN.
 */
clump_status clump_model_error_interval(const clump_model_error *error_model, double predicted,
                                        double input_low, double input_high, double level,
                                        double *low, double *high, clump_error *error);

#endif
