/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * A cluster in virtual time: each node has a host processor, an I/O bus, a NIC with a processor of
 * its own, and a link. An LCI protocol runs on it (the state machines of protocols/reliability/,
 * on the NIC or on the host), and a program on each host, which polls whenever it does not compute.
 *
 *   open -> run (until there is nothing to do, or the program says stop) -> close
 *
 * docs/protocols.md lists what each step costs. Same hardware, protocol, faults and program: same
 * run, to the last event.
 */
#ifndef CLUMP_REPRODUCTIONS_VIRTUAL_VIRTUAL_CLUSTER_H
#define CLUMP_REPRODUCTIONS_VIRTUAL_VIRTUAL_CLUSTER_H

#include "protocols/reliability/lci_protocol.h"
#include "reproductions/virtual/hardware.h"
#include "reproductions/virtual/wire.h"

typedef struct clump_virtual_cluster clump_virtual_cluster;

typedef enum clump_virtual_cluster_kind {
    CLUMP_VIRTUAL_SEND = 0,
    CLUMP_VIRTUAL_MULTICAST,
    CLUMP_VIRTUAL_FETCH_ADD
} clump_virtual_cluster_kind;

/** One packet that a program wants to send. */
typedef struct clump_virtual_cluster_order {
    clump_virtual_cluster_kind kind;
    uint16_t to, tag;
    uint16_t size;         /**< at most the MTU */
    const void *data;      /**< NULL: bytes of 0 */
    bool far;              /**< they are in memory, not in the host's cache */
    uint64_t source, copy; /**< remote copy: addresses at the sender and at the receiver, multiples
                                of 4; a packet ends where one of the two pages does */
} clump_virtual_cluster_order;

/** What runs on every host. */
typedef struct clump_virtual_cluster_program {
    /** The host is free: does it want to send? Asked again after every event on this node. */
    bool (*want)(void *context, clump_virtual_cluster *cluster, uint16_t node,
                 clump_virtual_cluster_order *order);
    /** A packet was received; this is when its handler ends. */
    void (*got)(void *context, clump_virtual_cluster *cluster, uint16_t node,
                const clump_lci_delivery *delivery);
    /** The host has nothing to send: for how many microseconds does it compute? It does not poll
     *  meanwhile, but the watchdog may interrupt it. 0: it polls on. May be NULL. */
    double (*compute)(void *context, clump_virtual_cluster *cluster, uint16_t node);
    void *context;
    double copy_us_per_byte; /**< host time that the handler needs for each byte */
    /** What happened, for traces; may be NULL. `what` is one of a few words. */
    void (*trace)(void *context, uint64_t time_ps, uint16_t node, const char *what, uint32_t value);
} clump_virtual_cluster_program;

typedef struct clump_virtual_cluster_options {
    clump_hardware hardware;
    clump_lci_protocol protocol;
    uint16_t nodes;
    uint16_t window;          /**< 0: what the buffers allow, see clump_virtual_cluster_window() */
    clump_wire_faults faults; /**< all 0: a network that keeps its promise */
    double timeout_us, acknowledge_us; /**< 0: 10,000 and 200 */
    uint32_t translations, anonymous;  /**< remote copy: entries of the tables, pages for misses; 0:
                                            1024 and 32 */
    uint32_t copy_pages;               /**< of measure.h: pages that messages are copied from, and
                                            as many to, in turn; 0: 1 */
    bool interrupts;                   /**< from the polling watchdog to a host that computes */
} clump_virtual_cluster_options;

/** Time of processors, per node. */
typedef struct clump_virtual_cluster_use {
    uint64_t send_ps, receive_ps; /**< of the host, for packets sent and received */
    uint64_t sends, receives;
    uint64_t nic_ps;
    uint64_t compute_ps; /**< asked for by the program */
    uint64_t interrupts;
} clump_virtual_cluster_use;

/** Page transfers of remote copy, by how their pages were found. */
typedef struct clump_virtual_cluster_copies {
    uint64_t source_hits, source_misses;           /**< sent */
    uint64_t destination_hits, destination_misses; /**< received */
    uint64_t pins;
} clump_virtual_cluster_copies;

/** Window that the hardware allows: with credits the receive buffers of a NIC shared among the
 * other nodes, at least 1; else a quarter of the receive buffers, at most 32. */
uint16_t clump_virtual_cluster_window(const clump_virtual_cluster_options *options);

/** What one more peer costs a node: its state and, with credits, the receive buffers that are kept
 *  for it alone. Bytes. */
size_t clump_virtual_cluster_peer_bytes(const clump_virtual_cluster_options *options);

/** @return OK, BAD_INPUT (hardware, protocol or nodes cannot be used) or FAILED (no memory) */
clump_protocol_status clump_virtual_cluster_open(const clump_virtual_cluster_options *options,
                                                 const clump_virtual_cluster_program *program,
                                                 clump_virtual_cluster **cluster);
void clump_virtual_cluster_close(clump_virtual_cluster *cluster);

/** Run until nothing happens any more, clump_virtual_cluster_stop(), or that time.
 *  @return OK, TIMED_OUT (limit_us), or FAILED (memory) */
clump_protocol_status clump_virtual_cluster_run(clump_virtual_cluster *cluster, double limit_us);
void clump_virtual_cluster_stop(clump_virtual_cluster *cluster);

/** From a callback: what the program does in it takes the host so much longer. */
void clump_virtual_cluster_charge(clump_virtual_cluster *cluster, uint16_t node, double us);
/** Whether something was charged in this callback. */
bool clump_virtual_cluster_charged(const clump_virtual_cluster *cluster, uint16_t node);
/** Whether the host was interrupted in a computation that it has not ended. */
bool clump_virtual_cluster_interrupted(const clump_virtual_cluster *cluster, uint16_t node);
/** The value of the node's own variable, which is then incremented. */
uint32_t clump_virtual_cluster_fetch_add_here(clump_virtual_cluster *cluster, uint16_t node);

/** Virtual time; within a callback, when what it is about ends. */
uint64_t clump_virtual_cluster_now_ps(const clump_virtual_cluster *cluster);
/** Host time since the start or the last reset. */
clump_virtual_cluster_use clump_virtual_cluster_used(const clump_virtual_cluster *cluster,
                                                     uint16_t node);
void clump_virtual_cluster_reset_use(clump_virtual_cluster *cluster);
/** Since the start. */
clump_virtual_cluster_copies clump_virtual_cluster_copied(const clump_virtual_cluster *cluster,
                                                          uint16_t node);
/** What must hold, for tests: NULL, or what does not. */
const char *clump_virtual_cluster_audit(const clump_virtual_cluster *cluster);
clump_lci_counters clump_virtual_cluster_count(const clump_virtual_cluster *cluster, uint16_t node);

#endif
