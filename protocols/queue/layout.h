/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * The queue block: what processes share, byte for byte (section 3.1.2, figure 3.2).
 *
 *   header | sender places | request queue | reply queue
 *   queue = tails, lock, counters | Anderson's slots | claims | packets | bulk headers | bulk data
 *
 * Only numbers and offsets from the block's beginning, never addresses. What different processes
 * write lies on different cache lines. Whoever maps a block computes all offsets from the lengths,
 * once, and keeps them in private memory: nothing that is written later can move them.
 * docs/shared-memory-protocol.md says the same in words.
 */
#ifndef CLUMP_PROTOCOLS_QUEUE_LAYOUT_H
#define CLUMP_PROTOCOLS_QUEUE_LAYOUT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/** The coherence unit. 64 on x86-64 and most ARM; build with -DCLUMP_LINE=128 where it is 128. */
#ifndef CLUMP_LINE
#define CLUMP_LINE 64
#endif
#define CLUMP_OWN_LINE _Alignas(CLUMP_LINE)

enum {
    CLUMP_ARGUMENTS = 8,
    CLUMP_BULK_BYTES = 8192,
    CLUMP_SENDERS = 64, /**< who may send to one endpoint at a time; a power of two */
    CLUMP_NAME_BYTES = 48
};

#define CLUMP_NONE UINT32_MAX

/** Ask for a line in a state in which it can be written. A hint: does nothing where unknown. */
static inline void clump_prefetch_for_write(const void *line)
{
#if defined(__x86_64__)
    /* The builtin takes the line for reading unless the compiler is told of the instruction; all
     * 64-bit processors execute it or ignore it. */
    __asm__ volatile("prefetchw %0" : : "m"(*(const char *)line));
#else
    __builtin_prefetch(line, 1);
#endif
}

/*
 * A state word: everything that a transition changes, in one word.
 *   bits 0-3 state, 4-15 sender's place, 16-31 generation of that place, 32-63 epoch.
 * Place and generation name who claimed it, so that a death in the middle can be attributed. The
 * epoch is the lap of the queue.
 *
 * In the array algorithms a packet has two of them, written by different sides. Its claim is FREE
 * or CLAIMED: the receiver frees it for the next lap, several at a time. Its own word becomes READY
 * in the lap in which it is to be received, and is written by senders only: the receiver knows a
 * word of an earlier lap for an old one. So a message costs one coherence transaction each way, and
 * the claims of eight neighbours share one.
 */
enum {
    CLUMP_FREE = 0,    /**< claims, bulk blocks, list nodes */
    CLUMP_CLAIMED = 1, /**< claims, bulk blocks, list nodes */
    CLUMP_READY = 2,   /**< packets */
    CLUMP_READY_BULK = 3,
    CLUMP_SENTINEL = 4 /**< list algorithms: received, but still the head of the list */
};

static inline unsigned clump_word_state(uint64_t word)
{
    return (unsigned)(word & 15u);
}

/** Place and generation, in the bits where they lie. */
static inline uint64_t clump_word_owner(uint64_t word)
{
    return word & 0xfffffff0u;
}

static inline uint32_t clump_word_place(uint64_t word)
{
    return (uint32_t)(word >> 4) & 0xfffu;
}

static inline uint32_t clump_word_generation(uint64_t word)
{
    return (uint32_t)(word >> 16) & 0xffffu;
}

static inline uint32_t clump_word_epoch(uint64_t word)
{
    return (uint32_t)(word >> 32);
}

static inline uint64_t clump_word(unsigned state, uint64_t owner, uint32_t epoch)
{
    return (uint64_t)epoch << 32 | owner | state;
}

/** A message: one cache line, so that a short message moves in one coherence transaction. */
struct clump_packet {
    CLUMP_OWN_LINE _Atomic uint64_t word;
    uint64_t tag;
    uint32_t arguments[CLUMP_ARGUMENTS];
    uint8_t handler;
    uint8_t count;            /**< of arguments */
    uint8_t reason;           /**< handler 0: a clump_protocol_status, why it came back */
    uint8_t returned_handler; /**< handler 0: whom it was for */
    uint16_t block, size;     /**< bulk data block and bytes in it, READY_BULK only */
    _Atomic uint64_t next;    /**< list algorithms: index + 1, and in the high half the epoch */
};

/** Who has claimed a bulk data block; the data lie elsewhere, and their size is in the packet. */
struct clump_bulk {
    CLUMP_OWN_LINE _Atomic uint64_t word;
};

/** Written by senders only; but for `hungry`, which the receiver takes back. */
struct clump_tails {
    /** Packets assigned so far; list algorithms: the last node. */
    CLUMP_OWN_LINE _Atomic uint64_t tail;
    _Atomic uint64_t bulk_tail; /**< bulk blocks assigned so far */
    /** test-set, test-test-set: the owner; ticket, anderson: the next number. */
    CLUMP_OWN_LINE _Atomic uint64_t lock;
    _Atomic uint64_t serving; /**< ticket: whose turn it is */
    CLUMP_OWN_LINE pthread_mutex_t mutex;
    /** ultracomputer: no more packets than this are taken, and at least so many are ready. */
    CLUMP_OWN_LINE _Atomic uint64_t upper;
    CLUMP_OWN_LINE _Atomic uint64_t lower;
    /** A sender waits for a packet: the receiver should not keep any back. */
    CLUMP_OWN_LINE _Atomic uint32_t hungry;
};

/** Anderson's lock: one line for each waiter. */
struct clump_slot {
    CLUMP_OWN_LINE _Atomic uint64_t held;
};

/* What a sender has drawn from a counter and not used yet. */
#define CLUMP_DRAW_NONE UINT64_C(0)
/** Is drawing: may have a ticket that it has not noted yet. */
#define CLUMP_DRAW_UNKNOWN UINT64_C(1)
#define CLUMP_DRAW_OF(ticket) ((uint64_t)(ticket) + 2)

struct clump_draws {
    _Atomic uint64_t packet, bulk, lock;
};

/** The place of a sender at this endpoint. */
struct clump_sender_place {
    CLUMP_OWN_LINE _Atomic uint64_t identity; /**< clump_process_self() of the owner; 0: nobody */
    _Atomic uint32_t generation;              /**< counts the owners of this place */
    char endpoint[CLUMP_NAME_BYTES]; /**< where replies go: name of the sender's endpoint */
    CLUMP_OWN_LINE struct clump_draws draws[2]; /**< for each queue; written by the sender alone */
};

#define CLUMP_BLOCK_MAGIC UINT64_C(0x37304b4c42434d41) /* "AMCBLK07" */

/** Where a receiver that listens hears when it sleeps: a socket address of the system. */
struct clump_doorbell {
    _Atomic uint32_t size; /**< 0: there is none, or it is not known yet */
    unsigned char address[28];
};

/** Written by the owner of the endpoint, except `waiting`. */
struct clump_block_header {
    _Atomic uint64_t magic; /**< stored last: the block is complete */
    _Atomic uint64_t owner; /**< identity of the receiver; 0 once it is closed */
    uint64_t size;
    uint32_t length, bulk_length;
    uint32_t events; /**< senders wake the receiver */
    char algorithm[24];
    uint64_t space; /**< in which the owner's number means something: clump_process_space() */
    CLUMP_OWN_LINE _Atomic uint64_t tag;
    CLUMP_OWN_LINE _Atomic uint32_t waiting; /**< futex: the receiver sleeps */
    CLUMP_OWN_LINE struct clump_doorbell doorbell;
};

_Static_assert(sizeof(struct clump_packet) == CLUMP_LINE, "a packet is one line");
_Static_assert(CLUMP_BULK_BYTES <= UINT16_MAX, "a packet has room for the size of a block");
_Static_assert((CLUMP_SENDERS & (CLUMP_SENDERS - 1)) == 0, "Anderson's slots wrap by a mask");
_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "64-bit atomics must not hide a lock of one process");

#endif
