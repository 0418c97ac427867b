/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_CALL_UNPACK_H
#define CLUMP_RECORDING_CALL_UNPACK_H

/* Calls from the bytes that clump_call_pack makes. */

#include "recording/format.h"

/** Requests of the calls of a block: memory that grows with the greatest call. */
typedef struct clump_call_room {
    clump_call_request *request;
    size_t capacity;
} clump_call_room;

/** The next call of a block: 1, 0 at its end, -1: `unpacker` is bad, -2: no memory. Ranks are below `ranks`. */
int clump_call_unpack(clump_unpacker *unpacker, clump_call_state *state, uint32_t ranks,
                      clump_call_room *room, clump_recorded_call *call);

#endif
