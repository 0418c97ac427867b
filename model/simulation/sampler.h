/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_SAMPLER_H
#define CLUMP_MODEL_SIMULATION_SAMPLER_H

/* Internal to model/simulation. Draws service times of mean 1. */

#include "model/simulation/random_stream.h"
#include "model/simulation/service_time.h"

typedef struct simulation_sampler {
    const simulation_ziggurat *ziggurat;
    clump_service_kind kind;
    unsigned stages;          /* Erlang */
    double first, fast, slow; /* hyperexponential: probability of the fast branch, both means */
    const double *samples;
    size_t sample_count;
    double scale; /* to mean 1 */
} simulation_sampler;

/** `time` must have been checked; `ziggurat` and samples must outlive the sampler. */
void simulation_sampler_make(simulation_sampler *sampler, const clump_service_time *time,
                             const simulation_ziggurat *ziggurat);

/** Other distributions than the exponential. */
double simulation_sample_other(const simulation_sampler *sampler, simulation_random *random);

static inline double simulation_sample(const simulation_sampler *sampler, simulation_random *random)
{
    if (sampler->kind == CLUMP_SERVICE_EXPONENTIAL)
        return simulation_random_exponential(random, sampler->ziggurat);
    return simulation_sample_other(sampler, random);
}

#endif
