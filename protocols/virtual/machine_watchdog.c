/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A host that computes does not poll; the NIC's polling watchdog interrupts it (section 4.1). */
#include "protocols/virtual/machine_private.h"

static void start(clump_virtual_cluster *m, uint16_t node, uint64_t time_ps)
{
    clump_watchdog *dog = &m->nodes[node].watchdog;
    const uint64_t before = dog->deadline_ns;
    clump_watchdog_arrival(dog, (time_ps + 999) / 1000); /* not before it is there */
    if (dog->deadline_ns != before)
        m->failed |=
            !clump_calendar_add(&m->queue, (clump_event){.time_ps = dog->deadline_ns * 1000,
                                                         .kind = EVENT_WATCHDOG,
                                                         .node = node});
}

void clump_virtual_cluster_arrived(clump_virtual_cluster *m, uint16_t node, uint64_t time_ps)
{
    start(m, node, time_ps);
    clump_virtual_cluster_wake_host(m, node, time_ps);
}

void clump_virtual_cluster_polled(clump_virtual_cluster *m, uint16_t node, uint64_t time_ps)
{
    machine_node *n = &m->nodes[node];
    clump_watchdog_polled(&n->watchdog);
    if (n->host.count > 0) /* one packet a poll; the next one has waited since, at the soonest */
        start(m, node,
              n->host.items[n->host.first].ready_ps > time_ps
                  ? n->host.items[n->host.first].ready_ps
                  : time_ps);
}

uint64_t clump_virtual_cluster_compute(clump_virtual_cluster *m, uint16_t node, uint64_t time_ps,
                                       uint64_t long_ps)
{
    machine_node *n = &m->nodes[node];
    n->computing = true;
    n->interrupted_ps = 0;
    clump_virtual_cluster_trace(m, time_ps, node, "compute", 0);
    return time_ps + long_ps;
}

void clump_virtual_cluster_watchdog_due(clump_virtual_cluster *m, uint16_t node)
{
    machine_node *n = &m->nodes[node];
    const uint64_t now = m->queue.now_ps;
    if (!clump_watchdog_expired(&n->watchdog, now / 1000) || !n->computing ||
        n->host_free_ps <= now)
        return;
    n->computing = false;
    n->interrupted_ps = n->host_free_ps - now;
    n->host_free_ps = now + clump_virtual_cluster_ps(m->options.hardware.interrupt_us);
    n->host_due_ps = UINT64_MAX; /* it will not be done by then */
    n->use.interrupts++;
    clump_virtual_cluster_trace(m, now, node, "interrupt", 0);
    clump_virtual_cluster_wake_host(m, node, now);
}
