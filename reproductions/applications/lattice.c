/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reproductions/applications/lattice.h"

#include "reproductions/virtual/splitmix.h"

#include <math.h>

void clump_lattice_make(uint32_t axes, uint32_t nodes, uint32_t workers, double edges,
                        uint64_t seed, clump_lattice *l)
{
    *l = (clump_lattice){.axes = axes,
                         .side = (uint32_t)lround(pow(nodes, 1.0 / axes)),
                         .nodes = nodes,
                         .extent = {1, 1, 1},
                         .seed = seed,
                         .likely = (uint64_t)(edges * 4294967296.0)};
    /* Factors to the axis with the fewest blocks, x first. */
    for (uint32_t left = workers; left > 1;) {
        uint32_t factor = 2, axis = 0;
        while (left % factor != 0)
            factor++;
        for (uint32_t a = 1; a < axes; a++)
            if (l->extent[a] < l->extent[axis])
                axis = a;
        l->extent[axis] *= factor;
        left /= factor;
    }
}

bool clump_lattice_has_edge(const clump_lattice *l, uint32_t number, uint32_t axis)
{
    uint64_t state =
        l->seed * UINT64_C(0x2545f4914f6cdd1d) + (uint64_t)number * CLUMP_LATTICE_AXES + axis;
    return clump_splitmix_next(&state) >> 32 < l->likely;
}

uint32_t clump_lattice_stride(const clump_lattice *l, uint32_t axis)
{
    return axis == 0 ? 1 : axis == 1 ? l->side : l->side * l->side;
}

uint32_t clump_lattice_layer(const clump_lattice *l)
{
    return l->nodes / l->side;
}

uint32_t clump_lattice_next_block(const clump_lattice *l, uint32_t rank, uint32_t axis,
                                  bool forward)
{
    uint32_t stride = 1;
    for (uint32_t a = 0; a < axis; a++)
        stride *= l->extent[a];
    const uint32_t at = rank / stride % l->extent[axis], n = l->extent[axis],
                   to = (at + (forward ? 1 : n - 1)) % n;
    return rank + to * stride - at * stride;
}

uint32_t clump_lattice_next_node(const clump_lattice *l, uint32_t rank, uint32_t place,
                                 uint32_t axis, uint32_t *there)
{
    const uint32_t stride = clump_lattice_stride(l, axis);
    if (place / stride % l->side + 1 < l->side) {
        *there = place + stride;
        return rank;
    }
    *there = place - (l->side - 1) * stride;
    return clump_lattice_next_block(l, rank, axis, true);
}
