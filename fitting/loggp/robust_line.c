/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/loggp/robust_line.h"

#include <math.h>
#include <stdbool.h>

/* 2 rho(u). */
static double bisquare_loss(double u)
{
    const double r = u / CLUMP_BISQUARE_END;
    if (!(fabs(r) < 1))
        return CLUMP_BISQUARE_MOST;
    const double rest = 1 - r * r;
    return CLUMP_BISQUARE_MOST * (1 - rest * rest * rest);
}

double clump_bisquare_weight(double u)
{
    const double r = u / CLUMP_BISQUARE_END;
    const double rest = 1 - r * r;
    return rest > 0 ? rest * rest : 0;
}

double clump_bisquare_score(double u)
{
    return u * clump_bisquare_weight(u);
}

double clump_bisquare_slope(double u)
{
    const double r = u / CLUMP_BISQUARE_END;
    const double rest = 1 - r * r;
    return rest > 0 ? rest * (rest - 4 * r * r) : 0;
}

typedef enum weighting { ABSOLUTE, BISQUARE } weighting;

static double distance(const clump_line_points *p, const clump_robust_line *line, size_t i)
{
    return log(p->time[i] / (line->at_zero + line->slope * p->x[i])) / p->scale[i];
}

static double weight_of(double u, weighting how)
{
    return how == ABSOLUTE ? 1 / fmax(fabs(u), 1e-3) : clump_bisquare_weight(u);
}

static bool is_positive(const clump_line_points *p, const clump_robust_line *line)
{
    for (size_t i = 0; i < p->count; i++)
        if (!(line->at_zero + line->slope * p->x[i] > 0))
            return false;
    return true;
}

static double loss_of(const clump_line_points *p, const clump_robust_line *line)
{
    double sum = 0;
    for (size_t i = 0; i < p->count; i++)
        sum += bisquare_loss(distance(p, line, i));
    return sum;
}

/* Sums of weighted least squares, with x in units of its largest so that they are of one size. */
typedef struct sums {
    double w, wx, wxx, wy, wxy;
} sums;

static void add_to(sums *s, double w, double x, double y)
{
    s->w += w;
    s->wx += w * x;
    s->wxx += w * x * x;
    s->wy += w * y;
    s->wxy += w * x * y;
}

/* Line of the sums; the slope is kept from falling below 0. */
static bool solve(const sums *s, double *intercept, double *slope)
{
    if (!(s->w > 0))
        return false;
    const double determinant = s->w * s->wxx - s->wx * s->wx;
    *slope =
        determinant > 1e-12 * s->w * s->wxx ? (s->w * s->wxy - s->wx * s->wy) / determinant : 0;
    *intercept = (s->wy - *slope * s->wx) / s->w;
    return true;
}

/* Relative deviations, squared: linear, no start needed. High times weigh little. */
static clump_robust_line relative_squares(const clump_line_points *p, double largest)
{
    sums s = {0};
    double low = INFINITY;
    for (size_t i = 0; i < p->count; i++) {
        const double w = 1 / (p->time[i] * p->scale[i]);
        add_to(&s, w * w, p->x[i] / largest, p->time[i]);
        low = fmin(low, p->time[i]);
    }
    clump_robust_line line = {low, 0, 0};
    double intercept, slope;
    if (solve(&s, &intercept, &slope) && slope >= 0)
        line = (clump_robust_line){intercept, slope / largest, 0};
    if (!is_positive(p, &line))
        line = (clump_robust_line){low, 0, 0};
    return line;
}

/* With slope 0 the weighted mean of the logarithms is the best. */
static clump_robust_line level(const clump_line_points *p, const clump_robust_line *line,
                               weighting how)
{
    double w = 0, wy = 0;
    for (size_t i = 0; i < p->count; i++) {
        const double one = weight_of(distance(p, line, i), how) / (p->scale[i] * p->scale[i]);
        w += one;
        wy += one * log(p->time[i]);
    }
    return w > 0 ? (clump_robust_line){exp(wy / w), 0, 0} : *line;
}

/* One Gauss-Newton step on the logarithms; false when nothing moves any more. */
static bool improve(const clump_line_points *p, double largest, weighting how,
                    clump_robust_line *line)
{
    sums s = {0};
    double da, db;
    for (size_t i = 0; i < p->count; i++) {
        const double t = line->at_zero + line->slope * p->x[i], u = distance(p, line, i);
        const double w = weight_of(u, how) / (p->scale[i] * p->scale[i] * t * t);
        add_to(&s, w, p->x[i] / largest, u * p->scale[i] * t);
    }
    if (!solve(&s, &da, &db))
        return false;
    clump_robust_line next = {line->at_zero + da, line->slope + db / largest, 0};
    if (next.slope < 0)
        next = level(p, line, how);
    for (int halvings = 0; !is_positive(p, &next); halvings++) {
        if (halvings == 40)
            return false;
        next.at_zero = (next.at_zero + line->at_zero) / 2;
        next.slope = (next.slope + line->slope) / 2;
    }
    const bool moved = fabs(next.at_zero - line->at_zero) > 1e-12 * fabs(line->at_zero) ||
                       fabs(next.slope - line->slope) > 1e-12 * fabs(line->slope);
    *line = next;
    return moved;
}

clump_robust_line clump_robust_line_fit(const clump_line_points *points,
                                        const clump_robust_line *start, int effort)
{
    double largest = 0;
    for (size_t i = 0; i < points->count; i++)
        largest = fmax(largest, points->x[i]);
    if (!(largest > 0))
        largest = 1;
    clump_robust_line tries[3];
    size_t count = 0;
    tries[count++] = relative_squares(points, largest);
    tries[count] = tries[0];
    for (int i = 0; i < effort && improve(points, largest, ABSOLUTE, &tries[count]); i++)
        ;
    count++;
    if (start != NULL && is_positive(points, start))
        tries[count++] = *start;
    clump_robust_line best = {.loss = INFINITY};
    for (size_t k = 0; k < count; k++) {
        for (int i = 0; i < effort && improve(points, largest, BISQUARE, &tries[k]); i++)
            ;
        tries[k].loss = loss_of(points, &tries[k]);
        if (tries[k].loss < best.loss)
            best = tries[k];
    }
    return best;
}
