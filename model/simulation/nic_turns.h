/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_NIC_TURNS_H
#define CLUMP_MODEL_SIMULATION_NIC_TURNS_H

/*
 * Internal to model/simulation. NICs that are taken in turn, whether or not they are free: the MPI
 * library has a connection through each pair of NICs with every partner, and a place in that list.
 * Long messages go over all of them, an equal share each.
 */

#include "model/simulation/cluster_network.h"

typedef struct nic_turns {
    uint32_t step; /* places for each message; 0: NICs are not taken in turn */
    uint64_t stripe_above;
    uint32_t slots; /* of `next` */
    uint8_t
        *next; /* by sender and receiver; pairs may share a place where there are very many ranks */
    uint8_t *taken; /* by message that goes as a whole; else NULL */
} nic_turns;

/** @param whole  numbers of messages that nic_turns_send() gets are below it. False without memory; release in any case. */
bool nic_turns_make(nic_turns *t, uint32_t step, uint64_t stripe_above, const network *n,
                    size_t whole);
void nic_turns_release(nic_turns *t);

/** The NIC of its node whose turn it is for a message of the pair, or all of them: to be asked once. */
enum { NIC_TURNS_ALL = UINT8_MAX };
uint8_t nic_turns_take(nic_turns *t, const network *n, uint32_t from, uint32_t to, double bytes);

/** As network_send and network_receive, of message m between nodes. */
double nic_turns_send(nic_turns *t, network *n, uint32_t m, uint32_t from, uint32_t to,
                      double bytes, double ready);
double nic_turns_receive(const nic_turns *t, network *n, uint32_t m, uint32_t to, double bytes,
                         double now);

/** Whether the message takes its turn. */
static inline bool nic_turns_concern(const nic_turns *t, const network *n, uint32_t from,
                                     uint32_t to)
{
    return t->step > 0 && !network_is_local(n, from, to);
}

#endif
