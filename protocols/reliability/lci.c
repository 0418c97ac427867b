/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/reliability/lci.h"

#include "protocols/reliability/lci_private.h"

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
    if (l->channels == NULL || !clump_timers_make(&l->timers, options->nodes) ||
        !clump_lci_pool_make(l)) {
        clump_lci_close(l);
        return CLUMP_PROTOCOL_FAILED;
    }
    for (uint16_t i = 0; i < options->nodes; i++)
        clump_channel_start(l, &l->channels[i]);
    l->ready.first = l->starving.first = l->deliveries.first = l->deferred.first = CLUMP_NONE;
    *lci = l;
    return CLUMP_PROTOCOL_OK;
}

void clump_lci_close(clump_lci *lci)
{
    if (lci == NULL)
        return;
    free(lci->channels);
    clump_timers_free(&lci->timers);
    free(lci->descriptors);
    free(lci->buffers);
    free(lci->memory);
    free(lci);
}

size_t clump_lci_peer_bytes(void)
{
    return sizeof(clump_channel) + sizeof(uint64_t) + 2 * sizeof(uint32_t); /* and its timer */
}

static clump_descriptor describe(const clump_lci *lci, uint32_t buffer, const clump_lci_message *m)
{
    return (clump_descriptor){.next = CLUMP_NONE,
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
    if (buffer == CLUMP_NONE)
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
    if (buffer == CLUMP_NONE)
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

bool clump_lci_transmit(clump_lci *lci, uint64_t now_ns, unsigned char *bytes, size_t *size,
                        uint16_t *to)
{
    uint32_t peer = 0;
    while (clump_timers_first(&lci->timers, &peer) <= now_ns)
        clump_channel_expire(lci, (uint16_t)peer, now_ns);
    clump_lci_serve(lci, now_ns); /* send buffers may have become free */
    while (lci->ready.first != CLUMP_NONE) {
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
    uint32_t peer;
    return lci->ready.first != CLUMP_NONE ? 0 : clump_timers_first(&lci->timers, &peer);
}

bool clump_lci_next(clump_lci *lci, clump_lci_delivery *delivery)
{
    const uint32_t index = clump_lci_list_take(lci, &lci->deliveries);
    if (index == CLUMP_NONE)
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
    return lci->pending == 0 && lci->deferred.first == CLUMP_NONE;
}

bool clump_lci_broken(const clump_lci *lci, uint16_t peer)
{
    return peer < lci->options.nodes && lci->channels[peer].broken;
}

uint16_t clump_lci_in_flight(const clump_lci *lci, uint16_t peer)
{
    const clump_channel *c = &lci->channels[peer];
    return (uint16_t)(c->highest - c->acknowledged);
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
