/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_CLUSTERS_SHIPPED_ERRORS_H
#define CLUMP_FITTING_CLUSTERS_SHIPPED_ERRORS_H

#include "fitting/clusters/clusters.h"

#include <math.h>

/* Made by `make model-error` (shipped_errors.sh). For clusters_judge.c alone. */

/** Of |log(predicted/measured)| over docs/clusters/; NAN: too few machines to say. */
static const double shipped_reach[CLUMP_CLUSTER_KINDS] = {
    [CLUMP_CLUSTER_PAIRS] = 0.3314,       [CLUMP_CLUSTER_NICS] = NAN,
    [CLUMP_CLUSTER_STEPS] = NAN,          [CLUMP_CLUSTER_TRAINING] = NAN,
    [CLUMP_CLUSTER_COLLECTIVES] = 0.5759, [CLUMP_CLUSTER_COLLECTIVES_OTHER_NICS] = 0.3151,
};

#endif
