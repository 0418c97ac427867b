/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/loggp/segmentation.h"

#include "model/statistics.h"

#include <math.h>

enum { EFFORT = 6 };

#define NEGLIGIBLE 3.84 /* 95% of chi-square with one degree of freedom */

/* What a piece must save to be worth it: it brings a place and two numbers, so 3 log n by
 * Schwarz's criterion, and half as much again for the scale being an estimate. */
static double segment_penalty(size_t sizes)
{
    return 1.5 * 3 * log((double)sizes);
}

double clump_segment_roughness(const double *x, const double *time, size_t count, double *scratch)
{
    size_t used = 0;
    for (size_t i = 1; i + 1 < count; i++) {
        const double span = x[i + 1] - x[i - 1];
        const double right = (x[i] - x[i - 1]) / span, left = 1 - right;
        const double before = left * time[i - 1] / time[i], after = right * time[i + 1] / time[i];
        scratch[used++] = fabs(before + after - 1) / sqrt(1 + before * before + after * after);
    }
    /* 1.4826: what makes the median deviation of a normal distribution its standard deviation. */
    return used > 0 ? 1.4826 * clump_median(scratch, used) : 0;
}

typedef struct search {
    const clump_line_points *points;
    const bool *allowed;
    size_t n, most;
    clump_segment_space *space;
} search;

static void count_apart(search *s)
{
    const double *x = s->points->x;
    size_t last = 0;
    for (size_t i = 0; i < s->n; i++) {
        const bool next = i > 0 && x[i] > x[last] * (1 + CLUMP_SIZES_APART);
        s->space->apart[i] = i == 0 ? 0 : s->space->apart[i - 1] + next;
        last = next ? i : last;
    }
}

static bool is_long_enough(const search *s, size_t i, size_t j)
{
    return j > i && s->space->apart[j - 1] - s->space->apart[i] + 1 >= CLUMP_PIECE_LEAST_SIZES;
}

static double loss_between(const search *s, size_t i, size_t j)
{
    return s->space->loss[i][j];
}

/* Every piece that is long enough; each starts from the line of the one that is shorter by one. */
static void compute_losses(search *s)
{
    const clump_line_points *p = s->points;
    for (size_t i = 0; i < s->n; i++) {
        clump_robust_line last, *start = NULL;
        for (size_t j = 0; j <= s->n; j++) {
            s->space->loss[i][j] = INFINITY;
            if (!is_long_enough(s, i, j))
                continue;
            const clump_line_points piece = {p->x + i, p->time + i, p->scale + i, j - i};
            last = clump_robust_line_fit(&piece, start, EFFORT);
            start = &last;
            s->space->loss[i][j] = last.loss;
        }
    }
}

static void combine(search *s)
{
    clump_segment_space *space = s->space;
    for (size_t j = 0; j <= s->n; j++) {
        space->best[0][j] = loss_between(s, 0, j);
        space->from[0][j] = 0;
    }
    for (size_t k = 1; k < s->most; k++)
        for (size_t j = 0; j <= s->n; j++) {
            double *best = &space->best[k][j];
            *best = INFINITY;
            for (size_t i = 1; i + CLUMP_PIECE_LEAST_SIZES <= j; i++) {
                const double loss = space->best[k - 1][i] + loss_between(s, i, j);
                if ((s->allowed == NULL || s->allowed[i]) && loss < *best) {
                    *best = loss;
                    space->from[k][j] = i;
                }
            }
        }
}

/* How far the break could move, its neighbours staying where they are. */
static void find_interval(const search *s, clump_segment_break *b, size_t begin, size_t end)
{
    const double best = loss_between(s, begin, b->at) + loss_between(s, b->at, end);
    b->low = b->high = b->at;
    for (size_t i = begin + CLUMP_PIECE_LEAST_SIZES; i + CLUMP_PIECE_LEAST_SIZES <= end; i++)
        if (loss_between(s, begin, i) + loss_between(s, i, end) <= best + NEGLIGIBLE) {
            b->low = i < b->low ? i : b->low;
            b->high = i > b->high ? i : b->high;
        }
}

static void read_breaks(const search *s, clump_segmentation *found)
{
    double least = INFINITY;
    for (size_t k = 0; k < s->most; k++) {
        const double total = s->space->best[k][s->n] + (double)k * segment_penalty(s->n);
        if (total < least) {
            least = total;
            found->pieces = k + 1;
        }
    }
    size_t end = s->n;
    for (size_t k = found->pieces - 1; k > 0; k--) {
        end = s->space->from[k][end];
        found->breaks[k - 1].at = end;
    }
    for (size_t k = 0; k + 1 < found->pieces; k++)
        find_interval(s, &found->breaks[k], k > 0 ? found->breaks[k - 1].at : 0,
                      k + 2 < found->pieces ? found->breaks[k + 1].at : s->n);
}

clump_segmentation clump_segmentation_find(const clump_line_points *points, const bool *allowed,
                                           clump_segment_space *space)
{
    clump_segmentation found = {.pieces = 1};
    search s = {.points = points, .allowed = allowed, .n = points->count, .space = space};
    s.most = s.n / CLUMP_PIECE_LEAST_SIZES;
    s.most = s.most > CLUMP_PIECES_MOST ? CLUMP_PIECES_MOST : s.most;
    if (s.most > 1) {
        count_apart(&s);
        compute_losses(&s);
        combine(&s);
        read_breaks(&s, &found);
    }
    return found;
}
