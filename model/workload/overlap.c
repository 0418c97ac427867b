/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/workload/overlap.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Somebody of a node begins or ends. */
typedef struct change {
    size_t node;
    double time;
    int step;
} change;

/* At the same time ends come first: who ends as another begins has not met him. */
static int compare(const void *a, const void *b)
{
    const change *x = a, *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->step > y->step) - (x->step < y->step);
}

static clump_status check(const clump_overlap_interval *intervals, size_t count, size_t ranks,
                          size_t processors, double begin, double end, size_t window_count,
                          clump_error *error)
{
    if (processors < 1 || processors > ranks)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "nodes of %zu processors: expected 1 to the %zu ranks of the program",
                          processors, ranks);
    if (!(end > begin) || !isfinite(end - begin) || window_count < 1)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "a recording from %g to %g s in %zu windows: expected some time", begin,
                          end, window_count);
    for (size_t i = 0; i < count; i++)
        if (intervals[i].rank >= ranks || !(intervals[i].end >= intervals[i].begin) ||
            !isfinite(intervals[i].end - intervals[i].begin))
            return clump_fail(
                error, CLUMP_BAD_ARGUMENT,
                "rank %zu from %g to %g s: expected one of %zu ranks, and a time that "
                "ends after it begins",
                intervals[i].rank, intervals[i].begin, intervals[i].end, ranks);
    return CLUMP_OK;
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

clump_status clump_overlap_count(const clump_overlap_interval *intervals, size_t count,
                                 size_t ranks, size_t processors, double begin, double end,
                                 clump_overlap_window *windows, size_t window_count,
                                 double *histogram, clump_error *error)
{
    const clump_status status =
        check(intervals, count, ranks, processors, begin, end, window_count, error);
    if (status != CLUMP_OK)
        return status;
    const size_t nodes = ranks / processors;
    change *changes = count < SIZE_MAX / sizeof *changes / 2 - 1
                          ? malloc((2 * count + 1) * sizeof *changes)
                          : NULL;
    if (changes == NULL)
        return clump_fail_memory(error, "when ranks communicate");
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        const double from = fmax(intervals[i].begin, begin), to = fmin(intervals[i].end, end);
        const size_t node = intervals[i].rank / processors;
        if (node >= nodes || !(to > from))
            continue;
        changes[used++] = (change){node, from, 1};
        changes[used++] = (change){node, to, -1};
    }
    qsort(changes, used, sizeof *changes, compare);
    memset(windows, 0, window_count * sizeof *windows);
    if (histogram != NULL)
        memset(histogram, 0, (processors + 1) * sizeof *histogram);
    const timeline t = {begin, (end - begin) / (double)window_count, windows, window_count,
                        histogram};
    for (size_t i = 0; i < window_count; i++)
        windows[i].seconds = (double)nodes * t.width;
    size_t i = 0;
    for (size_t node = 0; node < nodes; node++) {
        double at = begin;
        long q = 0;
        for (; i < used && changes[i].node == node; i++) {
            add(&t, at, changes[i].time, (size_t)(q < (long)processors ? q : (long)processors));
            at = changes[i].time;
            q += changes[i].step;
        }
        add(&t, at, end, 0);
    }
    free(changes);
    return CLUMP_OK;
}
