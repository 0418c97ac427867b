/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * How a sender stores its data in the blocks of a queue.
 *
 * Which way is quickest depends on the processors and on how far apart they are, by up to three
 * times, and a virtual machine's may move (docs/shared-memory-protocol.md, Measured). So all are
 * tried in turn, ten rounds of blocks each, and the one whose rounds took least time from the first
 * block to the last stays for the next two thousand rounds. The time between the calls belongs to
 * it: ordinary stores are still on their way then.
 */
#ifndef CLUMP_PROTOCOLS_QUEUE_BULK_WAYS_H
#define CLUMP_PROTOCOLS_QUEUE_BULK_WAYS_H

#include <stdint.h>

enum clump_bulk_way {
    CLUMP_BULK_ORDINARY, /**< ordinary stores: `memcpy` */
    CLUMP_BULK_STRING, /**< the processor's own instruction for it (x86): whole lines, not fetched */
    CLUMP_BULK_PAST,   /**< past the caches (x86) */
    CLUMP_BULK_WAYS
};

/** Rounds that count in a trial of one way. One more goes before: the blocks are as the way before has
 *  left them. */
enum { CLUMP_BULK_ROUNDS = 9 };

/** In private memory of a sender; all zero at first. */
struct clump_bulk_ways {
    enum clump_bulk_way way;  /**< now */
    unsigned tried;           /**< ways in this trial */
    unsigned round;           /**< of the trial of this way */
    uint32_t sent;            /**< blocks in this round */
    uint64_t since_ns, bytes; /**< when it began, and what it has sent */
    uint64_t left;            /**< blocks until the next trial; 0: it is under way */
    double cost[CLUMP_BULK_WAYS][CLUMP_BULK_ROUNDS]; /**< in ns a byte */
};

/** Another round of a trial, of so many blocks, in which `bytes` took `ns`. */
void clump_bulk_round(struct clump_bulk_ways *ways, uint64_t blocks, uint64_t ns, uint64_t bytes);

#endif
