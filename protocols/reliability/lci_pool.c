/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Packet buffers with reference counts, and the descriptors that say what to do with them. */
#include "protocols/reliability/lci_private.h"

#include <stdlib.h>

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
    lci->free_send = lci->free_receive = lci->free_descriptors = CLUMP_NONE;
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
    if (taken != CLUMP_NONE) {
        lci->free_descriptors = lci->descriptors[taken].next;
        lci->free_descriptor_count--;
        lci->descriptors[taken].next = CLUMP_NONE;
    }
    return taken;
}

void clump_lci_descriptor_give(clump_lci *lci, uint32_t descriptor)
{
    lci->descriptors[descriptor].next = lci->free_descriptors;
    lci->free_descriptors = descriptor;
    lci->free_descriptor_count++;
}

uint32_t clump_lci_buffer_take(clump_lci *lci, bool receive)
{
    uint32_t *list = receive ? &lci->free_receive : &lci->free_send;
    const uint32_t taken = *list;
    if (taken == CLUMP_NONE)
        return CLUMP_NONE;
    *list = lci->buffers[taken].next;
    lci->buffers[taken] = (clump_buffer){.next = CLUMP_NONE, .references = 1};
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
    if (lci->starving.first != CLUMP_NONE) {
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
    lci->buffers[buffer].next = CLUMP_NONE;
    if (list->first == CLUMP_NONE)
        list->first = buffer;
    else
        lci->buffers[list->last].next = buffer;
    list->last = buffer;
}

uint32_t clump_lci_list_take(clump_lci *lci, clump_list *list)
{
    const uint32_t taken = list->first;
    if (taken != CLUMP_NONE)
        list->first = lci->buffers[taken].next;
    return taken;
}
