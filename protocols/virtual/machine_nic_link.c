/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the NIC transmits, and what its state machine costs. */
#include "protocols/virtual/machine_nic.h"

uint32_t clump_nic_loop_words(const clump_virtual_cluster *m)
{
    return NIC_LOOP +
           (m->options.protocol.reliability == CLUMP_RELIABILITY_NIC ? NIC_LOOP_TIMERS : 0);
}

/* What the state machine did, but for what can wait. The descriptor that it made for a child has
 * been in the queue of those that the host writes, and came out of it at its own turn (4.2).
 * @return the words that can wait */
static uint32_t protocol_first(nic_turn *t)
{
    const clump_lci_effort effort = clump_lci_work(t->n->lci);
    clump_nic_words(t, effort.words + (clump_nic_loop_words(t->m) + NIC_FETCH) * effort.children);
    return effort.later + NIC_TIMER * effort.timers;
}

void clump_nic_protocol(nic_turn *t)
{
    clump_nic_words(t, protocol_first(t));
}

void clump_nic_to_link(nic_turn *t, uint16_t to, const unsigned char *bytes, size_t size)
{
    clump_virtual_cluster *m = t->m;
    const clump_hardware *h = &m->options.hardware;
    const uint64_t long_ps = clump_virtual_cluster_ps((double)size * h->link_byte_us);
    clump_nic_words(t, NIC_LINK);
    const uint64_t begin = t->at > t->n->link_free_ps ? t->at : t->n->link_free_ps;
    t->n->link_free_ps = begin + long_ps;
    uint64_t last = begin + long_ps + clump_virtual_cluster_ps(h->network_us + h->hops * h->hop_us);
    machine_node *receiver = &m->nodes[to]; /* whose link carries one packet at a time, too */
    if (last < receiver->arrive_free_ps + long_ps)
        last = receiver->arrive_free_ps + long_ps;
    receiver->arrive_free_ps = last;
    clump_virtual_cluster_trace(m, begin, t->node, "transmit", to);
    m->failed |= !clump_wire_send(m->wire, last, t->node, to, bytes, size);
}

void clump_nic_pump(nic_turn *t)
{
    unsigned char bytes[CLUMP_PACKET_MOST];
    size_t size;
    uint16_t to;
    while (clump_lci_transmit(t->n->lci, t->at / 1000, bytes, &size, &to)) {
        const uint32_t later = protocol_first(t);
        clump_nic_to_link(t, to, bytes, size);
        clump_nic_words(t, NIC_LINK_DONE + later); /* a timer starts when it is sent (5.1.1) */
    }
    clump_nic_protocol(t);
}
