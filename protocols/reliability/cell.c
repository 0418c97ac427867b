/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/reliability/cell.h"

#include <string.h>

/* remainder[b] = (b x^10) mod x^10+x^9+x^5+x^4+x+1 for one byte, filled in by the preprocessor:
 * a table that is computed at run time would be a global that threads share. */
#define STEP(r) ((((r) << 1) ^ (((r)&0x200) ? 0x633 : 0)) & 0x3ff)
#define EIGHT(r) STEP(STEP(STEP(STEP(STEP(STEP(STEP(STEP(r))))))))
#define ROW(r) EIGHT((r) << 2)
static const uint16_t powers[8] = {ROW(1),  ROW(2),  ROW(4),  ROW(8),
                                   ROW(16), ROW(32), ROW(64), ROW(128)};

/* The CRC is linear: half-byte tables come from the eight powers. */
static inline uint16_t half(unsigned bits, unsigned shift)
{
    return (uint16_t)((bits & 1 ? powers[shift] : 0) ^ (bits & 2 ? powers[shift + 1] : 0) ^
                      (bits & 4 ? powers[shift + 2] : 0) ^ (bits & 8 ? powers[shift + 3] : 0));
}

uint16_t clump_crc10(const unsigned char *bytes, size_t size)
{
    uint16_t low[16], high[16], crc = 0;
    for (unsigned i = 0; i < 16; i++) {
        low[i] = half(i, 0);
        high[i] = half(i, 4);
    }
    for (size_t i = 0; i < size; i++) {
        const unsigned index = (unsigned)(crc >> 2 ^ bytes[i]) & 0xff;
        crc = (uint16_t)(((crc << 8) & 0x3ff) ^ low[index & 15] ^ high[index >> 4]);
    }
    return crc;
}

/* The checksum covers all but its own 10 bits: 47 bytes of which the last holds, in front of the
 * checksum, 6 bits of length; those are put in as a byte of their own with 2 bits of 0 behind. */
static uint16_t checksum(const unsigned char bytes[CLUMP_CELL_SIZE])
{
    unsigned char covered[CLUMP_CELL_SIZE - 1];
    memcpy(covered, bytes, sizeof covered);
    covered[46] &= 0xfc;
    return clump_crc10(covered, sizeof covered);
}

void clump_cell_encode(const clump_cell *cell, unsigned char bytes[CLUMP_CELL_SIZE])
{
    const size_t size = cell->size <= CLUMP_CELL_DATA ? cell->size : CLUMP_CELL_DATA;
    bytes[0] = (unsigned char)((unsigned)cell->kind << 5 | (cell->epoch & 7u) << 2 |
                               (cell->sequence >> 8 & 3u));
    bytes[1] = (unsigned char)(cell->sequence & 0xff);
    for (int i = 0; i < 4; i++)
        bytes[2 + i] = (unsigned char)(cell->handler >> (24 - 8 * i));
    memcpy(bytes + 6, cell->data, size);
    memset(bytes + 6 + size, 0, CLUMP_CELL_DATA - size);
    bytes[46] = (unsigned char)(size << 2);
    bytes[47] = 0;
    const uint16_t crc = checksum(bytes);
    bytes[46] |= (unsigned char)(crc >> 8);
    bytes[47] = (unsigned char)crc;
}

bool clump_cell_decode(const unsigned char bytes[CLUMP_CELL_SIZE], clump_cell *cell)
{
    const unsigned kind = bytes[0] >> 5, size = bytes[46] >> 2;
    if (kind < CLUMP_CELL_REQUEST || kind > CLUMP_CELL_HELLO || size > CLUMP_CELL_DATA ||
        checksum(bytes) != ((bytes[46] & 3u) << 8 | bytes[47]))
        return false;
    cell->kind = (clump_cell_kind)kind;
    cell->epoch = bytes[0] >> 2 & 7;
    cell->sequence = (uint16_t)((bytes[0] & 3u) << 8 | bytes[1]);
    cell->handler = 0;
    for (int i = 0; i < 4; i++)
        cell->handler = cell->handler << 8 | bytes[2 + i];
    cell->size = (uint8_t)size;
    memcpy(cell->data, bytes + 6, CLUMP_CELL_DATA);
    return true;
}
