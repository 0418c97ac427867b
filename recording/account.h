/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_ACCOUNT_H
#define CLUMP_RECORDING_ACCOUNT_H

/*
 * The totals of a rank: made call by call, while the program runs or when an archive is read. Memory is bounded, however many
 * calls there are.
 */

#include "recording/call.h"
#include "recording/open_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct clump_account_kind {
    uint64_t calls;
    double
        seconds; /**< from begin to end, of all calls of the kind; of threads at once each counts */
    uint64_t bytes, bytes_received;
} clump_account_kind;

/** Messages that the program itself asked for; those of collectives are not among them. */
typedef enum clump_traffic_kind {
    CLUMP_TRAFFIC_SENT,     /**< to the peer, when the send began */
    CLUMP_TRAFFIC_RECEIVED, /**< from the peer, when the receive was completed */
    CLUMP_TRAFFIC_PUT,      /**< one-sided: to the peer (put, accumulate) */
    CLUMP_TRAFFIC_GOT,      /**< one-sided: from the peer (get, fetching accumulates) */
    CLUMP_TRAFFIC_KINDS
} clump_traffic_kind;

typedef struct clump_account_traffic {
    int peer; /**< rank of MPI_COMM_WORLD; -1: another world, or unknown */
    clump_traffic_kind kind;
    unsigned size_class; /**< clump_size_class */
    uint64_t messages, bytes;
} clump_account_traffic;

typedef struct clump_account_collective {
    clump_call_kind kind;
    bool nonblocking;
    uint32_t
        communicator; /**< number of the calls; from a recording's reader that of the whole recording */
    int root;         /**< rank of MPI_COMM_WORLD, -1: none */
    unsigned size_class; /**< of the greater one of bytes and bytes_received of a call */
    uint64_t calls, bytes, bytes_received;
    double seconds; /**< inside these calls; of non-blocking ones without the waits */
} clump_account_collective;

/** Stretches of time inside MPI that later calls of other threads may still overlap. */
#define CLUMP_ACCOUNT_STRETCHES 64

typedef struct clump_account {
    double begin, end; /**< of what was recorded, s: start of the rank, end of its last call */
    double
        inside; /**< s in which at least one thread was in MPI; end - begin - inside is computation by the wall clock */
    double processor; /**< s of processor time between calls, of all threads */
    double
        elsewhere; /**< part of it: of threads that do not call MPI, while the one that does slept */
    double
        delayed; /**< s between calls in which threads were ready to run, and others had the processors */
    uint64_t calls;   /**< MPI calls */
    uint64_t entries; /**< clump_recorded_call's that were added */
    uint32_t threads; /**< that called MPI */
    clump_account_kind kinds[CLUMP_CALL_KINDS];

    clump_account_traffic *traffic; /**< in the order in which they were met */
    size_t traffic_count;
    clump_account_collective *collectives;
    size_t collective_count;

    /** q_seconds[q]: s in which q ranks of the node were inside MPI, as far as this rank has counted them: a node's histogram is
     *  the sum over its ranks. Set by whoever counts; NULL if nobody did. */
    double *q_seconds;
    size_t q_count; /**< number of its elements: ranks of the node + 1; 0: not counted */
    uint32_t
        q_dead; /**< ranks of the node that this one found dead inside MPI and took out of the count */
    uint32_t q_mistrusted; /**< values in shared memory that could not be true */

    uint64_t requests_lost;   /**< not followed: too many at once, or not known when completed */
    uint64_t requests_most;   /**< at once */
    double requests_integral; /**< in flight times s; divided by end - begin the mean */

    /* What the writer of the trace says about itself. */
    uint64_t traced_entries; /**< entries that are in the trace */
    uint64_t traced_calls;   /**< MPI calls that these stand for */
    double trace_end;        /**< s; until then the trace has all calls */
    int write_error; /**< errno of a write that failed (disk full), 0: none. The trace ends there */
    uint64_t lost;   /**< entries that are missing in traffic or collectives for want of memory */

    /* For adding. */
    uint64_t requests_now;
    double requests_since;
    struct {
        double begin, end;
    } stretch[CLUMP_ACCOUNT_STRETCHES];
    size_t stretches;
    clump_table traffic_places, collective_places;
    size_t traffic_room, collective_room;
} clump_account;

/** An account that begins at `begin` (s). */
void clump_account_start(clump_account *account, double begin);

/** What was allocated. */
void clump_account_free(clump_account *account);

/**
 * Add a call; those of a thread in the order of their beginning, those of several as they end. A `begin` before what was
 * added of the same thread, or an end before the begin, is taken as if it were 0 s long. Cost: some 50 ns; memory is allocated
 * where peers, sizes or communicators are new, and if there is none `lost` counts.
 */
void clump_account_add(clump_account *account, const clump_recorded_call *call);

/** Time with q ranks inside MPI; q_count must be set and q below it. */
void clump_account_q(clump_account *account, size_t q, double seconds);

/** Make room for q = 0 to `ranks`; false: no memory. */
bool clump_account_count_q(clump_account *account, size_t ranks);

/**
 * As bytes for a file (little endian, varints): returns the length, also when `capacity` is too small, when `bytes` is left
 * unfinished; NULL with capacity 0 tells the length.
 */
size_t clump_account_pack(const clump_account *account, unsigned char *bytes, size_t capacity);

/**
 * The account of these bytes, checked: all numbers within what they may be. Returns 0, or 1 + the place of the first byte that cannot be;
 * SIZE_MAX without memory. `account` needs clump_account_free only after 0.
 */
size_t clump_account_unpack(clump_account *account, const unsigned char *bytes, size_t length);

#endif
