/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_PACK_H
#define CLUMP_RECORDING_PACK_H

/*
 * Numbers as bytes of a recording: little endian, and varints of 7 bits a byte, the low ones first, with the eighth bit set in all but the
 * last. Negative numbers are folded (0, -1, 1, -2, ...). Reading never goes beyond the end, and says so once at the end.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Bytes that are being written. What does not fit is counted in `length` and not written. */
typedef struct clump_packer {
    unsigned char *bytes;
    size_t capacity, length;
} clump_packer;

void clump_pack_byte(clump_packer *packer, unsigned byte);
void clump_pack_number(clump_packer *packer, uint64_t value);
void clump_pack_signed(clump_packer *packer, int64_t value);
void clump_pack_real(clump_packer *packer, double value);               /**< 8 bytes, IEEE 754 */
void clump_pack_fixed(clump_packer *packer, uint64_t value, int bytes); /**< `bytes` bytes */
void clump_pack_text(clump_packer *packer, const char *text);           /**< length, then bytes */

/** Bytes that are being read. After a byte that cannot be, `bad` is set and everything else reads as 0. */
typedef struct clump_unpacker {
    const unsigned char *bytes;
    size_t length, at;
    bool bad;
    size_t bad_at; /**< where the number began that cannot be */
} clump_unpacker;

unsigned clump_unpack_byte(clump_unpacker *unpacker);
uint64_t clump_unpack_number(clump_unpacker *unpacker);
/** One that is at most `most`. */
uint64_t clump_unpack_limited(clump_unpacker *unpacker, uint64_t most);
int64_t clump_unpack_signed(clump_unpacker *unpacker);
/** One that an int holds and that is at least `least`. */
int clump_unpack_int(clump_unpacker *unpacker, int least);
/** A finite number from 0 on. */
double clump_unpack_real(clump_unpacker *unpacker);
uint64_t clump_unpack_fixed(clump_unpacker *unpacker, int bytes);
/** A text without control characters; its bytes, not ended by 0, and its length. */
const char *clump_unpack_text(clump_unpacker *unpacker, size_t *length);

/** CRC-32 (IEEE 802.3, as zlib's) of bytes that follow those with CRC `before` (0: none). Cost: 1 ns a byte. */
uint32_t clump_checksum(uint32_t before, const void *bytes, size_t length);

#endif
