/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Spanning trees for multicast (cluster-protocols.txt, sections 4.2 and 5.4), rooted at any node:
 * nodes are ranked by their distance from the root, (node - root) mod nodes.
 *
 *   binary    children of rank r: 2r + 1 and 2r + 2; fan-out 2, no store-and-forward deadlock
 *   binomial  children of rank r: r + 2^k for the 2^k below r's lowest set bit (all for r = 0), the
 *             largest subtree first
 */
#ifndef CLUMP_PROTOCOLS_RELIABILITY_TREE_H
#define CLUMP_PROTOCOLS_RELIABILITY_TREE_H

#include <stdint.h>

typedef enum clump_tree { CLUMP_TREE_BINARY = 0, CLUMP_TREE_BINOMIAL } clump_tree;

enum { CLUMP_TREE_CHILDREN_MOST = 16 };

/** Children of `node` in the tree of `root` over `nodes` nodes (1 to 65535), in the order in which
 *  they are sent to. @return their number, at most CLUMP_TREE_CHILDREN_MOST */
unsigned clump_tree_children(clump_tree tree, uint16_t nodes, uint16_t root, uint16_t node,
                             uint16_t children[CLUMP_TREE_CHILDREN_MOST]);

/** Parent of `node`; the root is its own. */
uint16_t clump_tree_parent(clump_tree tree, uint16_t nodes, uint16_t root, uint16_t node);

/** Most children that any node has. */
unsigned clump_tree_fan_out(clump_tree tree, uint16_t nodes);

#endif
