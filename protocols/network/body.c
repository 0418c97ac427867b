/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/network/exchange_private.h"

#include <string.h>

static void put32(unsigned char *at, uint32_t value)
{
    clump_put16(at, value >> 16);
    clump_put16(at + 2, value);
}

static uint32_t get32(const unsigned char *at)
{
    return (uint32_t)clump_get16(at) << 16 | clump_get16(at + 2);
}

uint32_t clump_body_write(unsigned char *body, const clump_exchange_message *m)
{
    body[0] = m->handler;
    body[1] = (unsigned char)m->count;
    body[2] = body[3] = 0;
    put32(body + 4, (uint32_t)(m->tag >> 32));
    put32(body + 8, (uint32_t)m->tag);
    unsigned char *at = body + CLUMP_BODY_HEADER;
    for (unsigned i = 0; i < m->count; i++, at += 4)
        put32(at, m->arguments[i]);
    if (m->data != NULL) {
        memcpy(at, m->data, m->size);
        at += m->size;
    }
    return (uint32_t)(at - body);
}

uint32_t clump_body_head(const unsigned char *body)
{
    return CLUMP_BODY_HEADER + 4u * body[1];
}

bool clump_body_is_good(const unsigned char *body, uint32_t size, uint8_t kind)
{
    return size >= CLUMP_BODY_HEADER && body[1] <= CLUMP_MESSAGE_ARGUMENTS &&
           size >= clump_body_head(body) &&
           size - clump_body_head(body) <= CLUMP_MESSAGE_BULK_BYTES &&
           (kind != CLUMP_FRAGMENT_RETURNED || size == clump_body_head(body)) && body[0] != 0 &&
           (body[2] != 0) == (kind == CLUMP_FRAGMENT_RETURNED) && body[2] <= CLUMP_PROTOCOL_FAILED;
}

void clump_body_read(const unsigned char *body, uint32_t size, clump_exchange_delivery *d)
{
    const uint32_t head = clump_body_head(body);
    d->tag = (uint64_t)get32(body + 4) << 32 | get32(body + 8);
    for (unsigned i = 0; i < body[1]; i++)
        d->arguments[i] = get32(body + CLUMP_BODY_HEADER + 4 * i);
    d->message = (clump_message){.arguments = d->arguments,
                                 .count = body[1],
                                 .data = size > head ? body + head : NULL,
                                 .size = size - head,
                                 .handler = body[0],
                                 .returned = (clump_protocol_status)body[2]};
}
