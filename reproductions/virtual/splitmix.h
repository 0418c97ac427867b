/* SPDX-License-Identifier: GPL-3.0-or-later */
/** Random numbers that are the same everywhere for the same seed: splitmix64 (Steele, Lea and
 *  Flood, OOPSLA 2014), whose every seed is a good one. model/random.h has it, too: virtual time
 *  knows nothing of model/. */
#ifndef CLUMP_REPRODUCTIONS_VIRTUAL_SPLITMIX_H
#define CLUMP_REPRODUCTIONS_VIRTUAL_SPLITMIX_H

#include <stdint.h>

static inline uint64_t clump_splitmix_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/** From 0 to 1, 1 excluded. */
static inline double clump_splitmix_real(uint64_t *state)
{
    return (double)(clump_splitmix_next(state) >> 11) * 0x1p-53;
}

#endif
