/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_PRELOAD_SHARED_COUNT_H
#define CLUMP_RECORDING_PRELOAD_SHARED_COUNT_H

/*
 * How many ranks of a node are inside MPI, in shared memory: one word of 64 bits holds their number and the time when it last
 * changed. Who enters or leaves puts a new word in its place by compare-and-swap, and if that succeeds the time since the last change, with the
 * number that held during it, is his to count: every stretch of time is counted by exactly one rank, without a lock.
 *
 * The memory is shared with other programs of the user, and nothing read from it is trusted: numbers are cut to the ranks of the node, times to
 * what the clock can have shown.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct clump_shared_count clump_shared_count;

/** What a rank has in hand. */
typedef struct clump_node_count {
    clump_shared_count *shared; /**< NULL: not counting */
    size_t size;
    uint32_t ranks, own; /**< of the node; own place among them */
    int64_t begin_ns;    /**< of the shared time, on the steady clock */
    uint64_t mistrusted; /**< values that could not be */
    uint32_t dead;       /**< ranks that this one has taken out, since they died inside */
} clump_node_count;

/** Time with `q` ranks inside that is now this rank's to count. */
typedef struct clump_counted_time {
    uint32_t q;
    int64_t ns;
} clump_counted_time;

#define CLUMP_SHARED_NAME 64

/** Most ranks of a node that are counted. */
#define CLUMP_NODE_RANKS_MOST 4000

/** Make the shared memory of a node for `ranks` ranks: `name` is chosen, and told to the others. 0 or errno. */
int clump_node_count_create(clump_node_count *count, uint32_t ranks, int64_t now_ns,
                            char name[CLUMP_SHARED_NAME]);
/** Join it as rank `own` (below `ranks`) of the node. 0 or errno. */
int clump_node_count_join(clump_node_count *count, const char *name, uint32_t ranks, uint32_t own);
/** Its name goes; those who have joined keep it. */
void clump_node_count_unlink(const char *name);

/** This rank enters (`by` = 1) or leaves (-1) at `now_ns`, or only looks (0). Time is counted from the first one of all on. */
clump_counted_time clump_node_count_move(clump_node_count *count, int by, int64_t now_ns);

/** Take out ranks of this node that are dead and were inside. Cost: a system call a rank. */
void clump_node_count_bury(clump_node_count *count);

/** This rank leaves for good: what is left of it is not counted any more. */
void clump_node_count_leave(clump_node_count *count);

#endif
