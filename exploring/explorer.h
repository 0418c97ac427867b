/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef EXPLORER_H
#define EXPLORER_H

/*
 * What `clumpmodel explore` computes: cases, configurations, rows.
 *
 *   case           one combination of the swept variables of the script: the script runs once
 *   configuration  one combination of what its scenarios vary, fields that are swept included
 *   row            a configuration with the mix of its applications, or each of them on its own
 *
 * Cases and configurations are computed in parallel and handed over in order: results do not depend
 * on the number of threads. Of a sweep of any size only some blocks of rows are in memory.
 */

#include "cli/command.h"
#include "exploring/explore_variable.h"
#include "scenarios/scenario.h"

#include <stdint.h>

enum { CLUMP_EXPLORER_MOST_PARAMETERS = 64 };

/** An uncertain number, as the first run met it. */
typedef struct clump_explorer_parameter {
    char name[160];
    clump_uncertain distribution;
} clump_explorer_parameter;

typedef struct clump_explorer {
    const command_invocation *invocation;
    clump_scenario_options base; /**< file, text, -D and limits */
    clump_scenario_definition *definitions;
    clump_explorer_variable *sweeps;
    size_t sweep_count;
    clump_explorer_variable *uncertain;
    size_t uncertain_count;
    bool drawn;        /**< uncertain numbers are drawn */
    size_t draws;      /**< 0: none */
    double percentile; /**< 0 to 100 */
    uint64_t seed;
    clump_prices prices; /**< of the command line; NAN: those of the scenario */
    double limit;        /**< of --max-slowdown; 0: not asked */
    bool of_mean;
    bool each;
    int threads;
    clump_store **stores;             /**< one a thread */
    clump_scenario_memory **memories; /**< the same */
    char *text;                       /**< of the scenario */

    /* What the first run tells. */
    clump_explorer_parameter *parameters;
    size_t parameter_count;
    size_t cases;
    double rows_expected;
    bool priced;
} clump_explorer;

/** Strings belong to the scenario in hand, and are valid until the row has been handed over. */
typedef struct clump_explorer_row {
    const clump_explorer *explorer;
    clump_result result; /**< of the application, or means weighted by the mix */
    double worst;        /**< slowdown of the slowest application */
    const char *worst_application;
    double price, work_price; /**< of a node; of the work of one NOW machine */
    size_t least_nics;        /**< 0: none is enough, or not asked for */
    double least_real;
    double median, low, high, at_percentile; /**< of the draws: 50%, 5%, 95% */
    uint64_t index;
    size_t case_index;
    bool pareto;
} clump_explorer_row;

/** Read the options; complains itself. Release in any case. */
int clump_explorer_open(const command_invocation *invocation, clump_explorer *explorer);
void clump_explorer_close(clump_explorer *explorer);

/** Parts of clump_explorer_open: which names the script reads, and what it draws. */
int clump_explorer_probe(clump_explorer *explorer);
int clump_explorer_look(clump_explorer *explorer);

/**
 * Find out whether the script reads a variable of that name, or it is a field.
 * @return exit code; complains itself if it is neither
 */
int clump_explorer_look_up(clump_explorer *explorer, const char *option,
                           clump_explorer_variable *variable);

/** How uncertain numbers are drawn in one run of the script. */
typedef struct clump_explorer_draw {
    const clump_explorer *explorer;
    uint64_t index; /**< which draw */
    bool other;     /**< from the second of two independent matrices */
    int swapped;    /**< the one parameter that comes from the other matrix; -1: none */
    int fixed;      /**< the one parameter that has `value`; -1: none */
    double value;
    bool nominal; /**< all others are at their medians */
} clump_explorer_draw;

/**
 * Run the script for a case; from any thread, with the store of that thread.
 *
 * @param draw  or NULL: medians
 * @param extra  fields to replace besides, `extra_count` of them
 */
clump_scenario_status clump_explorer_prepare(const clump_explorer *explorer, size_t case_index,
                                             const clump_explorer_draw *draw,
                                             const clump_scenario_override *extra,
                                             size_t extra_count, clump_scenario **scenario,
                                             char *message, size_t message_size);

/**
 * Rows of a configuration: 1, or one an application.
 *
 * @param rows     receives them; room for clump_scenario_most_applications
 * @param scratch  room for as many results
 * @param least    compute least_nics too
 */
clump_scenario_status clump_explorer_compute(const clump_explorer *explorer,
                                             const clump_scenario *scenario, size_t configuration,
                                             bool least, clump_result *scratch,
                                             clump_explorer_row *rows, size_t *count, char *message,
                                             size_t message_size);

/** Takes a row; returns an exit code other than 0 to stop. */
typedef int clump_explorer_visitor(const clump_explorer_row *row, void *context);

/** All rows, in order. @return exit code; complains itself */
int clump_explorer_visit(clump_explorer *explorer, clump_explorer_visitor *visitor, void *context);

/** Complain about what a scenario said; returns the exit code. */
int clump_explorer_explain(const clump_explorer *explorer, clump_scenario_status status,
                           const char *message);

/** The value that a swept variable of the script has in a case. */
const char *clump_explorer_value(const clump_explorer *explorer, size_t sweep, size_t case_index);

#endif
