/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/network/siphash.h"

static uint64_t little_endian(const unsigned char *bytes, size_t size)
{
    uint64_t word = 0;
    for (size_t i = 0; i < size; i++)
        word |= (uint64_t)bytes[i] << (8 * i);
    return word;
}

static uint64_t rotated(uint64_t word, unsigned by)
{
    return word << by | word >> (64 - by);
}

static void rounds(uint64_t v[4], int count)
{
    for (; count > 0; count--) {
        v[0] += v[1], v[2] += v[3];
        v[1] = rotated(v[1], 13) ^ v[0], v[3] = rotated(v[3], 16) ^ v[2];
        v[0] = rotated(v[0], 32);
        v[2] += v[1], v[0] += v[3];
        v[1] = rotated(v[1], 17) ^ v[2], v[3] = rotated(v[3], 21) ^ v[0];
        v[2] = rotated(v[2], 32);
    }
}

uint64_t clump_siphash(const unsigned char key[16], const void *bytes, size_t size)
{
    const uint64_t k0 = little_endian(key, 8), k1 = little_endian(key + 8, 8);
    uint64_t v[4] = {k0 ^ UINT64_C(0x736f6d6570736575), k1 ^ UINT64_C(0x646f72616e646f6d),
                     k0 ^ UINT64_C(0x6c7967656e657261), k1 ^ UINT64_C(0x7465646279746573)};
    const unsigned char *at = bytes;
    for (size_t left = size;; at += 8, left -= 8) {
        const uint64_t word = left >= 8 ? little_endian(at, 8)
                                        : little_endian(at, left) | (uint64_t)(size & 255) << 56;
        v[3] ^= word;
        rounds(v, 2);
        v[0] ^= word;
        if (left < 8)
            break;
    }
    v[2] ^= 255;
    rounds(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}
