/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_TESTS_UNIT_NODES_STREAM_H
#define CLUMP_TESTS_UNIT_NODES_STREAM_H

/* Short messages from one of two nodes (virtual_nodes.h) to the other, as many as the window lets through. */

#include "tests/unit/virtual_nodes.h"

struct nodes_stream {
    uint64_t total; /* messages */
    uint64_t sent, got, finished_ns;
};

static inline void nodes_stream_feed(struct nodes *n, unsigned node)
{
    struct nodes_stream *s = n->context;
    const unsigned char data[8] = {0};
    const clump_lci_message m = {.size = sizeof data, .data = data};
    while (node == 0 && s->sent < s->total &&
           clump_lci_send(n->node[0], 1, &m) == CLUMP_PROTOCOL_OK)
        s->sent++;
}

static inline bool nodes_stream_take(struct nodes *n, unsigned node, const clump_lci_delivery *d)
{
    struct nodes_stream *s = n->context;
    (void)node, (void)d;
    if (++s->got == s->total)
        s->finished_ns = nodes_now(n);
    return true;
}

/* Packets that are lost are sent again after the same time, however often. @return what node 0 has counted */
static inline clump_lci_counters nodes_stream_run(struct nodes_stream *s, uint16_t window,
                                                  uint64_t timeout_ns,
                                                  const clump_wire_faults *faults)
{
    static struct nodes n;
    const clump_lci_options o = {.mtu = 64,
                                 .window = window,
                                 .retransmit = true,
                                 .send_buffers = 128,
                                 .receive_buffers = 64,
                                 .timeout_ns = timeout_ns,
                                 .timeout_most_ns = timeout_ns,
                                 .acknowledge_ns = 1000,
                                 .incarnation = 1};
    n = (struct nodes){.feed = nodes_stream_feed, .take = nodes_stream_take, .context = s};
    nodes_open(&n, 2, &o, faults);
    nodes_start(&n);
    while (nodes_step(&n))
        ;
    const clump_lci_counters counted = clump_lci_count(n.node[0]);
    nodes_close(&n);
    return counted;
}

#endif
