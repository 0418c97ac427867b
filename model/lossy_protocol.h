/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Protocols by name, as `clumpmodel calibrate virtual` knows them, in what matters where packets
 * are lost: "ssam", and "l" followed by words that change l-sdma (protocols/reliability/
 * lci_protocol.h; a test holds the two against each other).
 */
#ifndef CLUMP_MODEL_LOSSY_PROTOCOL_H
#define CLUMP_MODEL_LOSSY_PROTOCOL_H

#include "model/lossy_stream.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct clump_lossy_protocol {
    clump_recovery recovery;
    int on_host;         /**< the host sends again, not the NIC: it costs o_s and o_r */
    double packet_bytes; /**< data that a packet carries: MTU, or 40 bytes of a cell */
    double window;       /**< that it has unless something asks for more */
} clump_lossy_protocol;

/** For messages: what names look like. */
extern const char clump_lossy_protocol_names[];

/** Errors: CLUMP_BAD_ARGUMENT with the word that is not known or contradicts an earlier one. */
clump_status clump_lossy_protocol_parse(const char *name, clump_lossy_protocol *protocol,
                                        clump_error *error);

#ifdef __cplusplus
}
#endif

#endif
