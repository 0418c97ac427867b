/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/row_cost.h"

#include <math.h>

/* ---- steps */

static double group_count(const clump_node *node)
{
    return node->mapping == CLUMP_MAPPING_STATIC ? (double)node->nics : 1;
}

/* Whether every state has to be computed, and not only the likely ones. */
static bool needs_all_states(const clump_node *node)
{
    return node->efficiency.function != NULL || node->efficiency.table_length > 0 ||
           node->placement.domains > 1;
}

double scenario_predict_cost(const clump_node *node, const clump_load *load)
{
    const double P = (double)node->processors, groups = group_count(node);
    const double largest = (double)scenario_largest_group(node);
    const double table =
        node->efficiency.function != NULL ? 20 * largest : (double)node->efficiency.table_length;
    double nanoseconds = 100 + 10 * groups + groups * table;
    if (load->utilization_count <= 1)
        nanoseconds += load->phase_cycles > 0 ? 1000 * P : needs_all_states(node) ? 50 * P : 2 * P;
    else if (load->demand == CLUMP_DEMAND_INDEPENDENT)
        nanoseconds += 2 * P * largest + 100 * P;
    else
        nanoseconds += 100 * P;
    if (clump_memory_is_station(
            &node->memory)) /* rates of memory, and the states of all groups together */
        nanoseconds += P * (100 + 10 * sqrt(P)) + (groups > 1 ? 5 * P * P : 0);
    return nanoseconds / SCENARIO_NS_PER_STEP;
}

double scenario_setup_cost(const scenario_setup *setup, const scenario_point *point)
{
    double cost = 0;
    if (!isnan(point->profile->misses.now_us))
        cost += 20 * (double)setup->node.processors / SCENARIO_NS_PER_STEP;
    if (setup->recorded != NULL)
        return cost + 60 * setup->recorded->program->events / SCENARIO_NS_PER_STEP;
    if (setup->collectives != NULL) /* on both, with all algorithms */
        cost += (double)setup->collectives->count * 8000 / SCENARIO_NS_PER_STEP;
    if (setup->phased == NULL)
        return cost + scenario_predict_cost(&setup->node, &setup->load);
    for (size_t i = 0; i < setup->phased->phase_count; i++) {
        const clump_load load = scenario_setup_phase(setup, point, i);
        cost += scenario_predict_cost(&setup->node, &load);
    }
    return cost;
}

/* ---- memory */

double scenario_predict_bytes(const clump_node *node, const clump_load *load)
{
    const double P = (double)node->processors, largest = (double)scenario_largest_group(node);
    if (clump_memory_is_station(&node->memory)) /* a row of states for each group that differs */
        return 400 * P + (load->utilization_count > 1 ? 16 * P * group_count(node) : 0);
    if (load->utilization_count > 1)
        return 100 * P;
    if (load->phase_cycles > 0)
        return 56 * largest;
    return load->demand == CLUMP_DEMAND_INDEPENDENT && needs_all_states(node) ? 24 * largest : 0;
}

double scenario_setup_bytes(const scenario_setup *setup, const scenario_point *point)
{
    double most = 0;
    if (setup->recorded != NULL)
        return 40 * setup->recorded->program->operations;
    if (setup->phased == NULL)
        return scenario_predict_bytes(&setup->node, &setup->load);
    for (size_t i = 0; i < setup->phased->phase_count; i++) {
        const clump_load load = scenario_setup_phase(setup, point, i);
        most = fmax(most, scenario_predict_bytes(&setup->node, &load));
    }
    return most;
}

double scenario_simulation_bytes(const scenario_setup *setup)
{
    const double P = (double)setup->node.processors;
    const double replications = P > 1e5 ? 8 : P > 1e4 ? 16 : 32;
    return (setup->utilizations.count > 1 ? 64 : 16) * replications * P;
}
