/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/reliability/packet.h"

#include <string.h>
#include <zlib.h>

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
    const uLong header = crc32_z(0, bytes, 24);
    return (uint32_t)crc32_z(header, bytes + CLUMP_PACKET_HEADER, size);
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
