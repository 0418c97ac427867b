/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls of all ranks are added in the order of time, so that little is open at once. */
#include "recording/matched_calls.h"

#include <stdlib.h>

/* Files that are open at a time; of more ranks groups are read one after the other. */
enum { MOST_OPEN = 400 };

typedef struct stream {
    size_t rank;
    clump_recording_calls *calls;
    clump_recorded_call call; /* the next one */
} stream;

typedef struct merge {
    clump_recording *recording;
    stream *streams;
    size_t *heap; /* of streams, the earliest call on top */
    size_t count, open;
} merge;

static bool is_before(const merge *m, size_t a, size_t b)
{
    const double x = m->streams[a].call.begin, y = m->streams[b].call.begin;
    return x < y || (x <= y && a < b);
}

static void sift_down(merge *m, size_t at)
{
    for (;;) {
        size_t least = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < m->count; child++)
            if (is_before(m, m->heap[child], m->heap[least]))
                least = child;
        if (least == at)
            return;
        const size_t other = m->heap[least];
        m->heap[least] = m->heap[at];
        m->heap[at] = other;
        at = least;
    }
}

static clump_recording_status open_streams(merge *m, size_t first, size_t count)
{
    m->count = m->open = 0;
    for (size_t i = 0; i < count; i++) {
        stream *s = &m->streams[i];
        s->rank = first + i;
        const clump_recording_status opened =
            clump_recording_calls_open(m->recording, s->rank, &s->calls);
        if (opened != CLUMP_RECORDING_OK)
            return opened;
        m->open++;
        const int got = clump_recording_next(s->calls, &s->call);
        if (got < 0)
            return CLUMP_RECORDING_INPUT;
        if (got > 0)
            m->heap[m->count++] = i;
    }
    for (size_t i = m->count / 2; i-- > 0;)
        sift_down(m, i);
    return CLUMP_RECORDING_OK;
}

static clump_recording_status merge_streams(merge *m, clump_matching *matching)
{
    while (m->count > 0) {
        stream *s = &m->streams[m->heap[0]];
        clump_matching_add(matching, s->rank, &s->call);
        const int got = clump_recording_next(s->calls, &s->call);
        if (got < 0)
            return CLUMP_RECORDING_INPUT;
        if (got == 0)
            m->heap[0] = m->heap[--m->count];
        sift_down(m, 0);
    }
    return CLUMP_RECORDING_OK;
}

static clump_recording_status add_all(clump_recording *recording, clump_matching *matching)
{
    merge m = {.recording = recording};
    const size_t ranks = clump_recording_describe(recording).ranks;
    const size_t most = ranks < MOST_OPEN ? ranks : MOST_OPEN;
    clump_recording_status status = CLUMP_RECORDING_OK;
    m.streams = calloc(most + 1, sizeof *m.streams);
    m.heap = calloc(most + 1, sizeof *m.heap);
    if (m.streams == NULL || m.heap == NULL)
        status = CLUMP_RECORDING_NO_MEMORY;
    for (size_t first = 0; first < ranks && status == CLUMP_RECORDING_OK; first += most) {
        const size_t left = ranks - first;
        status = open_streams(&m, first, left < most ? left : most);
        if (status == CLUMP_RECORDING_OK)
            status = merge_streams(&m, matching);
        for (size_t i = 0; i < m.open; i++)
            clump_recording_calls_close(m.streams[i].calls);
    }
    free(m.streams);
    free(m.heap);
    if (status == CLUMP_RECORDING_OK)
        clump_matching_finish(matching);
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

clump_recording_status clump_recording_match(clump_recording *recording,
                                             const clump_matching_listener *listener,
                                             clump_matching **matching)
{
    clump_matching *m = matching_of(recording);
    clump_recording_status status = m != NULL ? CLUMP_RECORDING_OK : CLUMP_RECORDING_NO_MEMORY;
    if (matching != NULL)
        *matching = NULL;
    if (status == CLUMP_RECORDING_OK && clump_recording_describe(recording).nodes > 1) {
        status = add_all(recording, m);
        clump_matching_again(m);
    }
    if (status == CLUMP_RECORDING_OK) {
        if (listener != NULL)
            clump_matching_tell(m, listener);
        status = add_all(recording, m);
    }
    if (status == CLUMP_RECORDING_OK && matching != NULL)
        *matching = m;
    else
        clump_matching_free(m);
    return status;
}

bool clump_recording_find_init(clump_recording *recording, size_t rank, clump_recorded_call *init)
{
    enum { FIRST_CALLS = 16 };
    clump_recording_calls *calls = NULL;
    bool found = false;
    if (clump_recording_calls_open(recording, rank, &calls) != CLUMP_RECORDING_OK)
        return false;
    for (int i = 0; i < FIRST_CALLS && !found && clump_recording_next(calls, init) > 0; i++)
        found = init->kind == CLUMP_CALL_INIT;
    clump_recording_calls_close(calls);
    return found;
}
