/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/timeline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static float *cell(const clump_timeline *t, size_t rank, size_t column)
{
    return &t->seconds[(rank * t->columns + column) * CLUMP_TIMELINE_STATES];
}

static void add(clump_timeline *t, size_t rank, clump_timeline_state state, double begin,
                double end)
{
    const double width = (t->end - t->begin) / (double)t->columns;
    begin = fmax(begin, t->begin);
    end = fmin(end, t->end);
    if (!(begin < end) || rank >= t->ranks)
        return;
    size_t column = (size_t)((begin - t->begin) / width);
    for (double at = begin; at < end && column < t->columns; column++) {
        const double next = fmin(t->begin + width * (double)(column + 1), end);
        if (next > at)
            cell(t, rank, column)[state] += (float)(next - at);
        at = fmax(at, next);
    }
}

static void collect(const clump_matched_call *call, void *context)
{
    clump_timeline *t = context;
    if (call->kind == CLUMP_CALL_INIT || call->kind == CLUMP_CALL_FINALIZE)
        return;
    if (!isfinite(call->waiting)) {
        add(t, call->rank, CLUMP_TIMELINE_OTHER, call->begin, call->end);
        return;
    }
    const double met = fmin(call->begin + call->waiting, call->end);
    add(t, call->rank, CLUMP_TIMELINE_WAITING, call->begin, met);
    add(t, call->rank, CLUMP_TIMELINE_TRANSFERRING, met, call->end);
}

/* When a rank's MPI_Init has ended: one of its first calls, if it is traced. */
static clump_recording_status find_begin(clump_recording *recording, size_t rank, double *begin)
{
    enum { FIRST_CALLS = 16 };
    clump_recording_calls *calls = NULL;
    clump_recorded_call call;
    int found = 0;
    *begin = clump_recording_rank_of(recording, rank).account->begin;
    const clump_recording_status status = clump_recording_calls_open(recording, rank, &calls);
    if (status != CLUMP_RECORDING_OK)
        return status;
    for (int i = 0; i < FIRST_CALLS && (found = clump_recording_next(calls, &call)) > 0; i++)
        if (call.kind == CLUMP_CALL_INIT) {
            *begin = call.end;
            break;
        }
    clump_recording_calls_close(calls);
    return found < 0 ? CLUMP_RECORDING_INPUT : CLUMP_RECORDING_OK;
}

static clump_recording_status find_range(clump_recording *recording, clump_timeline *t)
{
    const size_t ranks = clump_recording_describe(recording).ranks;
    clump_recording_status status = CLUMP_RECORDING_OK;
    t->begin = INFINITY;
    t->end = 0;
    for (size_t r = 0; r < ranks && status == CLUMP_RECORDING_OK; r++) {
        double begin;
        const clump_recording_rank rank = clump_recording_rank_of(recording, r);
        if (rank.missing)
            continue;
        status = find_begin(recording, r, &begin);
        const clump_account *a = rank.account;
        const bool cut = a->traced_entries < a->entries;
        t->begin = fmin(t->begin, begin);
        t->end = fmax(t->end, cut ? a->trace_end : a->end - a->kinds[CLUMP_CALL_FINALIZE].seconds);
    }
    if (!(t->begin < t->end)) {
        t->begin = 0;
        t->end = fmax(clump_recording_describe(recording).seconds, 1e-9);
    }
    return status;
}

static clump_matching *matching_of(clump_recording *recording)
{
    const clump_recording_about about = clump_recording_describe(recording);
    size_t *node = malloc((about.ranks + 1) * sizeof *node);
    if (node == NULL)
        return NULL;
    for (size_t i = 0; i < about.ranks; i++) {
        const clump_recording_rank rank = clump_recording_rank_of(recording, i);
        node[i] = rank.missing ? 0 : rank.node;
    }
    clump_matching *matching = clump_matching_new(about.ranks, node, about.nodes);
    free(node);
    for (size_t i = 1; matching != NULL && i < about.communicators; i++) {
        const clump_recording_members m = clump_recording_communicator(recording, (uint32_t)i);
        if (!clump_matching_communicator(matching, (uint32_t)i, m.ranks, m.count)) {
            clump_matching_free(matching);
            matching = NULL;
        }
    }
    return matching;
}

/* Of several nodes clocks are compared first. */
static clump_facts_status match(clump_recording *recording, clump_timeline *t,
                                char message[CLUMP_FACTS_MESSAGE])
{
    clump_matching *matching = matching_of(recording);
    clump_facts_status status = CLUMP_FACTS_OK;
    if (matching == NULL) {
        snprintf(message, CLUMP_FACTS_MESSAGE, "out of memory");
        return CLUMP_FACTS_FAILED;
    }
    if (clump_recording_describe(recording).nodes > 1) {
        status = clump_recording_match(recording, matching, message);
        clump_matching_finish(matching);
        clump_matching_again(matching);
    }
    clump_matching_tell(matching, collect, t);
    if (status == CLUMP_FACTS_OK)
        status = clump_recording_match(recording, matching, message);
    if (status == CLUMP_FACTS_OK)
        clump_matching_finish(matching);
    clump_matching_free(matching);
    return status;
}

clump_facts_status clump_timeline_make(clump_recording *recording, size_t columns,
                                       size_t most_ranks, clump_timeline *timeline,
                                       char message[CLUMP_FACTS_MESSAGE])
{
    const size_t ranks = clump_recording_describe(recording).ranks;
    *timeline = (clump_timeline){.ranks = ranks < most_ranks ? ranks : most_ranks,
                                 .columns = columns > 0 ? columns : 1};
    const clump_recording_status found = find_range(recording, timeline);
    if (found != CLUMP_RECORDING_OK) {
        snprintf(message, CLUMP_FACTS_MESSAGE, "%s", clump_recording_message(recording));
        return found == CLUMP_RECORDING_INPUT ? CLUMP_FACTS_INPUT : CLUMP_FACTS_FAILED;
    }
    timeline->seconds = calloc(timeline->ranks * timeline->columns + 1,
                               CLUMP_TIMELINE_STATES * sizeof *timeline->seconds);
    if (timeline->seconds == NULL) {
        snprintf(message, CLUMP_FACTS_MESSAGE, "out of memory");
        return CLUMP_FACTS_FAILED;
    }
    const clump_facts_status status = match(recording, timeline, message);
    if (status != CLUMP_FACTS_OK) {
        clump_timeline_free(timeline);
        return status;
    }
    const double width = (timeline->end - timeline->begin) / (double)timeline->columns;
    for (size_t i = 0; i < timeline->ranks * timeline->columns; i++) {
        float *of = &timeline->seconds[i * CLUMP_TIMELINE_STATES];
        double rest = width;
        for (int s = CLUMP_TIMELINE_COMPUTING + 1; s < CLUMP_TIMELINE_STATES; s++)
            rest -= of[s];
        of[CLUMP_TIMELINE_COMPUTING] = (float)fmax(rest, 0);
    }
    return CLUMP_FACTS_OK;
}

void clump_timeline_free(clump_timeline *timeline)
{
    free(timeline->seconds);
    *timeline = (clump_timeline){0};
}

clump_timeline_state clump_timeline_at(const clump_timeline *timeline, size_t rank, size_t column)
{
    const float *of = cell(timeline, rank, column);
    int most = 0;
    for (int s = 1; s < CLUMP_TIMELINE_STATES; s++)
        if (of[s] > of[most])
            most = s;
    return (clump_timeline_state)most;
}
