/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "topology/unit_flow.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* Arc k and its reverse k ^ 1. */
typedef struct arc {
    size_t from, to, next; /* next arc that leaves `from` */
    double capacity;
    int cost;
    long left;
} arc;

struct clump_unit_flow {
    size_t nodes, arc_count, arc_room;
    arc *arcs;
    size_t *first;
    size_t *queue, *by; /* ring of nodes; arc by which a node was reached */
    long *distance;
    unsigned char *queued;
};

static const size_t none = (size_t)-1;

void clump_unit_flow_free(clump_unit_flow *f)
{
    if (f == NULL)
        return;
    free(f->arcs);
    free(f->first);
    free(f->queue);
    free(f->by);
    free(f->distance);
    free(f->queued);
    free(f);
}

clump_status clump_unit_flow_new(size_t nodes, clump_unit_flow **flow, clump_error *error)
{
    clump_unit_flow *f = calloc(1, sizeof *f);
    *flow = NULL;
    if (f == NULL)
        return clump_fail_memory(error, "a flow");
    f->nodes = nodes;
    f->first = malloc(nodes * sizeof *f->first);
    f->queue = malloc((nodes + 1) * sizeof *f->queue);
    f->by = malloc(nodes * sizeof *f->by);
    f->distance = malloc(nodes * sizeof *f->distance);
    f->queued = malloc(nodes);
    if (f->first == NULL || f->queue == NULL || f->by == NULL || f->distance == NULL ||
        f->queued == NULL) {
        clump_unit_flow_free(f);
        return clump_fail_memory(error, "a flow");
    }
    for (size_t i = 0; i < nodes; i++)
        f->first[i] = none;
    *flow = f;
    return CLUMP_OK;
}

clump_status clump_unit_flow_add(clump_unit_flow *f, size_t from, size_t to, double capacity,
                                 int cost, clump_error *error)
{
    if (f->arc_count + 2 > f->arc_room) {
        const size_t room = f->arc_room > 0 ? 2 * f->arc_room : 256;
        arc *arcs = realloc(f->arcs, room * sizeof *arcs);
        if (arcs == NULL)
            return clump_fail_memory(error, "a flow");
        f->arcs = arcs;
        f->arc_room = room;
    }
    f->arcs[f->arc_count] = (arc){from, to, f->first[from], capacity, cost, 0};
    f->first[from] = f->arc_count++;
    f->arcs[f->arc_count] = (arc){to, from, f->first[to], 0, -cost, 0};
    f->first[to] = f->arc_count++;
    return CLUMP_OK;
}

static void empty(clump_unit_flow *f, size_t count, double rate)
{
    for (size_t k = 0; k < f->arc_count; k++) {
        const double units = f->arcs[k].capacity / rate * (1 + 1e-9);
        f->arcs[k].left = units >= (double)count ? (long)count : (long)floor(units);
    }
}

/* A path from `source` to the sink with room for one; the shortest by cost if `cheap`. */
static bool find_path(clump_unit_flow *f, size_t source, bool cheap)
{
    size_t head = 0, tail = 0;
    const size_t ring = f->nodes + 1, sink = f->nodes - 1;
    for (size_t i = 0; i < f->nodes; i++) {
        f->distance[i] = LONG_MAX;
        f->queued[i] = 0;
        f->by[i] = none;
    }
    f->distance[source] = 0;
    f->queue[tail++] = source;
    f->queued[source] = 1;
    while (head != tail) {
        const size_t at = f->queue[head];
        head = (head + 1) % ring;
        f->queued[at] = 0;
        for (size_t k = f->first[at]; k != none; k = f->arcs[k].next) {
            const arc *a = &f->arcs[k];
            const long d = f->distance[at] + (cheap ? a->cost : 1);
            if (a->left <= 0 || (cheap ? d >= f->distance[a->to] : f->distance[a->to] != LONG_MAX))
                continue;
            f->distance[a->to] = d;
            f->by[a->to] = k;
            if (!cheap && a->to == sink)
                return true;
            if (!f->queued[a->to]) {
                f->queued[a->to] = 1;
                f->queue[tail] = a->to;
                tail = (tail + 1) % ring;
            }
        }
    }
    return f->distance[sink] != LONG_MAX;
}

static bool send_all(clump_unit_flow *f, const size_t *sources, size_t count, bool cheap)
{
    for (size_t s = 0; s < count; s++) {
        if (!find_path(f, sources[s], cheap))
            return false;
        for (size_t at = f->nodes - 1; at != sources[s];) {
            const size_t k = f->by[at];
            f->arcs[k].left--;
            f->arcs[k ^ 1].left++;
            at = f->arcs[k].from;
        }
    }
    return true;
}

bool clump_unit_flow_fits(clump_unit_flow *f, const size_t *sources, size_t count, double rate)
{
    empty(f, count, rate);
    return send_all(f, sources, count, false);
}

/* Units on an arc: what its reverse has room for. */
static long units(const clump_unit_flow *f, size_t k)
{
    return k % 2 == 0 ? f->arcs[k ^ 1].left : 0;
}

clump_status clump_unit_flow_cheapest(clump_unit_flow *f, const size_t *sources, size_t count,
                                      double rate, size_t *last, clump_error *error)
{
    const size_t sink = f->nodes - 1;
    empty(f, count, rate);
    if (!send_all(f, sources, count, true))
        return clump_fail(error, CLUMP_INCONSISTENT, "no assignment has the rate that was found");
    for (size_t s = 0; s < count; s++)
        for (size_t at = sources[s], steps = 0; at != sink && steps < 2 * f->nodes; steps++) {
            size_t k = f->first[at];
            while (k != none && units(f, k) <= 0)
                k = f->arcs[k].next;
            if (k == none)
                return clump_fail(error, CLUMP_INCONSISTENT, "a flow ends before its end");
            f->arcs[k ^ 1].left--;
            last[s] = at;
            at = f->arcs[k].to;
        }
    return CLUMP_OK;
}
