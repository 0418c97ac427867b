/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/emulation/emulated_prediction.h"

#include "recording/facts.h"
#include "scenarios/recorded.h"

#include <math.h>
#include <stdio.h>

/*
 * LogGP of the emulation in microseconds of the program: rates are those that were set; what the kernel
 * and MPI do takes its real time, some 60 us for a message, divided by D. Within a node a rank looks for
 * messages every few microseconds, and copies them D times too fast.
 */
static clump_loggp network_of(const clump_emulated_plan *plan)
{
    const double own = 20 / plan->dilation;
    return (clump_loggp){.latency_us = 20 / plan->dilation,
                         .send_overhead_us = own,
                         .receive_overhead_us = own,
                         .gap_us = own,
                         .gap_us_per_byte = 8 / plan->rate_mbit};
}

static clump_loggp memory_of(const clump_emulated_plan *plan)
{
    return (clump_loggp){.latency_us = 2,
                         .send_overhead_us = 1 / plan->dilation,
                         .receive_overhead_us = 1 / plan->dilation,
                         .gap_us = 1 / plan->dilation,
                         .gap_us_per_byte = 2e-4 / plan->dilation};
}

static clump_status place(const clump_facts *facts, const clump_emulated_plan *plan,
                          clump_arena *arena, clump_recorded_placed *placed, clump_error *error)
{
    const clump_loggp network = network_of(plan), memory = memory_of(plan);
    const clump_recorded_options options = {
        .network = &network, .shared_memory = &memory, .recorded_here = true};
    clump_recorded program;
    const clump_status status = clump_recorded_make(facts, &options, arena, &program, error);
    return status == CLUMP_OK
               ? clump_recorded_place(&program, plan->processors, arena, placed, error)
               : status;
}

static clump_status predict(const clump_facts *facts, const clump_emulated_plan *plan,
                            const unsigned *nics, size_t count, clump_arena *arena,
                            double *predicted, clump_error *error)
{
    clump_recorded_placed placed;
    clump_status status = place(facts, plan, arena, &placed, error);
    for (size_t i = 0; i < count && status == CLUMP_OK; i++) {
        double gang_size = 1;
        clump_prediction prediction;
        const clump_demand demand = clump_recorded_demand(&placed, &gang_size);
        const clump_node node = {.processors = plan->processors,
                                 .nics = nics[i],
                                 .mapping = CLUMP_MAPPING_POOLED,
                                 .max_nics_per_processor = placed.most_nics};
        status = clump_recorded_predict(&placed, &node, demand, gang_size, 1, &prediction, error);
        if (status == CLUMP_OK)
            predicted[i] = prediction.slowest;
    }
    return status;
}

void emulated_predict(const char *folder, const clump_emulated_plan *plan, const unsigned *nics,
                      size_t count, double *predicted, char why[EMULATED_WHY_SIZE])
{
    char message[CLUMP_FACTS_MESSAGE];
    clump_facts *facts = NULL;
    clump_error error = {0};
    clump_arena *arena = clump_arena_new();
    why[0] = '\0';
    for (size_t i = 0; i < count; i++)
        predicted[i] = NAN;
    if (arena == NULL)
        snprintf(why, EMULATED_WHY_SIZE, "out of memory");
    else if (clump_facts_of_recording(folder, false, &facts, message) != CLUMP_FACTS_OK)
        snprintf(why, EMULATED_WHY_SIZE, "%.*s", EMULATED_WHY_SIZE - 1, message);
    else if (predict(facts, plan, nics, count, arena, predicted, &error) != CLUMP_OK)
        snprintf(why, EMULATED_WHY_SIZE, "%.*s", EMULATED_WHY_SIZE - 1, error.message);
    clump_facts_free(facts);
    clump_arena_free(arena);
}
