/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the link to the host. */
#include "protocols/virtual/machine_nic.h"

#include <stdlib.h>
#include <string.h>

static void release(nic_turn *t, const clump_lci_delivery *d)
{
    clump_lci_release(t->n->lci, t->at / 1000, d->buffer);
    clump_nic_protocol(t);
}

/* Two transfers if the data go to another page than the packet says: they, and the notice of it. */
static void to_host(nic_turn *t, const machine_item *item)
{
    const uint32_t bytes = HEADER_BYTES + item->delivery.size;
    if (!item->redirected) {
        clump_nic_transfer(t, item, STAGE_DELIVERED, bytes);
        return;
    }
    clump_nic_transfer(t, &(machine_item){0}, STAGE_PLACED, bytes);
    clump_nic_words(t, NIC_REDIRECT);
    clump_nic_transfer(t, item, STAGE_DELIVERED, NOTICE_BYTES);
}

/* One packet to the host's receive queue, or with remote copy to where it belongs. False: it has to
 * wait. */
static bool deliver(nic_turn *t, const clump_lci_delivery *d)
{
    enum copy_place place = COPY_IN_PLACE;
    clump_copy_notice notice = {0};
    clump_nic_words(t, d->content == CLUMP_CONTENT_COPY ? NIC_COPY_RECEIVE : NIC_HOST_BUFFER);
    if (d->content == CLUMP_CONTENT_COPY)
        place = clump_virtual_cluster_copy_place(t->n, d, &notice);
    if (place == COPY_WAITS)
        return false;
    if (place == COPY_REFUSED) {
        clump_virtual_cluster_trace(t->m, t->at, t->node, "refuse", d->origin);
        release(t, d);
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
    to_host(t, &item);
    return true;
}

/* Remote copies stay in the NIC's buffers, and in order, until the host has anonymous pages. */
static void deliver_in_turn(nic_turn *t, const clump_lci_delivery *d)
{
    const bool copy = d->content == CLUMP_CONTENT_COPY;
    if ((copy && t->n->waiting.count > 0) || !deliver(t, d)) {
        const machine_item item = {.kind = ITEM_DELIVERY, .delivery = *d};
        t->m->failed |= !clump_virtual_cluster_push(&t->n->waiting, &item);
        clump_virtual_cluster_trace(t->m, t->at, t->node, "wait", d->origin);
    }
}

void clump_nic_retry_waiting(nic_turn *t)
{
    machine_item item;
    while (t->n->waiting.count > 0 &&
           deliver(t, &t->n->waiting.items[t->n->waiting.first].delivery)) {
        clump_virtual_cluster_pop(&t->n->waiting, &item);
        clump_nic_pump(t);
    }
}

/* l-hrx: as it is, if there is a buffer for it. */
static void raw_arrival(nic_turn *t, const machine_item *arrival, size_t size)
{
    if (t->n->host.count + t->n->dma.count >= MACHINE_HOST_BUFFERS) {
        t->n->arrivals--;
        clump_virtual_cluster_trace(t->m, t->at, t->node, "overrun", 0);
        clump_wire_release(t->m->wire, arrival->value);
        return;
    }
    clump_nic_words(t, NIC_POOL + NIC_HOST_BUFFER);
    clump_nic_transfer(t, &(machine_item){.kind = ITEM_RAW, .value = arrival->value},
                       STAGE_DELIVERED, (uint32_t)(size - CLUMP_PACKET_HEADER + HEADER_BYTES));
}

void clump_nic_arrival(nic_turn *t, const machine_item *arrival)
{
    size_t size;
    const unsigned char *bytes = clump_wire_packet(t->m->wire, arrival->value, &size);
    clump_nic_words(t, NIC_ARRIVE);
    if (clump_virtual_cluster_on_host(t->m)) {
        raw_arrival(t, arrival, size);
        return;
    }
    t->n->arrivals--;
    clump_lci_receive(t->n->lci, t->at / 1000, bytes, size);
    clump_wire_release(t->m->wire, arrival->value);
    clump_nic_protocol(t);
    clump_lci_delivery d;
    while (clump_lci_next(t->n->lci, &d))
        deliver_in_turn(t, &d);
    clump_nic_pump(t);
}

/* Its buffer on the NIC is free, unless the host forwards it. */
void clump_nic_delivered(nic_turn *t, const machine_item *item)
{
    const clump_lci_delivery *d = &item->delivery;
    if (item->kind == ITEM_RAW)
        t->n->arrivals--;
    else if (!t->m->options.protocol.host_multicast || (d->flags & CLUMP_PACKET_MULTICAST) == 0)
        clump_lci_release(t->n->lci, t->at / 1000, d->buffer);
    clump_nic_pump(t);
}
