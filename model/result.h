/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_RESULT_H
#define CLUMP_MODEL_RESULT_H

#include "model/lossy_network.h"
#include "model/prediction.h"

#include <stdbool.h>
#include <stddef.h>

/** Stands for "not applicable" in a number of a result; JSON shows null or leaves the key out,
 *  tables show "-". */
#define CLUMP_RESULT_NONE (__builtin_nan(""))

/** A network whose protocol the scenario names: its LogGP without loss (`clean`) and with it. */
typedef struct clump_result_network {
    const char *platform, *protocol; /**< platform may be NULL */
    clump_lossy_network network;
    clump_loggp clean;
    clump_lossy_loggp lossy;
} clump_result_network;

/**
 * One row of an answer: a configuration and its predicted slowdown, beside the measured one where
 * the store has it. Strings belong to the result set, may be NULL where they do not apply.
 */
typedef struct clump_result {
    const char *scenario;    /**< title of the scenario, or "slowdown" for a direct question */
    const char *application; /**< name, or NULL */
    const char *platform;    /**< name, or NULL */
    size_t processors;
    size_t nics;
    size_t processor;   /**< from 1: the row speaks of this processor only; 0: of the whole node */
    double utilization; /**< U on the NOW (of that processor, or the mean) */
    clump_demand demand;
    bool by_schedule; /**< who communicates when is a schedule's: `demand` does not apply */
    double gang_size; /**< for CLUMP_DEMAND_GANG */
    clump_mapping mapping;
    double max_nics_per_processor; /**< 0: no limit */
    double remote_fraction, cost_ratio, memory_penalty, waiting_fraction;
    double phase_cycles; /**< 0: equilibrium */

    /* Memory that processors share (memory.h); memory_law is NULL where it is no station. */
    const char *memory_law;
    double memory_share;       /**< m; CLUMP_RESULT_NONE if the law is "measured" */
    double memory_feeds;       /**< greatest rate of memory, in units of one processor alone */
    double memory_utilization; /**< share of memory_feeds in use; CLUMP_RESULT_NONE where processors
                                   differ */

    double slowdown;         /**< X: mean over processors, or that processor's */
    double slowest_slowdown; /**< X of the slowest processor, or group that shares NICs */
    /** Between which clump_result_slowdown lies whatever processors do when; CLUMP_RESULT_NONE: not known. */
    double lower_bound, upper_bound;
    size_t
        slowest_group; /**< processors that share NICs with the one for which the program waits; 0: none */
    size_t last_processor;       /**< which that is, from 1, node by node; 0: not known */
    double adjusted_utilization; /**< U_adj */
    double mean_active;
    double nic_utilization;

    /* What only a simulation has; events is 0 if the exact engine answered. */
    double half_width;         /**< slowdown lies within +- this */
    double slowest_half_width; /**< the same of slowest_slowdown */
    double confidence;         /**< of both, such as 0.95 */
    double events, warm_up;    /**< as in clump_simulation */
    size_t replications;
    bool reached;         /**< the interval is as narrow as was wanted */
    double messages;      /**< messages simulated one by one; 0: the next two do not apply */
    double idle_fraction; /**< share of the processors' time in which they wait and poll */
    double longest_queue; /**< greatest number of messages that waited for one processor */
    const char *computation_times, *communication_times; /**< distributions by name */

    const char *protocol; /**< of the network, NULL if the scenario names none */
    double loss;          /**< share of its packets that are lost */
    double loss_factor;   /**< communication on the NOW over that without loss; 1: no loss */
    const clump_result_network *network; /**< one for all rows with this network; NULL: not known */

    double now_time;       /**< seconds on the NOW, given or measured */
    double predicted_time; /**< seconds: clump_result_relative_time times now_time */
    double measured_time;  /**< seconds on the platform */
    double measured_slowdown;
    double measured_half_width; /**< 95% interval of measured_slowdown, +- */
    double error; /**< (slowdown - measured_slowdown)/measured_slowdown, or the same of times */

    /* Where the scenario compares with another platform; else compared_with is NULL. */
    const char *compared_with;   /**< name of the other platform */
    bool beside_itself;          /**< which is the same machine */
    double compared_utilization; /**< U on the NOW of the other platform */
    double communication_ratio;  /**< communication on this NOW over that on the other's */
    double compared_slowdown;    /**< X of the other platform, over its own NOW */
    double compared_time;        /**< seconds on the other platform, measured if known */
    double ratio;                /**< predicted_time over compared_time */
    double measured_ratio;       /**< the same of measured times */
    /** Where several computations explain the time measured on the other platform: how many, and the least ratio of theirs;
     *  the row is that of the greatest. 0 and CLUMP_RESULT_NONE: no more than one. */
    size_t explanations;
    double least_ratio;

    /** 90% interval of clump_result_relative_time that follows from the inputs' uncertainty alone. 0 or
     *  CLUMP_RESULT_NONE: no input has a known interval, or it was not computed. */
    double input_low, input_high;

    const char *refused; /**< why nothing was predicted; predicted values are then
                              CLUMP_RESULT_NONE. NULL: there is a prediction */
} clump_result;

/**
 * The row of a node: what a prediction tells, memory as a station included. What it does not tell (names, times,
 * measurements, comparisons) is absent: NULL, CLUMP_RESULT_NONE, or 0 where that stands for it.
 *
 * @param load  its first utilization is that of the row
 */
clump_result clump_result_make(const clump_node *node, const clump_load *load,
                               const clump_prediction *prediction);

/** Its bounds: those of a prediction times a factor. */
void clump_result_put_bounds(clump_result *result, clump_bounds bounds, double factor);

/** The row of one of its processors (from 0), where each has a utilization and a slowdown of its own. */
clump_result clump_result_of_processor(const clump_result *node, const clump_load *load,
                                       size_t processor, double slowdown);

/** CLUMP_BAD_ARGUMENT: a slowdown, ratio or time of the row is infinite; what does not apply is not looked at. */
clump_status clump_result_check(const clump_result *result, clump_error *error);

/** Whether the program waits for its slowest processors, or groups. */
static inline bool clump_result_waits(const clump_result *result)
{
    return result->demand == CLUMP_DEMAND_CORRELATED || result->slowest_group > 0 ||
           (result->demand == CLUMP_DEMAND_GANG && result->gang_size >= (double)result->processors);
}

/** Time on the node over time on its NOW: the mean slowdown, or the slowest where the program waits
 *  for the slowest. */
static inline double clump_result_slowdown(const clump_result *result)
{
    return clump_result_waits(result) ? result->slowest_slowdown : result->slowdown;
}

/** What the node is judged by: its time over that on the other platform, if it is compared with
 *  one, else over that on its NOW. */
static inline double clump_result_relative_time(const clump_result *result)
{
    return result->compared_with != NULL ? result->ratio : clump_result_slowdown(result);
}

#endif
