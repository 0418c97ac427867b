/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/clusters/cluster_judges.h"

#include <math.h>
#include <string.h>

/* A table of one operation, from `first` on. */
static void predict(clump_cluster_work *work, const clump_collective_samples *from, size_t first,
                    double nodes, const char *to)
{
    const clump_cluster_sample *s = &from->operations.items[first];
    const clump_nic_comparison *rates = clump_nic_rates_compare(
        work, s->platform, to, s->transport[0] != '\0' ? s->transport : work->request->transport);
    const clump_nic_rates *before = &rates->rates[0], *after = &rates->rates[1];
    const clump_collective_nics here =
        clump_collective_find_nics(from, s->platform, s->transport, before);
    const clump_collective_nics there = clump_collective_find_nics(from, to, s->transport, after);
    clump_cluster_row row = clump_collective_row(s, nodes);
    row.platform = to;
    row.from = s->platform;
    row.set = clump_cluster_text(work, "%s%s%s from %s", to, s->transport[0] != '\0' ? ", " : "",
                                 s->transport, s->platform);
    row.problem = rates->problem;
    if (row.problem == NULL && (here.latency_count == 0 || there.latency_count == 0))
        row.problem =
            "found no half_round_trip of one pair on both platforms, expected osu_latency "
            "or IMB PingPong with the same transport";
    if (row.problem != NULL) {
        clump_cluster_add(work, &row);
        return;
    }
    const size_t count = clump_collective_table_length(&from->operations, first);
    clump_collective_call call = clump_collective_call_of(s, nodes);
    call.in_gpus = false; /* what their copies cost is the same behind any NIC */
    for (size_t i = 0; i < count; i++) {
        row.size_bytes = s[i].size_bytes;
        call.size_bytes = (double)s[i].size_bytes;
        row.measured = clump_collective_find_us(from, &s[i], to);
        row.predicted = clump_collective_behind(&call, s[i].value, &here, &there);
        row.rivals[0] = s[i].value;
        row.rivals[1] = s[i].value * clump_nic_rates_best(before) / clump_nic_rates_best(after);
        clump_cluster_add(work, &row);
    }
}

/* All operations of the one that were measured on the other, or all that there are. */
static void predict_operations(clump_cluster_work *work, const clump_cluster_sources *from,
                               const char *before, const char *after)
{
    const clump_cluster_samples *all = &from->collectives.operations;
    size_t length;
    for (size_t i = 0; i < all->count; i += length) {
        const clump_cluster_sample *s = &all->items[i];
        length = clump_collective_table_length(all, i);
        if (strcmp(s->platform, before) != 0)
            continue;
        bool measured = work->request->from != NULL && work->request->platform != NULL;
        for (size_t k = 0; k < length && !measured; k++)
            measured = isfinite(clump_collective_find_us(&from->collectives, &s[k], after));
        const double nodes = measured ? clump_collective_find_nodes(work, s) : 0;
        if (nodes >= 2)
            predict(work, &from->collectives, i, nodes, after);
    }
}

const clump_cluster_judge clump_judge_collectives_other_nics = {
    .load = clump_collective_load,
    .platform = clump_collective_platform,
    .predict = predict_operations,
    .across = true,
    .nothing = "found no allreduce, allgather, alltoall or broadcast of several nodes on two "
               "platforms, expected some with their number of processes (import --processes), or "
               "--from and --platform",
};
