/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/phases.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- cutting a series */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Variance of the noise, from the median of absolute differences of neighbours: changes are few, so it does not see them.
 * For normal noise that median is 0.6745 sqrt(2) sigma. */
static double noise_of(const double *points, size_t count, size_t width, size_t column,
                       double *work)
{
    for (size_t i = 0; i + 1 < count; i++)
        work[i] = fabs(points[(i + 1) * width + column] - points[i * width + column]);
    qsort(work, count - 1, sizeof *work, by_value);
    const double sigma = work[(count - 1) / 2] / (0.6745 * sqrt(2));
    return sigma * sigma;
}

/* Changes that are small beside the spread of a series are no phases: it is taken to have that much noise. */
#define LEAST_NOISE 0.05

static double spread_of(const double *points, size_t count, size_t width, size_t column)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        low = fmin(low, points[i * width + column]);
        high = fmax(high, points[i * width + column]);
    }
    return (high - low) * (high - low);
}

typedef struct sums {
    double *sum, *squared; /* of the points before, times width */
    double *scale;         /* 1 / variance of a column; 0: it does not change at all */
    size_t width;
} sums;

static double cost(const sums *s, size_t from, size_t to)
{
    double total = 0;
    for (size_t w = 0; w < s->width; w++) {
        const double sum = s->sum[to * s->width + w] - s->sum[from * s->width + w];
        const double squared = s->squared[to * s->width + w] - s->squared[from * s->width + w];
        total += s->scale[w] * fmax(0, squared - sum * sum / (double)(to - from));
    }
    return total;
}

static size_t trace_back(const size_t *last, size_t count, size_t *cuts)
{
    size_t found = 0;
    for (size_t at = count; last[at] > 0; at = last[at])
        cuts[found++] = last[at];
    for (size_t i = 0; i < found / 2; i++) {
        const size_t other = cuts[i];
        cuts[i] = cuts[found - 1 - i];
        cuts[found - 1 - i] = other;
    }
    return found;
}

size_t clump_phases_cut(const double *points, size_t count, size_t width, size_t *cuts)
{
    if (count < 2)
        return 0;
    double *memory = calloc(2 * (count + 1) * width + width + 2 * count + 2, sizeof *memory);
    size_t *last = calloc(count + 1, sizeof *last);
    if (memory == NULL || last == NULL) {
        free(memory);
        free(last);
        return SIZE_MAX;
    }
    sums s = {.sum = memory, .squared = memory + (count + 1) * width, .width = width};
    s.scale = s.squared + (count + 1) * width;
    double *best = s.scale + width, *work = best + count + 1;
    for (size_t w = 0; w < width; w++) {
        const double spread = spread_of(points, count, width, w);
        const double noise =
            fmax(noise_of(points, count, width, w, work), LEAST_NOISE * LEAST_NOISE * spread);
        s.scale[w] = spread > 0 ? 1 / noise : 0;
    }
    for (size_t i = 0; i < count * width; i++) {
        s.sum[i + width] = s.sum[i] + points[i];
        s.squared[i + width] = s.squared[i] + points[i] * points[i];
    }
    /* Twice the usual penalty (log n for each number that changes and for the place): neighbouring bins are not independent. */
    const double price = 2 * (double)(width + 1) * log((double)count);
    const size_t least = count / 32 > 2 ? count / 32 : 2;
    best[0] = -price;
    for (size_t to = 1; to <= count; to++) {
        best[to] = INFINITY;
        for (size_t from = 0; from + least <= to; from++) {
            const double total = best[from] + cost(&s, from, to) + price;
            if (total < best[to]) {
                best[to] = total;
                last[to] = from;
            }
        }
    }
    const size_t found = trace_back(last, count, cuts);
    free(memory);
    free(last);
    return found;
}

/* ---- the time series of all ranks together */

typedef struct bin {
    double computing, inside, messages, bytes, present; /* s of ranks, or counts */
} bin;

typedef struct series {
    double begin, width;
    bin bins[CLUMP_PHASES_BINS];
} series;

static double overlap(double a, double b, double c, double d)
{
    return fmax(0, fmin(b, d) - fmax(a, c));
}

/* A window of a rank is spread evenly over the bins that it meets. */
static void add_window(series *s, const clump_account_window *w, double from, double to)
{
    const double length = to - from;
    if (!(length > 0) || to <= s->begin)
        return;
    const double first = floor((from - s->begin) / s->width);
    size_t i = first > 0 ? (size_t)fmin(first, CLUMP_PHASES_BINS - 1) : 0;
    for (; i < CLUMP_PHASES_BINS && s->begin + (double)i * s->width < to; i++) {
        const double left = s->begin + (double)i * s->width;
        const double part = overlap(from, to, left, left + s->width) / length;
        bin *b = &s->bins[i];
        b->inside += part * fmin(w->inside, length);
        b->computing += part * fmax(0, length - w->inside);
        b->present += part * length;
        b->messages += part * (double)w->messages;
        b->bytes += part * (double)w->bytes;
    }
}

static void add_rank(series *s, const clump_account *a)
{
    for (size_t i = 0; i < a->window_count && i < CLUMP_ACCOUNT_WINDOWS; i++) {
        const double from = a->begin + (double)i * a->window_width;
        add_window(s, &a->windows[i], from, fmin(from + a->window_width, a->end));
    }
}

static bool make_series(const clump_run *run, series *s)
{
    double begin, end;
    if (!clump_run_common(run, &begin, &end))
        return false;
    *s = (series){.begin = begin, .width = (end - begin) / CLUMP_PHASES_BINS};
    for (size_t i = 0; i < run->ranks; i++)
        if (run->rank[i].account != NULL)
            add_rank(s, run->rank[i].account);
    return true;
}

/* ---- borders: of marks, and where the series changes */

typedef struct border {
    double time;
    int level; /* of the mark that begins here; -1: none */
} border;

static int by_time(const void *a, const void *b)
{
    const border *x = a, *y = b;
    return (x->time > y->time) - (x->time < y->time);
}

/* Marks of the first rank that has some: all ranks make them, mostly. */
static size_t take_marks(const clump_run *run, border *borders, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < run->ranks && count == 0; i++) {
        const clump_account *a = run->rank[i].account;
        for (size_t j = 0; a != NULL && j < a->mark_count && count < most; j++)
            borders[count++] = (border){a->marks[j].time, a->marks[j].level};
    }
    return count;
}

/* `merged` bins together are a point: their share inside MPI, and the fourth root of the rate of messages (rates differ by orders
 * of magnitude). */
static void make_point(const bin *b, size_t merged, double point[2])
{
    double inside = 0, present = 0, messages = 0;
    for (size_t i = 0; i < merged; i++) {
        inside += b[i].inside;
        present += b[i].present;
        messages += b[i].messages;
    }
    point[0] = present > 0 ? inside / present : 0;
    point[1] = present > 0 ? sqrt(sqrt(messages / present)) : 0;
}

/* A column that hardly changes, by itself or beside its size, does not count. */
static void level(double *points, size_t count, size_t column, double by_size)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        low = fmin(low, points[2 * i + column]);
        high = fmax(high, points[2 * i + column]);
    }
    if (high - low < LEAST_NOISE * (by_size > 0 ? high : 1))
        for (size_t i = 0; i < count; i++)
            points[2 * i + column] = 0;
}

/* In [from, to). What comes again and again is no phase: where there are many pieces it is looked at from farther off. */
static size_t take_changes(const series *s, size_t from, size_t to, border *borders)
{
    enum { LEAST_POINTS = 16 };
    double points[2 * CLUMP_PHASES_BINS];
    size_t cuts[CLUMP_PHASES_BINS];
    const size_t count = to > from ? to - from : 0;
    for (size_t merged = 1; count / merged >= LEAST_POINTS; merged *= 2) {
        for (size_t i = 0; i < count / merged; i++)
            make_point(&s->bins[from + i * merged], merged, &points[2 * i]);
        level(points, count / merged, 0, 0);
        level(points, count / merged, 1, 1);
        const size_t made = clump_phases_cut(points, count / merged, 2, cuts);
        if (made == SIZE_MAX)
            return SIZE_MAX;
        if (made >= CLUMP_PHASES_MOST)
            continue;
        for (size_t i = 0; i < made; i++)
            borders[i] = (border){s->begin + (double)(from + cuts[i] * merged) * s->width, -1};
        return made;
    }
    return 0;
}

static size_t bin_of(const series *s, double time)
{
    const double at = (time - s->begin) / s->width;
    return at > 0 ? (size_t)fmin(at + 0.5, CLUMP_PHASES_BINS) : 0;
}

static bool add_phase(clump_facts *facts, const series *s, double start, double stop, int level)
{
    char mark[40];
    snprintf(mark, sizeof mark, "MPI_Pcontrol %d", level);
    clump_facts_phase row = {
        .mark = level >= 0 ? mark : NULL, .start = fmax(0, start), .stop = fmax(0, stop)};
    for (size_t i = 0; i < CLUMP_PHASES_BINS; i++) {
        const double left = s->begin + (double)i * s->width;
        const double part = overlap(start, stop, left, left + s->width) / s->width;
        row.computing += part * s->bins[i].computing;
        row.in_mpi += part * s->bins[i].inside;
        row.messages += part * s->bins[i].messages;
        row.bytes += part * s->bins[i].bytes;
    }
    return clump_facts_add(facts, CLUMP_FACTS_PHASE, &row);
}

bool clump_phases_add(const clump_run *run, clump_facts *facts)
{
    border borders[CLUMP_PHASES_MARKS * (CLUMP_PHASES_MOST + 1) + CLUMP_PHASES_MOST];
    series *s = malloc(sizeof *s);
    if (s == NULL)
        return false;
    if (!make_series(run, s)) {
        free(s);
        return true;
    }
    const double end = s->begin + CLUMP_PHASES_BINS * s->width;
    const size_t marks = take_marks(run, borders, CLUMP_PHASES_MARKS);
    size_t count = marks;
    for (size_t i = 0; i <= marks; i++) {
        const size_t from = i == 0 ? 0 : bin_of(s, borders[i - 1].time);
        const size_t to = i == marks ? CLUMP_PHASES_BINS : bin_of(s, borders[i].time);
        const size_t found = take_changes(s, from, to, borders + count);
        if (found == SIZE_MAX) {
            free(s);
            return false;
        }
        count += found;
    }
    qsort(borders, count, sizeof *borders, by_time);
    double start = s->begin;
    int level = -1;
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        if (borders[i].time > start)
            good = add_phase(facts, s, start, fmin(borders[i].time, end), level);
        start = fmax(start, borders[i].time);
        level = borders[i].level >= 0 ? borders[i].level : level;
    }
    if (good && end > start)
        good = add_phase(facts, s, start, end, level);
    free(s);
    return good;
}
