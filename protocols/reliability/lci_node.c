/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A node of the LCI family (lci.h): what is sent, what arrives, what is delivered. */
#include "protocols/reliability/lci_channel.h"
#include "protocols/reliability/sequence.h"

#include <stdlib.h>
#include <string.h>

static bool usable(const clump_lci_options *o)
{
    return o->nodes >= 2 && o->nodes <= 1024 && o->self < o->nodes && o->mtu >= 64 &&
           o->mtu <= CLUMP_PACKET_PAYLOAD_MOST && o->window >= 1 && o->window <= 4096 &&
           (o->tree == CLUMP_TREE_BINARY || o->tree == CLUMP_TREE_BINOMIAL) &&
           o->send_buffers >= 1 && o->receive_buffers >= 1 && o->receive_buffers <= 1 << 20 &&
           (o->retransmit || o->receive_buffers >= (uint32_t)o->window * (o->nodes - 1u)) &&
           (o->retransmit || !o->request_again) && o->timeout_ns >= 1 &&
           o->timeout_most_ns >= o->timeout_ns && o->timeout_most_ns < UINT64_MAX / 4 &&
           o->acknowledge_ns < UINT64_MAX / 4 && o->incarnation != 0;
}

clump_protocol_status clump_lci_open(const clump_lci_options *options, clump_lci **lci)
{
    if (!usable(options))
        return CLUMP_PROTOCOL_BAD_INPUT;
    clump_lci *l = calloc(1, sizeof *l);
    if (l == NULL)
        return CLUMP_PROTOCOL_FAILED;
    l->options = *options;
    l->channels = calloc(options->nodes, sizeof *l->channels);
    l->deadlines = malloc(options->nodes * sizeof *l->deadlines);
    if (l->channels == NULL || l->deadlines == NULL || !clump_lci_pool_make(l)) {
        clump_lci_close(l);
        return CLUMP_PROTOCOL_FAILED;
    }
    for (uint16_t i = 0; i < options->nodes; i++) {
        clump_channel_start(l, &l->channels[i]);
        l->deadlines[i] = CLUMP_LCI_NEVER;
    }
    l->ready.first = l->starving.first = l->deliveries.first = l->deferred.first = CLUMP_LCI_NONE;
    *lci = l;
    return CLUMP_PROTOCOL_OK;
}

void clump_lci_close(clump_lci *lci)
{
    if (lci == NULL)
        return;
    free(lci->channels);
    free(lci->deadlines);
    free(lci->descriptors);
    free(lci->buffers);
    free(lci->memory);
    free(lci);
}

size_t clump_lci_peer_bytes(void)
{
    return sizeof(clump_channel) + sizeof(uint64_t); /* and its deadline */
}

static clump_descriptor describe(const clump_lci *lci, uint32_t buffer, const clump_lci_message *m)
{
    return (clump_descriptor){.next = CLUMP_LCI_NONE,
                              .buffer = buffer,
                              .tag = m->tag,
                              .size = m->size,
                              .origin = lci->options.self,
                              .content = m->content,
                              .flags = m->flags};
}

static void push_message(clump_lci *lci, uint16_t to, uint32_t buffer, const clump_lci_message *m,
                         uint8_t flags)
{
    const uint32_t index = clump_lci_descriptor_take(lci);
    lci->descriptors[index] = describe(lci, buffer, m);
    lci->descriptors[index].flags |= flags;
    clump_channel_push(lci, to, index);
}

static bool sendable(const clump_lci *lci, const clump_lci_message *m)
{
    return m->size <= lci->options.mtu && (m->size == 0 || m->data != NULL) &&
           (m->flags & ~(CLUMP_PACKET_FIRST | CLUMP_PACKET_LAST)) == 0 &&
           (m->content == CLUMP_CONTENT_USER || (m->content == CLUMP_CONTENT_COPY && m->size >= 8));
}

static clump_protocol_status send_checked(clump_lci *lci, uint16_t to, const clump_lci_message *m)
{
    if (to >= lci->options.nodes || to == lci->options.self)
        return CLUMP_PROTOCOL_BAD_INPUT;
    const uint32_t buffer = clump_lci_buffer_take(lci, false);
    if (buffer == CLUMP_LCI_NONE)
        return CLUMP_PROTOCOL_BLOCKED;
    if (m->size > 0)
        memcpy(clump_lci_buffer_data(lci, buffer), m->data, m->size);
    push_message(lci, to, buffer, m, 0);
    return CLUMP_PROTOCOL_OK;
}

clump_protocol_status clump_lci_send(clump_lci *lci, uint16_t to, const clump_lci_message *message)
{
    return sendable(lci, message) ? send_checked(lci, to, message) : CLUMP_PROTOCOL_BAD_INPUT;
}

clump_protocol_status clump_lci_multicast(clump_lci *lci, const clump_lci_message *message)
{
    const clump_lci_options *o = &lci->options;
    uint16_t children[CLUMP_TREE_CHILDREN_MOST];
    if (!sendable(lci, message) || message->content != CLUMP_CONTENT_USER)
        return CLUMP_PROTOCOL_BAD_INPUT;
    const uint32_t buffer = clump_lci_buffer_take(lci, false);
    if (buffer == CLUMP_LCI_NONE)
        return CLUMP_PROTOCOL_BLOCKED;
    if (message->size > 0)
        memcpy(clump_lci_buffer_data(lci, buffer), message->data, message->size);
    const unsigned count = clump_tree_children(o->tree, o->nodes, o->self, o->self, children);
    lci->buffers[buffer].references = count;
    for (unsigned i = 0; i < count; i++)
        push_message(lci, children[i], buffer, message, CLUMP_PACKET_MULTICAST);
    return CLUMP_PROTOCOL_OK;
}

clump_protocol_status clump_lci_fetch_add(clump_lci *lci, uint16_t to, uint16_t tag)
{
    const clump_lci_message request = {.content = CLUMP_CONTENT_FETCH_ADD, .tag = tag};
    return send_checked(lci, to, &request);
}

uint32_t clump_lci_fetch_add_here(clump_lci *lci)
{
    return lci->variable++;
}

/* ---- what arrives: who sent it, what it acknowledges, whether it is the next */

/* Children of this node for a multicast of that origin. */
static unsigned children_of(const clump_lci *lci, uint16_t origin,
                            uint16_t children[CLUMP_TREE_CHILDREN_MOST])
{
    const clump_lci_options *o = &lci->options;
    return clump_tree_children(o->tree, o->nodes, origin, o->self, children);
}

clump_protocol_status clump_lci_forward(clump_lci *lci, uint32_t index)
{
    uint16_t children[CLUMP_TREE_CHILDREN_MOST];
    clump_buffer *b = &lci->buffers[index];
    const unsigned count = children_of(lci, b->origin, children);
    if ((b->flags & CLUMP_PACKET_MULTICAST) == 0)
        return CLUMP_PROTOCOL_BAD_INPUT;
    if (count > lci->free_descriptor_count)
        return CLUMP_PROTOCOL_BLOCKED;
    for (unsigned i = 0; i < count; i++) {
        const uint32_t d = clump_lci_descriptor_take(lci);
        lci->descriptors[d] = (clump_descriptor){.next = CLUMP_LCI_NONE,
                                                 .buffer = index,
                                                 .tag = b->tag,
                                                 .size = b->size,
                                                 .origin = b->origin,
                                                 .content = b->content,
                                                 .flags = b->flags};
        b->references++;
        clump_channel_push(lci, children[i], d);
    }
    return CLUMP_PROTOCOL_OK;
}

/* Those of a process that is gone need no answer. */
static bool asker_lives(const clump_lci *lci, uint32_t index)
{
    const clump_buffer *request = &lci->buffers[index];
    return request->incarnation == lci->channels[request->source].incarnation;
}

/** Answer fetch-and-add requests as far as there are buffers for the answers. */
static void serve(clump_lci *lci, uint64_t now_ns)
{
    while (lci->deferred.first != CLUMP_LCI_NONE) {
        if (!asker_lives(lci, lci->deferred.first)) {
            clump_lci_buffer_drop(lci, now_ns, clump_lci_list_take(lci, &lci->deferred));
            continue;
        }
        const uint32_t answer = clump_lci_buffer_take(lci, false);
        if (answer == CLUMP_LCI_NONE)
            return;
        const uint32_t index = clump_lci_list_take(lci, &lci->deferred);
        const clump_buffer request = lci->buffers[index];
        unsigned char *value = clump_lci_buffer_data(lci, answer);
        for (int i = 0; i < 4; i++)
            value[i] = (unsigned char)(lci->variable >> (24 - 8 * i));
        lci->variable++;
        lci->work += CLUMP_WORK_FETCH_ADD;
        const uint32_t d = clump_lci_descriptor_take(lci);
        lci->descriptors[d] = (clump_descriptor){.next = CLUMP_LCI_NONE,
                                                 .buffer = answer,
                                                 .tag = request.tag,
                                                 .size = 4,
                                                 .origin = lci->options.self,
                                                 .content = CLUMP_CONTENT_FETCHED};
        clump_channel_push(lci, request.source, d);
        clump_lci_buffer_drop(lci, now_ns, index);
    }
}

static void starve(clump_lci *lci, uint16_t peer)
{
    clump_channel *c = &lci->channels[peer];
    lci->counters.no_buffer++;
    if (!lci->options.request_again || c->starving)
        return;
    c->starving = true;
    c->next_starving = CLUMP_LCI_NONE;
    if (lci->starving.first == CLUMP_LCI_NONE)
        lci->starving.first = peer;
    else
        lci->channels[lci->starving.last].next_starving = peer;
    lci->starving.last = peer;
}

static void accept(clump_lci *lci, const clump_lci_packet *p, uint64_t now_ns, uint32_t index)
{
    clump_channel *c = &lci->channels[p->source];
    clump_buffer *b = &lci->buffers[index];
    b->source = p->source;
    b->origin = p->flags & CLUMP_PACKET_MULTICAST ? p->origin : p->source;
    b->tag = p->tag;
    b->size = p->size;
    b->content = p->content;
    b->flags = p->flags;
    b->incarnation = c->incarnation;
    if (p->size > 0)
        memcpy(clump_lci_buffer_data(lci, index), p->payload, p->size);
    c->held++;
    c->expected++;
    lci->counters.accepted++;
    lci->counters.multicasts += (p->flags & CLUMP_PACKET_MULTICAST) != 0;
    lci->counters.bytes += p->size;
    lci->work += CLUMP_WORK_ACCEPT;
    if (lci->options.retransmit) {
        lci->work += CLUMP_WORK_CHECK;
        clump_channel_owe(lci, p->source, now_ns);
    }
    if (p->content == CLUMP_CONTENT_FETCH_ADD) {
        clump_lci_list_add(lci, &lci->deferred, index);
        return;
    }
    clump_lci_list_add(lci, &lci->deliveries, index);
    if ((p->flags & CLUMP_PACKET_MULTICAST) && lci->options.forward)
        clump_lci_forward(lci, index); /* room was checked */
}

static void take_data(clump_lci *lci, const clump_lci_packet *p, uint64_t now_ns)
{
    clump_channel *c = &lci->channels[p->source];
    const int32_t ahead = clump_sequence_difference(p->sequence, c->expected);
    if (c->broken)
        return;
    if (ahead < 0) { /* its acknowledgement was lost, or it was repeated on the way */
        lci->counters.duplicates++;
        c->acknowledge_due |= lci->options.retransmit;
        clump_channel_wake(lci, p->source);
        return;
    }
    if (ahead > 0) {
        lci->counters.out_of_order++;
        if (!lci->options.retransmit) {
            c->broken = true;
            lci->counters.broken++;
        }
        return;
    }
    if (!lci->options.retransmit && c->held >= lci->options.window) { /* it has no right to that */
        lci->counters.refused++;
        return;
    }
    uint16_t children[CLUMP_TREE_CHILDREN_MOST];
    const unsigned forwards = (p->flags & CLUMP_PACKET_MULTICAST) && lci->options.forward
                                  ? children_of(lci, p->origin, children)
                                  : 0;
    const uint32_t buffer =
        forwards <= lci->free_descriptor_count ? clump_lci_buffer_take(lci, true) : CLUMP_LCI_NONE;
    if (buffer == CLUMP_LCI_NONE)
        starve(lci, p->source);
    else
        accept(lci, p, now_ns, buffer);
}

/* Whether the packet can be from a node of this system. */
static bool credible(const clump_lci *lci, const clump_lci_packet *p)
{
    const clump_lci_options *o = &lci->options;
    if (p->source >= o->nodes || p->source == o->self || p->size > o->mtu)
        return false;
    if ((p->flags & CLUMP_PACKET_MULTICAST) == 0)
        return true;
    return p->content == CLUMP_CONTENT_USER && p->origin < o->nodes && p->origin != o->self &&
           clump_tree_parent(o->tree, o->nodes, p->origin, o->self) == p->source;
}

/* Incarnations: adopt a later one of the peer, refuse earlier ones of either. */
static bool of_this_life(clump_lci *lci, const clump_lci_packet *p, uint64_t now_ns)
{
    clump_channel *c = &lci->channels[p->source];
    if (p->from_incarnation != c->incarnation) {
        if (!clump_incarnation_later(p->from_incarnation, c->incarnation))
            return false;
        /* With credits the new process has a right to a full window of buffers. It asks again. */
        if (!lci->options.retransmit && c->held > 0)
            return false;
        clump_channel_restart(lci, p->source, now_ns, p->from_incarnation);
    }
    const bool for_us = p->to_incarnation == lci->options.incarnation, agreed = c->agreed;
    c->agreed |= for_us;
    c->hello_due |= !for_us || (p->flags & CLUMP_PACKET_ANSWER) != 0;
    if (c->hello_due || c->agreed != agreed)
        clump_channel_wake(lci, p->source);
    return for_us;
}

clump_protocol_status clump_lci_receive(clump_lci *lci, uint64_t now_ns, const unsigned char *bytes,
                                        size_t size)
{
    clump_lci_packet p;
    lci->work += CLUMP_WORK_RECEIVE;
    if (!clump_lci_packet_decode(bytes, size, &p) || !credible(lci, &p)) {
        lci->counters.refused++;
        return CLUMP_PROTOCOL_BAD_PACKET;
    }
    if (!of_this_life(lci, &p, now_ns)) {
        if (p.kind == CLUMP_PACKET_HELLO)
            return CLUMP_PROTOCOL_OK;
        lci->counters.refused++;
        return CLUMP_PROTOCOL_BAD_PACKET;
    }
    if (p.kind != CLUMP_PACKET_HELLO)
        clump_channel_acknowledged(lci, p.source, now_ns, p.acknowledge);
    if (p.kind == CLUMP_PACKET_AGAIN && lci->options.retransmit)
        clump_channel_go_back(lci, p.source);
    if (p.kind == CLUMP_PACKET_DATA)
        take_data(lci, &p, now_ns);
    serve(lci, now_ns);
    return CLUMP_PROTOCOL_OK;
}

/* ---- what leaves, and what is delivered */

bool clump_lci_transmit(clump_lci *lci, uint64_t now_ns, unsigned char *bytes, size_t *size,
                        uint16_t *to)
{
    while (lci->deadlines[lci->soonest] <= now_ns)
        clump_channel_expire(lci, lci->soonest, now_ns);
    serve(lci, now_ns); /* send buffers may have become free */
    while (lci->ready.first != CLUMP_LCI_NONE) {
        const uint16_t turn = (uint16_t)lci->ready.first;
        clump_channel *c = &lci->channels[turn];
        lci->ready.first = c->next_ready;
        c->ready = false;
        const bool any = clump_channel_transmit(lci, turn, now_ns, bytes, size);
        clump_channel_wake(lci, turn);
        if (any) {
            *to = turn;
            return true;
        }
    }
    return false;
}

uint64_t clump_lci_deadline(const clump_lci *lci)
{
    return lci->ready.first != CLUMP_LCI_NONE ? 0 : lci->deadlines[lci->soonest];
}

bool clump_lci_next(clump_lci *lci, clump_lci_delivery *delivery)
{
    const uint32_t index = clump_lci_list_take(lci, &lci->deliveries);
    if (index == CLUMP_LCI_NONE)
        return false;
    const clump_buffer *b = &lci->buffers[index];
    *delivery = (clump_lci_delivery){.buffer = index,
                                     .source = b->source,
                                     .origin = b->origin,
                                     .tag = b->tag,
                                     .size = b->size,
                                     .content = b->content,
                                     .flags = b->flags,
                                     .data = clump_lci_buffer_data(lci, index)};
    return true;
}

void clump_lci_release(clump_lci *lci, uint64_t now_ns, uint32_t buffer)
{
    clump_lci_buffer_drop(lci, now_ns, buffer);
}

bool clump_lci_can_send(const clump_lci *lci)
{
    return lci->free_send_count > 0;
}

bool clump_lci_idle(const clump_lci *lci)
{
    return lci->pending == 0 && lci->deferred.first == CLUMP_LCI_NONE;
}

uint16_t clump_lci_in_flight(const clump_lci *lci, uint16_t peer)
{
    const clump_channel *c = &lci->channels[peer];
    return (uint16_t)(c->highest - c->acknowledged);
}

uint16_t clump_lci_expected(const clump_lci *lci, uint16_t peer)
{
    return lci->channels[peer].expected;
}

clump_lci_counters clump_lci_count(const clump_lci *lci)
{
    return lci->counters;
}

clump_lci_effort clump_lci_work(clump_lci *lci)
{
    const clump_lci_effort work = {lci->work, lci->later_work, lci->timer_work, lci->child_work};
    lci->work = lci->later_work = lci->timer_work = lci->child_work = 0;
    return work;
}

/* ---- the invariants of a node, recounted from its lists */

static const char *check_channel(const clump_lci *lci, uint16_t peer, uint32_t *pending)
{
    const clump_channel *c = &lci->channels[peer];
    const uint16_t flight = (uint16_t)(c->highest - c->acknowledged);
    uint32_t count = 0, before_cursor = 0;
    bool seen = c->cursor == CLUMP_LCI_NONE;
    for (uint32_t d = c->head; d != CLUMP_LCI_NONE; d = lci->descriptors[d].next) {
        if (d == c->cursor)
            seen = true;
        else if (!seen || c->cursor == CLUMP_LCI_NONE)
            before_cursor++;
        if (++count > lci->descriptor_count)
            return "a list of descriptors ends";
        if (lci->buffers[lci->descriptors[d].buffer].references == 0)
            return "a buffer that is to be sent has a reference";
    }
    *pending += count;
    if (count != c->queued || !seen)
        return "descriptors of a peer are counted, and the next to be sent is one of them";
    if (flight > lci->options.window)
        return "no more than a window is in flight";
    if ((uint16_t)(c->cursor_sequence - c->acknowledged) > flight)
        return "the next to be sent is not beyond what was never sent";
    if (lci->options.retransmit &&
        before_cursor != (uint16_t)(c->cursor_sequence - c->acknowledged))
        return "what was sent and not acknowledged is held";
    if (!lci->options.retransmit && c->head != c->cursor)
        return "with credits nothing is held after it was sent";
    if ((uint16_t)(c->expected - c->told) > lci->options.window && lci->options.retransmit)
        return "no more than a window is owed";
    if (!lci->options.retransmit && c->held > lci->options.window)
        return "no peer holds more receive buffers than its window";
    if (!c->ready && clump_channel_has_work(lci, peer))
        return "a peer that has something to transmit is in the ready list";
    return NULL;
}

const char *clump_lci_check(const clump_lci *lci)
{
    uint32_t pending = 0, held = 0, free_count = 0, used_send = 0, used_receive = 0;
    for (uint16_t i = 0; i < lci->options.nodes; i++) {
        const char *wrong = check_channel(lci, i, &pending);
        if (wrong != NULL)
            return wrong;
        held += lci->channels[i].held;
    }
    if (pending != lci->pending)
        return "descriptors of all peers are counted";
    for (uint32_t d = lci->free_descriptors;
         d != CLUMP_LCI_NONE && free_count <= lci->descriptor_count; d = lci->descriptors[d].next)
        free_count++;
    if (free_count != lci->free_descriptor_count || free_count + pending != lci->descriptor_count)
        return "every descriptor is free or in one list";
    for (uint32_t i = 0; i < lci->buffer_count; i++)
        if (lci->buffers[i].references > 0)
            *(i < lci->options.send_buffers ? &used_send : &used_receive) += 1;
    if (used_send + lci->free_send_count != lci->options.send_buffers ||
        used_receive + lci->free_receive_count != lci->options.receive_buffers)
        return "every buffer is free or in use";
    if (held != used_receive)
        return "every receive buffer in use is counted with its sender";
    return NULL;
}
