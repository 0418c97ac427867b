/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_PLACEMENT_H
#define CLUMP_MODEL_PLACEMENT_H

/*
 * NICs that are not all alike to a processor: those of another socket or PCIe switch are slower to
 * reach, and the ports of one card share the bandwidth of its slot. New; MODEL.md 12.
 *
 *   near, far  fraction of its speed at which a NIC serves a processor of its own domain (socket,
 *              PCIe switch), and one of another
 *   b          what a slot carries, in NICs
 *   C(k)       what k of the N NICs move together, in NICs; C(k) = k where slots hold one each
 *   c_p        mean speed of the NICs as processor p sees them
 *
 * C enters the station's rate, mu(q) = C(min(q m, N)) E(q); c_p lengthens the processor's own
 * communication to U_p/c_p. Both together keep the equilibrium in product form.
 *
 * NICs and processors are numbered in order: domain d holds NICs [d N/D, (d+1) N/D), slots are
 * filled one after the other.
 */

#include "model/status.h"

#include <stddef.h>

/** NICs that share a slot. All zero: none do. */
typedef struct clump_slots {
    size_t ports;     /**< NICs a slot; 0 is taken as 1 */
    double bandwidth; /**< b, 1e-6 to `ports`; 0 is taken as `ports`: as much as all of them move */
    int packed;       /**< which NICs are in use where not all are: those of one slot first (1),
                           or of different slots (0), which moves more */
} clump_slots;

#define CLUMP_MOST_DOMAINS ((size_t)1024)

/** All zero: every NIC is near to every processor, and has a slot of its own. */
typedef struct clump_placement {
    size_t domains; /**< D, at most CLUMP_MOST_DOMAINS; 0 is taken as 1 */
    double near;    /**< 1e-6 to 1; 0 is taken as 1 */
    double far;     /**< 1e-6 to 1; 0 is taken as 1 */
    clump_slots slots;
} clump_placement;

/** Errors: CLUMP_BAD_ARGUMENT names the field. */
clump_status clump_placement_check(const clump_placement *placement, clump_error *error);
clump_status model_slots_check(const clump_slots *slots, clump_error *error);

/**
 * C(k): NICs' worth of bandwidth of `in_use` NICs out of `nics`. Between whole numbers it is
 * linear (a processor may drive 1.5 NICs).
 *
 * @param in_use  0 to `nics`
 * Cost: O(ports).
 */
double clump_slots_capacity(const clump_slots *slots, double nics, double in_use);

/** Rate of each of the `in_use` ports of one slot that are in use: min(1, b/in_use); 1 for none. */
double model_slots_share(const clump_slots *slots, size_t in_use);

/** Domain, from 0, of the `index`-th of `count` processors or NICs. */
size_t clump_placement_domain(const clump_placement *placement, size_t index, size_t count);

/** `near` or `far`: at what fraction of its speed a NIC serves a processor. */
double clump_placement_link(const clump_placement *placement, size_t processor_domain,
                            size_t nic_domain);

/**
 * c_p of a processor that uses all NICs: the mean of near and far over the NICs, weighted by what
 * each moves while all are in use. The same to the last bit for domains
 * with equally many NICs. Cost: O(1).
 */
double model_placement_speed(const clump_placement *placement, size_t processor_domain,
                             size_t nics);

#endif
