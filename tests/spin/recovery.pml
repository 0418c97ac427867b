/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A sender of the lock-free algorithm dies at any step; the receiver takes back what it left
 * (protocols/queue.c: clump_array_recover, clump_ticket_may_be_held). With -DFIFO the variant of
 * figure 6.19. Checked: the living sender's messages all arrive, once, and what the dead one had
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

mtype = { FREE, CLAIMED, READY };

mtype state[Q] = FREE;
byte owner[Q], epoch[Q], content[Q], tail;
byte draw[SENDERS];   /* NONE, UNKNOWN or ticket + 2 */
bool alive[SENDERS] = true, done[SENDERS];
bool got[SENDERS * MESSAGES + 1];
byte published[SENDERS], accepted[SENDERS];

#define DIE if :: me == 1 && alive[1] -> alive[1] = false; goto over :: true fi

active [SENDERS] proctype sender()
{
    byte ticket, n, me = _pid;
    for (n : 1 .. MESSAGES) {
        DIE;
        draw[me] = UNKNOWN;
        DIE;
        atomic { ticket = tail; tail++ }
        DIE;
        draw[me] = ticket + 2;
        DIE;
#ifdef FIFO
        atomic { state[ticket % Q] == FREE && epoch[ticket % Q] == ticket / Q;
#else
        atomic { state[ticket % Q] == FREE;
#endif
                 state[ticket % Q] = CLAIMED; owner[ticket % Q] = me }
        DIE;
        draw[me] = NONE;
        DIE;
        assert(content[ticket % Q] == 0);
        content[ticket % Q] = me * MESSAGES + n;
        DIE;
        atomic { state[ticket % Q] = READY; published[me]++ }
    }
over:
    done[me] = true
}

inline free_head()
{
    atomic { content[h] = 0; epoch[h] = epoch[h] + 1; state[h] = FREE; head++; h = head % Q }
}

active proctype receiver()
{
    byte head, h, below, s;
    bool held, looked;
    do
    :: state[h] == READY ->
        assert(content[h] != 0 && !got[content[h]]);
        got[content[h]] = true;
        accepted[(content[h] - 1) / MESSAGES]++;
        free_head()
    :: state[h] == CLAIMED && !alive[owner[h]] ->
        if /* it may have published before it died: look again */
        :: state[h] == CLAIMED -> free_head()
        :: else
        fi
    :: state[h] == FREE && tail > head ->
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
        :: !held && state[h] == FREE ->
#ifdef FIFO
            free_head()
#else
            atomic { head++; h = head % Q }
#endif
        :: else
        fi
    :: done[0] && done[1] && accepted[0] == published[0] && accepted[1] == published[1] -> break
    od;
    assert(accepted[0] == MESSAGES)
}

/* Nobody waits for ever: under a fair scheduler the receiver comes to its end. */
ltl ends { <> (accepted[0] == MESSAGES) }
