/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * What an emulation does, what it hands back, and who sends what through which NIC.
 */
#ifndef CLUMP_PROTOCOLS_EMULATION_EMULATION_PLAN_H
#define CLUMP_PROTOCOLS_EMULATION_EMULATION_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CLUMP_EMULATION_MOST_PROCESSORS = 16,
    CLUMP_EMULATION_MOST_NICS = 16,
    CLUMP_EMULATION_MOST_CYCLES = 1000000,
    CLUMP_EMULATION_LEAST_PACKET = 64, /**< bytes on the wire, Ethernet header included */
    CLUMP_EMULATION_MOST_PACKET = 1514,
    CLUMP_EMULATION_HEADERS = 42, /**< of a datagram: an empty one on the wire */
    CLUMP_EMULATION_MESSAGE_BYTES = 256
};

/** What a processor does, over and over. */
typedef struct clump_emulation_cycle {
    double compute_us; /**< R of this cycle */
    double message_us; /**< S of this cycle: what the message takes alone on one NIC */
} clump_emulation_cycle;

typedef struct clump_emulation_plan {
    unsigned processors; /**< P */
    unsigned nics;       /**< N of the Clump; its NOW has P */
    bool is_static;      /**< each processor is tied to a NIC: P/N each, larger groups first */
    bool fifo;           /**< one queue a NIC instead of one a processor */
    bool barrier;        /**< before each message all processors of the machine meet */
    bool spin;           /**< computing takes processor time, instead of sleeping */
    bool real_time;      /**< try SCHED_FIFO (not with `spin`) */
    double bytes_per_us; /**< of a NIC, 0.1 to 1000 */
    unsigned packet;     /**< bytes on the wire of a full packet */
    unsigned burst;      /**< bytes that a NIC catches up after a late timer */
    size_t cycles;       /**< of each processor, at least 2 */
    const clump_emulation_cycle *work; /**< cycles of processor 0, of processor 1... */
    /** Asked every 50 ms with the share that is done, 0 to 1; true: stop. May be NULL. */
    bool (*watch)(double share, void *context);
    void *context;
} clump_emulation_plan;

/** When it happened; ns since the machine began. */
typedef struct clump_emulation_record {
    int64_t due_ns;   /**< when computing was to end; with `spin` when it did */
    int64_t woke_ns;  /**< when it ended */
    int64_t begin_ns; /**< the first byte is given to the NIC */
    int64_t end_ns;   /**< all of the message has arrived */
} clump_emulation_record;

/** What one of the two machines did. */
typedef struct clump_emulation_side {
    clump_emulation_record *records; /**< P x cycles, as the work; the caller's */
    uint64_t packets, lost;          /**< sent; sent and never received */
    uint64_t bytes;                  /**< on the wire, in `cycles` cycles of each processor */
    uint64_t starved;    /**< messages of which a NIC had nothing left while more was to come */
    double processor_us; /**< processor time of the processes */
} clump_emulation_side;

typedef struct clump_emulation_outcome {
    clump_emulation_side clump, now;
    bool real_time;       /**< SCHED_FIFO was granted */
    double seconds;       /**< that measuring took */
    double machine_busy;  /**< share of the machine's processors in use meanwhile, by anybody */
    double machine_taken; /**< share that the host of a virtual machine took away */
} clump_emulation_outcome;

/* ---- arithmetic */

/** NICs of a processor: `count` from `first`. */
struct clump_emulation_nics {
    unsigned first, count;
};

/** Those of processor `p` on the Clump: all, or the one that it is tied to (8 on 3: 3+3+2). */
struct clump_emulation_nics clump_emulation_nics_of(const clump_emulation_plan *plan, unsigned p);

/**
 * Bytes that one of `count` NICs carries of a message, markers not counted: together they are those
 * that one NIC sends in `message_us`, rounded, and they differ by 1 at most.
 */
uint64_t clump_emulation_share(double message_us, double bytes_per_us, unsigned count,
                               unsigned index);

/**
 * Bytes that a token bucket which has been idle for `idle_ns` would let through at once: they are
 * sent on top, or a message that finds its NIC idle would be early by as much.
 */
uint64_t clump_emulation_credit(const clump_emulation_plan *plan, int64_t idle_ns);

/**
 * Size on the wire of the next packet when `left` bytes are to be sent: a full packet, unless the
 * rest would be too small to be one; `left` below the least packet is sent as the least.
 */
unsigned clump_emulation_packet(uint64_t left, unsigned full);

#endif
