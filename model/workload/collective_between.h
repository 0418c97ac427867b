/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_WORKLOAD_COLLECTIVE_BETWEEN_H
#define CLUMP_MODEL_WORKLOAD_COLLECTIVE_BETWEEN_H

/* What the time of a collective operation is made from, and made of (collective_time.h). */

#include <stdbool.h>

/** What messages between nodes take, us. The context belongs to the caller. */
typedef struct clump_collective_between {
    /** Until each of `flows` messages, which leave a node together, has arrived. Their senders are in so many `runs` of
     *  neighbours. */
    double (*message_us)(const void *context, double flows, double runs, double bytes);
    /** That the NICs of a node need for these. */
    double (*busy_us)(const void *context, double flows, double runs, double bytes);
    /** How much longer than that their NICs are busy, so that the same processors send no sooner. NULL: never. */
    double (*rest_us)(const void *context, double flows, double bytes);
    /** Until each of `flows` processors of a node has got `messages` from other nodes and sent as many, all
     *  posted at once. */
    double (*exchange_us)(const void *context, double flows, double messages, double bytes);
    const void *context;
    /** Until a message of `bytes` has arrived within a node, behind `waits` others of its sender with so many bytes
     *  together: by this the longest of several ways is found. NULL: not known, and crossings decide. */
    double (*local_us)(const void *context, double waits, double waits_bytes, double bytes);
    /** The context for steps in which no NIC receives while it sends, as down a tree; and for those in which who receives in a node is
     *  not who sends, as in rings. NULL: `context`. */
    const void *one_way, *apart;
} clump_collective_between;

/** Messages of which each waits for the one before it. */
typedef struct clump_collective_chain {
    double us;                      /**< that messages are on their way between nodes */
    double busy_us;                 /**< that the busiest NIC needs for all messages */
    double local_hops, local_bytes; /**< messages within nodes */
    /** Of another chain, at the same time, that does not leave its node: the longer one counts. */
    double inner_hops, inner_bytes;
    /** Further messages that a processor sends together with one of the hops: each takes a gap in place of the G of its
     *  first byte. Their bytes are among local_bytes. */
    double local_more;
    /** Of the hops, those whose sender has sent the one before: they wait for its gap, if that is longer than a message's way. */
    double local_again;
    double combined_bytes; /**< that processors of the chain add up, one after the other */
    /** Pieces behind the first one, in step with what takes longer: that between nodes, or these messages within one. */
    double follow_us, follow_hops, follow_bytes;
    /** Behind all that, one message of so many bytes within each node, or between nodes: the longer one counts. */
    double exchange_us, exchange_bytes;
    /** Bytes of the shortest message that receivers fetch; 0: that of the costs within nodes. */
    double fetched_from;
    bool at_once; /**< the local ones are posted at once, beside those that leave the node */
    double remote_messages,
        remote_bytes;  /**< that leave a node, of all its processors; the busiest node */
    double both_bytes; /**< of these, without the first of each message: while as many arrive */
} clump_collective_chain;

#endif
