/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "topology/run_time.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A link as the set of processors that use it. */
typedef struct shared {
    uint32_t users;
    double capacity;
} shared;

/* The best rate that a processor could have alone, of all NICs. */
static double best_alone(const clump_topology *t, const clump_topology_rules *rules, size_t p)
{
    double best = 0;
    for (size_t k = 0; k < t->nic_count; k++)
        best = fmax(best, clump_assignment_alone(t, rules, p, k));
    return best;
}

/* Different sets of users, each with the least capacity. */
static size_t collect(const clump_topology *t, const clump_topology_rules *rules,
                      const size_t *nics, double unit, shared *list)
{
    const size_t P = t->processor_count;
    size_t lanes[CLUMP_MOST_LANES], count = 0, total = clump_assignment_lane_count(t);
    uint32_t *users = calloc(total, sizeof *users);
    double *capacity = malloc(total * sizeof *capacity);
    if (users != NULL && capacity != NULL) {
        clump_assignment_capacities(t, capacity);
        for (size_t p = 0; p < P; p++) {
            const size_t n = clump_assignment_route(t, rules, p, nics[p], lanes);
            for (size_t i = 0; i < n; i++)
                users[lanes[i]] |= UINT32_C(1) << p;
        }
        for (size_t l = 0; l < total; l++) {
            size_t k = 0;
            if (users[l] == 0 || !isfinite(capacity[l]))
                continue;
            while (k < count && list[k].users != users[l])
                k++;
            list[k].users = users[l];
            list[k].capacity =
                k < count ? fmin(list[k].capacity, capacity[l] / unit) : capacity[l] / unit;
            count += k == count;
        }
    } else
        count = (size_t)-1;
    free(users);
    free(capacity);
    return count;
}

/*
 * Phi(S) = max over links l of sum of Phi(S - i) over the i of S that use l, over C_l; states weigh
 * Phi(S) times the product of work_i / think over S. With think + work_i as the time alone, the cycle of
 * i is think over the probability that it computes.
 */
static clump_status at_random(const clump_topology *t, const clump_topology_rules *rules,
                              const size_t *nics, const double *alone, double U, double unit,
                              double *slowdown, clump_error *error)
{
    const size_t P = t->processor_count;
    const uint32_t states = UINT32_C(1) << P;
    shared *links = malloc((clump_assignment_lane_count(t) + 1) * sizeof *links);
    double *phi = malloc(states * sizeof *phi);
    double computing[CLUMP_MOST_BALANCED] = {0}, all = 0;
    const size_t count =
        links != NULL && phi != NULL ? collect(t, rules, nics, unit, links) : (size_t)-1;
    if (count == (size_t)-1) {
        free(links);
        free(phi);
        return clump_fail_memory(error, "states of a node");
    }
    phi[0] = 1;
    for (uint32_t S = 0; S < states; S++) {
        double weight = 1;
        if (S > 0) {
            phi[S] = 0;
            for (size_t l = 0; l < count; l++) {
                double sum = 0;
                for (uint32_t rest = S & links[l].users; rest != 0; rest &= rest - 1)
                    sum += phi[S ^ (rest & -rest)];
                phi[S] = fmax(phi[S], sum / links[l].capacity);
            }
        }
        for (size_t p = 0; p < P; p++)
            if ((S >> p & 1) != 0)
                weight *= U / (1 - U) * (alone[p] / unit);
        weight *= phi[S];
        all += weight;
        for (size_t p = 0; p < P; p++)
            computing[p] += (S >> p & 1) == 0 ? weight : 0;
    }
    *slowdown = 0;
    for (size_t p = 0; p < P; p++)
        *slowdown += (1 - U) * all / computing[p] / (double)P;
    free(links);
    free(phi);
    return CLUMP_OK;
}

/* Until the last has sent `alone` units, all starting at once. */
static clump_status drain(const clump_topology *t, const clump_topology_rules *rules,
                          const size_t *nics, const double *alone, double *time, clump_error *error)
{
    const size_t P = t->processor_count;
    double left[CLUMP_TOPOLOGY_MOST_PROCESSORS];
    size_t who[CLUMP_TOPOLOGY_MOST_PROCESSORS], open = P;
    clump_lanes lanes;
    clump_status status = clump_lanes_make(t, rules, &lanes, error);
    if (status != CLUMP_OK)
        return status;
    *time = 0;
    for (size_t p = 0; p < P; p++) {
        left[p] = alone[p];
        who[p] = p;
    }
    while (open > 0) {
        size_t still = 0, first = 0;
        status = clump_lanes_share(&lanes, nics, who, open, error);
        if (status != CLUMP_OK)
            break;
        for (size_t k = 1; k < open; k++)
            if (left[who[k]] / lanes.rates[k] < left[who[first]] / lanes.rates[first])
                first = k;
        const double next = left[who[first]] / lanes.rates[first];
        *time += next;
        for (size_t k = 0; k < open; k++) {
            const size_t p = who[k];
            left[p] -= lanes.rates[k] * next;
            if (k != first &&
                left[p] > 1e-12 * alone[p]) /* the first is done, whatever rounding leaves of it */
                who[still++] = p;
        }
        open = still;
    }
    clump_lanes_free(&lanes);
    return status;
}

clump_status clump_topology_time(const clump_topology *t, const clump_topology_rules *rules,
                                 const clump_assignment *a, double U, clump_topology_run_time *time,
                                 clump_error *error)
{
    const size_t P = t->processor_count;
    double once = 0, random = NAN, unit = 0;
    if (!(U >= 0 && U < 1))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "utilization is %g, expected 0 to 1, below 1",
                          U);
    double alone[CLUMP_TOPOLOGY_MOST_PROCESSORS];
    for (size_t p = 0; p < P; p++) {
        alone[p] = best_alone(t, rules, p);
        unit = fmax(unit, alone[p]);
    }
    clump_status status = CLUMP_OK;
    if (!isfinite(unit))
        status = clump_fail(error, CLUMP_BAD_ARGUMENT,
                            "no speed of links or NICs is known, so no time is");
    if (status == CLUMP_OK)
        status = drain(t, rules, a->nics, alone, &once, error);
    if (status == CLUMP_OK && P <= CLUMP_MOST_BALANCED)
        status = at_random(t, rules, a->nics, alone, U, unit, &random, error);
    if (status == CLUMP_OK)
        *time = (clump_topology_run_time){.at_random = random, .at_once = 1 - U + U * once};
    return status;
}
