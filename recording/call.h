/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_CALL_H
#define CLUMP_RECORDING_CALL_H

/*
 * A call of MPI as it was recorded, whatever the source: the preloaded library makes them while the
 * program runs, readers take them from files and archives.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Kinds of calls, and what `bytes` and `bytes_received` of a call mean. Peers are ranks of MPI_COMM_WORLD; -1 is none
 * (MPI_PROC_NULL, or a process of another MPI_COMM_WORLD).
 */
typedef enum clump_call_kind {
    CLUMP_CALL_SEND,    /**< all blocking sends. bytes: of the message to `peer` */
    CLUMP_CALL_RECEIVE, /**< bytes_received: of the message that came from `peer` */
    CLUMP_CALL_ISEND, /**< also a persistent one, at its start; starts one request. bytes: to `peer` */
    CLUMP_CALL_IRECEIVE, /**< likewise. bytes_received: 0, what came is in the request that completes it; `peer`: what was
                              asked for, -1 for MPI_ANY_SOURCE */
    CLUMP_CALL_SENDRECV, /**< bytes to `peer`, bytes_received from `peer_receive` */
    CLUMP_CALL_WAIT,     /**< MPI_Wait, Waitall, Waitany, Waitsome: completes `requests` of them */
    CLUMP_CALL_TEST, /**< MPI_Test..., probes, MPI_Request_get_status; completes 0 or more requests. Also MPI_Request_free
                        of one that is under way */
    CLUMP_CALL_BARRIER,
    CLUMP_CALL_BROADCAST, /**< bytes: at the root; bytes_received: elsewhere; `peer`: the root */
    CLUMP_CALL_REDUCE,    /**< bytes: the vector; bytes_received: the same at the root, else 0 */
    CLUMP_CALL_ALLREDUCE, /**< both: the vector */
    CLUMP_CALL_GATHER,    /**< bytes: own part; bytes_received: at the root that of all */
    CLUMP_CALL_SCATTER,   /**< bytes: at the root that of all; bytes_received: own part */
    CLUMP_CALL_ALLGATHER, /**< bytes: own part; bytes_received: that of all */
    CLUMP_CALL_ALLTOALL, /**< bytes: to all together; bytes_received: from all; the own part is among them */
    CLUMP_CALL_REDUCE_SCATTER, /**< bytes: the whole vector; bytes_received: own part of the result */
    CLUMP_CALL_SCAN,           /**< both: the vector (also MPI_Exscan) */
    CLUMP_CALL_NEIGHBOUR, /**< bytes: to all neighbours together; bytes_received: from them. With the tag
                                    CLUMP_CALL_TAG_NEIGHBOUR its messages are ISEND and IRECEIVE before it, of length zero, with `calls` 0
                                    and that tag; a blocking one completes them */
    CLUMP_CALL_PUT,       /**< bytes: to `peer` */
    CLUMP_CALL_GET,       /**< bytes_received: from `peer` */
    CLUMP_CALL_ACCUMULATE, /**< bytes: to `peer`; bytes_received: what comes back from it */
    CLUMP_CALL_SYNCHRONIZE, /**< fences, locks, flushes, and what opens and closes epochs; `peer`: of a lock */
    CLUMP_CALL_INIT,
    CLUMP_CALL_FINALIZE,
    CLUMP_CALL_MARK,  /**< MPI_Pcontrol; `tag` is its level */
    CLUMP_CALL_OTHER, /**< communicators, windows, files, ... */
    CLUMP_CALL_KINDS
} clump_call_kind;

/** "send", "allreduce", ...: constant; "?" for what is none. */
const char *clump_call_name(clump_call_kind kind);

/** BARRIER to NEIGHBOUR: all ranks of a communicator take part. */
bool clump_call_is_collective(clump_call_kind kind);

/** What a request is for. */
typedef enum clump_request_kind {
    CLUMP_REQUEST_SEND,
    CLUMP_REQUEST_RECEIVE,
    CLUMP_REQUEST_COLLECTIVE,
    CLUMP_REQUEST_OTHER, /**< one-sided, files, generalized */
    CLUMP_REQUEST_KINDS
} clump_request_kind;

/** A request that a call starts or completes. */
typedef struct clump_call_request {
    uint64_t number; /**< counted by the rank from 1; a persistent request has one for each start */
    clump_request_kind
        kind; /**< where it ends, OTHER also of a message: it was freed while it was under way, nobody
                                waits for it */
    int peer;       /**< completed receive: the true source; else -1 */
    int tag;        /**< completed receive: the true tag; else -1 */
    uint64_t bytes; /**< completed receive: what came; else 0 */
} clump_call_request;

/**
 * One call. Times are seconds since the recording's beginning (the earliest start of a rank, as far as the clocks of nodes can
 * tell). Calls of a thread come in the order of their beginning, those of several threads in that of their ends.
 */
typedef struct clump_recorded_call {
    clump_call_kind kind;
    double begin, end;
    double
        processor; /**< s of processor time of this thread between its call before and this one; where the gap is shorter
                           than CLUMP_CALL_SHORT_GAP it is the length of the gap */
    int peer;      /**< partner or root; -1: none. Of receives the true source */
    int peer_receive; /**< SENDRECV: true source; else -1 */
    int tag;          /**< -1: none (MPI_ANY_TAG of an IRECEIVE) */
    int tag_receive;  /**< SENDRECV: of what came; else -1 */
    uint64_t bytes, bytes_received;
    uint32_t
        communicator; /**< 0: MPI_COMM_WORLD; CLUMP_COMMUNICATOR_UNKNOWN; see clump_recording_communicator */
    uint32_t
        calls; /**< how many MPI calls this stands for: 1; more for calls in a row, less than 2 us apart, that
                                tested in vain; 0 where one
                                call (MPI_Startall) starts several requests, for all but the first, if they are no collectives */
    bool nonblocking; /**< a collective that starts a request */
    bool
        any; /**< RECEIVE, IRECEIVE: it was for a message of anybody, or a probe of anybody had found it */
    uint32_t requests;                 /**< how many it starts or completes */
    const clump_call_request *request; /**< valid until the next call is read */
    uint32_t
        thread; /**< 0: the first one that called MPI; one that has ended may give its number to another. Below
                                            CLUMP_CALL_THREADS_MOST */
} clump_recorded_call;

/** WAIT, TEST and a blocking NEIGHBOUR complete their requests; all others start theirs. */
bool clump_call_completes(const clump_recorded_call *call);

/** The tag of messages among neighbours. Those of programs are not negative, and go up to INT_MAX; -1 is any. */
#define CLUMP_CALL_TAG_NEIGHBOUR (-5)

/** A collective among neighbours of which the messages are not known: those of archives, and of older recordings. */
bool clump_call_hides_messages(const clump_recorded_call *call);

/** Gaps up to that many seconds are taken as processor time: to read it takes longer than is worth it. */
#define CLUMP_CALL_SHORT_GAP 20e-6

/** Numbers of threads are below that; what is beyond them has the last one. */
#define CLUMP_CALL_THREADS_MOST 65536u

#define CLUMP_COMMUNICATOR_WORLD 0u
/** More communicators than are kept, or one that could not be looked into. */
#define CLUMP_COMMUNICATOR_UNKNOWN UINT32_MAX

/** A call of that kind with nothing in it: no peers, no tag, one call. */
clump_recorded_call clump_call_of(clump_call_kind kind, double begin, double end);

/**
 * Class of a size: 0 for 0 bytes, 1 for 1 byte, and k for 2^(k-2) + 1 to 2^(k-1) bytes: 11 is up to 1024 bytes. At most
 * CLUMP_SIZE_CLASSES - 1.
 */
#define CLUMP_SIZE_CLASSES 66
unsigned clump_size_class(uint64_t bytes);

#endif
