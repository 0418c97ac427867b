/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of a program in virtual time: members, messages under way, and what several files do with them. */
#ifndef CLUMP_REPRODUCTIONS_VIRTUAL_VIRTUAL_TEAM_PRIVATE_H
#define CLUMP_REPRODUCTIONS_VIRTUAL_VIRTUAL_TEAM_PRIVATE_H

#include "reproductions/virtual/calendar.h"
#include "reproductions/virtual/fiber.h"
#include "reproductions/virtual/time_sharing.h"
#include "reproductions/virtual/virtual_team.h"

#include <math.h>

/** What happens. TURN: a member goes on. DEPART, ARRIVE: a message is at the sending and the receiving
 * NIC (or port). DELIVER: all of it is in the receiver's queue. TIMER: a process that shares processors
 * has run for as long as it could or wanted to. ROOM: there is room in the queue for which a member waits. */
enum virtual_event { TURN, DEPART, ARRIVE, DELIVER, TIMER, ROOM };
/** States of a member. The last four only where processors are shared: it computes, or looks for a
 * message (with a processor), or is without one, asleep or not. */
enum virtual_state { WAITS, RUNS, DONE, COMPUTES, LOOKS, SLEEPS, READY };
/** What a member spends its time with. */
enum virtual_part { COMPUTE, SEND, RECEIVE, WAIT, PARTS };
/** What brings a message. */
enum virtual_protocol { MEMORY, NETWORK, PROTOCOLS };

/** A message under way, or a free place for one. */
typedef struct virtual_message {
    uint32_t next; /**< in a queue, or among the free ones */
    uint32_t from, to;
    uint32_t arguments[CLUMP_MESSAGE_ARGUMENTS];
    uint8_t count, handler;
    bool reply;
    size_t size;
    unsigned char *data; /**< owned */
} virtual_message;

/** Messages in the order of their arrival. */
typedef struct virtual_message_queue {
    uint32_t first, last;
} virtual_message_queue;

struct clump_virtual_member {
    struct virtual_team *team;
    clump_fiber *fiber;
    uint64_t clock_ps;
    uint64_t parts_ps[PARTS];
    virtual_message_queue replies[PROTOCOLS], requests[PROTOCOLS];
    clump_polling polling;
    uint16_t *outstanding; /**< requests to each rank that are not answered */
    uint32_t rank, node;   /**< rank among all jobs */
    uint32_t first;        /**< rank of its job's first */
    /** Who sent to its queue last, of the same node: of requests, of replies. UINT32_MAX: nobody. */
    uint32_t senders[2];
    /** Requests of its node that were sent to it and are not taken; whoever waits to send more, in turn, by
     *  the next one. UINT32_MAX: nobody. */
    uint32_t claimed, first_waiter, last_waiter, next_waiter;
    bool room;                    /**< for its request, which has waited */
    uint32_t queued, most_queued; /**< messages that have come and are not taken, now and at most */
    uint32_t answering; /**< whose request is being handled; UINT32_MAX: none, or it was answered */
    enum virtual_state state;
    uint64_t since_ps, timer_ps; /**< when it began to compute or to look; until when, at most */
    uint64_t done_ps;            /**< computed, without loading its cache again */
    uint64_t used_ps;            /**< of its slice, not yet told to the schedule */
    bool timed;
    bool idle; /**< it waits for a message, and none has come */
};

/** One of those that only compute, as a process that shares processors. */
typedef struct virtual_loner {
    uint64_t since_ps, timer_ps;
    bool runs;
} virtual_loner;

/** A NIC, or the port of a processor to its node's memory: when each direction is free again. */
typedef struct virtual_port {
    uint64_t send_free_ps, receive_free_ps, bus_free_ps;
    uint64_t send_busy_ps, receive_busy_ps;
} virtual_port;

/** What the processors of a node share on their way to memory. */
typedef struct virtual_bank {
    uint64_t free_ps;
    uint64_t state; /**< of random numbers */
} virtual_bank;

/** What a message costs. */
typedef struct virtual_costs {
    uint64_t latency_ps, send_ps, receive_ps, gap_ps;
    double byte_ps;
} virtual_costs;

typedef struct virtual_team {
    const clump_virtual_team_options *options;
    clump_virtual_team_result *result;
    uint32_t count, left; /**< members; of them not done */
    clump_virtual_member *members;
    virtual_port *nics, *ports;
    virtual_bank *banks; /**< of each node */
    virtual_costs network, memory;
    uint64_t memory_poll_ps, network_poll_ps, moved_ps;
    clump_time_sharing *schedule; /**< NULL: each process has its processor */
    virtual_loner *loners;
    uint64_t yield_ps;
    uint32_t under_way, busy; /**< messages; members that neither wait for one nor are done */
    clump_calendar calendar;
    clump_fiber *thread;
    virtual_message *slots;
    uint32_t slot_room, slot_count, free_slot;
    uint64_t events;
    clump_protocol_status status;
} virtual_team;

static inline uint64_t virtual_ps(double us)
{
    return (uint64_t)llround(us * 1e6);
}

/** If there is no memory the calendar says so. */
static inline void virtual_team_add_event(virtual_team *t, uint64_t time_ps,
                                          enum virtual_event kind, uint32_t value)
{
    clump_calendar_add(&t->calendar,
                       (clump_event){.time_ps = time_ps, .kind = kind, .value = value});
}

/* ---- what messages cost, and the NICs that they pass through: virtual_team_ports.c */

/** From the options. False: they are not finite, or negative where that cannot be. */
bool virtual_team_find_costs(virtual_team *t);
const virtual_costs *virtual_team_costs_of(const virtual_team *t, const virtual_message *message);
/** At the sending NIC (or port). @return when the first byte is at the receiving one */
uint64_t virtual_team_depart(virtual_team *t, const virtual_message *message);
/** At the receiving NIC. @return when all of it is in the receiver's queue */
uint64_t virtual_team_arrive(virtual_team *t, const virtual_message *message);
/** So many bytes pass to a node's memory or from it. @return when they have */
uint64_t virtual_team_take_bank(virtual_team *t, uint32_t node, double bytes, uint64_t now_ps);
/** Mean of the NICs in the direction that was busier. */
double virtual_team_nic_utilization(const virtual_team *t);

/* ---- who has a processor, where jobs share them: virtual_team_sharing.c. These give no turn to anybody: after those that say so
 * the member lets happen what comes next, until it is its turn again. */

/** Everybody wants a processor: those of the first job get theirs. False: no memory. */
bool virtual_sharing_open(virtual_team *t);
void virtual_sharing_close(virtual_team *t);
/** Whoever can run now does. */
void virtual_sharing_assign(virtual_team *t, uint64_t now_ps);
/** A message has come for the member. */
void virtual_sharing_wake(virtual_team *t, clump_virtual_member *m, uint64_t now_ps);
/** A TIMER. @return whether it is the turn of the member with the event's value */
bool virtual_sharing_ring(virtual_team *t, const clump_event *event);
/** What the member has spent on messages counts. @return whether its slice is used up and it is without a processor; then give way */
bool virtual_sharing_is_over(clump_virtual_member *m);
/** How long it takes to compute what takes so long with a cache that has all. */
uint64_t virtual_sharing_stretch(const clump_virtual_member *m, uint64_t work_ps);
/** It computes or looks for so long, or until something happens, or until the end of its slice; give way. */
void virtual_sharing_stay(clump_virtual_member *m, enum virtual_state state, uint64_t longest_ps);
/** It gives its processor up until a message comes; give way. */
void virtual_sharing_sleep(clump_virtual_member *m);

#endif
