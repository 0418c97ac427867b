/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/chain.h"
#include "model/sum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Uniformization: the chain jumps at the points of a Poisson process of rate Lambda, at least the
 * greatest rate of leaving a state; in state q it goes up with probability up_q/Lambda, down with
 * down_q/Lambda, and else stays. With g_n the mean of rho after n jumps,
 *     A(t) = 1/Lambda sum_n g_n P(Poisson(Lambda t) > n).
 * The g_n do not depend on t: they are computed once, as far as the t looked for can need them.
 */

/* States less likely than this are left out; a million steps then lose some 1e-18. */
static const double negligible = 1e-24;

/* States that may be visited in all steps together: some ten seconds. */
static const double most_work = 4e9;

typedef struct walk {
    const model_chain *chain;
    double Lambda;
    double *go_up, *go_down; /* probabilities of a jump, 0..P */
    double *p, *next;        /* distribution after n jumps, 0..P; 0 outside low..high */
    size_t low, high;
    double *g; /* g_0, g_1, ... */
    size_t g_count, g_capacity;
    double work;
} walk;

static void walk_free(walk *w)
{
    free(w->go_up);
    free(w->go_down);
    free(w->p);
    free(w->next);
    free(w->g);
}

static clump_status walk_prepare(walk *w, const model_chain *c, clump_error *error)
{
    const size_t states = c->processors + 1;
    *w = (walk){.chain = c, .g_capacity = 1024};
    w->go_up = malloc(states * sizeof(double));
    w->go_down = malloc(states * sizeof(double));
    w->p = calloc(states + 1, sizeof(double));
    w->next = calloc(states + 1, sizeof(double));
    w->g = malloc(w->g_capacity * sizeof(double));
    if (!w->go_up || !w->go_down || !w->p || !w->next || !w->g) {
        walk_free(w);
        return clump_fail_memory(error, "the transient");
    }
    for (size_t q = 0; q < states; q++)
        w->Lambda = fmax(w->Lambda, model_chain_up(c, q) + model_chain_down(c, q));
    for (size_t q = 0; q < states; q++) {
        w->go_up[q] = model_chain_up(c, q) / w->Lambda;
        w->go_down[q] = model_chain_down(c, q) / w->Lambda;
    }
    w->p[0] = 1;
    return CLUMP_OK;
}

/* Append the mean service of the present distribution, and jump once. */
static clump_status walk_step(walk *w, clump_error *error)
{
    const size_t P = w->chain->processors, low = w->low, high = w->high;
    double g = 0;
    for (size_t q = low; q <= high; q++)
        g += w->p[q] * model_chain_service(w->chain, q);
    if (w->g_count == w->g_capacity) {
        double *larger = realloc(w->g, 2 * w->g_capacity * sizeof *larger);
        if (larger == NULL)
            return clump_fail_memory(error, "the transient");
        w->g = larger;
        w->g_capacity *= 2;
    }
    w->g[w->g_count++] = g;
    w->low = low > 0 ? low - 1 : 0;
    w->high = high < P ? high + 1 : P;
    for (size_t q = w->low; q <= w->high; q++) {
        /* What stays is what does not leave; both probabilities are at most 1 together. */
        double sum = w->p[q] * fmax(1 - w->go_up[q] - w->go_down[q], 0);
        if (q > 0)
            sum += w->p[q - 1] * w->go_up[q - 1];
        if (q < P)
            sum += w->p[q + 1] * w->go_down[q + 1];
        w->next[q] = sum;
    }
    while (w->low < w->high && w->next[w->low] < negligible)
        w->next[w->low++] = 0;
    while (w->high > w->low && w->next[w->high] < negligible)
        w->next[w->high--] = 0;
    /* Outside the new window the old row may still hold numbers; clear both. */
    memset(w->p + low, 0, (high - low + 1) * sizeof *w->p);
    double *old = w->p;
    w->p = w->next;
    w->next = old;
    w->work += (double)(high - low + 1);
    return CLUMP_OK;
}

/* A(t), and r(t) for Newton's method, from the g of enough steps. */
static void evaluate(const walk *w, double t, double *rate, double *served)
{
    const double mean = w->Lambda * t;
    const double spread = 12 * sqrt(mean) + 40;
    const size_t from = mean > spread ? (size_t)(mean - spread) : 0;
    const size_t to = (size_t)fmin(mean + spread, (double)(w->g_count - 1));
    model_sum sum = {0, 0}, now = {0, 0}, weights = {0, 0};
    /* Poisson weights relative to the one at the mode, from there outward. */
    const size_t mode = (size_t)mean < from ? from : (size_t)mean > to ? to : (size_t)mean;
    double weight = 1;
    for (size_t n = mode; n <= to; n++, weight *= mean / (double)n)
        model_sum_add(&weights, weight);
    weight = 1;
    for (size_t n = mode; n > from; n--) {
        weight *= (double)n / mean;
        model_sum_add(&weights, weight);
    }
    const double norm = 1 / model_sum_total(weights);
    const double first = weight * norm; /* P(Poisson = from) */
    double tail = 1;                    /* P(Poisson > n-1) */
    for (size_t n = 0; n < from; n++)
        model_sum_add(&sum, w->g[n]);
    weight = first;
    for (size_t n = from; n <= to; n++) {
        model_sum_add(&now, weight * w->g[n]);
        tail = fmax(tail - weight, 0);
        model_sum_add(&sum, tail * w->g[n]);
        weight *= mean / (double)(n + 1);
    }
    *rate = model_sum_total(now);
    *served = model_sum_total(sum) / w->Lambda;
}

static clump_status find_end(const walk *w, double T, double guess, double *end, clump_error *error)
{
    double t = guess, low = 0, high = INFINITY;
    for (int i = 0; i < 200; i++) {
        double r, served;
        evaluate(w, t, &r, &served);
        if (served > T)
            high = t;
        else
            low = t;
        const double step = (served - T) / r;
        if (fabs(step) <= 1e-13 * t) {
            *end = t - step;
            return CLUMP_OK;
        }
        const double next = t - step;
        t = next > low && next < high ? next : high < INFINITY ? (low + high) / 2 : 2 * t;
    }
    return clump_fail(error, CLUMP_NO_CONVERGENCE,
                      "transient: no end of a phase of %g cycles between %g and %g cycles", T, low,
                      high);
}

clump_status model_chain_by_steps(const model_chain *chain, double T, double *t, clump_error *error)
{
    walk w;
    clump_status status = walk_prepare(&w, chain, error);
    if (status != CLUMP_OK)
        return status;
    /* sum g/Lambda passes T about when Lambda t jumps have happened; the spread is a margin. */
    double served = 0, enough = INFINITY, guess = 0;
    while (status == CLUMP_OK && (double)w.g_count < enough) {
        status = walk_step(&w, error);
        if (status != CLUMP_OK)
            break;
        served += w.g[w.g_count - 1] / w.Lambda;
        if (enough == INFINITY && served > T) {
            const double crossing = (double)w.g_count;
            guess = crossing / w.Lambda;
            enough = crossing * (1 + 1e-3) + 30 * sqrt(crossing) + 200;
        }
        if (w.work > most_work)
            status = clump_fail(error, CLUMP_NO_CONVERGENCE,
                                "transient: a phase of %g cycles of %zu processors takes more than "
                                "the %g steps that can be followed",
                                T, chain->processors, (double)w.g_count);
    }
    if (status == CLUMP_OK)
        status = find_end(&w, T, guess, t, error);
    walk_free(&w);
    return status;
}
