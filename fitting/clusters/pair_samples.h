/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_CLUSTERS_PAIR_SAMPLES_H
#define CLUMP_FITTING_CLUSTERS_PAIR_SAMPLES_H

/* Rates of pairs of processes of two nodes, as samples: of one direction (transfer_rate), and of both
 * (transfer_rate_both_ways). */

#include "fitting/clusters/cluster_samples.h"

/** All of a platform (NULL: of all), sorted by benchmark (clump_cluster_compare_tables), processes and
 *  size. Repeated runs are their mean; what cannot be used is left out. */
void clump_pair_samples_load(clump_cluster_work *work, const char *platform,
                             clump_cluster_samples *samples);

/** Add the half round trips of ping-pongs, of one pair and of several at once, to sorted samples. */
void clump_ping_pongs_load(clump_cluster_work *work, const char *platform,
                           clump_cluster_samples *samples);

/** Rates as clump_pair_samples_load has them, each run for itself, in no order. */
void clump_pair_samples_load_runs(clump_cluster_work *work, const char *platform,
                                  clump_cluster_samples *samples);

/** Whether a rate can be used: not those that are doubtful, of odd numbers of processes, or of empty messages. */
bool clump_pair_is_usable(const clump_cluster_sample *sample);

/** Whether messages cross a NIC, by the name of the transport. */
bool clump_pair_is_remote(const clump_cluster_sample *sample);

#endif
