/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Many senders, one receiver, one queue: the lock-free algorithm (figure 3.6) and its FIFO variant
 * (figure 6.19, -DFIFO). Small enough to look at every interleaving.
 *
 *   -DQ=2       packets            -DSENDERS=2  senders       -DMESSAGES=2  each sends
 *   -DNO_LOOK   draw without looking whether the queue is full, as in the figures
 *   -DWANT_ORDER  assert that messages arrive in the order of their tickets
 *
 * As in the code, the claim and the published word of a packet are two: the receiver frees claims, at
 * any time after it has read, and knows a message by its lap.
 *
 * Checked: every message is received exactly once (theorem 3.1: none is lost, none is delivered
 * twice), nothing is overwritten, and the end is reached by all (no invalid end states, which is
 * theorem 3.6 for one queue: a sender blocks only on a full queue).
 */
#ifndef Q
#define Q 2
#endif
#ifndef SENDERS
#define SENDERS 2
#endif
#ifndef MESSAGES
#define MESSAGES 2
#endif
#define TOTAL (SENDERS * MESSAGES)

mtype = { FREE, CLAIMED };

mtype claim[Q] = FREE; /* FIFO: stays FREE, its lap tells whose turn it is */
byte lap[Q];           /* of the claim: which lap's message it is free for */
byte ready[Q];         /* lap + 1 of the message that was published, 0 for none yet */
byte content[Q];       /* the message: its number, 0 while there is none */
byte ticket_of[Q];
byte tail;
bool got[TOTAL + 1];
byte received;

#ifdef FIFO
#define TAKEN(t) (lap[t % Q] != t / Q)
#else
#define TAKEN(t) (claim[t % Q] != FREE)
#endif

active [SENDERS] proctype sender()
{
    byte ticket, n, mine;
    for (n : 1 .. MESSAGES) {
#ifndef NO_LOOK
        /* wait without a ticket while the next one's packet is taken; what was seen may be old by now */
        ticket = tail;
        if
        :: !TAKEN(ticket)
        :: tail != ticket
        :: timeout -> assert(false) /* nobody else could go on: it would wait for ever */
        fi;
#endif
        atomic { ticket = tail; tail = tail + 1 } /* fetch-and-increment */
#ifdef FIFO
        /* only the sender of this lap: when it is free for this lap */
        lap[ticket % Q] == ticket / Q;
        mine = ticket / Q;
#else
        /* compare-and-swap, of whatever lap is free */
        atomic { claim[ticket % Q] == FREE; claim[ticket % Q] = CLAIMED; mine = lap[ticket % Q] }
#endif
        assert(content[ticket % Q] == 0);
        content[ticket % Q] = _pid * MESSAGES + n;
        ticket_of[ticket % Q] = ticket;
        ready[ticket % Q] = mine + 1
    }
}

active proctype receiver()
{
    byte head, released;
    do
    :: received < TOTAL && ready[head % Q] == head / Q + 1 ->
        assert(content[head % Q] != 0 && !got[content[head % Q]]);
        got[content[head % Q]] = true;
#ifdef WANT_ORDER
        assert(ticket_of[head % Q] == received);
#endif
        content[head % Q] = 0;
        ticket_of[head % Q] = 0;
        received++;
        head++
    :: released < head -> /* at once or later, several at a time: the senders cannot tell */
        atomic { lap[released % Q] = lap[released % Q] + 1; claim[released % Q] = FREE; released++ }
    :: received == TOTAL -> break
    od
}
