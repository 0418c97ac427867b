/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_SLOWDOWN_SLOWDOWN_H
#define CLUMP_FITTING_SLOWDOWN_SLOWDOWN_H

/*
 * From measured times of one application on several configurations of a node to its parameters in
 * the model (MODEL.md, "From slowdowns to parameters").
 *
 * The model says T_i = T_b X_i: the time of run i is that on the NOW it is compared with, its
 * base b, times the slowdown of tight coupling (8.11) with gangs and service efficiency. Logarithms
 * of times are fitted by least squares, weighted where the spread of the times is known. Times of
 * bases that were not given are unknown too; a run of one processor with one NIC of its own is
 * such a time measured.
 *
 *     clump_slowdown_fit_compute -> fit -> clump_slowdown_fit_free
 */

#include "model/prediction.h"
#include "model/station.h"

#include <stdbool.h>
#include <stddef.h>

/** What describes an application. */
typedef enum clump_slowdown_parameter {
    CLUMP_SLOWDOWN_UTILIZATION = 0, /**< U, 0 to 1 */
    CLUMP_SLOWDOWN_GANG,            /**< s, from 1 to the most processors that share NICs */
    CLUMP_SLOWDOWN_EFFICIENCY,      /**< e of E(q), 0 or more */
    CLUMP_SLOWDOWN_PENALTY,         /**< c, memory penalty, 0.01 to 100 */
    CLUMP_SLOWDOWN_REMOTE,          /**< f, remote fraction, 0 to 1 */
    CLUMP_SLOWDOWN_COST_RATIO,      /**< V, local over remote cost, 0 or more */
    CLUMP_SLOWDOWN_WAITING,         /**< h, waiting fraction, 0 to 1 */
    CLUMP_SLOWDOWN_PARAMETERS
} clump_slowdown_parameter;

/** The application's time on one configuration. NAN: not known, or as in all runs. */
typedef struct clump_slowdown_run {
    size_t processors; /**< of a node, in use; 1: nothing is shared, no penalty, all is remote */
    size_t nics;       /**< 0 only where nothing leaves the node */
    clump_mapping mapping;
    double max_nics_per_processor; /**< 0: no limit */
    size_t base;                   /**< which NOW it is compared with, from 0 */
    double utilization, remote_fraction, cost_ratio, waiting_fraction; /**< of this run; a free
                                    parameter overrides them. NAN: that of all runs */
    double time_s;                                                     /**< > 0 */
    double relative_error; /**< standard error of the time over the time; NAN: not known */
} clump_slowdown_run;

typedef struct clump_slowdown_question {
    const clump_slowdown_run *runs;
    size_t run_count;
    size_t base_count;
    const double *base_times_s; /**< one a base, known exactly; NAN: to be found. NULL: all NAN */
    bool free[CLUMP_SLOWDOWN_PARAMETERS];
    double value[CLUMP_SLOWDOWN_PARAMETERS]; /**< of those that are not free */
    clump_demand demand;                     /**< where the gang size is neither free nor given:
                                                  value[CLUMP_SLOWDOWN_GANG] is NAN */
    clump_efficiency_form form;
    double error_freedom; /**< degrees of freedom behind the relative errors; INFINITY: known */
    double confidence;    /**< of the intervals, such as 0.95 */
} clump_slowdown_question;

/** A question with nothing free: all remote, no penalty, independent demand, E = 1, 95%. */
clump_slowdown_question clump_slowdown_question_default(void);

typedef struct clump_slowdown_estimate {
    double value;
    double low, high;      /**< interval by profile likelihood; NAN: none can be given */
    bool low_is_bound;     /**< the data do not limit it: `low` is where its range ends */
    bool high_is_bound;    /**< the same of `high` */
    double standard_error; /**< from the covariance at the optimum; NAN: none can be given */
    bool free;
} clump_slowdown_estimate;

/** Most processors of a run: thousands of predictions have to be quick. */
#define CLUMP_SLOWDOWN_PROCESSORS 1000000

/** Most bases: times on NOWs that are not known. */
#define CLUMP_SLOWDOWN_BASES 32
/** Points of the space from which minima are looked for. */
#define CLUMP_SLOWDOWN_STARTS 16
#define CLUMP_SLOWDOWN_UNKNOWNS (CLUMP_SLOWDOWN_PARAMETERS + CLUMP_SLOWDOWN_BASES)

typedef struct clump_slowdown_fit {
    clump_slowdown_estimate parameters[CLUMP_SLOWDOWN_PARAMETERS];
    clump_slowdown_estimate base_times_s[CLUMP_SLOWDOWN_BASES];
    size_t base_count;
    clump_slowdown_estimate computation_s, communication_s; /**< on the first base: T (1-U), T U;
                                              intervals from the covariance, on a log scale */
    size_t unknown_count;                     /**< free parameters, then bases to be found */
    size_t unknowns[CLUMP_SLOWDOWN_UNKNOWNS]; /**< a parameter, or PARAMETERS + base */
    double correlation[CLUMP_SLOWDOWN_UNKNOWNS][CLUMP_SLOWDOWN_UNKNOWNS]; /**< NAN where the data
                                                    leave a direction open at the optimum */
    double *slowdowns;                                                    /**< X of each run */
    double *fitted_s;                                                     /**< T of each run */
    double chi_square; /**< weighted, or sum of squared relative residuals */
    double freedom;    /**< runs less unknowns */
    bool weighted;     /**< all relative errors were known */
    double p_value;    /**< of chi_square, if weighted and freedom > 0; else NAN */
    double widening;   /**< of the intervals, because the model misses by more than the errors */
    double rms_error;  /**< root mean square of the relative residuals */
    /** Further minima that the data do not rule out, and their parameters. */
    size_t other_optima;
    double other_values[CLUMP_SLOWDOWN_STARTS][CLUMP_SLOWDOWN_PARAMETERS];
} clump_slowdown_fit;

/** Letter or name for messages and options: "U", "s", "e", "penalty", "f", "V", "h". */
const char *clump_slowdown_parameter_name(clump_slowdown_parameter parameter);

/** By any of its names ("U", "utilization"); false if it is none. */
bool clump_slowdown_parameter_parse(const char *name, clump_slowdown_parameter *parameter);

/**
 * Find what is free.
 *
 * @param error  names what cannot be found from these runs, and what to measure to find it
 * Errors: CLUMP_BAD_ARGUMENT for a run or value out of range and for what cannot be identified,
 * CLUMP_NO_CONVERGENCE. Cost: some milliseconds for ten runs and three free parameters.
 */
clump_status clump_slowdown_fit_compute(const clump_slowdown_question *question,
                                        clump_slowdown_fit *fit, clump_error *error);

void clump_slowdown_fit_free(clump_slowdown_fit *fit);

/** Slowdown of one run with given parameters, all of them (`time_s` and errors are not used). */
clump_status clump_slowdown_run_predict(const clump_slowdown_question *question,
                                        const double values[CLUMP_SLOWDOWN_PARAMETERS],
                                        const clump_slowdown_run *run, double *slowdown,
                                        clump_error *error);

/** The configuration that would tell most about what is free; processors and NICs up to those of
 *  the runs. False if none adds anything. */
bool clump_slowdown_suggest(const clump_slowdown_question *question, const double *values,
                            clump_slowdown_run *run);

/**
 * Which of the parameters that are held (U, s, e, penalty) would explain most of what the model
 * misses, if it were free.
 *
 * @param rms_error  receives the root mean square of the residuals then
 * @return false if none would halve it
 */
bool clump_slowdown_missed(const clump_slowdown_question *question, const clump_slowdown_fit *fit,
                           clump_slowdown_parameter *parameter, double *rms_error);

#endif
