/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A sender of the lock-free algorithm dies at any step; the receiver takes back what it left
 * (protocols/queue/queue.c: clump_array_recover, clump_ticket_may_be_held). With -DFIFO the variant of
 * figure 6.19, with -DTEST_SET that of table 3.1, where test-and-set claims and leaves no name. Checked: the living sender's messages all arrive, once, and what the dead one had
 * published arrives, too; nobody waits for ever.
 *
 *   -DCARELESS  the receiver skips without looking at the notes of tickets: an error must be found
 */
#ifndef Q
#define Q 2
#endif
#ifndef MESSAGES
#define MESSAGES 2
#endif
#define SENDERS 2
#define NONE 0
#define UNKNOWN 1

mtype = { FREE, CLAIMED };

mtype claim[Q] = FREE; /* FIFO: stays FREE */
byte lap[Q];           /* of the claim */
byte ready[Q];         /* lap + 1 of the message that was published */
byte owner[Q], content[Q], tail;
byte draw[SENDERS];   /* NONE, UNKNOWN or ticket + 2 */
byte lock[SENDERS];   /* TEST_SET: NONE, or index + 1 of the packet that it tries to claim or has */
bool alive[SENDERS] = true, done[SENDERS];
bool got[SENDERS * MESSAGES + 1];
byte published[SENDERS], accepted[SENDERS];

#ifdef FIFO
#define TAKEN(t) (lap[t % Q] != t / Q)
#else
#define TAKEN(t) (claim[t % Q] != FREE)
#endif

#define DIE if :: me == 1 && alive[1] -> alive[1] = false; goto over :: true fi

active [SENDERS] proctype sender()
{
    byte ticket, n, mine, me = _pid;
    bool free;
    for (n : 1 .. MESSAGES) {
        DIE;
        ticket = tail; /* wait without a ticket while the next one's packet is taken */
        if :: !TAKEN(ticket) :: tail != ticket fi;
        DIE;
        draw[me] = UNKNOWN;
        DIE;
        atomic { ticket = tail; tail++ }
        DIE;
        draw[me] = ticket + 2;
        DIE;
#ifdef FIFO
        lap[ticket % Q] == ticket / Q; /* the note of the ticket says whose it is */
        mine = ticket / Q;
#else
#ifdef TEST_SET
        do
        :: lock[me] = ticket % Q + 1;
           DIE;
           atomic { free = (claim[ticket % Q] == FREE); claim[ticket % Q] = CLAIMED;
                    mine = lap[ticket % Q] }
           DIE;
           if
           :: free -> break
           :: else -> lock[me] = NONE; claim[ticket % Q] == FREE
           fi
        od;
#else
        atomic { claim[ticket % Q] == FREE; claim[ticket % Q] = CLAIMED; owner[ticket % Q] = me;
                 mine = lap[ticket % Q] }
#endif
        DIE;
        draw[me] = NONE;
#endif
        DIE;
        content[ticket % Q] = me * MESSAGES + n; /* over what a dead sender may have left */
        DIE;
        atomic { ready[ticket % Q] = mine + 1; published[me]++ }
#ifdef FIFO
        DIE;
        draw[me] = NONE
#endif
#ifdef TEST_SET
        DIE;
        lock[me] = NONE
#endif
    }
over:
    done[me] = true
}

#define IS_READY (ready[h] == head / Q + 1)

inline flush() /* all that was received and kept back */
{
    do
    :: released < head ->
        atomic { lap[released % Q] = lap[released % Q] + 1; claim[released % Q] = FREE; released++ }
    :: else -> break
    od
}

active proctype receiver()
{
    byte head, released, h, below, s;
    bool held, looked;
    do
    :: IS_READY ->
        assert(content[h] != 0 && !got[content[h]]);
        got[content[h]] = true;
        accepted[(content[h] - 1) / MESSAGES]++;
        atomic { head++; h = head % Q }
    :: released < head -> flush()
#ifdef TEST_SET
    :: released == head && claim[h] == CLAIMED && !IS_READY ->
        held = false;
        s = 0;
        do
        :: s < SENDERS ->
#ifndef CARELESS
            held = held || (lock[s] == h + 1 && alive[s]);
#endif
            s++
        :: else -> break
        od;
#else
    :: released == head && claim[h] == CLAIMED && !alive[owner[h]] ->
        held = false;
#endif
        if /* it may have published before it died: look again */
        :: held || IS_READY
        :: else -> atomic { head++; h = head % Q }; flush()
        fi
    :: released == head && claim[h] == FREE && tail > head && !IS_READY ->
        below = tail;
        held = false;
        s = 0;
        do
        :: s < SENDERS ->
            looked = (draw[s] == UNKNOWN);
            if
            :: draw[s] >= 2 && draw[s] - 2 < below ->
#ifdef FIFO
                looked = (draw[s] - 2 == head)
#else
                looked = ((draw[s] - 2) % Q == h)
#endif
            :: else
            fi;
#ifdef CARELESS
            looked = false;
#endif
            held = held || (looked && alive[s]);
            s++
        :: else -> break
        od;
        if
        :: !held && !IS_READY ->
            if /* compare-and-swap: into the next lap, unless it was claimed meanwhile */
            :: atomic { claim[h] == FREE -> lap[h] = lap[h] + 1; head++; released++; h = head % Q }
            :: claim[h] != FREE
            fi
        :: else
        fi
    :: done[0] && done[1] && accepted[0] == published[0] && accepted[1] == published[1] -> break
    od;
    assert(accepted[0] == MESSAGES)
}

/* Nobody waits for ever: under a fair scheduler the receiver comes to its end. */
ltl ends { <> (accepted[0] == MESSAGES) }
