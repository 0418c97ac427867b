/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_WRITER_H
#define CLUMP_RECORDING_WRITER_H

/*
 * Writes the file of a rank. Needs nothing but the C library: it runs inside other people's programs. After a write that failed (disk
 * full) it goes on counting, and says so in the account, whose place in the file was taken at the start.
 */

#include "recording/account.h"
#include "recording/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct clump_recording_writer {
    int file; /**< -1: not open */
    clump_account account;
    uint64_t trace_limit; /**< bytes of calls */
    uint64_t trace_bytes;
    bool tracing;
    unsigned char *buffer; /**< calls of the block that is being made */
    size_t used, capacity;
    uint64_t kept_entries, kept_calls; /**< that are in the buffer */
    double written_end;                /**< s: until then calls are in the file */
    clump_call_state state;
    uint64_t end; /**< of the file */
    struct {
        uint64_t at; /**< of the block, 0: none */
        size_t size;
    } slot[2]; /**< where accounts are */
    uint64_t sequence;
    unsigned char *scratch; /**< for an account */
    size_t scratch_size;
} clump_recording_writer;

/**
 * Make the file `path`, which must not exist. Returns 0 or errno; then nothing is open. `trace_limit`: bytes of calls that are
 * written at most. Memory: some 250 KB and what the account takes.
 */
int clump_writer_open(clump_recording_writer *writer, const char *path,
                      const clump_rank_header *header, uint64_t trace_limit);

/** Add a call, to the account and, below the limit, to the trace. */
void clump_writer_add(clump_recording_writer *writer, const clump_recorded_call *call);

/** Define communicator `number`; before the first call on it. */
void clump_writer_communicator(clump_recording_writer *writer, uint32_t number, uint32_t ordinal,
                               const uint32_t *ranks, size_t count);

/** Write the calls in the buffer, and the account. From here on a killed process leaves what was before. */
void clump_writer_flush(clump_recording_writer *writer);

/** Flush, say how the program ended (a clump_recording_end other than CUT), and close. */
void clump_writer_close(clump_recording_writer *writer, int end);

/** Close without writing, as in a child of fork, which must leave its parent's file alone. */
void clump_writer_drop(clump_recording_writer *writer);

#endif
