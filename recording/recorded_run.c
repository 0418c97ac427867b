/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recording as a run, of which facts are made: its calls of all ranks in the order of time, so that little is open at once. */
#include "recording/facts.h"

#include "recording/stretch.h"

#include <stdio.h>
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

static clump_facts_status fail(clump_recording *recording, char message[CLUMP_FACTS_MESSAGE])
{
    snprintf(message, CLUMP_FACTS_MESSAGE, "%s", clump_recording_message(recording));
    return CLUMP_FACTS_INPUT;
}

static clump_facts_status open_streams(merge *m, size_t first, size_t count,
                                       char message[CLUMP_FACTS_MESSAGE])
{
    m->count = m->open = 0;
    for (size_t i = 0; i < count; i++) {
        stream *s = &m->streams[i];
        s->rank = first + i;
        if (clump_recording_calls_open(m->recording, s->rank, &s->calls) != CLUMP_RECORDING_OK)
            return fail(m->recording, message);
        m->open++;
        const int got = clump_recording_next(s->calls, &s->call);
        if (got < 0)
            return fail(m->recording, message);
        if (got > 0)
            m->heap[m->count++] = i;
    }
    for (size_t i = m->count / 2; i-- > 0;)
        sift_down(m, i);
    return CLUMP_FACTS_OK;
}

static clump_facts_status merge_streams(merge *m, clump_matching *matching,
                                        char message[CLUMP_FACTS_MESSAGE])
{
    while (m->count > 0) {
        stream *s = &m->streams[m->heap[0]];
        clump_matching_add(matching, s->rank, &s->call);
        const int got = clump_recording_next(s->calls, &s->call);
        if (got < 0)
            return fail(m->recording, message);
        if (got == 0)
            m->heap[0] = m->heap[--m->count];
        sift_down(m, 0);
    }
    return CLUMP_FACTS_OK;
}

clump_facts_status clump_recording_match(clump_recording *recording, clump_matching *matching,
                                         char message[CLUMP_FACTS_MESSAGE])
{
    merge m = {.recording = recording};
    const size_t ranks = clump_recording_describe(recording).ranks;
    const size_t most = ranks < MOST_OPEN ? ranks : MOST_OPEN;
    clump_facts_status status = CLUMP_FACTS_OK;
    m.streams = calloc(most + 1, sizeof *m.streams);
    m.heap = calloc(most + 1, sizeof *m.heap);
    if (m.streams == NULL || m.heap == NULL) {
        snprintf(message, CLUMP_FACTS_MESSAGE, "out of memory");
        status = CLUMP_FACTS_FAILED;
    }
    for (size_t first = 0; first < ranks && status == CLUMP_FACTS_OK; first += most) {
        const size_t left = ranks - first;
        status = open_streams(&m, first, left < most ? left : most, message);
        if (status == CLUMP_FACTS_OK)
            status = merge_streams(&m, matching, message);
        for (size_t i = 0; i < m.open; i++)
            clump_recording_calls_close(m.streams[i].calls);
    }
    free(m.streams);
    free(m.heap);
    return status;
}

static clump_facts_status pass(const clump_run *run, clump_matching *matching,
                               char message[CLUMP_FACTS_MESSAGE])
{
    return clump_recording_match(run->source, matching, message);
}

static clump_recording_members members(const clump_run *run, uint32_t number)
{
    return clump_recording_communicator(run->source, number);
}

/* Without digests of the files. */
static clump_facts_status facts_of_open(clump_recording *recording, clump_facts **facts,
                                        char message[CLUMP_FACTS_MESSAGE])
{
    const clump_recording_about about = clump_recording_describe(recording);
    clump_run_rank *ranks = calloc(about.ranks + 1, sizeof *ranks);
    const char **hosts = calloc(about.nodes + 1, sizeof *hosts);
    clump_facts_status status = CLUMP_FACTS_FAILED;
    *facts = NULL;
    if (ranks == NULL || hosts == NULL) {
        snprintf(message, CLUMP_FACTS_MESSAGE, "out of memory");
    } else {
        for (size_t i = 0; i < about.ranks; i++) {
            const clump_recording_rank rank = clump_recording_rank_of(recording, i);
            ranks[i] =
                (clump_run_rank){.node = rank.missing ? 0 : rank.node,
                                 .account = rank.missing ? NULL : rank.account,
                                 .ended = !rank.missing && rank.end == CLUMP_RECORDING_FINALIZED};
        }
        for (size_t i = 0; i < about.nodes; i++)
            hosts[i] = clump_recording_host(recording, i);
        const clump_run run = {.origin = "recording",
                               .program = about.program,
                               .command = about.command,
                               .library = about.library,
                               .started = about.start_ns > 0 ? about.start : NULL,
                               .ranks = about.ranks,
                               .nodes = about.nodes,
                               .rank = ranks,
                               .host = hosts,
                               .communicators = about.communicators,
                               .members = members,
                               .pass = pass,
                               .source = recording};
        status = clump_facts_of_run(&run, facts, message);
    }
    free(ranks);
    free(hosts);
    return status;
}

static clump_facts_status add_files(const clump_recording *recording, clump_facts *facts,
                                    char message[CLUMP_FACTS_MESSAGE])
{
    const size_t ranks = clump_recording_describe(recording).ranks;
    clump_facts_status status = CLUMP_FACTS_OK;
    for (size_t i = 0; i < ranks && status == CLUMP_FACTS_OK; i++) {
        const clump_recording_rank rank = clump_recording_rank_of(recording, i);
        const bool cut = rank.end == CLUMP_RECORDING_CUT;
        if (!rank.missing)
            status =
                clump_facts_add_file(facts, rank.file, cut ? (int64_t)rank.cut_at : -1, message);
    }
    return status;
}

clump_facts_status clump_facts_of_recording(const char *folder, bool digests, clump_facts **facts,
                                            char message[CLUMP_FACTS_MESSAGE])
{
    clump_recording *recording = NULL;
    *facts = NULL;
    const clump_recording_status opened = clump_recording_open(folder, &recording);
    clump_facts_status status = CLUMP_FACTS_FAILED;
    if (opened == CLUMP_RECORDING_OK)
        status = facts_of_open(recording, facts, message);
    else if (opened == CLUMP_RECORDING_INPUT)
        status = CLUMP_FACTS_INPUT;
    if (opened != CLUMP_RECORDING_OK)
        snprintf(message, CLUMP_FACTS_MESSAGE, "%s",
                 recording != NULL ? clump_recording_message(recording) : "out of memory");
    if (status == CLUMP_FACTS_OK && digests)
        status = add_files(recording, *facts, message);
    if (status == CLUMP_FACTS_OK && digests)
        status = clump_recorded_stretch_add(recording, *facts, message);
    if (status != CLUMP_FACTS_OK) {
        clump_facts_free(*facts);
        *facts = NULL;
    }
    clump_recording_close(recording);
    return status;
}
