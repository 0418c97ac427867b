/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/loggp/segmentation.h"

#include "model/statistics.h"

#include <math.h>
#include <stdlib.h>

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
    double *loss;  /* [i * (n + 1) + j]: of the piece of points i..j-1 */
    double *best;  /* [k * (n + 1) + j]: of the first j points in k + 1 pieces */
    size_t *from;  /* where the last of them begins */
    size_t *apart; /* [i]: sizes up to i that are apart from each other */
} search;

static void count_apart(search *s)
{
    const double *x = s->points->x;
    size_t last = 0;
    for (size_t i = 0; i < s->n; i++) {
        const bool next = i > 0 && x[i] > x[last] * (1 + CLUMP_SIZES_APART);
        s->apart[i] = i == 0 ? 0 : s->apart[i - 1] + next;
        last = next ? i : last;
    }
}

static bool is_long_enough(const search *s, size_t i, size_t j)
{
    return j > i && s->apart[j - 1] - s->apart[i] + 1 >= CLUMP_PIECE_LEAST_SIZES;
}

static double loss_between(const search *s, size_t i, size_t j)
{
    return s->loss[i * (s->n + 1) + j];
}

/* Every piece that is long enough; each starts from the line of the one that is shorter by one. */
static void compute_losses(search *s)
{
    const clump_line_points *p = s->points;
    for (size_t i = 0; i < s->n; i++) {
        clump_robust_line last, *start = NULL;
        for (size_t j = i + CLUMP_PIECE_LEAST_SIZES; j <= s->n; j++) {
            if (!is_long_enough(s, i, j))
                continue;
            const clump_line_points piece = {p->x + i, p->time + i, p->scale + i, j - i};
            last = clump_robust_line_fit(&piece, start, EFFORT);
            start = &last;
            s->loss[i * (s->n + 1) + j] = last.loss;
        }
    }
}

static void combine(search *s)
{
    const size_t row = s->n + 1;
    for (size_t j = 0; j <= s->n; j++) {
        s->best[j] = loss_between(s, 0, j);
        s->from[j] = 0;
    }
    for (size_t k = 1; k < s->most; k++)
        for (size_t j = 0; j <= s->n; j++) {
            double *best = &s->best[k * row + j];
            *best = INFINITY;
            for (size_t i = 1; i + CLUMP_PIECE_LEAST_SIZES <= j; i++) {
                const double loss = s->best[(k - 1) * row + i] + loss_between(s, i, j);
                if ((s->allowed == NULL || s->allowed[i]) && loss < *best) {
                    *best = loss;
                    s->from[k * row + j] = i;
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
    const size_t row = s->n + 1;
    double least = INFINITY;
    for (size_t k = 0; k < s->most; k++) {
        const double total = s->best[k * row + s->n] + (double)k * segment_penalty(s->n);
        if (total < least) {
            least = total;
            found->pieces = k + 1;
        }
    }
    size_t end = s->n;
    for (size_t k = found->pieces - 1; k > 0; k--) {
        end = s->from[k * row + end];
        found->breaks[k - 1].at = end;
    }
    for (size_t k = 0; k + 1 < found->pieces; k++)
        find_interval(s, &found->breaks[k], k > 0 ? found->breaks[k - 1].at : 0,
                      k + 2 < found->pieces ? found->breaks[k + 1].at : s->n);
}

clump_status clump_segmentation_find(const clump_line_points *points, const bool *allowed,
                                     clump_segmentation *segmentation, clump_error *error)
{
    const size_t n = points->count;
    if (n == 0 || n > CLUMP_SEGMENT_MOST_SIZES)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "found %zu sizes, expected 1 to %d", n,
                          CLUMP_SEGMENT_MOST_SIZES);
    clump_segmentation found = {.pieces = 1};
    search s = {.points = points, .allowed = allowed, .n = n};
    s.most = n / CLUMP_PIECE_LEAST_SIZES;
    s.most = s.most > CLUMP_PIECES_MOST ? CLUMP_PIECES_MOST : s.most;
    if (s.most > 1) {
        const size_t square = (n + 1) * (n + 1), table = s.most * (n + 1);
        s.loss = malloc((square + table) * sizeof *s.loss);
        s.from = malloc((table + n) * sizeof *s.from);
        if (s.loss == NULL || s.from == NULL) {
            free(s.loss);
            free(s.from);
            return clump_fail_memory(error, "the pieces of a curve");
        }
        s.best = s.loss + square;
        s.apart = s.from + table;
        count_apart(&s);
        for (size_t i = 0; i < square; i++)
            s.loss[i] = INFINITY;
        compute_losses(&s);
        combine(&s);
        read_breaks(&s, &found);
        free(s.loss);
        free(s.from);
    }
    *segmentation = found;
    return CLUMP_OK;
}
