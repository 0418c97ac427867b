/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Panda, the communication library under MPI, Orca and Multigame (cluster-protocols.txt, section
 * 6.1): messages of any size, remote procedure calls, and broadcasts, unordered or in the same order
 * everywhere. Thin: messages are cut into packets and put together again; a totally ordered
 * broadcast takes its number by a fetch-and-add at the sequencer, worker 0, and receivers wait for
 * those before it.
 *
 * Messages go to a port, which is a function. It is called while this worker sends, waits or polls
 * (single-threaded), or also while it computes (multi-threaded, where the NIC interrupts: that is up
 * to those who run the worker). It may send, answer and broadcast without order, but never wait.
 *
 * Order: messages of one worker to another come as they were sent, and so do its unordered
 * broadcasts, apart from each other. Ordered broadcasts come in one order at all workers, their
 * senders included. Each message comes once.
 *
 * Time: the words of state that this code touches are charged where hardware is modelled, and the
 * bytes that a receiver copies from packets to where they belong.
 */
#ifndef CLUMP_REPRODUCTIONS_SYSTEMS_PANDA_H
#define CLUMP_REPRODUCTIONS_SYSTEMS_PANDA_H

#include "reproductions/systems/packets.h"

typedef struct clump_panda clump_panda;

enum {
    CLUMP_PANDA_PORTS = 16,
    CLUMP_PANDA_MOST = 64 * 1024 * 1024 /**< bytes of a message */
};

/** A piece of what is sent. */
typedef struct clump_panda_piece {
    const void *data;
    size_t size;
} clump_panda_piece;

/** A message that has come; its data are valid during the call. */
typedef struct clump_panda_message {
    uint32_t from;
    uint32_t call;  /**< of a remote procedure call, else 0 */
    uint32_t place; /**< of an ordered broadcast among all, from 0 */
    bool broadcast;
    const unsigned char *data;
    size_t size;
} clump_panda_message;

typedef void clump_panda_function(clump_panda *panda, const clump_panda_message *message,
                                  void *context);

/** All workers begin with this. `threads`: locks are charged, too. Freed with the worker. */
clump_panda *clump_panda_open(clump_worker *worker, bool threads);

/** What port 0 to 15 is; before anybody sends to it. */
void clump_panda_define(clump_panda *panda, unsigned port, clump_panda_function *function,
                        void *context);

/** To a worker, to itself, too. Returns when the data may change. */
void clump_panda_send(clump_panda *panda, uint32_t to, unsigned port,
                      const clump_panda_piece *pieces, unsigned count);

/** A procedure at another worker: its port answers once, in its call or later. Waits.
 *  @return bytes of the answer, of which `most` are written */
size_t clump_panda_call(clump_panda *panda, uint32_t to, unsigned port,
                        const clump_panda_piece *pieces, unsigned count, void *answer, size_t most);
/** Answer call number `call` of `to`. */
void clump_panda_answer(clump_panda *panda, uint32_t to, uint32_t call,
                        const clump_panda_piece *pieces, unsigned count);

/** To all others. */
void clump_panda_broadcast(clump_panda *panda, unsigned port, const clump_panda_piece *pieces,
                           unsigned count);
/** To all, the sender included. Waits for its number, not until it has come. Not from ports.
 *  @return its place among all ordered broadcasts */
uint32_t clump_panda_ordered(clump_panda *panda, unsigned port, const clump_panda_piece *pieces,
                             unsigned count);
/** How many ordered broadcasts have been handed over here: those of lower places. */
uint32_t clump_panda_seen(const clump_panda *panda);

/** Until something may have come. */
void clump_panda_wait(clump_panda *panda);
void clump_panda_poll(clump_panda *panda);

/** For systems above: words of their own state, and bytes that they copy. */
void clump_panda_charge(clump_panda *panda, double words, size_t copied);

#endif
