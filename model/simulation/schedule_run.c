/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A schedule is run, and what is left in the end is explained. */
#include "model/simulation/schedule_engine.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- nanoseconds */

/* What was meant as a whole number of nanoseconds is one, though 1.001 us is none in binary. */
static double ns_of(double us)
{
    const double ns = us * SCHEDULE_NS_PER_US, whole = round(ns);
    return fabs(ns - whole) <= 4 * DBL_EPSILON * fabs(ns) ? whole : ns;
}

static clump_loggp loggp_in_ns(const clump_loggp *p)
{
    return (clump_loggp){ns_of(p->latency_us), ns_of(p->send_overhead_us),
                         ns_of(p->receive_overhead_us), ns_of(p->gap_us),
                         ns_of(p->gap_us_per_byte)};
}

/* ---- the machine */

static clump_status check(const clump_schedule_rules *rules, clump_error *error)
{
    if (rules->transports != NULL && rules->conventions == CLUMP_SCHEDULE_LOGGOPSIM)
        return clump_fail(
            error, CLUMP_BAD_ARGUMENT,
            "transports: found some, expected none: LogGOPSim has no steps of messages");
    if (rules->window_bytes > 0 && rules->conventions == CLUMP_SCHEDULE_LOGGOPSIM)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "window: found %" PRIu64
                          " bytes, expected 0: LogGOPSim sends messages as a whole",
                          rules->window_bytes);
    if (rules->overhead_us_per_byte >= 0 && rules->overhead_us_per_byte <= DBL_MAX)
        return CLUMP_OK;
    return clump_fail(error, CLUMP_BAD_ARGUMENT,
                      "overhead of a byte: found %.10g us, expected 0 or more",
                      rules->overhead_us_per_byte);
}

static clump_status make(schedule_engine *e, const clump_cluster *machine, clump_error *error)
{
    const size_t ranks = e->schedule->ranks;
    const clump_rank_order order = e->rules->order;
    clump_cluster *own = &e->cluster;
    *own = *machine;
    own->send_queue = own->receive_queue = 0;
    if (own->node.processors > 0)
        own->nodes = (ranks + own->node.processors - 1) / own->node.processors;
    clump_status status = clump_cluster_check(own, "machine", error);
    if (status == CLUMP_OK && clump_memory_is_station(&own->node.memory))
        status = clump_fail(error, CLUMP_BAD_ARGUMENT,
                            "machine: ranks share its memory, which a schedule does not know of; "
                            "expected none");
    if (status == CLUMP_OK)
        status = check(e->rules, error);
    if (status != CLUMP_OK)
        return status;
    own->network = loggp_in_ns(&own->network);
    own->shared_memory = loggp_in_ns(&own->shared_memory);
    e->overhead_per_byte = ns_of(e->rules->overhead_us_per_byte);
    const bool places = order != CLUMP_RANKS_IN_BLOCKS && own->node.processors > 1;
    const bool made = network_make(&e->net, own) && schedule_match_make(&e->match, e->schedule);
    e->ends = calloc(ranks, sizeof *e->ends);
    e->place = places ? malloc(ranks * sizeof *e->place) : NULL;
    if (!made || e->ends == NULL || (places && e->place == NULL))
        return clump_fail_memory(error, "the ranks of a schedule");
    for (uint32_t i = 0; places && i < ranks; i++)
        e->place[i] = clump_rank_place(order, i, (uint32_t)ranks, (uint32_t)own->node.processors);
    network_reset(&e->net);
    return CLUMP_OK;
}

static void release(schedule_engine *e)
{
    network_release(&e->net);
    schedule_match_release(&e->match);
    free(e->ends);
    free(e->place);
}

static clump_schedule_result result_of(const schedule_engine *e)
{
    clump_schedule_result result = {.messages = (double)e->messages,
                                    .events = (double)e->event_count};
    double time = 0, sum = 0;
    for (size_t i = 0; i < e->schedule->ranks; i++) {
        time = fmax(time, e->ends[i]);
        sum += e->ends[i];
    }
    result.time_us = time / SCHEDULE_NS_PER_US;
    result.mean_end_us = sum / (double)e->schedule->ranks / SCHEDULE_NS_PER_US;
    network_utilizations(&e->net, time, &result.nic_utilization, &result.receive_utilization);
    return result;
}

/* ---- what is left */

/* "tag 3 from rank 2", or "any tag from any rank". */
static void describe(uint32_t tag, uint32_t source, char text[64])
{
    char what[24] = "any tag", from[24] = "any rank";
    if (tag != SCHEDULE_ANY)
        snprintf(what, sizeof what, "tag %" PRIu32, tag);
    if (source != SCHEDULE_ANY)
        snprintf(from, sizeof from, "rank %" PRIu32, source);
    snprintf(text, 64, "%s from %s", what, from);
}

static clump_status stops(const schedule_engine *e, uint32_t o, clump_error *error, const char *why)
{
    static const char *const kinds[] = {"calc", "send", "recv"};
    const clump_schedule *s = e->schedule;
    const schedule_operation *blocked = &s->operations[o];
    return clump_fail(error, CLUMP_BAD_ARGUMENT,
                      "the schedule stops with %zu of %zu operations left: the %s of rank %" PRIu32
                      " in %s %" PRIu32 " waits for %s",
                      s->count - (size_t)e->done, s->count, kinds[blocked->kind], blocked->rank,
                      s->place, blocked->line, why);
}

/* A receive waits; perhaps for a message that came with another tag. */
static clump_status explain_receive(const schedule_engine *e, uint32_t o, clump_error *error)
{
    const clump_schedule *s = e->schedule;
    const schedule_operation *receive = &s->operations[o];
    char wanted[64], sent[64], found[128] = ":", why[256];
    uint32_t m;
    describe(receive->tag, receive->peer, wanted);
    if (schedule_match_left(&e->match, 0, receive->rank, receive->peer, &m) > 0) {
        describe(s->operations[m].tag, s->operations[m].rank, sent);
        snprintf(found, sizeof found, "; found %s (%s %" PRIu32 "),", sent, s->place,
                 s->operations[m].line);
    }
    snprintf(why, sizeof why, "a message that is never sent%s expected %s", found, wanted);
    return stops(e, o, error, why);
}

/* A send waits for its receive. */
static clump_status explain_send(const schedule_engine *e, uint32_t o, clump_error *error)
{
    const schedule_operation *send = &e->schedule->operations[o];
    char why[160];
    snprintf(why, sizeof why,
             "its recv (rendezvous: %" PRIu64 " bytes, more than %" PRIu64 "), which rank %" PRIu32
             " never reaches",
             send->size, e->rules->rendezvous_above, send->peer);
    return stops(e, o, error, why);
}

/* Nothing happens any more, and operations are left: name the one that comes first, of those that
 * a message or a receive would help if there are any. */
static clump_status explain_stop(const schedule_engine *e, clump_error *error)
{
    const clump_schedule *s = e->schedule;
    const uint32_t *needs = e->match.needs;
    uint32_t o = 0;
    for (uint32_t i = 0; i < s->count; i++)
        if ((e->match.state[i] & SCHEDULE_WAITS) != 0)
            return explain_receive(e, i, error);
    if (e->rules->rendezvous_above < UINT64_MAX &&
        schedule_match_left(&e->match, e->rules->rendezvous_above + 1, SCHEDULE_ANY, SCHEDULE_ANY,
                            &o) > 0)
        return explain_send(e, o, error);
    for (o = 0; o + 1 < s->count && (needs == NULL || needs[o] == 0);)
        o++;
    return stops(e, o, error, "operations that never end, perhaps each other");
}

/* Every operation has ended, and messages are left. */
static clump_status explain_messages(const schedule_engine *e, clump_error *error)
{
    uint32_t m;
    char wanted[64], others[64] = "";
    const size_t count = schedule_match_left(&e->match, 0, SCHEDULE_ANY, SCHEDULE_ANY, &m);
    if (count == 0)
        return CLUMP_OK;
    const schedule_operation *send = &e->schedule->operations[m];
    describe(send->tag, send->rank, wanted);
    if (count > 1)
        snprintf(others, sizeof others, "; %zu messages in all are never received", count);
    return clump_fail(error, CLUMP_BAD_ARGUMENT,
                      "the send of rank %" PRIu32 " in %s %" PRIu32
                      " is never received: expected one more recv of rank %" PRIu32 " with %s%s",
                      send->rank, e->schedule->place, send->line, send->peer, wanted, others);
}

/* ---- rules */

void clump_schedule_as_library(clump_schedule_rules *rules, const clump_mpi_transports *transports,
                               bool nics, bool steps)
{
    const clump_mpi_transport *remote = &transports->remote;
    if (nics) {
        rules->nic_turns = remote->turns ? CLUMP_SCHEDULE_OPEN_MPI_TURNS : CLUMP_SCHEDULE_ONE_NIC;
        rules->stripe_above = remote->whole_most;
    }
    if (steps && rules->rendezvous_above == UINT64_MAX)
        rules->transports = transports;
}

/* ---- */

clump_status clump_schedule_run(const clump_schedule *schedule, const clump_cluster *machine,
                                const clump_schedule_rules *rules, clump_schedule_result *result,
                                clump_error *error)
{
    const clump_schedule_rules defaults = CLUMP_SCHEDULE_RULES_DEFAULTS;
    clump_schedule_rules own = rules != NULL ? *rules : defaults;
    if (own.transports != NULL) {
        const uint64_t local = own.transports->local.eager_most;
        own.rendezvous_above = own.transports->remote.eager_most;
        if (local < own.rendezvous_above)
            own.rendezvous_above = local;
    }
    schedule_engine e = {.schedule = schedule, .rules = &own};
    schedule_tasks tasks;
    clump_status status = CLUMP_OK;
    const int found = own.transports != NULL ? schedule_tasks_find(&tasks, schedule) : 0;
    if (found < 0)
        status = clump_fail_memory(error, "the tasks of a schedule");
    if (found > 0) {
        e.tasks = &tasks;
        e.schedule = &tasks.schedule;
    }
    if (status == CLUMP_OK)
        status = make(&e, machine, error);
    if (status == CLUMP_OK) {
        const bool as_loggopsim = e.rules->conventions == CLUMP_SCHEDULE_LOGGOPSIM;
        if (!(as_loggopsim ? schedule_run_loggopsim : schedule_run_queued)(&e))
            status = clump_fail_memory(error, "the messages on their way");
        else if (e.stopped)
            status = clump_fail(error, CLUMP_STOPPED, "interrupted");
        else
            status =
                e.done < schedule->count ? explain_stop(&e, error) : explain_messages(&e, error);
    }
    if (status == CLUMP_OK) {
        const clump_schedule_result computed = result_of(&e);
        if (isfinite(computed.time_us))
            *result = computed;
        else
            status = clump_fail(error, CLUMP_BAD_ARGUMENT,
                                "the schedule takes longer than a number can say: expected shorter "
                                "computations, or a faster network");
    }
    release(&e);
    if (own.transports != NULL)
        schedule_tasks_release(&tasks);
    return status;
}
