/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * A square or cubic lattice without border, in equal blocks, one for each processor. Of the edges between
 * neighbours a random part is there: everybody can tell which. A node's number is rank * nodes + its place
 * in the block of that rank, x first.
 */
#ifndef CLUMP_REPRODUCTIONS_APPLICATIONS_LATTICE_H
#define CLUMP_REPRODUCTIONS_APPLICATIONS_LATTICE_H

#include <stdbool.h>
#include <stdint.h>

enum { CLUMP_LATTICE_AXES = 3 };

typedef struct clump_lattice {
    uint32_t axes;                       /**< 2 or 3 */
    uint32_t side, nodes;                /**< of a block: nodes = side ^ axes */
    uint32_t extent[CLUMP_LATTICE_AXES]; /**< blocks along each axis */
    uint64_t seed, likely;               /**< an edge is there if its random number is below */
} clump_lattice;

/** For so many workers, each with a block of `nodes`, of whose edges the share `edges` (0 to 1) is there. */
void clump_lattice_make(uint32_t axes, uint32_t nodes, uint32_t workers, double edges,
                        uint64_t seed, clump_lattice *lattice);

/** Whether the edge from node `number` to the next one along an axis is there. */
bool clump_lattice_has_edge(const clump_lattice *l, uint32_t number, uint32_t axis);

/** Places from a node to the next one along an axis within a block. */
uint32_t clump_lattice_stride(const clump_lattice *l, uint32_t axis);

/** Nodes of one layer of a block, across an axis. */
uint32_t clump_lattice_layer(const clump_lattice *l);

/** The block behind (`forward`) or before another along an axis, which may be itself. */
uint32_t clump_lattice_next_block(const clump_lattice *l, uint32_t rank, uint32_t axis,
                                  bool forward);

/** The node next to `place` of block `rank` along an axis: returns its block, and its place there in
 *  `there`. */
uint32_t clump_lattice_next_node(const clump_lattice *l, uint32_t rank, uint32_t place,
                                 uint32_t axis, uint32_t *there);

#endif
