/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_PRELOAD_ACTIONS_H
#define CLUMP_RECORDING_PRELOAD_ACTIONS_H

/*
 * What entry points tell of a call: the words of calls.table. Each gets the entry, and what MPI was given, in its terms; handles,
 * ranks of communicators and datatypes become requests, ranks of the world and bytes here.
 */

#include "recording/preload/entry.h"
#include "recording/preload/library.h"

#include <stdbool.h>

#define CLUMP_ENTRY __attribute__((visibility("default")))

/* What a library has: MPICH since 4.0, Open MPI since 5.0 (persistent collectives; in 4.1 they begin with MPIX_). */
#if MPI_VERSION >= 4
#define CLUMP_HAS_MPI_4
#endif
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define CLUMP_HAS_PERSISTENT
#elif defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ
#define CLUMP_HAS_PERSISTENT_AS_EXTENSION
#endif
#endif

/** Counts of the parts of a collective, of either width: one of both is NULL, or both. */
typedef struct clump_counts {
    const int *narrow;
    const MPI_Count *wide;
} clump_counts;

static inline clump_counts clump_counts_narrow(const int *counts)
{
    return (clump_counts){counts, NULL};
}

static inline clump_counts clump_counts_wide(const MPI_Count *counts)
{
    return (clump_counts){NULL, counts};
}

#define CLUMP_COUNTS(counts)                                                                       \
    _Generic((counts), const int *                                                                 \
             : clump_counts_narrow, const MPI_Count *                                              \
             : clump_counts_wide)(counts)

/** Parts of a collective: n of a type each; counts of one type; or counts and types. */
typedef struct clump_parts {
    MPI_Count n;
    clump_counts counts;
    MPI_Datatype type;
    const MPI_Datatype *types;
} clump_parts;

static inline clump_parts clump_parts_same(MPI_Count n, MPI_Datatype type)
{
    return (clump_parts){.n = n, .type = type};
}

static inline clump_parts clump_parts_of_type(clump_counts counts, MPI_Datatype type)
{
    return (clump_parts){.counts = counts, .type = type};
}

static inline clump_parts clump_parts_of_types(clump_counts counts, const MPI_Datatype *types)
{
    return (clump_parts){.counts = counts, .types = types};
}

#define CLUMP_PARTS(counts, type)                                                                  \
    _Generic((type), MPI_Datatype                                                                  \
             : clump_parts_of_type, const MPI_Datatype *                                           \
             : clump_parts_of_types)(CLUMP_COUNTS(counts), type)

/* ---- point to point */

void clump_act_sent(clump_entry *entry, int dest, int tag, MPI_Count n, MPI_Datatype type,
                    MPI_Comm comm);
void clump_act_received(clump_entry *entry, int source, const MPI_Status *status, MPI_Comm comm);
/** What is received next of a message is of anybody, if the probe was. */
void clump_act_probed(clump_entry *entry, int source);
void clump_act_also_received(clump_entry *entry, const MPI_Status *status, MPI_Comm comm);
void clump_act_started_send(clump_entry *entry, const MPI_Request *request);
void clump_act_started_receive(clump_entry *entry, int source, int tag, MPI_Comm comm,
                               const MPI_Request *request);
/** A request that is a send and a receive: follows clump_act_sent. */
void clump_act_started_both(clump_entry *entry, int source, int tag, MPI_Count n, MPI_Datatype type,
                            MPI_Comm comm, const MPI_Request *request);
void clump_act_prepared(clump_entry *entry, int peer, int tag, MPI_Count n, MPI_Datatype type,
                        MPI_Comm comm, bool receive, const MPI_Request *request);
/** In parts, of n each: they come together, and their status says nothing. */
void clump_act_prepared_parts(clump_entry *entry, int peer, int tag, int parts, MPI_Count n,
                              MPI_Datatype type, MPI_Comm comm, bool receive,
                              const MPI_Request *request);
/** A persistent collective: what the entry was told of it is what each start will be. */
void clump_act_prepared_collective(clump_entry *entry, clump_call_kind kind,
                                   const MPI_Request *request);
void clump_act_started(clump_entry *entry, int count);

/* ---- requests. Handles are looked at before the call, which clears them. */

void clump_act_before(clump_entry *entry, int count, const MPI_Request *requests);
MPI_Status *clump_act_statuses(int count, MPI_Status *statuses);
void clump_act_completed(clump_entry *entry, int index, const MPI_Status *status);
void clump_act_completed_all(clump_entry *entry, int count, const MPI_Status *statuses);
void clump_act_completed_some(clump_entry *entry, int outcount, const int *indices,
                              const MPI_Status *statuses);
void clump_act_tested(clump_entry *entry, int flag, int index, const MPI_Status *status);
void clump_act_tested_all(clump_entry *entry, int flag, int count, const MPI_Status *statuses);
void clump_act_freed(clump_entry *entry);
void clump_act_started_collective(clump_entry *entry, const MPI_Request *request);
void clump_act_started_other(clump_entry *entry, const MPI_Request *request);
void clump_act_matched(clump_entry *entry, MPI_Comm comm, const MPI_Message *message);
void clump_act_matched_if(clump_entry *entry, int flag, MPI_Comm comm, const MPI_Message *message);
void clump_act_before_message(clump_entry *entry, const MPI_Message *message);
void clump_act_received_message(clump_entry *entry, const MPI_Status *status);
void clump_act_started_message(clump_entry *entry, const MPI_Request *request);

/* ---- collectives */

void clump_act_collective(clump_entry *entry, MPI_Comm comm, int root);
void clump_act_broadcast(clump_entry *entry, MPI_Count n, MPI_Datatype type, int root,
                         MPI_Comm comm);
void clump_act_reduced(clump_entry *entry, MPI_Count n, MPI_Datatype type, int root, MPI_Comm comm);
void clump_act_vectors(clump_entry *entry, MPI_Count n, MPI_Datatype type, MPI_Comm comm);
void clump_act_gathered(clump_entry *entry, const void *sbuf, clump_parts sent,
                        clump_parts received, int root, MPI_Comm comm);
void clump_act_scattered(clump_entry *entry, clump_parts sent, const void *rbuf,
                         clump_parts received, int root, MPI_Comm comm);
void clump_act_all_gathered(clump_entry *entry, const void *sbuf, clump_parts sent,
                            clump_parts received, MPI_Comm comm);
void clump_act_exchanged(clump_entry *entry, const void *sbuf, clump_parts sent,
                         clump_parts received, MPI_Comm comm);
void clump_act_reduce_scattered(clump_entry *entry, clump_parts received, MPI_Comm comm);
/** How many there are in the topology of a communicator, those that are nobody among them. */
void clump_neighbour_degrees(MPI_Comm comm, size_t *in, size_t *out);
/** The messages of a collective among neighbours that blocks: follows one of these. */
void clump_act_among_neighbours(clump_entry *entry);
void clump_act_neighbours(clump_entry *entry, clump_parts sent, clump_parts received,
                          MPI_Comm comm);

/* ---- one-sided */

void clump_act_put(clump_entry *entry, MPI_Count n, MPI_Datatype type, int target, MPI_Win win);
/** As put; with MPI_NO_OP nothing is sent, whatever the count. */
void clump_act_updated(clump_entry *entry, MPI_Op op, MPI_Count n, MPI_Datatype type, int target,
                       MPI_Win win);
void clump_act_got(clump_entry *entry, MPI_Count n, MPI_Datatype type, int target, MPI_Win win);
void clump_act_locked(clump_entry *entry, int target, MPI_Win win);
void clump_act_before_window(clump_entry *entry, const MPI_Win *win);

/* ---- communicators */

void clump_act_new_communicator(clump_entry *entry, const MPI_Comm *comm);
void clump_act_before_communicator(clump_entry *entry, const MPI_Comm *comm);

#endif
