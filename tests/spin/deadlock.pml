/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Theorem 3.6: processes that send each other requests, and answer each, with queues of one packet.
 * A request that waits accepts requests and replies; a reply that waits accepts replies only.
 *
 *   -DONE_QUEUE   requests and replies share a queue, as section 3.1.3 warns: deadlock
 *                 (it takes a third process, which fills the space that a handler has just made)
 *   -DDEAF        a reply that waits accepts nothing: deadlock
 *   -DPROCESSES=2 -DREQUESTS=2  each sends so many, to any of the others
 */
#ifndef PROCESSES
#define PROCESSES 2
#endif
#ifndef REQUESTS
#define REQUESTS 2
#endif

mtype = { REQUEST, REPLY };

#ifdef ONE_QUEUE
chan box[PROCESSES] = [1] of { mtype, byte };
#define REQUESTS_OF(p) box[p]
#define REPLIES_OF(p) box[p]
#else
chan requests[PROCESSES] = [1] of { mtype, byte };
chan replies[PROCESSES] = [1] of { mtype, byte };
#define REQUESTS_OF(p) requests[p]
#define REPLIES_OF(p) replies[p]
#endif

byte finished;

/* Answer request of `from`; while the reply queue is full, accept replies. */
inline answer(from)
{
    do
    :: REPLIES_OF(from)!REPLY, _pid -> break
#ifndef DEAF
    :: REPLIES_OF(_pid)?REPLY, who -> answers++
#endif
    od
}

active [PROCESSES] proctype process()
{
    byte sent, answers, from, who;
    bool counted;
    do
    :: sent < REQUESTS && !counted -> /* send, and accept anything meanwhile */
        if
        :: REQUESTS_OF((_pid + 1) % PROCESSES)!REQUEST, _pid -> sent++
#if PROCESSES > 2
        :: REQUESTS_OF((_pid + 2) % PROCESSES)!REQUEST, _pid -> sent++
#endif
        :: REQUESTS_OF(_pid)?REQUEST, from -> answer(from)
        :: REPLIES_OF(_pid)?REPLY, who -> answers++
        fi
    :: sent == REQUESTS && !counted && answers == REQUESTS -> finished++; counted = true
    :: !counted && sent == REQUESTS && answers < REQUESTS ->
        if
        :: REQUESTS_OF(_pid)?REQUEST, from -> answer(from)
        :: REPLIES_OF(_pid)?REPLY, who -> answers++
        fi
    :: counted && finished < PROCESSES -> /* responsive until all have their answers */
        if
        :: REQUESTS_OF(_pid)?REQUEST, from -> answer(from)
        :: finished == PROCESSES
        fi
    :: finished == PROCESSES -> break
    od
}
