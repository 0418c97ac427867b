/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_VALIDATION_VALIDATION_SIMULATION_H
#define CLUMP_FITTING_VALIDATION_VALIDATION_SIMULATION_H

/*
 * The runs of a validation simulated message by message, from the same facts as the full model:
 * traffic, LogGP parameters, memory penalty, bus, lockstep, demand, and the time on the NOW.
 *
 * What is simulated is the Clump and its NOW with the same program: all compute for the same time,
 * then communicate (correlated demand), and the computation is such that the NOW takes as long as
 * was measured. What the model adds up, happens: messages wait in queues on both sides and for
 * processors that have others to handle first. With lockstep, an all-to-all exchange goes partner
 * by partner with a barrier after each.
 */

#include "fitting/validation/validation.h"
#include "model/simulation/simulation.h"

typedef struct clump_validation_simulation {
    clump_simulation_options options; /**< seed, precision, confidence, events, threads */
    double most_messages;             /**< of a rank that are simulated; without lockstep */
    const clump_watch *watch;         /**< may stop it; or NULL */
    /** How a run stands, and how many of all are done; may be NULL. */
    void (*progress)(const clump_simulation_progress *progress, size_t done, size_t total,
                     void *context);
    void *context;
} clump_validation_simulation;

/** 500 messages a rank. */
#define CLUMP_VALIDATION_SIMULATION_DEFAULTS                                                       \
    ((clump_validation_simulation){.options = CLUMP_SIMULATION_DEFAULTS, .most_messages = 500})

/**
 * Fill in outcomes[CLUMP_VALIDATION_SIMULATED] of every run that the model predicts, and
 * `simulation`; what cannot be simulated is told there. Random numbers depend on the seed and the
 * run's place.
 *
 * Errors: CLUMP_NO_MEMORY, and CLUMP_STOPPED by the watch; runs that are done keep their
 *         outcomes, the others have a problem that says so.
 * Cost: some 20 to 100 runs of most_messages on all ranks, for each.
 */
clump_status clump_validation_simulate(clump_validation *validation,
                                       const clump_validation_simulation *how, clump_error *error);

#endif
