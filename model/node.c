/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/node.h"

static size_t group_count(const clump_node *node)
{
    return node->mapping == CLUMP_MAPPING_POOLED ? 1 : node->nics;
}

static size_t group_size(const clump_node *node, size_t index)
{
    if (node->mapping == CLUMP_MAPPING_POOLED)
        return node->processors;
    if (node->group_sizes != NULL)
        return node->group_sizes[index];
    return node->processors / node->nics + (index < node->processors % node->nics);
}

int model_node_next_groups(const clump_node *node, size_t *next, model_groups *groups)
{
    const size_t all = group_count(node);
    if (*next >= all)
        return 0;
    const size_t start = *next;
    groups->first += groups->count * groups->processors;
    groups->processors = group_size(node, start);
    while (*next < all && group_size(node, *next) == groups->processors)
        ++*next;
    groups->count = *next - start;
    return 1;
}

clump_station model_node_station(const clump_node *node)
{
    const int pooled = node->mapping == CLUMP_MAPPING_POOLED;
    return (clump_station){
        .nics = pooled ? (double)node->nics : 1,
        .max_nics_per_processor = pooled ? node->max_nics_per_processor : 0,
        .efficiency = node->efficiency,
        .gang_size = 1,
    };
}

static clump_status check_groups(const clump_node *node, clump_error *error)
{
    if (node->group_sizes == NULL)
        return CLUMP_OK;
    if (node->mapping != CLUMP_MAPPING_STATIC)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "group sizes: only a static mapping has groups, this one is pooled");
    size_t sum = 0;
    for (size_t i = 0; i < node->nics; i++) {
        if (node->group_sizes[i] > node->processors - sum)
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "group sizes: more than the %zu processors of the node by NIC %zu",
                              node->processors, i + 1);
        sum += node->group_sizes[i];
    }
    if (sum != node->processors)
        return clump_fail(
            error, CLUMP_BAD_ARGUMENT,
            "group sizes: they add up to %zu, expected the %zu processors of the node", sum,
            node->processors);
    return CLUMP_OK;
}

clump_status model_node_check(const clump_node *node, clump_error *error)
{
    const double m = node->max_nics_per_processor;
    if (node->processors < 1 || node->processors > CLUMP_MAX_PROCESSORS)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "processors: %zu, expected 1 to %zu",
                          node->processors, CLUMP_MAX_PROCESSORS);
    if (node->nics < 1 || node->nics > CLUMP_MAX_PROCESSORS)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "nics: %zu, expected 1 to %zu", node->nics,
                          CLUMP_MAX_PROCESSORS);
    if (node->mapping != CLUMP_MAPPING_POOLED && node->mapping != CLUMP_MAPPING_STATIC)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "mapping: %d is neither pooled nor static",
                          (int)node->mapping);
    if (!(m == 0 || m >= 1))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "max NICs per processor: %g, expected at least 1 (or 0 for no limit)", m);
    return check_groups(node, error);
}
