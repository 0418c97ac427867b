/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_POINT_H
#define CLUMP_SCENARIOS_POINT_H

/*
 * What one scenario { ... } asks for: lists of values, of which every combination is a point. A
 * point gives one row, or one for each processor if they have utilizations of their own.
 *
 * Order of the points: dimensions as below, the last one varies fastest. So the points of one
 * curve, over utilization, NICs or processors, stand together.
 */

#include "model/simulation/messages.h"
#include "scenarios/profile.h"
#include "scenarios/scenario.h"

typedef enum scenario_dimension {
    SCENARIO_PROFILES, /**< index: application by application, for each of them the platforms, and
                            for each of these those that they are compared with */
    SCENARIO_MAPPING,
    SCENARIO_DEMAND,              /**< index */
    SCENARIO_COMPUTATION_TIMES,   /**< index */
    SCENARIO_COMMUNICATION_TIMES, /**< index */
    SCENARIO_MAX_NICS,
    SCENARIO_MEMORY_PENALTY,
    SCENARIO_PHASE_CYCLES,
    SCENARIO_REMOTE_FRACTION,
    SCENARIO_COST_RATIO,
    SCENARIO_WAITING_FRACTION,
    SCENARIO_COMMUNICATION_RATIO,
    SCENARIO_MEMORY_SHARE,
    SCENARIO_MEMORY_FEEDS,
    SCENARIO_PROCESSORS,
    SCENARIO_NICS,
    SCENARIO_UTILIZATION,
    SCENARIO_DIMENSIONS
} scenario_dimension;

/** What a scenario says about messages, for simulations that follow each of them. */
typedef struct scenario_message_options {
    clump_pattern pattern;
    const double *matrix;
    size_t matrix_ranks;
    bool answered; /**< half of the short messages are answers to the others */
    size_t window, send_queue, receive_queue;
    bool half_duplex;
    double barriers; /**< in the whole run */
    double burst;
    double poll_interval;
    double in_a_row;
    scenario_numbers imbalance; /**< one a processor of a node; count 0: all alike */
    clump_message_polling polling;
    double most; /**< messages of a rank that are simulated, at most */
} scenario_message_options;

/** The table `messages` of a scenario, which may be absent; fields that it does not have get their defaults. */
scenario_message_options scenario_message_options_read(scenario_table table);

typedef struct scenario_plan {
    struct scenario_plan *next; /**< in the order in which the script returned them */
    const char *title;
    const char *where; /**< "FILE:LINE: " of the call */
    const scenario_profile *profiles;
    const scenario_demand *demands;
    const scenario_service_time *computations, *communications;
    bool has_communication_times; /**< else bulk messages are all of the same size */
    bool spread_start;
    scenario_message_options messages;
    /** Values of each dimension; NULL (count 1): that of application or platform. */
    scenario_numbers values[SCENARIO_DIMENSIONS];
    scenario_numbers mix; /**< a utilization for each processor; count 0: none */
    scenario_efficiency efficiency;
    const size_t *group_sizes;
    size_t group_count;
    size_t application_count; /**< of the profiles; at least 1 */
    const double *weights;    /**< of the applications; add up to 1 */
    clump_prices prices;
    bool has_placement;
    clump_placement placement;
    /** A plan for the platforms that others are compared with, without what the scenario says of
     *  NICs, which is not about them; or NULL. */
    const struct scenario_plan *basis;
} scenario_plan;

/** One combination. NAN: that of application or platform. */
typedef struct scenario_point {
    const scenario_plan *plan;
    const scenario_profile *profile;
    scenario_demand demand;
    const scenario_service_time *computation, *communication;
    double values[SCENARIO_DIMENSIONS];
} scenario_point;

/** Rows of the plan, as a double because it may be beyond all bounds. */
double scenario_plan_rows(const scenario_plan *plan);

/** Utilizations of the processors of a profile under the plan, if they have their own. */
scenario_numbers scenario_plan_mix(const scenario_plan *plan, const scenario_profile *profile);

/** Points of each profile. */
size_t scenario_plan_variants(const scenario_plan *plan);

/** The point of that number: profile by profile, so many of each. */
scenario_point scenario_plan_point(const scenario_plan *plan, size_t index);

#endif
