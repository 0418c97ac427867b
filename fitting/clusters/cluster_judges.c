/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/clusters/cluster_judges.h"

void clump_collective_load(clump_cluster_work *work, clump_cluster_sources *from)
{
    clump_collective_samples_load(work, &from->collectives);
}

const char *clump_collective_platform(const clump_cluster_sources *from, size_t place)
{
    const clump_cluster_samples *all = &from->collectives.operations;
    return place < all->count ? all->items[place].platform : NULL;
}

const char *clump_program_platform(const clump_cluster_sources *from, size_t place)
{
    return place < from->runs.count ? from->runs.items[place].platform : NULL;
}
