/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/simulation/sampler.h"

#include "model/random.h"

void simulation_ziggurat_make(simulation_ziggurat *z)
{
    z->x[0] = SIMULATION_AREA * exp(SIMULATION_TAIL);
    z->x[1] = SIMULATION_TAIL;
    for (int i = 1; i < SIMULATION_LAYERS - 1; i++)
        z->x[i + 1] = -log(SIMULATION_AREA / z->x[i] + exp(-z->x[i]));
    z->x[SIMULATION_LAYERS] = 0;
    for (int i = 0; i <= SIMULATION_LAYERS; i++)
        z->f[i] = exp(-z->x[i]);
}

void simulation_random_start(simulation_random *random, uint64_t seed, uint64_t number)
{
    /* Seed and number are mixed one after the other: neighbours give unrelated states. */
    uint64_t state = seed;
    state = clump_splitmix(&state) + number;
    state = clump_splitmix(&state);
    for (int i = 0; i < 4; i++)
        random->s[i] = clump_splitmix(&state);
}

void simulation_sampler_make(simulation_sampler *sampler, const clump_service_time *time,
                             const simulation_ziggurat *ziggurat)
{
    *sampler = (simulation_sampler){.ziggurat = ziggurat, .kind = time->kind};
    if (time->kind == CLUMP_SERVICE_ERLANG)
        sampler->stages = (unsigned)time->shape;
    if (time->kind == CLUMP_SERVICE_HYPEREXPONENTIAL) {
        /* p/a = (1-p)/b: both branches bring half of the mean. */
        const double p = (1 + sqrt((time->shape - 1) / (time->shape + 1))) / 2;
        sampler->first = p;
        sampler->fast = 1 / (2 * p);
        sampler->slow = 1 / (2 * (1 - p));
    }
    if (time->kind == CLUMP_SERVICE_SAMPLES) {
        double mean = 0;
        for (size_t i = 0; i < time->sample_count; i++)
            mean += (time->samples[i] - mean) / (double)(i + 1);
        sampler->samples = time->samples;
        sampler->sample_count = time->sample_count;
        sampler->scale = 1 / mean;
    }
}

double simulation_sample_other(const simulation_sampler *sampler, simulation_random *random)
{
    double sum = 0;
    switch (sampler->kind) {
    case CLUMP_SERVICE_CONSTANT:
        return 1;
    case CLUMP_SERVICE_ERLANG:
        for (unsigned i = 0; i < sampler->stages; i++)
            sum += simulation_random_exponential(random, sampler->ziggurat);
        return sum / sampler->stages;
    case CLUMP_SERVICE_HYPEREXPONENTIAL: {
        const int fast = simulation_random_uniform(random) < sampler->first;
        return (fast ? sampler->fast : sampler->slow) *
               simulation_random_exponential(random, sampler->ziggurat);
    }
    case CLUMP_SERVICE_SAMPLES:
        return sampler->scale *
               sampler->samples[simulation_random_below(random, sampler->sample_count)];
    default:
        return simulation_random_exponential(random, sampler->ziggurat);
    }
}
