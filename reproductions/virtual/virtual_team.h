/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * A parallel program in virtual time: every processor of a Clump runs a function, which really
 * computes, and says how long that would have taken; its messages cost what LogGP says, and pass
 * through the NICs of the nodes, first come, first served.
 *
 * Processors are fibers of one thread. Each has a clock of its own and goes on until it looks at
 * what has arrived; then whatever happens earlier elsewhere happens first. Same options and
 * function: same run, to the last event.
 *
 * One message of b bytes between nodes, NICs and processors being free (model/simulation/messages.h
 * has the same):
 *
 *   0                    the sender begins
 *   o_s                  it goes on; the NIC begins, and is busy for g + (b-1) G
 *   o_s + L              the first byte is at the receiving NIC, which is busy for g + (b-1) G
 *   o_s + L + (b-1) G    the message is in the receiver's queue
 *   + o_r                its handler begins, if the receiver polls at once
 *
 * Within a node the same holds with the costs of shared memory, and a port for each processor in
 * place of NICs. Where L is negative o_r is shorter by as much, and where that is not enough o_s.
 *
 * Polls are part of o_s and o_r, and cost nothing else, unless a strategy is given (adaptive_polling.h).
 * Then each request, poll and turn of a wait looks at shared memory, and at the network when the
 * strategy says so; a look at the network costs its time whatever it finds, and messages lie at the
 * NIC until then. What LogGP parameters have of that already is taken off them: of o_s to another
 * node a look in `measured.minimum_skip` polls, within the node one in `measured.maximum_skip`; of
 * o_r the poll that it begins with, by its definition; of L the mean time until a waiting receiver
 * looks, half of minimum_skip polls and a look.
 *
 * Several copies of the program can share a machine of one node, with others that only compute
 * (`sharing`; time_sharing.h says who runs when). Computation is interrupted at any time, sending and
 * handling a message is not. A process that waits keeps its processor, looking for messages, until its
 * time is up, and sleeps then until one comes. Nobody's messages go to another copy.
 *
 * Memory costs nothing unless `misses` says what a cache miss takes. Then computation that says which bytes
 * it walks through waits for their lines, one after the other. For a part of each miss the line passes
 * through what all processors of the node share (bus, memory banks), first come, first served; lines that
 * are written back pass there, too, and so do once the bytes of a long message, but nobody waits for those
 * except who comes next. How long a line takes there is exponentially distributed, so that processors do
 * not march in step: the node is the closed network of model/workload/misses.h.
 */
#ifndef CLUMP_REPRODUCTIONS_VIRTUAL_VIRTUAL_TEAM_H
#define CLUMP_REPRODUCTIONS_VIRTUAL_VIRTUAL_TEAM_H

#include "protocols/endpoint/adaptive_polling.h"
#include "protocols/message.h"
#include "protocols/time_parts.h"

#include <stdbool.h>

typedef struct clump_virtual_member clump_virtual_member; /**< one processor */

/** What a message costs: LogGP, in microseconds. */
typedef struct clump_message_costs {
    double latency_us, send_us, receive_us, gap_us, gap_us_per_byte;
} clump_message_costs;

typedef struct clump_virtual_arrival {
    clump_message message; /**< `handler` 0 to 255; `returned` is OK */
    uint32_t from;         /**< rank of the sender */
    bool reply;
} clump_virtual_arrival;

/** What a processor waits for that does not find its data in the cache. */
typedef struct clump_virtual_misses {
    double line_bytes; /**< of a cache line: above 0 if there are costs */
    double miss_us;    /**< to load one, nobody else being there; 0: memory costs nothing */
    double
        shared_us; /**< of this, in what the processors of a node share: at most miss_us, 0: nothing */
} clump_virtual_misses;

/** Processes that share processors. */
typedef struct clump_virtual_sharing {
    uint32_t jobs; /**< copies of the program, at least 1: a process each for each processor */
    uint32_t sequential; /**< groups of processes that compute for ever: likewise */
    double yield_us;     /**< a process that waits sleeps after so long; 0: it never does */
    double slice_us;     /**< a process may keep its processor for so long: above 0 */
    double switch_us;    /**< half a change of processes */
    double cache_us;     /**< to load a whole cache again */
} clump_virtual_sharing;

typedef struct clump_virtual_team_options {
    uint32_t nodes;      /**< at least 1 */
    uint32_t processors; /**< of a node, at least 1; rank r is on node r / processors */
    uint32_t nics;       /**< of a node, at least 1 if there are several nodes */
    bool pooled;         /**< a message takes the NIC that is free first, on both sides; else each
                              processor has its NIC: neighbours share one */
    clump_message_costs network, memory; /**< between nodes, and within one */
    /** Within a node, when the message before it in the receiver's queue (of requests, or of replies)
     *  was another sender's: so much more of the sender's time. 0: nothing; below 10^9. */
    double moved_us;
    /** When to look at the network; NULL: as above. The parameters must pass clump_polling_check(). */
    const clump_polling_parameters *polling;
    clump_polling_parameters measured; /**< with which `network` and `memory` were measured */
    double memory_poll_us;  /**< a poll that finds nothing, without the network: above 0 */
    double network_poll_us; /**< a look at the network that finds nothing */
    const clump_virtual_sharing *sharing; /**< NULL: each process has its processor. One node only,
                                               and no strategy of polling */
    clump_virtual_misses misses;          /**< not with `sharing` */
    bool half_duplex;         /**< bytes cross the bus to a NIC in one direction at a time */
    uint32_t network_credits; /**< requests without answer to each rank; 0: 16 */
    uint32_t memory_credits;  /**< the same within a node; 0: 4096 */
    uint32_t queue_length; /**< requests of its node that a processor may have and not have taken;
                                   senders of more wait, and handle what comes. 0: no end. Not with a
                                   strategy of polling */
    size_t stack_bytes;    /**< of each processor's function; 0: 256 KiB */

    void (*work)(clump_virtual_member *member, void *context);
    /** A message is handled, within a poll or a request of this member. May reply once, if it is a
     *  request. */
    void (*handle)(clump_virtual_member *member, const clump_virtual_arrival *arrival,
                   void *context);
    /** Now and then; true: stop. May be NULL. */
    bool (*watch)(void *context);
    void *context;
} clump_virtual_team_options;

enum { CLUMP_VIRTUAL_TEAM_MESSAGE = 256, CLUMP_VIRTUAL_TEAM_MOST = 4096 };

/** How it ended. */
typedef struct clump_virtual_team_result {
    double time_us;                           /**< when the last member was done */
    uint64_t events;                          /**< messages at NICs and queues, and turns */
    double nic_utilization;                   /**< mean of all, the busier direction */
    char message[CLUMP_VIRTUAL_TEAM_MESSAGE]; /**< if it failed */
} clump_virtual_team_result;

/**
 * Run it to its end.
 *
 * @param parts  of each rank (nodes x processors of them, for each job); may be NULL
 * @return OK; BAD_INPUT (options); TIMED_OUT (watch said so); FAILED: no memory, a member failed, or
 *         all wait for each other
 * Memory: a stack for each member, of which what is touched counts; 2 bytes for each pair of ranks;
 * some 120 bytes for each message under way, and its data.
 * Cost: 3 events a message, O(log of the messages and members) each, and a switch of stacks where
 * members take turns.
 */
clump_protocol_status clump_virtual_team_run(const clump_virtual_team_options *options,
                                             clump_virtual_team_result *result,
                                             clump_time_parts *parts);

/* ---- for the members */

uint32_t clump_virtual_member_rank(const clump_virtual_member *member); /**< within its job */
uint32_t clump_virtual_member_job(const clump_virtual_member *member);  /**< from 0 */
uint64_t clump_virtual_member_now_ps(const clump_virtual_member *member);
/** Messages that have waited for it to take them, at most, so far. */
uint32_t clump_virtual_member_longest_queue(const clump_virtual_member *member);
/** What it has spent so far. */
clump_time_parts clump_virtual_member_parts(const clump_virtual_member *member);

/** Compute for so long. */
void clump_virtual_member_work(clump_virtual_member *member, double us);

/** Compute for so long, on data that passes through the cache meanwhile: so many bytes are loaded from
 *  memory, and written back, both at least 0. Cost: an event for each 4 KiB of both. */
void clump_virtual_member_walk(clump_virtual_member *member, double us, double loaded_bytes,
                               double written_bytes);

/** Handle what has arrived, at most `most` messages, replies first. @return how many */
unsigned clump_virtual_member_poll(clump_virtual_member *member, unsigned most);

/** The same, but wait for one if there is none. */
void clump_virtual_member_wait(clump_virtual_member *member);

/** Send to another rank; polls first, and waits for credit. `data` is copied. Not from a handler. */
void clump_virtual_member_request(clump_virtual_member *member, uint32_t to, unsigned handler,
                                  const uint32_t *arguments, unsigned count, const void *data,
                                  size_t size);

/** From the handler of a request: its answer. */
void clump_virtual_member_reply(clump_virtual_member *member, unsigned handler,
                                const uint32_t *arguments, unsigned count, const void *data,
                                size_t size);

/** The whole run fails for this reason. Does not return. */
__attribute__((noreturn)) void clump_virtual_member_fail(clump_virtual_member *member,
                                                         const char *reason);

#endif
