/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Totally ordered broadcast, as Orca has it from Panda (cluster-protocols.txt, section 6.1): the
 * sender fetches a global sequence number by fetch-and-add, multicasts the number in front of the
 * message, and every receiver (the sender too) passes messages on in the order of the numbers.
 * This is the receiver: it keeps what came too early.
 */
#ifndef CLUMP_REPRODUCTIONS_VIRTUAL_ORDERED_H
#define CLUMP_REPRODUCTIONS_VIRTUAL_ORDERED_H

#include "protocols/protocol_status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct clump_ordered clump_ordered;

/** @param places  messages that may wait, 1 to 65536  @param size_most  bytes of a message
 *  @param first  the first number  @return OK, BAD_INPUT or FAILED (no memory) */
clump_protocol_status clump_ordered_open(uint32_t places, size_t size_most, uint32_t first,
                                         clump_ordered **ordered);
void clump_ordered_close(clump_ordered *ordered);

/** A message arrived; it is copied. @return OK, BLOCKED (its number is `places` or more ahead: keep
 *  it and try again after clump_ordered_next()), BAD_PACKET (its number was there before),
 * BAD_INPUT */
clump_protocol_status clump_ordered_put(clump_ordered *ordered, uint32_t number, const void *data,
                                        size_t size);

/** The next message in order, if it is there; valid until the next call. */
bool clump_ordered_next(clump_ordered *ordered, const unsigned char **data, size_t *size);

#endif
