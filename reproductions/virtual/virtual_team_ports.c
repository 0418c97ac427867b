/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What messages cost, and the NICs and ports through which they pass. */
#include "reproductions/virtual/splitmix.h"
#include "reproductions/virtual/virtual_team_private.h"

/* ---- costs */

static bool costs_of(const clump_message_costs *given, virtual_costs *c)
{
    double latency = given->latency_us, receive = given->receive_us, send = given->send_us;
    const bool usable = isfinite(latency) && isfinite(receive) && isfinite(send) &&
                        isfinite(given->gap_us) && isfinite(given->gap_us_per_byte) &&
                        receive >= 0 && send >= 0 && given->gap_us >= 0 &&
                        given->gap_us_per_byte >= 0 && latency < 1e9 && receive < 1e9 &&
                        send < 1e9 && given->gap_us < 1e9 && given->gap_us_per_byte < 1e6;
    if (latency < 0) { /* the overheads overlap */
        receive += latency;
        latency = 0;
    }
    if (receive < 0) {
        send += receive;
        receive = 0;
    }
    if (!usable || send < 0)
        return false;
    *c = (virtual_costs){.latency_ps = virtual_ps(latency),
                         .send_ps = virtual_ps(send),
                         .receive_ps = virtual_ps(receive),
                         .gap_ps = virtual_ps(given->gap_us),
                         .byte_ps = given->gap_us_per_byte * 1e6};
    return true;
}

static double at_least_0(double value)
{
    return value > 0 ? value : 0;
}

/* LogGP parameters without what they have of polls: see virtual_team.h. */
static void leave_out_polls(const clump_virtual_team_options *o, clump_message_costs *network,
                            clump_message_costs *memory)
{
    const double look = o->network_poll_us, poll = o->memory_poll_us,
                 least = o->measured.minimum_skip, most = o->measured.maximum_skip;
    network->send_us = at_least_0(network->send_us - look / least);
    memory->send_us = at_least_0(memory->send_us - look / most);
    network->receive_us = at_least_0(network->receive_us - look);
    memory->receive_us = at_least_0(memory->receive_us - poll);
    network->latency_us = at_least_0(network->latency_us - (least * poll + look) / 2);
}

bool virtual_team_find_costs(virtual_team *t)
{
    const clump_virtual_team_options *o = t->options;
    clump_message_costs network = o->network, memory = o->memory;
    if (o->polling != NULL)
        leave_out_polls(o, &network, &memory);
    t->memory_poll_ps = o->polling != NULL ? virtual_ps(o->memory_poll_us) : 0;
    t->network_poll_ps = o->polling != NULL ? virtual_ps(o->network_poll_us) : 0;
    t->moved_ps = virtual_ps(o->moved_us);
    return (o->nodes == 1 || costs_of(&network, &t->network)) &&
           (o->processors == 1 || costs_of(&memory, &t->memory));
}

/* ---- NICs */

const virtual_costs *virtual_team_costs_of(const virtual_team *t, const virtual_message *m)
{
    return t->members[m->from].node == t->members[m->to].node ? &t->memory : &t->network;
}

/* The NIC that a rank's message takes, on the side of its node: that is free first, or its own. */
static virtual_port *port_of(virtual_team *t, const virtual_message *m, uint32_t rank, bool sends)
{
    const clump_virtual_team_options *o = t->options;
    if (t->members[m->from].node == t->members[m->to].node)
        return &t->ports[rank];
    virtual_port *nics = &t->nics[(size_t)t->members[rank].node * o->nics];
    if (!o->pooled)
        return &nics[(uint64_t)(rank % o->processors) * o->nics / o->processors];
    virtual_port *best = nics;
    for (uint32_t i = 1; i < o->nics; i++)
        if (sends ? nics[i].send_free_ps < best->send_free_ps
                  : nics[i].receive_free_ps < best->receive_free_ps)
            best = &nics[i];
    return best;
}

static uint64_t bytes_ps(const virtual_costs *c, const virtual_message *m)
{
    return m->size > 1 ? (uint64_t)llround((double)(m->size - 1) * c->byte_ps) : 0;
}

/* One direction of a port is taken from the time that it is free. @return when it begins */
static uint64_t take_port(const virtual_team *t, virtual_port *p, bool sends,
                          const virtual_costs *c, uint64_t data_ps)
{
    uint64_t *free_ps = sends ? &p->send_free_ps : &p->receive_free_ps;
    uint64_t begin = t->calendar.now_ps > *free_ps ? t->calendar.now_ps : *free_ps;
    if (t->options->half_duplex && data_ps > 0) {
        if (begin < p->bus_free_ps)
            begin = p->bus_free_ps;
        p->bus_free_ps = begin + data_ps;
    }
    *free_ps = begin + c->gap_ps + data_ps;
    *(sends ? &p->send_busy_ps : &p->receive_busy_ps) += c->gap_ps + data_ps;
    return begin;
}

uint64_t virtual_team_depart(virtual_team *t, const virtual_message *m)
{
    const virtual_costs *c = virtual_team_costs_of(t, m);
    return take_port(t, port_of(t, m, m->from, true), true, c, bytes_ps(c, m)) + c->latency_ps;
}

uint64_t virtual_team_arrive(virtual_team *t, const virtual_message *m)
{
    const virtual_costs *c = virtual_team_costs_of(t, m);
    const uint64_t data_ps = bytes_ps(c, m);
    return take_port(t, port_of(t, m, m->to, false), false, c, data_ps) + data_ps;
}

/* ---- memory */

uint64_t virtual_team_take_bank(virtual_team *t, uint32_t node, double bytes, uint64_t now_ps)
{
    const clump_virtual_misses *misses = &t->options->misses;
    virtual_bank *b = &t->banks[node];
    if (bytes > 0 && misses->shared_us > 0) {
        const double drawn = -log1p(-clump_splitmix_real(&b->state));
        if (b->free_ps < now_ps)
            b->free_ps = now_ps;
        b->free_ps += virtual_ps(drawn * bytes / misses->line_bytes * misses->shared_us);
    }
    return b->free_ps;
}

double virtual_team_nic_utilization(const virtual_team *t)
{
    const size_t count = (size_t)t->options->nodes * t->options->nics;
    uint64_t sent = 0, received = 0;
    for (size_t i = 0; i < count; i++) {
        sent += t->nics[i].send_busy_ps;
        received += t->nics[i].receive_busy_ps;
    }
    const double busy = (double)(sent > received ? sent : received);
    return t->result->time_us > 0 && count > 0 ? busy / 1e6 / (t->result->time_us * (double)count)
                                               : 0;
}
