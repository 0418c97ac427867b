/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_TESTS_OWN_MEMORY_H
#define CLUMP_TESTS_OWN_MEMORY_H

/*
 * own_solver.h for nodes whose processors share memory: all groups of a node at once, over all subsets of
 * its processors. nu(k) by mean value analysis, which shares nothing with the sums over states of model/.
 */

#include "model/memory.h"
#include "tests/unit/own_solver.h"

typedef struct own_node {
    int processors, stations;
    own_station station[OWN_MOST + 2];
    int home[OWN_MOST], seat[OWN_MOST]; /* station of each processor, and its index there */
    double nu[OWN_MOST + 1];
} own_node;

/* ---- nu */

static double own_memory_rate(const clump_memory *m, int j)
{
    const int last = (int)m->curve_length;
    return last == 0 ? fmin(j, m->feeds) : m->curve[(j < last ? j : last) - 1];
}

/*
 * k processors between work of their own, 1 - d long, and a station where they need d: the throughput by
 * the recursion over k of the probabilities that an arriving one finds j there (exact mean value analysis).
 */
static void own_throughputs(const clump_memory *m, double d, int most, double *nu)
{
    double found[OWN_MOST + 1] = {1};
    for (int k = 1; k <= most; k++) {
        double stay = 0;
        for (int j = 1; j <= k; j++)
            stay += d * j / own_memory_rate(m, j) * found[j - 1];
        nu[k] = k / (1 - d + stay);
        for (int j = k; j >= 1; j--)
            found[j] = nu[k] * d / own_memory_rate(m, j) * found[j - 1];
        found[0] *= nu[k] * (1 - d) / k; /* 1 less the others, without the subtraction */
    }
}

static void own_nu(const clump_memory *m, double waiting, int most, double *nu)
{
    nu[0] = 0;
    if (m->law == CLUMP_MEMORY_ROOFLINE)
        for (int k = 1; k <= most; k++)
            nu[k] = fmin(k, own_memory_rate(m, k) / (m->share * (1 - waiting)));
    else
        own_throughputs(m, (m->law == CLUMP_MEMORY_MEASURED ? 1 : m->share) * (1 - waiting), most,
                        nu);
}

static double own_nu_between(const own_node *node, double k)
{
    const int low = (int)floor(k + 1e-12);
    const double part = k - low;
    return part < 1e-9 ? node->nu[low] : node->nu[low] * (1 - part) + node->nu[low + 1] * part;
}

static const own_station *own_home(const own_node *node, int p)
{
    return &node->station[node->home[p]];
}

static double own_apart(const own_node *node, int p)
{
    return own_home(node, p)->apart[node->seat[p]];
}

static double own_served(const own_node *node, int p)
{
    return own_home(node, p)->served[node->seat[p]];
}

/* How many of a subset are at a station. */
static int own_at(const own_node *node, unsigned subset, int station)
{
    int count = 0;
    for (int p = 0; p < node->processors; p++)
        count += (subset >> p & 1) != 0 && node->home[p] == station;
    return count;
}

/* What processor p gets in this state, of its station or of memory. */
static double own_speed(const own_node *node, unsigned subset, int p)
{
    if (subset >> p & 1) {
        const int q = own_at(node, subset, node->home[p]);
        return own_rate(own_home(node, p), q) / q;
    }
    const int k = node->processors - own_count(subset);
    return node->nu[k] / k;
}

/* ---- independent demand */

/* Probabilities of all subsets of communicating processors, and the largest imbalance of flows. */
static void own_node_chain(const own_node *node, double *probability, double *imbalance)
{
    const int P = node->processors;
    const unsigned all = 1U << P;
    double sum = 0;
    bool stuck = false;
    for (unsigned subset = 0; subset < all; subset++) {
        double weight = 1;
        for (int p = 0; p < P; p++)
            weight *= subset >> p & 1 ? own_served(node, p) : own_apart(node, p);
        for (int i = 0; i < node->stations; i++)
            for (int q = 1; q <= own_at(node, subset, i); q++)
                weight *= q / own_rate(&node->station[i], q);
        for (int k = 1; k <= P - own_count(subset); k++)
            weight *= k / node->nu[k];
        probability[subset] = weight;
        sum += weight;
    }
    for (unsigned subset = 0; subset < all; subset++)
        probability[subset] /= sum;
    for (int p = 0; p < P; p++)
        stuck = stuck || own_apart(node, p) <= 0 || own_served(node, p) <= 0;
    *imbalance = stuck ? NAN : 0;
    for (unsigned subset = 0; subset < all && !stuck; subset++) {
        double out = 0, in = 0;
        for (int p = 0; p < P; p++) {
            const unsigned other = subset ^ 1U << p;
            const double here = subset >> p & 1 ? own_served(node, p) : own_apart(node, p);
            const double there = subset >> p & 1 ? own_apart(node, p) : own_served(node, p);
            out += probability[subset] * own_speed(node, subset, p) / here;
            in += probability[other] * own_speed(node, other, p) / there;
        }
        *imbalance = fmax(*imbalance, fabs(in - out) / out);
    }
}

/* `distribution`: of how many communicate. */
static void own_node_independent(const own_node *node, double *X, double *distribution,
                                 double *imbalance)
{
    static double probability[1 << OWN_MOST];
    const int P = node->processors;
    own_node_chain(node, probability, imbalance);
    for (int q = 0; q <= P; q++)
        distribution[q] = 0;
    for (unsigned subset = 0; subset < 1U << P; subset++)
        distribution[own_count(subset)] += probability[subset];
    for (int p = 0; p < P; p++) {
        double computed = 0, served = 0;
        for (unsigned subset = 0; subset < 1U << P; subset++) {
            const double gained = probability[subset] * own_speed(node, subset, p);
            if (subset >> p & 1)
                served += gained;
            else
                computed += gained;
        }
        /* Cycles per time, counted where they are not 0/0. */
        X[p] = own_apart(node, p) > own_served(node, p) ? own_apart(node, p) / computed
                                                        : own_served(node, p) / served;
    }
}

/* ---- gangs: so many at each station, each of processors that do the same */

static void own_node_gangs(const own_node *node, int gangs, double *X, double *active)
{
    const int all = gangs * node->stations;
    double idle[OWN_MOST] = {0}, computed[OWN_MOST] = {0}, service[OWN_MOST] = {0}, sum = 0;
    const double size = (double)node->station[0].n / gangs;
    const own_station *first = &node->station[0];
    for (unsigned subset = 0; subset < 1U << all; subset++) {
        double weight = 1;
        int at[OWN_MOST + 2] = {0};
        const int k = all - own_count(subset);
        for (int g = 0; g < all; g++) {
            weight *= subset >> g & 1 ? first->served[0] : first->apart[0];
            at[g / gangs] += subset >> g & 1;
        }
        for (int i = 0; i < node->stations; i++)
            for (int q = 1; q <= at[i]; q++)
                weight *= q * size / own_rate(&node->station[i], q * size);
        for (int j = 1; j <= k; j++)
            weight *= j * size / own_nu_between(node, j * size);
        sum += weight;
        for (int i = 0; i < node->stations; i++)
            if (subset >> i * gangs & 1) {
                service[i] += weight * own_rate(&node->station[i], at[i] * size) / (at[i] * size);
            } else {
                idle[i] += weight;
                computed[i] += weight * own_nu_between(node, k * size) / (k * size);
            }
    }
    *active = 0;
    for (int i = 0; i < node->stations; i++) {
        X[i] = sum * (first->apart[0] > first->served[0] ? first->apart[0] / computed[i]
                                                         : first->served[0] / service[i]);
        *active += (1 - idle[i] / sum) * node->station[i].n;
    }
}

/* Gangs larger than a group: each sends through NICs that all have a whole group, as long as the slowest of them takes. */
static void own_node_spanning(const own_node *node, int gangs, double *X, double *active)
{
    const own_station *first = &node->station[0];
    const double size = (double)node->processors / gangs;
    double sending = 0, idle = 0, computed = 0, sum = 0;
    for (int i = 0; i < node->stations; i++)
        sending = fmax(sending, first->served[0] * node->station[i].n /
                                    own_rate(&node->station[i], node->station[i].n));
    for (unsigned subset = 0; subset < 1U << gangs; subset++) {
        const int k = gangs - own_count(subset);
        double weight = pow(sending, own_count(subset)) * pow(first->apart[0], k);
        for (int j = 1; j <= k; j++)
            weight *= j * size / own_nu_between(node, j * size);
        sum += weight;
        if (!(subset & 1)) {
            idle += weight;
            computed += weight * own_nu_between(node, k * size) / (k * size);
        }
    }
    for (int i = 0; i < node->stations; i++)
        X[i] = first->apart[0] > 0 ? sum * first->apart[0] / computed : sending;
    *active = (1 - idle / sum) * node->processors;
}

/* ---- correlated demand: all start to communicate at 0; who has sent computes */

static void own_node_correlated(const own_node *node, double *X, double *active)
{
    const int P = node->processors;
    double left[OWN_MOST], now = 0, busy = 0;
    unsigned sending = 0, computing = 0;
    for (int p = 0; p < P; p++) {
        left[p] = own_served(node, p) > 0 ? own_served(node, p) : own_apart(node, p);
        X[p] = 0;
        if (own_served(node, p) > 0)
            sending |= 1U << p;
        else
            computing |= 1U << p;
    }
    while ((sending | computing) != 0) {
        double speed[OWN_MOST] = {0}, step = HUGE_VAL;
        const int k = own_count(computing);
        for (int p = 0; p < P; p++) {
            const int q = own_at(node, sending, node->home[p]);
            if (sending >> p & 1)
                speed[p] = own_rate(own_home(node, p), q) / q;
            else if (computing >> p & 1)
                speed[p] = node->nu[k] / k;
            if (speed[p] > 0)
                step = fmin(step, left[p] / speed[p]);
        }
        now += step;
        busy += step * own_count(sending);
        for (int p = 0; p < P; p++) {
            const unsigned bit = 1U << p;
            left[p] -= step * speed[p];
            if (speed[p] == 0 || left[p] > 1e-14 * (own_served(node, p) + own_apart(node, p)))
                continue;
            if (sending & bit && own_apart(node, p) > 0) {
                computing |= bit;
                left[p] = own_apart(node, p);
            } else {
                computing &= ~bit;
                X[p] = now;
            }
            sending &= ~bit;
        }
    }
    *active = 0;
    for (int p = 0; p < P; p++)
        *active = fmax(*active, X[p]);
    *active = busy / *active;
}

/* ---- scheduled demand */

/*
 * How much faster than X every processor could be at once, if a schedule says at each moment who
 * communicates, who computes and who waits: a column for each of the 3^P answers. 1 if X is the best.
 */
static double own_node_feasible(const own_node *node, const double *X)
{
    const int P = node->processors;
    int states = 1;
    for (int p = 0; p < P; p++)
        states *= 3;
    own_programme lp;
    own_begin(&lp, 2 * P + 1, states + 1 + 2 * P + 1);
    for (int state = 0; state < states; state++) {
        unsigned sending = 0, computing = 0;
        for (int p = 0, rest = state; p < P; p++, rest /= 3) {
            sending |= (unsigned)(rest % 3 == 1) << p;
            computing |= (unsigned)(rest % 3 == 2) << p;
        }
        const int k = own_count(computing);
        *own_cell(&lp, 2 * P, state) = 1;
        for (int p = 0; p < P; p++) {
            const int q = own_at(node, sending, node->home[p]);
            if (sending >> p & 1)
                *own_cell(&lp, p, state) = -own_rate(own_home(node, p), q) / q;
            if (computing >> p & 1)
                *own_cell(&lp, P + p, state) = -node->nu[k] / k;
        }
    }
    for (int p = 0; p < P; p++) {
        *own_cell(&lp, p, states) = own_served(node, p) / X[p];
        *own_cell(&lp, P + p, states) = own_apart(node, p) / X[p];
    }
    for (int r = 0; r <= 2 * P; r++) {
        *own_cell(&lp, r, states + 1 + r) = 1;
        lp.basis[r] = states + 1 + r;
    }
    *own_cell(&lp, 2 * P, lp.columns) = 1;
    *own_cell(&lp, lp.rows, states) = -1;
    const double factor = own_maximize(&lp);
    own_end(&lp);
    return factor;
}

#endif
