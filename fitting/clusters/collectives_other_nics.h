/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_CLUSTERS_COLLECTIVES_OTHER_NICS_H
#define CLUMP_FITTING_CLUSTERS_COLLECTIVES_OTHER_NICS_H

#include "fitting/clusters/cluster_samples.h"

/** Predict allreduce, allgather and alltoall of OSU and IMB on each platform from the same operations on
 *  each other one: what crosses the NICs follows from the shape of the algorithm, what stays within nodes
 *  is taken from the measured time. */
clump_status clump_cluster_collectives_other_nics(clump_cluster_work *work);

#endif
