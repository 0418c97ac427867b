/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_WORKLOAD_RANK_ORDER_H
#define CLUMP_MODEL_WORKLOAD_RANK_ORDER_H

/* In which order a launcher gives ranks to nodes. */

#include <stdint.h>

typedef enum clump_rank_order {
    CLUMP_RANKS_IN_BLOCKS, /**< 0 to P-1 on the first node, and so on (mpirun --map-by core, srun -m block) */
    CLUMP_RANKS_ROUND_ROBIN /**< one to each node in turn (mpirun --map-by node, srun -m cyclic) */
} clump_rank_order;

/** The words of options and scripts, in the order of the enumerators. */
#define CLUMP_RANK_ORDER_WORDS "blocks|round-robin"

/** Processor of the whole machine, node by node, that a rank has: its node is that over P. There are as many nodes as `ranks` need. */
static inline uint32_t clump_rank_place(clump_rank_order order, uint32_t rank, uint32_t ranks,
                                        uint32_t processors)
{
    if (order == CLUMP_RANKS_IN_BLOCKS || processors <= 1)
        return rank;
    const uint32_t nodes = ranks / processors + (ranks % processors != 0);
    return rank % nodes * processors + rank / nodes;
}

#endif
