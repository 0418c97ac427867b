/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Who sends what through which NIC: the arithmetic of an emulation.
 */
#ifndef CLUMP_CALIBRATION_EMULATION_SHARE_H
#define CLUMP_CALIBRATION_EMULATION_SHARE_H

#include "calibration/emulation/emulation.h"

/** NICs of a processor: `count` from `first`. */
struct clump_emulation_nics {
    unsigned first, count;
};

/** Those of processor `p` on the Clump: all, or the one that it is tied to (8 on 3: 3+3+2). */
struct clump_emulation_nics clump_emulation_nics_of(const clump_emulation_plan *plan, unsigned p);

/**
 * Bytes that one of `count` NICs carries of a message, markers not counted: together they are those
 * that one NIC sends in `message_us`, rounded, and they differ by 1 at most.
 */
uint64_t clump_emulation_share(double message_us, double bytes_per_us, unsigned count,
                               unsigned index);

/**
 * Bytes that a token bucket which has been idle for `idle_ns` would let through at once: they are
 * sent on top, or a message that finds its NIC idle would be early by as much.
 */
uint64_t clump_emulation_credit(const clump_emulation_plan *plan, int64_t idle_ns);

/**
 * Size on the wire of the next packet when `left` bytes are to be sent: a full packet, unless the
 * rest would be too small to be one; `left` below the least packet is sent as the least.
 */
unsigned clump_emulation_packet(uint64_t left, unsigned full);

#endif
