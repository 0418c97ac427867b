/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a node holds for its peers: packet buffers with reference counts, descriptors that say what
 * to do with them, and a channel for each peer: the window towards it, and what is owed to it. A
 * buffer that becomes free is a credit to its sender, and what is acknowledged frees buffers: one
 * subject.
 */
#include "protocols/reliability/lci_channel.h"

#include "protocols/reliability/sequence.h"

#include <stdlib.h>

/* ---- buffers and descriptors */

bool clump_lci_pool_make(clump_lci *lci)
{
    const clump_lci_options *o = &lci->options;
    const uint32_t fan_out = clump_tree_fan_out(o->tree, o->nodes);
    lci->buffer_count = (uint32_t)o->send_buffers + o->receive_buffers;
    /* Each buffer can be on its way to all children at once: descriptors never run out. */
    lci->descriptor_count = lci->buffer_count * (fan_out > 0 ? fan_out : 1);
    lci->buffers = calloc(lci->buffer_count, sizeof *lci->buffers);
    lci->descriptors = calloc(lci->descriptor_count, sizeof *lci->descriptors);
    lci->memory = malloc((size_t)lci->buffer_count * o->mtu);
    if (lci->buffers == NULL || lci->descriptors == NULL || lci->memory == NULL)
        return false;
    lci->free_send = lci->free_receive = lci->free_descriptors = CLUMP_LCI_NONE;
    for (uint32_t i = lci->buffer_count; i-- > 0;) {
        uint32_t *list = i < o->send_buffers ? &lci->free_send : &lci->free_receive;
        lci->buffers[i].next = *list;
        *list = i;
    }
    lci->free_send_count = o->send_buffers;
    lci->free_receive_count = o->receive_buffers;
    for (uint32_t i = lci->descriptor_count; i-- > 0;) {
        lci->descriptors[i].next = lci->free_descriptors;
        lci->free_descriptors = i;
    }
    lci->free_descriptor_count = lci->descriptor_count;
    return true;
}

uint32_t clump_lci_descriptor_take(clump_lci *lci)
{
    const uint32_t taken = lci->free_descriptors;
    if (taken != CLUMP_LCI_NONE) {
        lci->free_descriptors = lci->descriptors[taken].next;
        lci->free_descriptor_count--;
        lci->descriptors[taken].next = CLUMP_LCI_NONE;
    }
    return taken;
}

static void give_descriptor(clump_lci *lci, uint32_t descriptor)
{
    lci->descriptors[descriptor].next = lci->free_descriptors;
    lci->free_descriptors = descriptor;
    lci->free_descriptor_count++;
}

uint32_t clump_lci_buffer_take(clump_lci *lci, bool receive)
{
    uint32_t *list = receive ? &lci->free_receive : &lci->free_send;
    const uint32_t taken = *list;
    if (taken == CLUMP_LCI_NONE)
        return CLUMP_LCI_NONE;
    *list = lci->buffers[taken].next;
    lci->buffers[taken] = (clump_buffer){.next = CLUMP_LCI_NONE, .references = 1};
    if (receive) {
        const uint32_t used = lci->options.receive_buffers - --lci->free_receive_count;
        if (used > lci->counters.most_receive_buffers)
            lci->counters.most_receive_buffers = used;
    } else {
        const uint32_t used = lci->options.send_buffers - --lci->free_send_count;
        if (used > lci->counters.most_send_buffers)
            lci->counters.most_send_buffers = used;
    }
    return taken;
}

/* A receive buffer is free: the sender's credit, or a request for what had to be dropped. */
static void tell_sender(clump_lci *lci, uint64_t now_ns, const clump_buffer *buffer)
{
    clump_channel *channel = &lci->channels[buffer->source];
    channel->held--;
    if (!lci->options.retransmit && buffer->incarnation == channel->incarnation) {
        channel->released++;
        lci->work += CLUMP_WORK_RELEASE;
        clump_channel_owe(lci, buffer->source, now_ns);
    }
    if (lci->starving.first != CLUMP_LCI_NONE) {
        const uint16_t peer = (uint16_t)lci->starving.first;
        clump_channel *hungry = &lci->channels[peer];
        lci->starving.first = hungry->next_starving;
        hungry->starving = false;
        hungry->again_due = true;
        clump_channel_wake(lci, peer);
    }
}

void clump_lci_buffer_drop(clump_lci *lci, uint64_t now_ns, uint32_t index)
{
    clump_buffer *buffer = &lci->buffers[index];
    if (--buffer->references > 0)
        return;
    lci->work += CLUMP_WORK_FREE;
    if (index < lci->options.send_buffers) {
        buffer->next = lci->free_send;
        lci->free_send = index;
        lci->free_send_count++;
    } else {
        buffer->next = lci->free_receive;
        lci->free_receive = index;
        lci->free_receive_count++;
        tell_sender(lci, now_ns, buffer);
    }
}

unsigned char *clump_lci_buffer_data(const clump_lci *lci, uint32_t buffer)
{
    return lci->memory + (size_t)buffer * lci->options.mtu;
}

void clump_lci_list_add(clump_lci *lci, clump_list *list, uint32_t buffer)
{
    lci->buffers[buffer].next = CLUMP_LCI_NONE;
    if (list->first == CLUMP_LCI_NONE)
        list->first = buffer;
    else
        lci->buffers[list->last].next = buffer;
    list->last = buffer;
}

uint32_t clump_lci_list_take(clump_lci *lci, clump_list *list)
{
    const uint32_t taken = list->first;
    if (taken != CLUMP_LCI_NONE)
        list->first = lci->buffers[taken].next;
    return taken;
}

/* ---- the channel of a peer */

void clump_channel_start(clump_lci *lci, clump_channel *c)
{
    const uint16_t first = lci->options.first_sequence;
    const clump_channel fresh = {.head = CLUMP_LCI_NONE,
                                 .tail = CLUMP_LCI_NONE,
                                 .cursor = CLUMP_LCI_NONE,
                                 .acknowledged = first,
                                 .cursor_sequence = first,
                                 .highest = first,
                                 .resend_ns = CLUMP_LCI_NEVER,
                                 .timeout_ns = lci->options.timeout_ns,
                                 .expected = first,
                                 .released = first,
                                 .told = first,
                                 .acknowledge_ns = CLUMP_LCI_NEVER};
    *c = fresh;
}

static uint16_t in_flight(const clump_channel *c)
{
    return (uint16_t)(c->highest - c->acknowledged);
}

static bool may_send_data(const clump_lci *lci, const clump_channel *c)
{
    return c->agreed && c->cursor != CLUMP_LCI_NONE &&
           (uint16_t)(c->cursor_sequence - c->acknowledged) < lci->options.window;
}

static bool has_work(const clump_lci *lci, const clump_channel *c)
{
    if (!c->agreed)
        return c->hello_due || (c->cursor != CLUMP_LCI_NONE && !c->hello_sent);
    return c->hello_due || c->again_due || c->acknowledge_due || may_send_data(lci, c);
}

bool clump_channel_has_work(const clump_lci *lci, uint16_t peer)
{
    return has_work(lci, &lci->channels[peer]);
}

static uint64_t deadline(const clump_lci *lci, const clump_channel *c)
{
    if (!c->agreed)
        return c->cursor != CLUMP_LCI_NONE && c->hello_sent ? c->hello_ns + lci->options.timeout_ns
                                                            : CLUMP_LCI_NEVER;
    return c->resend_ns < c->acknowledge_ns ? c->resend_ns : c->acknowledge_ns;
}

static void set_deadline(clump_lci *lci, uint16_t peer, uint64_t at)
{
    const uint64_t before = lci->deadlines[peer], soonest = lci->deadlines[lci->soonest];
    lci->deadlines[peer] = at;
    if (at < soonest || (at == soonest && peer < lci->soonest))
        lci->soonest = peer;
    else if (peer == lci->soonest && at > before)
        for (uint16_t i = lci->soonest = 0; i < lci->options.nodes; i++)
            if (lci->deadlines[i] < lci->deadlines[lci->soonest])
                lci->soonest = i;
}

void clump_channel_wake(clump_lci *lci, uint16_t peer)
{
    clump_channel *c = &lci->channels[peer];
    set_deadline(lci, peer, deadline(lci, c));
    if (c->ready || !has_work(lci, c))
        return;
    c->ready = true;
    c->next_ready = CLUMP_LCI_NONE;
    if (lci->ready.first == CLUMP_LCI_NONE)
        lci->ready.first = peer;
    else
        lci->channels[lci->ready.last].next_ready = peer;
    lci->ready.last = peer;
}

void clump_channel_push(clump_lci *lci, uint16_t to, uint32_t descriptor)
{
    clump_channel *c = &lci->channels[to];
    if (c->head == CLUMP_LCI_NONE)
        c->head = descriptor;
    else
        lci->descriptors[c->tail].next = descriptor;
    c->tail = descriptor;
    if (c->cursor == CLUMP_LCI_NONE)
        c->cursor = descriptor;
    c->queued++;
    lci->pending++;
    if (c->cursor != descriptor || !may_send_data(lci, c))
        lci->work += CLUMP_WORK_QUEUE;
    clump_channel_wake(lci, to);
}

static void drop_head(clump_lci *lci, clump_channel *c, uint64_t now_ns)
{
    const uint32_t gone = c->head;
    c->head = lci->descriptors[gone].next;
    if (c->head == CLUMP_LCI_NONE)
        c->tail = CLUMP_LCI_NONE;
    if (c->cursor == gone)
        c->cursor = c->head;
    c->queued--;
    lci->pending--;
    const uint32_t buffer = lci->descriptors[gone].buffer;
    give_descriptor(lci, gone);
    clump_lci_buffer_drop(lci, now_ns, buffer);
}

static uint16_t acknowledgement(const clump_lci *lci, const clump_channel *c)
{
    return lci->options.retransmit ? c->expected : c->released;
}

static size_t encode(clump_lci *lci, clump_channel *c, clump_lci_packet packet,
                     unsigned char *bytes)
{
    packet.source = lci->options.self;
    packet.from_incarnation = lci->options.incarnation;
    packet.to_incarnation = c->incarnation;
    if (packet.kind != CLUMP_PACKET_HELLO) {
        packet.acknowledge = c->told = acknowledgement(lci, c);
        c->acknowledge_due = false;
        lci->timer_work += c->acknowledge_ns != CLUMP_LCI_NEVER;
        c->acknowledge_ns = CLUMP_LCI_NEVER;
    }
    return clump_lci_packet_encode(&packet, bytes);
}

static size_t transmit_data(clump_lci *lci, clump_channel *c, uint64_t now_ns, unsigned char *bytes)
{
    clump_descriptor *d = &lci->descriptors[c->cursor];
    const bool again = c->cursor_sequence != c->highest;
    const size_t size = encode(lci, c,
                               (clump_lci_packet){.kind = CLUMP_PACKET_DATA,
                                                  .content = d->content,
                                                  .flags = d->flags,
                                                  .origin = d->origin,
                                                  .sequence = c->cursor_sequence,
                                                  .size = d->size,
                                                  .tag = d->tag,
                                                  .payload = clump_lci_buffer_data(lci, d->buffer)},
                               bytes);
    lci->work += CLUMP_WORK_TRANSMIT + CLUMP_WORK_PIGGYBACK;
    if (d->flags & CLUMP_PACKET_MULTICAST) { /* a child costs when its turn has come */
        lci->work += lci->options.forward ? CLUMP_WORK_CHILD : CLUMP_WORK_SHARED;
        lci->child_work++;
    }
    d->sent_ns = now_ns;
    c->cursor = d->next;
    c->cursor_sequence++;
    if (!again)
        c->highest = c->cursor_sequence;
    lci->counters.sent += !again;
    lci->counters.resent += again;
    if (!lci->options.retransmit) {
        const uint32_t before = lci->work;
        drop_head(lci, c, now_ns); /* links are reliable: the buffer can be used again */
        lci->later_work += lci->work - before;
        lci->work = before;
        return size;
    }
    lci->later_work += CLUMP_WORK_HOLD;
    lci->timer_work++; /* each packet has one (5.1.1), of which we keep the first */
    if (c->resend_ns == CLUMP_LCI_NEVER || (uint16_t)(c->cursor_sequence - 1) == c->acknowledged)
        c->resend_ns = now_ns + c->timeout_ns;
    return size;
}

bool clump_channel_transmit(clump_lci *lci, uint16_t to, uint64_t now_ns, unsigned char *bytes,
                            size_t *size)
{
    clump_channel *c = &lci->channels[to];
    if (c->hello_due || (!c->agreed && c->cursor != CLUMP_LCI_NONE && !c->hello_sent)) {
        const uint8_t flags = c->agreed ? 0 : CLUMP_PACKET_ANSWER;
        *size =
            encode(lci, c, (clump_lci_packet){.kind = CLUMP_PACKET_HELLO, .flags = flags}, bytes);
        c->hello_due = false;
        c->hello_sent = true;
        c->hello_ns = now_ns;
        lci->counters.hellos++;
    } else if (!c->agreed) {
        return false;
    } else if (c->again_due) {
        c->again_due = false;
        *size = encode(lci, c, (clump_lci_packet){.kind = CLUMP_PACKET_AGAIN}, bytes);
        lci->work += CLUMP_WORK_EXPLICIT;
        lci->counters.again++;
    } else if (may_send_data(lci, c)) {
        *size = transmit_data(lci, c, now_ns, bytes);
    } else if (c->acknowledge_due) {
        *size = encode(lci, c, (clump_lci_packet){.kind = CLUMP_PACKET_ACKNOWLEDGE}, bytes);
        lci->work += CLUMP_WORK_EXPLICIT;
        lci->counters.acknowledged++;
    } else {
        return false;
    }
    return true;
}

void clump_channel_go_back(clump_lci *lci, uint16_t peer)
{
    clump_channel *c = &lci->channels[peer];
    c->cursor = c->head;
    c->cursor_sequence = c->acknowledged;
    c->resend_ns = CLUMP_LCI_NEVER; /* transmitting the first starts it again */
    clump_channel_wake(lci, peer);
}

void clump_channel_expire(clump_lci *lci, uint16_t peer, uint64_t now_ns)
{
    clump_channel *c = &lci->channels[peer];
    if (!c->agreed) {
        c->hello_sent = false;
    } else {
        if (c->acknowledge_ns <= now_ns) {
            c->acknowledge_ns = CLUMP_LCI_NEVER;
            c->acknowledge_due = true;
        }
        if (c->resend_ns <= now_ns) {
            lci->counters.timeouts++;
            c->timeout_ns = c->timeout_ns * 2 < lci->options.timeout_most_ns
                                ? c->timeout_ns * 2
                                : lci->options.timeout_most_ns;
            clump_channel_go_back(lci, peer);
        }
    }
    clump_channel_wake(lci, peer);
}

void clump_channel_acknowledged(clump_lci *lci, uint16_t peer, uint64_t now_ns, uint16_t until)
{
    clump_channel *c = &lci->channels[peer];
    const uint16_t count = (uint16_t)(until - c->acknowledged);
    if (count == 0 || count > in_flight(c)) /* nothing new, or more than was ever sent */
        return;
    lci->work += CLUMP_WORK_ACKNOWLEDGED;
    if (lci->options.retransmit) {
        for (uint16_t i = 0; i < count; i++) {
            if (c->cursor == c->head) /* it was to be sent again, but has arrived after all */
                c->cursor_sequence++;
            drop_head(lci, c, now_ns);
        }
        c->timeout_ns = lci->options.timeout_ns;
        c->resend_ns = CLUMP_LCI_NEVER;
        lci->timer_work++;
    }
    c->acknowledged = until;
    if (lci->options.retransmit && c->cursor != c->head && c->head != CLUMP_LCI_NONE)
        c->resend_ns = lci->descriptors[c->head].sent_ns + c->timeout_ns;
    clump_channel_wake(lci, peer);
}

void clump_channel_owe(clump_lci *lci, uint16_t peer, uint64_t now_ns)
{
    clump_channel *c = &lci->channels[peer];
    const uint16_t half = lci->options.window > 1 ? lci->options.window / 2 : 1;
    if ((uint16_t)(acknowledgement(lci, c) - c->told) >= half) {
        c->acknowledge_due = true;
    } else if (lci->options.retransmit && c->acknowledge_ns == CLUMP_LCI_NEVER) {
        c->acknowledge_ns = now_ns + lci->options.acknowledge_ns;
        lci->timer_work++;
    }
    clump_channel_wake(lci, peer);
}

void clump_channel_restart(clump_lci *lci, uint16_t peer, uint64_t now_ns, uint32_t incarnation)
{
    clump_channel *c = &lci->channels[peer];
    const bool ready = c->ready, starving = c->starving;
    const uint32_t next_ready = c->next_ready, next_starving = c->next_starving, held = c->held;
    if (!c->agreed) { /* nothing was sent: what waits is meant for whoever is there */
        c->incarnation = incarnation;
        return;
    }
    lci->counters.restarts++;
    while (c->head != CLUMP_LCI_NONE) {
        lci->counters.lost++;
        drop_head(lci, c, now_ns);
    }
    clump_channel_start(lci, c);
    c->incarnation = incarnation;
    c->ready = ready;
    c->starving = starving;
    c->next_ready = next_ready;
    c->next_starving = next_starving;
    c->held = held;
}
