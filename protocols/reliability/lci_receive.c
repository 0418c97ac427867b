/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What arrives: who sent it, what it acknowledges, whether it is the next. */
#include "protocols/reliability/lci_private.h"
#include "protocols/reliability/sequence.h"

#include <string.h>

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
        lci->descriptors[d] = (clump_descriptor){.next = CLUMP_NONE,
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

void clump_lci_serve(clump_lci *lci, uint64_t now_ns)
{
    while (lci->deferred.first != CLUMP_NONE) {
        if (!asker_lives(lci, lci->deferred.first)) {
            clump_lci_buffer_drop(lci, now_ns, clump_lci_list_take(lci, &lci->deferred));
            continue;
        }
        const uint32_t answer = clump_lci_buffer_take(lci, false);
        if (answer == CLUMP_NONE)
            return;
        const uint32_t index = clump_lci_list_take(lci, &lci->deferred);
        const clump_buffer request = lci->buffers[index];
        unsigned char *value = clump_lci_buffer_data(lci, answer);
        for (int i = 0; i < 4; i++)
            value[i] = (unsigned char)(lci->variable >> (24 - 8 * i));
        lci->variable++;
        lci->work += CLUMP_WORK_FETCH_ADD;
        const uint32_t d = clump_lci_descriptor_take(lci);
        lci->descriptors[d] = (clump_descriptor){.next = CLUMP_NONE,
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
    c->next_starving = CLUMP_NONE;
    if (lci->starving.first == CLUMP_NONE)
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
        forwards <= lci->free_descriptor_count ? clump_lci_buffer_take(lci, true) : CLUMP_NONE;
    if (buffer == CLUMP_NONE)
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
    const bool for_us = p->to_incarnation == lci->options.incarnation;
    c->agreed |= for_us;
    c->hello_due |= !for_us || (p->flags & CLUMP_PACKET_ANSWER) != 0;
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
    clump_lci_serve(lci, now_ns);
    return CLUMP_PROTOCOL_OK;
}
