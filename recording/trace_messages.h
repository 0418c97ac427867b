/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_TRACE_MESSAGES_H
#define CLUMP_RECORDING_TRACE_MESSAGES_H

/*
 * Internal to recording/. Messages of a recording that is read rank by rank get numbers: those of sender, receiver, communicator and tag are
 * counted on both sides, in the order in which sends are called and receives posted.
 */

#include "recording/open_table.h"
#include "recording/recording.h"

typedef struct trace_end {
    bool sends;       /**< or receives */
    uint32_t channel; /**< of sender, receiver, communicator and tag */
    uint32_t number;  /**< of the message on it, from 0 on */
    uint64_t bytes;   /**< of sends */
    int peer, tag;
} trace_end;

typedef struct trace_messages {
    clump_table tags, channels, requests;
    clump_pool counts, open;
    uint32_t tag_count;
    bool no_memory;
} trace_messages;

void trace_messages_make(trace_messages *m);
void trace_messages_release(trace_messages *m);

/** Requests are those of another rank from now on. */
void trace_messages_rank(trace_messages *m);

typedef void trace_end_fn(void *context, const trace_end *end);

/** What of a rank's call sends or receives messages is told, in order. */
void trace_messages_add(trace_messages *m, uint32_t rank, size_t ranks,
                        const clump_recorded_call *call, trace_end_fn *fn, void *context);

#endif
