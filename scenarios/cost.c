/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/cost.h"

#include <math.h>

static double group_count(const clump_node *node)
{
    return node->mapping == CLUMP_MAPPING_STATIC ? (double)node->nics : 1;
}

size_t scenario_largest_group(const clump_node *node)
{
    if (node->mapping != CLUMP_MAPPING_STATIC || node->group_sizes != NULL || node->nics == 0)
        return node->processors;
    return node->processors / node->nics + (node->processors % node->nics != 0);
}

double scenario_cost(const clump_node *node, const clump_load *load)
{
    const double P = (double)node->processors, groups = group_count(node);
    const double largest = (double)scenario_largest_group(node);
    const double table =
        node->efficiency.function != NULL ? 20 * largest : (double)node->efficiency.table_length;
    double nanoseconds = 100 + 10 * groups + groups * table;
    if (load->utilization_count <= 1)
        nanoseconds += load->phase_cycles > 0 ? 1000 * P : 2 * P;
    else if (load->demand == CLUMP_DEMAND_INDEPENDENT)
        nanoseconds += 2 * P * largest + 100 * P;
    else
        nanoseconds += 100 * P;
    return nanoseconds / 10;
}
