/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Space in blocks, one for each processor, and which processors of it are a node's (figure 5.8 of
 * the thesis): 32 processors are 4 x 2 x 4 blocks, of which a node of 8 has 2 x 2 x 2 or 2 x 1 x 4.
 */
#ifndef CLUMP_REPRODUCTIONS_APPLICATIONS_BLOCKS_H
#define CLUMP_REPRODUCTIONS_APPLICATIONS_BLOCKS_H

#include <stdint.h>

/** How a node's processors lie in space. */
enum {
    CLUMP_BLOCKS_COMPACT = 0, /**< as near to a cube as can be: least surface */
    CLUMP_BLOCKS_FLAT         /**< thin in y: the naive layout */
};

enum { CLUMP_BLOCKS_DIRECTIONS = 6 };
#define CLUMP_BLOCKS_NONE UINT32_MAX /* no neighbour: the border */
#define CLUMP_BLOCKS_HERE UINT32_MAX /* no direction: the block itself */

typedef struct clump_blocks {
    uint32_t extent[3]; /**< blocks in x, y, z */
    uint32_t node[3];   /**< of a node */
    uint32_t directions;
    /** Of each: axis, and forward, backward or either (an axis with two blocks has one direction,
     *  which leads to the other). */
    struct {
        uint8_t axis;
        int8_t step;
    } direction[CLUMP_BLOCKS_DIRECTIONS];
} clump_blocks;

/** For so many workers, of which `per_node`, a divisor, are on a node. */
void clump_blocks_make(uint32_t workers, uint32_t per_node, int layout, clump_blocks *blocks);

/** Directions that a block in the middle has, 0 to 6. */
static inline uint32_t clump_blocks_directions(const clump_blocks *blocks)
{
    return blocks->directions;
}

/** The rank there; CLUMP_BLOCKS_NONE. Ranks of a node follow each other. */
uint32_t clump_blocks_neighbour(const clump_blocks *blocks, uint32_t rank, uint32_t direction);

/** The direction that leads back. */
uint32_t clump_blocks_opposite(const clump_blocks *blocks, uint32_t direction);

#endif
