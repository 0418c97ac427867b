/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Packets of the LCI family on the wire: a header of 28 bytes and up to 4104 bytes of payload: 4096
 * of data and, with remote copy, the address that they are for. All numbers in network order. The
 * layout is ours; the documents give none.
 *
 *    0 magic 0xC7   1 kind      2 content   3 flags      4 source    6 origin
 *    8 sequence    10 acknowledge          12 size      14 tag
 *   16 incarnation of the sender           20 of the receiver, 0: not known
 *   24 CRC-32 (zlib's) of bytes 0 to 23 and of the payload
 */
#ifndef CLUMP_PROTOCOLS_RELIABILITY_PACKET_H
#define CLUMP_PROTOCOLS_RELIABILITY_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CLUMP_PACKET_HEADER = 28,
    CLUMP_PACKET_ADDRESS = 8,
    CLUMP_PACKET_PAYLOAD_MOST = 4096 + CLUMP_PACKET_ADDRESS,
    CLUMP_PACKET_MOST = CLUMP_PACKET_HEADER + CLUMP_PACKET_PAYLOAD_MOST
};

typedef enum clump_lci_packet_kind {
    CLUMP_PACKET_HELLO = 1,       /**< only tells incarnations */
    CLUMP_PACKET_DATA = 2,        /**< acknowledges as well (piggybacked) */
    CLUMP_PACKET_ACKNOWLEDGE = 3, /**< explicit: half a window, or delayed */
    CLUMP_PACKET_AGAIN = 4        /**< l-nirx: I had to drop; send again from `acknowledge` on */
} clump_lci_packet_kind;

/** What the payload is; for CLUMP_PACKET_DATA. */
typedef enum clump_lci_packet_content {
    CLUMP_CONTENT_USER = 0,
    CLUMP_CONTENT_FETCH_ADD = 1, /**< request: nothing */
    CLUMP_CONTENT_FETCHED = 2,   /**< answer: the 4-byte value before the increment */
    CLUMP_CONTENT_COPY = 3       /**< remote copy: 8 bytes of virtual address, then the data */
} clump_lci_packet_content;

enum {
    CLUMP_PACKET_MULTICAST = 1, /**< flag: to be forwarded along the origin's tree */
    CLUMP_PACKET_FIRST = 2,     /**< flag: first fragment of a message */
    CLUMP_PACKET_LAST = 4,      /**< flag: last fragment */
    CLUMP_PACKET_ANSWER = 8     /**< flag of HELLO: answer, I do not know whether you know me */
};

typedef struct clump_lci_packet {
    uint8_t kind, content, flags;
    uint16_t source, origin, sequence, acknowledge, size, tag;
    uint32_t from_incarnation, to_incarnation;
    const unsigned char *payload; /**< `size` bytes */
} clump_lci_packet;

/** Write header and payload; `bytes` holds CLUMP_PACKET_HEADER + size. @return that number */
size_t clump_lci_packet_encode(const clump_lci_packet *packet, unsigned char *bytes);

/** Read `size` bytes that arrived; `payload` will point into them. @return false, and nothing
 *  written, if they are no packet: length, magic, kind, content, flags or checksum. */
bool clump_lci_packet_decode(const unsigned char *bytes, size_t size, clump_lci_packet *packet);

/** The number of a packet of data that may be damaged: only length, magic and kind are looked at, so
 *  that a packet can be put in order before it is checked. @return false if it is no such packet */
bool clump_lci_packet_peek(const unsigned char *bytes, size_t size, uint16_t *sequence);

#endif
