/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/stages.h"

#include "model/closed_network.h"
#include "model/demand_solvers.h"
#include "model/memory_groups.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Customers (processors, or gangs) of a group that need the same: they are done at the same time. */
typedef struct kind {
    double computation, communication;
    double left; /* share of the work: 1 to 0 */
    double pace; /* what the whole work would take in this stage */
    double end;
    size_t customers;
} kind;

/* Customers that share NICs. */
typedef struct group {
    size_t nic; /* static mapping: from 0 */
    size_t first, processors;
    size_t first_kind, kinds;
    size_t customers; /* at work */
    double size;      /* processors of each */
    clump_station station;
    bool changed; /* somebody has left, or just come */
} group;

typedef struct solver {
    const clump_node *node;
    clump_node now;    /* the node of those at work */
    size_t *sizes;     /* its group_sizes, where NICs are mapped */
    double *computing; /* nu(0..P); NULL: memory is no station */
    group *groups;
    size_t group_count, busy; /* all, and those with somebody at work */
    kind *kinds;              /* P, by groups */
    size_t *kind_of;          /* of each processor */
    clump_class *classes;     /* workspaces of P each */
    double *C, *D, *X, *utilizations;
} solver;

static void solver_free(solver *s)
{
    free(s->sizes);
    free(s->computing);
    free(s->groups);
    free(s->kinds);
    free(s->kind_of);
    free(s->classes);
    free(s->C);
}

/* ---- who there is */

static clump_status find_memory(solver *s, const clump_load *load, clump_error *error)
{
    const size_t P = s->node->processors;
    if (!clump_memory_is_station(&s->node->memory))
        return CLUMP_OK;
    if (P > CLUMP_MEMORY_MOST_PROCESSORS)
        return clump_memory_rate(&s->node->memory, P, NULL, error); /* says so */
    s->computing = malloc((P + 1) * sizeof *s->computing);
    if (s->computing == NULL)
        return clump_fail_memory(error, "the stages of a node");
    return clump_memory_rates(
        &s->node->memory,
        clump_coupling_waiting(&load->coupling, load->utilizations, load->utilization_count), P,
        s->computing, error);
}

static void find_groups(solver *s)
{
    model_groups g = {.first = 0};
    for (size_t next = 0, nic = 0; model_node_next_groups(s->node, &next, &g); nic = next)
        for (size_t i = 0; i < g.count && g.processors > 0; i++)
            s->groups[s->group_count++] = (group){
                .nic = nic + i, .first = g.first + i * g.processors, .processors = g.processors};
}

/* @param needs  both times of nobody are 0 */
static clump_status make(solver *s, const clump_node *node, const clump_load *load,
                         const clump_need *needs, clump_error *error)
{
    const size_t P = node->processors;
    const bool mapped = node->mapping == CLUMP_MAPPING_STATIC;
    *s = (solver){.node = node,
                  .now = *node,
                  .sizes = mapped ? calloc(node->nics, sizeof *s->sizes) : NULL,
                  .groups = malloc((mapped ? P : 1) * sizeof *s->groups),
                  .kinds = malloc(P * sizeof *s->kinds),
                  .kind_of = malloc(P * sizeof *s->kind_of),
                  .classes = malloc(P * sizeof *s->classes),
                  .C = malloc(4 * P * sizeof *s->C)};
    if ((mapped && s->sizes == NULL) || !s->groups || !s->kinds || !s->kind_of || !s->classes ||
        !s->C)
        return clump_fail_memory(error, "the stages of a node");
    s->now.group_sizes = s->sizes;
    s->D = s->C + P;
    s->X = s->D + P;
    s->utilizations = s->X + P;
    for (size_t p = 0; p < P; p++) {
        s->C[p] = needs[p].computation;
        s->D[p] = needs[p].communication;
        if (!model_node_is_near(node)) /* as the NICs that the processor reaches serve it */
            s->D[p] /= model_node_speed(node, p);
    }
    find_groups(s);
    return find_memory(s, load, error);
}

/* The node of those at work, and what its NICs are. */
static void find_stations(solver *s)
{
    model_groups g = {.first = 0};
    size_t i = 0;
    s->now.processors = s->busy = 0;
    for (size_t k = 0; k < s->group_count; k++) {
        const group *one = &s->groups[k];
        const size_t there = (size_t)ceil((double)one->customers * one->size - 1e-6);
        s->now.processors += there;
        s->busy += there > 0;
        if (s->sizes != NULL)
            s->sizes[one->nic] = there;
    }
    for (size_t next = 0; model_node_next_groups(&s->now, &next, &g);)
        for (; i < s->group_count && s->groups[i].nic < next; i++) {
            group *one = &s->groups[i];
            one->changed = one->changed || one->station.nics != g.nics;
            one->station = model_node_station(&s->now, &g);
            one->station.gang_size = one->size;
            one->station.computing = s->computing;
            one->station.computing_count = s->node->processors + 1;
        }
}

/* All are at work; what their NICs are. */
static void begin(solver *s)
{
    for (size_t i = 0; i < s->group_count; i++) {
        s->groups[i].customers = s->groups[i].processors;
        s->groups[i].size = 1;
        s->groups[i].changed = true;
    }
    find_stations(s);
}

/* Processors that act at times of their own. */
static clump_status make_kinds(solver *s, clump_error *error)
{
    size_t count = 0;
    for (size_t i = 0; i < s->group_count; i++) {
        group *g = &s->groups[i];
        clump_needs sorted;
        const clump_status status =
            model_needs_make(s->C + g->first, s->D + g->first, g->processors, &sorted, error);
        if (status != CLUMP_OK)
            return status;
        g->first_kind = count;
        g->kinds = sorted.count;
        for (size_t k = 0; k < sorted.count; k++) {
            const clump_need *n = &sorted.needs[k];
            s->kinds[count++] = (kind){.computation = n->computation,
                                       .communication = n->communication,
                                       .left = 1,
                                       .customers = n->processors};
        }
        for (size_t p = 0; p < g->processors; p++)
            s->kind_of[g->first + p] = g->first_kind + sorted.need_of[p];
        model_needs_free(&sorted);
    }
    return CLUMP_OK;
}

/*
 * The processors from `first` to `last` of a group, of which both may belong to it in part, as one customer that
 * communicates until the last of them has sent, and then computes until the last is done. Alone it takes as long as they.
 */
static kind gang_of(const solver *s, const group *g, double first, double last)
{
    const size_t begin = (size_t)first;
    clump_station station = g->station;
    double sent = 0, time = 0, done = 0, next = 0;
    station.gang_size = last - first;
    const double rate = clump_station_rate(&station, 1);
    while (next < HUGE_VAL) {
        double active = 0, computes = 0;
        next = HUGE_VAL;
        for (size_t p = begin; (double)p < last && p < g->processors; p++) {
            const double D = s->D[g->first + p];
            if (D > sent) { /* the next one to have sent, of those that go on */
                active += fmin((double)p + 1, last) - fmax((double)p, first);
                next = fmin(next, D);
            } else if (D >= sent) {
                computes = fmax(computes, s->C[g->first + p]);
            }
        }
        done = fmax(done, time + computes);
        if (next < HUGE_VAL) {
            station.gang_size = fmax(active, 1);
            time += (next - sent) / clump_station_rate(&station, 1);
            sent = next;
        }
    }
    return (kind){
        .computation = done - time, .communication = time * rate, .left = 1, .customers = 1};
}

/* Gangs of neighbours: `fewer`, or more, than P/s of them (model_gang_counts). */
static void make_gangs(solver *s, double gang_size, bool fewer)
{
    size_t count = 0;
    for (size_t i = 0; i < s->group_count; i++) {
        group *g = &s->groups[i];
        const double n = (double)g->processors;
        const model_gang_counts gangs = model_gangs_of(g->processors, fmin(gang_size, n));
        g->kinds = g->customers = fewer ? gangs.fewer : gangs.more;
        g->size = n / (double)g->kinds;
        g->first_kind = count;
        for (size_t k = 0; k < g->kinds; k++)
            s->kinds[count++] =
                gang_of(s, g, (double)k * g->size, fmin((double)(k + 1) * g->size, n));
        for (size_t p = 0; p < g->processors; p++)
            s->kind_of[g->first + p] =
                g->first_kind + (size_t)(((double)p + 0.5) / n * (double)g->kinds);
    }
}

/* ---- a stage */

/* What the whole work of each would take if this stage went on for ever; its rate of computation is added up. */
static clump_status pace_group(solver *s, const group *g, const clump_station *station,
                               double *computed, clump_error *error)
{
    size_t count = 0, i = 0;
    kind *const kinds = s->kinds + g->first_kind;
    for (size_t k = 0; k < g->kinds; k++)
        if (kinds[k].left > 0)
            s->classes[count++] = (clump_class){kinds[k].communication /
                                                    (kinds[k].computation + kinds[k].communication),
                                                kinds[k].customers};
    const clump_status status =
        clump_network_solve(s->classes, count, station, NULL, s->X, NULL, NULL, error);
    for (size_t k = 0; k < g->kinds && status == CLUMP_OK; k++)
        if (kinds[k].left > 0) {
            const clump_class *class = &s->classes[i];
            *computed += (double)class->processors * (1 - class->utilization) / s->X[i];
            kinds[k].pace = (kinds[k].computation + kinds[k].communication) * s->X[i++];
        }
    return status;
}

/* Groups that share memory: each sees of it what the others leave (memory_groups.h). */
static clump_status pace_sharing(solver *s, clump_error *error)
{
    double *const utilizations = s->utilizations, computed = 0, by_state;
    model_sharing sharing;
    size_t count = 0;
    for (size_t i = 0; i < s->group_count; i++)
        for (size_t k = 0; k < s->groups[i].kinds; k++) {
            const kind *one = &s->kinds[s->groups[i].first_kind + k];
            for (size_t j = 0; j < one->customers && one->left > 0; j++)
                utilizations[count++] =
                    one->communication / (one->computation + one->communication);
        }
    clump_status status =
        model_sharing_make(&sharing, &s->now, s->computing, s->now.processors, error);
    if (status != CLUMP_OK)
        return status;
    status = model_sharing_solve(&sharing, utilizations, 0, NULL, &by_state, error);
    for (size_t i = 0, j = 0; i < s->group_count && status == CLUMP_OK; i++)
        if (s->groups[i].customers > 0)
            status = pace_group(s, &s->groups[i], &sharing.shares[j++].station, &computed, error);
    if (status == CLUMP_OK)
        status = model_sharing_check(&sharing, computed, by_state, error);
    model_sharing_free(&sharing);
    return status;
}

static clump_status pace_all(solver *s, clump_error *error)
{
    double computed = 0;
    clump_status status = CLUMP_OK;
    find_stations(s);
    if (s->computing != NULL && s->busy > 1)
        return pace_sharing(s, error);
    for (size_t i = 0; i < s->group_count && status == CLUMP_OK; i++) {
        group *g = &s->groups[i];
        if (g->customers > 0 && (g->changed || s->computing != NULL))
            status = pace_group(s, g, &g->station, &computed, error);
        g->changed = false;
    }
    return status;
}

/* Until the first of them are done. */
static void advance(solver *s, double *time)
{
    double stage = HUGE_VAL;
    for (size_t i = 0; i < s->group_count; i++)
        for (size_t k = 0; k < s->groups[i].kinds; k++) {
            const kind *one = &s->kinds[s->groups[i].first_kind + k];
            if (one->left > 0)
                stage = fmin(stage, one->left * one->pace);
        }
    *time += stage;
    for (size_t i = 0; i < s->group_count; i++)
        for (size_t k = 0; k < s->groups[i].kinds; k++) {
            kind *one = &s->kinds[s->groups[i].first_kind + k];
            if (!(one->left > 0))
                continue;
            one->left -= stage / one->pace;
            if (one->left > 1e-14)
                continue;
            one->left = 0;
            one->end = *time;
            s->groups[i].customers -= one->customers;
            s->groups[i].changed = true;
        }
}

static clump_status run(solver *s, clump_error *error)
{
    double time = 0;
    for (;;) {
        clump_status status = clump_watch_ask(s->node->watch, NAN, error);
        size_t left = 0;
        for (size_t i = 0; i < s->group_count; i++)
            left += s->groups[i].customers;
        if (status == CLUMP_OK && left == 0)
            return CLUMP_OK;
        if (status == CLUMP_OK)
            status = pace_all(s, error);
        if (status != CLUMP_OK)
            return status;
        advance(s, &time);
    }
}

/* ---- demands */

static clump_status run_independent(solver *s, double *ends, clump_error *error)
{
    begin(s);
    clump_status status = make_kinds(s, error);
    if (status == CLUMP_OK)
        status = run(s, error);
    for (size_t p = 0; p < s->node->processors && status == CLUMP_OK; p++)
        ends[p] = s->kinds[s->kind_of[p]].end;
    return status;
}

/* Linear in s between whole numbers of gangs, as clump_gang_slowdown. */
static clump_status run_gangs(solver *s, double gang_size, double *ends, clump_error *error)
{
    begin(s);
    make_gangs(s, gang_size, true);
    clump_status status = run(s, error);
    for (size_t p = 0; p < s->node->processors && status == CLUMP_OK; p++)
        ends[p] = s->kinds[s->kind_of[p]].end;
    if (status != CLUMP_OK)
        return status;
    begin(s);
    make_gangs(s, gang_size, false);
    status = run(s, error);
    for (size_t i = 0; i < s->group_count && status == CLUMP_OK; i++) {
        const group *g = &s->groups[i];
        const double part =
            model_gangs_of(g->processors, fmin(gang_size, (double)g->processors)).part;
        for (size_t p = g->first; p < g->first + g->processors; p++)
            ends[p] = part * ends[p] + (1 - part) * s->kinds[s->kind_of[p]].end;
    }
    return status;
}

static clump_status run_scheduled(solver *s, double *ends, clump_error *error)
{
    clump_status status = CLUMP_OK;
    begin(s);
    for (size_t i = 0; i < s->group_count && status == CLUMP_OK; i++) {
        const group *g = &s->groups[i];
        double time;
        status = model_scheduled_last(s->C + g->first, s->D + g->first, g->processors, &g->station,
                                      &time, error);
        for (size_t p = g->first; p < g->first + g->processors && status == CLUMP_OK; p++)
            ends[p] = time;
    }
    return status;
}

static clump_status solve(const clump_node *node, const clump_load *load, const clump_need *needs,
                          double *ends, clump_bounds *bounds, clump_error *error)
{
    solver s;
    clump_bounds mean;
    clump_status status = make(&s, node, load, needs, error);
    if (status == CLUMP_OK && load->demand != CLUMP_DEMAND_INDEPENDENT && s.computing != NULL)
        status = clump_fail(error, CLUMP_BAD_ARGUMENT,
                            "%s demand: processors that differ and share memory, expected "
                            "independent or correlated demand",
                            clump_demand_kind_name(load->demand));
    if (status == CLUMP_OK && load->demand == CLUMP_DEMAND_INDEPENDENT)
        status = run_independent(&s, ends, error);
    else if (status == CLUMP_OK && load->demand == CLUMP_DEMAND_GANG)
        status = run_gangs(&s, load->gang_size, ends, error);
    else if (status == CLUMP_OK)
        status = run_scheduled(&s, ends, error);
    if (status == CLUMP_OK && load->demand != CLUMP_DEMAND_GANG)
        model_bounds_find(&(model_bounded){.node = node,
                                           .count = node->processors,
                                           .computation = s.C,
                                           .communication = s.D,
                                           .computing = s.computing},
                          &mean, bounds);
    solver_free(&s);
    return status;
}

static int ascending(const void *a, const void *b)
{
    const clump_need *x = a, *y = b;
    return (x->communication > y->communication) - (x->communication < y->communication);
}

/*
 * Correlated demand where neither memory nor placement couples anything: of draws by the thousand only the last one is
 * asked for, and each group is sorted where it is. The same as clump_correlated_slowdown.
 */
static double last_together(const clump_node *node, clump_need *needs)
{
    model_groups g = {.first = 0};
    double last = 0;
    for (size_t next = 0; model_node_next_groups(node, &next, &g);) {
        const clump_station station = model_node_station(node, &g);
        for (size_t i = 0; i < g.count && g.processors > 0; i++) {
            clump_need *const own = needs + g.first + i * g.processors;
            double time = 0, sent = 0;
            qsort(own, g.processors, sizeof *own, ascending);
            for (size_t k = 0; k < g.processors; k++) {
                const size_t active = g.processors - k;
                if (own[k].communication > sent)
                    time += (own[k].communication - sent) * (double)active /
                            clump_station_rate(&station, active);
                sent = own[k].communication;
                last = fmax(last, own[k].computation + time);
            }
        }
    }
    return last;
}

bool model_stages_together(const clump_node *node, const clump_load *load, clump_need *needs,
                           double *time)
{
    if (load->demand != CLUMP_DEMAND_CORRELATED || load->phase_cycles != 0 ||
        clump_memory_is_station(&node->memory) || !model_node_is_near(node))
        return false;
    *time = last_together(node, needs);
    return true;
}

/* Processors that share NICs with this one. */
static size_t group_of(const clump_node *node, size_t processor)
{
    model_groups g = {.first = 0};
    for (size_t next = 0; model_node_next_groups(node, &next, &g);)
        if (processor < g.first + g.count * g.processors)
            return g.processors;
    return node->processors;
}

static bool all_equal(const clump_need *needs, size_t count)
{
    for (size_t p = 1; p < count; p++)
        if (needs[p].computation != needs[0].computation ||
            needs[p].communication != needs[0].communication)
            return false;
    return true;
}

clump_status clump_stages_solve(const clump_node *node, const clump_load *load,
                                const clump_need *needs, double *ends, clump_last *last,
                                clump_error *error)
{
    const size_t P = node->processors;
    clump_status status = model_node_check(node, error);
    if (status == CLUMP_OK && load->phase_cycles != 0)
        status = clump_fail(error, CLUMP_BAD_ARGUMENT,
                            "phase length: processors that differ, with barriers, have no "
                            "transient here, expected equilibrium (phase length 0)");
    if (status != CLUMP_OK)
        return status;
    clump_need *own = malloc(P * sizeof *own);
    double *times = malloc(P * sizeof *times);
    if (own == NULL || times == NULL)
        status = clump_fail_memory(error, "the stages of a node");
    for (size_t p = 0; p < P && status == CLUMP_OK; p++) {
        own[p] = needs[p]; /* who has nothing to do has as good as nothing */
        if (!(own[p].computation > 0 || own[p].communication > 0))
            own[p].computation = DBL_MIN;
    }
    const bool clocked =
        load->demand == CLUMP_DEMAND_CORRELATED ||
        (load->demand == CLUMP_DEMAND_GANG && load->gang_size >= (double)P) ||
        (load->demand != CLUMP_DEMAND_INDEPENDENT && status == CLUMP_OK && all_equal(own, P));
    clump_prediction all = {.slowest_bounds = {0, 0}};
    const clump_prediction_details details = {times, NULL};
    if (status == CLUMP_OK)
        status = clocked ? clump_predict_needs(node, load, own, all_equal(own, P) ? 1 : P, &all,
                                               &details, error)
                         : solve(node, load, own, times, &all.slowest_bounds, error);
    clump_last found = {.time = -1};
    double alone = -1;
    for (size_t p = 0; p < P && status == CLUMP_OK; p++) {
        const double needed = own[p].computation + own[p].communication;
        if (times[p] > found.time * (1 + 1e-12) ||
            (times[p] >= found.time * (1 - 1e-12) && needed > alone)) {
            found = (clump_last){.time = fmax(found.time, times[p]), .processor = p};
            alone = needed;
        }
    }
    if (status == CLUMP_OK && all.slowest_bounds.greatest > 0)
        status =
            model_bounds_check(&all.slowest_bounds, found.time, "last processor's time", error);
    if (status == CLUMP_OK) {
        found.bounds = all.slowest_bounds;
        found.group = group_of(node, found.processor);
        *last = found;
        if (ends != NULL)
            memcpy(ends, times, P * sizeof *ends);
    }
    free(own);
    free(times);
    return status;
}
