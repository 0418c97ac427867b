/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_RESULT_H
#define CLUMP_MODEL_RESULT_H

#include "model/lossy_network.h"
#include "model/prediction.h"

#include <stdbool.h>
#include <stddef.h>

/** "Not applicable" in a number of a result; JSON has null or leaves the key out, tables "-". */
#define CLUMP_RESULT_NONE (__builtin_nan(""))

/** A network whose protocol is named, without and with what it loses. */
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
    double gang_size; /**< for CLUMP_DEMAND_GANG */
    clump_mapping mapping;
    double max_nics_per_processor; /**< 0: no limit */
    double remote_fraction, cost_ratio, memory_penalty, waiting_fraction;
    double phase_cycles; /**< 0: equilibrium */

    /* Memory that processors share (memory.h); memory_law is NULL where it is no station. */
    const char *memory_law;
    double memory_share; /**< m; CLUMP_RESULT_NONE if the law is "measured" */
    double memory_feeds; /**< the most that it does, in units of one processor alone */
    double
        memory_utilization; /**< share of that in use; CLUMP_RESULT_NONE where processors differ */

    double slowdown;         /**< X: mean over processors, or that processor's */
    double slowest_slowdown; /**< the slowest processor's, or group's that shares NICs */
    size_t paced_group; /**< processors of the group for which the program waits; 0: for none */
    double adjusted_utilization; /**< U_adj */
    double mean_active;
    double nic_utilization;

    /* Of a simulation; events is 0 if the exact engine answered. */
    double half_width;         /**< interval of slowdown, +- */
    double slowest_half_width; /**< the same of slowest_slowdown */
    double confidence;         /**< of both, such as 0.95 */
    double events, warm_up;    /**< as in clump_simulation */
    size_t replications;
    bool reached;         /**< the interval is as narrow as was wanted */
    double messages;      /**< simulated one by one; 0: none, the same of the next two */
    double idle_fraction; /**< share of the processors' time in which they wait and poll */
    double longest_queue; /**< messages that waited for one processor */
    const char *computation_times, *communication_times; /**< distributions by name */

    const char *protocol;                /**< of the network, NULL if the scenario names none */
    double loss;                         /**< share of its packets that are lost */
    double loss_factor;                  /**< communication on the NOW over that without loss; 1 */
    const clump_result_network *network; /**< the same for all rows of one; NULL: not known */

    double now_time;       /**< seconds on the NOW, given or measured */
    double predicted_time; /**< seconds: clump_result_pace times now_time */
    double measured_time;  /**< seconds on the platform */
    double measured_slowdown;
    double measured_half_width; /**< 95% interval of measured_slowdown, +- */
    double gang_low,
        gang_high; /**< 90% interval of gang_size, which was found in a recording; 0: there is none */
    double coupled_low, coupled_high; /**< clump_result_pace at its ends; 0: there is none */
    double error; /**< (slowdown - measured_slowdown)/measured_slowdown; or of times */

    /* Of compare_with; compared_with is NULL without it. */
    const char *compared_with;   /**< name of the other platform */
    double compared_utilization; /**< U on the NOW of that */
    double communication_ratio;  /**< communication on the NOW over that on the NOW of the other */
    double compared_slowdown;    /**< X on that, over its own NOW */
    double compared_time;        /**< seconds there, measured if they were */
    double ratio;                /**< predicted_time over compared_time */
    double measured_ratio;       /**< the same of measured times */

    /** 90% interval of clump_result_pace, if nothing but the inputs were uncertain; 0 or
     *  CLUMP_RESULT_NONE: of none of them an interval is known, or nobody looked. */
    double input_low, input_high;

    const char *refused; /**< why nothing was predicted, what follows from it being
                              CLUMP_RESULT_NONE; NULL: it was */
} clump_result;

/** Time of the node over that on its NOW. clump_prediction_pace says why it may be that of the slowest. */
static inline double clump_result_own_pace(const clump_result *result)
{
    return result->demand == CLUMP_DEMAND_CORRELATED || result->paced_group > 0
               ? result->slowest_slowdown
               : result->slowdown;
}

/** What the node is judged by: its time over that of what it is compared with. */
static inline double clump_result_pace(const clump_result *result)
{
    return result->compared_with != NULL ? result->ratio : clump_result_own_pace(result);
}

#endif
