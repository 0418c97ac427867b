/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Any bytes as a GOAL schedule: refused with a line, or run to its end, or refused with what it
 * waits for, by both conventions. */

#include "model/simulation/schedule.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const clump_cluster machine = {.nodes = 1,
                                   .node = {.processors = 2, .nics = 1},
                                   .network = {5, 1, 1.5, 4, 0.01},
                                   .shared_memory = {1, 0.5, 0.5, 1, 0.001},
                                   .memory_penalty = 1};
    clump_schedule *schedule = NULL;
    clump_schedule_result result;
    clump_error error = {CLUMP_OK, ""};
    char *bytes = malloc(size + 1); /* a copy of its own, so that reading beyond it is seen */
    if (bytes == NULL)
        return 0;
    memcpy(bytes, data, size);
    const clump_status parsed = clump_schedule_parse(bytes, size, &schedule, &error);
    free(bytes);
    if (parsed == CLUMP_BAD_ARGUMENT && error.message[0] == '\0')
        abort();
    if (parsed != CLUMP_OK)
        return 0;
    const clump_mpi_transports transports = clump_mpi_transports_of("MPICH");
    for (int way = 0; way < 4 && clump_schedule_ranks(schedule) < 10000; way++) {
        const clump_schedule_rules rules = {
            .conventions = way == 2 ? CLUMP_SCHEDULE_LOGGOPSIM : CLUMP_SCHEDULE_QUEUED,
            .overhead_us_per_byte = way == 1 ? 0.02 : 0,
            .rendezvous_above = way == 0 ? UINT64_MAX : 8,
            .nic_turns = (uint32_t)(way % 3),
            .stripe_above = 64,
            .order = way == 3 ? CLUMP_RANKS_ROUND_ROBIN : CLUMP_RANKS_IN_BLOCKS,
            .window_bytes = way == 3 ? 100 : 0,
            .transports = way == 3 ? &transports : NULL};
        error = (clump_error){CLUMP_OK, ""};
        const clump_status run = clump_schedule_run(schedule, &machine, &rules, &result, &error);
        if (run == CLUMP_OK && !(result.time_us >= 0))
            abort();
        if (run != CLUMP_OK && error.message[0] == '\0')
            abort();
    }
    clump_schedule_free(schedule);
    return 0;
}
