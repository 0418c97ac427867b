/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/reliability/lci_message.h"

#include "protocols/reliability/fragments.h"

#include <stdlib.h>
#include <string.h>

/* What one node has begun to send. */
typedef struct incoming {
    clump_assembly assembly;
    unsigned char *bytes;
    uint32_t whole;
    bool begun;
} incoming;

struct clump_lci_inbox {
    uint32_t count, size_most;
    clump_lci_inbox_counters counters;
    incoming *incoming; /* by node; then those of multicasts */
};

static clump_protocol_status send_packet(clump_lci *lci, const clump_lci_outgoing *o,
                                         const clump_lci_message *packet)
{
    return o->multicast ? clump_lci_multicast(lci, packet) : clump_lci_send(lci, o->to, packet);
}

clump_protocol_status clump_lci_message_send(clump_lci *lci, uint16_t mtu, clump_lci_outgoing *o)
{
    unsigned char payload[CLUMP_PACKET_PAYLOAD_MOST];
    if (mtu <= CLUMP_LCI_MESSAGE_HEADER || mtu > CLUMP_PACKET_PAYLOAD_MOST || o->done > o->size ||
        o->size > CLUMP_LCI_MESSAGE_MOST || (o->size > 0 && o->data == NULL))
        return CLUMP_PROTOCOL_BAD_INPUT;
    while (!o->begun || o->done < o->size) {
        const uint32_t header = o->begun ? 0 : CLUMP_LCI_MESSAGE_HEADER;
        const uint32_t part = clump_fragment_size(o->size, o->done, mtu - header);
        clump_lci_message packet = {.content = CLUMP_CONTENT_USER,
                                    .tag = o->tag,
                                    .size = (uint16_t)(header + part),
                                    .data = payload};
        for (uint32_t i = 0; i < header; i++)
            payload[i] = (unsigned char)(o->size >> (24 - 8 * i));
        if (part > 0)
            memcpy(payload + header, o->data + o->done, part);
        packet.flags = (uint8_t)((o->begun ? 0 : CLUMP_PACKET_FIRST) |
                                 (o->done + part == o->size ? CLUMP_PACKET_LAST : 0));
        const clump_protocol_status status = send_packet(lci, o, &packet);
        if (status != CLUMP_PROTOCOL_OK)
            return status;
        o->begun = true;
        o->done += part;
    }
    return CLUMP_PROTOCOL_OK;
}

clump_protocol_status clump_lci_inbox_open(uint16_t nodes, uint32_t size_most,
                                           clump_lci_inbox **inbox)
{
    if (nodes < 2 || nodes > 1024 || size_most < 1 || size_most > CLUMP_LCI_MESSAGE_MOST)
        return CLUMP_PROTOCOL_BAD_INPUT;
    clump_lci_inbox *b = calloc(1, sizeof *b);
    incoming *all = calloc((size_t)2 * nodes, sizeof *all);
    if (b == NULL || all == NULL) {
        free(b);
        free(all);
        return CLUMP_PROTOCOL_FAILED;
    }
    *b = (clump_lci_inbox){.count = 2u * nodes, .size_most = size_most, .incoming = all};
    *inbox = b;
    return CLUMP_PROTOCOL_OK;
}

void clump_lci_inbox_close(clump_lci_inbox *inbox)
{
    if (inbox == NULL)
        return;
    for (uint32_t i = 0; i < inbox->count; i++)
        free(inbox->incoming[i].bytes);
    free(inbox->incoming);
    free(inbox);
}

static clump_protocol_status refuse(clump_lci_inbox *inbox)
{
    inbox->counters.refused++;
    return CLUMP_PROTOCOL_BAD_PACKET;
}

/* The first packet of a message: how large it will be. */
static clump_protocol_status begin(clump_lci_inbox *inbox, incoming *in,
                                   const clump_lci_delivery *p)
{
    uint32_t whole = 0;
    if (p->size < CLUMP_LCI_MESSAGE_HEADER)
        return refuse(inbox);
    for (int i = 0; i < CLUMP_LCI_MESSAGE_HEADER; i++)
        whole = whole << 8 | p->data[i];
    if (whole > inbox->size_most)
        return refuse(inbox);
    if (in->bytes == NULL) {
        in->bytes = malloc(inbox->size_most);
        if (in->bytes == NULL)
            return CLUMP_PROTOCOL_FAILED;
        inbox->counters.bytes += inbox->size_most;
    }
    inbox->counters.abandoned += in->begun;
    clump_assembly_restart(&in->assembly);
    in->whole = whole;
    in->begun = true;
    return CLUMP_PROTOCOL_OK;
}

clump_protocol_status clump_lci_inbox_take(clump_lci_inbox *inbox, const clump_lci_delivery *p,
                                           clump_lci_arrived *arrived)
{
    const bool multicast = (p->flags & CLUMP_PACKET_MULTICAST) != 0;
    if (p->content != CLUMP_CONTENT_USER || p->origin >= inbox->count / 2)
        return refuse(inbox);
    incoming *in = &inbox->incoming[p->origin + (multicast ? inbox->count / 2 : 0)];
    uint32_t header = 0;
    if (p->flags & CLUMP_PACKET_FIRST) {
        const clump_protocol_status status = begin(inbox, in, p);
        if (status != CLUMP_PROTOCOL_OK)
            return status;
        header = CLUMP_LCI_MESSAGE_HEADER;
    }
    if (!in->begun)
        return refuse(inbox);
    const uint32_t size = p->size - header, before = header > 0 ? 0 : in->assembly.done;
    clump_assembly_step step = CLUMP_ASSEMBLY_WHOLE; /* of nothing, if that is the message */
    if (in->whole > 0 || size > 0)
        step = clump_assembly_add(&in->assembly, in->bytes, inbox->size_most, true, before,
                                  in->whole, p->data + header, size);
    const bool last = (p->flags & CLUMP_PACKET_LAST) != 0;
    if (step == CLUMP_ASSEMBLY_REFUSED || last != (step == CLUMP_ASSEMBLY_WHOLE)) {
        in->begun = false;
        inbox->counters.abandoned++;
        return refuse(inbox);
    }
    if (step == CLUMP_ASSEMBLY_MORE)
        return CLUMP_PROTOCOL_BLOCKED;
    in->begun = false;
    inbox->counters.messages++;
    *arrived = (clump_lci_arrived){.origin = p->origin,
                                   .tag = p->tag,
                                   .multicast = multicast,
                                   .size = in->whole,
                                   .data = in->bytes};
    return CLUMP_PROTOCOL_OK;
}

clump_lci_inbox_counters clump_lci_inbox_count(const clump_lci_inbox *inbox)
{
    return inbox->counters;
}
