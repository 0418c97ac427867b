/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * A Clump and its NOW on one machine: network namespaces are nodes, veth pairs whose rate a token
 * bucket (HTB) limits are NICs, processes are processors. Each computes, sends a message, waits
 * until all of it has arrived, and begins again; when everything began and ended is handed back.
 *
 *   node        one namespace with N NICs, all P processors in it: the Clump;
 *               P namespaces with a NIC and a processor each: the NOW, at the same time
 *   NIC         a veth pair; HTB sends `bytes_per_us`. The other ends are in one more namespace
 *   sharing     a class a processor with equal quanta (SO_PRIORITY names it), or one for all
 *   message     plain UDP datagrams of known size on the wire, spread evenly over the NICs that a
 *               processor uses, and an empty one behind each NIC's share: a token bucket lets it
 *               through when all before it is paid for, so that it arrives when the last byte would
 *
 * Nothing has a name outside: namespaces live as long as the processes in them, and those end with
 * their parent, whatever ends it. Linux only; needs `ip` and `tc`, and root or user namespaces.
 * Nothing is printed. One run at a time.
 */
#ifndef CLUMP_CALIBRATION_EMULATION_EMULATION_H
#define CLUMP_CALIBRATION_EMULATION_EMULATION_H

#include "protocols/protocol_status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    CLUMP_EMULATION_MOST_PROCESSORS = 16,
    CLUMP_EMULATION_MOST_NICS = 16,
    CLUMP_EMULATION_MOST_CYCLES = 1000000,
    CLUMP_EMULATION_LEAST_PACKET = 64, /**< bytes on the wire, Ethernet header included */
    CLUMP_EMULATION_MOST_PACKET = 1514,
    CLUMP_EMULATION_MARKER = 42, /**< an empty datagram on the wire */
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
    bool user_namespace;  /**< without root */
    double seconds;       /**< that measuring took */
    double machine_busy;  /**< share of the machine's processors in use meanwhile, by anybody */
    double machine_taken; /**< share that the host of a virtual machine took away */
} clump_emulation_outcome;

/**
 * Whether this machine lets its user emulate anything: as clump_emulation_run, without a plan. The
 * kernel may still lack HTB. Cost: a process.
 */
clump_protocol_status clump_emulation_probe(char message[CLUMP_EMULATION_MESSAGE_BYTES]);

/**
 * Run both machines until every processor has done its cycles; those that are done go on, from
 * their first cycle again, until the last is.
 *
 * @param outcome  with records in place; written only on success
 * @param message  receives what went wrong
 * Errors: BAD_INPUT: the plan; NOT_FOUND: `ip` or `tc` is missing; BLOCKED: namespaces are not
 * allowed; TIMED_OUT: `watch` said stop; FAILED: the rest. Nothing is left behind in any case.
 */
clump_protocol_status clump_emulation_run(const clump_emulation_plan *plan,
                                          clump_emulation_outcome *outcome,
                                          char message[CLUMP_EMULATION_MESSAGE_BYTES]);

#ifdef __cplusplus
}
#endif

#endif
