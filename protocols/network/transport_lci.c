/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two nodes of the LCI family as a transport. */
#include "protocols/network/transport.h"
#include "protocols/reliability/lci.h"
#include "protocols/reliability/packet.h"
#include "protocols/reliability/sequence.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)CLUMP_PACKET_MOST <= (int)CLUMP_TRANSPORT_BYTES_MOST, "a packet fits");

/* A packet that is before its turn. */
struct early {
    size_t size; /* 0: none */
    uint16_t sequence;
};

struct node {
    clump_lci *lci;
    uint16_t peer, window;
    size_t room; /* of a packet */
    /* One for each that the other end may send before those in front are acknowledged; NULL: they are
     * dropped, and sent again. */
    struct early *early;
    unsigned char *packets;
};

static bool make_shelf(struct node *node)
{
    node->early = calloc(node->window, sizeof *node->early);
    node->packets = malloc(node->window * node->room);
    return node->early != NULL && node->packets != NULL;
}

static void free_node(struct node *node)
{
    free(node->early);
    free(node->packets);
    free(node);
}

static clump_protocol_status open_node(const struct clump_transport_options *o, bool request_again,
                                       const struct clump_transport_protocol *protocol,
                                       struct clump_transport *transport)
{
    struct node *node = calloc(1, sizeof *node);
    if (node == NULL)
        return CLUMP_PROTOCOL_FAILED;
    node->peer = (uint16_t)(1 - o->side);
    node->window = o->window;
    node->room = (size_t)CLUMP_PACKET_HEADER + o->mtu;
    if (o->any_order && !make_shelf(node)) {
        free_node(node);
        return CLUMP_PROTOCOL_FAILED;
    }
    const clump_lci_options options = {.nodes = 2,
                                       .self = (uint16_t)o->side,
                                       .mtu = o->mtu,
                                       .window = o->window,
                                       .retransmit = true,
                                       .request_again = request_again,
                                       .send_buffers = (uint16_t)(2 * o->window),
                                       .receive_buffers = o->window,
                                       .timeout_ns = o->timeout_ns,
                                       .timeout_most_ns = o->timeout_most_ns,
                                       .acknowledge_ns = o->acknowledge_ns,
                                       .incarnation = 1}; /* the session's keys tell them apart */
    const clump_protocol_status status = clump_lci_open(&options, &node->lci);
    if (status != CLUMP_PROTOCOL_OK) {
        free_node(node);
        return status;
    }
    *transport = (struct clump_transport){protocol, node, o->mtu};
    return CLUMP_PROTOCOL_OK;
}

static clump_protocol_status open_am2(const struct clump_transport_options *options,
                                      struct clump_transport *transport)
{
    return open_node(options, true, &clump_transport_am2, transport);
}

static clump_protocol_status open_l_hrx(const struct clump_transport_options *options,
                                        struct clump_transport *transport)
{
    return open_node(options, false, &clump_transport_l_hrx, transport);
}

static void close_node(struct clump_transport *transport)
{
    struct node *node = transport->state;
    clump_lci_close(node->lci);
    free_node(node);
}

static bool send_packet(struct clump_transport *transport, const unsigned char *bytes, size_t size)
{
    struct node *node = transport->state;
    const clump_lci_message message = {.content = CLUMP_CONTENT_USER,
                                       .flags = CLUMP_PACKET_FIRST | CLUMP_PACKET_LAST,
                                       .size = (uint16_t)size,
                                       .data = bytes};
    return clump_lci_send(node->lci, node->peer, &message) == CLUMP_PROTOCOL_OK;
}

/* Whether it was one before its turn. If it is damaged that shows when its turn comes. */
static bool keep_early(struct node *node, const unsigned char *bytes, size_t size)
{
    uint16_t sequence;
    if (size > node->room || !clump_lci_packet_peek(bytes, size, &sequence))
        return false;
    const int32_t ahead =
        clump_sequence_difference(sequence, clump_lci_expected(node->lci, node->peer));
    struct early *e = &node->early[sequence % node->window];
    if (ahead == 0)
        e->size = 0; /* it has come again meanwhile */
    if (ahead <= 0 || ahead >= node->window)
        return false;
    *e = (struct early){size, sequence};
    memcpy(node->packets + sequence % node->window * node->room, bytes, size);
    return true;
}

/* Those whose turn has come. */
static void receive_early(struct node *node, uint64_t now_ns)
{
    for (;;) {
        const uint16_t sequence = clump_lci_expected(node->lci, node->peer);
        struct early *e = &node->early[sequence % node->window];
        if (e->size == 0 || e->sequence != sequence)
            return;
        clump_lci_receive(node->lci, now_ns, node->packets + sequence % node->window * node->room,
                          e->size);
        e->size = 0;
    }
}

static void receive(struct clump_transport *transport, uint64_t now_ns, const unsigned char *bytes,
                    size_t size)
{
    struct node *node = transport->state;
    if (node->early != NULL && keep_early(node, bytes, size))
        return;
    clump_lci_receive(node->lci, now_ns, bytes, size);
    if (node->early != NULL)
        receive_early(node, now_ns);
}

static bool deliver(struct clump_transport *transport, uint64_t now_ns, clump_transport_sink *sink,
                    void *context)
{
    clump_lci *lci = ((struct node *)transport->state)->lci;
    clump_lci_delivery packet;
    bool good = true;
    while (good && clump_lci_next(lci, &packet)) {
        good = packet.content == CLUMP_CONTENT_USER && sink(context, packet.data, packet.size);
        clump_lci_release(lci, now_ns, packet.buffer);
    }
    return good;
}

static size_t transmit(struct clump_transport *transport, uint64_t now_ns, unsigned char *bytes)
{
    size_t size;
    uint16_t to;
    return clump_lci_transmit(((struct node *)transport->state)->lci, now_ns, bytes, &size, &to)
               ? size
               : 0;
}

static uint64_t deadline(const struct clump_transport *transport)
{
    return clump_lci_deadline(((const struct node *)transport->state)->lci);
}

static bool idle(const struct clump_transport *transport)
{
    const struct node *node = transport->state;
    return clump_lci_idle(node->lci) && clump_lci_in_flight(node->lci, node->peer) == 0;
}

static uint64_t resent(const struct clump_transport *transport)
{
    return clump_lci_count(((const struct node *)transport->state)->lci).resent;
}

const struct clump_transport_protocol clump_transport_am2 = {
    open_am2, close_node, send_packet, receive, deliver, transmit, deadline, idle, resent};
const struct clump_transport_protocol clump_transport_l_hrx = {
    open_l_hrx, close_node, send_packet, receive, deliver, transmit, deadline, idle, resent};
