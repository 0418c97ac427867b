/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs on clusters of one `net` and `memory`, which the test defines before, message by message. */
#ifndef CLUMP_TESTS_UNIT_SIMULATED_MESSAGES_H
#define CLUMP_TESTS_UNIT_SIMULATED_MESSAGES_H

#include "model/simulation/messages.h"
#include "tests/unit/unit.h"

static clump_cluster machine_of(size_t nodes, size_t processors, size_t nics)
{
    return (clump_cluster){.nodes = nodes,
                           .node = {.processors = processors, .nics = nics},
                           .network = net,
                           .shared_memory = memory,
                           .memory_penalty = 1};
}

static clump_program program_of(clump_pattern pattern, double messages)
{
    return (clump_program){.pattern = pattern, .messages = messages, .phases = 1, .burst = 1};
}

static clump_message_result run(const clump_cluster *machine, const clump_program *program)
{
    const clump_simulation_options options = CLUMP_SIMULATION_DEFAULTS;
    clump_message_result result;
    clump_error error = {CLUMP_OK, ""};
    if (clump_simulate_messages(machine, NULL, program, &options, &result, NULL, NULL, &error) !=
        CLUMP_OK)
        fail_msg("%s", error.message);
    return result;
}

#endif
