/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/recorded/recorded_together.h"

#include "model/simulation/schedule.h"
#include "model/simulation/schedule_collective.h"

#include <math.h>
#include <stdlib.h>

/* Operations of all that is played: some 50 ms. */
enum { MOST_OPERATIONS = 200000 };

/* Whose ranks all wait for all others, as those of the recording have them. */
static const clump_collective_kind kinds[] = {
    CLUMP_COLLECTIVE_BARRIER,  CLUMP_COLLECTIVE_ALLREDUCE,      CLUMP_COLLECTIVE_ALLGATHER,
    CLUMP_COLLECTIVE_ALLTOALL, CLUMP_COLLECTIVE_REDUCE_SCATTER,
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* ---- which */

/* A call that does not block returns before others have begun, and waits for nobody. */
static bool waits(const clump_facts *facts, clump_collective_kind kind, const clump_loggp *network)
{
    double calls = 0, seconds = 0, waiting = 0;
    for (size_t i = 0; i < facts->call_count; i++) {
        const clump_facts_call *c = &facts->calls[i];
        if (clump_collective_kind_meant(c->kind) != kind)
            continue;
        calls += (double)c->calls;
        seconds += c->seconds;
        waiting += c->waiting;
    }
    const double message =
        1e-6 * (network->send_overhead_us + network->latency_us + network->receive_overhead_us);
    return calls > 0 && (waiting > 0 || seconds >= calls * message);
}

/* All of the kind are calls of all ranks. */
static bool is_of_all(const clump_facts *facts, clump_collective_kind kind)
{
    bool found = false;
    for (size_t i = 0; i < facts->collective_count; i++) {
        const clump_facts_collective *c = &facts->collectives[i];
        if (clump_collective_kind_meant(c->kind) != kind)
            continue;
        if ((size_t)c->members != facts->rank_count || !(c->calls > 0) ||
            !(c->bytes / c->calls < 0x1p53))
            return false;
        found = true;
    }
    return found;
}

static int count_message(void *context, const clump_collective_message *message)
{
    size_t *left = context;
    (void)message;
    if (*left < 3)
        return 1;
    *left -= 3; /* it is sent and received; and a step ends */
    return 0;
}

static clump_collective_operation operation_of(const clump_together *t,
                                               const clump_together_call *call)
{
    clump_collective_operation o = {
        .kind = call->kind, .ranks = (uint32_t)t->ranks, .bytes = (uint64_t)rint(call->bytes)};
    o.algorithm = clump_collective_choose(t->library, &o);
    return o;
}

/* Its calls, if they can be played; `left` are the operations that still may be. */
static void add_kind(const clump_facts *facts, clump_collective_kind kind, clump_together *t,
                     clump_together_call *calls, size_t *left)
{
    const size_t before = t->count;
    size_t rest = *left;
    for (size_t i = 0; i < facts->collective_count; i++) {
        const clump_facts_collective *c = &facts->collectives[i];
        if (clump_collective_kind_meant(c->kind) != kind)
            continue;
        calls[t->count] = (clump_together_call){kind, c->calls, c->bytes / c->calls};
        const clump_collective_operation o = operation_of(t, &calls[t->count]);
        if (clump_collective_check(&o, NULL) != CLUMP_OK ||
            clump_collective_visit_all(&o, count_message, &rest) != 0) {
            t->count = before;
            return;
        }
        t->count++;
    }
    *left = rest;
}

clump_status clump_together_find(const clump_facts *facts, const clump_loggp *network,
                                 clump_arena *arena, const clump_together **together,
                                 clump_error *error)
{
    size_t left = MOST_OPERATIONS;
    *together = NULL;
    if (facts->collective_count == 0 || facts->rank_count < 2 || facts->rank_count > UINT32_MAX)
        return CLUMP_OK;
    clump_together *t = clump_arena_take(arena, sizeof *t);
    clump_together_call *calls = clump_arena_take(arena, facts->collective_count * sizeof *calls);
    if (t == NULL || calls == NULL)
        return clump_fail_memory(error, "the collective operations of a recording");
    *t = (clump_together){.ranks = facts->rank_count,
                          .library = clump_mpi_library_of(facts->library),
                          .calls = calls};
    for (size_t k = 0; k < KINDS; k++)
        if (is_of_all(facts, kinds[k]) && waits(facts, kinds[k], network))
            add_kind(facts, kinds[k], t, calls, &left);
    if (t->count > 0)
        *together = t;
    return CLUMP_OK;
}

bool clump_together_has(const clump_together *t, const char *name)
{
    const clump_collective_kind kind = clump_collective_kind_meant(name);
    for (size_t i = 0; t != NULL && i < t->count; i++)
        if (t->calls[i].kind == kind)
            return true;
    return false;
}

/* ---- how long */

/* MPICH chooses by who is on which node. */
static clump_status choose(const clump_together *t, const clump_together_call *call,
                           size_t processors, clump_collective_algorithm *algorithm,
                           clump_error *error)
{
    clump_collective_operation o = operation_of(t, call);
    clump_collective_places *places = NULL;
    clump_status status = CLUMP_OK;
    if (t->library == CLUMP_MPI_MPICH && processors > 1) {
        uint32_t *node = malloc(t->ranks * sizeof *node);
        if (node == NULL)
            return clump_fail_memory(error, "the places of ranks");
        for (size_t i = 0; i < t->ranks; i++)
            node[i] = (uint32_t)(i / processors);
        status = clump_collective_places_make((uint32_t)t->ranks, node, &places, error);
        free(node);
        o.places = places;
    }
    if (status == CLUMP_OK)
        *algorithm = clump_collective_choose(t->library, &o);
    clump_collective_places_free(places);
    return status;
}

static clump_status play(const clump_together *t, const clump_together_call *call,
                         const clump_cluster *machine, const clump_schedule_rules *rules,
                         clump_schedule_result *result, clump_error *error)
{
    /* Algorithms for nodes are known of ranks in blocks on nodes that are full. */
    const bool blocks =
        rules->order == CLUMP_RANKS_IN_BLOCKS && t->ranks % machine->processors == 0;
    const size_t processors = blocks ? machine->processors : 1;
    clump_collective_request request = {.kind = call->kind,
                                        .bytes = call->bytes,
                                        .ranks = (uint32_t)t->ranks,
                                        .size = (uint32_t)t->ranks,
                                        .stride = 1};
    clump_schedule *schedule;
    clump_status status = choose(t, call, processors, &request.algorithm, error);
    if (status == CLUMP_OK)
        status = clump_schedule_collective(&request, processors, 2 * (uint64_t)MOST_OPERATIONS,
                                           &schedule, error);
    if (status != CLUMP_OK)
        return status;
    status = clump_schedule_run(schedule, machine, rules, result, error);
    clump_schedule_free(schedule);
    return status;
}

clump_cluster clump_together_cluster(const clump_together_machine *m, size_t ranks,
                                     clump_schedule_rules *rules)
{
    const clump_node *node = m->node;
    *rules = CLUMP_SCHEDULE_RULES_DEFAULTS;
    rules->order = m->order;
    rules->window_bytes = CLUMP_SCHEDULE_TCP_WINDOW;
    clump_schedule_as_open_mpi(rules, m->in_turn, false);
    return (clump_cluster){.nodes = (ranks + node->processors - 1) / node->processors,
                           .processors = node->processors,
                           .nics = node->nics,
                           .mapping = node->mapping,
                           .network = *m->network,
                           .shared_memory =
                               m->shared_memory != NULL ? *m->shared_memory : *m->network,
                           .half_duplex = m->half_duplex,
                           .memory_penalty = 1,
                           .group_sizes = node->group_sizes,
                           .efficiency = node->efficiency,
                           .placement = node->placement,
                           .watch = node->watch};
}

clump_status clump_together_play(const clump_together *t, const clump_together_machine *m,
                                 clump_together_time *time, clump_error *error)
{
    clump_schedule_rules rules;
    const clump_cluster machine = clump_together_cluster(m, t->ranks, &rules);
    *time = (clump_together_time){0, 0};
    for (size_t i = 0; i < t->count; i++) {
        clump_schedule_result result;
        const clump_status status = play(t, &t->calls[i], &machine, &rules, &result, error);
        if (status != CLUMP_OK)
            return status;
        const double us = t->calls[i].calls * result.time_us;
        time->us += us;
        time->nic_utilization += us * fmax(result.nic_utilization, result.receive_utilization);
    }
    if (time->us > 0)
        time->nic_utilization /= time->us;
    return CLUMP_OK;
}
