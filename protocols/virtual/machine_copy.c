/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Remote copy: the translation tables of host and NIC, and what they tell each other. */
#include "protocols/virtual/machine_private.h"

#define NO_PAGE UINT32_MAX

/* Every page exists, and stays where it is; what counts is how often the kernel is asked. */
static bool pin_page(void *context, uint64_t page, uint64_t *frame)
{
    machine_node *n = context;
    n->pins++;
    *frame = page;
    return true;
}

static void unpin_page(void *context, uint64_t page)
{
    (void)context, (void)page;
}

bool clump_virtual_cluster_copy_open(clump_virtual_cluster *m, uint16_t node)
{
    machine_node *n = &m->nodes[node];
    const clump_pinning pinning = {pin_page, unpin_page, n};
    return clump_host_table_open(m->options.translations, &pinning, &n->host_table) ==
               CLUMP_PROTOCOL_OK &&
           clump_nic_table_open(m->options.translations, m->options.anonymous, &n->nic_table) ==
               CLUMP_PROTOCOL_OK;
}

void clump_virtual_cluster_copy_close(machine_node *n)
{
    clump_host_table_close(n->host_table);
    clump_nic_table_close(n->nic_table);
}

uint64_t clump_virtual_cluster_copy_post(machine_node *n, const clump_virtual_cluster_order *order,
                                         machine_item *post)
{
    const uint64_t before = n->pins;
    clump_copy_address_encode(order->copy & ~UINT64_C(3), post->bytes);
    clump_host_table_source(n->host_table, order->source / CLUMP_PAGE_SIZE, &post->source);
    return n->pins - before;
}

uint64_t clump_virtual_cluster_copy_told(machine_node *n, const machine_item *item)
{
    const uint64_t before = n->pins;
    if (item->redirected)
        clump_host_table_notified(n->host_table, &item->notice);
    else
        clump_host_table_completed(n->host_table, &item->completion);
    return n->pins - before;
}

void clump_virtual_cluster_copy_tell(clump_virtual_cluster *m, uint16_t node, uint64_t time_ps,
                                     const machine_item *item)
{
    m->failed |= !clump_calendar_add(
        &m->queue, (clump_event){.time_ps = time_ps,
                                 .kind = EVENT_TABLE,
                                 .node = node,
                                 .value = item->redirected ? item->notice.anonymous : NO_PAGE});
}

void clump_virtual_cluster_table_due(clump_virtual_cluster *m, uint16_t node, uint32_t anonymous)
{
    machine_node *n = &m->nodes[node];
    const machine_item retry = {.kind = ITEM_COMPLETION, .ready_ps = m->queue.now_ps};
    clump_copy_update update;
    while (clump_host_table_next(n->host_table, &update))
        clump_nic_table_update(n->nic_table, &update);
    if (anonymous == NO_PAGE)
        return;
    clump_nic_table_give(n->nic_table, anonymous);
    if (n->waiting.count > 0)
        clump_virtual_cluster_give_nic(m, node, &retry);
}

/* From the packet alone: it comes from another node, which may be wrong about everything. */
enum copy_place clump_virtual_cluster_copy_place(machine_node *n, const clump_lci_delivery *d,
                                                 clump_copy_notice *notice)
{
    uint64_t page, frame;
    uint32_t offset;
    if (n->nic_table == NULL || !clump_copy_address_decode(d->data, d->size, &page, &offset))
        return COPY_REFUSED;
    switch (clump_nic_table_destination(n->nic_table, page, &frame, notice)) {
    case CLUMP_PROTOCOL_OK:
        return COPY_IN_PLACE;
    case CLUMP_PROTOCOL_NOT_FOUND:
        return COPY_REDIRECTED;
    default:
        return COPY_WAITS;
    }
}

clump_virtual_cluster_copies clump_virtual_cluster_copied(const clump_virtual_cluster *m,
                                                          uint16_t node)
{
    const machine_node *n = &m->nodes[node];
    if (n->host_table == NULL)
        return (clump_virtual_cluster_copies){0};
    const clump_translation_counters host = clump_host_table_count(n->host_table),
                                     nic = clump_nic_table_count(n->nic_table);
    return (clump_virtual_cluster_copies){.source_hits = host.hits,
                                          .source_misses = host.misses,
                                          /* The NIC's table sees both ends. */
                                          .destination_hits = nic.destination_hits,
                                          .destination_misses = nic.destination_misses,
                                          .pins = n->pins};
}
