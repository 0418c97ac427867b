/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "topology/fair_share.h"

#include <math.h>
#include <stdlib.h>

double clump_route_alone(const clump_routes *r, size_t route)
{
    double least = INFINITY;
    for (size_t i = r->start[route]; i < r->start[route + 1]; i++)
        least = fmin(least, r->capacity[r->links[i]]);
    return least;
}

clump_status clump_fair_share(const clump_routes *r, double *rates, clump_error *error)
{
    double *left = malloc((r->link_count + 1) * sizeof *left);
    size_t *flows = calloc(r->link_count + 1, sizeof *flows);
    size_t open = 0;
    if (left == NULL || flows == NULL) {
        free(left);
        free(flows);
        return clump_fail_memory(error, "shares of links");
    }
    for (size_t l = 0; l < r->link_count; l++)
        left[l] = r->capacity[l];
    for (size_t f = 0; f < r->count; f++) {
        rates[f] = isfinite(clump_route_alone(r, f)) ? -1 : INFINITY;
        open += rates[f] < 0;
        for (size_t i = r->start[f]; i < r->start[f + 1]; i++)
            flows[r->links[i]] += rates[f] < 0;
    }
    double level = 0;
    while (open > 0) {
        /* The link that is full first, if all open flows grow alike. */
        double next = INFINITY;
        for (size_t l = 0; l < r->link_count; l++)
            if (flows[l] > 0)
                next = fmin(next, left[l] / (double)flows[l]);
        level = fmax(level, next);
        /* Links that are full at this level, but for rounding. */
        const double full = level * (1 + 1e-12);
        for (size_t f = 0; f < r->count; f++) {
            if (rates[f] >= 0)
                continue;
            for (size_t i = r->start[f]; i < r->start[f + 1]; i++) {
                const size_t l = r->links[i];
                if (left[l] <= full * (double)flows[l])
                    rates[f] = -2; /* stops here */
            }
        }
        for (size_t f = 0; f < r->count; f++) {
            if (rates[f] != -2)
                continue;
            rates[f] = level;
            open--;
            for (size_t i = r->start[f]; i < r->start[f + 1]; i++) {
                left[r->links[i]] = fmax(0, left[r->links[i]] - level);
                flows[r->links[i]]--;
            }
        }
    }
    free(left);
    free(flows);
    return CLUMP_OK;
}
