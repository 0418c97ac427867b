/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_REPRODUCTIONS_COMMAND_RUN_MODEL_H
#define CLUMP_REPRODUCTIONS_COMMAND_RUN_MODEL_H

/* What the model says of a run in virtual time: from the messages that the run counted, and the time of the
 * same program on a NOW with the same network. */

#include "cli/command.h"
#include "model/workload/traffic.h"
#include "reproductions/runs/application_run.h"
#include "reproductions/virtual/virtual_team.h"

typedef struct run_model {
    /** On a NOW of as many processors, in virtual time; NAN: nothing was predicted. */
    double now_s;
    double utilization;     /**< U there */
    double remote_fraction; /**< f */
    double slowdown;        /**< X of the model, with correlated demand */
    double time_s;          /**< the time that it predicts */
} run_model;

/** How a run of this input waits for its messages, as stored applications have it. */
typedef struct run_style {
    const char *name; /**< "streaming", "blocking"; NULL: not known */
    bool exchange;    /**< who is asked is asking */
    bool lockstep;    /**< barriers separate the steps of an exchange */
} run_style;

run_style run_style_of(const clump_application_input *input);

/** Traffic of a processor, the mean of all: to other nodes, or within its own. */
clump_traffic run_traffic(const clump_application_run *run, bool remote);

/** The machine as a NOW: a node, with a NIC, for each processor. */
clump_virtual_team_options run_now_machine(const clump_virtual_team_options *machine);

/**
 * The model with the rules of validate, but that memory has no costs here as it has none in virtual time.
 *
 * @param run  that was run on `machine`
 * @param now  the same program on run_now_machine()
 * Complains itself. @return the exit code
 */
int run_model_predict(const char *command, const clump_application_run *run,
                      const clump_virtual_team_options *machine, const clump_application_run *now,
                      run_model *model);

#endif
