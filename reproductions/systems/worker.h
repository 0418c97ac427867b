/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * A worker: one processor that runs a parallel program, as programming systems see it. What a system
 * does with messages it does through these functions; whether they become messages of endpoints in a
 * live process, or of a processor in virtual time, it cannot tell. Traffic is counted on the way.
 *
 * Messages are those of the thesis's Active Messages II: requests, and one reply to each from its
 * handler. Whoever waits must poll.
 *
 * Errors: nothing here returns one. A worker that cannot go on fails, and with it the whole run;
 * who started it tells why. That is also how memory that runs out ends.
 */
#ifndef CLUMP_REPRODUCTIONS_SYSTEMS_WORKER_H
#define CLUMP_REPRODUCTIONS_SYSTEMS_WORKER_H

#include "protocols/message.h"
#include "protocols/time_parts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct clump_worker clump_worker;

/** Messages and bytes of one class. Bytes are those of arguments (4 each) or data. */
typedef struct clump_worker_messages {
    uint64_t messages, bytes;
} clump_worker_messages;

/** What a worker has sent, replies included (they are among the short ones, as in the tables of the
 *  thesis). Local: to a processor of the same node. */
typedef struct clump_worker_traffic {
    clump_worker_messages short_local, short_remote, bulk_local, bulk_remote;
    uint64_t replies; /**< of all these */
} clump_worker_traffic;

/** A message as a system's handler sees it. */
typedef struct clump_worker_arrival {
    const clump_message *message;
    void *token; /**< for the reply; NULL: this is one */
    bool local;
} clump_worker_arrival;

typedef void clump_worker_handler(clump_worker *worker, const clump_worker_arrival *arrival,
                                  void *context);

/** A packet that has come. */
typedef struct clump_worker_packet {
    uint32_t from; /**< who sent it first */
    bool all;      /**< to all others; of one sender they come in order, apart from its others */
    bool fetched;  /**< the answer to a fetch-and-add: `value` */
    uint32_t value;
    const unsigned char *data;
    size_t size;
} clump_worker_packet;

/** Where whoever runs a worker carries packets for it, as LCI does (systems/packets.h). */
typedef struct clump_worker_packet_ways {
    /** To another rank, or to all others. Copies; from handlers, too. */
    void (*send)(clump_worker *worker, bool all, uint32_t to, const void *data, size_t size);
    /** What was sent is on its way; not from handlers. */
    void (*flush)(clump_worker *worker);
    /** The answer comes as a packet, perhaps before this returns. */
    void (*fetch_add)(clump_worker *worker, uint32_t at);
    /** A system has touched so many words of its state, and copied so many bytes: out of the cache,
     *  and within it. */
    void (*charge)(clump_worker *worker, double words, size_t copied, size_t near);
} clump_worker_packet_ways;

/** How a worker is run: what those who start it supply. */
typedef struct clump_worker_ways {
    void (*request)(clump_worker *worker, uint32_t to, unsigned handler, const uint32_t *arguments,
                    unsigned count, const void *data, size_t size);
    void (*reply)(clump_worker *worker, void *token, unsigned handler, const uint32_t *arguments,
                  unsigned count, const void *data, size_t size);
    /** Handle what has come, or else wait until something does. */
    void (*wait)(clump_worker *worker);
    /** Handle what has come. */
    void (*poll)(clump_worker *worker);
    /** Computation that takes so long on the machine that is modelled has been done. */
    void (*work)(clump_worker *worker, double us);
    /** The same, on data of which so many bytes come from memory and go back to it; NULL: as work. */
    void (*walk)(clump_worker *worker, double us, double loaded, double written);
    double (*now_us)(clump_worker *worker);
    clump_time_parts (*parts)(clump_worker *worker);
    /** Ends the run: does not return. */
    void (*fail)(clump_worker *worker, const char *reason);
    /** That share of the work is done; may be NULL. */
    void (*progress)(clump_worker *worker, double share);
} clump_worker_ways;

enum { CLUMP_WORKER_HANDLERS = 64 };

struct clump_worker {
    uint32_t rank, count;
    uint32_t per_node;   /**< ranks r with the same r / per_node share a node */
    double operation_us; /**< virtual time: what an operation of the program's computation costs */
    /** Virtual time: what of its data stays in a cache; 0: memory costs nothing. */
    double cache_bytes;
    size_t l2_bytes; /**< virtual time: of the cache that copies of messages stay in; 0: all do */
    const clump_worker_ways *ways;
    void *own;                                   /**< of the ways */
    const clump_worker_packet_ways *packet_ways; /**< NULL: systems carry packets as requests */
    size_t packet_bytes;                         /**< the most in a packet of theirs */

    /* The rest is kept by the functions below. */
    struct {
        clump_worker_handler *function;
        void *context;
    } handlers[CLUMP_WORKER_HANDLERS];
    clump_worker_traffic traffic;
    void (*take_packet)(const clump_worker_packet *packet,
                        void *context); /* of systems/packets.c */
    void *packet_context;
    uint64_t unanswered; /* requests */
    bool far;            /* what is sent and received has left the cache since it was used */
    struct clump_worker_block *blocks; /* memory to be released at the end */
    struct clump_worker_loan *loans;
    size_t memory_bytes, most_memory_bytes; /* of both, now and at most */
    double began_us, time_us;
    double phase_began_us, phase_us; /* of its communication phases */
    clump_time_parts began, parts;
    clump_worker_traffic counted;
};

/** Before the program: `worker` has what stands above the line. */
void clump_worker_open(clump_worker *worker);
/** After it: wait until all requests are answered. When all workers have, no message is under way. */
void clump_worker_settle(clump_worker *worker);
/** Release its memory. */
void clump_worker_close(clump_worker *worker);

/** A message has come: for the ways. `handler` of the message is that of the sender's request or
 *  reply. */
void clump_worker_take(clump_worker *worker, const clump_worker_arrival *arrival);

/* ---- for systems and programs */

/** Handler 0 to 63. */
void clump_worker_set_handler(clump_worker *worker, unsigned index, clump_worker_handler *handler,
                              void *context);
/** To another rank; up to 8 arguments, up to 8192 bytes of data (copied) or none. Polls before it
 *  sends. Not from handlers. */
void clump_worker_request(clump_worker *worker, uint32_t to, unsigned handler,
                          const uint32_t *arguments, unsigned count, const void *data, size_t size);
/** From the handler of a request, which has to, once. */
void clump_worker_reply(clump_worker *worker, const clump_worker_arrival *arrival, unsigned handler,
                        const uint32_t *arguments, unsigned count, const void *data, size_t size);
void clump_worker_poll(clump_worker *worker);
void clump_worker_wait(clump_worker *worker);

/** So many operations have been computed, as the program counts them. In virtual time the clock
 *  goes on; live nothing happens. */
void clump_worker_compute(clump_worker *worker, double operations);

/** The same where an operation goes through arrays of so many bytes in all, of which `loaded` are read
 *  and `written` changed. If they do not stay in the cache all of that comes from memory, and goes back. */
void clump_worker_walk(clump_worker *worker, double operations, size_t array_bytes, double loaded,
                       double written);

/** What is sent and received from now on was used so many bytes of other data ago (its reuse distance):
 *  copies of it are in the second-level cache, or in memory. Until this is told they are in the cache. */
void clump_worker_set_reuse_distance(clump_worker *worker, size_t bytes);

bool clump_worker_is_local(const clump_worker *worker, uint32_t rank);

/** Zeroed memory that lasts until the worker's end. */
void *clump_worker_allocate(clump_worker *worker, size_t count, size_t size);

/** Memory for a while: given back, or else released at the worker's end. Not cleared. */
void *clump_worker_borrow(clump_worker *worker, size_t bytes);
void clump_worker_give_back(clump_worker *worker, void *memory);

_Noreturn void clump_worker_fail(clump_worker *worker, const char *reason);

/** For whoever waits for the run: that share of it is done. */
void clump_worker_progress(clump_worker *worker, double share);

/** What is between these two counts as the program's time and traffic. Call begin between two
 *  barriers, so that what others send afterwards is counted by all, and end before what only checks. */
void clump_worker_begin(clump_worker *worker);
void clump_worker_end(clump_worker *worker);

/** What is between these two, within the above, is a communication phase: their times are added up.
 *  For programs whose documents tell how unequal processors are in them. */
void clump_worker_phase_begin(clump_worker *worker);
void clump_worker_phase_end(clump_worker *worker);

#endif
