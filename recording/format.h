/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_FORMAT_H
#define CLUMP_RECORDING_FORMAT_H

/*
 * The file of a rank, rank-NNNNNN.clumprec. All numbers are little endian.
 *
 *   16 bytes    "clumprec", version (4 bytes), 0 (4 bytes)
 *   blocks      24 bytes: "blk:", type (4), length of what follows (8), CRC-32 of what follows (4), CRC-32 of the 16 bytes
 *               before (4); then `length` bytes
 *
 * Types: HEADER (first, once); CALLS (packed calls); COMMUNICATOR (before the first call on it); ACCOUNT (totals so far, padded with zeroes:
 * there are two or more, written in turn over the older one, so that one is whole whenever the process is killed; that with the
 * greatest sequence number counts); END (last, once).
 *
 * Times of calls are ns since the start of the rank.
 */

#include "recording/call.h"
#include "recording/pack.h"

#include <stddef.h>
#include <stdint.h>

#define CLUMP_RECORDING_MAGIC "clumprec"
#define CLUMP_RECORDING_BLOCK "blk:"
#define CLUMP_RECORDING_SUFFIX ".clumprec"
enum {
    CLUMP_RECORDING_VERSION =
        2, /**< 1 did not say which receives were for anybody, nor what a library sends by */
    CLUMP_RECORDING_FIRST = 16, /**< bytes before the first block */
    CLUMP_RECORDING_HEAD = 24   /**< bytes before what is in a block */
};

/** Greatest block that a reader takes: more than any that is written. */
#define CLUMP_RECORDING_BLOCK_MOST (UINT64_C(1) << 28)

typedef enum clump_block_type {
    CLUMP_BLOCK_HEADER = 1,
    CLUMP_BLOCK_CALLS,
    CLUMP_BLOCK_COMMUNICATOR,
    CLUMP_BLOCK_ACCOUNT,
    CLUMP_BLOCK_END
} clump_block_type;

/** What a rank says about itself. Texts are kept by the caller. */
typedef struct clump_rank_header {
    uint32_t rank, ranks;
    const char *host; /**< name of the node; emulated ones have one each */
    uint64_t pid;
    const char *library; /**< "Open MPI v4.1.4" */
    const char *program; /**< path as it was called */
    const char *command; /**< command line */
    int64_t start_ns;    /**< UTC, ns since 1970: time 0 of this rank's calls */
    int64_t steady_ns;   /**< the same moment on the steady clock of its node (CLOCK_MONOTONIC) */
    uint64_t boot;       /**< tells steady clocks apart: hash of the node's boot id */
    int64_t
        offset_ns; /**< to be added to start_ns for the clock of rank 0, as messages told; 0: not measured */
    uint64_t error_ns;   /**< how wrong that may be; UINT64_MAX: not measured */
    int thread_level;    /**< that MPI gave: 0 single to 3 multiple */
    uint32_t node_ranks; /**< ranks of this node */
} clump_rank_header;

/** As bytes of a block, as clump_account_pack(). */
size_t clump_header_pack(const clump_rank_header *header, unsigned char *bytes, size_t capacity);

/** The head of a block that holds these bytes. */
void clump_block_head(unsigned char head[CLUMP_RECORDING_HEAD], clump_block_type type,
                      const unsigned char *bytes, size_t length);

/** Bits of what a packed call says beside its kind and times. */
enum {
    CLUMP_HAS_PROCESSOR = 1, /* processor time that is not the length of the gap */
    CLUMP_HAS_PEER = 2,
    CLUMP_HAS_TAG = 4,
    CLUMP_HAS_BYTES = 8,
    CLUMP_HAS_RECEIVED = 16,
    CLUMP_HAS_COMMUNICATOR = 32,
    CLUMP_HAS_REQUESTS = 64,
    CLUMP_HAS_MORE = 128 /* thread, number of calls, second peer, and a byte of these: seldom */
};
enum {
    CLUMP_MORE_NONBLOCKING = 1,
    CLUMP_MORE_ANY = 4,
    CLUMP_MORE_TAG = 2 /* tag of what a SENDRECV received; else it is the tag */
};

/** State of packing or unpacking the calls of a block: each block begins anew, so that it can be read alone. */
typedef struct clump_call_state {
    int64_t end_ns;
    uint64_t request; /**< number of the last request */
    int peer, tag;
    uint32_t thread;
} clump_call_state;

/** Most bytes of a call with that many requests. */
#define CLUMP_CALL_MOST(requests) (120 + 40 * (size_t)(requests))

/** There must be room for CLUMP_CALL_MOST; where there is not, nothing is written. */
void clump_call_pack(clump_packer *packer, clump_call_state *state,
                     const clump_recorded_call *call);

/** A communicator: its number, how many with the same members were made before it, and the members in the order of their ranks
 *  in it, as stretches (first, count, step). */
size_t clump_communicator_pack(uint32_t number, uint32_t ordinal, const uint32_t *ranks,
                               size_t count, unsigned char *bytes, size_t capacity);

#endif
