/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_CLUSTERS_OTHER_NICS_H
#define CLUMP_FITTING_CLUSTERS_OTHER_NICS_H

#include "fitting/clusters/cluster_samples.h"

/** Predict times of programs on a platform from their runs on another one, as many nodes with other NICs,
 *  and from benchmarks of pairs on both (nic_exchange.h). */
clump_status clump_cluster_other_nics(clump_cluster_work *work);

#endif
