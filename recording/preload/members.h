/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_PRELOAD_MEMBERS_H
#define CLUMP_RECORDING_PRELOAD_MEMBERS_H

/* Communicators and windows as ranks of MPI_COMM_WORLD. */

#include "recording/preload/library.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Ranks of a communicator or window; kept while something refers to them. */
typedef struct clump_members {
    uint32_t number; /**< of the communicator in the recording */
    uint32_t references;
    bool inter;   /**< peers are ranks of the remote group, which is `rank` */
    size_t count; /**< of those whom one sends to */
    size_t local; /**< of the own group */
    int *rank;    /**< in the world; -1: of another world */
} clump_members;

/** Called with a new communicator's members in the world, in the order of their ranks: it is to be written. */
typedef void clump_members_told(uint32_t number, uint32_t ordinal, const uint32_t *ranks,
                                size_t count);

/** When groups can be asked for; `all` has all processes in the order of MPI_COMM_WORLD. */
void clump_members_start(clump_members_told *told, MPI_Comm all);

/** Members of a communicator; the one of MPI_COMM_WORLD is NULL, its ranks are the ranks. Anything unknown: members without a rank.
 *  Cost: a look into a hash table; the first time as much as MPI_Group_translate_ranks. */
clump_members *clump_members_of(MPI_Comm comm);
clump_members *clump_members_of_window(MPI_Win win);

/** The rank in the world; -1: it is none of them, or MPI_PROC_NULL, MPI_ANY_SOURCE, MPI_ROOT. */
int clump_members_rank(const clump_members *members, int rank);
/** Of the communicator in the recording. */
uint32_t clump_members_number(const clump_members *members);
/** How many one sends to in a collective, or receives from. */
size_t clump_members_count(const clump_members *members);

/** Something refers to them, and does no more: then they go, if their communicator has gone. NULL is allowed. */
clump_members *clump_members_keep(clump_members *members);
void clump_members_drop(clump_members *members);

/** The handle is free and may come again. */
void clump_members_forget(MPI_Comm comm);
void clump_members_forget_window(MPI_Win win);

#endif
