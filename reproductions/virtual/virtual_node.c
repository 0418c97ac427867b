/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A node of the cluster: what waits for its processors, when they are woken, the watchdog between
 * them, and the translation tables of remote copy with what they tell each other.
 */
#include "reproductions/virtual/virtual_node.h"

#include <stdlib.h>

/* ---- items that wait */

bool clump_virtual_push(virtual_fifo *fifo, const virtual_item *item)
{
    if (fifo->count == fifo->capacity) {
        const size_t capacity = fifo->capacity > 0 ? 2 * fifo->capacity : 8;
        virtual_item *items = malloc(capacity * sizeof *items);
        if (items == NULL) {
            free(item->bytes);
            return false;
        }
        for (size_t i = 0; i < fifo->count; i++)
            items[i] = fifo->items[(fifo->first + i) % fifo->capacity];
        free(fifo->items);
        fifo->items = items;
        fifo->first = 0;
        fifo->capacity = capacity;
    }
    fifo->items[(fifo->first + fifo->count++) % fifo->capacity] = *item;
    return true;
}

bool clump_virtual_pop(virtual_fifo *fifo, virtual_item *item)
{
    if (fifo->count == 0)
        return false;
    *item = fifo->items[fifo->first];
    fifo->first = (fifo->first + 1) % fifo->capacity;
    fifo->count--;
    return true;
}

void clump_virtual_fifo_free(virtual_fifo *fifo)
{
    virtual_item item;
    while (clump_virtual_pop(fifo, &item))
        free(item.bytes);
    free(fifo->items);
    *fifo = (virtual_fifo){0};
}

/* ---- waking processors */

uint64_t clump_virtual_ps(double us)
{
    return us > 0 ? (uint64_t)(us * 1e6 + 0.5) : 0;
}

bool clump_virtual_on_host(const clump_virtual_cluster *c)
{
    return c->options.protocol.reliability == CLUMP_RELIABILITY_HOST;
}

void clump_virtual_trace(clump_virtual_cluster *c, uint64_t time_ps, uint16_t node,
                         const char *what, uint32_t value)
{
    if (c->program.trace != NULL)
        c->program.trace(c->program.context, time_ps, node, what, value);
}

static void add(clump_virtual_cluster *c, uint64_t time_ps, enum event_kind kind, uint16_t node)
{
    c->failed |= !clump_calendar_add(&c->queue,
                                     (clump_event){.time_ps = time_ps, .kind = kind, .node = node});
}

void clump_virtual_wake_host(clump_virtual_cluster *c, uint16_t node, uint64_t time_ps)
{
    virtual_node *n = &c->nodes[node];
    if (time_ps < n->host_free_ps)
        time_ps = n->host_free_ps;
    if (time_ps >= n->host_due_ps)
        return;
    n->host_due_ps = time_ps;
    add(c, time_ps, EVENT_HOST, node);
}

void clump_virtual_wake_nic(clump_virtual_cluster *c, uint16_t node, uint64_t time_ps)
{
    virtual_node *n = &c->nodes[node];
    if (time_ps < n->nic_free_ps)
        time_ps = n->nic_free_ps;
    if (time_ps >= n->nic_due_ps)
        return;
    n->nic_due_ps = time_ps;
    add(c, time_ps, EVENT_NIC, node);
}

void clump_virtual_give_nic(clump_virtual_cluster *c, uint16_t node, const virtual_item *item)
{
    virtual_node *n = &c->nodes[node];
    c->failed |= !clump_virtual_push(&n->nic, item);
    if (n->nic.count == 1)
        clump_virtual_wake_nic(c, node, item->ready_ps);
}

void clump_virtual_set_alarm(clump_virtual_cluster *c, uint16_t node)
{
    virtual_node *n = &c->nodes[node];
    const uint64_t deadline = clump_lci_deadline(n->lci), now = c->queue.now_ps;
    const uint64_t free = clump_virtual_on_host(c) ? n->host_free_ps : n->nic_free_ps;
    if (deadline == CLUMP_LCI_NEVER)
        return;
    /* A processor that is busy looks at its timers when it is free. */
    uint64_t due = deadline * 1000 > free ? deadline * 1000 : free;
    due = due > now ? due : now;
    if (due >= n->alarm_ps && n->alarm_ps > now)
        return;
    n->alarm_ps = due;
    add(c, n->alarm_ps, EVENT_ALARM, node);
}

/* ---- a computing host does not poll; the NIC's polling watchdog interrupts it (section 4.1) */

static void start(clump_virtual_cluster *c, uint16_t node, uint64_t time_ps)
{
    clump_watchdog *dog = &c->nodes[node].watchdog;
    const uint64_t before = dog->deadline_ns;
    clump_watchdog_arrival(dog, (time_ps + 999) / 1000); /* not before it is there */
    if (dog->deadline_ns != before)
        c->failed |=
            !clump_calendar_add(&c->queue, (clump_event){.time_ps = dog->deadline_ns * 1000,
                                                         .kind = EVENT_WATCHDOG,
                                                         .node = node});
}

void clump_virtual_arrived(clump_virtual_cluster *c, uint16_t node, uint64_t time_ps)
{
    start(c, node, time_ps);
    clump_virtual_wake_host(c, node, time_ps);
}

void clump_virtual_polled(clump_virtual_cluster *c, uint16_t node, uint64_t time_ps)
{
    virtual_node *n = &c->nodes[node];
    clump_watchdog_polled(&n->watchdog);
    if (n->host.count > 0) /* one packet a poll; the next one has waited since, at the soonest */
        start(c, node,
              n->host.items[n->host.first].ready_ps > time_ps
                  ? n->host.items[n->host.first].ready_ps
                  : time_ps);
}

uint64_t clump_virtual_compute(clump_virtual_cluster *c, uint16_t node, uint64_t time_ps,
                               uint64_t long_ps)
{
    virtual_node *n = &c->nodes[node];
    n->computing = true;
    n->interrupted_ps = 0;
    clump_virtual_trace(c, time_ps, node, "compute", 0);
    return time_ps + long_ps;
}

void clump_virtual_watchdog_due(clump_virtual_cluster *c, uint16_t node)
{
    virtual_node *n = &c->nodes[node];
    const uint64_t now = c->queue.now_ps;
    if (!clump_watchdog_expired(&n->watchdog, now / 1000) || !n->computing ||
        n->host_free_ps <= now)
        return;
    n->computing = false;
    n->interrupted_ps = n->host_free_ps - now;
    n->host_free_ps = now + clump_virtual_ps(c->options.hardware.interrupt_us);
    n->host_due_ps = UINT64_MAX; /* it will not be done by then */
    n->use.interrupts++;
    clump_virtual_trace(c, now, node, "interrupt", 0);
    clump_virtual_wake_host(c, node, now);
}

/* ---- remote copy */

#define NO_PAGE UINT32_MAX

/* Every page exists, and stays where it is; what counts is how often the kernel is asked. */
static bool pin_page(void *context, uint64_t page, uint64_t *frame)
{
    virtual_node *n = context;
    n->pins++;
    *frame = page;
    return true;
}

static void unpin_page(void *context, uint64_t page)
{
    (void)context, (void)page;
}

bool clump_virtual_copy_open(clump_virtual_cluster *c, uint16_t node)
{
    virtual_node *n = &c->nodes[node];
    const clump_pinning pinning = {pin_page, unpin_page, n};
    return clump_host_table_open(c->options.translations, &pinning, &n->host_table) ==
               CLUMP_PROTOCOL_OK &&
           clump_nic_table_open(c->options.translations, c->options.anonymous, &n->nic_table) ==
               CLUMP_PROTOCOL_OK;
}

void clump_virtual_copy_close(virtual_node *n)
{
    clump_host_table_close(n->host_table);
    clump_nic_table_close(n->nic_table);
}

uint64_t clump_virtual_copy_post(virtual_node *n, const clump_virtual_cluster_order *order,
                                 virtual_item *post)
{
    const uint64_t before = n->pins;
    clump_copy_address_encode(order->copy & ~UINT64_C(3), post->bytes);
    clump_host_table_source(n->host_table, order->source / CLUMP_PAGE_SIZE, &post->source);
    return n->pins - before;
}

uint64_t clump_virtual_copy_told(virtual_node *n, const virtual_item *item)
{
    const uint64_t before = n->pins;
    if (item->redirected)
        clump_host_table_notified(n->host_table, &item->notice);
    else
        clump_host_table_completed(n->host_table, &item->completion);
    return n->pins - before;
}

void clump_virtual_copy_tell(clump_virtual_cluster *c, uint16_t node, uint64_t time_ps,
                             const virtual_item *item)
{
    c->failed |= !clump_calendar_add(
        &c->queue, (clump_event){.time_ps = time_ps,
                                 .kind = EVENT_TABLE,
                                 .node = node,
                                 .value = item->redirected ? item->notice.anonymous : NO_PAGE});
}

void clump_virtual_table_due(clump_virtual_cluster *c, uint16_t node, uint32_t anonymous)
{
    virtual_node *n = &c->nodes[node];
    const virtual_item retry = {.kind = ITEM_COMPLETION, .ready_ps = c->queue.now_ps};
    clump_copy_update update;
    while (clump_host_table_next(n->host_table, &update))
        clump_nic_table_update(n->nic_table, &update);
    if (anonymous == NO_PAGE)
        return;
    clump_nic_table_give(n->nic_table, anonymous);
    if (n->waiting.count > 0)
        clump_virtual_give_nic(c, node, &retry);
}

/* From the packet alone: it comes from another node, which may be wrong about everything. */
enum copy_place clump_virtual_copy_place(virtual_node *n, const clump_lci_delivery *d,
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

clump_virtual_cluster_copies clump_virtual_cluster_copied(const clump_virtual_cluster *c,
                                                          uint16_t node)
{
    const virtual_node *n = &c->nodes[node];
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
