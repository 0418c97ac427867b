/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef EXPLORE_OPTIONS_H
#define EXPLORE_OPTIONS_H

/* The options of `clumpmodel explore`. */

#include "cli/options/options.h"

enum {
    EXPLORE_DEFINE,
    EXPLORE_SWEEP,
    EXPLORE_WHERE,
    EXPLORE_BEST,
    EXPLORE_BY,
    EXPLORE_PARETO,
    EXPLORE_EACH,
    EXPLORE_NODE_PRICE,
    EXPLORE_NIC_PRICE,
    EXPLORE_PORT_PRICE,
    EXPLORE_MAX_SLOWDOWN,
    EXPLORE_OF,
    EXPLORE_UNCERTAIN,
    EXPLORE_DRAWS,
    EXPLORE_PERCENTILE,
    EXPLORE_SENSITIVITY,
    EXPLORE_BREAK_EVEN,
    EXPLORE_SEED,
    EXPLORE_THREADS,
    EXPLORE_MAX_STEPS,
    EXPLORE_MAX_MEMORY,
    EXPLORE_PLOT, /**< the first of result_show.h */
    EXPLORE_HTML = EXPLORE_PLOT + 3,
    EXPLORE_OPTION_COUNT
};

extern const option_entry explore_options[EXPLORE_OPTION_COUNT];

#endif
