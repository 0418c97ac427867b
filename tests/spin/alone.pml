/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tickets of a queue that has one sender at first (protocols/queue/alone.h): it counts them itself and
 * looks afterwards whether it still is alone; its stores may be delayed past that look, as processors
 * do it. Any sender may come first, and sender 1 may die at any step. Checked: no ticket is drawn
 * twice, none is left out but the one that the dead sender had drawn, and nobody waits for anybody.
 *
 *   -DNO_BARRIER  who revokes does not let the others' stores be seen first: an error must be found
 *   -DNO_DOUBT    who finds that it is alone no more notes another ticket before it asks whether the
 *                 first is its own: an error must be found
 */
#ifndef SENDERS
#define SENDERS 2
#endif
#ifndef MESSAGES
#define MESSAGES 2
#endif
#define TICKETS (SENDERS * MESSAGES + 2)
#define NO_ONE SENDERS

mtype = { NOBODY, ALONE, REVOKED, SHARED };

mtype state = NOBODY;
byte holder = NO_ONE, base, tail, note, finished;
chan delayed[SENDERS] = [2] of { byte }; /* stores to `note` that others do not see yet */
bool alive[SENDERS + 1], used[TICKETS];

#define DIE if :: me == 1 -> atomic { drain(me); alive[1] = false; goto over } :: true fi

inline drain(s)
{
    do
    :: nempty(delayed[s]) -> delayed[s]?note
    :: empty(delayed[s]) -> break
    od
}

inline use(t)
{
    atomic { assert(t < TICKETS && !used[t]); used[t] = true }
}

/* Compare-and-swaps wait for the stores before them. `b` receives where increments begin, plus 1. */
inline settle(drawn, whose)
{
    atomic { drain(me); if :: base == 0 -> base = drawn + 1 :: else fi; b = base };
    DIE;
    atomic { drain(me); if :: tail == 0 -> tail = b - 1 :: else fi };
    DIE;
    atomic { drain(me); if :: state == REVOKED && holder == whose -> state = SHARED :: else fi }
}

proctype sender(byte me)
{
    byte t, n, b, h, i, own;
    mtype s;
    bool lives, alone, shared;
    do
    :: n == MESSAGES -> break
    :: n < MESSAGES && !alone && !shared ->
        atomic { s = state; h = holder };
        DIE;
        lives = alive[h];
        if
        :: s == SHARED -> shared = true
        :: s == REVOKED ->
#ifndef NO_BARRIER
            if
            :: lives -> atomic {
                i = 0;
                do
                :: i < SENDERS -> drain(i); i++
                :: else -> break
                od;
                i = 0 }
            :: else
            fi;
#endif
            own = note;
            DIE;
            settle(own, h)
        :: s == ALONE && lives ->
            atomic { drain(me); if :: state == s && holder == h -> state = REVOKED :: else fi }
        :: s == NOBODY || (s == ALONE && !lives) ->
            atomic {
                drain(me);
                if
                :: state == s && holder == h -> state = ALONE; holder = me; alone = true
                :: else
                fi
            };
            DIE;
            if :: alone -> own = note :: else fi
        fi;
        s = NOBODY; h = 0; lives = false
    :: n < MESSAGES && alone ->
        t = own;
        delayed[me]!t + 1;
        DIE;
        if
        :: state == ALONE && holder == me ->
            DIE;
            use(t);
            own = t + 1;
            n++
        :: else ->
            DIE;
#ifdef NO_DOUBT
            t++;
            delayed[me]!t + 1;
            DIE;
#endif
            settle(t + 1, me);
            alone = false;
            shared = true;
            DIE;
            if :: b - 1 == t + 1 -> use(t); n++ :: else fi;
            delayed[me]!0
        fi
    :: n < MESSAGES && shared ->
        atomic { drain(me); t = tail; tail++ };
        DIE;
        use(t);
        n++
    od;
over:
    atomic { drain(me); finished++ }
}

active proctype others() /* the processors, which let stores be seen some time */
{
    byte i, top, left;
    atomic {
        do
        :: i < SENDERS -> alive[i] = true; run sender(i); i++
        :: else -> break
        od
    };
    do
    :: delayed[0]?note
    :: delayed[1]?note
#if SENDERS > 2
    :: delayed[2]?note
#endif
    :: finished == SENDERS -> break
    od;
    top = (state == SHARED -> tail : note);
    i = 0;
    do
    :: i < TICKETS -> left = left + (i < top && !used[i]); assert(i < top || !used[i]); i++
    :: else -> break
    od;
    assert(left <= (alive[1] -> 0 : 1))
}
