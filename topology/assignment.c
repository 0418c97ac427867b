/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "topology/assignment.h"

#include "topology/fair_share.h"
#include "topology/unit_flow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *clump_assignment_way_name(clump_assignment_way way)
{
    static const char *const names[] = {"best", "nearest", "round-robin", "one"};
    return names[way];
}

void clump_assignment_free(clump_assignment *a)
{
    free(a->nics);
    free(a->rates);
    free(a->alone);
    *a = (clump_assignment){.nics = NULL};
}

/* ---- routes */

size_t clump_assignment_lane_count(const clump_topology *t)
{
    return 2 * t->part_count + t->nic_count;
}

void clump_assignment_capacities(const clump_topology *t, double *capacity)
{
    for (size_t i = 0; i < t->part_count; i++)
        capacity[2 * i] = capacity[2 * i + 1] = t->parts[i].link;
    for (size_t k = 0; k < t->nic_count; k++)
        capacity[2 * t->part_count + k] = t->parts[t->nics[k]].port;
}

size_t clump_assignment_route(const clump_topology *t, const clump_topology_rules *rules, size_t p,
                              size_t nic, size_t *lanes)
{
    const size_t from = t->processors[p], to = t->nics[nic];
    size_t n = 0, turn = clump_topology_meet(t, from, to);
    if (rules->through_memory && t->gpus) {
        const size_t socket = clump_topology_socket(t, from);
        if (clump_topology_is_above(t, socket, turn))
            turn = socket;
    }
    for (size_t i = from; i != turn; i = t->parts[i].parent)
        lanes[n++] = 2 * i;
    for (size_t i = to; i != turn; i = t->parts[i].parent)
        lanes[n++] = 2 * i + 1;
    lanes[n++] = 2 * t->part_count + nic;
    return n;
}

double clump_assignment_alone(const clump_topology *t, const clump_topology_rules *rules, size_t p,
                              size_t nic)
{
    size_t lanes[CLUMP_MOST_LANES];
    const size_t count = clump_assignment_route(t, rules, p, nic, lanes);
    double least = INFINITY;
    for (size_t i = 0; i < count; i++) {
        const size_t lane = lanes[i];
        least = fmin(least, lane < 2 * t->part_count
                                ? t->parts[lane / 2].link
                                : t->parts[t->nics[lane - 2 * t->part_count]].port);
    }
    return least;
}

/* ---- what an assignment gives */

/* Room for everything that evaluating takes, once. */
typedef struct bench {
    const clump_topology *topology;
    const clump_topology_rules *rules;
    double *capacity;
    size_t *links, *start;
    double *rates;
} bench;

static void bench_free(bench *b)
{
    free(b->capacity);
    free(b->links);
    free(b->start);
    free(b->rates);
}

static clump_status bench_make(bench *b, const clump_topology *t, const clump_topology_rules *rules,
                               clump_error *error)
{
    const size_t P = t->processor_count;
    *b = (bench){t, rules, NULL, NULL, NULL, NULL};
    b->capacity = malloc(clump_assignment_lane_count(t) * sizeof *b->capacity);
    b->links = malloc(P * CLUMP_MOST_LANES * sizeof *b->links);
    b->start = malloc((P + 1) * sizeof *b->start);
    b->rates = malloc(P * sizeof *b->rates);
    if (b->capacity == NULL || b->links == NULL || b->start == NULL || b->rates == NULL) {
        bench_free(b);
        return clump_fail_memory(error, "an assignment");
    }
    clump_assignment_capacities(t, b->capacity);
    return CLUMP_OK;
}

static clump_status evaluate(bench *b, const size_t *nics, double *least, double *total,
                             clump_error *error)
{
    const clump_topology *t = b->topology;
    size_t used = 0;
    for (size_t p = 0; p < t->processor_count; p++) {
        b->start[p] = used;
        used += clump_assignment_route(t, b->rules, p, nics[p], b->links + used);
    }
    b->start[t->processor_count] = used;
    const clump_routes routes = {b->capacity, clump_assignment_lane_count(t), b->links, b->start,
                                 t->processor_count};
    const clump_status status = clump_fair_share(&routes, b->rates, error);
    *least = INFINITY;
    *total = 0;
    for (size_t p = 0; p < t->processor_count && status == CLUMP_OK; p++) {
        *least = fmin(*least, b->rates[p]);
        *total += b->rates[p];
    }
    return status;
}

static clump_status allocate(const clump_topology *t, clump_assignment *a, clump_error *error)
{
    *a = (clump_assignment){.least = 0};
    a->nics = calloc(t->processor_count, sizeof *a->nics);
    a->rates = calloc(t->processor_count, sizeof *a->rates);
    a->alone = calloc(t->processor_count, sizeof *a->alone);
    if (a->nics != NULL && a->rates != NULL && a->alone != NULL)
        return CLUMP_OK;
    clump_assignment_free(a);
    return clump_fail_memory(error, "an assignment");
}

static clump_status finish(bench *b, clump_assignment *a, clump_error *error)
{
    const clump_topology *t = b->topology;
    const clump_status status = evaluate(b, a->nics, &a->least, &a->total, error);
    for (size_t p = 0; p < t->processor_count && status == CLUMP_OK; p++) {
        a->rates[p] = b->rates[p];
        a->alone[p] = clump_assignment_alone(t, b->rules, p, a->nics[p]);
    }
    return status;
}

clump_status clump_assign_given(const clump_topology *t, const clump_topology_rules *rules,
                                const size_t *nics, clump_assignment *a, clump_error *error)
{
    bench b;
    for (size_t p = 0; p < t->processor_count; p++)
        if (nics[p] >= t->nic_count)
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "processor %zu is given NIC %zu, expected 0 to %zu", p, nics[p],
                              t->nic_count - 1);
    clump_status status = bench_make(&b, t, rules, error);
    if (status != CLUMP_OK)
        return status;
    status = allocate(t, a, error);
    if (status == CLUMP_OK) {
        memcpy(a->nics, nics, t->processor_count * sizeof *nics);
        status = finish(&b, a, error);
        if (status != CLUMP_OK)
            clump_assignment_free(a);
    }
    bench_free(&b);
    return status;
}

/* ---- ways to choose */

static void nearest(const clump_topology *t, size_t *nics)
{
    for (size_t p = 0; p < t->processor_count; p++) {
        size_t least = (size_t)-1;
        for (size_t k = 0; k < t->nic_count; k++) {
            const size_t hops = clump_topology_hops(t, t->processors[p], t->nics[k]);
            if (hops < least) {
                least = hops;
                nics[p] = k;
            }
        }
    }
}

/*
 * What a NIC carries of which nothing is known, for choosing: they are alike, and no processor waits for one that others
 * have while another is free. Bytes a second, beyond all that rules allow.
 */
static const double unknown_port = 1e21;

static double port_for_choice(const clump_topology *t, size_t nic)
{
    return fmin(t->parts[t->nics[nic]].port, unknown_port);
}

/*
 * All processors have the same rate t: then link l holds floor(C_l / t) of them, and whether all have
 * a NIC is a question of whole flows in a network with these capacities (MODEL.md 31). Nodes: every part
 * twice, on the way up and on the way down.
 */
static clump_status make_network(const clump_topology *t, const clump_topology_rules *rules,
                                 clump_unit_flow **flow, clump_error *error)
{
    const size_t n = t->part_count, sink = 2 * n;
    clump_unit_flow *f;
    clump_status status = clump_unit_flow_new(2 * n + 1, &f, error);
    /* Backwards, since arcs that were added last are tried first: of equal NICs the first is taken. */
    for (size_t i = n; i-- > 0 && status == CLUMP_OK;) {
        const bool turns =
            !(rules->through_memory && t->gpus) || t->parts[i].kind == CLUMP_PART_SOCKET || i == 0;
        if (t->parts[i].parent != CLUMP_NO_PART)
            status = clump_unit_flow_add(f, i, t->parts[i].parent, t->parts[i].link, 1, error);
        if (status == CLUMP_OK && t->parts[i].parent != CLUMP_NO_PART)
            status =
                clump_unit_flow_add(f, n + t->parts[i].parent, n + i, t->parts[i].link, 1, error);
        if (status == CLUMP_OK && turns)
            status = clump_unit_flow_add(f, i, n + i, INFINITY, 0, error);
    }
    for (size_t k = t->nic_count; k-- > 0 && status == CLUMP_OK;)
        status = clump_unit_flow_add(f, n + t->nics[k], sink, port_for_choice(t, k), 1, error);
    if (status == CLUMP_OK)
        *flow = f;
    else
        clump_unit_flow_free(f);
    return status;
}

static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Rates that the slowest can have: a capacity over a whole number. Different ones, greatest first. */
static double *candidates(const clump_topology *t, size_t *count)
{
    const size_t lanes = 2 * t->part_count + t->nic_count, P = t->processor_count;
    double *capacity = malloc(lanes * sizeof *capacity);
    size_t different = 0;
    if (capacity == NULL)
        return NULL;
    clump_assignment_capacities(t, capacity);
    for (size_t k = 0; k < t->nic_count; k++)
        capacity[2 * t->part_count + k] = port_for_choice(t, k);
    qsort(capacity, lanes, sizeof *capacity, descending);
    for (size_t i = 0; i < lanes; i++)
        if (isfinite(capacity[i]) &&
            (different == 0 || capacity[i] < capacity[different - 1] * (1 - 1e-12)))
            capacity[different++] = capacity[i];
    double *values = malloc((different * P + 1) * sizeof *values);
    *count = 0;
    for (size_t i = 0; i < different && values != NULL; i++)
        for (size_t k = 1; k <= P; k++)
            values[(*count)++] = capacity[i] / (double)k;
    if (values != NULL)
        qsort(values, *count, sizeof *values, descending);
    free(capacity);
    return values;
}

/* The greatest rate at which all have a NIC, and these NICs. */
static clump_status greatest_least(const clump_topology *t, const clump_topology_rules *rules,
                                   size_t *nics, clump_error *error)
{
    clump_unit_flow *flow = NULL;
    size_t count;
    double *values = candidates(t, &count);
    if (values == NULL)
        return clump_fail_memory(error, "an assignment");
    clump_status status = make_network(t, rules, &flow, error);
    if (status == CLUMP_OK) {
        size_t low = 0, high = count; /* `count` stands for no limit at all */
        while (low < high) {
            const size_t middle = low + (high - low) / 2;
            if (clump_unit_flow_fits(flow, t->processors, t->processor_count, values[middle]))
                high = middle;
            else
                low = middle + 1;
        }
        const double rate = low < count ? values[low] : 1;
        status =
            clump_unit_flow_cheapest(flow, t->processors, t->processor_count, rate, nics, error);
        for (size_t p = 0; p < t->processor_count && status == CLUMP_OK; p++) {
            size_t k = 0;
            while (k < t->nic_count && t->part_count + t->nics[k] != nics[p])
                k++;
            nics[p] = k < t->nic_count ? k : 0;
        }
    }
    clump_unit_flow_free(flow);
    free(values);
    return status;
}

static bool is_better(double least, double total, double old_least, double old_total)
{
    return least > old_least * (1 + 1e-9) ||
           (least >= old_least * (1 - 1e-9) && total > old_total * (1 + 1e-9));
}

/* No assignment has more in all: what NICs, and what processors, can move at most. */
static double most_total(const clump_topology *t)
{
    double nics = 0, processors = 0;
    for (size_t k = 0; k < t->nic_count; k++)
        nics += fmin(t->parts[t->nics[k]].port, t->parts[t->nics[k]].link);
    for (size_t p = 0; p < t->processor_count; p++)
        processors += t->parts[t->processors[p]].link;
    return fmin(nics, processors);
}

/* Moves and exchanges while they help. */
enum { MOST_IMPROVED = 256, MOST_ROUNDS = 4 };

static clump_status improve(bench *b, size_t *nics, clump_error *error)
{
    const clump_topology *t = b->topology;
    const size_t P = t->processor_count;
    double best_least, best_total, least, total;
    clump_status status = evaluate(b, nics, &best_least, &best_total, error);
    bool changed = status == CLUMP_OK && P * t->nic_count <= MOST_IMPROVED &&
                   isfinite(best_total) && best_total < most_total(t) * (1 - 1e-9);
    for (size_t round = 0; changed && round < MOST_ROUNDS && status == CLUMP_OK; round++) {
        changed = false;
        for (size_t p = 0; p < P && status == CLUMP_OK; p++) {
            for (size_t k = 0; k < t->nic_count && status == CLUMP_OK; k++) {
                const size_t old = nics[p];
                if (k == old)
                    continue;
                nics[p] = k;
                status = evaluate(b, nics, &least, &total, error);
                if (status == CLUMP_OK && is_better(least, total, best_least, best_total)) {
                    best_least = least;
                    best_total = total;
                    changed = true;
                } else
                    nics[p] = old;
            }
            for (size_t q = p + 1; q < P && status == CLUMP_OK; q++) {
                const size_t old = nics[p];
                if (nics[q] == old)
                    continue;
                nics[p] = nics[q];
                nics[q] = old;
                status = evaluate(b, nics, &least, &total, error);
                if (status == CLUMP_OK && is_better(least, total, best_least, best_total)) {
                    best_least = least;
                    best_total = total;
                    changed = true;
                } else {
                    nics[q] = nics[p];
                    nics[p] = old;
                }
            }
        }
    }
    return status;
}

/* Where there are few assignments all are tried: then the sum is the greatest, too. */
enum { MOST_TRIED = 1024 };

static clump_status try_all(bench *b, size_t *nics, clump_error *error)
{
    const clump_topology *t = b->topology;
    const size_t P = t->processor_count, N = t->nic_count;
    double best_least, best_total, least, total;
    size_t count = 1, turn = 0;
    for (size_t p = 0; p < P && count <= MOST_TRIED; p++)
        count *= N;
    clump_status status = evaluate(b, nics, &best_least, &best_total, error);
    if (status != CLUMP_OK || N < 2 || count > MOST_TRIED || !isfinite(best_total) ||
        best_total >= most_total(t) * (1 - 1e-9))
        return status;
    size_t now[16] = {0}; /* N is 2 at least, so that P is 10 at most */
    while (turn < P && status == CLUMP_OK) {
        status = evaluate(b, now, &least, &total, error);
        if (status == CLUMP_OK && is_better(least, total, best_least, best_total)) {
            best_least = least;
            best_total = total;
            memcpy(nics, now, P * sizeof *nics);
        }
        for (turn = 0; turn < P && ++now[turn] == N; turn++)
            now[turn] = 0;
    }
    return status;
}

clump_status clump_assign(const clump_topology *t, const clump_topology_rules *rules,
                          clump_assignment_way way, clump_assignment *a, clump_error *error)
{
    bench b;
    clump_status status = bench_make(&b, t, rules, error);
    if (status != CLUMP_OK)
        return status;
    status = allocate(t, a, error);
    if (status == CLUMP_OK) {
        if (way == CLUMP_ASSIGN_NEAREST)
            nearest(t, a->nics);
        for (size_t p = 0; way == CLUMP_ASSIGN_ROUND_ROBIN && p < t->processor_count; p++)
            a->nics[p] = p % t->nic_count;
        if (way == CLUMP_ASSIGN_BEST)
            status = greatest_least(t, rules, a->nics, error);
        if (way == CLUMP_ASSIGN_BEST && status == CLUMP_OK)
            status = improve(&b, a->nics, error);
        if (way == CLUMP_ASSIGN_BEST && status == CLUMP_OK)
            status = try_all(&b, a->nics, error);
        if (status == CLUMP_OK)
            status = finish(&b, a, error);
        if (status != CLUMP_OK)
            clump_assignment_free(a);
    }
    bench_free(&b);
    return status;
}
