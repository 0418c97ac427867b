/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_PREPARED_H
#define CLUMP_SCENARIOS_PREPARED_H

/*
 * A scenario whose script has run, and whose rows are computed one by one, in any order and from
 * several threads: for sweeps of millions of points, of which only a few are kept.
 *
 * What the script varies makes configurations: every combination of all its lists but that of
 * applications. The applications of a configuration are its workload.
 */

#include "scenarios/scenario.h"

typedef struct clump_scenario clump_scenario;

/** What nodes cost; NAN: not given. */
typedef struct clump_prices {
    double node, nic, port;
} clump_prices;

/**
 * Run the script. One store serves one thread at a time.
 *
 * @param scenario  set on CLUMP_SCENARIO_OK only; release with clump_scenario_free
 * @param message   as in clump_scenario_run
 */
clump_scenario_status clump_scenario_prepare(const clump_scenario_options *options,
                                             clump_scenario **scenario, char *message,
                                             size_t message_size);
void clump_scenario_free(clump_scenario *scenario);

/** Title as in clump_scenario_results. */
const char *clump_scenario_title(const clump_scenario *scenario);

size_t clump_scenario_configurations(const clump_scenario *scenario);

/** Applications of a configuration, at least 1, and the greatest number of any. */
size_t clump_scenario_applications(const clump_scenario *scenario, size_t configuration);
size_t clump_scenario_most_applications(const clump_scenario *scenario);

/** Weights of the applications, which add up to 1 (equal ones if the script gives none). */
const double *clump_scenario_weights(const clump_scenario *scenario, size_t configuration);

clump_prices clump_scenario_prices(const clump_scenario *scenario, size_t configuration);

/** What may be changed of a configuration while it is computed; all zero and NAN: nothing. */
typedef struct clump_scenario_change {
    size_t nics;        /**< 0: as it is */
    double utilization; /**< NAN: as it is */
} clump_scenario_change;

#define CLUMP_SCENARIO_UNCHANGED ((clump_scenario_change){0, CLUMP_RESULT_NONE})

/**
 * Compute a configuration: a row for each of its applications, always one for the whole node. May
 * be called from several threads at a time.
 *
 * @param rows  receives clump_scenario_applications rows; their strings belong to the scenario
 */
clump_scenario_status clump_scenario_compute(const clump_scenario *scenario, size_t configuration,
                                             const clump_scenario_change *change,
                                             clump_result *rows, char *message,
                                             size_t message_size);

/** Whether the slowdown can only fall when NICs are added: they are all equally near. */
int clump_scenario_is_monotonic(const clump_scenario *scenario, size_t configuration);

/**
 * The real number of NICs at which the slowdown is `limit`, where the closed form has one and there
 * is one application; NAN elsewhere.
 */
double clump_scenario_real_nics(const clump_scenario *scenario, size_t configuration, double limit);

#endif
