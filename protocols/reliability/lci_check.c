/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The invariants of a node, recounted from its lists. */
#include "protocols/reliability/lci_private.h"

static const char *check_channel(const clump_lci *lci, uint16_t peer, uint32_t *pending)
{
    const clump_channel *c = &lci->channels[peer];
    const uint16_t flight = (uint16_t)(c->highest - c->acknowledged);
    uint32_t count = 0, before_cursor = 0;
    bool seen = c->cursor == CLUMP_NONE;
    for (uint32_t d = c->head; d != CLUMP_NONE; d = lci->descriptors[d].next) {
        if (d == c->cursor)
            seen = true;
        else if (!seen || c->cursor == CLUMP_NONE)
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
    for (uint32_t d = lci->free_descriptors; d != CLUMP_NONE && free_count <= lci->descriptor_count;
         d = lci->descriptors[d].next)
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
