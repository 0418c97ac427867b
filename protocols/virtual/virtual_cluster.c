/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/virtual/machine_private.h"

#include <stdlib.h>

enum { WINDOW_MOST = 32, POSTS = 32 };

uint64_t clump_virtual_cluster_ps(double us)
{
    return us > 0 ? (uint64_t)(us * 1e6 + 0.5) : 0;
}

bool clump_virtual_cluster_on_host(const clump_virtual_cluster *m)
{
    return m->options.protocol.reliability == CLUMP_RELIABILITY_HOST;
}

void clump_virtual_cluster_trace(clump_virtual_cluster *m, uint64_t time_ps, uint16_t node,
                                 const char *what, uint32_t value)
{
    if (m->program.trace != NULL)
        m->program.trace(m->program.context, time_ps, node, what, value);
}

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

static clump_lci_options node_options(const clump_virtual_cluster *m, uint16_t self)
{
    const clump_virtual_cluster_options *o = &m->options;
    const bool credits = o->protocol.reliability == CLUMP_RELIABILITY_CREDITS;
    const uint16_t window = clump_virtual_cluster_window(o);
    const uint32_t needed = (uint32_t)window * (o->nodes - 1u);
    const unsigned address = o->protocol.transfer == CLUMP_TRANSFER_COPY ? CLUMP_PACKET_ADDRESS : 0;
    const double send = o->hardware.send_buffer_bytes / o->protocol.mtu;
    uint32_t buffers = receive_buffers(o);
    if (credits && buffers < needed)
        buffers = needed;
    if (clump_virtual_cluster_on_host(m)) /* the queue is in host memory */
        buffers = needed < MACHINE_HOST_BUFFERS ? needed : MACHINE_HOST_BUFFERS;
    return (clump_lci_options){.nodes = o->nodes,
                               .self = self,
                               .mtu = (uint16_t)(o->protocol.mtu + address),
                               .window = window,
                               .retransmit = !credits,
                               .request_again = o->protocol.reliability == CLUMP_RELIABILITY_NIC,
                               .forward =
                                   !o->protocol.host_multicast || clump_virtual_cluster_on_host(m),
                               .tree = o->protocol.tree,
                               .send_buffers = (uint16_t)(send < 2      ? 2
                                                          : send > 4096 ? 4096
                                                                        : send),
                               .receive_buffers = buffers,
                               .timeout_ns = clump_virtual_cluster_ps(o->timeout_us) / 1000,
                               .timeout_most_ns = clump_virtual_cluster_ps(o->timeout_us) / 1000,
                               .acknowledge_ns = clump_virtual_cluster_ps(o->acknowledge_us) / 1000,
                               .incarnation = 1};
}

clump_protocol_status clump_virtual_cluster_open(const clump_virtual_cluster_options *options,
                                                 const clump_virtual_cluster_program *program,
                                                 clump_virtual_cluster **machine)
{
    if (!clump_hardware_is_usable(&options->hardware) || options->nodes < 2 ||
        options->nodes > 1024 || program->want == NULL || program->got == NULL ||
        options->window > 4096 || options->translations > CLUMP_TRANSLATION_ENTRIES_MOST ||
        options->anonymous > CLUMP_ANONYMOUS_PAGES_MOST ||
        !(options->timeout_us >= 0 && options->timeout_us < 1e9) ||
        !(options->acknowledge_us >= 0 && options->acknowledge_us < 1e9))
        return CLUMP_PROTOCOL_BAD_INPUT;
    clump_virtual_cluster *m = calloc(1, sizeof *m);
    if (m == NULL)
        return CLUMP_PROTOCOL_FAILED;
    m->options = *options;
    m->program = *program;
    if (!(options->timeout_us > 0))
        m->options.timeout_us = 10000;
    if (!(options->acknowledge_us > 0))
        m->options.acknowledge_us = 200;
    if (options->translations == 0)
        m->options.translations = CLUMP_TRANSLATION_ENTRIES;
    if (options->anonymous == 0)
        m->options.anonymous = CLUMP_ANONYMOUS_PAGES;
    m->posts_most = POSTS;
    m->arrivals_most = receive_buffers(&m->options);
    /* With credits every packet with data has its buffer, and those without are a few for each
     * peer: they wait on the link, which has flow control of its own. */
    if (options->protocol.reliability == CLUMP_RELIABILITY_CREDITS)
        m->arrivals_most = UINT32_MAX;
    m->wire = clump_wire_open(&options->faults, &m->queue, EVENT_ARRIVE, CLUMP_PACKET_MOST);
    m->nodes = calloc(options->nodes, sizeof *m->nodes);
    clump_protocol_status status =
        m->wire != NULL && m->nodes != NULL ? CLUMP_PROTOCOL_OK : CLUMP_PROTOCOL_FAILED;
    for (uint16_t i = 0; i < options->nodes && status == CLUMP_PROTOCOL_OK; i++) {
        const clump_lci_options o = node_options(m, i);
        m->nodes[i].alarm_ps = m->nodes[i].host_due_ps = m->nodes[i].nic_due_ps = UINT64_MAX;
        m->nodes[i].watchdog =
            clump_watchdog_make(clump_virtual_cluster_ps(options->hardware.watchdog_us) / 1000);
        m->nodes[i].watchdog.enabled = options->interrupts;
        status = clump_lci_open(&o, &m->nodes[i].lci);
        if (status == CLUMP_PROTOCOL_OK && options->protocol.transfer == CLUMP_TRANSFER_COPY &&
            !clump_virtual_cluster_copy_open(m, i))
            status = CLUMP_PROTOCOL_FAILED;
    }
    if (status != CLUMP_PROTOCOL_OK) {
        clump_virtual_cluster_close(m);
        return status;
    }
    *machine = m;
    return CLUMP_PROTOCOL_OK;
}

void clump_virtual_cluster_close(clump_virtual_cluster *m)
{
    if (m == NULL)
        return;
    for (uint16_t i = 0; m->nodes != NULL && i < m->options.nodes; i++) {
        clump_virtual_cluster_fifo_free(&m->nodes[i].host);
        clump_virtual_cluster_fifo_free(&m->nodes[i].nic);
        clump_virtual_cluster_fifo_free(&m->nodes[i].blocked);
        clump_virtual_cluster_fifo_free(&m->nodes[i].waiting);
        clump_virtual_cluster_copy_close(&m->nodes[i]);
        clump_virtual_cluster_fifo_free(&m->nodes[i].dma);
        clump_lci_close(m->nodes[i].lci);
    }
    free(m->nodes);
    clump_wire_close(m->wire);
    clump_calendar_free(&m->queue);
    free(m);
}

static void add(clump_virtual_cluster *m, uint64_t time_ps, enum event_kind kind, uint16_t node)
{
    m->failed |= !clump_calendar_add(&m->queue,
                                     (clump_event){.time_ps = time_ps, .kind = kind, .node = node});
}

void clump_virtual_cluster_wake_host(clump_virtual_cluster *m, uint16_t node, uint64_t time_ps)
{
    machine_node *n = &m->nodes[node];
    if (time_ps < n->host_free_ps)
        time_ps = n->host_free_ps;
    if (time_ps >= n->host_due_ps)
        return;
    n->host_due_ps = time_ps;
    add(m, time_ps, EVENT_HOST, node);
}

void clump_virtual_cluster_wake_nic(clump_virtual_cluster *m, uint16_t node, uint64_t time_ps)
{
    machine_node *n = &m->nodes[node];
    if (time_ps < n->nic_free_ps)
        time_ps = n->nic_free_ps;
    if (time_ps >= n->nic_due_ps)
        return;
    n->nic_due_ps = time_ps;
    add(m, time_ps, EVENT_NIC, node);
}

void clump_virtual_cluster_give_nic(clump_virtual_cluster *m, uint16_t node,
                                    const machine_item *item)
{
    machine_node *n = &m->nodes[node];
    m->failed |= !clump_virtual_cluster_push(&n->nic, item);
    if (n->nic.count == 1)
        clump_virtual_cluster_wake_nic(m, node, item->ready_ps);
}

void clump_virtual_cluster_set_alarm(clump_virtual_cluster *m, uint16_t node)
{
    machine_node *n = &m->nodes[node];
    const uint64_t deadline = clump_lci_deadline(n->lci), now = m->queue.now_ps;
    const uint64_t free = clump_virtual_cluster_on_host(m) ? n->host_free_ps : n->nic_free_ps;
    if (deadline == CLUMP_LCI_NEVER)
        return;
    /* A processor that is busy looks at its timers when it is free. */
    uint64_t due = deadline * 1000 > free ? deadline * 1000 : free;
    due = due > now ? due : now;
    if (due >= n->alarm_ps && n->alarm_ps > now)
        return;
    n->alarm_ps = due;
    add(m, n->alarm_ps, EVENT_ALARM, node);
}

static void arrive(clump_virtual_cluster *m, const clump_event *event)
{
    const uint16_t node = (uint16_t)event->node;
    machine_node *n = &m->nodes[node];
    if (n->arrivals == m->arrivals_most) { /* the NIC has nowhere to put it */
        clump_virtual_cluster_trace(m, event->time_ps, node, "overrun", event->other);
        clump_wire_release(m->wire, event->value);
        return;
    }
    n->arrivals++;
    clump_virtual_cluster_trace(m, event->time_ps, node, "arrive", event->other);
    clump_virtual_cluster_give_nic(
        m, node,
        &(machine_item){.kind = ITEM_RAW, .value = event->value, .ready_ps = event->time_ps});
}

static void alarm_due(clump_virtual_cluster *m, const clump_event *event)
{
    const uint16_t node = (uint16_t)event->node;
    machine_node *n = &m->nodes[node];
    const machine_item item = {.kind = ITEM_ALARM, .ready_ps = event->time_ps};
    if (event->time_ps != n->alarm_ps)
        return; /* another one has taken its place */
    n->alarm_ps = UINT64_MAX;
    if (clump_virtual_cluster_on_host(m)) {
        n->host_alarm =
            true; /* before what waits in the queue, of which the first may still come */
        clump_virtual_cluster_wake_host(m, node, event->time_ps);
    } else {
        clump_virtual_cluster_give_nic(m, node, &item);
    }
}

static void handle(clump_virtual_cluster *m, const clump_event *event)
{
    const uint16_t node = (uint16_t)event->node;
    m->now_ps = event->time_ps;
    switch (event->kind) {
    case EVENT_ARRIVE:
        arrive(m, event);
        break;
    case EVENT_ALARM:
        alarm_due(m, event);
        break;
    case EVENT_NIC:
        if (event->time_ps == m->nodes[node].nic_due_ps) {
            m->nodes[node].nic_due_ps = UINT64_MAX;
            clump_virtual_cluster_nic_turn(m, node);
        }
        break;
    case EVENT_DMA:
        clump_virtual_cluster_transferred(m, node);
        break;
    case EVENT_WATCHDOG:
        clump_virtual_cluster_watchdog_due(m, node);
        break;
    case EVENT_TABLE:
        clump_virtual_cluster_table_due(m, node, event->value);
        break;
    default:
        if (event->time_ps == m->nodes[node].host_due_ps) {
            m->nodes[node].host_due_ps = UINT64_MAX;
            clump_virtual_cluster_host_turn(m, node);
        }
        break;
    }
}

clump_protocol_status clump_virtual_cluster_run(clump_virtual_cluster *m, double limit_us)
{
    const uint64_t limit_ps = clump_virtual_cluster_ps(limit_us);
    clump_event event;
    m->stopped = false;
    for (uint16_t i = 0; i < m->options.nodes; i++)
        clump_virtual_cluster_wake_host(m, i, m->now_ps);
    while (!m->stopped && !m->failed && clump_calendar_take(&m->queue, &event)) {
        if (event.time_ps > limit_ps) {
            m->failed |= !clump_calendar_add(&m->queue, event);
            return m->failed ? CLUMP_PROTOCOL_FAILED : CLUMP_PROTOCOL_TIMED_OUT;
        }
        m->events++;
        handle(m, &event);
        m->failed |= m->queue.failed;
    }
    return m->failed ? CLUMP_PROTOCOL_FAILED : CLUMP_PROTOCOL_OK;
}

void clump_virtual_cluster_stop(clump_virtual_cluster *m)
{
    m->stopped = true;
}

uint64_t clump_virtual_cluster_now_ps(const clump_virtual_cluster *m)
{
    return m->now_ps;
}

clump_virtual_cluster_use clump_virtual_cluster_used(const clump_virtual_cluster *m, uint16_t node)
{
    return m->nodes[node].use;
}

void clump_virtual_cluster_reset_use(clump_virtual_cluster *m)
{
    for (uint16_t i = 0; i < m->options.nodes; i++)
        m->nodes[i].use = (clump_virtual_cluster_use){0};
}

clump_lci_counters clump_virtual_cluster_count(const clump_virtual_cluster *m, uint16_t node)
{
    return clump_lci_count(m->nodes[node].lci);
}

uint64_t clump_virtual_cluster_events(const clump_virtual_cluster *m)
{
    return m->events;
}

const char *clump_virtual_cluster_audit(const clump_virtual_cluster *m)
{
    for (uint16_t i = 0; i < m->options.nodes; i++) {
        const machine_node *n = &m->nodes[i];
        const char *wrong = clump_lci_check(n->lci);
        if (wrong == NULL && n->host_table != NULL)
            wrong = clump_translation_check(n->host_table, n->nic_table);
        if (wrong != NULL)
            return wrong;
    }
    return NULL;
}
