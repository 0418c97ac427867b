/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_RANDOM_H
#define CLUMP_MODEL_RANDOM_H

/*
 * Random numbers by counting: the number depends on seed, stream and index only, so that results do
 * not depend on who asks first, nor on the number of threads.
 */

#include <stdint.h>

/** Uniform in (0, 1), both excluded; 53 bits. */
double clump_random_uniform(uint64_t seed, uint64_t stream, uint64_t index);

#endif
