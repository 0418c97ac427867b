/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Sequence numbers that wrap, compared on the circle: a is after b when it is at most half a circle
 * ahead. That tells the truth as long as no packet is overtaken by half a circle of later ones.
 */
#ifndef CLUMP_PROTOCOLS_RELIABILITY_SEQUENCE_H
#define CLUMP_PROTOCOLS_RELIABILITY_SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

/** a - b for 16-bit numbers, -32768 to 32767. */
static inline int32_t clump_sequence_difference(uint16_t a, uint16_t b)
{
    const uint16_t forward = (uint16_t)(a - b);
    return forward < 0x8000 ? (int32_t)forward : (int32_t)forward - 0x10000;
}

/** a - b for the 10-bit numbers of SSAM cells, -512 to 511. */
static inline int32_t clump_sequence_difference_10(uint16_t a, uint16_t b)
{
    const uint16_t forward = (uint16_t)(a - b) & 0x3ff;
    return forward < 0x200 ? (int32_t)forward : (int32_t)forward - 0x400;
}

/** Whether incarnation a of a process is later than b; 0 is before all others. */
static inline bool clump_incarnation_later(uint32_t a, uint32_t b)
{
    return a != 0 && (b == 0 || (a != b && (uint32_t)(a - b) < UINT32_C(0x80000000)));
}

#endif
