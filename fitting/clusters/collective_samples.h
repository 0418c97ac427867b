/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_CLUSTERS_COLLECTIVE_SAMPLES_H
#define CLUMP_FITTING_CLUSTERS_COLLECTIVE_SAMPLES_H

/* Times of collective operations, and of half round trips of one pair, as samples. */

#include "fitting/clusters/collective_shapes.h"

/** Of all platforms, repeated runs as their mean; sorted by platform, transport, benchmark, processes and
 *  size. What agrees in all but size is a table. */
typedef struct clump_collective_samples {
    clump_cluster_samples operations, latencies;
} clump_collective_samples;

void clump_collective_samples_load(clump_cluster_work *work, clump_collective_samples *samples);

/** A row of an operation that nothing is said of yet. */
clump_cluster_row clump_collective_row(const clump_cluster_sample *sample, double nodes);

/** The call that a sample is of, as far as the names of its benchmark and transport tell. */
clump_collective_call clump_collective_call_of(const clump_cluster_sample *sample, double nodes);

/** Samples of the table that begins at `first`. */
size_t clump_collective_table_length(const clump_cluster_samples *all, size_t first);

/** Rates, and half round trips on that platform with the transport of `like`; none: latency_count 0. */
clump_collective_nics clump_collective_find_nics(const clump_collective_samples *from,
                                                 const char *platform, const char *transport,
                                                 const clump_nic_rates *rates);

/** us of the same operation on another platform; NAN: it was not measured. */
double clump_collective_find_us(const clump_collective_samples *from,
                                const clump_cluster_sample *sample, const char *platform);

/** us that no algorithm goes below where a node's NICs carry `rate` B/us one way; 0: not known. */
double clump_collective_least_us(const clump_collective_call *call, double rate);

/** Nodes that the processes of a sample fill; 0: unknown, or one. */
double clump_collective_find_nodes(clump_cluster_work *work, const clump_cluster_sample *sample);

#endif
