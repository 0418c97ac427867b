/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/facts.h"

#include "data/text.h"
#include "recording/collective_traffic.h"
#include "recording/overlap_facts.h"
#include "recording/phases.h"
#include "recording/steps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STRETCHES = 1 << 22, TEXT = 2000 };

typedef struct maker {
    const clump_run *run;
    clump_facts *facts;
    clump_matching *matching;
    clump_overlap_interval *inside, *moving; /* in MPI; in MPI and not waiting */
    size_t inside_count, moving_count, room;
    clump_steps *steps;
    bool collects, no_memory;
    double collected_until; /* s: from then on stretches are missing */
    char *message;
} maker;

static clump_facts_status fail_memory(char message[CLUMP_FACTS_MESSAGE])
{
    snprintf(message, CLUMP_FACTS_MESSAGE, "out of memory");
    return CLUMP_FACTS_FAILED;
}

/* ---- the head, nodes and ranks */

/* A text as the store takes it, in `room`; NULL for none. */
static const char *clean(char room[TEXT], const char *text)
{
    if (text == NULL || text[0] == '\0')
        return NULL;
    snprintf(room, TEXT, "%s", text);
    clump_text_clean(room, strlen(room));
    for (char *c = room; *c != '\0'; c++)
        if (*c == '\t')
            *c = ' ';
    size_t size = strlen(room);
    while (size > 0 && !clump_text_is_printable(room, size))
        room[--size] = '\0';
    return size > 0 ? room : NULL;
}

static bool add_head(maker *m)
{
    char texts[4][TEXT];
    const clump_run *run = m->run;
    clump_facts head = {.origin = run->origin,
                        .program = clean(texts[0], run->program),
                        .command = clean(texts[1], run->command),
                        .library = clean(texts[2], run->library),
                        .started = clean(texts[3], run->started)};
    for (size_t i = 0; i < run->ranks; i++)
        if (run->rank[i].account != NULL)
            head.wall = fmax(head.wall, run->rank[i].account->end - run->rank[i].account->begin);
    return clump_facts_add(m->facts, CLUMP_FACTS_HEAD, &head);
}

static bool add_nodes(maker *m)
{
    char text[TEXT];
    for (size_t i = 0; i < m->run->nodes; i++) {
        const char *host = clean(text, m->run->host[i]);
        const clump_facts_node row = {.host = host != NULL ? host : "?"};
        if (!clump_facts_add(m->facts, CLUMP_FACTS_NODE, &row))
            return false;
    }
    return true;
}

static bool add_rank(maker *m, const clump_run_rank *rank)
{
    clump_facts_rank row = {.node = (int64_t)rank->node,
                            .processor = NAN,
                            .requests_mean = NAN,
                            .requests_most = -1,
                            .ended = rank->ended};
    const clump_account *a = rank->account;
    if (a != NULL) {
        row.wall = fmax(0, a->end - a->begin);
        row.in_mpi = fmin(a->inside, row.wall);
        row.computing = row.wall - row.in_mpi;
        row.processor = a->processor;
        row.calls = (int64_t)a->calls;
        row.requests_most = (int64_t)a->requests_most;
        row.requests_mean = row.wall > 0 ? a->requests_integral / row.wall : NAN;
    }
    return clump_facts_add(m->facts, CLUMP_FACTS_RANK, &row);
}

static bool add_calls(maker *m, size_t rank, const clump_account *a)
{
    for (int k = 0; k < CLUMP_CALL_KINDS; k++) {
        const clump_account_kind *kind = &a->kinds[k];
        /* Of collectives what a member gives; of receives what came. */
        const uint64_t bytes = kind->bytes > 0 || clump_call_is_collective((clump_call_kind)k)
                                   ? kind->bytes
                                   : kind->bytes_received;
        const clump_facts_call row = {.rank = (int64_t)rank,
                                      .kind = clump_call_name((clump_call_kind)k),
                                      .calls = (int64_t)kind->calls,
                                      .seconds = kind->seconds,
                                      .bytes = (double)bytes};
        if ((kind->calls > 0 || kind->seconds > 0) &&
            !clump_facts_add(m->facts, CLUMP_FACTS_CALL, &row))
            return false;
    }
    return true;
}

static bool add_collisions(maker *m)
{
    const clump_run *run = m->run;
    for (size_t n = 0; n < run->nodes; n++) {
        size_t count = 0;
        for (size_t i = 0; i < run->ranks; i++)
            if (run->rank[i].node == n && run->rank[i].account != NULL &&
                run->rank[i].account->q_seconds != NULL && run->rank[i].account->q_count > count)
                count = run->rank[i].account->q_count;
        double *seconds = calloc(count + 1, sizeof *seconds);
        bool good = seconds != NULL;
        for (size_t i = 0; i < run->ranks && good; i++) {
            const clump_account *a = run->rank[i].account;
            for (size_t q = 0;
                 run->rank[i].node == n && a != NULL && a->q_seconds != NULL && q < a->q_count; q++)
                seconds[q] += a->q_seconds[q];
        }
        for (size_t q = 0; q < count && q <= run->ranks && good; q++)
            good = clump_facts_add(m->facts, CLUMP_FACTS_COLLISION,
                                   &(clump_facts_collision){
                                       .node = (int64_t)n, .q = (int64_t)q, .seconds = seconds[q]});
        free(seconds);
        if (!good)
            return false;
    }
    return true;
}

static bool add_accounts(maker *m)
{
    if (!add_head(m) || !add_nodes(m))
        return false;
    for (size_t i = 0; i < m->run->ranks; i++)
        if (!add_rank(m, &m->run->rank[i]))
            return false;
    for (size_t i = 0; i < m->run->ranks; i++)
        if (m->run->rank[i].account != NULL && !add_calls(m, i, m->run->rank[i].account))
            return false;
    return add_collisions(m);
}

/* ---- what follows from calls together */

static bool has_room(maker *m)
{
    if (m->inside_count < m->room)
        return true;
    const size_t room = m->room > 0 ? 2 * m->room : 1024;
    if (room > MOST_STRETCHES)
        return false;
    clump_overlap_interval *inside = realloc(m->inside, room * sizeof *inside);
    if (inside != NULL)
        m->inside = inside;
    clump_overlap_interval *moving = realloc(m->moving, room * sizeof *moving);
    if (moving != NULL)
        m->moving = moving;
    if (inside == NULL || moving == NULL)
        return false;
    m->room = room;
    return true;
}

/* Start and end of MPI are not the program's behaviour. What cannot be divided counts as inside, not as moving. */
static void collect(const clump_matched_call *call, void *context)
{
    maker *m = context;
    if (!m->collects || call->kind == CLUMP_CALL_INIT || call->kind == CLUMP_CALL_FINALIZE)
        return;
    if (!has_room(m)) {
        m->collected_until = fmin(m->collected_until, call->begin);
        return;
    }
    m->inside[m->inside_count++] = (clump_overlap_interval){call->rank, call->begin, call->end};
    if (!isnan(call->waiting) && call->begin + call->waiting < call->end)
        m->moving[m->moving_count++] =
            (clump_overlap_interval){call->rank, call->begin + call->waiting, call->end};
}

/* What was before MPI_Init is not the program's: its libraries were loaded then. */
static void leave_out_before(maker *m, size_t rank, const clump_recorded_call *call)
{
    const clump_account *a = m->run->rank[rank].account;
    clump_facts_rank *row = clump_facts_row(m->facts, CLUMP_FACTS_RANK, rank);
    if (a == NULL || row == NULL || !m->collects)
        return;
    const double before = fmin(fmax(call->begin - a->begin, 0), row->computing);
    row->computing -= before;
    row->wall -= before;
    row->processor = fmax(row->processor - fmax(call->processor, 0), 0);
}

static void collect_added(size_t rank, const clump_recorded_call *call, void *context)
{
    maker *m = context;
    if (call->kind == CLUMP_CALL_INIT && rank < m->run->ranks)
        leave_out_before(m, rank, call);
    if (m->collects)
        clump_steps_add(m->steps, rank, call);
}

/* A schedule says what, not when. */
static bool is_without_times(const clump_run *run)
{
    return strcmp(run->origin, "goal") == 0;
}

static clump_facts_status match_calls(maker *m)
{
    const clump_run *run = m->run;
    size_t *node = malloc((run->ranks + 1) * sizeof *node);
    if (node == NULL)
        return fail_memory(m->message);
    for (size_t i = 0; i < run->ranks; i++)
        node[i] = run->rank[i].node;
    m->matching = clump_matching_new(run->ranks, node, run->nodes);
    free(node);
    if (m->matching == NULL)
        return fail_memory(m->message);
    for (size_t i = 1; i < run->communicators; i++) {
        const clump_recording_members members = run->members(run, (uint32_t)i);
        if (!clump_matching_communicator(m->matching, (uint32_t)i, members.ranks, members.count))
            return fail_memory(m->message);
    }
    clump_matching_tell(m->matching, collect, m);
    if (!is_without_times(run)) {
        m->steps = clump_steps_new(run->ranks);
        if (m->steps == NULL)
            return fail_memory(m->message);
        clump_matching_tell_added(m->matching, collect_added, m);
    }
    m->collects = run->nodes == 1;
    clump_facts_status status = run->pass(run, m->matching, m->message);
    if (status == CLUMP_FACTS_OK)
        clump_matching_finish(m->matching);
    if (status == CLUMP_FACTS_OK && run->nodes > 1) {
        clump_matching_again(m->matching);
        m->collects = true;
        status = run->pass(run, m->matching, m->message);
        if (status == CLUMP_FACTS_OK)
            clump_matching_finish(m->matching);
    }
    return status;
}

static clump_call_kind kind_of(const char *name)
{
    for (int k = 0; k < CLUMP_CALL_KINDS; k++)
        if (strcmp(clump_call_name((clump_call_kind)k), name) == 0)
            return (clump_call_kind)k;
    return CLUMP_CALL_OTHER;
}

static void set_times(maker *m)
{
    clump_facts *facts = m->facts;
    const clump_matching_summary sum = clump_matching_sum(m->matching);
    facts->sends = (double)sum.sends;
    facts->receives = (double)sum.receives;
    facts->mismatched = (double)(sum.collectives_open + sum.collectives_unlike);
    for (size_t n = 0; n < facts->node_count; n++) {
        clump_facts_node *row = clump_facts_row(facts, CLUMP_FACTS_NODE, n);
        const clump_clock_offset clock = clump_matching_clock_of(m->matching, n);
        row->clock_low = clock.low;
        row->clock_high = clock.high;
        row->clock_used = clock.used;
    }
    for (size_t i = 0; i < facts->rank_count; i++) {
        clump_facts_rank *row = clump_facts_row(facts, CLUMP_FACTS_RANK, i);
        for (int k = 0; k < CLUMP_CALL_KINDS; k++) {
            const clump_matched t = clump_matching_of(m->matching, i, (clump_call_kind)k);
            row->traced += (int64_t)t.calls;
            row->waiting += t.waiting;
            row->waiting_low += t.waiting_low;
            row->waiting_high += t.waiting_high;
            row->transferring += t.divided - t.waiting;
        }
    }
    for (size_t i = 0; i < facts->call_count; i++) {
        clump_facts_call *row = clump_facts_row(facts, CLUMP_FACTS_CALL, i);
        const clump_matched t =
            clump_matching_of(m->matching, (size_t)row->rank, kind_of(row->kind));
        row->waiting = t.waiting;
        row->transferring = t.divided - t.waiting;
    }
}

/* ---- who communicates together */

/* Of that, what is in the traces of all ranks. */
static bool find_traced(const maker *m, double *begin, double *end)
{
    if (!clump_run_common(m->run, begin, end))
        return false;
    *end = fmin(*end, m->collected_until);
    for (size_t i = 0; i < m->run->ranks; i++) {
        const clump_account *a = m->run->rank[i].account;
        if (a != NULL && a->traced_entries < a->entries)
            *end = fmin(*end, a->trace_end);
    }
    return *end > *begin;
}

static clump_facts_status add_overlap(maker *m, const char *doing,
                                      const clump_overlap_interval *stretches, size_t count,
                                      double begin, double end)
{
    clump_error error;
    clump_overlap *overlap = NULL;
    clump_status status = clump_overlap_make(stretches, count, m->run->ranks, &overlap, &error);
    if (status == CLUMP_OK)
        status = clump_overlap_facts_add(m->facts, doing, overlap, begin, end, &error);
    clump_overlap_free(overlap);
    if (status == CLUMP_OK)
        return CLUMP_FACTS_OK;
    snprintf(m->message, CLUMP_FACTS_MESSAGE, "%s", error.message);
    return CLUMP_FACTS_FAILED;
}

static clump_facts_status add_overlaps(maker *m)
{
    double begin, end;
    if (!find_traced(m, &begin, &end) || m->inside_count == 0)
        return CLUMP_FACTS_OK;
    clump_facts_status status =
        add_overlap(m, CLUMP_OVERLAP_IN_MPI, m->inside, m->inside_count, begin, end);
    if (status == CLUMP_FACTS_OK && m->moving_count > 0)
        status = add_overlap(m, CLUMP_OVERLAP_TRANSFERRING, m->moving, m->moving_count, begin, end);
    return status;
}

/* ---- how ranks of a node meet, where nobody counted while they ran */

typedef struct moment {
    double time;
    size_t node;
    int change; /* +1: a rank enters MPI */
} moment;

static int by_time(const void *a, const void *b)
{
    const moment *x = a, *y = b;
    return x->time != y->time ? (x->time > y->time) - (x->time < y->time) : x->change - y->change;
}

static bool is_counted(const clump_run *run)
{
    for (size_t i = 0; i < run->ranks; i++)
        if (run->rank[i].account != NULL && run->rank[i].account->q_count > 0)
            return true;
    return false;
}

static size_t make_moments(const maker *m, double begin, double end, moment *moments)
{
    size_t count = 0;
    for (size_t i = 0; i < m->inside_count; i++) {
        const double from = fmax(m->inside[i].begin, begin), to = fmin(m->inside[i].end, end);
        const size_t node = m->run->rank[m->inside[i].rank].node;
        if (!(to > from))
            continue;
        moments[count++] = (moment){from, node, 1};
        moments[count++] = (moment){to, node, -1};
    }
    qsort(moments, count, sizeof *moments, by_time);
    return count;
}

/* From the traced calls; several threads of a rank count as often as they are in MPI, up to all ranks of the node. */
static bool count_collisions(maker *m, double begin, double end)
{
    const size_t nodes = m->run->nodes, ranks = m->run->ranks;
    moment *moments = malloc((2 * m->inside_count + 1) * sizeof *moments);
    size_t *first = calloc(nodes + 1, sizeof *first), *q = calloc(nodes + 1, sizeof *q);
    double *since = calloc(nodes + 1, sizeof *since);
    double *seconds = calloc(ranks + nodes + 1, sizeof *seconds);
    bool good = moments != NULL && first != NULL && q != NULL && since != NULL && seconds != NULL;
    if (good) {
        for (size_t i = 0; i < ranks; i++)
            first[m->run->rank[i].node + 1]++; /* ranks, and one for q = 0 */
        for (size_t n = 0; n < nodes; n++) {
            first[n + 1] += first[n] + 1;
            since[n] = begin;
        }
        const size_t count = make_moments(m, begin, end, moments);
        for (size_t i = 0; i <= count; i++)
            for (size_t n = i < count ? moments[i].node : 0;
                 n < (i < count ? moments[i].node + 1 : nodes); n++) {
                const size_t most = first[n + 1] - first[n] - 1;
                const double now = i < count ? moments[i].time : end;
                seconds[first[n] + (q[n] < most ? q[n] : most)] += now - since[n];
                since[n] = now;
                if (i < count)
                    q[n] = moments[i].change > 0 ? q[n] + 1 : q[n] > 0 ? q[n] - 1 : 0;
            }
        for (size_t n = 0; n < nodes && good; n++)
            for (size_t k = 0; k < first[n + 1] - first[n] && good; k++)
                good = clump_facts_add(m->facts, CLUMP_FACTS_COLLISION,
                                       &(clump_facts_collision){.node = (int64_t)n,
                                                                .q = (int64_t)k,
                                                                .seconds = seconds[first[n] + k]});
    }
    free(moments);
    free(first);
    free(q);
    free(since);
    free(seconds);
    return good;
}

static clump_facts_status add_traced_collisions(maker *m)
{
    double begin, end;
    if (is_counted(m->run) || is_without_times(m->run))
        return CLUMP_FACTS_OK;
    if (m->inside_count == 0 || !find_traced(m, &begin, &end)) {
        clump_facts_say(m->facts,
                        "collisions: nobody counted how many ranks of a node were in MPI");
        return CLUMP_FACTS_OK;
    }
    return count_collisions(m, begin, end) ? CLUMP_FACTS_OK : fail_memory(m->message);
}

/* ---- what cannot be known */

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void say_clocks(maker *m)
{
    double widest = 0;
    size_t unknown = 0, contradicting = 0;
    for (size_t n = 1; n < m->facts->node_count; n++) {
        const clump_facts_node *row = &m->facts->nodes[n];
        if (isnan(row->clock_low) || isnan(row->clock_high))
            unknown++;
        else if (row->clock_high < row->clock_low)
            contradicting++;
        else
            widest = fmax(widest, row->clock_high - row->clock_low);
    }
    if (unknown > 0)
        clump_facts_say(
            m->facts,
            "clocks: of %zu node%s no messages in both directions tell how far the clock is off; "
            "waiting of ranks there is known within wide bounds only",
            unknown, plural(unknown));
    if (contradicting > 0)
        clump_facts_say(
            m->facts,
            "clocks: of %zu node%s messages contradict each other, so the clock was set or ran "
            "at another rate meanwhile",
            contradicting, plural(contradicting));
    if (m->facts->node_count > 1 && unknown == 0 && contradicting == 0)
        clump_facts_say(m->facts, "clocks: offsets between nodes are known within %.3g us",
                        1e6 * widest);
}

static void say_matching(maker *m)
{
    const clump_matching_summary sum = clump_matching_sum(m->matching);
    if (sum.sends + sum.receives > 0)
        clump_facts_say(m->facts,
                        "messages: %llu send%s and %llu receive%s in the trace found no partner",
                        (unsigned long long)sum.sends, plural(sum.sends),
                        (unsigned long long)sum.receives, plural(sum.receives));
    if (sum.collectives_open > 0)
        clump_facts_say(m->facts,
                        "collectives: %llu traced call%s had not all members in the trace",
                        (unsigned long long)sum.collectives_open, plural(sum.collectives_open));
    if (sum.collectives_unlike > 0)
        clump_facts_say(
            m->facts,
            "collectives: members of a communicator called different ones; %llu call%s from "
            "there on could not be matched",
            (unsigned long long)sum.collectives_unlike, plural(sum.collectives_unlike));
    if (sum.beyond > 0)
        clump_facts_say(m->facts,
                        "%llu traced call%s were not matched: too much was open at a time, or "
                        "there was no more memory",
                        (unsigned long long)sum.beyond, plural(sum.beyond));
    if (isfinite(m->collected_until))
        clump_facts_say(
            m->facts,
            "who communicates together is counted for the first %.4g s only: there are too "
            "many calls",
            m->collected_until);
}

static void say_accounts(maker *m)
{
    const clump_run *run = m->run;
    uint64_t calls = 0, traced = 0, lost = 0, requests = 0, dead = 0, mistrusted = 0;
    size_t unknown = 0, unended = 0, full = 0, uncounted = 0;
    for (size_t i = 0; i < run->ranks; i++) {
        const clump_account *a = run->rank[i].account;
        unknown += a == NULL;
        unended += a != NULL && !run->rank[i].ended;
        if (a == NULL)
            continue;
        calls += a->calls;
        traced += (uint64_t)m->facts->ranks[i].traced;
        lost += a->lost;
        requests += a->requests_lost;
        dead += a->q_dead;
        mistrusted += a->q_mistrusted;
        full += a->write_error != 0;
        uncounted += a->q_count == 0;
    }
    if (unknown > 0)
        clump_facts_say(m->facts, "ranks: nothing was recorded of %zu of %zu", unknown, run->ranks);
    if (unended > 0)
        clump_facts_say(
            m->facts,
            "ranks: %zu of %zu did not end properly (killed, aborted or without MPI_Finalize); "
            "what they did last may be missing",
            unended, run->ranks);
    if (traced < calls && !is_without_times(run))
        clump_facts_say(
            m->facts,
            "trace: it has %.3g%% of the calls; waiting and transferring are divided for "
            "those only",
            100 * (double)traced / (double)calls);
    if (full > 0)
        clump_facts_say(m->facts, "trace: of %zu rank%s it ends where it could not be written",
                        full, plural(full));
    if (lost > 0)
        clump_facts_say(
            m->facts, "traffic: %llu call%s are missing, for want of memory while it was recorded",
            (unsigned long long)lost, plural(lost));
    if (requests > 0)
        clump_facts_say(m->facts, "requests: %llu could not be followed",
                        (unsigned long long)requests);
    if (uncounted > 0 && uncounted + unknown < run->ranks)
        clump_facts_say(m->facts, "collisions: %zu rank%s did not count with the others", uncounted,
                        plural(uncounted));
    if (dead + mistrusted > 0)
        clump_facts_say(
            m->facts, "collisions: %llu rank%s died inside MPI, and %llu count%s could not be true",
            (unsigned long long)dead, plural(dead), (unsigned long long)mistrusted,
            plural(mistrusted));
}

static void say_unknown(maker *m)
{
    if (m->run->nodes == 1 && m->run->ranks > 1)
        clump_facts_say(m->facts,
                        "network: all ranks ran on one node, so nothing is known of a network");
    say_accounts(m);
    if (!is_without_times(m->run))
        say_clocks(m);
    say_matching(m);
}

/* ---- all of it */

static clump_facts_status make(maker *m)
{
    if (!add_accounts(m))
        return fail_memory(m->message);
    clump_facts_status status = match_calls(m);
    if (status != CLUMP_FACTS_OK)
        return status;
    set_times(m);
    if (m->steps != NULL && !clump_steps_add_facts(m->steps, m->facts))
        return fail_memory(m->message);
    say_unknown(m);
    status =
        clump_collective_traffic_add(m->run, m->facts) ? CLUMP_FACTS_OK : fail_memory(m->message);
    if (status == CLUMP_FACTS_OK && !clump_phases_add(m->run, m->facts))
        status = fail_memory(m->message);
    if (status == CLUMP_FACTS_OK)
        status = add_traced_collisions(m);
    return status == CLUMP_FACTS_OK ? add_overlaps(m) : status;
}

clump_facts_status clump_facts_of_run(const clump_run *run, clump_facts **facts,
                                      char message[CLUMP_FACTS_MESSAGE])
{
    maker m = {.run = run, .message = message, .collected_until = INFINITY};
    *facts = NULL;
    m.facts = clump_facts_new();
    if (m.facts == NULL)
        return fail_memory(message);
    const clump_facts_status status = make(&m);
    clump_matching_free(m.matching);
    clump_steps_free(m.steps);
    free(m.inside);
    free(m.moving);
    if (status == CLUMP_FACTS_OK)
        *facts = m.facts;
    else
        clump_facts_free(m.facts);
    return status;
}
