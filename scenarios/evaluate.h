/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_EVALUATE_H
#define CLUMP_SCENARIOS_EVALUATE_H

#include "scenarios/point.h"
#include "scenarios/sandbox.h"
#include "scenarios/setup.h"
#include "scenarios/simulate.h"

#include <pthread.h>

/** Why rows could not be predicted: texts that live as long as the rows, which share them. From any thread. */
typedef struct scenario_reasons {
    clump_arena *arena; /**< nobody else uses it meanwhile */
    pthread_mutex_t lock;
    const char *texts[256];
    size_t count;
} scenario_reasons;

void scenario_reasons_open(scenario_reasons *reasons);
void scenario_reasons_close(scenario_reasons *reasons);

/* What became of it, as the status of a scenario. */
clump_scenario_status scenario_status_of(clump_status status);

/** How a row is computed. */
typedef struct scenario_row_context {
    scenario_deadline *deadline;
    const char *timed; /**< the message where it needs more, with one %g for seconds */
    scenario_reasons *reasons;
    const scenario_row_place *place; /**< of a simulation; NULL: the exact engine */
    /** Receives slowdowns of the processors of a mix and, of a simulation, their intervals behind these; NULL: nobody asks. */
    double *slowdowns;
} scenario_row_context;

/**
 * Compute one point as one row for the whole node; from any thread.
 *
 * @param row  set on success, and on CLUMP_SCENARIO_INVALID, where it is empty and says why
 */
clump_scenario_status scenario_row_make(const scenario_point *point,
                                        const scenario_row_context *context, scenario_setup *setup,
                                        clump_result *row, char *message, size_t message_size);

/**
 * Compute the rows of all plans of the sandbox. The rows of `results`
 * are the caller's, to be freed, and set only on success, or if it was stopped. The message starts
 * with the place of the scenario.
 */
clump_scenario_status scenario_evaluate(scenario_sandbox *sandbox, scenario_reasons *reasons,
                                        clump_scenario_results *results, char *message,
                                        size_t message_size);

#endif
