/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program of the NIC, in pieces: what a turn of its loop can do. */
#ifndef CLUMP_PROTOCOLS_VIRTUAL_MACHINE_NIC_H
#define CLUMP_PROTOCOLS_VIRTUAL_MACHINE_NIC_H

#include "protocols/virtual/machine_private.h"

/** A turn of the loop, and the time that it has got to; words move it on. */
typedef struct nic_turn {
    clump_virtual_cluster *m;
    machine_node *n;
    uint16_t node;
    uint64_t at;
} nic_turn;

static inline void clump_nic_words(nic_turn *t, uint32_t count)
{
    t->at += clump_virtual_cluster_ps(count * t->m->options.hardware.nic_word_us);
}

/* machine_nic_link.c */
/** Words of looking at all sources of work once. */
uint32_t clump_nic_loop_words(const clump_virtual_cluster *m);
/** Charge what the state machine has done since. */
void clump_nic_protocol(nic_turn *t);
/** A packet to the link, which carries it while the processor goes on. */
void clump_nic_to_link(nic_turn *t, uint16_t to, const unsigned char *bytes, size_t size);
/** Whatever the protocol wants to transmit now. */
void clump_nic_pump(nic_turn *t);

/* machine_nic_dma.c */
/** Begin a transfer, or let it wait for those before. `item` is what goes on when it has ended. */
void clump_nic_transfer(nic_turn *t, const machine_item *item, enum item_stage stage,
                        uint32_t bytes);
/** The program sees that the first transfer has ended, and begins the next one. False: none has. */
bool clump_nic_transferred(nic_turn *t, machine_item *item);

/* machine_nic_receive.c */
/** A packet has arrived from the link. */
void clump_nic_arrival(nic_turn *t, const machine_item *arrival);
/** A packet is in host memory. */
void clump_nic_delivered(nic_turn *t, const machine_item *item);
/** Remote copies that waited for anonymous pages. */
void clump_nic_retry_waiting(nic_turn *t);

#endif
