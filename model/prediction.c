/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/prediction.h"
#include "model/constants.h"

#include "model/closed_network.h"
#include "model/demand_solvers.h"
#include "model/erlang.h"
#include "model/likely_states.h"
#include "model/memory_groups.h"
#include "model/needs.h"
#include "model/node.h"
#include "model/sum.h"
#include "model/transient.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- a group of processors and its station */

/* In equilibrium a processor computes (1-U)/X of its time and is served U/X (MODEL.md 2). */
static model_outcome in_equilibrium(double U, double X)
{
    return (model_outcome){X, fmax(1 - (1 - U) / X, 0), U / X};
}

/*
 * The active share, where 1 - (1-U)/X would cancel. What an arriving processor finds is the
 * equilibrium of the others, so that its stay is S/N (1 + (P-1) active share with P-1).
 */
static clump_status refine_active(size_t P, double N, double U, model_outcome *outcome,
                                  clump_error *error)
{
    double others = 0;
    if (P > 1) {
        const clump_status status = clump_erlang_slowdown((double)(P - 1), N, U, &others, error);
        if (status != CLUMP_OK)
            return status;
        others = (double)(P - 1) * (1 - (1 - U) / others);
    }
    outcome->active = U / N * (1 + others) / outcome->slowdown;
    return CLUMP_OK;
}

static clump_status independent(double U, size_t processors, const clump_station *station,
                                model_outcome *outcome, clump_error *error)
{
    double X;
    if (clump_station_is_constant(station) && station->computing == NULL) {
        const double N = clump_station_rate(station, 1);
        clump_status status = clump_erlang_slowdown((double)processors, N, U, &X, error);
        if (status != CLUMP_OK)
            return status;
        *outcome = in_equilibrium(U, X);
        if (outcome->active < MODEL_LEAST_ACTIVE)
            status = refine_active(processors, N, U, outcome, error);
        return status;
    }
    double active;
    const clump_status status = model_equal_solve(processors, U, station, &X, &active, error);
    if (status == CLUMP_OK)
        *outcome = (model_outcome){X, active / (double)processors, U / X};
    return status;
}

/*
 * Demands under which processors meet by the clock: a common computation of what they need in time
 * (needs.h). The slowdowns are those of the whole, X = k X(U_adj) has no part in it. Correlated processors
 * all start together and, at the next start, have waited for the slowest of the node, whose time is not known here: of
 * them outcomes have amounts of time in place of shares.
 *
 * @param outcomes  one a need
 */
static clump_status outcomes_of_needs(const clump_load *load, const clump_needs *needs,
                                      const clump_station *station, model_outcome *outcomes,
                                      clump_error *error)
{
    const bool correlated = load->demand == CLUMP_DEMAND_CORRELATED;
    double own; /* most have one need, and ask by the million */
    double *X = needs->count == 1 ? &own : malloc(needs->count * sizeof *X);
    if (X == NULL)
        return clump_fail_memory(error, "the prediction");
    const clump_status status = (correlated ? clump_correlated_slowdown : clump_scheduled_slowdown)(
        needs->needs, needs->count, station, X, error);
    for (size_t k = 0; k < needs->count && status == CLUMP_OK; k++) {
        const clump_need *need = &needs->needs[k];
        outcomes[k] = correlated
                          ? (model_outcome){X[k], X[k] - need->computation, need->communication}
                          : (model_outcome){X[k], NAN, need->communication / X[k]};
    }
    if (X != &own)
        free(X);
    return status;
}

/*
 * Independent demand of several classes, or of one if its distribution is wanted.
 *
 * @param needs         of which communication is U_adj
 * @param outcomes      one a need
 * @param distribution  P+1 values, or NULL
 */
static clump_status outcomes_of_classes(const clump_node *node, const clump_needs *needs,
                                        const clump_station *station, model_outcome *outcomes,
                                        double *distribution, clump_error *error)
{
    const size_t count = needs->count;
    clump_class *classes = malloc(count * sizeof *classes);
    double *X = malloc(count * sizeof *X), processors = 0;
    clump_network_totals totals;
    clump_status status = CLUMP_OK;
    if (classes == NULL || X == NULL)
        status = clump_fail_memory(error, "the prediction");
    for (size_t k = 0; k < count && status == CLUMP_OK; k++) {
        classes[k] = (clump_class){needs->needs[k].communication, needs->needs[k].processors};
        processors += (double)classes[k].processors;
    }
    if (status == CLUMP_OK)
        status = clump_network_solve(classes, count, station, node->watch, X, distribution, &totals,
                                     error);
    for (size_t k = 0; k < count && status == CLUMP_OK; k++) {
        outcomes[k] = in_equilibrium(classes[k].utilization, X[k]);
        if (station->computing != NULL) /* how long each computes is not known, only the sum */
            outcomes[k].active = totals.mean_active / processors;
    }
    free(classes);
    free(X);
    return status;
}

/* One class of processors, with independent or gang demand. Cost: that of the solver. */
static clump_status outcome_of_one(const clump_node *node, const clump_load *load,
                                   double utilization, size_t processors,
                                   const clump_station *station, model_outcome *outcome,
                                   clump_error *error)
{
    const double U = utilization;
    double X, active;
    clump_status status;
    if (load->demand == CLUMP_DEMAND_GANG) {
        status = clump_gang_slowdown(processors, U, station,
                                     fmin(load->gang_size, (double)processors), &X, &active, error);
        if (status == CLUMP_OK)
            *outcome = station->computing == NULL ? in_equilibrium(U, X)
                                                  : (model_outcome){X, active, U / X};
        return status;
    }
    if (load->phase_cycles == 0)
        return independent(U, processors, station, outcome, error);
    status = clump_transient_slowdown(processors, U, station, load->phase_cycles, node->watch, &X,
                                      error);
    if (status == CLUMP_OK)
        *outcome = (model_outcome){X, NAN, NAN};
    return status;
}

/* ---- a node */

/* The computation in hand. */
typedef struct predictor {
    const clump_node *node;
    const clump_load *load;
    const clump_prediction_details *details;
    const clump_need *needs; /* in place of utilizations and coupling; or NULL */
    size_t count;            /* of what follows: 1, or P where processors differ */
    double *adjusted;        /* U_adj */
    double *factor;          /* k */
    bool clocked;            /* processors meet by the clock: read only then are */
    double *computation;     /* C of needs.h */
    double *communication;   /* D */
    double own[4];           /* where these four are if count is 1 from the beginning */
    double *computing;       /* nu(0..P); NULL: processors that compute do not disturb each other */
    double *distribution;    /* of the groups so far, P+1, or NULL */
    double *scratch;         /* twice P+1 behind it */
    size_t distributed;      /* processors in it */
    model_sum slowdown, adjusted_sum, active, served;
    model_sum computed; /* (1-U_adj)/X(U_adj): the rate at which processors compute */
    double slowest;
    size_t slowest_processor;
} predictor;

clump_demand model_demand_of(const clump_load *load, size_t processors)
{
    return load->demand == CLUMP_DEMAND_GANG && load->gang_size == (double)processors
               ? CLUMP_DEMAND_CORRELATED
               : load->demand;
}

static clump_status check_load(const clump_node *node, const clump_load *load, int distribution,
                               clump_error *error)
{
    if (load->utilizations == NULL)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "utilization: none given");
    if (load->utilization_count != 1 && load->utilization_count != node->processors)
        return clump_fail(
            error, CLUMP_BAD_ARGUMENT,
            "utilization: %zu values, expected 1 or one for each of the %zu processors",
            load->utilization_count, node->processors);
    if (load->demand < CLUMP_DEMAND_INDEPENDENT || load->demand > CLUMP_DEMAND_GANG)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "demand: %d is not a kind of demand",
                          (int)load->demand);
    if (load->demand == CLUMP_DEMAND_GANG) {
        if (load->utilization_count != 1)
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "gang demand: expected one utilization for all processors, found %zu",
                              load->utilization_count);
        if (!(load->gang_size >= 1 && load->gang_size <= (double)node->processors))
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "gang size: %g, expected 1 to the %zu processors of a node",
                              load->gang_size, node->processors);
    }
    if (load->phase_cycles != 0 &&
        (load->demand != CLUMP_DEMAND_INDEPENDENT || load->utilization_count != 1))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "phase length: a transient needs independent demand and one utilization "
                          "for all processors");
    if (distribution && (load->demand != CLUMP_DEMAND_INDEPENDENT || load->phase_cycles != 0))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "distribution: only independent demand in equilibrium has one");
    return CLUMP_OK;
}

static void predictor_free(predictor *p)
{
    if (p->adjusted != p->own)
        free(p->adjusted);
    free(p->computing);
    free(p->distribution);
}

void model_apply_placement(const clump_node *node, size_t count, double *adjusted, double *factor,
                           double *communication)
{
    size_t domain = 0;
    if (model_node_is_near(node))
        return;
    double c = model_node_speed(node, 0);
    for (size_t i = 0; i < count; i++) {
        const size_t here = clump_placement_domain(&node->placement, i, node->processors);
        if (here != domain || node->mapping == CLUMP_MAPPING_STATIC)
            c = model_node_speed(node, i);
        domain = here;
        const double U = adjusted[i];
        const double longer = 1 - U + U / c;
        if (communication != NULL)
            communication[i] /= c;
        adjusted[i] = fmin(U / c / longer, 1);
        factor[i] *= longer;
    }
}

/* Given as amounts. */
static void take_need(predictor *p, const clump_need *need, size_t i)
{
    p->factor[i] = need->computation + need->communication;
    p->adjusted[i] = need->communication / p->factor[i];
    if (p->clocked) {
        p->computation[i] = need->computation;
        p->communication[i] = need->communication;
    }
}

/* U_adj and k of every utilization; the message names the processor when there are several. */
static clump_status apply_coupling(predictor *p, clump_error *error)
{
    const size_t count = p->load->utilization_count;
    for (size_t i = 0; i < p->count; i++) {
        const double U = p->load->utilizations[count > 1 ? i : 0];
        if (count > 1 && !(U >= 0 && U <= 1))
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "utilization of processor %zu: %g, expected 0 to 1", i + 1, U);
        clump_status status = CLUMP_OK;
        if (p->needs != NULL) {
            take_need(p, &p->needs[count > 1 ? i : 0], i);
            continue;
        }
        status = clump_coupling_apply(&p->load->coupling, U, &p->adjusted[i], &p->factor[i], error);
        if (status == CLUMP_OK && p->clocked)
            status = clump_coupling_needs(&p->load->coupling, U, &p->computation[i],
                                          &p->communication[i], error);
        if (status != CLUMP_OK)
            return status;
    }
    model_apply_placement(p->node, p->count, p->adjusted, p->factor,
                          p->clocked ? p->communication : NULL);
    return CLUMP_OK;
}

static clump_status prepare_memory(predictor *p, clump_error *error)
{
    const clump_memory *memory = &p->node->memory;
    const size_t P = p->node->processors;
    size_t k = 0;
    if (!clump_memory_is_station(memory))
        return CLUMP_OK;
    if (P > CLUMP_MEMORY_MOST_PROCESSORS)
        return clump_memory_rate(memory, P, NULL, error); /* says so */
    p->computing = malloc((P + 1) * sizeof *p->computing);
    if (p->computing == NULL)
        return clump_fail_memory(error, "the prediction");
    const clump_status status =
        clump_memory_rates(memory,
                           clump_coupling_waiting(&p->load->coupling, p->load->utilizations,
                                                  p->load->utilization_count),
                           P, p->computing, error);
    if (status != CLUMP_OK)
        return status;
    while (k <= P && p->computing[k] == (double)k)
        k++;
    /* Where nobody disturbs anybody it is no station. Processors of a node that are correlated have one clock
       all the same, which its groups would not. */
    if (k > P && p->load->demand != CLUMP_DEMAND_CORRELATED) {
        free(p->computing);
        p->computing = NULL;
    }
    return CLUMP_OK;
}

static int all_equal(const double *values, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (values[i] != values[0])
            return 0;
    return 1;
}

/* Demands that know equal processors only can go on where all turn out to be equal. */
static clump_status check_equal(predictor *p, clump_error *error)
{
    if (p->count == 1 || p->load->utilization_count > 1)
        return CLUMP_OK;
    /* Who always communicates does so near and far, but not as fast. */
    if (all_equal(p->adjusted, p->count) && all_equal(p->factor, p->count)) {
        p->count = 1;
        return CLUMP_OK;
    }
    if (p->load->demand == CLUMP_DEMAND_GANG || p->load->phase_cycles != 0)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "placement: not all processors are equally near to the NICs, expected "
                          "independent (in equilibrium), correlated or scheduled demand");
    return CLUMP_OK;
}

static clump_status predictor_prepare(predictor *p, int distribution, clump_error *error)
{
    const size_t P = p->node->processors;
    const size_t count = model_node_is_near(p->node) ? p->load->utilization_count : P;
    p->count = count;
    p->clocked =
        p->load->demand == CLUMP_DEMAND_CORRELATED || p->load->demand == CLUMP_DEMAND_SCHEDULED;
    p->adjusted = count == 1 ? p->own : malloc((p->clocked ? 4 : 2) * count * sizeof(double));
    if (distribution)
        p->distribution = malloc(3 * (P + 1) * sizeof(double));
    if (p->adjusted == NULL || (distribution && p->distribution == NULL))
        return clump_fail_memory(error, "the prediction");
    p->factor = p->adjusted + count;
    p->computation = p->factor + count;
    p->communication = p->computation + count;
    if (distribution) {
        p->scratch = p->distribution + P + 1;
        p->distribution[0] = 1;
    }
    clump_status status = apply_coupling(p, error);
    if (status == CLUMP_OK)
        status = prepare_memory(p, error);
    return status == CLUMP_OK ? check_equal(p, error) : status;
}

/* Add `count` processors from index `first` on that fare alike; what they are is at index i. */
static void add_processors(predictor *p, size_t first, size_t count, model_outcome outcome,
                           size_t i)
{
    const double n = (double)count;
    const double X = p->clocked ? outcome.slowdown : outcome.slowdown * p->factor[i];
    model_sum_add(&p->slowdown, n * X);
    model_sum_add(&p->adjusted_sum, n * p->adjusted[i]);
    model_sum_add(&p->active, n * outcome.active);
    model_sum_add(&p->served, n * outcome.served);
    if (p->computing != NULL)
        model_sum_add(&p->computed, n * (1 - p->adjusted[i]) / outcome.slowdown);
    if (X > p->slowest) {
        p->slowest = X;
        p->slowest_processor = first;
    }
    if (p->details != NULL && p->details->slowdowns != NULL)
        for (size_t j = 0; j < count; j++)
            p->details->slowdowns[first + j] = X;
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

/*
 * `groups` groups of `processors` from index `first` on, which are alike. Where all processors are equal one solution serves
 * all groups; else there is one group, whose processors are solved by what they need.
 */
static clump_status predict_group(predictor *p, size_t first, size_t processors, size_t groups,
                                  const clump_station *station, clump_error *error)
{
    const bool equal = p->count == 1;
    clump_need all = {p->clocked ? p->computation[0] : 1 - p->adjusted[0],
                      p->clocked ? p->communication[0] : p->adjusted[0], processors};
    clump_needs needs = {&all, 1, NULL};
    model_outcome own, *outcomes = &own;
    clump_status status = CLUMP_OK;
    if (!equal) {
        status = model_needs_make(p->clocked ? p->computation + first : NULL,
                                  (p->clocked ? p->communication : p->adjusted) + first, processors,
                                  &needs, error);
        if (status != CLUMP_OK)
            return status;
        outcomes = malloc(needs.count * sizeof *outcomes);
    }
    if (outcomes == NULL)
        status = clump_fail_memory(error, "the prediction");
    else if (p->clocked)
        status = outcomes_of_needs(p->load, &needs, station, outcomes, error);
    else if (equal && p->distribution == NULL)
        status =
            outcome_of_one(p->node, p->load, all.communication, processors, station, &own, error);
    else
        status = outcomes_of_classes(p->node, &needs, station, outcomes, p->scratch, error);
    for (size_t i = 0; i < groups && status == CLUMP_OK && p->distribution != NULL; i++)
        convolve(p, p->scratch, processors);
    if (equal && status == CLUMP_OK)
        add_processors(p, first, groups * processors, own, 0);
    for (size_t i = 0; i < processors && status == CLUMP_OK && !equal; i++)
        add_processors(p, first + i, 1, outcomes[needs.need_of[i]], first + i);
    if (!equal) {
        free(outcomes);
        model_needs_free(&needs);
    }
    return status;
}

/* The memory of the node. */
static void set_memory(const predictor *p, clump_station *station)
{
    station->computing = p->computing;
    station->computing_count = p->node->processors + 1;
}

static clump_status predict_groups(predictor *p, clump_error *error)
{
    model_groups g = {.first = 0};
    clump_status status = CLUMP_OK;
    for (size_t next = 0; status == CLUMP_OK && model_node_next_groups(p->node, &next, &g);) {
        if (g.processors == 0)
            continue;
        clump_station station = model_node_station(p->node, &g);
        set_memory(p, &station);
        const size_t alike = p->count == 1 ? g.count : 1;
        for (size_t i = 0; i < g.count && status == CLUMP_OK; i += alike)
            status =
                predict_group(p, g.first + i * g.processors, g.processors, alike, &station, error);
    }
    return status;
}

/* ---- groups that share memory */

/* Independent demand: each group is solved with what it sees of memory. */
static clump_status share_independent(predictor *p, model_sharing *s, clump_error *error)
{
    double by_state;
    double *const distribution = p->distribution;
    clump_status status = model_sharing_solve(s, p->adjusted, 0, distribution, &by_state, error);
    p->distribution = NULL; /* that of all is known */
    for (size_t i = 0; i < s->count && status == CLUMP_OK; i++) {
        const model_groups *g = &s->groups[i];
        status = predict_group(p, g->first, g->processors, g->count, &s->shares[i].station, error);
    }
    p->distribution = distribution;
    return status == CLUMP_OK
               ? model_sharing_check(s, model_sum_total(p->computed), by_state, error)
               : status;
}

/* Demands that a common computation answers for all groups. */
static clump_status share_together(predictor *p, model_sharing *s, clump_error *error)
{
    const clump_demand demand = p->load->demand;
    const size_t count =
        demand == CLUMP_DEMAND_CORRELATED && p->count > 1 ? p->node->processors : s->count;
    model_members *members = malloc(count * sizeof *members);
    clump_status status = CLUMP_OK;
    if (members == NULL)
        return clump_fail_memory(error, "the prediction");
    if (demand == CLUMP_DEMAND_GANG)
        status = model_sharing_gangs(s, p->adjusted[0], p->load->gang_size, members, error);
    else if (demand == CLUMP_DEMAND_CORRELATED)
        status = model_sharing_correlated(s, p->computation, p->communication, members, error);
    else {
        members[0] = (model_members){.count = p->node->processors};
        status = model_sharing_scheduled(s, p->computation[0], p->communication[0],
                                         &members[0].outcome, error);
    }
    for (size_t i = 0; i < (demand == CLUMP_DEMAND_SCHEDULED ? 1 : count) && status == CLUMP_OK;
         i++)
        add_processors(p, members[i].first, members[i].count, members[i].outcome,
                       p->count > 1 ? members[i].first : 0);
    free(members);
    return status;
}

static clump_status predict_sharing(predictor *p, clump_error *error)
{
    model_sharing s;
    if (p->load->phase_cycles != 0)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "phase length: processors that are tied to NICs and share memory have no "
                          "transient here, expected pooled NICs or equilibrium (phase length 0)");
    clump_status status =
        model_sharing_make(&s, p->node, p->computing, p->count > 1 ? p->count : 1, error);
    if (status != CLUMP_OK)
        return status;
    status = p->load->demand == CLUMP_DEMAND_INDEPENDENT ? share_independent(p, &s, error)
                                                         : share_together(p, &s, error);
    model_sharing_free(&s);
    return status;
}

static clump_status put_bounds(const predictor *p, clump_prediction *prediction, clump_error *error)
{
    const clump_load *load = p->load;
    const model_bounded bounded = {.node = p->node,
                                   .gang_size =
                                       load->demand == CLUMP_DEMAND_GANG ? load->gang_size : 0,
                                   .phase_cycles = load->phase_cycles,
                                   .count = p->count,
                                   .adjusted = p->adjusted,
                                   .factor = p->factor,
                                   .computation = p->clocked ? p->computation : NULL,
                                   .communication = p->clocked ? p->communication : NULL,
                                   .computing = p->computing};
    model_bounds_find(&bounded, &prediction->bounds, &prediction->slowest_bounds);
    if (load->demand == CLUMP_DEMAND_CORRELATED)
        prediction->bounds = prediction->slowest_bounds;
    const clump_status status =
        model_bounds_check(&prediction->bounds, prediction->slowdown, "slowdown", error);
    return status == CLUMP_OK ? model_bounds_check(&prediction->slowest_bounds, prediction->slowest,
                                                   "slowest processor's slowdown", error)
                              : status;
}

static clump_status predict(const clump_node *node, const clump_load *load, const clump_need *needs,
                            clump_prediction *prediction, const clump_prediction_details *details,
                            clump_error *error)
{
    const int distribution = details != NULL && details->distribution != NULL;
    clump_load meant = *load;
    predictor p = {.node = node, .load = &meant, .details = details, .needs = needs};
    clump_status status = model_node_check(node, error);
    meant.demand = model_demand_of(load, node->processors);
    if (status == CLUMP_OK)
        status = check_load(node, &meant, distribution, error);
    if (status == CLUMP_OK)
        status = clump_watch_ask(node->watch, NAN, error);
    if (status == CLUMP_OK)
        status = predictor_prepare(&p, distribution, error);
    if (status == CLUMP_OK)
        status = p.computing != NULL &&
                         (meant.demand == CLUMP_DEMAND_CORRELATED || model_sharing_groups(node) > 1)
                     ? predict_sharing(&p, error)
                     : predict_groups(&p, error);
    if (status == CLUMP_OK) {
        const double P = (double)node->processors;
        const bool together = p.load->demand == CLUMP_DEMAND_CORRELATED;
        const double period = together ? p.slowest : 1;
        *prediction = (clump_prediction){
            .slowdown = together ? p.slowest : model_sum_total(p.slowdown) / P,
            .slowest = p.slowest,
            .slowest_processor = p.slowest_processor,
            .adjusted_utilization = model_sum_total(p.adjusted_sum) / P,
            .mean_active = model_sum_total(p.active) / period,
            .nic_utilization = model_sum_total(p.served) / period / model_node_capacity(node),
        };
        status = put_bounds(&p, prediction, error);
        if (distribution && status == CLUMP_OK)
            memcpy(details->distribution, p.distribution, (node->processors + 1) * sizeof(double));
    }
    predictor_free(&p);
    return status;
}

clump_status clump_predict(const clump_node *node, const clump_load *load,
                           clump_prediction *prediction, const clump_prediction_details *details,
                           clump_error *error)
{
    return predict(node, load, NULL, prediction, details, error);
}

clump_status clump_predict_needs(const clump_node *node, const clump_load *load,
                                 const clump_need *needs, size_t count,
                                 clump_prediction *prediction,
                                 const clump_prediction_details *details, clump_error *error)
{
    clump_load with = *load;
    double *utilizations = count > 0 ? malloc(count * sizeof *utilizations) : NULL;
    clump_status status = CLUMP_OK;
    if (utilizations == NULL)
        return clump_fail_memory(error, "the prediction");
    for (size_t i = 0; i < count && status == CLUMP_OK; i++) {
        const clump_need *n = &needs[i];
        if (!(n->computation >= 0 && n->computation <= 1e30 && n->communication >= 0 &&
              n->communication <= 1e30 && n->computation + n->communication > 0))
            status = clump_fail(error, CLUMP_BAD_ARGUMENT,
                                "needs of processor %zu: %g without NICs and %g with them, "
                                "expected times from 0 to 1e30, not both 0",
                                i + 1, n->computation, n->communication);
        /* read for the waiting in it only */
        utilizations[i] = load->utilizations != NULL && load->utilization_count > 0
                              ? load->utilizations[load->utilization_count > i ? i : 0]
                              : 0;
    }
    with.utilizations = utilizations;
    with.utilization_count = count;
    if (status == CLUMP_OK)
        status = predict(node, &with, needs, prediction, details, error);
    free(utilizations);
    return status;
}

clump_status clump_slowdowns(const clump_plain_question *questions, size_t count, double *slowdowns,
                             size_t *done, clump_error *error)
{
    clump_status status = CLUMP_OK;
    size_t i = 0;
    for (; i < count && status == CLUMP_OK; i++) {
        const clump_plain_question *q = &questions[i];
        const clump_node node = {.processors = q->processors,
                                 .nics = q->nics,
                                 .mapping = (clump_mapping)q->mapping,
                                 .max_nics_per_processor = q->max_nics_per_processor};
        const clump_load load = {.utilizations = &q->utilization,
                                 .utilization_count = 1,
                                 .demand = (clump_demand)q->demand,
                                 .gang_size = q->gang_size,
                                 .coupling = {q->remote_fraction, q->cost_ratio, 1, 0}};
        clump_prediction prediction;
        status = clump_predict(&node, &load, &prediction, NULL, error);
        if (status == CLUMP_OK)
            slowdowns[i] = prediction.slowdown;
    }
    if (done != NULL)
        *done = status == CLUMP_OK ? count : i - 1;
    return status;
}

/* ---- phases */

/* Times may be in any unit: they are taken relative to the longest, so that sums stay in range. */
clump_status model_phases_begin(const clump_phase *phases, size_t count, model_phases *all,
                                clump_error *error)
{
    *all = (model_phases){.unit = 0};
    if (count == 0)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "phases: 0, expected at least 1");
    for (size_t f = 0; f < count; f++) {
        const double T = phases[f].time;
        if (!(T > 0) || !isfinite(T))
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "phase %zu: time %g, expected a finite number above 0", f + 1, T);
        all->unit = fmax(all->unit, T);
    }
    return CLUMP_OK;
}

/* A sum of times. */
static void add_bounds(clump_bounds *sum, clump_bounds bounds, double weight)
{
    sum->least += weight * bounds.least;
    sum->greatest += weight * bounds.greatest;
}

double model_phases_add(model_phases *all, const clump_phase *phase, const clump_prediction *one)
{
    const double T = phase->time / all->unit, spent = one->slowdown * T;
    clump_prediction *sum = &all->sum;
    all->time += T;
    all->clump_time += spent;
    sum->slowest += one->slowest * T;
    add_bounds(&sum->bounds, one->bounds, T);
    add_bounds(&sum->slowest_bounds, one->slowest_bounds, T);
    sum->adjusted_utilization += one->adjusted_utilization * spent;
    sum->mean_active += one->mean_active * spent;
    sum->nic_utilization += one->nic_utilization * spent;
    if (spent > all->longest) {
        all->longest = spent;
        sum->slowest_processor = one->slowest_processor;
    }
    return T;
}

clump_prediction model_phases_end(const model_phases *all)
{
    clump_prediction mean = all->sum;
    mean.slowdown = all->clump_time / all->time;
    mean.slowest /= all->time;
    mean.bounds = mean.slowest_bounds = (clump_bounds){0, 0};
    add_bounds(&mean.bounds, all->sum.bounds, 1 / all->time);
    add_bounds(&mean.slowest_bounds, all->sum.slowest_bounds, 1 / all->time);
    mean.adjusted_utilization /= all->clump_time;
    mean.mean_active /= all->clump_time;
    mean.nic_utilization /= all->clump_time;
    return mean;
}

clump_status clump_predict_phases(const clump_node *node, const clump_phase *phases, size_t count,
                                  clump_prediction *prediction, clump_prediction *by_phase,
                                  clump_error *error)
{
    model_phases all;
    clump_status status = model_phases_begin(phases, count, &all, error);
    for (size_t f = 0; f < count && status == CLUMP_OK; f++) {
        clump_prediction one;
        status = clump_predict(node, &phases[f].load, &one, NULL, error);
        if (status != CLUMP_OK)
            return status;
        model_phases_add(&all, &phases[f], &one);
        if (by_phase != NULL)
            by_phase[f] = one;
    }
    if (status == CLUMP_OK)
        *prediction = model_phases_end(&all);
    return status;
}
