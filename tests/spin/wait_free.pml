/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The counter of figure 9.3 (reproductions/systems/wait_free.c): processes that increment at once. Small
 * enough to look at every interleaving; each read and write of a shared word is a step.
 *
 *   -DPROCESSES=2  -DTIMES=2  increments of each
 *   -DONE_LOOK     the first look at whether it is done is believed
 *   -DNO_EPOCH     which copy is the counter is compared, not how often that has changed
 *   -DONE_TRY      who fails once believes that somebody else has done it
 *
 * Checked: every value is returned once, none is skipped, and a later increment returns more than
 * one that was over before it began (the counter is linearizable). That a process is done after two
 * tries is in the text: there is no other loop.
 */
#ifndef PROCESSES
#define PROCESSES 2
#endif
#ifndef TIMES
#define TIMES 2
#endif

byte current = PROCESSES; /* which copy */
byte changes;             /* how often that has changed */
bit announced[PROCESSES];
byte value[PROCESSES + 1];
byte done[PROCESSES + 1]; /* a bit for each process, one word as in the code */
byte answers[(PROCESSES + 1) * PROCESSES];

bool returned[PROCESSES * TIMES];
byte over; /* 1 + the greatest value that was returned so far */

active [PROCESSES] proctype process()
{
    byte own = _pid, old, epoch, n, i, v, d, before, answer;
    bit ours;
    for (n : 1 .. TIMES) {
        d_step { before = over; ours = 1 - announced[_pid] }
        announced[_pid] = ours;
        byte try = 0;
        do
        :: try == 2 -> break
        :: else ->
            try++;
            old = current;
            if
            :: ((done[old] >> _pid) & 1) == ours ->
#ifdef ONE_LOOK
                break
#else
                old = current;
                if
                :: ((done[old] >> _pid) & 1) == ours -> break
                :: else
                fi
#endif
            :: else
            fi;
            d_step { old = current; epoch = changes };
            d = done[old];
            v = value[old];
            byte now = d;
            i = 0;
            do
            :: i == PROCESSES -> break
            :: else ->
                answer = answers[old * PROCESSES + i];
                if
                :: announced[i] != ((d >> i) & 1) ->
                    d_step { answer = v; v++; now = now ^ (1 << i) }
                :: else
                fi;
                answers[own * PROCESSES + i] = answer;
                i++
            od;
            value[own] = v;
            done[own] = now;
            if
            :: atomic {
#ifdef NO_EPOCH
                current == old ->
#else
                changes == epoch ->
#endif
                current = own; changes++; own = old } -> break
            :: atomic {
#ifdef NO_EPOCH
                current != old -> skip }
#else
                changes != epoch -> skip }
#endif
            fi
#ifdef ONE_TRY
            ;
            break
#endif
        od;
        old = current;
        d_step {
            answer = answers[old * PROCESSES + _pid];
            assert(answer < PROCESSES * TIMES && !returned[answer] && answer >= before);
            returned[answer] = true;
            if
            :: answer + 1 > over -> over = answer + 1
            :: else
            fi;
            old = 0; epoch = 0; v = 0; d = 0; now = 0; i = 0; answer = 0; before = 0; try = 0
        }
    }
}
