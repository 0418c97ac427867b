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

/*
 * Processors that are tied to NICs, fewer than these: which NICs have one? The first port of every
 * slot, then the second ones, and so on; or packed, slot by slot. Slots are filled in order, so that
 * only the last one may have fewer ports.
 */
typedef struct used_ports {
    size_t ports; /* of a slot */
    size_t each;  /* ports with a processor in every slot that has as many */
    size_t more;  /* in so many slots, the first ones, one more */
} used_ports;

static used_ports find_used(const clump_node *node)
{
    const clump_slots *slots = &node->placement.slots;
    const size_t P = node->processors, N = node->nics, ports = slots->ports > 0 ? slots->ports : 1;
    if (P >= N)
        return (used_ports){ports, ports, 0};
    const size_t full = N / ports, rest = N % ports, levels = rest * (full + 1);
    if (slots->packed)
        return (used_ports){ports, 0, 0}; /* they follow each other */
    if (P <= levels)
        return (used_ports){ports, P / (full + 1), P % (full + 1)};
    return (used_ports){ports, rest + (P - levels) / full, (P - levels) % full};
}

/* Ports of a slot that have a processor. */
static size_t used_in_slot(const clump_node *node, const used_ports *used, size_t slot)
{
    const size_t first = slot * used->ports, left = node->nics - first;
    const size_t there = left < used->ports ? left : used->ports;
    size_t count = used->each + (slot < used->more);
    if (node->group_sizes != NULL) {
        count = 0;
        for (size_t i = first; i < first + there; i++)
            count += node->group_sizes[i] > 0;
    } else if (node->placement.slots.packed && node->processors < node->nics) {
        count = node->processors > first ? node->processors - first : 0;
    }
    return count < there ? count : there;
}

static size_t group_size(const clump_node *node, const model_groups *groups, size_t index)
{
    if (node->mapping == CLUMP_MAPPING_POOLED)
        return node->processors;
    if (node->group_sizes != NULL)
        return node->group_sizes[index];
    if (node->processors < node->nics)
        return index - groups->slot_first < groups->slot_used;
    return node->processors / node->nics + (index < node->processors % node->nics);
}

/* Keep what is known of the slot of a NIC. */
static void look_at_slot(const clump_node *node, const used_ports *used, model_groups *groups,
                         size_t index)
{
    const size_t first = index - index % used->ports;
    if (groups->slot_known && groups->slot_first == first)
        return;
    groups->slot_known = 1;
    groups->slot_first = first;
    groups->slot_used = used_in_slot(node, used, index / used->ports);
}

static double group_nics(const clump_node *node, const model_groups *groups)
{
    return node->mapping == CLUMP_MAPPING_POOLED
               ? (double)node->nics
               : model_slots_share(&node->placement.slots, groups->slot_used);
}

int model_node_next_groups(const clump_node *node, size_t *next, model_groups *groups)
{
    const size_t all = group_count(node);
    const used_ports used = find_used(node);
    if (*next >= all)
        return 0;
    const size_t start = *next;
    groups->first += groups->count * groups->processors;
    if (node->mapping == CLUMP_MAPPING_STATIC && node->group_sizes == NULL && used.ports == 1) {
        const size_t larger = node->processors % all; /* without a look at each of them */
        *next = start < larger ? larger : all;
        groups->processors = node->processors / all + (start < larger);
        groups->nics = model_slots_share(&node->placement.slots, groups->processors > 0);
        groups->count = *next - start;
        return 1;
    }
    look_at_slot(node, &used, groups, start);
    groups->processors = group_size(node, groups, start);
    groups->nics = group_nics(node, groups);
    for (++*next; *next < all; ++*next) {
        look_at_slot(node, &used, groups, *next);
        if (group_size(node, groups, *next) != groups->processors ||
            (groups->processors > 0 && group_nics(node, groups) != groups->nics))
            break;
    }
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
    if (node->group_sizes == NULL && size == 0) {
        const used_ports used = find_used(node);
        const size_t fuller = used.more * (used.each + 1);
        if (node->placement.slots.packed)
            return p;
        return p < fuller
                   ? p / (used.each + 1) * used.ports + p % (used.each + 1)
                   : (used.more + (p - fuller) / used.each) * used.ports + (p - fuller) % used.each;
    }
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
        return model_placement_speed(placement, domain, node->nics);
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
    clump_status status = clump_placement_check(&node->placement, error);
    const clump_memory *memory = &node->memory;
    if (status == CLUMP_OK && (memory->share != 0 || memory->law != 0 || memory->curve_length > 0))
        status = clump_memory_check(memory, error);
    return status == CLUMP_OK ? check_groups(node, error) : status;
}
