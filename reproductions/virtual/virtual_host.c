/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The host: it receives what has come, and sends what its program wants, one after the other. */
#include "reproductions/virtual/virtual_node.h"

#include <stdlib.h>
#include <string.h>

typedef struct turn {
    clump_virtual_cluster *c;
    virtual_node *n;
    uint16_t node;
    uint64_t at;
} turn;

static void words(turn *t, uint32_t count)
{
    t->at += clump_virtual_ps(count * t->c->options.hardware.host_word_us);
}

/* What the state machine did. @return the words that can wait until a packet is on its way */
static uint32_t protocol_first(turn *t)
{
    const clump_lci_effort effort = clump_lci_work(t->n->lci);
    words(t, effort.words);
    return effort.later + HOST_TIMER * effort.timers;
}

static void protocol(turn *t)
{
    words(t, protocol_first(t));
}

/* What the program's callback has asked for. */
static uint64_t charged(turn *t)
{
    const uint64_t long_ps = t->n->charged_ps;
    t->n->charged_ps = 0;
    t->at += long_ps;
    return long_ps;
}

static void store(turn *t, uint32_t count)
{
    t->at += clump_virtual_ps(count * t->c->options.hardware.pio_word_us);
}

/* The data of a packet: stored by the processor, or where they are to be fetched. */
static void hand_over(turn *t, const virtual_item *post)
{
    const clump_virtual_cluster_options *o = &t->c->options;
    store(t, PIO_SEND);
    if (post->order == CLUMP_VIRTUAL_FETCH_ADD || post->no_data)
        return;
    if (o->protocol.transfer == CLUMP_TRANSFER_PIO) {
        t->at += clump_virtual_ps(post->size * o->hardware.pio_byte_us);
        return;
    }
    if (post->copy) {
        words(t, HOST_TRANSLATE);
        store(t, PIO_COPY);
    }
    if (post->copy &&
        post->source.kind != CLUMP_COPY_HIT) { /* the data, and what to do with them */
        t->at += clump_virtual_ps(post->size * o->hardware.pio_byte_us);
        if (post->source.kind == CLUMP_COPY_MISS)
            store(t, PIO_MAPPING);
        return;
    }
    words(t, HOST_COMPLETION);
    store(t, PIO_DMA);
}

static void pin(turn *t, uint64_t pages)
{
    t->at += clump_virtual_ps((double)pages * t->c->options.hardware.pin_us);
    words(t, (uint32_t)(HOST_PINNED * pages));
}

/* What is sent by DMA was copied before into a packet in host memory, so that the program may
 * change its data (7.2); remote copy takes them from where they are. Data that have left the cache cost
 * what memcpy does to large buffers (5.2.4). Programmed I/O does not wait for them: its stores, which are
 * slower than loads from memory, are "pipelined over the PCI bus" (5.2.1). */
static void fill(turn *t, uint32_t bytes, bool far)
{
    const clump_hardware *h = &t->c->options.hardware;
    if (t->c->options.protocol.transfer == CLUMP_TRANSFER_DMA)
        t->at += clump_virtual_ps(bytes * (far ? h->host_copy_us : h->host_fill_us));
}

static void post(turn *t, virtual_item *item)
{
    item->kind = ITEM_POST;
    item->ready_ps = t->at;
    t->n->posts++;
    clump_virtual_trace(t->c, t->at, t->node, "post", item->to);
    clump_virtual_give_nic(t->c, t->node, item);
}

/* hrx: packets that the host's state machine wants to transmit, to the NIC as they are. */
static void pump(turn *t)
{
    unsigned char bytes[CLUMP_PACKET_MOST];
    size_t size;
    uint16_t to;
    while (clump_lci_transmit(t->n->lci, t->at / 1000, bytes, &size, &to)) {
        virtual_item item = {.raw = true,
                             .to = to,
                             .value = (uint32_t)size,
                             .size = (uint16_t)(size - CLUMP_PACKET_HEADER),
                             .no_data = size == CLUMP_PACKET_HEADER};
        const uint32_t later = protocol_first(t);
        item.bytes = malloc(size);
        if (item.bytes == NULL) {
            t->c->failed = true;
            return;
        }
        memcpy(item.bytes, bytes, size);
        hand_over(t, &item);
        post(t, &item);
        words(t, later);
    }
    protocol(t);
}

static void got(turn *t, const clump_lci_delivery *d)
{
    t->at += clump_virtual_ps(d->size * t->c->program.copy_us_per_byte);
    t->c->now_ps = t->at;
    clump_virtual_trace(t->c, t->at, t->node, "got", d->origin);
    t->c->program.got(t->c->program.context, t->c, t->node, d);
    t->n->use.receive_ps += charged(t);
}

/* What the application's side of a reception costs. */
static void reception(turn *t, const clump_lci_delivery *d)
{
    const clump_hardware *h = &t->c->options.hardware;
    const bool copied = d->content == CLUMP_CONTENT_COPY;
    t->at += clump_virtual_ps((copied ? LINES_COPIED : LINES_RECEIVED) * h->host_miss_us);
    words(t, copied ? HOST_COPY_POLL : HOST_RECEIVE);
    if (!copied)
        store(t, PIO_RELEASE);
    if (t->c->options.protocol.transfer != CLUMP_TRANSFER_PIO)
        words(t, HOST_COMPLETION);
}

/* Host-level multicasts: data cross the bus once, each child costs a call and a descriptor (5.4). With
 * that of the first the NIC can begin to fetch the data; those of the others are written meanwhile. */
static void post_to_children(turn *t, virtual_item *item, uint16_t origin)
{
    uint16_t children[CLUMP_TREE_CHILDREN_MOST];
    const clump_virtual_cluster_options *o = &t->c->options;
    const unsigned count =
        clump_tree_children(o->protocol.tree, o->nodes, origin, t->node, children);
    if (count == 0)
        item->no_data = true;
    else
        words(t, HOST_SEND + HOST_CHILD);
    hand_over(t, item);
    if (count > 0)
        store(t, PIO_CHILD);
    item->first_child = count > 0;
    post(t, item);
    for (unsigned i = 1; i < count; i++) {
        words(t, HOST_CHILD);
        store(t, PIO_CHILD);
    }
}

/* It comes before the handler, so that the next node need not wait for that. */
static void forward(turn *t, const clump_lci_delivery *d)
{
    virtual_item item = {.forward = true, .value = d->buffer, .size = d->size};
    post_to_children(t, &item, d->origin);
}

/* The NIC had no translation: the data are copied to where they belong, which is pinned. */
static void redirected(turn *t, const virtual_item *item)
{
    const clump_hardware *h = &t->c->options.hardware;
    t->at +=
        clump_virtual_ps(LINES_RECEIVED * h->host_miss_us + item->delivery.size * h->host_copy_us);
    words(t, HOST_NOTICE);
    pin(t, clump_virtual_copy_told(t->n, item));
    store(t, PIO_MAPPING + PIO_RELEASE);
    clump_virtual_copy_tell(t->c, t->node, t->at, item);
}

static void delivery_turn(turn *t, virtual_item *item)
{
    clump_lci_delivery d = item->delivery;
    d.data = item->bytes;
    const uint64_t begin = t->at;
    if (item->redirected)
        redirected(t, item);
    reception(t, &d);
    t->n->use.receive_ps += t->at - begin;
    t->n->use.receives++;
    if (t->c->options.protocol.host_multicast && (d.flags & CLUMP_PACKET_MULTICAST))
        forward(t, &d);
    got(t, &d);
    free(item->bytes);
}

static void raw_turn(turn *t, const virtual_item *item)
{
    size_t size;
    const unsigned char *bytes = clump_wire_packet(t->c->wire, item->value, &size);
    const uint64_t begin = t->at;
    clump_lci_delivery d;
    clump_lci_receive(t->n->lci, t->at / 1000, bytes, size);
    clump_wire_release(t->c->wire, item->value);
    protocol(t);
    bool any = false;
    while (clump_lci_next(t->n->lci, &d)) {
        any = true;
        reception(t, &d);
        t->n->use.receive_ps += t->at - begin;
        t->n->use.receives++;
        pump(t); /* forwarding comes before the handler */
        got(t, &d);
        clump_lci_release(t->n->lci, t->at / 1000, d.buffer);
    }
    if (!any) { /* an acknowledgement, or a request that is answered at once; its buffer is free */
        t->at += clump_virtual_ps(t->c->options.hardware.host_miss_us);
        words(t, HOST_TAKE);
        store(t, PIO_RELEASE);
    }
    pump(t);
}

/* A packet ends with its page, at the sender as at the receiver. */
static uint16_t most_of(const clump_virtual_cluster *c, bool copy,
                        const clump_virtual_cluster_order *order)
{
    uint32_t most = c->options.protocol.mtu;
    if (!copy)
        return (uint16_t)most;
    const uint32_t here = CLUMP_PAGE_SIZE - (uint32_t)(order->source % CLUMP_PAGE_SIZE),
                   there = CLUMP_PAGE_SIZE - (uint32_t)(order->copy % CLUMP_PAGE_SIZE);
    most = here < most ? here : most;
    return (uint16_t)(there < most ? there : most);
}

/* Send what the program wants. False: it wants nothing, or there is no room. */
static bool send_turn(turn *t)
{
    clump_virtual_cluster *c = t->c;
    clump_virtual_cluster_order order = {0};
    const uint64_t begin = t->at;
    if (t->n->posts >= c->posts_most ||
        (clump_virtual_on_host(c) && !clump_lci_can_send(t->n->lci)))
        return false;
    const bool wanted = c->program.want(c->program.context, c, t->node, &order);
    const uint64_t long_ps = charged(t);
    if (!wanted) {
        t->n->use.send_ps += long_ps;
        return long_ps > 0;
    }
    const bool copy =
        order.kind == CLUMP_VIRTUAL_SEND && c->options.protocol.transfer == CLUMP_TRANSFER_COPY;
    const uint16_t room = copy ? CLUMP_PACKET_ADDRESS : 0, most = most_of(c, copy, &order);
    virtual_item item = {.order = order.kind,
                         .to = order.to,
                         .tag = order.tag,
                         .copy = copy,
                         .size = (uint16_t)((order.size < most ? order.size : most) + room)};
    const bool tree = order.kind == CLUMP_VIRTUAL_MULTICAST && c->options.protocol.host_multicast &&
                      !clump_virtual_on_host(c);
    if (!tree)
        words(t, HOST_SEND);
    if (order.kind != CLUMP_VIRTUAL_FETCH_ADD)
        fill(t, item.size, order.far);
    item.bytes = calloc(1, item.size > 0 ? item.size : 1);
    if (item.bytes == NULL) {
        c->failed = true;
        return false;
    }
    if (order.data != NULL && order.kind != CLUMP_VIRTUAL_FETCH_ADD)
        memcpy(item.bytes + room, order.data, (size_t)item.size - room);
    if (copy)
        pin(t, clump_virtual_copy_post(t->n, &order, &item));
    if (clump_virtual_on_host(c)) {
        const clump_lci_message message = {.tag = item.tag, .size = item.size, .data = item.bytes};
        const clump_protocol_status status = order.kind == CLUMP_VIRTUAL_FETCH_ADD
                                                 ? clump_lci_fetch_add(t->n->lci, item.to, item.tag)
                                             : order.kind == CLUMP_VIRTUAL_MULTICAST
                                                 ? clump_lci_multicast(t->n->lci, &message)
                                                 : clump_lci_send(t->n->lci, item.to, &message);
        free(item.bytes);
        c->failed |= status != CLUMP_PROTOCOL_OK;
        pump(t);
    } else if (tree) {
        post_to_children(t, &item, t->node);
    } else {
        hand_over(t, &item);
        post(t, &item);
    }
    t->n->use.send_ps += t->at - begin;
    t->n->use.sends++;
    return true;
}

/* What it costs to look at it was charged when the packet was sent. */
static void completion_turn(turn *t, const virtual_item *item)
{
    pin(t, clump_virtual_copy_told(t->n, item));
    clump_virtual_copy_tell(t->c, t->node, t->at, item);
}

/* Compute: what was interrupted, or something new. */
static bool compute_turn(turn *t)
{
    clump_virtual_cluster *c = t->c;
    uint64_t long_ps = t->n->interrupted_ps, charged_ps = 0;
    if (long_ps == 0 && c->program.compute != NULL) {
        long_ps = clump_virtual_ps(c->program.compute(c->program.context, c, t->node));
        t->n->use.compute_ps += long_ps;
        charged_ps = charged(t);
        t->n->use.send_ps += charged_ps;
    }
    if (long_ps > 0)
        t->at = clump_virtual_compute(c, t->node, t->at, long_ps);
    return long_ps > 0 || charged_ps > 0;
}

void clump_virtual_host_turn(clump_virtual_cluster *c, uint16_t node)
{
    turn t = {.c = c, .n = &c->nodes[node], .node = node, .at = c->now_ps};
    virtual_item item;
    bool did = true;
    t.n->computing = false;
    if (t.n->host_alarm) {
        t.n->host_alarm = false;
        pump(&t);
    } else if (t.n->host.count > 0 && t.n->host.items[t.n->host.first].ready_ps <= t.at) {
        clump_virtual_pop(&t.n->host, &item);
        if (item.kind == ITEM_DELIVERY)
            delivery_turn(&t, &item);
        else if (item.kind == ITEM_RAW)
            raw_turn(&t, &item);
        else
            completion_turn(&t, &item);
        clump_virtual_polled(c, node, c->now_ps);
    } else {
        clump_virtual_polled(c, node, t.at);
        did = send_turn(&t) || compute_turn(&t);
    }
    t.n->host_free_ps = t.at;
    if (clump_virtual_on_host(c))
        clump_virtual_set_alarm(c, node);
    if (did)
        clump_virtual_wake_host(c, node, t.at);
    else if (t.n->host.count > 0)
        clump_virtual_wake_host(c, node, t.n->host.items[t.n->host.first].ready_ps);
}
