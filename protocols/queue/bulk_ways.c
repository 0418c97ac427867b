/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/queue/bulk_ways.h"

/* Rounds between two trials, of which each is a seventieth. */
enum { ROUNDS_BETWEEN = 200 * (CLUMP_BULK_ROUNDS + 1) };

static double median(const double cost[CLUMP_BULK_ROUNDS])
{
    double sorted[CLUMP_BULK_ROUNDS];
    for (unsigned i = 0; i < CLUMP_BULK_ROUNDS; i++) {
        unsigned at = i;
        for (; at > 0 && sorted[at - 1] > cost[i]; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = cost[i];
    }
    return sorted[CLUMP_BULK_ROUNDS / 2];
}

void clump_bulk_round(struct clump_bulk_ways *w, uint64_t blocks, uint64_t ns, uint64_t bytes)
{
    if (w->round > 0)
        w->cost[w->way][w->round - 1] = (double)ns / (double)bytes;
    if (++w->round <= CLUMP_BULK_ROUNDS)
        return;
    w->round = 0;
    if (++w->tried < CLUMP_BULK_WAYS) {
        w->way = (w->way + 1) % CLUMP_BULK_WAYS;
        return;
    }
    w->tried = 0;
    for (enum clump_bulk_way way = 0; way < CLUMP_BULK_WAYS; way++)
        if (median(w->cost[way]) < median(w->cost[w->way]))
            w->way = way;
    w->left = ROUNDS_BETWEEN * blocks;
}
