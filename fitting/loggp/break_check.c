/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/loggp/break_check.h"

#include "fitting/loggp/piece_fit.h"
#include "fitting/loggp/robust_line.h"

#include <math.h>
#include <stdlib.h>

/* Runs that are asked one by one; more would not change the answer. */
enum { EFFORT = 20, RUNS_MOST = 64, WITNESSES_MOST = 1000 };

/* 99% of chi-square with two degrees: a line of its own on each side, where the place is given. */
#define SHOWN 9.21

/* Standard errors that no mean of runs is off by chance, in any of the places looked at. */
#define FAR 4.0

/* Steps smaller than this are not worth a word: caches and schedulers do as much. */
#define STEP_LEAST 1.2

typedef struct run_points {
    double *x, *time, *scale, *size;
    size_t count, sizes;
} run_points;

static bool start(run_points *r, size_t count)
{
    r->x = malloc((4 * count + 1) * sizeof *r->x);
    if (r->x == NULL)
        return false;
    r->time = r->x + count;
    r->scale = r->time + count;
    r->size = r->scale + count;
    return true;
}

/* Points of one run in a range of the curve; those with small windows say little about lines. */
static void gather(run_points *r, const clump_curve *curve, size_t first, size_t end, size_t run,
                   double scatter)
{
    double widest = 0;
    r->count = r->sizes = 0;
    for (size_t i = first; i < end; i++)
        if (curve->points[i].run == run)
            widest = fmax(widest, curve->points[i].window);
    for (size_t i = first; i < end; i++) {
        const clump_curve_point *p = &curve->points[i];
        if (p->run != run || 2 * p->window < widest)
            continue;
        const size_t n = r->count++;
        r->size[n] = p->size_bytes;
        r->x[n] = clump_curve_extra_bytes(p->size_bytes);
        r->time[n] = p->time_us;
        r->scale[n] = clump_point_scale(scatter, p->resolution_us / p->time_us);
        r->sizes += n == 0 || p->size_bytes > r->size[n - 1];
    }
}

static clump_robust_line line_of(const run_points *r, size_t first, size_t end)
{
    const clump_line_points part = {r->x + first, r->time + first, r->scale + first, end - first};
    return clump_robust_line_fit(&part, NULL, EFFORT);
}

static size_t first_above(const run_points *r, double size)
{
    size_t i = 0;
    while (i < r->count && r->size[i] < size)
        i++;
    return i;
}

static size_t sizes_between(const run_points *r, size_t first, size_t end)
{
    size_t n = 0;
    for (size_t i = first; i < end; i++)
        n += i == first || r->size[i] > r->size[i - 1];
    return n;
}

static double time_at(const clump_robust_line *line, double x)
{
    return line->at_zero + line->slope * x;
}

/* What the runs say of a step, each by itself. */
typedef struct witnesses {
    size_t count;
    double mean, square; /* of the logarithms of their steps */
} witnesses;

/* A run shows a break if two lines are better, and if its step goes the way that all runs' does. */
static bool shows(const run_points *r, size_t at, double step, witnesses *w)
{
    const clump_robust_line left = line_of(r, 0, at), right = line_of(r, at, r->count);
    const double own = log(time_at(&right, r->x[at]) / time_at(&left, r->x[at]));
    const double off = own - w->mean;
    w->mean += off / (double)++w->count;
    w->square += off * (own - w->mean);
    const bool gains = line_of(r, 0, r->count).loss - left.loss - right.loss > SHOWN;
    return gains && (fabs(step) < log(STEP_LEAST) || own / step > 1.0 / 3);
}

/* Half of the runs see it, two at least; or many see too little each, but all the same. */
static bool agree(const clump_break *b, const witnesses *w)
{
    const double n = (double)w->count;
    if (b->showing >= 2 && 2 * b->showing >= b->covering)
        return true;
    return w->count >= CLUMP_RUNS_TO_RESAMPLE &&
           fabs(w->mean) > FAR * sqrt(w->square / (n - 1) / n);
}

clump_status clump_break_count(const clump_curve *curve, const clump_piece *before,
                               const clump_piece *after, double scatter, clump_break *found,
                               clump_error *error)
{
    run_points r;
    witnesses w = {0};
    if (!start(&r, before->count + after->count))
        return clump_fail_memory(error, "the runs at a break");
    found->showing = found->covering = found->present = 0;
    for (size_t run = 0; run < curve->runs && run < WITNESSES_MOST; run++) {
        gather(&r, curve, before->first, after->first + after->count, run, scatter);
        const size_t at = first_above(&r, found->above);
        found->present += r.count > 0;
        if (sizes_between(&r, 0, at) < 2 || sizes_between(&r, at, r.count) < 2 || r.sizes < 5)
            continue;
        found->covering++;
        found->showing += shows(&r, at, log(found->step), &w);
    }
    found->confirmed = agree(found, &w);
    free(r.x);
    return CLUMP_OK;
}

static bool is_known(const clump_curve_fit *fit, double size)
{
    for (size_t k = 0; k + 1 < fit->piece_count; k++)
        if (size > fit->breaks[k].low && size <= fit->breaks[k].high)
            return true;
    return false;
}

static void note_steps(const run_points *r, size_t run, const clump_segmentation *s,
                       clump_curve_fit *fit)
{
    for (size_t k = 0; k + 1 < s->pieces; k++) {
        const size_t at = s->breaks[k].at, begin = k > 0 ? s->breaks[k - 1].at : 0;
        const size_t end = k + 2 < s->pieces ? s->breaks[k + 1].at : r->count;
        const clump_robust_line left = line_of(r, begin, at), right = line_of(r, at, end);
        const double step =
            (right.at_zero + right.slope * r->x[at]) / (left.at_zero + left.slope * r->x[at]);
        if (fabs(log(step)) < log(STEP_LEAST) || is_known(fit, r->size[at]) ||
            fit->change_count == CLUMP_SPEED_CHANGES_MOST)
            continue;
        fit->changes[fit->change_count++] =
            (clump_speed_change){run, r->size[at - 1], r->size[at], step};
    }
}

/* One point a size: the segmentation wants it so. */
static void merge_sizes(run_points *r)
{
    size_t n = 0;
    for (size_t i = 0, end; i < r->count; i = end) {
        for (end = i; end < r->count && !(r->size[end] > r->size[i]); end++)
            ;
        r->size[n] = r->size[i];
        r->x[n] = r->x[i];
        r->scale[n] = r->scale[i];
        r->time[n] = r->time[i + (end - i) / 2];
        n++;
    }
    r->count = n;
}

clump_status clump_speed_changes_find(const clump_curve *curve, double scatter,
                                      clump_curve_fit *fit, clump_error *error)
{
    run_points r;
    clump_status status = CLUMP_OK;
    if (curve->runs < 2)
        return CLUMP_OK; /* any step is a break then, and marked as one run's */
    if (!start(&r, curve->count))
        return clump_fail_memory(error, "the runs of a curve");
    for (size_t run = 0; run < curve->runs && run < RUNS_MOST && status == CLUMP_OK; run++) {
        clump_segmentation s;
        gather(&r, curve, 0, curve->count, run, scatter);
        merge_sizes(&r);
        if (r.count < (size_t)3 * CLUMP_PIECE_LEAST_SIZES || r.count > CLUMP_SEGMENT_MOST_SIZES)
            continue;
        const clump_line_points points = {r.x, r.time, r.scale, r.count};
        status = clump_segmentation_find(&points, NULL, &s, error);
        if (status == CLUMP_OK)
            note_steps(&r, run, &s, fit);
    }
    free(r.x);
    return status;
}
