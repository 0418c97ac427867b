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

#include "data/store/store.h"
#include "model/demand.h"
#include "model/status.h"

#include <stdbool.h>
#include <stddef.h>

/** The terms of the model, and variants of it that leave some of them out. */
typedef struct clump_validation_variant {
    const char *name;
    const char *meaning; /**< one line */
    clump_demand demand;
    bool waiting;     /**< latency that is waited for takes time and loads no NIC */
    bool memory;      /**< computation is slower by the memory penalty */
    bool computation; /**< ... only what a run on one SMP shows to be computation, where there is
                           one, and not all that is not communication */
    bool bus;         /**< bulk data cross a half-duplex bus twice: out and in */
    bool lockstep;    /**< barriers between the steps of an exchange: what is local saves nothing */
} clump_validation_variant;

/** The last index is that of the outcome of a simulation (validation_simulation.h). */
enum { CLUMP_VALIDATION_VARIANTS = 9, CLUMP_VALIDATION_SIMULATED = CLUMP_VALIDATION_VARIANTS };

/** The first one is the full model. */
extern const clump_validation_variant clump_validation_variants[CLUMP_VALIDATION_VARIANTS];

/** Index of the variant of that name, or CLUMP_VALIDATION_VARIANTS. */
size_t clump_validation_variant_find(const char *name);

/** What one variant says of a run. All NAN where it says nothing. */
typedef struct clump_validation_outcome {
    double predicted; /**< s */
    double
        predicted_half_width; /**< of the 95% interval that comes from the time on the NOW; NAN */
    double utilization;       /**< U on the NOW */
    double slowdown;          /**< X */
    double error;             /**< (predicted - measured)/measured */
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
    clump_validation_outcome outcomes[CLUMP_VALIDATION_VARIANTS + 1];
    clump_validation_simulated simulation;
} clump_validation_run;

/** Errors of one variant over some runs. */
typedef struct clump_validation_summary {
    size_t count;
    double mean_absolute; /**< of the error; NAN if there is none */
    double greatest;      /**< the greatest |error| */
    double bias;          /**< mean of the error */
} clump_validation_summary;

typedef struct clump_validation {
    /** In the order of the store, the user's first; those of a data set stand together. */
    clump_validation_run *runs;
    size_t count;
} clump_validation;

/**
 * Predict every run.
 *
 * @param dataset  only runs whose source has this name, this table label, or a name that begins
 *                 with it and "-" or a blank; NULL: all
 * Errors: CLUMP_BAD_ARGUMENT if no run belongs to the data set, or the store holds what cannot be;
 *         CLUMP_INCONSISTENT if the store fails, CLUMP_NO_MEMORY. What cannot be predicted is no
 * error: `problem` says why. Cost: some ten looks into the store a run.
 */
clump_status clump_validation_make(clump_store *store, const char *dataset,
                                   clump_validation *validation, clump_error *error);

void clump_validation_free(clump_validation *validation);

/**
 * @param dataset  of a run, or NULL for all runs
 * @param variant  or CLUMP_VALIDATION_SIMULATED
 */
clump_validation_summary clump_validation_summarize(const clump_validation *validation,
                                                    const char *dataset, size_t variant);

/**
 * What the choice among the variants is worth: for each run of a data set the variant is chosen
 * that has the least mean absolute error on all its other runs, and the run is predicted with that
 * one.
 */
clump_validation_summary clump_validation_chosen_by_others(const clump_validation *validation,
                                                           const char *dataset);

#endif
