/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A cluster in virtual time (virtual_cluster.h): made, and run event by event. */
#include "reproductions/virtual/virtual_node.h"

#include <stdlib.h>

enum { WINDOW_MOST = 32, POSTS = 32 };

static uint32_t receive_buffers(const clump_virtual_cluster_options *o)
{
    return (uint32_t)(o->hardware.receive_buffer_bytes / o->protocol.mtu);
}

uint16_t clump_virtual_cluster_window(const clump_virtual_cluster_options *o)
{
    const uint32_t buffers = receive_buffers(o);
    uint32_t window = o->window;
    if (window == 0)
        window = o->protocol.reliability == CLUMP_RELIABILITY_CREDITS ? buffers / (o->nodes - 1u)
                                                                      : buffers / 4;
    if (o->window == 0 && window > WINDOW_MOST)
        window = WINDOW_MOST;
    return (uint16_t)(window > 0 ? window : 1);
}

size_t clump_virtual_cluster_peer_bytes(const clump_virtual_cluster_options *o)
{
    const bool credits = o->protocol.reliability == CLUMP_RELIABILITY_CREDITS;
    return clump_lci_peer_bytes() +
           (credits ? (size_t)clump_virtual_cluster_window(o) * o->protocol.mtu : 0);
}

static clump_lci_options node_options(const clump_virtual_cluster *c, uint16_t self)
{
    const clump_virtual_cluster_options *o = &c->options;
    const bool credits = o->protocol.reliability == CLUMP_RELIABILITY_CREDITS;
    const uint16_t window = clump_virtual_cluster_window(o);
    const uint32_t needed = (uint32_t)window * (o->nodes - 1u);
    const unsigned address = o->protocol.transfer == CLUMP_TRANSFER_COPY ? CLUMP_PACKET_ADDRESS : 0;
    const double send = o->hardware.send_buffer_bytes / o->protocol.mtu;
    uint32_t buffers = receive_buffers(o);
    if (credits && buffers < needed)
        buffers = needed;
    if (clump_virtual_on_host(c)) /* the queue is in host memory */
        buffers = needed < HOST_BUFFERS ? needed : HOST_BUFFERS;
    return (clump_lci_options){.nodes = o->nodes,
                               .self = self,
                               .mtu = (uint16_t)(o->protocol.mtu + address),
                               .window = window,
                               .retransmit = !credits,
                               .request_again = o->protocol.reliability == CLUMP_RELIABILITY_NIC,
                               .forward = !o->protocol.host_multicast || clump_virtual_on_host(c),
                               .tree = o->protocol.tree,
                               .send_buffers = (uint16_t)(send < 2      ? 2
                                                          : send > 4096 ? 4096
                                                                        : send),
                               .receive_buffers = buffers,
                               .timeout_ns = clump_virtual_ps(o->timeout_us) / 1000,
                               .timeout_most_ns = clump_virtual_ps(o->timeout_us) / 1000,
                               .acknowledge_ns = clump_virtual_ps(o->acknowledge_us) / 1000,
                               .incarnation = 1};
}

clump_protocol_status clump_virtual_cluster_open(const clump_virtual_cluster_options *options,
                                                 const clump_virtual_cluster_program *program,
                                                 clump_virtual_cluster **cluster)
{
    if (!clump_hardware_is_usable(&options->hardware) || options->nodes < 2 ||
        options->nodes > 1024 || program->want == NULL || program->got == NULL ||
        options->window > 4096 || options->translations > CLUMP_TRANSLATION_ENTRIES_MOST ||
        options->anonymous > CLUMP_ANONYMOUS_PAGES_MOST ||
        !(options->timeout_us >= 0 && options->timeout_us < 1e9) ||
        !(options->acknowledge_us >= 0 && options->acknowledge_us < 1e9))
        return CLUMP_PROTOCOL_BAD_INPUT;
    clump_virtual_cluster *c = calloc(1, sizeof *c);
    if (c == NULL)
        return CLUMP_PROTOCOL_FAILED;
    c->options = *options;
    c->program = *program;
    if (!(options->timeout_us > 0))
        c->options.timeout_us = 10000;
    if (!(options->acknowledge_us > 0))
        c->options.acknowledge_us = 200;
    if (options->translations == 0)
        c->options.translations = CLUMP_TRANSLATION_ENTRIES;
    if (options->anonymous == 0)
        c->options.anonymous = CLUMP_ANONYMOUS_PAGES;
    c->posts_most = POSTS;
    c->arrivals_most = receive_buffers(&c->options);
    /* With credits every packet with data has its buffer, and those without are a few for each
     * peer: they wait on the link, which has flow control of its own. */
    if (options->protocol.reliability == CLUMP_RELIABILITY_CREDITS)
        c->arrivals_most = UINT32_MAX;
    c->wire = clump_wire_open(&options->faults, &c->queue, EVENT_ARRIVE, CLUMP_PACKET_MOST);
    c->nodes = calloc(options->nodes, sizeof *c->nodes);
    clump_protocol_status status =
        c->wire != NULL && c->nodes != NULL ? CLUMP_PROTOCOL_OK : CLUMP_PROTOCOL_FAILED;
    for (uint16_t i = 0; i < options->nodes && status == CLUMP_PROTOCOL_OK; i++) {
        const clump_lci_options o = node_options(c, i);
        c->nodes[i].alarm_ps = c->nodes[i].host_due_ps = c->nodes[i].nic_due_ps = UINT64_MAX;
        c->nodes[i].watchdog =
            clump_watchdog_make(clump_virtual_ps(options->hardware.watchdog_us) / 1000);
        c->nodes[i].watchdog.enabled = options->interrupts;
        status = clump_lci_open(&o, &c->nodes[i].lci);
        if (status == CLUMP_PROTOCOL_OK && options->protocol.transfer == CLUMP_TRANSFER_COPY &&
            !clump_virtual_copy_open(c, i))
            status = CLUMP_PROTOCOL_FAILED;
    }
    if (status != CLUMP_PROTOCOL_OK) {
        clump_virtual_cluster_close(c);
        return status;
    }
    *cluster = c;
    return CLUMP_PROTOCOL_OK;
}

void clump_virtual_cluster_close(clump_virtual_cluster *c)
{
    if (c == NULL)
        return;
    for (uint16_t i = 0; c->nodes != NULL && i < c->options.nodes; i++) {
        clump_virtual_fifo_free(&c->nodes[i].host);
        clump_virtual_fifo_free(&c->nodes[i].nic);
        clump_virtual_fifo_free(&c->nodes[i].blocked);
        clump_virtual_fifo_free(&c->nodes[i].waiting);
        clump_virtual_copy_close(&c->nodes[i]);
        clump_virtual_fifo_free(&c->nodes[i].dma);
        clump_lci_close(c->nodes[i].lci);
    }
    free(c->nodes);
    clump_wire_close(c->wire);
    clump_calendar_free(&c->queue);
    free(c);
}

static void arrive(clump_virtual_cluster *c, const clump_event *event)
{
    const uint16_t node = (uint16_t)event->node;
    virtual_node *n = &c->nodes[node];
    if (n->arrivals == c->arrivals_most) { /* the NIC has nowhere to put it */
        clump_virtual_trace(c, event->time_ps, node, "overrun", event->other);
        clump_wire_release(c->wire, event->value);
        return;
    }
    n->arrivals++;
    clump_virtual_trace(c, event->time_ps, node, "arrive", event->other);
    clump_virtual_give_nic(
        c, node,
        &(virtual_item){.kind = ITEM_RAW, .value = event->value, .ready_ps = event->time_ps});
}

static void alarm_due(clump_virtual_cluster *c, const clump_event *event)
{
    const uint16_t node = (uint16_t)event->node;
    virtual_node *n = &c->nodes[node];
    const virtual_item item = {.kind = ITEM_ALARM, .ready_ps = event->time_ps};
    if (event->time_ps != n->alarm_ps)
        return; /* another one has taken its place */
    n->alarm_ps = UINT64_MAX;
    if (clump_virtual_on_host(c)) {
        n->host_alarm =
            true; /* before what waits in the queue, of which the first may still come */
        clump_virtual_wake_host(c, node, event->time_ps);
    } else {
        clump_virtual_give_nic(c, node, &item);
    }
}

static void handle(clump_virtual_cluster *c, const clump_event *event)
{
    const uint16_t node = (uint16_t)event->node;
    c->now_ps = event->time_ps;
    switch (event->kind) {
    case EVENT_ARRIVE:
        arrive(c, event);
        break;
    case EVENT_ALARM:
        alarm_due(c, event);
        break;
    case EVENT_NIC:
        if (event->time_ps == c->nodes[node].nic_due_ps) {
            c->nodes[node].nic_due_ps = UINT64_MAX;
            clump_virtual_nic_turn(c, node);
        }
        break;
    case EVENT_DMA:
        clump_virtual_transferred(c, node);
        break;
    case EVENT_WATCHDOG:
        clump_virtual_watchdog_due(c, node);
        break;
    case EVENT_TABLE:
        clump_virtual_table_due(c, node, event->value);
        break;
    default:
        if (event->time_ps == c->nodes[node].host_due_ps) {
            c->nodes[node].host_due_ps = UINT64_MAX;
            clump_virtual_host_turn(c, node);
        }
        break;
    }
}

clump_protocol_status clump_virtual_cluster_run(clump_virtual_cluster *c, double limit_us)
{
    const uint64_t limit_ps = clump_virtual_ps(limit_us);
    clump_event event;
    c->stopped = false;
    for (uint16_t i = 0; i < c->options.nodes; i++)
        clump_virtual_wake_host(c, i, c->now_ps);
    while (!c->stopped && !c->failed && clump_calendar_take(&c->queue, &event)) {
        if (event.time_ps > limit_ps) {
            c->failed |= !clump_calendar_add(&c->queue, event);
            return c->failed ? CLUMP_PROTOCOL_FAILED : CLUMP_PROTOCOL_TIMED_OUT;
        }
        handle(c, &event);
        c->failed |= c->queue.failed;
    }
    return c->failed ? CLUMP_PROTOCOL_FAILED : CLUMP_PROTOCOL_OK;
}

void clump_virtual_cluster_stop(clump_virtual_cluster *c)
{
    c->stopped = true;
}

void clump_virtual_cluster_charge(clump_virtual_cluster *c, uint16_t node, double us)
{
    c->nodes[node].charged_ps += clump_virtual_ps(us);
}

bool clump_virtual_cluster_charged(const clump_virtual_cluster *c, uint16_t node)
{
    return c->nodes[node].charged_ps > 0;
}

bool clump_virtual_cluster_interrupted(const clump_virtual_cluster *c, uint16_t node)
{
    return c->nodes[node].interrupted_ps > 0;
}

uint32_t clump_virtual_cluster_fetch_add_here(clump_virtual_cluster *c, uint16_t node)
{
    return clump_lci_fetch_add_here(c->nodes[node].lci);
}

uint64_t clump_virtual_cluster_now_ps(const clump_virtual_cluster *c)
{
    return c->now_ps;
}

clump_virtual_cluster_use clump_virtual_cluster_used(const clump_virtual_cluster *c, uint16_t node)
{
    return c->nodes[node].use;
}

void clump_virtual_cluster_reset_use(clump_virtual_cluster *c)
{
    for (uint16_t i = 0; i < c->options.nodes; i++)
        c->nodes[i].use = (clump_virtual_cluster_use){0};
}

clump_lci_counters clump_virtual_cluster_count(const clump_virtual_cluster *c, uint16_t node)
{
    return clump_lci_count(c->nodes[node].lci);
}

const char *clump_virtual_cluster_audit(const clump_virtual_cluster *c)
{
    for (uint16_t i = 0; i < c->options.nodes; i++) {
        const virtual_node *n = &c->nodes[i];
        const char *wrong = clump_lci_check(n->lci);
        if (wrong == NULL && n->host_table != NULL)
            wrong = clump_translation_check(n->host_table, n->nic_table);
        if (wrong != NULL)
            return wrong;
    }
    return NULL;
}
