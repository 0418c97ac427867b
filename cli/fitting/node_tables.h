/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_FITTING_NODE_TABLES_H
#define CLUMP_CLI_FITTING_NODE_TABLES_H

#include "cli/output/cells.h"
#include "fitting/node/node_fit.h"

/** What was found of a node as tables; the fit must outlive them. */
typedef struct node_tables {
    table_rows parameters, pairs, sizes, laws, memory, sources, notes;
    void *records; /* of some of them */
} node_tables;

/** False: no memory. Free them in any case. */
bool node_tables_make(const clump_node_fit *fit, const char *platform, node_tables *tables);

void node_tables_free(node_tables *tables);

#endif
