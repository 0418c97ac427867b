/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/reliability/packet.h"

#include <string.h>
#if defined(__x86_64__) && defined(__GNUC__)
#include <nmmintrin.h>
#endif

enum { MAGIC = 0xC7 };

static void put_16(unsigned char *bytes, uint16_t value)
{
    bytes[0] = (unsigned char)(value >> 8);
    bytes[1] = (unsigned char)value;
}

static void put_32(unsigned char *bytes, uint32_t value)
{
    put_16(bytes, (uint16_t)(value >> 16));
    put_16(bytes + 2, (uint16_t)value);
}

static uint16_t get_16(const unsigned char *bytes)
{
    return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

static uint32_t get_32(const unsigned char *bytes)
{
    return (uint32_t)get_16(bytes) << 16 | get_16(bytes + 2);
}

static uint32_t checksum(const unsigned char *bytes, size_t size)
{
    return clump_crc32c(clump_crc32c(0, bytes, 24), bytes + CLUMP_PACKET_HEADER, size);
}

size_t clump_lci_packet_encode(const clump_lci_packet *packet, unsigned char *bytes)
{
    bytes[0] = MAGIC;
    bytes[1] = packet->kind;
    bytes[2] = packet->content;
    bytes[3] = packet->flags;
    put_16(bytes + 4, packet->source);
    put_16(bytes + 6, packet->origin);
    put_16(bytes + 8, packet->sequence);
    put_16(bytes + 10, packet->acknowledge);
    put_16(bytes + 12, packet->size);
    put_16(bytes + 14, packet->tag);
    put_32(bytes + 16, packet->from_incarnation);
    put_32(bytes + 20, packet->to_incarnation);
    if (packet->size > 0)
        memcpy(bytes + CLUMP_PACKET_HEADER, packet->payload, packet->size);
    put_32(bytes + 24, checksum(bytes, packet->size));
    return (size_t)CLUMP_PACKET_HEADER + packet->size;
}

/* Whether the fields can have been written by clump_lci_packet_encode() for a packet of ours. */
static bool sensible(const clump_lci_packet *p)
{
    const uint8_t flags = CLUMP_PACKET_MULTICAST | CLUMP_PACKET_FIRST | CLUMP_PACKET_LAST;
    if (p->kind < CLUMP_PACKET_HELLO || p->kind > CLUMP_PACKET_AGAIN || p->from_incarnation == 0)
        return false;
    if (p->kind == CLUMP_PACKET_HELLO)
        return p->size == 0 && p->content == 0 && (p->flags & ~CLUMP_PACKET_ANSWER) == 0;
    if (p->kind != CLUMP_PACKET_DATA)
        return p->size == 0 && p->content == 0 && p->flags == 0;
    if ((p->flags & ~flags) != 0 || p->content > CLUMP_CONTENT_COPY)
        return false;
    switch (p->content) {
    case CLUMP_CONTENT_FETCH_ADD:
        return p->size == 0 && p->flags == 0;
    case CLUMP_CONTENT_FETCHED:
        return p->size == 4 && p->flags == 0;
    case CLUMP_CONTENT_COPY:
        return p->size >= 8 && (p->flags & CLUMP_PACKET_MULTICAST) == 0;
    default:
        return true;
    }
}

bool clump_lci_packet_decode(const unsigned char *bytes, size_t size, clump_lci_packet *packet)
{
    if (size < CLUMP_PACKET_HEADER || size > CLUMP_PACKET_MOST || bytes[0] != MAGIC)
        return false;
    const clump_lci_packet p = {.kind = bytes[1],
                                .content = bytes[2],
                                .flags = bytes[3],
                                .source = get_16(bytes + 4),
                                .origin = get_16(bytes + 6),
                                .sequence = get_16(bytes + 8),
                                .acknowledge = get_16(bytes + 10),
                                .size = get_16(bytes + 12),
                                .tag = get_16(bytes + 14),
                                .from_incarnation = get_32(bytes + 16),
                                .to_incarnation = get_32(bytes + 20),
                                .payload = bytes + CLUMP_PACKET_HEADER};
    if (p.size != size - CLUMP_PACKET_HEADER || !sensible(&p) ||
        get_32(bytes + 24) != checksum(bytes, p.size))
        return false;
    *packet = p;
    return true;
}

bool clump_lci_packet_peek(const unsigned char *bytes, size_t size, uint16_t *sequence)
{
    if (size < CLUMP_PACKET_HEADER || bytes[0] != MAGIC || bytes[1] != CLUMP_PACKET_DATA)
        return false;
    *sequence = get_16(bytes + 8);
    return true;
}

/* ---- CRC-32C */

/* The reflected polynomial 0x82F63B78, half a byte at a time: 16 entries need no table that would
 * have to be made at run time, and a header of 24 bytes is what is checked most often. */
static const uint32_t by_half[16] = {
    0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
    0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75};

#if defined(__x86_64__) && defined(__GNUC__)
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
