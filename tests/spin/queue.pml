/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Many senders, one receiver, one queue: the lock-free algorithm (figure 3.6) and its FIFO variant
 * (figure 6.19, -DFIFO). Small enough to look at every interleaving.
 *
 *   -DQ=2       packets            -DSENDERS=2  senders       -DMESSAGES=2  each sends
 *   -DWANT_ORDER  assert that messages arrive in the order of their tickets
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

mtype = { FREE, CLAIMED, READY };

mtype state[Q] = FREE;
byte epoch[Q];   /* FIFO: which lap a free packet waits for */
byte content[Q]; /* the message: its number, 0 while there is none */
byte ticket_of[Q];
byte tail;
bool got[TOTAL + 1];
byte received;

active [SENDERS] proctype sender()
{
    byte ticket, n;
    for (n : 1 .. MESSAGES) {
        atomic { ticket = tail; tail = tail + 1 } /* fetch-and-increment */
#ifdef FIFO
        /* only the sender of this epoch: claimed when it is free in this epoch */
        atomic { state[ticket % Q] == FREE && epoch[ticket % Q] == ticket / Q;
                 state[ticket % Q] = CLAIMED }
#else
        atomic { state[ticket % Q] == FREE; state[ticket % Q] = CLAIMED } /* compare-and-swap */
#endif
        assert(content[ticket % Q] == 0);
        content[ticket % Q] = _pid * MESSAGES + n;
        ticket_of[ticket % Q] = ticket;
        state[ticket % Q] = READY
    }
}

active proctype receiver()
{
    byte head;
    do
    :: received < TOTAL ->
        state[head % Q] == READY;
        assert(content[head % Q] != 0 && !got[content[head % Q]]);
        got[content[head % Q]] = true;
#ifdef WANT_ORDER
        assert(ticket_of[head % Q] == received);
#endif
        content[head % Q] = 0;
        ticket_of[head % Q] = 0;
        received++;
        atomic { epoch[head % Q] = epoch[head % Q] + 1; state[head % Q] = FREE }
        head++
    :: else -> break
    od
}
