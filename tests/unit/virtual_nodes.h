/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Nodes of the LCI family on a faulty network in virtual time, without any cost of hardware: every
 * packet that arrives is handled at once. Each test says what a node has to send and looks at what
 * it is given.
 */
#ifndef CLUMP_TESTS_VIRTUAL_NODES_H
#define CLUMP_TESTS_VIRTUAL_NODES_H

#include "protocols/reliability/lci.h"
#include "reproductions/virtual/splitmix.h"
#include "reproductions/virtual/wire.h"
#include "tests/unit/sanitized.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

enum { ARRIVAL = 1, ALARM = 2, NODES_MOST = 64 };

/* A million messages; fewer where the sanitizers make each of them ten times as dear. */
static inline uint64_t nodes_long_run(void)
{
    const char *text = getenv("CLUMP_VIRTUAL_MESSAGES");
    return text != NULL ? strtoull(text, NULL, 10) : SANITIZED ? 100000 : 1000000;
}

/* What make check has no time for. */
static inline bool nodes_long(void)
{
    return getenv("CLUMP_TEST_LONG") != NULL;
}

#define NS UINT64_C(1000) /* in picoseconds */

/* Two packets that are lost, by their number on the wire. */
struct nodes_losses {
    uint64_t one, other;
};

static inline bool nodes_lose_chosen(void *context, uint64_t number, uint32_t from, uint32_t to,
                                     const unsigned char *bytes, size_t size)
{
    const struct nodes_losses *l = context;
    (void)from, (void)to, (void)bytes, (void)size;
    return number == l->one || number == l->other;
}

struct nodes {
    struct clump_calendar queue;
    clump_wire *wire;
    clump_lci *node[NODES_MOST];
    clump_lci_options options[NODES_MOST];
    uint64_t alarm_ns[NODES_MOST]; /* the soonest that is in the queue */
    unsigned count;
    unsigned check_every; /* steps; 0: never */
    uint64_t steps;
    /* Give a node what it wants to send; called whenever it may have become able to. */
    void (*feed)(struct nodes *nodes, unsigned node);
    /* Look at a delivery; return false to keep the buffer. */
    bool (*take)(struct nodes *nodes, unsigned node, const clump_lci_delivery *delivery);
    void *context;
};

static inline uint64_t nodes_now(const struct nodes *n)
{
    return n->queue.now_ps / NS;
}

static inline void nodes_open(struct nodes *n, unsigned count, const clump_lci_options *like,
                              const clump_wire_faults *faults)
{
    n->count = count;
    n->wire = clump_wire_open(faults, &n->queue, ARRIVAL, CLUMP_PACKET_MOST);
    assert_non_null(n->wire);
    for (unsigned i = 0; i < count; i++) {
        n->options[i] = *like;
        n->options[i].self = (uint16_t)i;
        n->options[i].nodes = (uint16_t)count;
        n->alarm_ns[i] = UINT64_MAX;
        assert_int_equal(clump_lci_open(&n->options[i], &n->node[i]), CLUMP_PROTOCOL_OK);
    }
}

static inline void nodes_close(struct nodes *n)
{
    for (unsigned i = 0; i < n->count; i++)
        clump_lci_close(n->node[i]);
    clump_wire_close(n->wire);
    clump_calendar_free(&n->queue);
}

/* A new process takes the node's place. */
static inline void nodes_restart(struct nodes *n, unsigned i)
{
    clump_lci_close(n->node[i]);
    n->options[i].incarnation++;
    assert_int_equal(clump_lci_open(&n->options[i], &n->node[i]), CLUMP_PROTOCOL_OK);
}

/* Let a node do all that it can do now. */
static inline void nodes_run(struct nodes *n, unsigned i)
{
    unsigned char bytes[CLUMP_PACKET_MOST];
    clump_lci_delivery delivery;
    const uint64_t now = nodes_now(n);
    size_t size;
    uint16_t to;
    bool more = true;
    while (more) {
        more = false;
        while (clump_lci_next(n->node[i], &delivery))
            if (n->take(n, i, &delivery))
                clump_lci_release(n->node[i], now, delivery.buffer);
        if (n->feed != NULL)
            n->feed(n, i);
        while (clump_lci_transmit(n->node[i], now, bytes, &size, &to)) {
            assert_true(clump_wire_send(n->wire, n->queue.now_ps, i, to, bytes, size));
            more = true;
        }
    }
    n->steps++;
    if (n->check_every > 0 && n->steps % n->check_every == 0) {
        const char *wrong = clump_lci_check(n->node[i]);
        if (wrong != NULL)
            fail_msg("node %u, step %llu: %s", i, (unsigned long long)n->steps, wrong);
    }
    const uint64_t deadline = clump_lci_deadline(n->node[i]);
    if (deadline != CLUMP_LCI_NEVER && deadline < n->alarm_ns[i]) {
        n->alarm_ns[i] = deadline > now ? deadline : now;
        clump_calendar_add(&n->queue,
                           (clump_event){.time_ps = n->alarm_ns[i] * NS, .kind = ALARM, .node = i});
    }
}

/* One event. @return false if there is none: all is quiet */
static inline bool nodes_step(struct nodes *n)
{
    clump_event event;
    if (!clump_calendar_take(&n->queue, &event))
        return false;
    if (event.kind == ARRIVAL) {
        size_t size;
        const unsigned char *bytes = clump_wire_packet(n->wire, event.value, &size);
        clump_lci_receive(n->node[event.node], nodes_now(n), bytes, size);
        clump_wire_release(n->wire, event.value);
    } else if (event.time_ps == n->alarm_ns[event.node] * NS) {
        n->alarm_ns[event.node] = UINT64_MAX;
    } else {
        return true; /* another one has taken its place */
    }
    nodes_run(n, event.node);
    return true;
}

static inline void nodes_start(struct nodes *n)
{
    for (unsigned i = 0; i < n->count; i++)
        nodes_run(n, i);
}

#endif
