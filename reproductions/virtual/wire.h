/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * A network in virtual time that loses, repeats, damages, reorders and delays packets, by seed.
 * What it delivers comes out of the event queue.
 */
#ifndef CLUMP_REPRODUCTIONS_VIRTUAL_WIRE_H
#define CLUMP_REPRODUCTIONS_VIRTUAL_WIRE_H

#include "reproductions/virtual/calendar.h"

typedef struct clump_wire_faults {
    double loss;        /**< probability that a packet is lost, 0 to 1 */
    double duplication; /**< that a second copy of it arrives */
    double damage;      /**< that one of its bits is turned */
    double reordering;  /**< that it is delayed by up to jitter_ps, and others overtake it */
    uint64_t delay_ps;  /**< of every packet */
    uint64_t jitter_ps;
    uint64_t seed;
    /** Asked for every packet before chance is; true: lose this one. May be NULL. */
    bool (*lose)(void *context, uint64_t number, uint32_t from, uint32_t to,
                 const unsigned char *bytes, size_t size);
    void *context;
} clump_wire_faults;

typedef struct clump_wire clump_wire;

/**
 * @param kind  of the events that say that a packet arrives: node is the receiver, other the
 *              sender, value the packet's number for clump_wire_packet()
 * @param size_most  of a packet
 * @return NULL if memory ran out
 */
clump_wire *clump_wire_open(const clump_wire_faults *faults, clump_calendar *queue, uint32_t kind,
                            size_t size_most);
void clump_wire_close(clump_wire *wire);

/** Send: from `time_ps` on (the last bit left the sender). @return false if memory ran out */
bool clump_wire_send(clump_wire *wire, uint64_t time_ps, uint32_t from, uint32_t to,
                     const unsigned char *bytes, size_t size);

/** The bytes of a packet that arrives. */
const unsigned char *clump_wire_packet(const clump_wire *wire, uint32_t value, size_t *size);

/** The receiver is done with them. */
void clump_wire_release(clump_wire *wire, uint32_t value);

/** Packets sent so far, and those on the way. */
uint64_t clump_wire_sent(const clump_wire *wire);
size_t clump_wire_under_way(const clump_wire *wire);

#endif
