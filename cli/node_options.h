/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_NODE_OPTIONS_H
#define CLUMP_CLI_NODE_OPTIONS_H

/* What `slowdown` and `recommend` are asked of a node and of what its processors do. */

#include "cli/command.h"
#include "model/prediction.h"

typedef struct node_settings {
    clump_node node;
    clump_load load;
    double half_width;  /**< of the utilization's 95% interval; 0: not known */
    const char *demand; /**< as given, or NULL */
} node_settings;

/** Independent demand, without local traffic. */
#define NODE_SETTINGS_INITIAL                                                                      \
    {                                                                                              \
        .load = {.utilization_count = 1, .gang_size = 1, .coupling = {1, 1, 1, 0} }                \
    }

/** --half-width, --demand, --remote-fraction, --cost-ratio, --memory-share and --memory-feeds, into a
 *  node_settings. */
extern const option_entry node_options[];

/** What goes together only; what the engine does not have it says itself. Complains. @return exit code */
int node_options_check(const command_line *line, node_settings *settings);

#endif
