/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/recorded/recorded.h"

#include <math.h>
#include <stdlib.h>

/* A NIC sends and receives at once: two stations, which a rank visits together or one after the other. */
enum { SENDING, RECEIVING, WAYS };

/* A node that is predicted. Lists are of its P processors. */
typedef struct work {
    const clump_recorded_placed *placed;
    const clump_node *node;
    clump_demand demand;
    double gang_size;
    size_t first; /* of the node in the lists of `placed` */
    double memory_penalty;
    double *rest;              /* C: time without NICs */
    double *transfer[WAYS];    /* D of each way */
    const double *local[WAYS]; /* transfers within the node on each way, which use no NIC */
    const double *serial; /* share of the shorter way that is not under way with the longer one */
    double *stay[WAYS];   /* time at the NICs, with the others */
    double *elsewhere;    /* C, and the other way as far as it is not under way at once */
    double *one, *other;  /* slowdowns */
    clump_need *needs;
    double waiting; /* share of the rest in which nobody is at memory */
    clump_error *error;
} work;

static double alone(double sent, double received, double serial)
{
    return fmax(sent, received) + serial * fmin(sent, received);
}

/* Those of node `k` of the ones that were kept. */
static void take_node(work *w, size_t k)
{
    const clump_recorded_placed *p = w->placed;
    const size_t P = p->processors;
    double idle = 0, rest = 0;
    w->first = k * P;
    w->serial = p->serial + w->first;
    w->local[SENDING] = p->local_sent + w->first;
    w->local[RECEIVING] = p->local_received + w->first;
    for (size_t i = 0; i < P; i++) {
        const size_t at = w->first + i;
        w->rest[i] =
            w->memory_penalty * p->computation[at] + p->local[at] + p->idle[at] + p->slack[at];
        w->transfer[SENDING][i] = w->stay[SENDING][i] = p->sent[at];
        w->transfer[RECEIVING][i] = w->stay[RECEIVING][i] = p->received[at];
        rest += w->rest[i];
        idle += p->idle[at] + p->slack[at];
    }
    w->waiting = rest > 0 ? fmin(idle / rest, 1) : 0;
}

/* ---- one way */

static clump_status solve(work *w, const clump_need *needs, size_t count, clump_demand demand,
                          double gang_size, clump_prediction *prediction, double *slowdowns)
{
    /* C = 1-U + hU, of which hU waits: with h = 1 the share U. */
    const clump_load load = {.utilizations = &w->waiting,
                             .utilization_count = 1,
                             .demand = demand,
                             .gang_size = gang_size,
                             .coupling = {1, 1, 1, 1}};
    const clump_prediction_details details = {slowdowns, NULL};
    return clump_predict_needs(w->node, &load, needs, count, prediction,
                               slowdowns != NULL ? &details : NULL, w->error);
}

static bool are_equal(const work *w)
{
    for (size_t i = 1; i < w->placed->processors; i++)
        if (fabs(w->needs[i].communication - w->needs[0].communication) > 1e-9 ||
            fabs(w->needs[i].computation - w->needs[0].computation) > 1e-9)
            return false;
    return true;
}

/* Where gangs of s stand between independent (0) and correlated (1) demand, if all processors were alike. */
static clump_status find_standing(work *w, double *standing)
{
    const size_t P = w->placed->processors;
    clump_need mean = {0, 0, P};
    clump_prediction independent, gangs, correlated;
    for (size_t i = 0; i < P; i++) {
        mean.computation += w->needs[i].computation / (double)P;
        mean.communication += w->needs[i].communication / (double)P;
    }
    clump_status status = solve(w, &mean, 1, CLUMP_DEMAND_INDEPENDENT, 1, &independent, NULL);
    if (status == CLUMP_OK)
        status = solve(w, &mean, 1, CLUMP_DEMAND_GANG, w->gang_size, &gangs, NULL);
    if (status == CLUMP_OK)
        status = solve(w, &mean, 1, CLUMP_DEMAND_CORRELATED, 1, &correlated, NULL);
    const double range = status == CLUMP_OK ? correlated.slowdown - independent.slowdown : 0;
    *standing =
        fabs(range) > 1e-12 ? fmin(fmax((gangs.slowdown - independent.slowdown) / range, 0), 1) : 0;
    return status;
}

static double between(double a, double b, double share)
{
    return a + share * (b - a);
}

static clump_status solve_gangs(work *w, clump_prediction *prediction)
{
    const size_t P = w->placed->processors;
    clump_prediction correlated;
    double share;
    clump_status status = find_standing(w, &share);
    if (status == CLUMP_OK)
        status = solve(w, w->needs, P, CLUMP_DEMAND_INDEPENDENT, 1, prediction, w->one);
    if (status == CLUMP_OK)
        status = solve(w, w->needs, P, CLUMP_DEMAND_CORRELATED, 1, &correlated, w->other);
    if (status != CLUMP_OK)
        return status;
    prediction->mean_active = between(prediction->mean_active, correlated.mean_active, share);
    prediction->nic_utilization =
        between(prediction->nic_utilization, correlated.nic_utilization, share);
    for (size_t i = 0; i < P; i++)
        w->one[i] = between(w->one[i], w->other[i], share);
    return CLUMP_OK;
}

/* How long processors stay at the NICs on one way, the other way being as it is known so far. */
static clump_status solve_way(work *w, int way, clump_prediction *prediction)
{
    const size_t P = w->placed->processors;
    const int opposite = SENDING + RECEIVING - way;
    clump_status status;
    for (size_t i = 0; i < P; i++) {
        const double own = w->transfer[way][i], others = w->transfer[opposite][i];
        w->elsewhere[i] =
            w->rest[i] +
            alone(own + w->local[way][i], others + w->local[opposite][i], w->serial[i]) - own +
            w->serial[i] * (w->stay[opposite][i] - others);
        w->elsewhere[i] = fmax(w->elsewhere[i], w->rest[i]);
        w->needs[i] = (clump_need){w->elsewhere[i], own, 1};
        if (w->elsewhere[i] + own <= 0)
            w->needs[i].computation = 1e-12; /* it has nothing to do */
    }
    if (are_equal(w))
        status = solve(w, w->needs, 1, w->demand, w->gang_size, prediction, w->one);
    else if (w->demand == CLUMP_DEMAND_GANG)
        status = solve_gangs(w, prediction);
    else
        status = solve(w, w->needs, P, w->demand, w->gang_size, prediction, w->one);
    for (size_t i = 0; i < P && status == CLUMP_OK; i++)
        w->stay[way][i] = fmax(w->one[i] - w->needs[i].computation, 0);
    return status;
}

/* ---- both */

static bool is_symmetric(const work *w)
{
    for (size_t i = 0; i < w->placed->processors; i++)
        if (fabs(w->transfer[SENDING][i] - w->transfer[RECEIVING][i]) > 1e-9 ||
            fabs(w->local[SENDING][i] - w->local[RECEIVING][i]) > 1e-9)
            return false;
    return true;
}

static bool is_serial(const work *w)
{
    for (size_t i = 0; i < w->placed->processors; i++)
        if (w->serial[i] > 0 && w->transfer[SENDING][i] > 0 && w->transfer[RECEIVING][i] > 0)
            return true;
    return false;
}

static double longest_change(const work *w, const double *before)
{
    double most = 0;
    for (size_t i = 0; i < w->placed->processors; i++)
        most = fmax(most, fabs(w->stay[RECEIVING][i] - before[i]));
    return most;
}

static clump_status solve_ways(work *w, clump_prediction *sending, clump_prediction *receiving)
{
    enum { ROUNDS = 60 };
    const size_t P = w->placed->processors;
    const bool serial = is_serial(w);
    clump_status status = solve_way(w, SENDING, sending);
    if (status == CLUMP_OK && !serial && is_symmetric(w)) {
        for (size_t i = 0; i < P; i++)
            w->stay[RECEIVING][i] = w->stay[SENDING][i];
        *receiving = *sending;
        return CLUMP_OK;
    }
    if (status == CLUMP_OK)
        status = solve_way(w, RECEIVING, receiving);
    /* What a rank waits on one way keeps it from the other. */
    for (int round = 0; serial && status == CLUMP_OK && round < ROUNDS; round++) {
        double *before = w->other;
        status = solve_way(w, SENDING, sending);
        for (size_t i = 0; i < P; i++)
            before[i] = w->stay[RECEIVING][i];
        if (w->demand == CLUMP_DEMAND_GANG) { /* which need the list for themselves */
            if (status == CLUMP_OK)
                status = solve_way(w, RECEIVING, receiving);
            if (round == 8)
                break;
            continue;
        }
        if (status == CLUMP_OK)
            status = solve_way(w, RECEIVING, receiving);
        if (longest_change(w, before) < 1e-9)
            break;
    }
    return status;
}

static clump_status predict_node(work *w, clump_prediction *prediction)
{
    const size_t P = w->placed->processors;
    clump_prediction ways[WAYS];
    const clump_status status = solve_ways(w, &ways[SENDING], &ways[RECEIVING]);
    if (status != CLUMP_OK)
        return status;
    *prediction =
        ways[ways[RECEIVING].nic_utilization > ways[SENDING].nic_utilization ? RECEIVING : SENDING];
    prediction->slowest = 0;
    for (size_t i = 0; i < P; i++) {
        const double X = w->rest[i] +
                         alone(w->stay[SENDING][i] + w->local[SENDING][i],
                               w->stay[RECEIVING][i] + w->local[RECEIVING][i], w->serial[i]) -
                         w->placed->slack[w->first + i];
        if (X > prediction->slowest) {
            prediction->slowest = X;
            prediction->slowest_processor = i;
        }
    }
    prediction->slowdown = prediction->slowest;
    return CLUMP_OK;
}

/* Open MPI over TCP takes NICs in turn for each partner, and the next but one for each message of up to 64 KiB (schedule.h,
 * CLUMP_SCHEDULE_OPEN_MPI_TURNS): of an even number of NICs half are used, two are one. Bytes of longer messages use all. */
static clump_node node_in_turn(const clump_recorded_placed *placed, const clump_node *node,
                               double nics_in_turn)
{
    clump_node used = *node;
    const double all =
        1 / (placed->in_turn / nics_in_turn + (1 - placed->in_turn) / (double)node->nics);
    used.nics = (size_t)fmax(floor(all + 0.5), 1);
    return used;
}

static bool may_take_turns(const clump_node *node)
{
    const bool alike = node->placement.domains <= 1 && node->placement.slots.bandwidth == 0;
    return node->nics > 1 && node->mapping == CLUMP_MAPPING_POOLED && alike;
}

static bool takes_turns(const clump_recorded_placed *placed, const clump_node *node)
{
    return may_take_turns(node) && placed->in_turn > 0;
}

/* NICs that the messages of a chain take at once: many are on their way, of several ranks. */
static double nics_of_chain(const clump_chain_placed *chain, const clump_node *used,
                            bool peer_by_peer)
{
    size_t links = 0, senders = 0;
    for (size_t n = 0; n < chain->nodes; n++) {
        links = chain->remote_links[n] > links ? chain->remote_links[n] : links;
        senders = chain->senders[n] > senders ? chain->senders[n] : senders;
    }
    double nics = (double)used->nics;
    if (used->mapping == CLUMP_MAPPING_STATIC)
        nics = fmin(nics, (double)senders);
    else if (peer_by_peer)
        nics = fmin(nics, (double)links);
    return fmax(nics, 1);
}

/* The chain comes on top of all else. */
static void add_chain(const clump_recorded_placed *placed, const clump_node *used,
                      double memory_penalty, clump_prediction *prediction)
{
    const clump_chain_placed *chain = placed->chain;
    const double now_us = 1e6 * placed->now_s;
    const double time = clump_chain_time_us(chain, nics_of_chain(chain, used, placed->peer_by_peer),
                                            memory_penalty) /
                        now_us;
    double busy = 0;
    for (size_t n = 0; n < chain->nodes; n++)
        busy = fmax(busy, chain->busy_us[n] / now_us / (double)used->nics);
    const double others = prediction->slowdown * prediction->nic_utilization;
    prediction->slowest += time;
    prediction->slowdown = prediction->slowest;
    prediction->nic_utilization = fmin((others + busy) / prediction->slowdown, 1);
}

/* So do exchanges in step, and the collective operations that all ranks wait for. */
static clump_status add_apart(const clump_recorded_placed *placed, const clump_node *node,
                              double memory_penalty, clump_prediction *prediction,
                              clump_error *error)
{
    const clump_recorded *program = placed->program;
    const clump_together_machine machine = {
        .node = node,
        .network = &program->network,
        .shared_memory = program->options.shared_memory != NULL ? &program->shared_memory : NULL,
        .half_duplex = program->options.half_duplex,
        .in_turn = program->open_mpi && may_take_turns(node),
        .order = program->options.order};
    const double now_us = 1e6 * placed->now_s;
    clump_together_time time = {0, 0}, exchanges = {0, 0};
    clump_status status = CLUMP_OK;
    if (program->together != NULL)
        status = clump_together_play(program->together, &machine, &time, error);
    if (status == CLUMP_OK && program->exchange != NULL)
        status =
            clump_exchanging_play(program->exchange, &machine, memory_penalty, &exchanges, error);
    if (status != CLUMP_OK)
        return status;
    const double together = placed->together_scale * time.us / now_us,
                 exchanging = exchanges.us / now_us;
    const double busy = prediction->slowdown * prediction->nic_utilization +
                        together * time.nic_utilization + exchanging * exchanges.nic_utilization;
    prediction->slowest += together + exchanging;
    prediction->slowdown = prediction->slowest;
    prediction->nic_utilization =
        prediction->slowdown > 0 ? fmin(busy / prediction->slowdown, 1) : 0;
    return CLUMP_OK;
}

static clump_status predict_nodes(const clump_recorded_placed *placed, const clump_node *node,
                                  const clump_node *used, clump_demand demand, double gang_size,
                                  double memory_penalty, clump_prediction *prediction,
                                  clump_error *error)
{
    const size_t P = placed->processors;
    double *lists = malloc(8 * P * sizeof *lists);
    work w = {.placed = placed,
              .node = used,
              .demand = demand,
              .gang_size = gang_size,
              .memory_penalty = memory_penalty,
              .needs = malloc(P * sizeof(clump_need)),
              .error = error};
    clump_status status = CLUMP_OK;
    if (w.needs == NULL || lists == NULL)
        status = clump_fail_memory(error, "the prediction of a recording");
    if (status == CLUMP_OK) {
        w.rest = lists;
        w.transfer[SENDING] = lists + P;
        w.transfer[RECEIVING] = lists + 2 * P;
        w.stay[SENDING] = lists + 3 * P;
        w.stay[RECEIVING] = lists + 4 * P;
        w.elsewhere = lists + 5 * P;
        w.one = lists + 6 * P;
        w.other = lists + 7 * P;
    }
    for (size_t k = 0; k < placed->kept && status == CLUMP_OK; k++) {
        clump_prediction one;
        take_node(&w, k);
        status = predict_node(&w, &one);
        if (status == CLUMP_OK && (k == 0 || one.slowest > prediction->slowest))
            *prediction = one;
    }
    if (status == CLUMP_OK)
        prediction->nic_utilization *= (double)used->nics / (double)node->nics;
    free(w.needs);
    free(lists);
    return status;
}

/* How much of their messages ranks send in step with the others. */
static double share_in_step(const clump_recorded_placed *placed, clump_demand demand,
                            double gang_size)
{
    if (placed->processors < 2 || demand == CLUMP_DEMAND_INDEPENDENT ||
        demand == CLUMP_DEMAND_SCHEDULED)
        return 0;
    if (demand == CLUMP_DEMAND_CORRELATED)
        return 1;
    return fmin(fmax((gang_size - 1) / (double)(placed->processors - 1), 0), 1);
}

clump_status clump_recorded_predict(const clump_recorded_placed *placed, const clump_node *node,
                                    clump_demand demand, double gang_size, double memory_penalty,
                                    clump_prediction *prediction, clump_error *error)
{
    if (node->processors != placed->processors)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "a node of %zu processors, expected the %zu for which ranks were placed",
                          node->processors, placed->processors);
    const bool turns = takes_turns(placed, node);
    const double half = node->nics % 2 == 0 ? (double)(node->nics / 2) : (double)node->nics;
    const clump_node used = turns ? node_in_turn(placed, node, half) : *node;
    clump_status status =
        predict_nodes(placed, node, &used, demand, gang_size, memory_penalty, prediction, error);
    const double in_step = turns ? share_in_step(placed, demand, gang_size) : 0;
    if (status == CLUMP_OK && in_step > 0) {
        /* Who is in step with others counts its messages as they do, and takes the NIC that they take. */
        const clump_node one = node_in_turn(placed, node, 1);
        clump_prediction together;
        status =
            predict_nodes(placed, node, &one, demand, gang_size, memory_penalty, &together, error);
        if (status == CLUMP_OK) {
            prediction->mean_active =
                between(prediction->mean_active, together.mean_active, in_step);
            prediction->nic_utilization =
                between(prediction->nic_utilization, together.nic_utilization, in_step);
            prediction->slowdown = prediction->slowest =
                between(prediction->slowest, together.slowest, in_step);
        }
    }
    if (status == CLUMP_OK && placed->chain != NULL)
        add_chain(placed, &used, memory_penalty, prediction);
    if (status == CLUMP_OK && placed->program != NULL)
        status = add_apart(placed, node, memory_penalty, prediction, error);
    return status;
}
