/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/prediction.h"

#include "model/classes.h"
#include "model/closed_network.h"
#include "model/erlang.h"
#include "model/transient.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * A node falls into groups: one that holds all processors and NICs when they are pooled, one for
 * every NIC when they are mapped statically. Each group is a station of its own.
 */

typedef struct group {
    size_t first;      /* index of its first processor */
    size_t processors; /* may be 0 */
} group;

/* The computation in hand. */
typedef struct predictor {
    const clump_node *node;
    const clump_load *load;
    const clump_prediction_details *details;
    double *adjusted;     /* U_adj, one or P */
    double *factor;       /* k, one or P */
    double *distribution; /* of the groups so far, P+1, or NULL */
    double *scratch;      /* P+1, if there is a distribution */
    size_t distributed;   /* processors in it */
    clump_prediction sums;
} predictor;

static int is_uniform(const clump_load *load)
{
    return load->utilization_count == 1;
}

static size_t group_count(const clump_node *node)
{
    return node->mapping == CLUMP_MAPPING_POOLED ? 1 : node->nics;
}

static size_t group_size(const clump_node *node, size_t index)
{
    if (node->mapping == CLUMP_MAPPING_POOLED)
        return node->processors;
    if (node->group_sizes != NULL)
        return node->group_sizes[index];
    return node->processors / node->nics + (index < node->processors % node->nics);
}

static clump_station group_station(const clump_node *node)
{
    const int pooled = node->mapping == CLUMP_MAPPING_POOLED;
    return (clump_station){
        .nics = pooled ? (double)node->nics : 1,
        .max_nics_per_processor = pooled ? node->max_nics_per_processor : 0,
        .efficiency = node->efficiency,
        .gang_size = 1,
    };
}

static clump_status check_groups(const clump_node *node, clump_error *error)
{
    if (node->group_sizes == NULL)
        return CLUMP_OK;
    if (node->mapping != CLUMP_MAPPING_STATIC)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "group sizes: only a static mapping has groups, this one is pooled");
    size_t sum = 0;
    for (size_t i = 0; i < node->nics; i++) {
        if (node->group_sizes[i] > node->processors - sum)
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "group sizes: more than the %zu processors of the node by NIC %zu",
                              node->processors, i + 1);
        sum += node->group_sizes[i];
    }
    if (sum != node->processors)
        return clump_fail(
            error, CLUMP_BAD_ARGUMENT,
            "group sizes: they add up to %zu, expected the %zu processors of the node", sum,
            node->processors);
    return CLUMP_OK;
}

static clump_status check_node(const clump_node *node, clump_error *error)
{
    const double m = node->max_nics_per_processor;
    if (node->processors < 1 || node->processors > CLUMP_MAX_PROCESSORS)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "processors: %zu, expected 1 to %zu",
                          node->processors, CLUMP_MAX_PROCESSORS);
    if (node->nics < 1 || node->nics > CLUMP_MAX_PROCESSORS)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "nics: %zu, expected 1 to %zu", node->nics,
                          CLUMP_MAX_PROCESSORS);
    if (!(m == 0 || m >= 1))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "max NICs per processor: %g, expected at least 1 (or 0 for no limit)", m);
    return check_groups(node, error);
}

static clump_status check_load(const clump_node *node, const clump_load *load,
                               const clump_prediction_details *details, clump_error *error)
{
    if (load->utilization_count != 1 && load->utilization_count != node->processors)
        return clump_fail(
            error, CLUMP_BAD_ARGUMENT,
            "utilization: %zu values, expected 1 or one for each of the %zu processors",
            load->utilization_count, node->processors);
    if (load->demand == CLUMP_DEMAND_GANG) {
        if (!is_uniform(load))
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "gang demand: expected one utilization for all processors, found %zu",
                              load->utilization_count);
        if (!(load->gang_size >= 1 && load->gang_size <= (double)node->processors))
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "gang size: %g, expected 1 to the %zu processors of a node",
                              load->gang_size, node->processors);
    }
    if (load->phase_cycles != 0) {
        if (!(load->phase_cycles > 0) || !isfinite(load->phase_cycles))
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "phase length: %g cycles, expected a finite number above 0",
                              load->phase_cycles);
        if (load->demand != CLUMP_DEMAND_INDEPENDENT || !is_uniform(load))
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "phase length: a transient needs independent demand and one "
                              "utilization for all processors");
    }
    if (details != NULL && details->distribution != NULL &&
        (load->demand != CLUMP_DEMAND_INDEPENDENT || load->phase_cycles != 0))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "distribution: only independent demand in equilibrium has one");
    return CLUMP_OK;
}

static void predictor_free(predictor *p)
{
    free(p->adjusted);
    free(p->factor);
    free(p->distribution);
    free(p->scratch);
}

static clump_status predictor_prepare(predictor *p, clump_error *error)
{
    const size_t count = p->load->utilization_count, P = p->node->processors;
    const int distributed = p->details != NULL && p->details->distribution != NULL;
    p->adjusted = malloc(count * sizeof(double));
    p->factor = malloc(count * sizeof(double));
    if (distributed) {
        p->distribution = malloc((P + 1) * sizeof(double));
        p->scratch = malloc(2 * (P + 1) * sizeof(double));
    }
    if (!p->adjusted || !p->factor || (distributed && (!p->distribution || !p->scratch)))
        return clump_fail_memory(error, "the prediction");
    if (distributed)
        p->distribution[0] = 1;
    for (size_t i = 0; i < count; i++) {
        const clump_status status = clump_coupling_apply(
            &p->load->coupling, p->load->utilizations[i], &p->adjusted[i], &p->factor[i], error);
        if (status != CLUMP_OK)
            return status;
    }
    return CLUMP_OK;
}

/* One class, no distribution wanted. */
static clump_status solve_uniform(const clump_load *load, double U, size_t processors,
                                  const clump_station *station, double *slowdown,
                                  clump_error *error)
{
    const clump_class all = {U, processors};
    switch (load->demand) {
    case CLUMP_DEMAND_CORRELATED:
        return clump_correlated_slowdown(&all, 1, station, slowdown, error);
    case CLUMP_DEMAND_SCHEDULED:
        return clump_scheduled_slowdown(&all, 1, station, slowdown, error);
    case CLUMP_DEMAND_GANG:
        return clump_gang_slowdown(processors, U, station,
                                   fmin(load->gang_size, (double)processors), slowdown, error);
    case CLUMP_DEMAND_INDEPENDENT:
        break;
    default:
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "demand: %d is not a kind of demand",
                          (int)load->demand);
    }
    if (load->phase_cycles > 0)
        return clump_transient_slowdown(processors, U, station, load->phase_cycles, slowdown,
                                        error);
    if (clump_station_is_constant(station))
        return clump_erlang_slowdown((double)processors, station->nics, U, slowdown, error);
    return clump_network_solve(&all, 1, station, slowdown, NULL, NULL, error);
}

/* Several classes; `distribution` may be NULL. */
static clump_status solve_classes(const clump_load *load, const clump_classes *c,
                                  const clump_station *station, double *slowdowns,
                                  double *distribution, clump_error *error)
{
    double all;
    clump_status status;
    switch (load->demand) {
    case CLUMP_DEMAND_CORRELATED:
        return clump_correlated_slowdown(c->classes, c->count, station, slowdowns, error);
    case CLUMP_DEMAND_SCHEDULED:
        status = clump_scheduled_slowdown(c->classes, c->count, station, &all, error);
        for (size_t k = 0; k < c->count && status == CLUMP_OK; k++)
            slowdowns[k] = all;
        return status;
    default:
        return clump_network_solve(c->classes, c->count, station, slowdowns, distribution, NULL,
                                   error);
    }
}

/* Add to the sums `count` processors from index `first` on that have slowdown X at U_adj, k. */
static void add_processors(predictor *p, size_t first, size_t count, double X, double U, double k)
{
    const double n = (double)count, total = X * k;
    clump_prediction *sums = &p->sums;
    sums->slowdown += n * total;
    sums->adjusted_utilization += n * U;
    sums->mean_active += n * fmax(1 - (1 - U) / X, 0);
    sums->nic_utilization += n * U / X;
    if (total > sums->slowest) {
        sums->slowest = total;
        sums->slowest_processor = first;
    }
    if (p->details != NULL && p->details->slowdowns != NULL)
        for (size_t i = 0; i < count; i++)
            p->details->slowdowns[first + i] = total;
}

/* Groups are independent of each other: the distribution of their sum is a convolution. */
static void convolve(predictor *p, const double *other, size_t processors)
{
    const size_t n = p->distributed;
    double *sum = p->scratch + p->node->processors + 1;
    memset(sum, 0, (n + processors + 1) * sizeof *sum);
    for (size_t a = 0; a <= n; a++)
        for (size_t b = 0; b <= processors; b++)
            sum[a + b] += p->distribution[a] * other[b];
    memcpy(p->distribution, sum, (n + processors + 1) * sizeof *sum);
    p->distributed += processors;
}

static clump_status predict_uniform_group(predictor *p, group g, const clump_station *station,
                                          clump_error *error)
{
    double X;
    clump_status status;
    if (p->distribution != NULL) {
        const clump_class all = {p->adjusted[0], g.processors};
        status = clump_network_solve(&all, 1, station, &X, p->scratch, NULL, error);
    } else {
        status = solve_uniform(p->load, p->adjusted[0], g.processors, station, &X, error);
    }
    if (status != CLUMP_OK)
        return status;
    if (p->distribution != NULL)
        convolve(p, p->scratch, g.processors);
    add_processors(p, g.first, g.processors, X, p->adjusted[0], p->factor[0]);
    return CLUMP_OK;
}

static clump_status predict_mixed_group(predictor *p, group g, const clump_station *station,
                                        clump_error *error)
{
    clump_classes classes;
    clump_status status = clump_classes_make(p->adjusted + g.first, g.processors, &classes, error);
    if (status != CLUMP_OK)
        return status;
    double *X = malloc(classes.count * sizeof *X);
    status = X != NULL ? solve_classes(p->load, &classes, station, X,
                                       p->distribution != NULL ? p->scratch : NULL, error)
                       : clump_fail_memory(error, "the prediction");
    if (status == CLUMP_OK) {
        if (p->distribution != NULL)
            convolve(p, p->scratch, g.processors);
        for (size_t i = 0; i < g.processors; i++)
            add_processors(p, g.first + i, 1, X[classes.class_of[i]], p->adjusted[g.first + i],
                           p->factor[g.first + i]);
    }
    free(X);
    clump_classes_free(&classes);
    return status;
}

static clump_status predict_groups(predictor *p, clump_error *error)
{
    const clump_station station = group_station(p->node);
    group g = {0, 0};
    for (size_t i = 0; i < group_count(p->node); i++, g.first += g.processors) {
        g.processors = group_size(p->node, i);
        if (g.processors == 0)
            continue;
        const clump_status status = is_uniform(p->load)
                                        ? predict_uniform_group(p, g, &station, error)
                                        : predict_mixed_group(p, g, &station, error);
        if (status != CLUMP_OK)
            return status;
    }
    return CLUMP_OK;
}

clump_status clump_predict(const clump_node *node, const clump_load *load,
                           clump_prediction *prediction, const clump_prediction_details *details,
                           clump_error *error)
{
    predictor p = {.node = node, .load = load, .details = details};
    clump_status status = check_node(node, error);
    if (status == CLUMP_OK)
        status = check_load(node, load, details, error);
    if (status == CLUMP_OK)
        status = predictor_prepare(&p, error);
    if (status == CLUMP_OK)
        status = predict_groups(&p, error);
    if (status == CLUMP_OK) {
        const double P = (double)node->processors;
        *prediction = p.sums;
        prediction->slowdown /= P;
        prediction->adjusted_utilization /= P;
        prediction->nic_utilization /= (double)node->nics;
        if (load->phase_cycles > 0)
            prediction->mean_active = prediction->nic_utilization = NAN;
        if (p.distribution != NULL)
            memcpy(details->distribution, p.distribution, (node->processors + 1) * sizeof(double));
    }
    predictor_free(&p);
    return status;
}

clump_status clump_predict_phases(const clump_node *node, const clump_phase *phases, size_t count,
                                  clump_prediction *prediction, clump_prediction *by_phase,
                                  clump_error *error)
{
    clump_prediction sum = {0};
    double time = 0, clump_time = 0, longest = 0;
    if (count == 0)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "phases: 0, expected at least 1");
    for (size_t f = 0; f < count; f++) {
        const double T = phases[f].time;
        clump_prediction one;
        if (!(T > 0) || !isfinite(T))
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "phase %zu: time %g, expected a finite number above 0", f + 1, T);
        const clump_status status = clump_predict(node, &phases[f].load, &one, NULL, error);
        if (status != CLUMP_OK)
            return status;
        const double spent = one.slowdown * T;
        time += T;
        clump_time += spent;
        sum.slowest += one.slowest * T;
        sum.adjusted_utilization += one.adjusted_utilization * spent;
        sum.mean_active += one.mean_active * spent;
        sum.nic_utilization += one.nic_utilization * spent;
        if (spent > longest) {
            longest = spent;
            sum.slowest_processor = one.slowest_processor;
        }
        if (by_phase != NULL)
            by_phase[f] = one;
    }
    sum.slowdown = clump_time / time;
    sum.slowest /= time;
    sum.adjusted_utilization /= clump_time;
    sum.mean_active /= clump_time;
    sum.nic_utilization /= clump_time;
    *prediction = sum;
    return CLUMP_OK;
}
