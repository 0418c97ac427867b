/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/pack.h"

#include <limits.h>
#include <math.h>
#include <string.h>

void clump_pack_byte(clump_packer *packer, unsigned byte)
{
    if (packer->length < packer->capacity)
        packer->bytes[packer->length] = (unsigned char)byte;
    packer->length++;
}

void clump_pack_number(clump_packer *packer, uint64_t value)
{
    for (; value > 127; value >>= 7)
        clump_pack_byte(packer, (unsigned)(value & 127) | 128);
    clump_pack_byte(packer, (unsigned)value);
}

void clump_pack_signed(clump_packer *packer, int64_t value)
{
    const uint64_t bits = (uint64_t)value;
    clump_pack_number(packer, value < 0 ? ~(bits << 1) : bits << 1);
}

void clump_pack_fixed(clump_packer *packer, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++, value >>= 8)
        clump_pack_byte(packer, (unsigned)(value & 255));
}

void clump_pack_real(clump_packer *packer, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    clump_pack_fixed(packer, bits, 8);
}

void clump_pack_text(clump_packer *packer, const char *text)
{
    const size_t length = strlen(text);
    clump_pack_number(packer, length);
    for (size_t i = 0; i < length; i++)
        clump_pack_byte(packer, (unsigned char)text[i]);
}

static uint64_t fail(clump_unpacker *unpacker, size_t at)
{
    if (!unpacker->bad)
        unpacker->bad_at = at;
    unpacker->bad = true;
    unpacker->at = unpacker->length;
    return 0;
}

unsigned clump_unpack_byte(clump_unpacker *unpacker)
{
    if (unpacker->at >= unpacker->length)
        return (unsigned)fail(unpacker, unpacker->length);
    return unpacker->bytes[unpacker->at++];
}

uint64_t clump_unpack_number(clump_unpacker *unpacker)
{
    const size_t start = unpacker->at;
    uint64_t value = 0;
    for (unsigned shift = 0; unpacker->at < unpacker->length; shift += 7) {
        const uint64_t byte = unpacker->bytes[unpacker->at++];
        if (shift == 63 && byte > 1)
            return fail(unpacker, start);
        value |= (byte & 127) << shift;
        if (byte < 128)
            return value;
    }
    return fail(unpacker, start);
}

uint64_t clump_unpack_limited(clump_unpacker *unpacker, uint64_t most)
{
    const size_t start = unpacker->at;
    const uint64_t value = clump_unpack_number(unpacker);
    return value > most ? fail(unpacker, start) : value;
}

int64_t clump_unpack_signed(clump_unpacker *unpacker)
{
    const uint64_t folded = clump_unpack_number(unpacker);
    return (int64_t)(folded & 1 ? ~(folded >> 1) : folded >> 1);
}

int clump_unpack_int(clump_unpacker *unpacker, int least)
{
    const size_t start = unpacker->at;
    const int64_t value = clump_unpack_signed(unpacker);
    return value < least || value > INT_MAX ? (int)fail(unpacker, start) : (int)value;
}

uint64_t clump_unpack_fixed(clump_unpacker *unpacker, int bytes)
{
    uint64_t value = 0;
    if (unpacker->length - unpacker->at < (size_t)bytes)
        return fail(unpacker, unpacker->at);
    for (int i = 0; i < bytes; i++)
        value |= (uint64_t)unpacker->bytes[unpacker->at++] << (8 * i);
    return value;
}

double clump_unpack_real(clump_unpacker *unpacker)
{
    const size_t start = unpacker->at;
    const uint64_t bits = clump_unpack_fixed(unpacker, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return isfinite(value) && value >= 0 ? value : (double)fail(unpacker, start);
}

const char *clump_unpack_text(clump_unpacker *unpacker, size_t *length)
{
    const size_t start = unpacker->at;
    *length = (size_t)clump_unpack_limited(unpacker, unpacker->length);
    if (*length > unpacker->length - unpacker->at)
        *length = (size_t)fail(unpacker, start);
    const char *text = unpacker->length > 0 ? (const char *)unpacker->bytes + unpacker->at : "";
    for (size_t i = 0; i < *length; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 127) {
            *length = (size_t)fail(unpacker, unpacker->at + i);
            return text;
        }
    unpacker->at += *length;
    return text;
}

/* Four tables, four bytes a step: one look a byte would be half of what a traced call may cost. */
typedef struct crc_tables {
    uint32_t entry[4][256];
} crc_tables;

static void make_tables(crc_tables *tables)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? UINT32_C(0xedb88320) ^ (crc >> 1) : crc >> 1;
        tables->entry[0][i] = crc;
    }
    for (int k = 1; k < 4; k++)
        for (int i = 0; i < 256; i++) {
            const uint32_t crc = tables->entry[k - 1][i];
            tables->entry[k][i] = (crc >> 8) ^ tables->entry[0][crc & 255];
        }
}

uint32_t clump_checksum(uint32_t before, const void *bytes, size_t length)
{
    static _Thread_local crc_tables tables;
    static _Thread_local bool made;
    const unsigned char *p = bytes;
    uint32_t crc = ~before;
    if (!made)
        make_tables(&tables);
    made = true;
    for (; length >= 4; p += 4, length -= 4) {
        crc ^= p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
        crc = tables.entry[3][crc & 255] ^ tables.entry[2][crc >> 8 & 255] ^
              tables.entry[1][crc >> 16 & 255] ^ tables.entry[0][crc >> 24];
    }
    for (; length > 0; p++, length--)
        crc = (crc >> 8) ^ tables.entry[0][(crc ^ *p) & 255];
    return ~crc;
}
