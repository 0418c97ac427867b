/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The program of the NIC: a loop that looks at all sources of work and takes one thing a turn. DMA
 * engine and link work on while it does something else.
 */
#include "reproductions/virtual/virtual_node.h"

#include <stdlib.h>
#include <string.h>

/** A turn of the loop, and the time that it has got to; words move it on. */
typedef struct turn {
    clump_virtual_cluster *c;
    virtual_node *n;
    uint16_t node;
    uint64_t at;
} turn;

static void words(turn *t, uint32_t count)
{
    t->at += clump_virtual_ps(count * t->c->options.hardware.nic_word_us);
}

/* ---- what the NIC transmits, and what its state machine costs */

/** Words of looking at all sources of work once. */
static uint32_t loop_words(const clump_virtual_cluster *c)
{
    return NIC_LOOP +
           (c->options.protocol.reliability == CLUMP_RELIABILITY_NIC ? NIC_LOOP_TIMERS : 0);
}

/* What the state machine did, but for what can wait. The descriptor that it made for a child has
 * been in the queue of those that the host writes, and came out of it at its own turn (4.2). Where the
 * host forwards, it has written them all (5.4), and the first has been read before the data were fetched.
 * @return the words that can wait */
static uint32_t protocol_first(turn *t)
{
    const clump_lci_effort effort = clump_lci_work(t->n->lci);
    const uint32_t read = effort.children < t->n->read ? effort.children : t->n->read;
    t->n->read -= read;
    words(t, effort.words + (loop_words(t->c) + NIC_FETCH) * (effort.children - read));
    return effort.later + NIC_TIMER * effort.timers;
}

/** Charge what the state machine has done since. */
static void protocol(turn *t)
{
    words(t, protocol_first(t));
}

/** A packet to the link, which carries it while the processor goes on. */
static void to_link(turn *t, uint16_t to, const unsigned char *bytes, size_t size)
{
    clump_virtual_cluster *c = t->c;
    const clump_hardware *h = &c->options.hardware;
    const uint64_t long_ps = clump_virtual_ps((double)size * h->link_byte_us);
    words(t, NIC_LINK);
    const uint64_t begin = t->at > t->n->link_free_ps ? t->at : t->n->link_free_ps;
    t->n->link_free_ps = begin + long_ps;
    uint64_t last = begin + long_ps + clump_virtual_ps(h->network_us + h->hops * h->hop_us);
    virtual_node *receiver = &c->nodes[to]; /* whose link carries one packet at a time, too */
    if (last < receiver->arrive_free_ps + long_ps)
        last = receiver->arrive_free_ps + long_ps;
    receiver->arrive_free_ps = last;
    clump_virtual_trace(c, begin, t->node, "transmit", to);
    c->failed |= !clump_wire_send(c->wire, last, t->node, to, bytes, size);
}

/** Whatever the protocol wants to transmit now. */
static void pump(turn *t)
{
    unsigned char bytes[CLUMP_PACKET_MOST];
    size_t size;
    uint16_t to;
    while (clump_lci_transmit(t->n->lci, t->at / 1000, bytes, &size, &to)) {
        const uint32_t later = protocol_first(t);
        to_link(t, to, bytes, size);
        words(t, NIC_LINK_DONE + later); /* a timer starts when it is sent (5.1.1) */
    }
    protocol(t);
}

/* ---- the DMA engine between NIC and host (section 3): one transfer at a time, and the processor
 * goes on meanwhile */

static void begin(turn *t)
{
    const clump_hardware *h = &t->c->options.hardware;
    const virtual_item *item = &t->n->dma.items[t->n->dma.first];
    uint64_t end_ps = t->at;
    if (item->stage != STAGE_PASSED) {
        const double start_us = item->stage == STAGE_FETCHED ? h->dma_read_us : h->dma_write_us;
        words(t, NIC_DMA);
        end_ps = t->at + clump_virtual_ps(start_us + item->transfer_bytes * h->dma_byte_us);
    }
    t->c->failed |= !clump_calendar_add(
        &t->c->queue, (clump_event){.time_ps = end_ps, .kind = EVENT_DMA, .node = t->node});
}

/** Begin a transfer, or let it wait for those before. `item` is what goes on when it has ended. */
static void transfer(turn *t, const virtual_item *item, enum item_stage stage, uint32_t bytes)
{
    virtual_item copy = *item;
    copy.stage = stage;
    copy.transfer_bytes = bytes;
    t->n->fetching += stage <= STAGE_PASSED;
    if (!clump_virtual_push(&t->n->dma, &copy))
        t->c->failed = true;
    else if (t->n->dma.count == 1)
        begin(t);
}

/** The program sees that the first transfer has ended, and begins the next one. False: none has. */
static bool take_transferred(turn *t, virtual_item *item)
{
    if (!t->n->transferred)
        return false;
    t->n->transferred = false;
    clump_virtual_pop(&t->n->dma, item);
    if (item->stage != STAGE_PASSED)
        words(t, NIC_DMA_DONE);
    t->n->fetching -= item->stage <= STAGE_PASSED;
    if (t->n->dma.count > 0)
        begin(t);
    return true;
}

/* What the host waits for is there before the NIC's program comes to see that. */
void clump_virtual_transferred(clump_virtual_cluster *c, uint16_t node)
{
    virtual_node *n = &c->nodes[node];
    virtual_item *item = &n->dma.items[n->dma.first];
    if (item->stage == STAGE_DELIVERED || (item->stage == STAGE_REPORTED && item->told)) {
        virtual_item received = *item;
        item->bytes = NULL; /* its owner is the host's queue */
        received.ready_ps = c->now_ps;
        c->failed |= !clump_virtual_push(&n->host, &received);
        if (received.stage == STAGE_REPORTED) {
            clump_virtual_wake_host(c, node, c->now_ps);
        } else {
            clump_virtual_trace(c, c->now_ps, node, "deliver", received.delivery.origin);
            clump_virtual_arrived(c, node, c->now_ps);
        }
    }
    n->transferred = true;
    clump_virtual_wake_nic(c, node, c->now_ps);
}

/* ---- from the link to the host */

static void release(turn *t, const clump_lci_delivery *d)
{
    clump_lci_release(t->n->lci, t->at / 1000, d->buffer);
    protocol(t);
}

/* Two transfers if the data go to another page than the packet says: they, and the notice of it. */
static void to_host(turn *t, const virtual_item *item)
{
    const uint32_t bytes = HEADER_BYTES + item->delivery.size;
    if (!item->redirected) {
        transfer(t, item, STAGE_DELIVERED, bytes);
        return;
    }
    transfer(t, &(virtual_item){0}, STAGE_PLACED, bytes);
    words(t, NIC_REDIRECT);
    transfer(t, item, STAGE_DELIVERED, NOTICE_BYTES);
}

/* One packet to the host's receive queue, or with remote copy to where it belongs. False: it has to
 * wait. */
static bool deliver(turn *t, const clump_lci_delivery *d)
{
    enum copy_place place = COPY_IN_PLACE;
    clump_copy_notice notice = {0};
    words(t, d->content == CLUMP_CONTENT_COPY ? NIC_COPY_RECEIVE : NIC_HOST_BUFFER);
    if (d->content == CLUMP_CONTENT_COPY)
        place = clump_virtual_copy_place(t->n, d, &notice);
    if (place == COPY_WAITS)
        return false;
    if (place == COPY_REFUSED) {
        clump_virtual_trace(t->c, t->at, t->node, "refuse", d->origin);
        release(t, d);
        return true;
    }
    virtual_item item = {.kind = ITEM_DELIVERY,
                         .delivery = *d,
                         .redirected = place == COPY_REDIRECTED,
                         .notice = notice};
    if (d->size > 0) {
        item.bytes = malloc(d->size);
        if (item.bytes == NULL) {
            t->c->failed = true;
            return true;
        }
        memcpy(item.bytes, d->data, d->size);
    }
    to_host(t, &item);
    return true;
}

/* Remote copies stay in the NIC's buffers, and in order, until the host has anonymous pages. */
static void deliver_in_turn(turn *t, const clump_lci_delivery *d)
{
    const bool copy = d->content == CLUMP_CONTENT_COPY;
    if ((copy && t->n->waiting.count > 0) || !deliver(t, d)) {
        const virtual_item item = {.kind = ITEM_DELIVERY, .delivery = *d};
        t->c->failed |= !clump_virtual_push(&t->n->waiting, &item);
        clump_virtual_trace(t->c, t->at, t->node, "wait", d->origin);
    }
}

/** Remote copies that waited for anonymous pages. */
static void retry_waiting(turn *t)
{
    virtual_item item;
    while (t->n->waiting.count > 0 &&
           deliver(t, &t->n->waiting.items[t->n->waiting.first].delivery)) {
        clump_virtual_pop(&t->n->waiting, &item);
        pump(t);
    }
}

/* l-hrx: as it is, if there is a buffer for it. */
static void raw_arrival(turn *t, const virtual_item *arrival, size_t size)
{
    if (t->n->host.count + t->n->dma.count >= HOST_BUFFERS) {
        t->n->arrivals--;
        clump_virtual_trace(t->c, t->at, t->node, "overrun", 0);
        clump_wire_release(t->c->wire, arrival->value);
        return;
    }
    words(t, NIC_POOL + NIC_HOST_BUFFER);
    transfer(t, &(virtual_item){.kind = ITEM_RAW, .value = arrival->value}, STAGE_DELIVERED,
             (uint32_t)(size - CLUMP_PACKET_HEADER + HEADER_BYTES));
}

/** A packet has arrived from the link. */
static void arrival_turn(turn *t, const virtual_item *arrival)
{
    size_t size;
    const unsigned char *bytes = clump_wire_packet(t->c->wire, arrival->value, &size);
    words(t, NIC_ARRIVE);
    if (clump_virtual_on_host(t->c)) {
        raw_arrival(t, arrival, size);
        return;
    }
    t->n->arrivals--;
    clump_lci_receive(t->n->lci, t->at / 1000, bytes, size);
    clump_wire_release(t->c->wire, arrival->value);
    protocol(t);
    clump_lci_delivery d;
    while (clump_lci_next(t->n->lci, &d))
        deliver_in_turn(t, &d);
    pump(t);
}

/** A packet is in host memory: its buffer on the NIC is free, unless the host forwards it. */
static void delivered(turn *t, const virtual_item *item)
{
    const clump_lci_delivery *d = &item->delivery;
    if (item->kind == ITEM_RAW)
        t->n->arrivals--;
    else if (!t->c->options.protocol.host_multicast || (d->flags & CLUMP_PACKET_MULTICAST) == 0)
        clump_lci_release(t->n->lci, t->at / 1000, d->buffer);
    pump(t);
}

/* ---- what the host has posted, and the loop */

/* A packet of the host is on the NIC: hand it to the protocol. False: no send buffer is free. */
static bool submit(turn *t, const virtual_item *post)
{
    clump_lci *lci = t->n->lci;
    const uint8_t content = t->c->options.protocol.transfer == CLUMP_TRANSFER_COPY
                                ? CLUMP_CONTENT_COPY
                                : CLUMP_CONTENT_USER;
    const clump_lci_message message = {
        .content = post->order == CLUMP_VIRTUAL_SEND ? content : (uint8_t)CLUMP_CONTENT_USER,
        .tag = post->tag,
        .size = post->size,
        .data = post->bytes};
    clump_protocol_status status;
    if (post->order == CLUMP_VIRTUAL_FETCH_ADD)
        status = clump_lci_fetch_add(lci, post->to, post->tag);
    else if (post->order == CLUMP_VIRTUAL_MULTICAST)
        status = clump_lci_multicast(lci, &message);
    else
        status = clump_lci_send(lci, post->to, &message);
    protocol(t);
    return status != CLUMP_PROTOCOL_BLOCKED;
}

static bool by_dma(const turn *t, const virtual_item *post)
{
    return t->c->options.protocol.transfer != CLUMP_TRANSFER_PIO && !post->no_data &&
           post->order != CLUMP_VIRTUAL_FETCH_ADD &&
           !(post->copy && post->source.kind != CLUMP_COPY_HIT);
}

/* What the host has to know: it may change its data, and what has become of a translation. */
static void complete(turn *t, virtual_item *post)
{
    const bool told = post->copy && post->source.kind != CLUMP_COPY_STORED;
    if (post->told || !(told || by_dma(t, post)))
        return;
    post->told = true;
    words(t, NIC_COMPLETION);
    transfer(t,
             &(virtual_item){.kind = ITEM_COMPLETION, .completion = post->completion, .told = told},
             STAGE_REPORTED, 4);
}

/* The host may post another packet. */
static void finish_post(turn *t, virtual_item *post)
{
    complete(t, post);
    free(post->bytes);
    t->n->posts--;
    clump_virtual_wake_host(t->c, t->node, t->at);
}

/* Remote copy: where the source is, or that it is somewhere else from now on. */
static void translate(turn *t, virtual_item *post)
{
    uint64_t frame;
    t->c->failed |= clump_nic_table_source(t->n->nic_table, &post->source, &frame,
                                           &post->completion) != CLUMP_PROTOCOL_OK;
    if (post->source.kind == CLUMP_COPY_HIT)
        words(t, NIC_COPY_SEND);
    else if (post->source.kind == CLUMP_COPY_MISS)
        words(t, NIC_INSTALL);
}

/* The data of a post are on the NIC. */
static void fetched(turn *t, virtual_item *post)
{
    if (post->forward) {
        clump_lci_forward(t->n->lci, post->value);
        clump_lci_release(t->n->lci, t->at / 1000, post->value);
    } else if (post->raw) {
        to_link(t, post->to, post->bytes, (size_t)post->value);
        words(t, NIC_LINK_DONE);
    } else if (!submit(t, post)) {
        if (post->copy) /* the data are here: another page may take the place of their page */
            complete(t, post);
        if (!clump_virtual_push(&t->n->blocked, post))
            t->c->failed = true;
        return;
    }
    pump(t);
    finish_post(t, post);
}

static void post_turn(turn *t, virtual_item *post)
{
    words(t, NIC_FETCH);
    t->n->read += post->first_child;
    if (post->copy)
        translate(t, post);
    if (by_dma(t, post))
        transfer(t, post, STAGE_FETCHED, post->size);
    else if (t->n->fetching > 0) /* packets stay in order (section 2) */
        transfer(t, post, STAGE_PASSED, 0);
    else
        fetched(t, post);
}

/* Posts that found no send buffer, once there may be one. */
static void retry_blocked(turn *t)
{
    virtual_item post;
    while (t->n->blocked.count > 0 && submit(t, &t->n->blocked.items[t->n->blocked.first])) {
        clump_virtual_pop(&t->n->blocked, &post);
        pump(t);
        finish_post(t, &post);
    }
}

static void turn_of(turn *t)
{
    virtual_item item;
    if (take_transferred(t, &item)) {
        if (item.stage <= STAGE_PASSED)
            fetched(t, &item);
        else if (item.stage == STAGE_DELIVERED)
            delivered(t, &item);
    } else if (clump_virtual_pop(&t->n->nic, &item)) {
        if (item.kind == ITEM_POST)
            post_turn(t, &item);
        else if (item.kind == ITEM_RAW)
            arrival_turn(t, &item);
        else if (item.kind == ITEM_COMPLETION)
            retry_waiting(t);
        else
            pump(t);
    }
}

/* The engine comes first: it never waits for more than one packet. */
void clump_virtual_nic_turn(clump_virtual_cluster *c, uint16_t node)
{
    turn t = {.c = c, .n = &c->nodes[node], .node = node, .at = c->now_ps};
    turn_of(&t);
    retry_blocked(&t);
    words(&t, loop_words(c));
    t.n->use.nic_ps += t.at - c->now_ps;
    t.n->nic_free_ps = t.at;
    if (!clump_virtual_on_host(c))
        clump_virtual_set_alarm(c, node);
    if (t.n->transferred)
        clump_virtual_wake_nic(c, node, t.at);
    else if (t.n->nic.count > 0)
        clump_virtual_wake_nic(c, node, t.n->nic.items[t.n->nic.first].ready_ps);
}
