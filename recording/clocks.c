/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/clocks.h"

#include "recording/open_table.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Two nodes that exchanged messages, a < b: b's clock is ahead by low to high. */
typedef struct edge {
    uint32_t a, b;
    double low, high;
} edge;

struct clump_clocks {
    size_t nodes;
    clump_clock_offset *clock;
    clump_pool edges;
    clump_table by_nodes;
};

clump_clocks *clump_clocks_new(size_t nodes)
{
    clump_clocks *c = calloc(1, sizeof *c);
    clump_clock_offset *clock = calloc(nodes + 1, sizeof *clock);
    if (c == NULL || clock == NULL) {
        free(c);
        free(clock);
        return NULL;
    }
    c->nodes = nodes;
    c->clock = clock;
    c->edges.size = sizeof(edge);
    for (size_t i = 1; i < nodes; i++)
        clock[i] = (clump_clock_offset){NAN, NAN, 0};
    return c;
}

void clump_clocks_free(clump_clocks *c)
{
    if (c == NULL)
        return;
    clump_pool_clear(&c->edges);
    clump_table_clear(&c->by_nodes);
    free(c->clock);
    free(c);
}

void clump_clocks_bound(clump_clocks *c, uint32_t a, uint32_t b, double seconds)
{
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    if (a == b || high >= c->nodes || !isfinite(seconds))
        return;
    uint32_t at = clump_table_get(&c->by_nodes, low, high);
    if (at == CLUMP_TABLE_NONE) {
        at = clump_pool_take(&c->edges);
        if (at == CLUMP_TABLE_NONE || !clump_table_put(&c->by_nodes, low, high, at))
            return;
        ((edge *)c->edges.items)[at] = (edge){low, high, -INFINITY, INFINITY};
    }
    edge *e = (edge *)c->edges.items + at;
    if (a < b)
        e->high = fmin(e->high, seconds);
    else
        e->low = fmax(e->low, -seconds);
}

static double width(const edge *e)
{
    return e->high - e->low;
}

static int by_width(const void *a, const void *b)
{
    const edge *x = a, *y = b;
    const double p = width(x), q = width(y);
    return p != q         ? (p > q) - (p < q)
           : x->a != y->a ? (x->a > y->a) - (x->a < y->a)
                          : (x->b > y->b) - (x->b < y->b);
}

static uint32_t root_of(uint32_t *parent, uint32_t node)
{
    while (parent[node] != node)
        node = parent[node] = parent[parent[node]];
    return node;
}

/* Keep the tightest edges that connect all that is connected (Kruskal), in front. Returns how many. */
static size_t choose(edge *edges, size_t count, uint32_t *parent, size_t nodes)
{
    size_t kept = 0;
    for (uint32_t i = 0; i < nodes; i++)
        parent[i] = i;
    qsort(edges, count, sizeof *edges, by_width);
    for (size_t i = 0; i < count; i++) {
        const uint32_t a = root_of(parent, edges[i].a), b = root_of(parent, edges[i].b);
        if (a != b) {
            parent[a] = b;
            edges[kept++] = edges[i];
        }
    }
    return kept;
}

/* A clock that contradicts no message is taken as it is. Messages that contradict each other (a clock that was set, or
 * runs faster) give the middle as well. */
static double offset_between(double low, double high)
{
    if (low <= 0 && 0 <= high)
        return 0;
    if (isinf(low) && isinf(high))
        return 0;
    if (isinf(low))
        return high;
    return isinf(high) ? low : (low + high) / 2;
}

static double known(double bound)
{
    return isinf(bound) ? NAN : bound;
}

/* From node 0 along the edges of a tree; bounds add up. An edge of which neither end is known waits for another turn. */
static void walk(clump_clocks *c, const edge *edges, size_t count, double *low, double *high)
{
    bool moved = true;
    for (size_t i = 0; i < c->nodes; i++)
        low[i] = i > 0 ? (double)NAN : 0;
    high[0] = 0;
    while (moved) {
        moved = false;
        for (size_t i = 0; i < count; i++) {
            const edge *e = &edges[i];
            const bool forwards = isnan(low[e->b]);
            const uint32_t n = forwards ? e->a : e->b, other = forwards ? e->b : e->a;
            if (isnan(low[n]) || !isnan(low[other]))
                continue;
            low[other] = low[n] + (forwards ? e->low : -e->high);
            high[other] = high[n] + (forwards ? e->high : -e->low);
            c->clock[other] = (clump_clock_offset){known(low[other]), known(high[other]),
                                                   offset_between(low[other], high[other])};
            moved = true;
        }
    }
}

void clump_clocks_compare(clump_clocks *c)
{
    if (c->nodes < 2 || c->edges.count == 0)
        return;
    uint32_t *parent = malloc(c->nodes * sizeof *parent);
    double *low = malloc(2 * c->nodes * sizeof *low);
    if (parent != NULL && low != NULL)
        walk(c, c->edges.items, choose(c->edges.items, c->edges.count, parent, c->nodes), low,
             low + c->nodes);
    free(parent);
    free(low);
    clump_table_clear(&c->by_nodes);
    clump_pool_clear(&c->edges);
}

clump_clock_offset clump_clocks_of(const clump_clocks *c, uint32_t node)
{
    return c->clock[node];
}

void clump_clocks_doubt(const clump_clocks *c, uint32_t own, uint32_t other, double *low,
                        double *high)
{
    const clump_clock_offset o = c->clock[own], p = c->clock[other];
    *low = *high = 0;
    if (own == other)
        return;
    *low = (p.used - p.high) - (o.used - o.low);
    *high = (p.used - p.low) - (o.used - o.high);
    if (isnan(*low))
        *low = -INFINITY;
    if (isnan(*high))
        *high = INFINITY;
    /* Bounds that contradict each other. */
    if (*low > *high) {
        const double swap = *low;
        *low = *high;
        *high = swap;
    }
}
