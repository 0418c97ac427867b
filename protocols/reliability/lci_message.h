/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Messages of any size over the packet layer of the LCI family (lci.h), cut into packets of one MTU
 * and put together again (fragments.h). The first packet begins with the size of the whole, 4 bytes
 * in network order; the rest follows from the order of packets. To one node, and in multicasts, one
 * message is under way at a time, and no other packets with user data.
 *
 *   sender     begin -> { send until OK } -> begin...
 *   receiver   open -> { take each packet that clump_lci_next() gives, release it }* -> close
 *
 * Memory: of the receiver, for each node that has sent a larger message `size_most` bytes, twice if
 * it has also sent a multicast. A packet that cannot be kept for lack of memory stays where it was.
 */
#ifndef CLUMP_PROTOCOLS_RELIABILITY_LCI_MESSAGE_H
#define CLUMP_PROTOCOLS_RELIABILITY_LCI_MESSAGE_H

#include "protocols/reliability/lci.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CLUMP_LCI_MESSAGE_HEADER = 4, CLUMP_LCI_MESSAGE_MOST = 1 << 30 };

/** A message that is being sent. */
typedef struct clump_lci_outgoing {
    bool multicast;
    uint16_t to, tag;
    const unsigned char *data; /**< of the caller, until all is sent */
    uint32_t size, done;
    bool begun;
} clump_lci_outgoing;

/** Hand over as many packets as there are send buffers for. @return OK: the last one, too; BLOCKED:
 *  call again; or BAD_INPUT */
clump_protocol_status clump_lci_message_send(clump_lci *lci, uint16_t mtu,
                                             clump_lci_outgoing *outgoing);

/** Where messages are put together. */
typedef struct clump_lci_inbox clump_lci_inbox;

typedef struct clump_lci_arrived {
    uint16_t origin, tag;
    bool multicast;
    uint32_t size;
    const unsigned char *data; /**< valid until the next packet of this node is taken */
} clump_lci_arrived;

typedef struct clump_lci_inbox_counters {
    uint64_t messages;
    uint64_t refused;   /**< packets that belong to no message: too large, or its beginning is lost
                             with an earlier process */
    uint64_t abandoned; /**< messages that began and did not end */
    uint64_t bytes;     /**< of memory in use */
} clump_lci_inbox_counters;

/** @param nodes  2 to 1024  @param size_most  1 to 2^30 bytes
 *  @return OK, BAD_INPUT or FAILED (no memory) */
clump_protocol_status clump_lci_inbox_open(uint16_t nodes, uint32_t size_most,
                                           clump_lci_inbox **inbox);
void clump_lci_inbox_close(clump_lci_inbox *inbox);

/** A delivered packet with user data. @return OK: a message is whole, *arrived says which;
 *  BLOCKED: more is to come; BAD_PACKET: refused; FAILED: no memory, keep the packet and try again
 */
clump_protocol_status clump_lci_inbox_take(clump_lci_inbox *inbox, const clump_lci_delivery *packet,
                                           clump_lci_arrived *arrived);

clump_lci_inbox_counters clump_lci_inbox_count(const clump_lci_inbox *inbox);

#ifdef __cplusplus
}
#endif

#endif
