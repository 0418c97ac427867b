/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Packets, as LCI has them (cluster-protocols.txt, section 2): reliable, of a limited size, to one
 * other worker or to all others, and a fetch-and-add. Where those who run the worker carry packets
 * themselves (virtual nodes with an LCI protocol), these are theirs; else they are requests, and
 * multicasts go along binary trees, passed on by the workers.
 *
 * Order: packets of one sender to one receiver arrive as they were sent; so do its packets to all.
 * Between the two nothing is promised. Each arrives once.
 *
 * Packets are handed to one function, while the worker sends, waits or polls, and where
 * computation is interrupted. From it packets can be sent, but nothing else.
 */
#ifndef CLUMP_REPRODUCTIONS_SYSTEMS_PACKETS_H
#define CLUMP_REPRODUCTIONS_SYSTEMS_PACKETS_H

#include "reproductions/systems/worker.h"

typedef struct clump_packets clump_packets;

typedef void clump_packets_function(clump_packets *packets, const clump_worker_packet *packet,
                                    void *context);

/** All workers begin with this. Freed with the worker. */
clump_packets *clump_packets_open(clump_worker *worker, clump_packets_function *take,
                                  void *context);

/** The most bytes in a packet; at least 64. */
size_t clump_packets_most(const clump_packets *packets);

/** To another worker, or to all others (then `to` does not matter). Copies. */
void clump_packets_send(clump_packets *packets, bool all, uint32_t to, const void *data,
                        size_t size);
/** What was sent is on its way. Not from handlers. */
void clump_packets_flush(clump_packets *packets);
/** The value that the variable of that worker has, which then becomes one larger. Waits. */
uint32_t clump_packets_fetch_add(clump_packets *packets, uint32_t at);

/** Until something may have come. */
void clump_packets_wait(clump_packets *packets);
void clump_packets_poll(clump_packets *packets);

/** So many words of state were touched and bytes copied: takes time where that is modelled. */
void clump_packets_charge(clump_packets *packets, double words, size_t copied);
/** The same, if what is copied is in the cache, where it came from and where it goes. */
void clump_packets_charge_near(clump_packets *packets, double words, size_t copied);

#endif
