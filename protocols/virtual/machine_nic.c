/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The program of the NIC: it takes what waits, one thing after the other, and waits itself for the
 * DMA transfers that it starts; only the link works on while it does something else.
 */
#include "protocols/virtual/machine_private.h"

#include <stdlib.h>
#include <string.h>

/* Time at which this turn has got to; words and transfers move it on. */
typedef struct turn {
    clump_machine *m;
    machine_node *n;
    uint16_t node;
    uint64_t at;
} turn;

static void words(turn *t, uint32_t count)
{
    t->at += clump_machine_ps(count * t->m->options.hardware.nic_word_us);
}

static void protocol(turn *t)
{
    const clump_lci_effort effort = clump_lci_work(t->n->lci);
    words(t, effort.words + NIC_TIMER * effort.timers);
}

static void dma(turn *t, double start_us, uint32_t bytes)
{
    const clump_hardware *h = &t->m->options.hardware;
    words(t, NIC_DMA);
    if (t->at < t->n->bus_free_ps)
        t->at = t->n->bus_free_ps;
    t->at += clump_machine_ps(start_us + bytes * h->dma_byte_us);
    t->n->bus_free_ps = t->at;
    words(t, NIC_DMA_DONE);
}

/* Reading host memory waits for the data; writing it does not wait until they are there. */
static void dma_from_host(turn *t, uint32_t bytes)
{
    dma(t, t->m->options.hardware.dma_read_us, bytes);
}

static void dma_to_host(turn *t, uint32_t bytes)
{
    dma(t, t->m->options.hardware.dma_write_us, bytes);
}

static void to_link(turn *t, uint16_t to, const unsigned char *bytes, size_t size)
{
    clump_machine *m = t->m;
    const clump_hardware *h = &m->options.hardware;
    const uint64_t long_ps = clump_machine_ps((double)size * h->link_byte_us);
    words(t, NIC_LINK);
    const uint64_t begin = t->at > t->n->link_free_ps ? t->at : t->n->link_free_ps;
    t->n->link_free_ps = begin + long_ps;
    uint64_t last = begin + long_ps + clump_machine_ps(h->network_us + h->hops * h->hop_us);
    machine_node *receiver = &m->nodes[to]; /* whose link carries one packet at a time, too */
    if (last < receiver->arrive_free_ps + long_ps)
        last = receiver->arrive_free_ps + long_ps;
    receiver->arrive_free_ps = last;
    clump_machine_trace(m, begin, t->node, "transmit", to);
    m->failed |= !clump_wire_send(m->wire, last, t->node, to, bytes, size);
}

/* Whatever the protocol wants to transmit now. */
static void pump(turn *t)
{
    unsigned char bytes[CLUMP_PACKET_MOST];
    size_t size;
    uint16_t to;
    while (clump_lci_transmit(t->n->lci, t->at / 1000, bytes, &size, &to)) {
        protocol(t);
        to_link(t, to, bytes, size);
        words(t, NIC_LINK_DONE);
    }
    protocol(t);
}

/* A packet of the host is on the NIC: hand it to the protocol. False: no send buffer is free. */
static bool submit(turn *t, const machine_item *post)
{
    clump_lci *lci = t->n->lci;
    const uint8_t content = t->m->options.protocol.transfer == CLUMP_TRANSFER_COPY
                                ? CLUMP_CONTENT_COPY
                                : CLUMP_CONTENT_USER;
    const clump_lci_message message = {
        .content = post->order == CLUMP_MACHINE_SEND ? content : (uint8_t)CLUMP_CONTENT_USER,
        .tag = post->tag,
        .size = post->size,
        .data = post->bytes};
    clump_protocol_status status;
    if (post->order == CLUMP_MACHINE_FETCH_ADD)
        status = clump_lci_fetch_add(lci, post->to, post->tag);
    else if (post->order == CLUMP_MACHINE_MULTICAST)
        status = clump_lci_multicast(lci, &message);
    else
        status = clump_lci_send(lci, post->to, &message);
    protocol(t);
    return status != CLUMP_PROTOCOL_BLOCKED;
}

static bool by_dma(const turn *t, const machine_item *post)
{
    return t->m->options.protocol.transfer != CLUMP_TRANSFER_PIO && !post->no_data &&
           post->order != CLUMP_MACHINE_FETCH_ADD &&
           !(post->copy && post->source.kind != CLUMP_COPY_HIT);
}

/* What the host has to know: it may change its data, and what has become of a translation. */
static void complete(turn *t, machine_item *post)
{
    const bool told = post->copy && post->source.kind != CLUMP_COPY_STORED;
    if (post->told || !(told || by_dma(t, post)))
        return;
    post->told = true;
    words(t, NIC_COMPLETION);
    dma_to_host(t, 4);
    if (!told)
        return;
    const machine_item item = {
        .kind = ITEM_COMPLETION, .ready_ps = t->at, .completion = post->completion};
    t->m->failed |= !clump_machine_push(&t->n->host, &item);
    clump_machine_wake_host(t->m, t->node, t->at);
}

/* The host may post another packet; and change its data, once it knows that they were read. */
static void finish_post(turn *t, machine_item *post)
{
    complete(t, post);
    free(post->bytes);
    t->n->posts--;
    clump_machine_wake_host(t->m, t->node, t->at);
}

/* Remote copy: where the source is, or that it is somewhere else from now on. */
static void translate(turn *t, machine_item *post)
{
    uint64_t frame;
    t->m->failed |= clump_nic_table_source(t->n->nic_table, &post->source, &frame,
                                           &post->completion) != CLUMP_PROTOCOL_OK;
    if (post->source.kind == CLUMP_COPY_HIT)
        words(t, NIC_COPY_SEND);
    else if (post->source.kind == CLUMP_COPY_MISS)
        words(t, NIC_INSTALL);
}

static void post_turn(turn *t, machine_item *post)
{
    const bool fetched = by_dma(t, post);
    words(t, NIC_FETCH);
    if (post->copy)
        translate(t, post);
    if (fetched)
        dma_from_host(t, post->size);
    if (post->forward) {
        (void)clump_lci_forward(t->n->lci, post->value);
        clump_lci_release(t->n->lci, t->at / 1000, post->value);
    } else if (post->raw) {
        to_link(t, post->to, post->bytes, (size_t)post->value);
        words(t, NIC_LINK_DONE);
    } else if (!submit(t, post)) {
        if (post->copy) /* the data are here: another page may take the place of their page */
            complete(t, post);
        t->m->failed |= !clump_machine_push(&t->n->blocked, post);
        return;
    }
    pump(t);
    finish_post(t, post);
}

/* Posts that found no send buffer, once there may be one. */
static void retry_blocked(turn *t)
{
    machine_item post;
    while (t->n->blocked.count > 0 && submit(t, &t->n->blocked.items[t->n->blocked.first])) {
        (void)clump_machine_pop(&t->n->blocked, &post);
        pump(t);
        finish_post(t, &post);
    }
}

/* One packet to the host's receive queue, or with remote copy to where it belongs. False: it has to
 * wait. */
static bool deliver(turn *t, const clump_lci_delivery *d)
{
    enum copy_place place = COPY_IN_PLACE;
    clump_copy_notice notice = {0};
    const bool keep = t->m->options.protocol.host_multicast && (d->flags & CLUMP_PACKET_MULTICAST);
    words(t, d->content == CLUMP_CONTENT_COPY ? NIC_COPY_RECEIVE : NIC_HOST_BUFFER);
    if (d->content == CLUMP_CONTENT_COPY)
        place = clump_machine_copy_place(t->n, d, &notice);
    if (place == COPY_WAITS)
        return false;
    if (place == COPY_REFUSED) {
        clump_machine_trace(t->m, t->at, t->node, "refuse", d->origin);
        clump_lci_release(t->n->lci, t->at / 1000, d->buffer);
        protocol(t);
        return true;
    }
    machine_item item = {.kind = ITEM_DELIVERY,
                         .delivery = *d,
                         .redirected = place == COPY_REDIRECTED,
                         .notice = notice};
    if (d->size > 0) {
        item.bytes = malloc(d->size);
        if (item.bytes == NULL) {
            t->m->failed = true;
            return true;
        }
        memcpy(item.bytes, d->data, d->size);
    }
    dma_to_host(t, HEADER_BYTES + d->size);
    if (item.redirected) {
        words(t, NIC_REDIRECT);
        dma_to_host(t, NOTICE_BYTES);
    }
    item.ready_ps = t->at - clump_machine_ps(NIC_DMA_DONE * t->m->options.hardware.nic_word_us);
    t->m->failed |= !clump_machine_push(&t->n->host, &item);
    clump_machine_trace(t->m, item.ready_ps, t->node, "deliver", d->origin);
    clump_machine_arrived(t->m, t->node, item.ready_ps);
    if (!keep) {
        clump_lci_release(t->n->lci, t->at / 1000, d->buffer);
        protocol(t);
    }
    return true;
}

/* Remote copies stay in the NIC's buffers, and in order, until the host has anonymous pages. */
static void deliver_in_turn(turn *t, const clump_lci_delivery *d)
{
    const bool copy = d->content == CLUMP_CONTENT_COPY;
    if ((copy && t->n->waiting.count > 0) || !deliver(t, d)) {
        const machine_item item = {.kind = ITEM_DELIVERY, .delivery = *d};
        t->m->failed |= !clump_machine_push(&t->n->waiting, &item);
        clump_machine_trace(t->m, t->at, t->node, "wait", d->origin);
    }
}

static void retry_waiting(turn *t)
{
    machine_item item;
    while (t->n->waiting.count > 0 &&
           deliver(t, &t->n->waiting.items[t->n->waiting.first].delivery)) {
        (void)clump_machine_pop(&t->n->waiting, &item);
        pump(t);
    }
}

static void arrival_turn(turn *t, const machine_item *arrival)
{
    size_t size;
    const unsigned char *bytes = clump_wire_packet(t->m->wire, arrival->value, &size);
    words(t, NIC_ARRIVE);
    t->n->arrivals--;
    if (clump_machine_on_host(t->m) && t->n->host.count >= MACHINE_HOST_BUFFERS) {
        clump_machine_trace(t->m, t->at, t->node, "overrun", 0); /* the host has no buffer for it */
        clump_wire_release(t->m->wire, arrival->value);
        return;
    }
    if (clump_machine_on_host(t->m)) {
        machine_item item = {.kind = ITEM_RAW, .value = arrival->value};
        words(t, NIC_HOST_BUFFER);
        dma_to_host(t, (uint32_t)(size - CLUMP_PACKET_HEADER + HEADER_BYTES));
        item.ready_ps = t->at - clump_machine_ps(NIC_DMA_DONE * t->m->options.hardware.nic_word_us);
        t->m->failed |= !clump_machine_push(&t->n->host, &item);
        clump_machine_arrived(t->m, t->node, item.ready_ps);
        return;
    }
    (void)clump_lci_receive(t->n->lci, t->at / 1000, bytes, size);
    clump_wire_release(t->m->wire, arrival->value);
    protocol(t);
    clump_lci_delivery d;
    while (clump_lci_next(t->n->lci, &d))
        deliver_in_turn(t, &d);
    pump(t);
}

void clump_machine_nic_turn(clump_machine *m, uint16_t node)
{
    turn t = {.m = m, .n = &m->nodes[node], .node = node, .at = m->now_ps};
    machine_item item;
    if (!clump_machine_pop(&t.n->nic, &item))
        return;
    if (item.kind == ITEM_POST)
        post_turn(&t, &item);
    else if (item.kind == ITEM_RAW)
        arrival_turn(&t, &item);
    else if (item.kind == ITEM_COMPLETION)
        retry_waiting(&t);
    else
        pump(&t);
    retry_blocked(&t);
    words(&t, NIC_LOOP);
    t.n->use.nic_ps += t.at - m->now_ps;
    t.n->nic_free_ps = t.at;
    if (!clump_machine_on_host(m))
        clump_machine_set_alarm(m, node);
    t.n->nic_due = t.n->nic.count > 0;
    if (t.n->nic_due) {
        const uint64_t ready = t.n->nic.items[t.n->nic.first].ready_ps;
        m->failed |= !clump_event_queue_add(
            &m->queue,
            (clump_event){.time_ps = ready > t.at ? ready : t.at, .kind = EVENT_NIC, .node = node});
    }
}
