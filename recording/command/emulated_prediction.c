/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/command/emulated_prediction.h"

#include "recording/read_run.h"
#include "scenarios/recorded/recorded.h"

#include <math.h>
#include <stdio.h>

/*
 * LogGP of the emulation in microseconds of the program: rates are those that were set; what the kernel
 * and MPI do takes its real time, some 60 us for a message, divided by D. Within a node a rank looks for
 * messages every few microseconds, and copies them D times too fast.
 */
static clump_loggp network_of(const clump_mpi_emulation_plan *plan)
{
    const double own = 20 / plan->dilation;
    return (clump_loggp){.latency_us = 20 / plan->dilation,
                         .send_overhead_us = own,
                         .receive_overhead_us = own,
                         .gap_us = own,
                         .gap_us_per_byte = 8 / plan->rate_mbit};
}

static clump_loggp memory_of(const clump_mpi_emulation_plan *plan)
{
    return (clump_loggp){.latency_us = 2,
                         .send_overhead_us = 1 / plan->dilation,
                         .receive_overhead_us = 1 / plan->dilation,
                         .gap_us = 1 / plan->dilation,
                         .gap_us_per_byte = 2e-4 / plan->dilation};
}

/* Messages and computations of a play: it takes seconds, as little as the programs themselves. */
enum { MOST_OPERATIONS = 5000000 };

static clump_status predict(const clump_mpi_emulation_plan *plan, clump_recorded_kept *kept,
                            clump_arena *arena, const unsigned *nics, size_t count,
                            double *predicted, clump_error *error)
{
    const clump_loggp network = network_of(plan), memory = memory_of(plan);
    const clump_recorded_options options = {.network = &network, .shared_memory = &memory};
    clump_recorded program;
    clump_recorded_placed placed;
    clump_status status = clump_recorded_make(kept, &options, arena, &program, error);
    if (status == CLUMP_OK)
        status = clump_recorded_place(&program, plan->processors, &placed, error);
    for (size_t i = 0; i < count && status == CLUMP_OK; i++) {
        const clump_node node = {
            .processors = plan->processors, .nics = nics[i], .mapping = CLUMP_MAPPING_POOLED};
        clump_prediction prediction;
        status = clump_recorded_predict(&placed, &node, 1, &prediction, error);
        if (status == CLUMP_OK)
            predicted[i] = prediction.slowdown;
    }
    return status;
}

void emulated_predict(const char *folder, const clump_mpi_emulation_plan *plan,
                      const unsigned *nics, size_t count, double *predicted,
                      char why[EMULATED_WHY_SIZE])
{
    char message[CLUMP_RECORDING_TEXT];
    const clump_run_choices choices = {.most_operations = MOST_OPERATIONS};
    clump_recorded_run *run = NULL;
    clump_recorded_kept *kept = NULL;
    clump_arena *arena = clump_arena_new();
    clump_error error;
    why[0] = '\0';
    for (size_t i = 0; i < count; i++)
        predicted[i] = NAN;
    if (arena == NULL)
        snprintf(why, EMULATED_WHY_SIZE, "no prediction: out of memory");
    else if (clump_run_read(folder, NULL, &choices, &run, message) != CLUMP_RECORDING_OK)
        snprintf(why, EMULATED_WHY_SIZE, "no prediction: %.200s", message);
    else if (clump_recorded_kept_add(&kept, run) == NULL)
        snprintf(why, EMULATED_WHY_SIZE, "no prediction: out of memory");
    else if (predict(plan, kept, arena, nics, count, predicted, &error) != CLUMP_OK)
        snprintf(why, EMULATED_WHY_SIZE, "no prediction: %.200s", error.message);
    clump_recorded_kept_free(kept);
    clump_arena_free(arena);
}
