/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The DMA engine between NIC and host (section 3): it makes one transfer at a time, and the
 * processor goes on meanwhile. */
#include "protocols/virtual/machine_nic.h"

static void begin(nic_turn *t)
{
    const clump_hardware *h = &t->m->options.hardware;
    const machine_item *item = &t->n->dma.items[t->n->dma.first];
    uint64_t end_ps = t->at;
    if (item->stage != STAGE_PASSED) {
        const double start_us = item->stage == STAGE_FETCHED ? h->dma_read_us : h->dma_write_us;
        clump_nic_words(t, NIC_DMA);
        end_ps = t->at + clump_virtual_cluster_ps(start_us + item->transfer_bytes * h->dma_byte_us);
    }
    t->m->failed |= !clump_calendar_add(
        &t->m->queue, (clump_event){.time_ps = end_ps, .kind = EVENT_DMA, .node = t->node});
}

void clump_nic_transfer(nic_turn *t, const machine_item *item, enum item_stage stage,
                        uint32_t bytes)
{
    machine_item copy = *item;
    copy.stage = stage;
    copy.transfer_bytes = bytes;
    t->n->fetching += stage <= STAGE_PASSED;
    if (!clump_virtual_cluster_push(&t->n->dma, &copy))
        t->m->failed = true;
    else if (t->n->dma.count == 1)
        begin(t);
}

bool clump_nic_transferred(nic_turn *t, machine_item *item)
{
    if (!t->n->transferred)
        return false;
    t->n->transferred = false;
    clump_virtual_cluster_pop(&t->n->dma, item);
    if (item->stage != STAGE_PASSED)
        clump_nic_words(t, NIC_DMA_DONE);
    t->n->fetching -= item->stage <= STAGE_PASSED;
    if (t->n->dma.count > 0)
        begin(t);
    return true;
}

/* What the host waits for is there before the NIC's program comes to see that. */
void clump_virtual_cluster_transferred(clump_virtual_cluster *m, uint16_t node)
{
    machine_node *n = &m->nodes[node];
    machine_item *item = &n->dma.items[n->dma.first];
    if (item->stage == STAGE_DELIVERED || (item->stage == STAGE_REPORTED && item->told)) {
        machine_item received = *item;
        item->bytes = NULL; /* its owner is the host's queue */
        received.ready_ps = m->now_ps;
        m->failed |= !clump_virtual_cluster_push(&n->host, &received);
        if (received.stage == STAGE_REPORTED) {
            clump_virtual_cluster_wake_host(m, node, m->now_ps);
        } else {
            clump_virtual_cluster_trace(m, m->now_ps, node, "deliver", received.delivery.origin);
            clump_virtual_cluster_arrived(m, node, m->now_ps);
        }
    }
    n->transferred = true;
    clump_virtual_cluster_wake_nic(m, node, m->now_ps);
}
