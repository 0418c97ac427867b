/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Claiming a bulk data block and a packet, in the order of figure 3.6 (block, then packet) or, with
 * -DREVERSE, in the other one. The end of section 3.4.2: the other order deadlocks, because a
 * sender holds the packet at the head and waits for a block that comes free only behind it.
 */
#ifndef Q
#define Q 2
#endif
#ifndef BLOCKS
#define BLOCKS 1
#endif
#ifndef SENDERS
#define SENDERS 2
#endif
#ifndef MESSAGES
#define MESSAGES 2
#endif
#define TOTAL (SENDERS * MESSAGES)

mtype = { FREE, CLAIMED, READY };

mtype state[Q] = FREE, block[BLOCKS] = FREE;
byte block_of[Q], tail, bulk_tail, received;

inline claim_block(b)
{
    atomic { b = bulk_tail % BLOCKS; bulk_tail++ }
    atomic { block[b] == FREE; block[b] = CLAIMED }
}

inline claim_packet(p)
{
    atomic { p = tail % Q; tail++ }
    atomic { state[p] == FREE; state[p] = CLAIMED }
}

active [SENDERS] proctype sender()
{
    byte p, b, n;
    for (n : 1 .. MESSAGES) {
#ifdef REVERSE
        claim_packet(p);
        claim_block(b);
#else
        claim_block(b);
        claim_packet(p);
#endif
        block_of[p] = b;
        state[p] = READY
    }
}

active proctype receiver()
{
    byte head;
    do
    :: received < TOTAL ->
        state[head % Q] == READY;
        assert(block[block_of[head % Q]] == CLAIMED);
        block[block_of[head % Q]] = FREE;
        state[head % Q] = FREE;
        received++;
        head++
    :: else -> break
    od
}
