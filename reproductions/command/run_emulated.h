/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_REPRODUCTIONS_COMMAND_RUN_EMULATED_H
#define CLUMP_REPRODUCTIONS_COMMAND_RUN_EMULATED_H

/* Programs on emulated Clumps and their NOW, with what the model says from the traffic of the NOW. */

#include "cli/command.h"
#include "reproductions/runs/application_emulated.h"

typedef struct run_emulated {
    clump_application_machine
        machine;        /* `nics` and `now` are not looked at; `dilation` 0: chosen */
    const size_t *nics; /* of a node: a Clump for each */
    size_t nic_count, repetitions;
    bool checked; /* results are compared with that of a sequential run */
} run_emulated;

enum { RUN_EMULATED_MOST_CLUMPS = 16 };

/** Run, predict and show. Complains itself. @return the exit code */
int run_emulated_show(const command_invocation *invocation, const clump_application_input *input,
                      const run_emulated *how);

#endif
