/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_TESTS_OWN_SOLVER_H
#define CLUMP_TESTS_OWN_SOLVER_H

/*
 * A second solver for nodes of a few processors. It shares no code and no method with model/:
 * independent demand and gangs from the probabilities of all subsets of processors, correlated
 * demand event by event, and scheduled demand by linear programmes over all subsets. Times are
 * amounts of work throughout; nothing is ever scaled by a utilization.
 */

#include "model/prediction.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { OWN_MOST = 12 };

/* A station and the processors that use it. */
typedef struct own_station {
    int n;
    double apart[OWN_MOST];  /* time without the NICs, in a unit of time on the NOW */
    double served[OWN_MOST]; /* time for which a full NIC serves it */
    double nics, m;          /* m = 0: no limit */
    const double *table;     /* E(1), E(2), ... */
    int table_length;
    int ports, packed; /* of a slot; the NICs of the station lie in slots */
    double bandwidth;
} own_station;

/* ---- what the station moves */

static double own_efficiency(const own_station *s, double active)
{
    if (s->table_length == 0)
        return 1;
    const int low = (int)floor(active), last = s->table_length;
    const double a = s->table[(low < 1 ? 1 : low < last ? low : last) - 1];
    const double b = s->table[(low + 1 < last ? low + 1 : last) - 1];
    return active <= 1 ? s->table[0] : a + (active - low) * (b - a);
}

/* NICs' worth that `used` whole NICs of `nics` move: put ports into use one by one. */
static double own_moved(int nics, int ports, double bandwidth, int packed, int used)
{
    int in_use[64] = {0};
    const int slots = (nics + ports - 1) / ports;
    double sum = 0;
    for (int k = 0; k < used; k++) {
        int best = -1;
        for (int j = 0; j < slots; j++) {
            const int there = j + 1 < slots ? ports : nics - ports * (slots - 1);
            if (in_use[j] < there && (best < 0 || (!packed && in_use[j] < in_use[best])))
                best = j;
        }
        in_use[best]++;
    }
    for (int j = 0; j < slots; j++)
        sum += fmin(in_use[j], bandwidth);
    return sum;
}

/* Total rate with `active` processors communicating; real for gangs. */
static double own_rate(const own_station *s, double active)
{
    double nics = s->nics;
    if (s->m > 0)
        nics = fmin(nics, active * s->m);
    if (s->ports > 1) {
        const int low = (int)floor(nics), all = (int)s->nics;
        const double a = own_moved(all, s->ports, s->bandwidth, s->packed, low);
        const double b = low < all ? own_moved(all, s->ports, s->bandwidth, s->packed, low + 1) : a;
        nics = a + (nics - low) * (b - a);
    } else if (s->bandwidth > 0) {
        nics *= fmin(1, s->bandwidth);
    }
    return nics * own_efficiency(s, active);
}

static int own_count(unsigned subset)
{
    int count = 0;
    for (; subset != 0; subset &= subset - 1)
        count++;
    return count;
}

/* ---- independent demand */

typedef struct own_outcome {
    double X[OWN_MOST];
    double active; /* mean number that communicate */
} own_outcome;

/*
 * The chain over subsets of active processors: p leaves its computation at the rate 1/apart and its
 * communication at share/served. Its probabilities, and the largest imbalance of flows relative to
 * the flow through a state (where nobody is stuck; NAN otherwise).
 */
static void own_chain(const own_station *s, double *probability, double *imbalance)
{
    const unsigned all = 1U << s->n;
    double sum = 0;
    bool stuck = false;
    for (unsigned subset = 0; subset < all; subset++) {
        double weight = 1;
        for (int p = 0; p < s->n; p++)
            weight *= subset >> p & 1 ? s->served[p] : s->apart[p];
        for (int q = 1; q <= own_count(subset); q++)
            weight *= q / own_rate(s, q);
        probability[subset] = weight;
        sum += weight;
    }
    for (unsigned subset = 0; subset < all; subset++)
        probability[subset] /= sum;
    for (int p = 0; p < s->n; p++)
        stuck = stuck || s->apart[p] <= 0 || s->served[p] <= 0;
    *imbalance = stuck ? NAN : 0;
    for (unsigned subset = 0; subset < all && !stuck; subset++) {
        double out = 0, in = 0;
        const int q = own_count(subset);
        for (int p = 0; p < s->n; p++) {
            const unsigned other = subset ^ 1U << p;
            if (subset >> p & 1) {
                out += probability[subset] * own_rate(s, q) / q / s->served[p];
                in += probability[other] / s->apart[p];
            } else {
                out += probability[subset] / s->apart[p];
                in += probability[other] * own_rate(s, q + 1) / (q + 1) / s->served[p];
            }
        }
        *imbalance = fmax(*imbalance, fabs(in - out) / out);
    }
}

static void own_independent(const own_station *s, own_outcome *o, double *imbalance)
{
    static double probability[1 << OWN_MOST];
    own_chain(s, probability, imbalance);
    o->active = 0;
    for (int p = 0; p < s->n; p++) {
        double idle = 0, service = 0;
        for (unsigned subset = 0; subset < 1U << s->n; subset++) {
            const int q = own_count(subset);
            if (subset >> p & 1)
                service += probability[subset] * own_rate(s, q) / q;
            else
                idle += probability[subset];
        }
        /* Cycles per time, counted where they are not 0/0. */
        o->X[p] = s->apart[p] > s->served[p] ? s->apart[p] / idle : s->served[p] / service;
        o->active += 1 - idle;
    }
}

/* ---- correlated demand */

static void own_correlated(const own_station *s, own_outcome *o)
{
    double left[OWN_MOST], now = 0, busy = 0;
    int active = 0;
    for (int p = 0; p < s->n; p++) {
        left[p] = s->served[p];
        o->X[p] = s->apart[p];
        active += left[p] > 0;
    }
    while (active > 0) {
        const double each = own_rate(s, active) / active;
        double step = HUGE_VAL;
        for (int p = 0; p < s->n; p++)
            if (left[p] > 0)
                step = fmin(step, left[p]);
        now += step / each;
        for (int p = 0; p < s->n; p++)
            if (left[p] > 0) {
                left[p] -= step;
                if (left[p] <= 1e-14 * s->served[p]) {
                    left[p] = 0;
                    active--;
                    o->X[p] += now;
                    busy += now;
                }
            }
    }
    o->active = busy; /* in a period, which is the node's */
}

/* ---- nothing random: everybody begins to compute at 0, and goes on as it comes */

static void own_constant(const own_station *s, double begin, double end, double *X)
{
    double left[OWN_MOST], done[OWN_MOST] = {0}, now = 0;
    bool active[OWN_MOST] = {false};
    for (int p = 0; p < s->n; p++)
        left[p] = s->apart[p];
    while (now < end) {
        const double until = now < begin ? begin : end;
        double step = until - now;
        int q = 0;
        for (int p = 0; p < s->n; p++)
            q += active[p];
        const double each = q > 0 ? own_rate(s, q) / q : 0;
        for (int p = 0; p < s->n; p++)
            step = fmin(step, left[p] / (active[p] ? each : 1));
        now += step;
        for (int p = 0; p < s->n; p++) {
            const double part = step * (active[p] ? each : 1);
            left[p] -= part;
            done[p] += now > begin ? part : 0;
            if (left[p] <= 1e-12) {
                active[p] = !active[p];
                left[p] = active[p] ? s->served[p] : s->apart[p];
            }
        }
    }
    for (int p = 0; p < s->n; p++)
        X[p] = (end - begin) * (s->apart[p] + s->served[p]) / done[p];
}

/* ---- linear programmes: maximize c x, A x <= b or = 0, x >= 0 */

typedef struct own_programme {
    int rows, columns;
    double *cells; /* (rows + 1) x (columns + 1): the last row is -c, the last column b */
    int *basis;
} own_programme;

static double *own_cell(const own_programme *lp, int row, int column)
{
    return &lp->cells[row * (lp->columns + 1) + column];
}

static void own_begin(own_programme *lp, int rows, int columns)
{
    lp->rows = rows;
    lp->columns = columns;
    lp->cells = calloc((size_t)(rows + 1) * (size_t)(columns + 1), sizeof(double));
    lp->basis = calloc((size_t)rows, sizeof(int));
}

static void own_end(own_programme *lp)
{
    free(lp->cells);
    free(lp->basis);
}

static void own_pivot(own_programme *lp, int row, int column)
{
    const double by = *own_cell(lp, row, column);
    for (int c = 0; c <= lp->columns; c++)
        *own_cell(lp, row, c) /= by;
    for (int r = 0; r <= lp->rows; r++) {
        const double factor = *own_cell(lp, r, column);
        if (r == row || factor == 0)
            continue;
        for (int c = 0; c <= lp->columns; c++)
            *own_cell(lp, r, c) -= factor * *own_cell(lp, row, c);
    }
    lp->basis[row] = column;
}

/* The simplex method from a feasible basis: steepest column, Bland's rule where it stands still. */
static double own_maximize(own_programme *lp)
{
    int still = 0;
    for (int round = 0; round < 20000; round++) {
        int column = -1, row = -1;
        double best = -1e-12;
        for (int c = 0; c < lp->columns; c++)
            if (*own_cell(lp, lp->rows, c) < best) {
                column = c;
                if (still > 60)
                    break;
                best = *own_cell(lp, lp->rows, c);
            }
        if (column < 0)
            return *own_cell(lp, lp->rows, lp->columns);
        double least = HUGE_VAL;
        for (int r = 0; r < lp->rows; r++) {
            const double a = *own_cell(lp, r, column);
            if (a <= 1e-11)
                continue;
            const double ratio = fmax(*own_cell(lp, r, lp->columns), 0) / a;
            if (ratio < least - 1e-15 ||
                (ratio <= least + 1e-15 && row >= 0 && lp->basis[r] < lp->basis[row])) {
                least = fmin(ratio, least);
                row = r;
            }
        }
        if (row < 0)
            return HUGE_VAL;
        still = least > 1e-14 ? 0 : still + 1;
        own_pivot(lp, row, column);
    }
    return NAN;
}

/* ---- scheduled demand */

/*
 * How much faster than X every processor could be at once: 1 if X is just feasible, below 1 if not.
 * Columns: a share of the time for each subset, then the factor, then slacks.
 */
static double own_feasible(const own_station *s, const double *X)
{
    const int n = s->n, subsets = 1 << n;
    own_programme lp;
    own_begin(&lp, 2 * n + 1, subsets + 1 + n + 1);
    for (int subset = 1; subset < subsets; subset++) {
        const int q = own_count((unsigned)subset);
        const double share = own_rate(s, q) / q;
        *own_cell(&lp, 2 * n, subset) = 1;
        for (int p = 0; p < n; p++)
            if (subset >> p & 1) {
                *own_cell(&lp, p, subset) = share;
                *own_cell(&lp, n + p, subset) = 1;
            }
    }
    for (int p = 0; p < n; p++) {
        *own_cell(&lp, p, subsets) = -s->served[p] / X[p];
        *own_cell(&lp, n + p, subsets) = s->apart[p] / X[p];
        *own_cell(&lp, n + p, subsets + 1 + p) = 1;
        *own_cell(&lp, n + p, lp.columns) = 1;
        lp.basis[n + p] = subsets + 1 + p;
    }
    *own_cell(&lp, 2 * n, subsets + 1 + n) = 1;
    *own_cell(&lp, 2 * n, lp.columns) = 1;
    lp.basis[2 * n] = subsets + 1 + n;
    *own_cell(&lp, lp.rows, subsets) = -1;
    for (int p = 0; p < n; p++)
        own_pivot(&lp, p, 1 << p); /* who is alone, for no time */
    const double factor = own_maximize(&lp);
    own_end(&lp);
    return factor;
}

/*
 * A bound on how far the mean of X is from the least possible, relative to it. sum X is convex in
 * the rates 1/X; along its slope no schedule gains more than the linear programme finds.
 */
static double own_improvable(const own_station *s, const double *X)
{
    const int n = s->n, subsets = 1 << n;
    double reached = 0, fixed = 0, sum = 0;
    own_programme lp;
    own_begin(&lp, n + 1, subsets + n + 1);
    for (int subset = 1; subset < subsets; subset++) {
        const int q = own_count((unsigned)subset);
        const double share = own_rate(s, q) / q;
        bool possible = true;
        for (int p = 0; p < n; p++)
            possible = possible && !(subset >> p & 1 && s->served[p] <= 0);
        if (!possible)
            continue;
        *own_cell(&lp, n, subset) = 1;
        for (int p = 0; p < n; p++)
            if (subset >> p & 1) {
                const double cycles = share / s->served[p];
                *own_cell(&lp, p, subset) = 1 + s->apart[p] * cycles;
                *own_cell(&lp, lp.rows, subset) -= X[p] * X[p] * cycles;
            }
    }
    for (int r = 0; r <= n; r++) {
        *own_cell(&lp, r, subsets + r) = 1;
        *own_cell(&lp, r, lp.columns) = 1;
        lp.basis[r] = subsets + r;
    }
    for (int p = 0; p < n; p++) {
        sum += X[p];
        if (s->served[p] > 0)
            reached += X[p];
        else
            fixed += X[p] - s->apart[p];
    }
    const double most = own_maximize(&lp);
    own_end(&lp);
    return (most - reached + fixed) / sum;
}

#endif
