/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * NICs that are not all alike to a processor, that lose when several processors share them, or that
 * work for one processor only so many at a time.
 *
 * A message is given its place when it is handed over, so that what slows it down is what is known
 * then: other processors whose messages are at the NICs, other NICs of the slot that are busy.
 * Where all of them always have something to do, that is all there is.
 */
#include "model/simulation/cluster_network.h"

#include <math.h>

/* E(q), q being the processors of the rank's station that have messages at the NICs at `when`. */
static double efficiency(const network *n, uint32_t rank, double when, bool sends)
{
    const double *until = sends ? n->sending : n->receiving;
    if (until == NULL)
        return 1;
    const clump_station station = {.nics = 1, .efficiency = n->machine->efficiency};
    const bool tied = n->machine->mapping == CLUMP_MAPPING_STATIC;
    const uint32_t own = rank % n->processors, first = rank - own;
    size_t q = 1;
    for (uint32_t p = 0; p < n->processors; p++)
        q += p != own && until[first + p] > when && (!tied || n->nic_of[p] == n->nic_of[own]);
    return clump_station_rate(&station, q);
}

static double free_at(const network_nic *nic, bool sends)
{
    return sends ? nic->send_free : nic->receive_free;
}

/* Speed of a NIC in its slot, beside those that have something to do at `when`. */
static double slot_speed(const network *n, const network_nic *nics, size_t i, double when,
                         bool sends)
{
    const clump_slots *slots = &n->machine->placement.slots;
    const size_t ports = slots->ports > 0 ? slots->ports : 1, first = i - i % ports;
    const double bandwidth = slots->bandwidth > 0 ? slots->bandwidth : (double)ports;
    double busy = 1;
    for (size_t k = first; k < first + ports && k < n->node_nics; k++)
        busy += k != i && free_at(&nics[k], sends) > when;
    return fmin(1, bandwidth / busy);
}

static network_passage pass_nic(const network *n, uint32_t rank, network_nic *nics, size_t i,
                                double bytes, double ready, double shared, bool sends)
{
    const clump_cluster *m = n->machine;
    const clump_placement *place = &m->placement;
    network_passage passage = {.nic = &nics[i],
                               .start = network_later(ready, free_at(&nics[i], sends))};
    if (m->half_duplex_bus && bytes > 1)
        passage.start = network_later(passage.start, nics[i].bus_free);
    passage.speed = shared * slot_speed(n, nics, i, ready, sends) *
                    clump_placement_link(
                        place, clump_placement_domain(place, rank % n->processors, m->processors),
                        clump_placement_domain(place, i, m->nics));
    passage.end = passage.start +
                  (m->network.gap_us + (bytes - 1) * m->network.gap_us_per_byte) / passage.speed;
    return passage;
}

/* Slots are filled one after the other, or the message ends as soon as it can; at the same time, on
 * the NIC that has been busy for longest, so that none waits for a processor in between. */
static bool is_better(const network *n, const network_passage *a, const network_passage *b,
                      bool sends)
{
    if (n->machine->placement.slots.packed)
        return a->start < b->start;
    return a->end < b->end || (a->end == b->end && free_at(a->nic, sends) > free_at(b->nic, sends));
}

static double *next_driven(const network *n, uint32_t rank)
{
    double *ends = &n->driven_until[rank * n->cap], *first = ends;
    for (size_t i = 1; i < n->cap; i++)
        first = ends[i] < *first ? &ends[i] : first;
    return first;
}

network_passage network_pass(const network *n, uint32_t rank, double bytes, double ready,
                             bool sends)
{
    network_nic *nics = &n->nics[(size_t)(rank / n->processors) * n->node_nics];
    if (n->cap > 0 && sends)
        ready = network_later(ready, *next_driven(n, rank));
    const double shared = efficiency(n, rank, ready, sends);
    if (n->machine->mapping == CLUMP_MAPPING_STATIC)
        return pass_nic(n, rank, nics, n->nic_of[rank % n->processors], bytes, ready, shared,
                        sends);
    network_passage best = pass_nic(n, rank, nics, 0, bytes, ready, shared, sends);
    for (size_t i = 1; i < n->node_nics; i++) {
        const network_passage other = pass_nic(n, rank, nics, i, bytes, ready, shared, sends);
        if (is_better(n, &other, &best, sends))
            best = other;
    }
    return best;
}

void network_passed(network *n, uint32_t rank, double bytes, const network_passage *passage,
                    bool sends)
{
    const clump_cluster *m = n->machine;
    network_nic *nic = passage->nic;
    double *until = sends ? n->sending : n->receiving;
    if (n->cap > 0 && sends)
        *next_driven(n, rank) = passage->end;
    if (until != NULL)
        until[rank] = network_later(until[rank], passage->end);
    if (m->half_duplex_bus)
        nic->bus_free =
            network_later(nic->bus_free, passage->start + (bytes - 1) * m->network.gap_us_per_byte /
                                                              passage->speed);
    if (sends) {
        if (m->send_queue > 0)
            nic->starts[nic->sent % m->send_queue] = passage->start;
        nic->sent++;
        nic->send_free = passage->end;
        nic->send_busy += passage->end - passage->start;
    } else {
        nic->receive_free = passage->end;
        nic->receive_busy += passage->end - passage->start;
    }
    if (m->half_duplex)
        nic->send_free = nic->receive_free = network_later(nic->send_free, nic->receive_free);
}
