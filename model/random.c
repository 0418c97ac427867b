/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/random.h"

/* The finalizer of MurmurHash3 with the constants of D. Stafford's variant 13, as in G. L. Steele,
 * D. Lea, C. H. Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014. */
static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

double clump_random_uniform(uint64_t seed, uint64_t stream, uint64_t index)
{
    const uint64_t golden = UINT64_C(0x9E3779B97F4A7C15);
    const uint64_t key = mix(mix(seed + golden) ^ mix(stream * golden + golden));
    const uint64_t bits = mix(mix(key + (index + 1) * golden) + golden);
    return ((double)(bits >> 11) + 0.5) * 0x1p-53;
}
