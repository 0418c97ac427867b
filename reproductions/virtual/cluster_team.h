/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * A program on every node of a virtual cluster (virtual_cluster.h): each is a fiber that computes,
 * sends packets through the protocol's own code, and waits for some, as if it had its node alone.
 *
 * Packets are handled when the host looks at its queue: between two calls that send, wait, poll or
 * ask for the time, or in the middle of a computation that the watchdog interrupts (interrupts of
 * the options). Handlers may send and charge, and nothing else; they never wait.
 *
 * Computation is put together until one of those calls: the host does not poll in between.
 *
 * Same options and program: same run, to the last event.
 */
#ifndef CLUMP_REPRODUCTIONS_VIRTUAL_CLUSTER_TEAM_H
#define CLUMP_REPRODUCTIONS_VIRTUAL_CLUSTER_TEAM_H

#include "protocols/time_parts.h"
#include "reproductions/virtual/virtual_cluster.h"

typedef struct clump_cluster_member clump_cluster_member;

typedef struct clump_cluster_team_options {
    clump_virtual_cluster_options cluster;
    /** What each node does. */
    void (*work)(clump_cluster_member *member, void *context);
    /** A packet has been received. */
    void (*handle)(clump_cluster_member *member, const clump_lci_delivery *delivery, void *context);
    /** Asked now and then; true: stop. May be NULL. */
    bool (*watch)(void *context);
    void *context;
} clump_cluster_team_options;

enum { CLUMP_CLUSTER_TEAM_MESSAGE = 250 };

typedef struct clump_cluster_team_result {
    double time_us;                           /**< until the last program ended */
    clump_lci_counters counters;              /**< of all nodes */
    double nic_utilization;                   /**< of the NICs' processors, mean */
    uint64_t turns;                           /**< of hosts that were free */
    char message[CLUMP_CLUSTER_TEAM_MESSAGE]; /**< why it failed, or "" */
} clump_cluster_team_result;

/**
 * @param result  written in any case
 * @return OK; BAD_INPUT: hardware, protocol or nodes cannot be used; TIMED_OUT: stopped; FAILED: no
 *         memory, a member failed, or all wait
 */
clump_protocol_status clump_cluster_team_run(const clump_cluster_team_options *options,
                                             clump_cluster_team_result *result);

/* ---- for programs and handlers */

uint16_t clump_cluster_member_rank(const clump_cluster_member *member);
/** Hand a packet to the host for sending (data are copied): to `to`, to all others, or a
 *  fetch-and-add at `to`, which is not this node. In order for each kind. Far: the data are in memory,
 *  not in the host's cache. */
void clump_cluster_member_send(clump_cluster_member *member, clump_virtual_cluster_kind kind,
                               uint16_t to, const void *data, uint16_t size, bool far);
/** This node's own variable: its value, which is then incremented. */
uint32_t clump_cluster_member_fetch_add_here(clump_cluster_member *member);
/** What the program or handler does takes the host so much longer; in send or receive time. */
void clump_cluster_member_charge(clump_cluster_member *member, double us);
/** Ends the run. */
__attribute__((noreturn)) void clump_cluster_member_fail(clump_cluster_member *member,
                                                         const char *reason);

/* ---- for programs only */

/** Computation that takes so long. */
void clump_cluster_member_work(clump_cluster_member *member, double us);
/** What was handed over has been sent, as far as the host has to do with it. */
void clump_cluster_member_flush(clump_cluster_member *member);
/** What has come is handled. */
void clump_cluster_member_poll(clump_cluster_member *member);
/** The same, and if nothing was handled since the last wait or poll, until something is. */
void clump_cluster_member_wait(clump_cluster_member *member);
/** Virtual time; from handlers, too: when the packet was received. */
double clump_cluster_member_now_us(clump_cluster_member *member);
/** Of the time since the start. Wait is the rest: idle, forwarding for others, interrupts. */
clump_time_parts clump_cluster_member_parts(clump_cluster_member *member);

#endif
