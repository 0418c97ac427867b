/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/simulation/schedule_nics.h"

#include <stdlib.h>

enum { MOST_SLOTS = 1 << 22, ALL = UINT8_MAX };

/* One NIC leaves no choice; tied or special ones have rules of their own. */
static bool make_turns(schedule_nics *n, const clump_schedule_rules *rules, size_t messages)
{
    const network *net = n->net;
    if (rules->nic_turns == 0 || net->node_nics < 2 || net->node_nics >= ALL || net->special ||
        net->machine->mapping == CLUMP_MAPPING_STATIC)
        return true;
    const double pairs = (double)net->ranks * (double)net->ranks;
    const bool whole = rules->window_bytes == 0 && messages > 0;
    n->step = rules->nic_turns;
    n->stripe_above = rules->stripe_above;
    n->slots = pairs < MOST_SLOTS ? (uint32_t)pairs : MOST_SLOTS;
    n->next = calloc(n->slots, 1);
    n->taken = whole ? malloc(messages) : NULL;
    return n->next != NULL && (n->taken != NULL || !whole);
}

bool schedule_nics_make(schedule_nics *n, const clump_schedule_rules *rules, double longest,
                        network *net, event_queue *events, uint32_t first_event, size_t messages)
{
    *n = (schedule_nics){.net = net, .events = events};
    const bool made = make_turns(n, rules, messages);
    const bool stripes = n->step > 0 && longest > (double)n->stripe_above;
    return nic_windows_make(&n->windows, (double)rules->window_bytes, longest, net, events,
                            first_event, SCHEDULE_NICS_DELIVERY, stripes ? messages : 0) &&
           made;
}

void schedule_nics_release(schedule_nics *n)
{
    nic_windows_release(&n->windows);
    free(n->next);
    free(n->taken);
}

static network_nic *nics_of(const network *net, uint32_t rank)
{
    return &net->nics[(size_t)(rank / net->processors) * net->node_nics];
}

/* The NIC of its node whose turn it is for a message of the pair, or all of them: to be asked once. The last of the places that a message
 * goes on by is its own. */
static uint8_t take_turn(schedule_nics *n, uint32_t from, uint32_t to, double bytes)
{
    const uint32_t nics = n->net->node_nics;
    uint8_t *next = &n->next[((uint64_t)from * n->net->ranks + to) % n->slots];
    const uint32_t own = (*next + n->step - 1) % nics;
    *next = (uint8_t)((*next + n->step) % nics);
    return bytes > (double)n->stripe_above ? ALL : (uint8_t)own;
}

/* A part of a message passes a NIC: when its first byte is through. */
static double pass(double *free, double *busy_sum, double ready, double busy)
{
    const double start = network_later(ready, *free);
    *free = start + busy;
    *busy_sum += busy;
    return start;
}

double schedule_nics_send_in_turn(schedule_nics *n, uint32_t m, uint32_t from, uint32_t to,
                                  double bytes, double ready)
{
    const clump_loggp *p = &n->net->machine->network;
    network_nic *nics = nics_of(n->net, from);
    const uint8_t own = n->taken[m] = take_turn(n, from, to, bytes);
    const uint32_t first = own == ALL ? 0 : own, count = own == ALL ? n->net->node_nics : 1;
    const double busy = p->gap_us + network_later(bytes / count - 1, 0) * p->gap_us_per_byte;
    double start = 0;
    for (uint32_t i = first; i < first + count; i++)
        start = network_later(start, pass(&nics[i].send_free, &nics[i].send_busy, ready, busy));
    return start + p->latency_us;
}

double schedule_nics_receive_in_turn(schedule_nics *n, uint32_t m, uint32_t to, double bytes,
                                     double now)
{
    const clump_loggp *p = &n->net->machine->network;
    network_nic *nics = nics_of(n->net, to);
    const uint8_t own = n->taken[m];
    const uint32_t first = own == ALL ? 0 : own, count = own == ALL ? n->net->node_nics : 1;
    const double rest = network_later(bytes / count - 1, 0) * p->gap_us_per_byte;
    double start = 0;
    for (uint32_t i = first; i < first + count; i++)
        start = network_later(
            start, pass(&nics[i].receive_free, &nics[i].receive_busy, now, p->gap_us + rest));
    return start + rest;
}

void schedule_nics_hand_over(schedule_nics *n, uint32_t m, uint32_t from, uint32_t to, double bytes,
                             double now)
{
    int nic = NIC_WINDOWS_ANY;
    if (schedule_nics_turn(n, from, to)) {
        const uint8_t own = take_turn(n, from, to, bytes);
        nic = own == ALL ? NIC_WINDOWS_ALL : own;
    }
    nic_windows_send(&n->windows, m, from, to, bytes, nic, now);
}
