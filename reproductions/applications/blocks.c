/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reproductions/applications/blocks.h"

#include <stdbool.h>
#include <stddef.h>

enum { X, Y, Z, AXES };

static uint32_t least_factor(uint32_t n)
{
    for (uint32_t f = 2; f <= n / f; f++)
        if (n % f == 0)
            return f;
    return n;
}

/* `n` as a product of three, as equal as can be, largest factors first; each divides `within` where
 * that is given and can be. */
static void split(uint32_t n, const uint32_t *within, const int order[AXES], uint32_t extent[AXES])
{
    uint32_t factors[32];
    unsigned count = 0;
    for (; n > 1; n /= factors[count - 1])
        factors[count++] = least_factor(n);
    extent[X] = extent[Y] = extent[Z] = 1;
    while (count-- > 0) {
        int best = -1;
        for (int i = 0; i < AXES; i++) {
            const int axis = order[i];
            const bool fits = within == NULL || within[axis] % (extent[axis] * factors[count]) == 0;
            if (fits && (best < 0 || extent[axis] < extent[best]))
                best = axis;
        }
        extent[best < 0 ? X : best] *= factors[count];
    }
}

/* As much of `n` as goes along each axis, one axis after the other. */
static void fill(uint32_t n, const uint32_t *within, const int order[AXES], uint32_t extent[AXES])
{
    extent[X] = extent[Y] = extent[Z] = 1;
    for (int i = 0; i < AXES; i++)
        for (uint32_t f;
             n > 1 && within[order[i]] % (extent[order[i]] * (f = least_factor(n))) == 0; n /= f)
            extent[order[i]] *= f;
}

void clump_blocks_make(uint32_t workers, uint32_t per_node, int layout, clump_blocks *b)
{
    static const int order[AXES] = {X, Z, Y}, flat[AXES] = {Z, X, Y};
    *b = (clump_blocks){.directions = 0};
    split(workers, NULL, order, b->extent);
    if (layout == CLUMP_BLOCKS_FLAT)
        fill(per_node, b->extent, flat, b->node);
    else
        split(per_node, b->extent, order, b->node);
    /* Factors that fit nowhere: then a node is no box. Ranks are laid out as if each were alone. */
    if (b->node[X] * b->node[Y] * b->node[Z] != per_node || b->extent[X] % b->node[X] != 0)
        b->node[X] = b->node[Y] = b->node[Z] = 1;
    for (uint8_t axis = X; axis < AXES; axis++) {
        if (b->extent[axis] > 2) {
            b->direction[b->directions].axis = axis;
            b->direction[b->directions++].step = -1;
        }
        if (b->extent[axis] > 1) {
            b->direction[b->directions].axis = axis;
            b->direction[b->directions++].step = b->extent[axis] > 2 ? 1 : 0;
        }
    }
}

static void place_of(const clump_blocks *b, uint32_t rank, uint32_t place[AXES])
{
    const uint32_t per_node = b->node[X] * b->node[Y] * b->node[Z];
    uint32_t node = rank / per_node, within = rank % per_node;
    for (int axis = X; axis < AXES; axis++) {
        const uint32_t nodes = b->extent[axis] / b->node[axis];
        place[axis] = node % nodes * b->node[axis] + within % b->node[axis];
        node /= nodes;
        within /= b->node[axis];
    }
}

static uint32_t rank_of(const clump_blocks *b, const uint32_t place[AXES])
{
    uint32_t node = 0, within = 0;
    for (int axis = Z; axis >= X; axis--) {
        node = node * (b->extent[axis] / b->node[axis]) + place[axis] / b->node[axis];
        within = within * b->node[axis] + place[axis] % b->node[axis];
    }
    return node * b->node[X] * b->node[Y] * b->node[Z] + within;
}

uint32_t clump_blocks_neighbour(const clump_blocks *b, uint32_t rank, uint32_t direction)
{
    uint32_t place[AXES];
    const uint8_t axis = b->direction[direction].axis;
    const int8_t step = b->direction[direction].step;
    place_of(b, rank, place);
    if (step == 0)
        place[axis] = 1 - place[axis];
    else if ((step < 0 && place[axis] == 0) || (step > 0 && place[axis] + 1 == b->extent[axis]))
        return CLUMP_BLOCKS_NONE;
    else
        place[axis] = step > 0 ? place[axis] + 1 : place[axis] - 1;
    return rank_of(b, place);
}

uint32_t clump_blocks_opposite(const clump_blocks *b, uint32_t direction)
{
    const int8_t step = b->direction[direction].step;
    return step == 0 ? direction : step < 0 ? direction + 1 : direction - 1;
}
