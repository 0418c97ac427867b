/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/reliability/packet.h"

/* The reflected polynomial 0x82F63B78, half a byte at a time: 16 entries need no table that would
 * have to be made at run time, and a header of 24 bytes is what is checked most often. */
static const uint32_t by_half[16] = {
    0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
    0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75};

#if defined(__x86_64__) && defined(__GNUC__)
#include <nmmintrin.h>
#include <string.h>

/* The processor's own instruction, eight bytes at a time. */
__attribute__((target("sse4.2"))) static uint32_t
by_instruction(uint32_t crc, const unsigned char *bytes, size_t size)
{
    uint64_t wide = crc;
    for (; size >= 8; bytes += 8, size -= 8) {
        uint64_t word;
        memcpy(&word, bytes, sizeof word);
        wide = _mm_crc32_u64(wide, word);
    }
    crc = (uint32_t)wide;
    for (; size > 0; bytes++, size--)
        crc = _mm_crc32_u8(crc, *bytes);
    return crc;
}
#define HAS_INSTRUCTION __builtin_cpu_supports("sse4.2")
#else
#define HAS_INSTRUCTION 0
static uint32_t by_instruction(uint32_t crc, const unsigned char *bytes, size_t size)
{
    (void)bytes, (void)size;
    return crc;
}
#endif

uint32_t clump_crc32c(uint32_t crc, const unsigned char *bytes, size_t size)
{
    crc = ~crc;
    if (HAS_INSTRUCTION)
        return ~by_instruction(crc, bytes, size);
    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        crc = crc >> 4 ^ by_half[crc & 15];
        crc = crc >> 4 ^ by_half[crc & 15];
    }
    return ~crc;
}
