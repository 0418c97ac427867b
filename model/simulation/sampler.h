/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_SAMPLER_H
#define CLUMP_MODEL_SIMULATION_SAMPLER_H

/*
 * Internal to model/simulation. Service times of mean 1, drawn from streams of random numbers that
 * do not depend on each other: each replication has its own, made from the seed and the number of
 * the replication, so that a result does not depend on which thread computes what.
 *
 * Generator: xoshiro256++ (Blackman and Vigna, "Scrambled linear pseudorandom number generators",
 * ACM TOMS 47, 2021), its state filled by splitmix64. Exponential variates: the ziggurat of
 * Marsaglia and Tsang (J. Stat. Software 5(8), 2000) with 256 layers.
 */

#include "model/simulation/service_time.h"

#include <math.h>
#include <stdint.h>

typedef struct simulation_random {
    uint64_t s[4];
} simulation_random;

enum { SIMULATION_LAYERS = 256 };

/** Right ends x of the layers and exp(-x); layer 0 includes the tail. */
typedef struct simulation_ziggurat {
    double x[SIMULATION_LAYERS + 1], f[SIMULATION_LAYERS + 1];
} simulation_ziggurat;

/** Start of the tail, and the area of every layer. */
#define SIMULATION_TAIL 7.69711747013104972
#define SIMULATION_AREA 0.0039496598225815571993

void simulation_ziggurat_make(simulation_ziggurat *ziggurat);

/** The stream of `number` under `seed`. */
void simulation_random_start(simulation_random *random, uint64_t seed, uint64_t number);

static inline uint64_t simulation_random_bits(simulation_random *random)
{
    uint64_t *s = random->s;
    const uint64_t sum = s[0] + s[3];
    const uint64_t result = ((sum << 23) | (sum >> 41)) + s[0];
    const uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = (s[3] << 45) | (s[3] >> 19);
    return result;
}

/** Uniform on [0, 1), 53 bits. */
static inline double simulation_random_uniform(simulation_random *random)
{
    return (double)(simulation_random_bits(random) >> 11) * 0x1p-53;
}

/** Uniform on 0 .. count-1; the bias is below count/2^64. */
static inline uint64_t simulation_random_below(simulation_random *random, uint64_t count)
{
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)(((wide)simulation_random_bits(random) * count) >> 64);
}

/** Exponential with mean 1. */
static inline double simulation_random_exponential(simulation_random *random,
                                                   const simulation_ziggurat *z)
{
    for (double shift = 0;;) {
        const uint64_t bits = simulation_random_bits(random);
        const unsigned layer = bits & (SIMULATION_LAYERS - 1);
        const double x = (double)(bits >> 11) * 0x1p-53 * z->x[layer];
        if (x < z->x[layer + 1])
            return shift + x;
        if (layer == 0) /* the tail of an exponential is an exponential */
            shift += SIMULATION_TAIL;
        else if (z->f[layer] + simulation_random_uniform(random) * (z->f[layer + 1] - z->f[layer]) <
                 exp(-x))
            return shift + x;
    }
}

/* ---- service times */

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
