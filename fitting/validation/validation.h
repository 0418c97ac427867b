/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_VALIDATION_VALIDATION_H
#define CLUMP_FITTING_VALIDATION_VALIDATION_H

/*
 * Predicted against measured: every execution time in the store of a platform that names a NOW to
 * compare it with, beside what the model makes of the time on that NOW, the traffic, the LogGP
 * parameters and the shape of the node (MODEL.md, "Predicted against measured").
 *
 * The rule: what is predicted is never among what it is predicted from. Of the platform itself the
 * prediction takes LogGP parameters, memory latency, bus and traffic, no execution time; where the
 * computation is taken from a run, that is a run on one SMP, which is not used for its own row.
 */

#include "data/arena.h"
#include "data/store/store.h"
#include "fitting/validation/validation_rules.h"
#include "model/model_error.h"
#include "model/status.h"

#include <stdbool.h>
#include <stddef.h>

/** Of the intervals of predictions. */
#define CLUMP_VALIDATION_LEVEL CLUMP_MODEL_ERROR_LEVEL

/** What one variant says of a run. All NAN where it says nothing. */
typedef struct clump_validation_outcome {
    double predicted; /**< s */
    /** Of the 95% interval that comes from those of the inputs; NAN. */
    double predicted_half_width;
    double utilization;     /**< U on the NOW */
    double slowdown;        /**< X */
    double error;           /**< (predicted - measured)/measured, constants fitted without it */
    double in_sample_error; /**< the same with constants fitted to all rows, itself included */
    /** Interval of the measured time (CLUMP_VALIDATION_LEVEL): from the interval of the time on the
     *  NOW and from how wrong the model was on the other data sets. NAN: there is none. */
    double low, high;
} clump_validation_outcome;

/** How a run was simulated; all zero: it was not. */
typedef struct clump_validation_simulated {
    const char *problem; /**< why not; NULL: it was, or nobody asked */
    double events;
    size_t replications;
    bool reached; /**< the interval is as narrow as wanted */
    bool gave_up; /**< the problem is that too few events are allowed, or a search that failed */
} clump_validation_simulated;

typedef struct clump_validation_run {
    const char *dataset; /**< the label of an imported source, or else its name */
    const char *source;  /**< name of the source of the measured time */
    const char *label;   /**< its table, such as "7.8"; NULL: none, or it is the data set */
    const char *platform, *application;
    const char *layer;               /**< the variant of the measured time; "" if it has none */
    const char *problem;             /**< why it is not predicted; NULL: it is */
    bool reference;                  /**< the measured time ships with the program */
    double measured, half_width;     /**< s; half_width NAN if not known */
    double now_time, now_half_width; /**< s, on the NOW */
    double remote_fraction;          /**< f with the full model */
    bool scaled_traffic;             /**< the traffic is scaled from other runs, not measured */
    bool unmeasured;                 /**< there is no measured time, and none is looked for */
    bool wanted;                     /**< of the data set asked for; others are only judged by */
    clump_change change;             /**< what is different from the NOW */
    /** Number of data sets that are left out together, the place of their first run. */
    size_t family;
    /** Variant that is best on the other families; CLUMP_VALIDATION_VARIANTS: none. */
    size_t chosen;
    struct validation_facts *facts;         /**< what it is predicted from; NULL: it is not */
    double constants[CLUMP_RULE_CONSTANTS]; /**< that it is predicted with */
    clump_validation_outcome outcomes[CLUMP_VALIDATION_VARIANTS + 1];
    clump_validation_simulated simulation;
} clump_validation_run;

/** Errors of one variant over some runs. */
typedef struct clump_validation_summary {
    size_t count;
    double mean_absolute; /**< of the error; NAN if there is none */
    double in_sample;     /**< the same of in_sample_error */
    size_t intervals;     /**< runs that have one */
    size_t held;          /**< those whose measured time is in it */
    double greatest;      /**< the greatest |error| */
    double bias;          /**< mean of the error */
} clump_validation_summary;

typedef struct clump_validation {
    /** In the order of the store, the user's first; those of a data set stand together. */
    clump_validation_run *runs;
    size_t count;
    double constants[CLUMP_RULE_CONSTANTS];  /**< with those that are fitted fitted to all rows */
    double deviations[CLUMP_RULE_CONSTANTS]; /**< of what is fitted: of its posterior; else 0 */
    bool fitted[CLUMP_RULE_CONSTANTS];
    clump_model_error changes[CLUMP_CHANGE_COUNT]; /**< of the full model, all data sets together */
    clump_arena *memory; /**< of the runs, and of all that they point to */
} clump_validation;

/** What to predict, and how. */
typedef struct clump_validation_request {
    /** Only runs whose source has this name, this table label, or a name that begins with it and "-"
     *  or a blank; NULL: all. The others are still what constants and intervals come from. */
    const char *dataset;
    /** Which constants are fitted; NULL: those whose table says so. */
    const bool *fitted;
    /** Runs that are left out of everything; NULL: none. */
    bool (*leaves_out)(const char *platform, const char *application, const void *context);
    const void *context;
} clump_validation_request;

/**
 * Predict every run. What is fitted is fitted without the data set of the run, and without data sets
 * that repeat its runs (the same program on the same platform); so are the intervals.
 *
 * @param request  NULL: all runs
 * Errors: CLUMP_BAD_ARGUMENT if no run belongs to the data set, or the store holds what cannot be;
 *         CLUMP_INCONSISTENT if the store fails, CLUMP_NO_MEMORY. What cannot be predicted is no
 * error: `problem` says why. Cost: some ten looks into the store a run; where constants are fitted,
 * some thousand predictions of every run for each data set.
 */
clump_status clump_validation_make(clump_store *store, const clump_validation_request *request,
                                   clump_validation *validation, clump_error *error);

void clump_validation_free(clump_validation *validation);

/** A prediction that was judged elsewhere. */
typedef struct clump_judged_row {
    char dataset[80];
    double predicted, measured; /**< > 0 */
} clump_judged_row;

/**
 * Take the model's error for a kind of change from such predictions, if they are of two data sets at
 * least. Errors: CLUMP_NO_MEMORY.
 */
clump_status clump_validation_add_judged(clump_validation *validation, clump_change change,
                                         const clump_judged_row *rows, size_t count,
                                         clump_error *error);

/**
 * @param dataset  of a run, or NULL for all runs
 * @param variant  or CLUMP_VALIDATION_SIMULATED
 */
clump_validation_summary clump_validation_summarize(const clump_validation *validation,
                                                    const char *dataset, size_t variant);

/**
 * What the choice among the variants is worth: each run of a data set is predicted with the variant
 * that has the least mean absolute error on the other data sets, each of which counts the same.
 */
clump_validation_summary clump_validation_chosen_by_others(const clump_validation *validation,
                                                           const char *dataset);

#endif
