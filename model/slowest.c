/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/slowest.h"

#include "model/constants.h"
#include "model/random.h"
#include "model/root.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * integral f(x) k phi(x) Phi(x)^(k-1) dx by the trapezoidal rule over the whole line, f = x, or exp(skew x) where skew is not 0.
 * The integrand is analytic and vanishes at both ends, so that the error falls exponentially with 1/step. It is worst for many,
 * where the maximum has nearly Gumbel's distribution of scale 1/sqrt(2 log k): the error is then some exp(-pi^2 scale/step),
 * exp(-68) for 10^18 numbers at 1/64.
 */
static double integrate(size_t count, double skew, double step)
{
    const double k = (double)count, root2 = sqrt(2), root_2pi = sqrt(2 * acos(-1.0));
    const double end = /* k phi is exp(-50) there */
        step * ceil((sqrt(2 * (log(k) + 50)) + fabs(skew)) / step);
    double sum = 0;
    for (double x = -end; x <= end; x += step) {
        const double above = erfc(x / root2) / 2;
        const double log_below = x > 0 ? log1p(-above) : log(erfc(-x / root2) / 2);
        const double density = (k - 1) * log_below - x * x / 2;
        sum += skew != 0 ? exp(density + skew * x) : x * exp(density);
    }
    return sum * k * step / root_2pi;
}

double clump_slowest_normal(size_t count)
{
    /* Processors of a node, groups and nodes are mostly few, and each row of a sweep may ask. */
    static _Thread_local double known[65];
    if (count < 2)
        return 0;
    if (count >= sizeof known / sizeof *known)
        return integrate(count, 0, 1.0 / 64);
    if (known[count] == 0)
        known[count] = integrate(count, 0, 1.0 / 64);
    return known[count];
}

/* Of as many numbers exp(skew z): means of the greatest, of all, and of the least. */
static void extremes(size_t count, double skew, double means[3])
{
    means[0] = integrate(count, skew, 1.0 / 16);
    means[1] = exp(skew * skew / 2);
    means[2] = integrate(count, -skew, 1.0 / 16);
}

typedef struct skewness {
    size_t count;
    double target;
} skewness;

static clump_status lean(double skew, double *value, void *context, clump_error *error)
{
    const skewness *s = context;
    double means[3];
    (void)error;
    extremes(s->count, skew, means);
    *value = (means[0] - means[1]) - s->target * (means[1] - means[2]);
    return CLUMP_OK;
}

void clump_spread_fit(clump_spread *s)
{
    static const double least = 1e-3, most = 4;
    const double up = s->greatest - s->mean, down = s->mean - s->least;
    const double longer = fmax(up, down), shorter = fmin(up, down);
    double skew = 0, means[3];
    if (!isnan(s->deviation))
        return;
    s->skew = 0;
    s->scale = s->processors > 1 ? (up + down) / (2 * clump_slowest_normal(s->processors)) : 0;
    if (s->processors < 3 || !(longer > shorter * (1 + 4 * least)))
        return;
    skewness to = {s->processors, shorter > 0 ? longer / shorter : HUGE_VAL};
    if (!(to.target < (double)s->processors) ||
        clump_root_find(lean, &to, least, most, 1e-9, &skew, NULL) != CLUMP_OK)
        skew = most; /* as far as it goes */
    extremes(s->processors, skew, means);
    s->skew = up > down ? skew : -skew;
    s->scale = (up + down) / (means[0] - means[2]);
}

double clump_spread_value(const clump_spread *s, double z)
{
    if (isnan(s->deviation)) {
        const double side = s->skew < 0 ? -1 : 1;
        const double more =
            s->skew != 0 ? side * (exp(s->skew * z) - exp(s->skew * s->skew / 2)) : z;
        return fmax(s->mean + s->scale * more, 0);
    }
    double value = fmax(s->mean + z * s->deviation, 0);
    if (!isnan(s->least))
        value = fmax(value, s->least);
    return isnan(s->greatest) ? value : fmin(value, s->greatest);
}

/* ---- draws */

/*
 * Draws of a node's P independent normal numbers, in layers: with v the probability that the greatest of them is less,
 * layer l has 1 - v between 2^-(l+1) and 2^-l, and the last one all of the rest. So the nodes that have most to do, which
 * decide, are drawn as often as the others, and weigh less. Within a layer v, the place of the greatest and each of the
 * others are stratified (Latin hypercube: McKay, Beckman and Conover, Technometrics 21, 1979); the same numbers every time.
 */
typedef struct draws {
    size_t processors, layers, each;
    double *z;        /* of draw after draw */
    size_t *permuted; /* workspace of `each` */
} draws;

/* A layer's share of the probability. */
static double share_of(const draws *d, size_t layer)
{
    return ldexp(1, -(int)(layer + 1 < d->layers ? layer + 1 : layer));
}

static void permute(draws *d, size_t layer, size_t dimension)
{
    uint64_t state = UINT64_C(0x5eed) + layer * UINT64_C(1000003) + dimension;
    for (size_t i = 0; i < d->each; i++) {
        const size_t j = (size_t)(clump_splitmix(&state) % (i + 1));
        d->permuted[i] = d->permuted[j];
        d->permuted[j] = i;
    }
}

static double stratum(const draws *d, size_t i)
{
    return ((double)d->permuted[i] + 0.5) / (double)d->each;
}

static void draw_layer(draws *d, size_t layer)
{
    const size_t P = d->processors;
    double *const z = d->z + layer * d->each * P;
    const double share = share_of(d, layer), above = layer + 1 < d->layers ? share : 0;
    /* the logarithm of U, below which the others are: U^P = v */
    for (size_t i = 0; i < d->each; i++)
        z[i * P] = log1p(-(above + share * ((double)i + 0.5) / (double)d->each)) / (double)P;
    for (size_t p = 1; p < P; p++) {
        permute(d, layer, p);
        for (size_t i = 0; i < d->each; i++)
            z[i * P + p] = gsl_cdf_ugaussian_Pinv(stratum(d, i) * exp(z[i * P]));
    }
    permute(d, layer, 0);
    for (size_t i = 0; i < d->each; i++) {
        double *const own = z + i * P;
        const size_t place = (size_t)(stratum(d, i) * (double)P);
        const double greatest = gsl_cdf_ugaussian_Qinv(-expm1(own[0]));
        own[0] = own[place];
        own[place] = greatest;
    }
}

/* Each row of a sweep asks for the same ones: those of a few processors are kept. */
static clump_status draw(draws *d, size_t processors, size_t nodes, clump_error *error)
{
    static _Thread_local struct {
        size_t processors, layers;
        double z[MODEL_KEPT_DRAWS];
    } kept;
    int bits;
    const double P = (double)processors, states = fmax(MODEL_DRAWN_STATES / (P * P), 8);
    frexp((double)nodes, &bits);
    *d = (draws){
        .processors = processors, .layers = 4 + (size_t)bits, .each = (size_t)fmin(states, 64)};
    const size_t count = d->layers * d->each * processors;
    const bool keeps = count <= MODEL_KEPT_DRAWS;
    d->z = malloc(count * sizeof *d->z);
    d->permuted = malloc(d->each * sizeof *d->permuted);
    if (d->z == NULL || d->permuted == NULL)
        return clump_fail_memory(error, "the draws of a node");
    if (keeps && kept.processors == processors && kept.layers == d->layers) {
        memcpy(d->z, kept.z, count * sizeof *d->z);
        return CLUMP_OK;
    }
    for (size_t layer = 0; layer < d->layers; layer++)
        draw_layer(d, layer);
    if (keeps) {
        memcpy(kept.z, d->z, count * sizeof *d->z);
        kept.processors = processors;
        kept.layers = d->layers;
    }
    return CLUMP_OK;
}

/* ---- the last of several nodes */

typedef struct outcome {
    double value, share; /* probability among those of its node */
    size_t node;
    clump_last last;
} outcome;

static int compare_outcomes(const void *a, const void *b)
{
    const outcome *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

/* The expected greatest of all nodes: sum of value dF, F the product of the nodes' own distributions; and the outcome that
 * is the greatest one with probability 1/2. */
static double expected_greatest(outcome *all, size_t count, size_t kinds, double nodes_each,
                                double *below, outcome *median)
{
    double F = 0, mean = 0, logs = 0;
    size_t empty = kinds;
    for (size_t k = 0; k < kinds; k++)
        below[k] = 0;
    qsort(all, count, sizeof *all, compare_outcomes);
    for (size_t i = 0; i < count; i++) {
        double *const own = &below[all[i].node];
        empty -= !(*own > 0);
        logs -= *own > 0 ? log(*own) : 0;
        *own = fmin(*own + all[i].share, 1);
        logs += log(*own);
        const double next = i + 1 == count ? 1 : empty > 0 ? 0 : exp(nodes_each * logs);
        if (F < 0.5 && next >= 0.5 && median != NULL)
            *median = all[i];
        mean += all[i].value * fmax(next - F, 0);
        F = fmax(F, next);
    }
    return mean;
}

static size_t largest_group(const clump_node *node)
{
    model_groups g = {.first = 0};
    size_t most = 0;
    for (size_t next = 0; model_node_next_groups(node, &next, &g);)
        most = g.processors > most ? g.processors : most;
    return most;
}

clump_status clump_job_solve(const clump_job *job, bool alone_only, clump_job_time *found,
                             clump_error *error)
{
    const size_t P = job->node->processors, kinds = job->listed ? job->nodes : 1;
    draws d = {.processors = P, .layers = 1, .each = 1};
    clump_status status = job->drawn ? draw(&d, P, job->nodes, error) : CLUMP_OK;
    const size_t of_node = d.layers * d.each, count = kinds * of_node;
    outcome *times = malloc(count * sizeof *times), *alone = malloc(count * sizeof *alone);
    clump_need *needs = malloc(P * sizeof *needs);
    double *below = malloc(kinds * sizeof *below);
    clump_bounds bounds = {0, 0}; /* the last of all nodes is between the greatest of either */
    bool known = true;
    if (status == CLUMP_OK && (!times || !alone || !needs || !below))
        status = clump_fail_memory(error, "the nodes of a program");
    for (size_t i = 0; i < count && status == CLUMP_OK; i++) {
        const size_t node = i / of_node, draw = i % of_node;
        const double share = share_of(&d, draw / d.each) / (double)d.each;
        double waiting = 0, on_now = 0;
        status = clump_watch_ask(job->node->watch, NAN, error);
        if (status == CLUMP_OK)
            status = job->needs(job->context, node, d.z != NULL ? d.z + draw * P : NULL, needs,
                                &waiting, &on_now, error);
        alone[i] = (outcome){.value = on_now, .share = share, .node = node};
        times[i] = (outcome){.share = share, .node = node};
        const clump_load load = {.utilizations = &waiting, /* C = 1-U + hU, of which hU waits */
                                 .utilization_count = 1,
                                 .demand = job->demand,
                                 .gang_size = job->gang_size,
                                 .coupling = {1, 1, 1, 1},
                                 .phase_cycles = job->phase_cycles};
        if (status != CLUMP_OK || alone_only)
            continue;
        if (!job->drawn || i == 0 ||
            !model_stages_together(job->node, &load, needs, &times[i].value)) {
            status = clump_stages_solve(job->node, &load, needs, NULL, &times[i].last, error);
            times[i].value = times[i].last.time;
            const clump_bounds *b = &times[i].last.bounds;
            known = known && !job->drawn && b->greatest > 0;
            bounds =
                (clump_bounds){fmax(bounds.least, b->least), fmax(bounds.greatest, b->greatest)};
        }
    }
    if (status == CLUMP_OK) {
        const double each = (double)job->nodes / (double)kinds;
        outcome median = times[0];
        *found =
            (clump_job_time){.now_time = expected_greatest(alone, count, kinds, each, below, NULL)};
        found->time = expected_greatest(times, count, kinds, each, below, &median);
        found->node = median.node;
        found->last = median.last;
        if (found->last.time == 0 && !alone_only) /* found quickly; all processors are alike */
            found->last = (clump_last){.time = found->time, .group = largest_group(job->node)};
        if (known && !job->drawn)
            found->bounds = bounds;
    }
    free(d.z);
    free(d.permuted);
    free(times);
    free(alone);
    free(needs);
    free(below);
    return status;
}
