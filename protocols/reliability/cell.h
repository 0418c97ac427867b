/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * The 48 bytes that an SSAM message occupies in an ATM cell (ssam.txt, section 3.1.1): 16 bits of
 * flow control, 32 of handler, 40 bytes of data, and the 16-bit trailer of AAL3/4: 6 bits of length
 * and a CRC-10. What the flow-control bits mean is ours: 3 of kind, 3 of epoch, 10 of sequence.
 * All numbers in network order.
 */
#ifndef CLUMP_PROTOCOLS_RELIABILITY_CELL_H
#define CLUMP_PROTOCOLS_RELIABILITY_CELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CLUMP_CELL_SIZE = 48, CLUMP_CELL_DATA = 40 };

typedef enum clump_cell_kind {
    CLUMP_CELL_REQUEST = 1,
    CLUMP_CELL_REPLY = 2, /**< answers, and thereby acknowledges, the request of its sequence */
    CLUMP_CELL_ACKNOWLEDGE = 3, /**< the same for a request that asks for no reply; the data hold
                                     the sequences of further ones, two bytes each */
    CLUMP_CELL_HELLO = 4        /**< which incarnations the two ends are; see ssam.h */
} clump_cell_kind;

typedef struct clump_cell {
    clump_cell_kind kind;
    uint8_t epoch;     /**< 0 to 7 */
    uint16_t sequence; /**< 0 to 1023 */
    uint32_t handler;
    uint8_t size; /**< of the data, 0 to 40 */
    unsigned char data[CLUMP_CELL_DATA];
} clump_cell;

/** Write a cell; what `data` holds beyond `size` is not sent. */
void clump_cell_encode(const clump_cell *cell, unsigned char bytes[CLUMP_CELL_SIZE]);

/** Read one. @return false, and nothing written, if its checksum, kind or length is wrong. */
bool clump_cell_decode(const unsigned char bytes[CLUMP_CELL_SIZE], clump_cell *cell);

/** CRC-10 of AAL3/4 and of OAM cells: x^10 + x^9 + x^5 + x^4 + x + 1, first bit first, from 0. */
uint16_t clump_crc10(const unsigned char *bytes, size_t size);

#endif
