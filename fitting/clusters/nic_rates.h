/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_CLUSTERS_NIC_RATES_H
#define CLUMP_FITTING_CLUSTERS_NIC_RATES_H

/* What the NICs of a node carry in one direction while so many of its processes exchange messages of a
 * size, as benchmarks of pairs have measured it. */

#include "fitting/clusters/cluster_samples.h"

/** Of one platform and transport. */
typedef struct clump_nic_rates {
    clump_cluster_samples samples; /**< of one benchmark, sorted by processes and size */
    double share;                  /**< of a sample that is one direction's: 1, or 1/2 */
    /** If the above use both directions: a benchmark that uses one, if there is one. In each of
     *  both directions they carry half of it at least. */
    clump_cluster_samples one_way;
} clump_nic_rates;

/** The NICs of two platforms by the same benchmark. */
typedef struct clump_nic_comparison {
    const char *from, *to, *transport;
    clump_nic_rates rates[2];
    const char *problem; /**< why there are none, or NULL */
    struct clump_nic_comparison *before;
} clump_nic_comparison;

/**
 * Numbers of pairs that only one platform has are left out; the benchmark with the most pairs then is taken. Of several
 * such one that uses both directions is preferred, as processes that exchange do.
 * @param transport  of the benchmarks, such as the MPI library; NULL: the only one that both have
 * @return of the work's arena: asked for again it is the same; with a problem where the work failed
 */
const clump_nic_comparison *clump_nic_rates_compare(clump_cluster_work *work, const char *from,
                                                    const char *to, const char *transport);

/**
 * B/us that leave a node. Sizes in between are interpolated (both logarithms); below the least size the
 * rate of messages is that of the least, above the greatest the bandwidth.
 * @param processes  of a node that exchange. The rate is that of the least number of pairs that was measured and is
 *                   not below, or else of the greatest number
 */
double clump_nic_rate(const clump_nic_rates *rates, double processes, double size_bytes);

/** The greatest number of pairs that was measured. */
double clump_nic_rates_pairs(const clump_nic_rates *rates);

/** The greatest of all rates. */
double clump_nic_rates_best(const clump_nic_rates *rates);

#endif
