/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_MESSAGE_POLL_H
#define CLUMP_MODEL_SIMULATION_MESSAGE_POLL_H

/* Internal to model/simulation. The adaptive polling of one rank (chapter 4). */

#include "model/simulation/cluster.h"

/** Which of the two queues of a rank. Without adaptive polling all is in the first. */
enum { MESSAGE_LOCAL = 0, MESSAGE_REMOTE = 1 };

typedef struct message_poll {
    uint64_t local, remote;  /* estimates, in units of 1/(k a) and 1/a messages a poll */
    double idle_since;       /* who waits polls over and over, from here on */
    uint32_t skip, left;     /* s, and polls until the network is looked at */
    uint32_t may[2], got[2]; /* messages that the poll under way accepts, and has accepted */
    bool open;               /* a poll is under way */
    bool due;                /* one comes before the program goes on */
    bool idle;
} message_poll;

/** The network is due in the first poll. */
void message_poll_start(message_poll *poll);

/** A poll begins; returns what it costs, us. */
double message_poll_open(message_poll *poll, const clump_message_polling *rule);

/** It ends with what it has accepted, and the estimates follow. */
void message_poll_close(message_poll *poll, const clump_message_polling *rule);

/**
 * The polls in vain of a rank that waits, from idle_since on, up to the one that ends after `now`:
 * that is open when this returns, and when it ends is the result. Where nothing changes any more
 * they are not made one by one.
 * @param made  those that were are added
 */
double message_poll_idle(message_poll *poll, const clump_message_polling *rule, double now,
                         uint64_t *made);

#endif
