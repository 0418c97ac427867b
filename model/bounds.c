/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Between which slowdowns a node lies whatever its processors do when (MODEL.md 37): from what one processor needs alone, what
 * the NICs and the memory can do in all, and what is left to a processor in the worst company. No equilibrium, no schedule
 * and no state probabilities enter, so that a prediction outside of them is wrong.
 */
#include "model/demand_solvers.h"
#include "model/node.h"
#include "model/sum.h"

#include <math.h>
#include <stdbool.h>

/* What a station serves, over all numbers of active customers. */
typedef struct service {
    double all;         /* most in all, NICs */
    double best, worst; /* of a processor: mu(q)/q */
} service;

static void look_at(const clump_station *s, size_t customers, service *found)
{
    const double rate = clump_station_rate(s, customers), each = rate / (double)customers;
    found->all = fmax(found->all, rate * (s->gang_size > 0 ? s->gang_size : 1));
    found->best = fmax(found->best, each);
    found->worst = fmin(found->worst, each);
}

/* Without an efficiency mu grows and mu(q)/q falls, and so they do beyond the end of its table; where the ports of
 * a slot are used one after the other neither is sure. */
static void look_at_all(const clump_station *s, size_t customers, service *found)
{
    const clump_efficiency *e = &s->efficiency;
    const bool any = e->function != NULL || (s->slots.ports > 1 && s->slots.packed);
    const size_t last =
        any || e->table_length > customers ? customers : 1 + e->table_length; /* gangs: beyond it */
    for (size_t q = 1; q <= last && q <= customers; q++)
        look_at(s, q, found);
    look_at(s, customers, found);
}

/* A processor of the gangs that its group makes up sees a station of larger customers. */
static service service_of(const model_bounded *of, const model_groups *g)
{
    service found = {0, 0, HUGE_VAL};
    clump_station s = model_node_station(of->node, g);
    const size_t n = g->processors;
    if (of->gang_size == 0) {
        look_at_all(&s, n, &found);
        return found;
    }
    const double size = fmin(of->gang_size, (double)n);
    const model_gang_counts gangs = model_gangs_of(n, size);
    s.gang_size = size;
    look_at(&s, 1, &found);
    s.gang_size = (double)n / (double)gangs.fewer;
    look_at_all(&s, gangs.fewer, &found);
    s.gang_size = (double)n / (double)gangs.more;
    look_at_all(&s, gangs.more, &found);
    return found;
}

/* The same of memory, for those that compute. */
static service memory_of(const model_bounded *of)
{
    service found = {0, 1, 1};
    if (of->computing == NULL)
        found.all = HUGE_VAL;
    for (size_t k = 1; of->computing != NULL && k <= of->node->processors; k++) {
        found.all = fmax(found.all, of->computing[k]);
        found.best = fmax(found.best, of->computing[k] / (double)k);
        found.worst = fmin(found.worst, of->computing[k] / (double)k);
    }
    return found;
}

static double computation_of(const model_bounded *of, size_t i)
{
    return of->computation != NULL ? of->computation[i] : of->factor[i] * (1 - of->adjusted[i]);
}

static double communication_of(const model_bounded *of, size_t i)
{
    return of->communication != NULL ? of->communication[i] : of->factor[i] * of->adjusted[i];
}

/* A phase ends when its work is done, at rates between the best and the worst state of its group. */
static void find_transient(const model_bounded *of, clump_bounds *mean, clump_bounds *slowest)
{
    const double P = (double)of->node->processors, k = of->factor[0];
    model_groups g = {.first = 0};
    *mean = *slowest = (clump_bounds){0, 0};
    for (size_t next = 0; model_node_next_groups(of->node, &next, &g);) {
        if (g.processors == 0)
            continue;
        const clump_station s = model_node_station(of->node, &g);
        double best = 0, worst = HUGE_VAL;
        for (size_t q = 0; q <= g.processors; q++) {
            const size_t others = g.processors - q;
            const double rate = (of->computing != NULL ? of->computing[others] : (double)others) +
                                clump_station_rate(&s, q);
            best = fmax(best, rate);
            worst = fmin(worst, rate);
        }
        const double n = (double)g.processors, least = k * n / best, most = k * n / worst;
        mean->least += (double)g.count * n / P * least;
        mean->greatest += (double)g.count * n / P * most;
        slowest->least = fmax(slowest->least, least);
        slowest->greatest = fmax(slowest->greatest, most);
    }
}

static void find(const model_bounded *of, clump_bounds *mean, clump_bounds *slowest)
{
    const service memory = memory_of(of);
    const size_t P = of->node->processors;
    model_groups g = {.first = 0};
    model_sum alone_sum = {0, 0}, worst_sum = {0, 0}, roots = {0, 0}, computed = {0, 0};
    double greatest_alone = 0, greatest_worst = 0, fullest = 0;
    for (size_t next = 0; model_node_next_groups(of->node, &next, &g);) {
        if (g.processors == 0)
            continue;
        const service nics = service_of(of, &g);
        const size_t groups = of->count == 1 ? 1 : g.count, alike = of->count == 1 ? g.count : 1;
        for (size_t i = 0; i < groups; i++) {
            model_sum alone = {0, 0}, needed = {0, 0}, root = {0, 0};
            for (size_t p = 0; p < (of->count == 1 ? 1 : g.processors); p++) {
                const size_t at = of->count == 1 ? 0 : g.first + i * g.processors + p;
                const double n = of->count == 1 ? (double)g.processors : 1;
                const double C = computation_of(of, at), D = communication_of(of, at);
                const double least = C / memory.best + D / nics.best,
                             most = C / memory.worst + D / nics.worst;
                model_sum_add(&alone, n * least);
                model_sum_add(&needed, n * D);
                model_sum_add(&root, n * sqrt(D));
                model_sum_add(&roots, n * (double)alike * sqrt(C));
                model_sum_add(&computed, n * (double)alike * C);
                model_sum_add(&worst_sum, n * (double)alike * most);
                greatest_alone = fmax(greatest_alone, least);
                greatest_worst = fmax(greatest_worst, most);
            }
            const double D = model_sum_total(root); /* by Cauchy and Schwarz */
            model_sum_add(&alone_sum,
                          (double)alike * fmax(model_sum_total(alone), D * D / nics.all));
            fullest = fmax(fullest, model_sum_total(needed) / nics.all);
        }
    }
    const double C = model_sum_total(roots);
    *mean = (clump_bounds){fmax(model_sum_total(alone_sum), C * C / memory.all) / (double)P,
                           model_sum_total(worst_sum) / (double)P};
    *slowest =
        (clump_bounds){fmax(fmax(greatest_alone, fullest), model_sum_total(computed) / memory.all),
                       greatest_worst};
}

void model_bounds_find(const model_bounded *of, clump_bounds *mean, clump_bounds *slowest)
{
    if (of->phase_cycles > 0)
        find_transient(of, mean, slowest);
    else
        find(of, mean, slowest);
}

clump_status model_bounds_check(const clump_bounds *bounds, double value, const char *what,
                                clump_error *error)
{
    const double rounding = 1e-9; /* as much as the engine allows its own checks */
    if (value >= bounds->least * (1 - rounding) && value <= bounds->greatest * (1 + rounding))
        return CLUMP_OK;
    return clump_fail(
        error, CLUMP_INCONSISTENT,
        "the %s of %.15g is not between %.15g and %.15g, which no schedule can leave: "
        "an error of this program, please report it",
        what, value, bounds->least, bounds->greatest);
}
