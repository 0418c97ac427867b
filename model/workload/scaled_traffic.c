/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/workload/scaled_traffic.h"

#include <math.h>
#include <stdbool.h>

clump_traffic clump_traffic_times(clump_traffic t, double factor)
{
    return (clump_traffic){factor * t.short_messages, factor * t.bulk_messages,
                           factor * t.bulk_bytes};
}

static clump_traffic add(clump_traffic a, clump_traffic b)
{
    return (clump_traffic){a.short_messages + b.short_messages, a.bulk_messages + b.bulk_messages,
                           a.bulk_bytes + b.bulk_bytes};
}

/*
 * Data go to the other P-1 of P processors in equal parts. The short messages of a program with
 * bulk transfers are their replies and those of barriers, of which there are as many as subphases,
 * in proportion to P.
 */
static clump_traffic all_to_all(clump_traffic total, double counted, bool fixed, double processors)
{
    const double spread = (1 - 1 / processors) / (1 - 1 / counted);
    const double data = spread * (fixed ? counted / processors : 1);
    clump_traffic traffic = clump_traffic_times(total, data);
    if (fixed) {
        const double barriers = total.short_messages - total.bulk_messages;
        traffic.short_messages = traffic.bulk_messages + barriers * processors / counted;
    }
    return traffic;
}

/* Between two numbers of processors, linear in the logarithm: what differs is the surface of the
 * lattice and the depth of trees. With one only, as there. */
static clump_traffic neighbours(const clump_counted_traffic *fewer,
                                const clump_counted_traffic *more, double processors)
{
    const clump_traffic most = add(more->remote, more->local);
    if (!(fewer->processors < more->processors))
        return most;
    const double share =
        log(processors / fewer->processors) / log(more->processors / fewer->processors);
    return add(clump_traffic_times(add(fewer->remote, fewer->local), 1 - share),
               clump_traffic_times(most, share));
}

void clump_traffic_scale(const clump_counted_traffic *fewest, const clump_counted_traffic *most,
                         const clump_scaled_nodes *wanted, clump_traffic *remote,
                         clump_traffic *local)
{
    const double within = wanted->processors, processors = wanted->nodes * within;
    const clump_traffic counted = add(most->remote, most->local);
    clump_traffic total;
    double share = 0;
    if (wanted->all_to_all) {
        total = all_to_all(counted, most->processors, wanted->fixed_problem, processors);
        share = processors > within ? (processors - within) / (processors - 1) : 0;
    } else { /* the layout decides how much leaves a node: as it is with the most nodes */
        total = neighbours(fewest, most, processors);
        if (wanted->nodes > 1)
            share = counted.short_messages > 0
                        ? most->remote.short_messages / counted.short_messages
                        : most->remote.bulk_messages / counted.bulk_messages;
    }
    *remote = clump_traffic_times(total, share);
    *local = clump_traffic_times(total, 1 - share);
}
