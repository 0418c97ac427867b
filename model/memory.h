/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_MEMORY_H
#define CLUMP_MODEL_MEMORY_H

/*
 * Memory that the processors of a node share: a second station whose rate depends on how many use it
 * (new; MODEL.md 27).
 *
 *   k      processors that use no NIC: they compute, or communicate inside the node
 *   nu(k)  what those k do together, in units of one alone; each of them goes on at nu(k)/k.
 *          nu(k) = k is the model of the thesis, in which processors share nothing but NICs
 */

#include "model/status.h"

#include <stddef.h>

/** How nu follows from what is known of the memory. */
typedef enum clump_memory_law {
    /** A processor goes back and forth between memory, the share m of its time when it is alone, and
     *  work of its own. Those that are at memory share it: a closed network of its own, nu(k) =
     *  k/X(k; U = m, station with the rate of memory). */
    CLUMP_MEMORY_QUEUE = 0,
    /** Roofline: nobody waits before memory is used up, nu(k) = min(k, rate/m). */
    CLUMP_MEMORY_ROOFLINE,
    /** The curve is nu itself. */
    CLUMP_MEMORY_MEASURED
} clump_memory_law;

/** Names of the laws, as error messages list them. */
#define CLUMP_MEMORY_LAW_LIST "queue, roofline, measured"

/** The memory of a node, and what a program wants of it. All zero: memory is no station. */
typedef struct clump_memory {
    double share; /**< m, 0 to 1: share of the time that one processor, alone in its node, spends at
                       memory while it computes or communicates inside the node; 0: nu(k) = k. Not
                       read for CLUMP_MEMORY_MEASURED */
    double feeds; /**< processors that memory serves at full speed at once, at least 1: its rate is
                       min(j, feeds) with j processors at it. Read where there is no curve */
    const double *curve; /**< rate of memory with 1, 2, ... processors at it, in units of one alone
                                (curve[0] = 1); the last value holds for more. Belongs to the caller */
    size_t curve_length; /**< 0: no curve */
    clump_memory_law law;
} clump_memory;

/** Largest number of processors of a node whose memory is a station. */
#define CLUMP_MEMORY_MOST_PROCESSORS ((size_t)100000)

/** Largest number where the curve falls somewhere, and the law is CLUMP_MEMORY_QUEUE, or
 *  CLUMP_MEMORY_MEASURED with part of the time spent waiting for latency: each nu(k) is then a sum
 *  over k states. */
#define CLUMP_MEMORY_MOST_FALLING ((size_t)10000)

/** "queue", "roofline", "measured". */
const char *clump_memory_law_name(clump_memory_law law);

/** Whether memory is a station at all. */
static inline int clump_memory_is_station(const clump_memory *memory)
{
    return memory->law == CLUMP_MEMORY_MEASURED || memory->share > 0;
}

/**
 * Check a description.
 *
 * Errors: CLUMP_BAD_ARGUMENT for a share outside 0 to 1, feeds below 1 where they are read, a curve
 *         that does not begin with 1 or has values outside 1e-50 to 1e50, a law that is none, or
 *         CLUMP_MEMORY_MEASURED without a curve.
 */
clump_status clump_memory_check(const clump_memory *memory, clump_error *error);

/**
 * nu(0), nu(1), ..., nu(processors).
 *
 * @param waiting  share of the processors' time without NICs, 0 to 1, in which they wait for
 *                 latency: in it they use no memory, and nobody slows them
 * @param rates    receives processors + 1 values; undefined after an error
 * Errors: those of clump_memory_check; CLUMP_BAD_ARGUMENT for more than CLUMP_MEMORY_MOST_PROCESSORS.
 * Cost: O(P); for a queue a sum over the likely states for each k at which memory is neither idle nor used
 *       up, less than a second in all; O(P^2) if the curve falls.
 */
clump_status clump_memory_rates(const clump_memory *memory, double waiting, size_t processors,
                                double *rates, clump_error *error);

/** nu(k) alone, waiting 0. Cost: O(sqrt(k)), or O(k). */
clump_status clump_memory_rate(const clump_memory *memory, size_t processors, double *rate,
                               clump_error *error);

#endif
