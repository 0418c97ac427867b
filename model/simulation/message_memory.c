/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/simulation/message_memory.h"

#include <math.h>
#include <stdlib.h>

bool message_memories_make(message_memories *m, const clump_cluster *machine)
{
    const size_t P = machine->node.processors;
    *m = (message_memories){.nu = malloc((P + 1) * sizeof *m->nu),
                            .nodes = calloc(machine->nodes, sizeof *m->nodes)};
    if (m->nu == NULL || m->nodes == NULL ||
        clump_memory_rates(&machine->node.memory, 0, P, m->nu, NULL) != CLUMP_OK)
        return false;
    while (m->count < machine->nodes)
        if (!simulation_heap_make(&m->nodes[m->count++].computing, P))
            return false;
    return true;
}

void message_memories_release(message_memories *m)
{
    free(m->nu);
    for (size_t i = 0; i < m->count; i++)
        simulation_heap_release(&m->nodes[i].computing);
    free(m->nodes);
}

void message_memories_reset(message_memories *m)
{
    for (size_t i = 0; i < m->count; i++) {
        m->nodes[i].computing.count = 0;
        m->nodes[i].v = m->nodes[i].time = 0;
        m->nodes[i].expected = HUGE_VAL;
    }
}

static void settle(const message_memories *m, message_memory *node, double now)
{
    const size_t k = node->computing.count;
    node->v = k > 0 ? node->v + (now - node->time) * m->nu[k] / (double)k : 0;
    node->time = now;
}

double message_memory_next(message_memories *m, size_t node)
{
    message_memory *n = &m->nodes[node];
    const size_t k = n->computing.count;
    n->expected = k == 0 ? HUGE_VAL
                         : n->time + fmax(n->computing.times[0] - n->v, 0) * ((double)k / m->nu[k]);
    return n->expected;
}

double message_memory_join(message_memories *m, size_t node, uint32_t rank, double work, double now)
{
    message_memory *n = &m->nodes[node];
    settle(m, n, now);
    simulation_heap_add(&n->computing, n->v + work, rank);
    return message_memory_next(m, node);
}

bool message_memory_is_due(const message_memories *m, size_t node, double now)
{
    return m->nodes[node].expected == now;
}

bool message_memory_take(message_memories *m, size_t node, double now, uint32_t *rank)
{
    message_memory *n = &m->nodes[node];
    if (n->computing.count == 0)
        return false;
    if (n->expected == now) { /* the first one, whatever rounding says */
        settle(m, n, now);
        n->v = fmax(n->v, n->computing.times[0]);
        n->expected = HUGE_VAL;
    }
    if (n->computing.times[0] > n->v)
        return false;
    *rank = n->computing.ids[0];
    simulation_heap_drop(&n->computing);
    return true;
}
