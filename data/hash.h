/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_DATA_HASH_H
#define CLUMP_DATA_HASH_H

/*
 * FNV-1a with 64 bits (G. Fowler, L. C. Noll, K.-P. Vo): for tables and against accidents, not against
 * malice.
 */

#include <stddef.h>
#include <stdint.h>

/** What to begin with. */
#define CLUMP_HASH_START UINT64_C(14695981039346656037)

/** Goes on from `hash`, so that parts can follow each other. */
static inline uint64_t clump_hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * UINT64_C(1099511628211);
    return hash;
}

#endif
