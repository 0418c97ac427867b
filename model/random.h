/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_RANDOM_H
#define CLUMP_MODEL_RANDOM_H

#include <stdint.h>

/**
 * Splitmix64: a counter through a mixing function (D. Stafford's variant 13 of MurmurHash3's
 * finalizer), as in G. L. Steele, D. Lea, C. H. Flood: Fast Splittable Pseudorandom Number
 * Generators, OOPSLA 2014. Every seed is a good one.
 *
 * @param state  the seed at first; moved on
 */
static inline uint64_t clump_splitmix(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/**
 * Random numbers by counting: the number depends on seed, stream and index only, so that results do
 * not depend on who asks first, nor on the number of threads. Uniform in (0, 1), both excluded; 53
 * bits.
 */
static inline double clump_random_uniform(uint64_t seed, uint64_t stream, uint64_t index)
{
    const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t one = seed, two = stream * golden;
    uint64_t key = (clump_splitmix(&one) ^ clump_splitmix(&two)) - golden;
    uint64_t counter = clump_splitmix(&key) + index * golden;
    uint64_t mixed = clump_splitmix(&counter);
    return ((double)(clump_splitmix(&mixed) >> 11) + 0.5) * 0x1p-53;
}

#endif
