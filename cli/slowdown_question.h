/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_SLOWDOWN_QUESTION_H
#define CLUMP_CLI_SLOWDOWN_QUESTION_H

/*
 * The options of `clumpmodel slowdown`, and the question to the model that they make.
 */

#include "cli/options.h"
#include "model/prediction.h"

enum {
    CLUMP_CLI_SLOWDOWN_PROCESSORS,
    CLUMP_CLI_SLOWDOWN_NICS,
    CLUMP_CLI_SLOWDOWN_UTILIZATION,
    CLUMP_CLI_SLOWDOWN_DEMAND,
    CLUMP_CLI_SLOWDOWN_MAPPING,
    CLUMP_CLI_SLOWDOWN_GROUP_SIZES,
    CLUMP_CLI_SLOWDOWN_MAX_NICS,
    CLUMP_CLI_SLOWDOWN_EFFICIENCY,
    CLUMP_CLI_SLOWDOWN_REMOTE_FRACTION,
    CLUMP_CLI_SLOWDOWN_COST_RATIO,
    CLUMP_CLI_SLOWDOWN_WAITING_FRACTION,
    CLUMP_CLI_SLOWDOWN_MEMORY_PENALTY,
    CLUMP_CLI_SLOWDOWN_PHASE_CYCLES,
    CLUMP_CLI_SLOWDOWN_DISTRIBUTION,
    CLUMP_CLI_SLOWDOWN_OPTION_COUNT
};

extern const clump_cli_option clump_cli_slowdown_options[CLUMP_CLI_SLOWDOWN_OPTION_COUNT];

typedef struct clump_cli_slowdown_question {
    clump_node node;
    clump_load load;
    bool distribution;
    /* Owned; node and load point here. */
    double *utilizations;
    size_t *group_sizes;
    double *efficiency;
} clump_cli_slowdown_question;

/** Read and check the options; complains itself. Free the question in any case. */
int clump_cli_slowdown_question_read(const clump_cli_arguments *arguments,
                                     clump_cli_slowdown_question *question);

void clump_cli_slowdown_question_free(clump_cli_slowdown_question *question);

#endif
