/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Who a process is, in 64 bits, so that one atomic operation can record it.
 *
 * An identity is the process number in the upper half and the low half of the process's start time
 * (clock ticks since boot) in the lower: a number that the system gave to another process since
 * does not pass for the first one. That is for processes that see the same numbers, those of one
 * pid namespace.
 */
#ifndef CLUMP_PROTOCOLS_QUEUE_PROCESS_H
#define CLUMP_PROTOCOLS_QUEUE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

/** The calling process; never 0. Cost: one read of /proc the first time after a fork. */
uint64_t clump_process_self(void);

/**
 * Whether that process still runs. A zombie does not run. Cost: one read of /proc (about 10
 * microseconds). When /proc cannot tell, a process that exists counts as living: waiting too long
 * is the lesser mistake.
 */
bool clump_process_alive(uint64_t identity);

/** Which processes see each other's numbers: those with the same pid namespace. 0: unknown. */
uint64_t clump_process_space(void);

/** The number in an identity, for messages. */
static inline long clump_process_number(uint64_t identity)
{
    return (long)(identity >> 32);
}

/** Monotonic time in nanoseconds. */
uint64_t clump_time_ns(void);

/** 16 bytes that are the same for all processes that share this machine's shared memory. */
void clump_machine_identity(unsigned char identity[16]);

#endif
