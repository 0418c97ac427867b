/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/clusters/cluster_judges.h"

#include <math.h>
#include <string.h>

/* A table of one operation, from `first` on. */
static clump_status predict(clump_cluster_work *work, const clump_collective_samples *from,
                            size_t first, double nodes, const char *to)
{
    const clump_cluster_sample *s = &from->operations.items[first];
    const char *const platforms[2] = {s->platform, to};
    const char *transport = s->transport[0] != '\0' ? s->transport : work->request->transport;
    clump_nic_rates rates[2] = {{.share = 1}, {.share = 1}};
    clump_cluster_row row = clump_collective_row(s, nodes);
    row.platform = to;
    row.from = s->platform;
    row.set = clump_cluster_text(work, "%s%s%s from %s", to, s->transport[0] != '\0' ? ", " : "",
                                 s->transport, s->platform);
    clump_status status =
        row.set == NULL ? CLUMP_NO_MEMORY
                        : clump_nic_rates_load(work, platforms, transport, rates, &row.problem);
    const clump_collective_nics nics[2] = {
        clump_collective_find_nics(from, s->platform, s->transport, &rates[0]),
        clump_collective_find_nics(from, to, s->transport, &rates[1])};
    if (status == CLUMP_OK && row.problem == NULL &&
        (nics[0].latency_count == 0 || nics[1].latency_count == 0))
        row.problem =
            "found no half_round_trip of one pair on both platforms, expected osu_latency "
            "or IMB PingPong with the same transport";
    if (status == CLUMP_OK && row.problem != NULL)
        status = clump_cluster_add(work, &row);
    const size_t count = clump_collective_table_length(&from->operations, first);
    clump_collective_call call = {.processes = (double)s->processes,
                                  .nodes = nodes,
                                  .in_rings = clump_collective_in_rings(s->transport),
                                  .nccl = clump_collective_is_nccl(s->transport)};
    clump_collective_find(s->benchmark, &call.operation);
    for (size_t i = 0; i < count && status == CLUMP_OK && row.problem == NULL; i++) {
        row.size_bytes = s[i].size_bytes;
        call.size_bytes = (double)s[i].size_bytes;
        row.measured = clump_collective_find_us(from, &s[i], to);
        row.predicted = clump_collective_behind(&call, s[i].value, &nics[0], &nics[1]);
        row.rivals[0] = s[i].value;
        row.rivals[1] =
            s[i].value * clump_nic_rates_best(&rates[0]) / clump_nic_rates_best(&rates[1]);
        status = clump_cluster_add(work, &row);
    }
    clump_nic_rates_free(rates);
    return status;
}

/* All operations of the one that were measured on the other, or all that there are. */
static clump_status predict_operations(clump_cluster_work *work, const clump_cluster_sources *from,
                                       const char *before, const char *after)
{
    const clump_cluster_samples *all = &from->collectives.operations;
    clump_status status = CLUMP_OK;
    for (size_t i = 0; i < all->count && status == CLUMP_OK;
         i += clump_collective_table_length(all, i)) {
        const clump_cluster_sample *s = &all->items[i];
        double nodes = 0;
        if (strcmp(s->platform, before) != 0)
            continue;
        bool measured = work->request->from != NULL && work->request->platform != NULL;
        for (size_t k = 0; k < clump_collective_table_length(all, i) && !measured; k++)
            measured = isfinite(clump_collective_find_us(&from->collectives, &s[k], after));
        if (measured)
            status = clump_collective_find_nodes(work, s, &nodes);
        if (status == CLUMP_OK && nodes >= 2)
            status = predict(work, &from->collectives, i, nodes, after);
    }
    return status;
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
