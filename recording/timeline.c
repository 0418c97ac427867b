/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/timeline.h"

#include "recording/matched_calls.h"

#include <math.h>
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

static void find_range(clump_recording *recording, clump_timeline *t)
{
    const clump_recording_about about = clump_recording_describe(recording);
    t->begin = INFINITY;
    t->end = 0;
    for (size_t r = 0; r < about.ranks; r++) {
        const clump_recording_rank rank = clump_recording_rank_of(recording, r);
        clump_recorded_call init;
        if (rank.missing)
            continue;
        const clump_account *a = rank.account;
        const bool cut = a->traced_entries < a->entries;
        t->begin =
            fmin(t->begin, clump_recording_find_init(recording, r, &init) ? init.end : a->begin);
        t->end = fmax(t->end, cut ? a->trace_end : a->end - a->kinds[CLUMP_CALL_FINALIZE].seconds);
    }
    if (!(t->begin < t->end)) {
        t->begin = 0;
        t->end = fmax(about.seconds, 1e-9);
    }
}

clump_recording_status clump_timeline_make(clump_recording *recording, size_t columns,
                                           size_t most_ranks, clump_timeline *timeline)
{
    const size_t ranks = clump_recording_describe(recording).ranks;
    const clump_matching_listener listener = {.call = collect, .context = timeline};
    *timeline = (clump_timeline){.ranks = ranks < most_ranks ? ranks : most_ranks,
                                 .columns = columns > 0 ? columns : 1};
    find_range(recording, timeline);
    timeline->seconds = calloc(timeline->ranks * timeline->columns + 1,
                               CLUMP_TIMELINE_STATES * sizeof *timeline->seconds);
    if (timeline->seconds == NULL)
        return CLUMP_RECORDING_NO_MEMORY;
    const clump_recording_status status = clump_recording_match(recording, &listener, NULL);
    if (status != CLUMP_RECORDING_OK) {
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
    return CLUMP_RECORDING_OK;
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
