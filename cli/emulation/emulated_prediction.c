/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/emulation/emulated_prediction.h"

#include "cli/recording/played_recording.h"
#include "recording/facts.h"
#include "scenarios/recorded/recorded.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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

/* What stands between a recording and what is said of it. */
typedef struct work {
    const clump_mpi_emulation_plan *plan;
    clump_arena *arena;
    clump_recorded program;
    clump_recorded_placed placed;
    played_recording played;
    clump_error error;
} work;

static clump_status place(const clump_facts *facts, work *w)
{
    const clump_loggp network = network_of(w->plan), memory = memory_of(w->plan);
    const clump_recorded_options options = {
        .network = &network, .shared_memory = &memory, .recorded_here = true};
    const clump_status status =
        clump_recorded_make(facts, &options, w->arena, &w->program, &w->error);
    return status == CLUMP_OK ? clump_recorded_place(&w->program, w->plan->processors, w->arena,
                                                     &w->placed, &w->error)
                              : status;
}

static clump_status predict_one(work *w, unsigned nics, emulated_prediction *of)
{
    double gang_size = 1;
    clump_prediction prediction;
    const clump_demand demand = clump_recorded_demand(&w->placed, &gang_size);
    clump_node node = {.processors = w->plan->processors,
                       .nics = nics,
                       .mapping = CLUMP_MAPPING_POOLED,
                       .max_nics_per_processor = w->placed.most_nics};
    clump_status status =
        clump_recorded_predict(&w->placed, &node, demand, gang_size, 1, &prediction, &w->error);
    if (status != CLUMP_OK)
        return status;
    of->predicted = of->formulas = prediction.slowest;
    node.max_nics_per_processor = 0; /* its calls tell how many it keeps busy */
    if (w->played.play.processors == 0)
        return CLUMP_OK;
    status = clump_recorded_play_on(&w->played.play, &node, 1, &prediction, &w->error);
    if (status == CLUMP_OK)
        of->predicted = prediction.slowest;
    return status;
}

static clump_status predict(const char *folder, const clump_facts *facts, work *w,
                            const unsigned *nics, size_t count, emulated_prediction *predictions,
                            char why[EMULATED_WHY_SIZE])
{
    clump_status status = place(facts, w);
    if (status == CLUMP_OK) {
        played_recording_open(folder, &w->program, w->plan->processors, MOST_OPERATIONS, NULL,
                              &w->played);
        if (w->played.why[0] != '\0')
            snprintf(why, EMULATED_WHY_SIZE,
                     "calls are not played, predictions are by formulas: %.150s", w->played.why);
    }
    for (size_t i = 0; i < count && status == CLUMP_OK; i++)
        status = predict_one(w, nics[i], &predictions[i]);
    return status;
}

void emulated_predict(const char *folder, const clump_mpi_emulation_plan *plan,
                      const unsigned *nics, size_t count, emulated_prediction *predictions,
                      char why[EMULATED_WHY_SIZE])
{
    char message[CLUMP_FACTS_MESSAGE];
    clump_facts *facts = NULL;
    work *w = calloc(1, sizeof *w);
    why[0] = '\0';
    for (size_t i = 0; i < count; i++)
        predictions[i] = (emulated_prediction){NAN, NAN};
    if (w != NULL) {
        w->plan = plan;
        w->arena = clump_arena_new();
    }
    if (w == NULL || w->arena == NULL)
        snprintf(why, EMULATED_WHY_SIZE, "no prediction: out of memory");
    else if (clump_facts_of_recording(folder, false, &facts, message) != CLUMP_FACTS_OK)
        snprintf(why, EMULATED_WHY_SIZE, "no prediction: %.200s", message);
    else if (predict(folder, facts, w, nics, count, predictions, why) != CLUMP_OK)
        snprintf(why, EMULATED_WHY_SIZE, "no prediction: %.200s", w->error.message);
    if (w != NULL) {
        played_recording_close(&w->played);
        clump_arena_free(w->arena);
    }
    clump_facts_free(facts);
    free(w);
}
