/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_FITTING_NODE_TABLES_H
#define CLUMP_CLI_FITTING_NODE_TABLES_H

#include "cli/fitting/fit_report.h"
#include "fitting/node/node_fit.h"

/** Places among the tables. */
enum { NODE_PARAMETERS, NODE_PAIRS, NODE_SIZES, NODE_LAWS, NODE_MEMORY };

fit_tables node_tables_make(const clump_node_fit *fit, const char *platform);

#endif
