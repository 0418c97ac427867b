/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_TIGHT_COUPLING_H
#define CLUMP_MODEL_TIGHT_COUPLING_H

/*
 * Tight coupling (8.11): inside a node communication is cheaper, and not all of it loads the NIC.
 *
 * In one unit of time on the NOW a processor computes 1-U and communicates U. On the Clump,
 * contention left aside, the same work takes
 *
 *   k = (1-U) c  +  f U  +  (1-f) V U
 *
 *   f   remote fraction of the communication
 *   V   cost ratio of local to remote communication
 *   c   memory penalty: how much longer computation takes on the SMP            (new)
 *   h   share of the remote communication time that is waiting for latency; it   (new)
 *       occupies the processor's time but no NIC
 *
 * so that the NICs are used for the share U_adj = (1-h) f U/k of that time, and X_tc = X(U_adj) k.
 * With c = 1 and h = 0 this is (8.11).
 */

#include "model/status.h"

#include <stddef.h>

typedef struct clump_coupling {
    double remote_fraction;  /**< f, 0 to 1 */
    double cost_ratio;       /**< V, 0 to 1e9; up to 1 where local communication is cheaper */
    double memory_penalty;   /**< c, 1e-9 to 1e9; 1: computation is as fast as on the NOW */
    double waiting_fraction; /**< h, 0 to 1 */
} clump_coupling;

/** All communication remote, no penalty: the plain model. */
#define CLUMP_COUPLING_NONE ((clump_coupling){1, 1, 1, 0})

/**
 * @param utilization  U on the NOW, 0 to 1
 * @param adjusted     U_adj
 * @param factor       k
 */
clump_status clump_coupling_apply(const clump_coupling *coupling, double utilization,
                                  double *adjusted, double *factor, clump_error *error);

/**
 * As clump_coupling_apply, in amounts of time (needs.h): a unit of time on the NOW becomes C
 * without and D with the NICs in use, C + D = k.
 *
 * @param computation    C = (1-U) c + (1-f) V U + h f U
 * @param communication  D = (1-h) f U
 */
clump_status clump_coupling_needs(const clump_coupling *coupling, double utilization,
                                  double *computation, double *communication, clump_error *error);

/**
 * The share of C, the time without NICs, in which processors wait for latency (h). Shared memory
 * slows computation and local communication, but not this waiting (memory.h). Where processors
 * differ: their mean, weighted by C.
 *
 * @param utilizations  `count` of them, and a coupling, that clump_coupling_needs accepts
 */
double clump_coupling_waiting(const clump_coupling *coupling, const double *utilizations,
                              size_t count);

#endif
