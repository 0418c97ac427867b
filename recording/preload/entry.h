/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_PRELOAD_ENTRY_H
#define CLUMP_RECORDING_PRELOAD_ENTRY_H

/*
 * What every entry point does: clump_entry_begin, the call of MPI, what is to be told of it (actions.h), clump_entry_end. The entry points
 * themselves are made from calls.table by wrappers.awk.
 */

#include "recording/call.h"
#include "recording/preload/library.h"
#include "recording/preload/requests.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A call that is under way. */
typedef struct clump_entry {
    clump_recorded_call call;
    int64_t begin_ns;
    bool locked;
    uintptr_t *before; /**< handles of requests before the call; NULL: none, or no memory */
    uint64_t *
        numbers; /**< of these requests, where threads call MPI at once: after the call a handle may be another's. NULL: look
                            for the handle alone */
    int before_count;
    uintptr_t message;       /**< handle of a matched message before the call */
    uint64_t message_number; /**< as `numbers` */
    clump_call_request own
        [2]; /**< what `call.request` points to, if it is one request: a send and a receive may be one */
    size_t room;                         /**< else: how many */
    clump_neighbour_messages neighbours; /**< of a collective among neighbours; `each` NULL: none */
} clump_entry;

/** A thread enters MPI. False: nothing is recorded (a call from inside MPI, before MPI_Init, in a child of fork); then the call
 *  is passed on, and clump_entry_end must not be called. */
bool clump_entry_begin(clump_entry *entry, clump_call_kind kind);

/** It leaves, and the call is recorded. */
void clump_entry_end(clump_entry *entry);

/** One more call of zero length before this one, as for all requests but the last of MPI_Startall. The first of them takes over what was
 *  computed before the call. */
void clump_entry_more(clump_entry *entry, const clump_recorded_call *call);

/** What all threads share may be touched between these two; the lock is taken only if MPI gave MPI_THREAD_MULTIPLE. */
void clump_entry_lock(clump_entry *entry);
void clump_entry_unlock(clump_entry *entry);

/** Requests and matched messages of the rank; while locked. */
clump_requests *clump_entry_requests(void);
clump_requests *clump_entry_messages(void);
/** Several threads may call MPI at once. */
bool clump_entry_threads(void);
uint64_t clump_entry_next_request(void);
void clump_entry_lost_request(void);

/** Memory of this thread for n things of a size; NULL if there is none. There are CLUMP_SCRATCHES of them. */
enum {
    CLUMP_SCRATCH_HANDLES,
    CLUMP_SCRATCH_NUMBERS,
    CLUMP_SCRATCH_STATUSES,
    CLUMP_SCRATCH_REQUESTS,
    CLUMP_SCRATCH_NEIGHBOURS, /* ranks, and messages to and from them */
    CLUMP_SCRATCH_MESSAGES,
    CLUMP_SCRATCH_FORTRAN_REQUESTS,
    CLUMP_SCRATCH_FORTRAN_STATUSES,
    CLUMP_SCRATCH_FORTRAN_TYPES, /* two: to send, to receive */
    CLUMP_SCRATCH_INDICES = CLUMP_SCRATCH_FORTRAN_TYPES + 2,
    CLUMP_SCRATCHES
};
void *clump_entry_scratch(int which, size_t count, size_t size);

/** MPI_Init or MPI_Init_thread is about to be called, and has returned. `all`: a communicator of all processes; they all come here. */
int64_t clump_entry_before_init(void);
void clump_entry_after_init(int64_t begin_ns, bool done, MPI_Comm all);
/** MPI_Finalize or MPI_Session_finalize is about to be called. Where something else of MPI is still open it is a call like others. */
bool clump_entry_begin_end(clump_entry *entry);
/** It has returned: the recording ends with the last one. MPI_Abort is about to be called. */
void clump_entry_finalized(clump_entry *entry);
void clump_entry_abort(void);

/** MPI is open once more, by a session (MPI_Init does it by itself), and once less. */
void clump_entry_opened(void);
void clump_entry_closed(void);
/** Nothing was recorded yet. */
bool clump_entry_is_off(void);
/** Steady clock. */
int64_t clump_entry_now(void);

#if MPI_VERSION >= 4
/** A session was opened, or is closed. */
void clump_session_opened(MPI_Session session);
void clump_session_closed(MPI_Session session);
/** A communicator was made while nothing is recorded yet: if it has all processes the recording begins. MPI_COMM_NULL: none. */
void clump_session_communicator(MPI_Comm comm);
#endif

#endif
