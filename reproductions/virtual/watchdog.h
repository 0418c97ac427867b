/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Polling watchdog (cluster-protocols.txt, section 4.1; Maquelin et al. 1996): the NIC starts a
 * timer when a packet has come and raises an interrupt only if the host has not polled until it
 * runs out.
 */
#ifndef CLUMP_REPRODUCTIONS_VIRTUAL_WATCHDOG_H
#define CLUMP_REPRODUCTIONS_VIRTUAL_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

typedef struct clump_watchdog {
    uint64_t timeout_ns;
    uint64_t deadline_ns; /**< UINT64_MAX: not running */
    bool enabled;         /**< interrupts are wanted */
    uint64_t interrupts;  /**< raised so far */
} clump_watchdog;

static inline clump_watchdog clump_watchdog_make(uint64_t timeout_ns)
{
    const clump_watchdog made = {timeout_ns, UINT64_MAX, true, 0};
    return made;
}

/** A packet is in the host's queue: start, unless it is running for an earlier one. */
static inline void clump_watchdog_arrival(clump_watchdog *dog, uint64_t now_ns)
{
    if (dog->enabled && dog->deadline_ns == UINT64_MAX)
        dog->deadline_ns = now_ns + dog->timeout_ns;
}

/** The host has polled, and found all there is. */
static inline void clump_watchdog_polled(clump_watchdog *dog)
{
    dog->deadline_ns = UINT64_MAX;
}

/** @return whether an interrupt is to be raised now; once for all that waits */
static inline bool clump_watchdog_expired(clump_watchdog *dog, uint64_t now_ns)
{
    if (dog->deadline_ns > now_ns || !dog->enabled)
        return false;
    dog->deadline_ns = UINT64_MAX;
    dog->interrupts++;
    return true;
}

#endif
