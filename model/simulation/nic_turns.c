/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/simulation/nic_turns.h"

#include <stdlib.h>

enum { MOST_SLOTS = 1 << 22, ALL = NIC_TURNS_ALL };

bool nic_turns_make(nic_turns *t, uint32_t step, uint64_t stripe_above, const network *n,
                    size_t whole)
{
    *t = (nic_turns){.stripe_above = stripe_above};
    /* One NIC leaves no choice; tied or special ones have rules of their own. */
    if (step == 0 || n->node_nics < 2 || n->node_nics >= ALL || n->special ||
        n->machine->mapping == CLUMP_MAPPING_STATIC)
        return true;
    const double pairs = (double)n->ranks * (double)n->ranks;
    t->step = step;
    t->slots = pairs < MOST_SLOTS ? (uint32_t)pairs : MOST_SLOTS;
    t->next = calloc(t->slots, 1);
    t->taken = whole > 0 ? malloc(whole) : NULL;
    return t->next != NULL && (t->taken != NULL || whole == 0);
}

void nic_turns_release(nic_turns *t)
{
    free(t->next);
    free(t->taken);
}

static network_nic *nics_of(const network *n, uint32_t rank)
{
    return &n->nics[(size_t)(rank / n->processors) * n->node_nics];
}

/* The last of the places that a message goes on by is its own. */
uint8_t nic_turns_take(nic_turns *t, const network *n, uint32_t from, uint32_t to, double bytes)
{
    uint8_t *next = &t->next[((uint64_t)from * n->ranks + to) % t->slots];
    const uint32_t own = (*next + t->step - 1) % n->node_nics;
    *next = (uint8_t)((*next + t->step) % n->node_nics);
    return bytes > (double)t->stripe_above ? ALL : (uint8_t)own;
}

/* A part of a message passes a NIC: when its first byte is through. */
static double pass(double *free, double *busy_sum, double ready, double busy)
{
    const double start = network_later(ready, *free);
    *free = start + busy;
    *busy_sum += busy;
    return start;
}

double nic_turns_send(nic_turns *t, network *n, uint32_t m, uint32_t from, uint32_t to,
                      double bytes, double ready)
{
    const clump_loggp *p = &n->machine->network;
    network_nic *nics = nics_of(n, from);
    const uint8_t own = t->taken[m] = nic_turns_take(t, n, from, to, bytes);
    const uint32_t first = own == ALL ? 0 : own, count = own == ALL ? n->node_nics : 1;
    const double busy = p->gap_us + network_later(bytes / count - 1, 0) * p->gap_us_per_byte;
    double start = 0;
    for (uint32_t i = first; i < first + count; i++)
        start = network_later(start, pass(&nics[i].send_free, &nics[i].send_busy, ready, busy));
    return start + p->latency_us;
}

double nic_turns_receive(const nic_turns *t, network *n, uint32_t m, uint32_t to, double bytes,
                         double now)
{
    const clump_loggp *p = &n->machine->network;
    network_nic *nics = nics_of(n, to);
    const uint8_t own = t->taken[m];
    const uint32_t first = own == ALL ? 0 : own, count = own == ALL ? n->node_nics : 1;
    const double rest = network_later(bytes / count - 1, 0) * p->gap_us_per_byte;
    double start = 0;
    for (uint32_t i = first; i < first + count; i++)
        start = network_later(
            start, pass(&nics[i].receive_free, &nics[i].receive_busy, now, p->gap_us + rest));
    return start + rest;
}
