/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/reliability/tree.h"

static uint16_t at_rank(uint32_t rank, uint16_t nodes, uint16_t root)
{
    return (uint16_t)((rank + root) % nodes);
}

unsigned clump_tree_children(clump_tree tree, uint16_t nodes, uint16_t root, uint16_t node,
                             uint16_t children[CLUMP_TREE_CHILDREN_MOST])
{
    const uint32_t rank = ((uint32_t)node + nodes - root) % nodes;
    unsigned count = 0;
    if (tree == CLUMP_TREE_BINARY) {
        for (uint32_t child = 2 * rank + 1; child <= 2 * rank + 2 && child < nodes; child++)
            children[count++] = at_rank(child, nodes, root);
        return count;
    }
    const uint32_t lowest = rank == 0 ? UINT32_C(1) << 16 : rank & (~rank + 1);
    for (uint32_t step = lowest >> 1; step > 0; step >>= 1)
        if (rank + step < nodes)
            children[count++] = at_rank(rank + step, nodes, root);
    return count;
}

uint16_t clump_tree_parent(clump_tree tree, uint16_t nodes, uint16_t root, uint16_t node)
{
    const uint32_t rank = ((uint32_t)node + nodes - root) % nodes;
    if (rank == 0)
        return node;
    return at_rank(tree == CLUMP_TREE_BINARY ? (rank - 1) / 2 : rank & (rank - 1), nodes, root);
}

unsigned clump_tree_fan_out(clump_tree tree, uint16_t nodes)
{
    uint16_t children[CLUMP_TREE_CHILDREN_MOST];
    return nodes == 0 ? 0 : clump_tree_children(tree, nodes, 0, 0, children);
}
