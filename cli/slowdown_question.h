/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SLOWDOWN_QUESTION_H
#define SLOWDOWN_QUESTION_H

/*
 * The options of `clumpmodel slowdown`, and the question to the model that they make.
 */

#include "cli/options/options.h"
#include "model/prediction.h"

enum {
    SLOWDOWN_PROCESSORS,
    SLOWDOWN_NICS,
    SLOWDOWN_UTILIZATION,
    SLOWDOWN_DEMAND,
    SLOWDOWN_MAPPING,
    SLOWDOWN_GROUP_SIZES,
    SLOWDOWN_MAX_NICS,
    SLOWDOWN_EFFICIENCY,
    SLOWDOWN_REMOTE_FRACTION,
    SLOWDOWN_COST_RATIO,
    SLOWDOWN_WAITING_FRACTION,
    SLOWDOWN_MEMORY_PENALTY,
    SLOWDOWN_PHASE_CYCLES,
    SLOWDOWN_DISTRIBUTION,
    SLOWDOWN_OPTION_COUNT
};

extern const option_entry slowdown_options[SLOWDOWN_OPTION_COUNT];

typedef struct slowdown_question {
    clump_node node;
    clump_load load;
    bool distribution;
    /* Owned; node and load point here. */
    double *utilizations;
    size_t *group_sizes;
    double *efficiency;
} slowdown_question;

/** Read and check the options; complains itself. Free the question in any case. */
int slowdown_question_read(const command_line *arguments, slowdown_question *question);

void slowdown_question_free(slowdown_question *question);

#endif
