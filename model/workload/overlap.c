/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/workload/overlap.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A rank begins or ends. */
typedef struct change {
    double time;
    uint32_t rank;
    int32_t step;
} change;

struct clump_overlap {
    size_t ranks, count;
    change changes[];
};

/* At the same time ends come first: who ends as another begins has not met him. */
static int compare(const void *a, const void *b)
{
    const change *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->step > y->step) - (x->step < y->step);
}

clump_status clump_overlap_make(const clump_overlap_interval *intervals, size_t count, size_t ranks,
                                clump_overlap **overlap, clump_error *error)
{
    if (ranks < 1 || ranks > UINT32_MAX)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "a program of %zu ranks: expected 1 to 2^32-1",
                          ranks);
    for (size_t i = 0; i < count; i++)
        if (intervals[i].rank >= ranks || !(intervals[i].end >= intervals[i].begin) ||
            !isfinite(intervals[i].end - intervals[i].begin))
            return clump_fail(
                error, CLUMP_BAD_ARGUMENT,
                "rank %zu from %g to %g s: expected one of %zu ranks, and a time that "
                "ends after it begins",
                intervals[i].rank, intervals[i].begin, intervals[i].end, ranks);
    clump_overlap *o = count < SIZE_MAX / sizeof *o->changes / 4
                           ? malloc(sizeof *o + 2 * count * sizeof *o->changes)
                           : NULL;
    if (o == NULL)
        return clump_fail_memory(error, "when ranks communicate");
    *o = (clump_overlap){.ranks = ranks, .count = 2 * count};
    for (size_t i = 0; i < count; i++) {
        const uint32_t rank = (uint32_t)intervals[i].rank;
        o->changes[2 * i] = (change){intervals[i].begin, rank, 1};
        o->changes[2 * i + 1] = (change){intervals[i].end, rank, -1};
    }
    qsort(o->changes, o->count, sizeof *o->changes, compare);
    *overlap = o;
    return CLUMP_OK;
}

void clump_overlap_free(clump_overlap *overlap)
{
    free(overlap);
}

/* q ranks of a node from `from` to `to`. */
typedef struct timeline {
    double begin, width;
    clump_overlap_window *windows;
    size_t count;
    double *histogram;
} timeline;

static void add(const timeline *t, double from, double to, size_t q)
{
    if (!(to > from))
        return;
    if (t->histogram != NULL)
        t->histogram[q] += to - from;
    size_t i = (size_t)((from - t->begin) / t->width);
    for (double at = from; at < to && i < t->count; i++) {
        const double edge = i + 1 < t->count ? t->begin + (double)(i + 1) * t->width : to;
        const double until = edge < to ? edge : to;
        if (until > at) {
            t->windows[i].active += (double)q * (until - at);
            t->windows[i].squared += (double)q * (double)q * (until - at);
            at = until;
        }
    }
}

/* A node: who is active since when. */
typedef struct presence {
    double since;
    int64_t q;
} presence;

static void pass(const timeline *t, presence *node, double time, size_t processors)
{
    const int64_t most = (int64_t)processors;
    if (time > node->since) {
        add(t, node->since, time, (size_t)(node->q < most ? node->q : most));
        node->since = time;
    }
}

clump_status clump_overlap_count(const clump_overlap *overlap, size_t processors, double begin,
                                 double end, clump_overlap_window *windows, size_t window_count,
                                 double *histogram, clump_error *error)
{
    if (processors < 1 || processors > overlap->ranks)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "nodes of %zu processors: expected 1 to the %zu ranks of the program",
                          processors, overlap->ranks);
    if (!(end > begin) || !isfinite(end - begin) || window_count < 1)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "a recording from %g to %g s in %zu windows: expected some time", begin,
                          end, window_count);
    const size_t nodes = overlap->ranks / processors;
    presence *node = malloc(nodes * sizeof *node);
    if (node == NULL)
        return clump_fail_memory(error, "nodes");
    memset(windows, 0, window_count * sizeof *windows);
    if (histogram != NULL)
        memset(histogram, 0, (processors + 1) * sizeof *histogram);
    const timeline t = {begin, (end - begin) / (double)window_count, windows, window_count,
                        histogram};
    for (size_t i = 0; i < window_count; i++)
        windows[i].seconds = (double)nodes * t.width;
    for (size_t i = 0; i < nodes; i++)
        node[i] = (presence){begin, 0};
    for (size_t i = 0; i < overlap->count; i++) {
        const change *c = &overlap->changes[i];
        const size_t at = c->rank / processors;
        if (at >= nodes)
            continue;
        pass(&t, &node[at], fmin(c->time, end), processors);
        node[at].q += c->step;
    }
    for (size_t i = 0; i < nodes; i++)
        pass(&t, &node[i], end, processors);
    free(node);
    return CLUMP_OK;
}
