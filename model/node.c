/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/node.h"

#include <string.h>

static const char *const mapping_names[] = {
    [CLUMP_MAPPING_POOLED] = "pooled", [CLUMP_MAPPING_STATIC] = "static"};

const char *clump_mapping_name(clump_mapping mapping)
{
    return mapping_names[mapping == CLUMP_MAPPING_STATIC];
}

int clump_mapping_parse(const char *name, clump_mapping *mapping)
{
    for (int i = 0; i < 2; i++)
        if (strcmp(name, mapping_names[i]) == 0) {
            *mapping = (clump_mapping)i;
            return 1;
        }
    return 0;
}

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

static double group_nics(const clump_node *node, size_t index)
{
    return node->mapping == CLUMP_MAPPING_POOLED
               ? (double)node->nics
               : clump_slots_share(&node->placement.slots, node->nics, index);
}

int model_node_next_groups(const clump_node *node, size_t *next, model_groups *groups)
{
    const size_t all = group_count(node);
    if (*next >= all)
        return 0;
    const size_t start = *next;
    groups->first += groups->count * groups->processors;
    groups->processors = group_size(node, start);
    groups->nics = group_nics(node, start);
    while (*next < all && group_size(node, *next) == groups->processors &&
           group_nics(node, *next) == groups->nics)
        ++*next;
    groups->count = *next - start;
    return 1;
}

clump_station model_node_station(const clump_node *node, const model_groups *groups)
{
    const int pooled = node->mapping == CLUMP_MAPPING_POOLED;
    return (clump_station){
        .nics = groups->nics,
        .max_nics_per_processor = pooled ? node->max_nics_per_processor : 0,
        .efficiency = node->efficiency,
        .gang_size = 1,
        .slots = pooled ? node->placement.slots : (clump_slots){0, 0, 0},
    };
}

double model_node_capacity(const clump_node *node)
{
    return clump_slots_capacity(&node->placement.slots, (double)node->nics, (double)node->nics);
}

/* The NIC to which processor p is tied. */
static size_t own_nic(const clump_node *node, size_t p)
{
    const size_t size = node->processors / node->nics, larger = node->processors % node->nics;
    if (node->group_sizes == NULL)
        return p < larger * (size + 1) ? p / (size + 1) : larger + (p - larger * (size + 1)) / size;
    size_t nic = 0;
    for (size_t first = node->group_sizes[0]; p >= first; first += node->group_sizes[nic])
        nic++;
    return nic;
}

double model_node_speed(const clump_node *node, size_t p)
{
    const clump_placement *placement = &node->placement;
    const size_t domain = clump_placement_domain(placement, p, node->processors);
    if (node->mapping == CLUMP_MAPPING_POOLED)
        return clump_placement_speed(placement, domain, node->nics);
    const size_t nic = own_nic(node, p);
    return clump_placement_link(placement, domain,
                                clump_placement_domain(placement, nic, node->nics));
}

int model_node_is_near(const clump_node *node)
{
    const clump_placement *p = &node->placement;
    const int near = p->near == 0 || p->near == 1, far = p->far == 0 || p->far == 1;
    return near && (far || p->domains <= 1);
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
    const clump_status status = clump_placement_check(&node->placement, error);
    return status == CLUMP_OK ? check_groups(node, error) : status;
}
