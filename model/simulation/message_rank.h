/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_MESSAGE_RANK_H
#define CLUMP_MODEL_SIMULATION_MESSAGE_RANK_H

/*
 * Internal to model/simulation/message_*.c: ranks and messages while a program runs.
 *
 *   message_transfer.c  a message from its sender to the receiver's queue, and out of it
 *   message_program.c   what a rank does when nothing is left to handle: compute, send, barriers
 *   message_poll.c      what adaptive polling looks at, and when
 *   message_run.c       events, and a rank that looks around
 */

#include "model/simulation/message_poll.h"
#include "model/simulation/message_run.h"

/* In the upper bits of an event; the others are a rank or a slot. */
#define MESSAGE_WAKE UINT32_C(0)
#define MESSAGE_ARRIVAL (UINT32_C(1) << 30)
#define MESSAGE_CREDIT (UINT32_C(2) << 30)
#define MESSAGE_KIND (UINT32_C(3) << 30)
#define MESSAGE_NO_SLOT UINT32_MAX

/* What a rank does next, once nothing is left to handle. */
typedef enum message_stage { COMPUTE, SEND, LEAVE, BARRIER, DONE } message_stage;

struct message_rank {
    simulation_random random;
    double busy_until;
    double computing; /* what is left of the computation */
    double waiting_since;
    uint64_t sent, total;             /* messages */
    uint64_t phase_begin, phase_end;  /* between two barriers */
    uint32_t inbox[2], inbox_last[2]; /* first and last slot, in the order of arrival */
    uint32_t queued;                  /* of the network, in the inbox: limited */
    uint32_t outstanding;             /* of the window */
    uint32_t phase;
    uint32_t
        answer_to; /* rank that waits for an answer, which is sent next; MESSAGE_NO_SLOT: none */
    uint8_t stage;
    bool waits_for_answer, waiting, answer_is_awaited, answer_frees;
};

enum { ANSWER = 1, WANTS_ANSWER = 2, AWAITED = 4, COUNTED = 8 };

struct message_slot {
    double arrived; /* all of it in the queue */
    double bytes;
    uint32_t from, to;
    uint32_t next; /* in the inbox, at a gate, or among the free ones */
    uint8_t flags;
};

/* Messages that wait at a NIC because the queue of the first one's receiver is full. */
struct message_gate {
    uint32_t first, last;
};

/** Hand a message to the NIC (or port) at `now`; the sender is busy for its overhead. */
void message_send(message_run *run, double now, uint32_t from, uint32_t to, double bytes,
                  uint8_t flags);

/** Its first byte is there: it is received, or waits at the gate. */
void message_arrive(message_run *run, uint32_t slot, double now);

/** The first message in a queue of a rank is handled; it ends at the rank's busy_until. */
void message_handle(message_run *run, uint32_t rank, int queue, double now);

/** Whether all of a message is there. */
static inline bool message_is_there(const message_run *run, const message_rank *rank, int queue,
                                    double now)
{
    return rank->inbox[queue] != MESSAGE_NO_SLOT && run->slots[rank->inbox[queue]].arrived <= now;
}

/** Send the answer that the rank owes. */
void message_answer(message_run *run, uint32_t rank, double now);

/** Begin: how many messages a rank sends in all, and up to its first barrier. */
void message_program_start(message_run *run, uint32_t rank);

/**
 * Go on with the program; false if there is nothing to do but to wait.
 * @param later  set to when something can be done, if that is known
 */
bool message_go_on(message_run *run, uint32_t rank, double now, double *later);

/** Everybody is at the barrier and no message is on its way: all go on. */
void message_check_barrier(message_run *run, double now);

#endif
