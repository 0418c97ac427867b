/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "topology/fewer_nics.h"

#include <math.h>
#include <string.h>

/* Slowdowns are relative to each processor's best way among all NICs of the node, in all rows: so they can be compared. */
static clump_status measure(const clump_topology *all, const clump_topology *some,
                            const clump_topology_rules *rules, double utilization,
                            const clump_assignment *a, clump_nic_count *row, clump_error *error)
{
    clump_status status = CLUMP_OK;
    clump_assignment same = *a;
    size_t nics[CLUMP_TOPOLOGY_MOST_PROCESSORS];
    row->least = a->least;
    row->total = a->total;
    row->time = (clump_topology_run_time){NAN, NAN};
    for (size_t p = 0; p < all->processor_count; p++) {
        nics[p] = 0;
        while (all->nics[nics[p]] != some->nics[a->nics[p]])
            nics[p]++;
    }
    same.nics = nics;
    if (!isnan(utilization))
        status = clump_topology_time(all, rules, &same, utilization, &row->time, error);
    return status;
}

clump_status clump_count_nics(const clump_topology *t, const clump_topology_rules *rules,
                              double utilization, clump_nic_count *counts, clump_error *error)
{
    size_t left[CLUMP_MOST_COUNTED_NICS], N = t->nic_count;
    clump_topology some = *t;
    clump_assignment a;
    if (N > CLUMP_MOST_COUNTED_NICS)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "found %zu NICs, expected %d at most", N,
                          CLUMP_MOST_COUNTED_NICS);
    memcpy(left, t->nics, N * sizeof *left);
    some.nics = left;
    for (size_t row = 0; row < N; row++) {
        size_t missed = CLUMP_NO_PART;
        clump_status status;
        if (row > 0) {
            size_t best = 0;
            clump_assignment most = {.least = -1};
            some.nic_count = N - row;
            /* The last of equal ones goes: names of those that stay are the first ones. */
            for (size_t k = N - row + 1; k-- > 0;) {
                const size_t out = left[k];
                memmove(left + k, left + k + 1, (N - row - k) * sizeof *left);
                status = clump_assign(&some, rules, CLUMP_ASSIGN_BEST, &a, error);
                memmove(left + k + 1, left + k, (N - row - k) * sizeof *left);
                left[k] = out;
                if (status != CLUMP_OK)
                    return status;
                if (clump_assignment_is_better(&a, &most)) {
                    best = k;
                    most = a; /* its numbers */
                }
                clump_assignment_free(&a);
            }
            missed = left[best];
            memmove(left + best, left + best + 1, (N - row - best) * sizeof *left);
        }
        counts[row] = (clump_nic_count){.count = N - row, .left_out = missed};
        status = clump_assign(&some, rules, CLUMP_ASSIGN_BEST, &a, error);
        if (status != CLUMP_OK)
            return status;
        status = measure(t, &some, rules, utilization, &a, &counts[row], error);
        clump_assignment_free(&a);
        if (status != CLUMP_OK)
            return status;
    }
    return CLUMP_OK;
}
