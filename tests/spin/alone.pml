/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tickets of a queue that has one sender at first (protocols/queue/alone.h): it counts them itself and
 * looks afterwards whether it still is alone; its stores may be delayed past that look, as processors
 * do it. Any sender may come first, and sender 1 may die at any step. Checked: no ticket is drawn
 * twice, none is left out but the one that the dead sender had drawn, and nobody waits for anybody.
 *
 * With -DBLOCKS each message draws a block first, whose tickets have a count and a note of their own.
 *
 *   -DNO_BARRIER  who revokes does not let the others' stores be seen first: an error must be found
 *   -DNO_DOUBT    who finds that it is alone no more notes another ticket before it asks whether the
 *                 first is its own: an error must be found
 *   -DDOUBT_IS_LOST  the receiver steps over what a dead sender has noted last although the queue is
 *                 revoked, and the ticket may be in doubt: an error must be found
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
bool alive[SENDERS + 1], used[TICKETS], lost[TICKETS];

/* How many tickets the receiver takes for drawn by who is, or was, alone. */
#ifdef DOUBT_IS_LOST
#define DRAWN note
#else
#define DRAWN (state == REVOKED && note > 0 -> note - 1 : note)
#endif
#ifdef BLOCKS
byte bulk_base, bulk_tail, bulk_note;
bool bulk_used[TICKETS];
#endif

/* Stores that others do not see yet, and to which note. */
mtype = { PACKETS, BULK };
chan delayed[SENDERS] = [4] of { mtype, byte };

#ifdef BLOCKS
#define DONE n++; have = false
#else
#define DONE n++
#endif

#define DIE if :: me == 1 -> atomic { drain(me); alive[1] = false; goto over } :: true fi

inline drain(s)
{
    do
    :: delayed[s]?PACKETS,note
#ifdef BLOCKS
    :: delayed[s]?BULK,bulk_note
#endif
    :: empty(delayed[s]) -> break
    od
}

inline use(t)
{
    atomic { assert(t < TICKETS && !used[t] && !lost[t]); used[t] = true }
}

inline use_block(t)
{
    atomic { assert(t < TICKETS && !bulk_used[t]); bulk_used[t] = true; have = true }
}

/* Compare-and-swaps wait for the stores before them. `b` receives where increments begin, plus 1, and
 * `bulk_b` the same of blocks. */
inline settle(drawn, whose)
{
    atomic { drain(me); if :: base == 0 -> base = drawn + 1 :: else fi; b = base };
    DIE;
    atomic { drain(me); if :: tail == 0 -> tail = b - 1 :: else fi };
    DIE;
#ifdef BLOCKS
    atomic { drain(me); bulk_own = bulk_note };
    DIE;
    atomic {
        drain(me);
        if :: bulk_base == 0 -> bulk_base = bulk_own + 1 :: else fi;
        bulk_b = bulk_base };
    DIE;
    atomic { drain(me); if :: bulk_tail == 0 -> bulk_tail = bulk_b - 1 :: else fi };
    DIE;
#endif
    atomic { drain(me); if :: state == REVOKED && holder == whose -> state = SHARED :: else fi }
}

proctype sender(byte me)
{
    byte t, n, b, h, i, own;
    mtype s;
    bool lives, alone, shared;
#ifdef BLOCKS
    byte bulk_t, bulk_b, bulk_own;
    bool have, bulk_shared;
#else
#define have true
#endif
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
            if :: alone -> own = note :: else fi;
#ifdef BLOCKS
            if :: alone -> bulk_own = bulk_note :: else fi
#endif
        fi;
        s = NOBODY; h = 0; lives = false
#ifdef BLOCKS
    :: n < MESSAGES && alone && !have && !bulk_shared ->
        bulk_t = bulk_own;
        delayed[me]!BULK,bulk_t + 1;
        DIE;
        if
        :: state == ALONE && holder == me ->
            use_block(bulk_t);
            bulk_own = bulk_t + 1
        :: else ->
            DIE;
            settle(own, me);
            bulk_shared = true;
            DIE;
            if :: bulk_b - 1 == bulk_t + 1 -> use_block(bulk_t) :: else fi;
            delayed[me]!BULK,0
        fi
    :: n < MESSAGES && !have && (shared || bulk_shared) ->
        atomic { drain(me); bulk_t = bulk_tail; bulk_tail++ };
        DIE;
        use_block(bulk_t)
#endif
    :: n < MESSAGES && alone && have ->
        t = own;
        delayed[me]!PACKETS,t + 1;
        DIE;
        if
        :: state == ALONE && holder == me ->
            DIE;
            use(t);
            own = t + 1;
            DONE
        :: else ->
            DIE;
#ifdef NO_DOUBT
            t++;
            delayed[me]!PACKETS,t + 1;
            DIE;
#endif
            settle(t + 1, me);
            alone = false;
            shared = true;
            DIE;
            if :: b - 1 == t + 1 -> use(t); DONE :: else fi;
#ifdef BLOCKS
            if :: !bulk_shared -> delayed[me]!BULK,0 :: else fi;
#endif
            delayed[me]!PACKETS,0
        fi
    :: n < MESSAGES && shared && have ->
        atomic { drain(me); t = tail; tail++ };
        DIE;
        use(t);
        DONE
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
    :: delayed[0]?PACKETS,note
    :: delayed[1]?PACKETS,note
#if SENDERS > 2
    :: delayed[2]?PACKETS,note
#endif
#ifdef BLOCKS
    :: delayed[0]?BULK,bulk_note
    :: delayed[1]?BULK,bulk_note
#if SENDERS > 2
    :: delayed[2]?BULK,bulk_note
#endif
#endif
    :: atomic { /* the receiver, which steps over a ticket that nobody alive has noted */
        !alive[1] && holder == 1 && (state == ALONE || state == REVOKED) && DRAWN > 0 &&
        !used[DRAWN - 1] && !lost[DRAWN - 1] -> lost[DRAWN - 1] = true }
    :: finished == SENDERS -> break
    od;
    top = (state == SHARED -> tail : note);
    i = 0;
    do
    :: i < TICKETS -> left = left + (i < top && !used[i]); assert(i < top || !used[i]); i++
    :: else -> break
    od;
    assert(left <= (alive[1] -> 0 : 1));
#ifdef BLOCKS
    top = (state == SHARED -> bulk_tail : bulk_note);
    i = 0;
    left = 0;
    do
    :: i < TICKETS -> left = left + (i < top && !bulk_used[i]); assert(i < top || !bulk_used[i]); i++
    :: else -> break
    od;
    assert(left <= (alive[1] -> 0 : 1))
#endif
}
