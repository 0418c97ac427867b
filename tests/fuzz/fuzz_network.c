/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Any datagrams at a network with an open session: from strangers, from the other end with the
 * right key, and with checksums made good so that they get further in. Nothing but refusals and
 * messages within their limits may come of it, and a stranger gets no more bytes than it sent. */

#include "protocols/network/network.h"
#include "protocols/network/session.h"
#include "protocols/reliability/packet.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { QUEUE = 64 };

struct port {
    unsigned count;
    clump_datagram queue[QUEUE];
    struct port *others[2];
    uint64_t sent_to_stranger;
    unsigned char self;
};

static unsigned take(void *context, clump_datagram *d, unsigned most)
{
    struct port *p = context;
    const unsigned count = p->count < most ? p->count : most;
    memcpy(d, p->queue, count * sizeof *d);
    memmove(p->queue, p->queue + count, (p->count - count) * sizeof *d);
    p->count -= count;
    return count;
}

static void give(void *context, const clump_datagram *d, unsigned count)
{
    struct port *p = context;
    for (; count > 0; count--, d++) {
        if (d->address.bytes[0] == 3)
            p->sent_to_stranger += d->size;
        struct port *to = d->address.bytes[0] <= 2 ? p->others[d->address.bytes[0] - 1] : NULL;
        if (to == NULL || to->count == QUEUE)
            continue;
        to->queue[to->count] = *d;
        to->queue[to->count].address = (clump_address){1, {p->self}};
        to->count++;
    }
}

/** A CRC-32 as packet.h describes it, over what is there. */
static void make_good(unsigned char *packet, size_t size)
{
    if (size < CLUMP_PACKET_HEADER)
        return;
    const uLong header = crc32_z(0, packet, 24);
    const uint32_t crc =
        (uint32_t)crc32_z(header, packet + CLUMP_PACKET_HEADER, size - CLUMP_PACKET_HEADER);
    clump_wire_put(packet + 24, crc, 4);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct port ports[2];
    clump_network *networks[2] = {NULL, NULL};
    unsigned transports = 0;
    uint64_t now = 1000000000, received = 0;
    unsigned session = 0;
    if (size == 0)
        return 0;
    while (clump_network_transport(transports) != NULL)
        transports++;
    for (unsigned i = 0; i < 2; i++) {
        ports[i].count = 0;
        ports[i].sent_to_stranger = 0;
        ports[i].self = (unsigned char)(i + 1);
        ports[i].others[0] = &ports[0];
        ports[i].others[1] = &ports[1];
        const clump_network_options options = {
            .link = {.context = &ports[i], .receive = take, .send = give},
            .secret = {(unsigned char)(i + 7)},
            .transport = clump_network_transport(data[0] % transports),
            .credits = 4,
            .window = 4,
            .mtu = 128};
        if (clump_network_open(&options, &networks[i]) != CLUMP_PROTOCOL_OK)
            abort();
        clump_network_set_tag(networks[i], CLUMP_TAG_ACCEPT_ALL);
    }
    const clump_address victim = {1, {1}};
    if (clump_network_connect(networks[1], &victim, 5, now, &session) != CLUMP_PROTOCOL_OK)
        abort();
    for (int i = 0; i < 8; i++)
        for (unsigned k = 0; k < 2; k++) {
            now += 1000;
            clump_network_poll(networks[k], now);
            clump_network_flush(networks[k], now);
        }
    if (clump_network_state(networks[1], session, NULL) != CLUMP_SESSION_OPEN)
        abort();
    const uint64_t key = networks[0]->sessions[0]->my_key;

    for (size_t at = 1; at + 3 <= size;) {
        const uint8_t flags = data[at];
        size_t length = (size_t)(data[at + 1] | data[at + 2] << 8) % 512;
        at += 3;
        length = length < size - at ? length : size - at;
        clump_datagram *d = &ports[0].queue[0];
        d->address = (clump_address){1, {(flags & 2) != 0 ? 3 : 2}};
        d->size = length;
        memcpy(d->bytes, data + at, length);
        at += length;
        if ((flags & 1) != 0 && length >= CLUMP_DATAGRAM_HEADER) {
            d->bytes[0] = 0xA2, d->bytes[1] = 1, d->bytes[3] = 0;
            clump_wire_put(d->bytes + 4, key, 8);
        }
        if ((flags & 4) != 0 && length > CLUMP_DATAGRAM_HEADER) {
            d->bytes[2] = CLUMP_DATA;
            make_good(d->bytes + CLUMP_DATAGRAM_HEADER, length - CLUMP_DATAGRAM_HEADER);
        }
        received += (flags & 2) != 0 ? length : 0;
        ports[0].count = 1;
        now += (uint64_t)(flags >> 3) * 3000000;
        clump_network_poll(networks[0], now);
        clump_exchange_delivery delivery;
        unsigned from;
        while (clump_network_next(networks[0], true, &from, &delivery)) {
            if (delivery.message.count > 8 || delivery.message.size > CLUMP_MESSAGE_BULK_BYTES ||
                delivery.message.handler == 0 || delivery.message.handler > 255)
                abort();
            const unsigned char *bytes = delivery.message.data;
            unsigned sum = 0;
            for (size_t i = 0; i < delivery.message.size; i++)
                sum += bytes[i];
            if (sum > 255u * CLUMP_MESSAGE_BULK_BYTES)
                abort();
            clump_network_finish(networks[0], from, &delivery);
        }
        clump_network_flush(networks[0], now);
        ports[1].count = 0;
        if (ports[0].sent_to_stranger > received)
            abort();
    }
    for (unsigned i = 0; i < 2; i++)
        clump_network_close(networks[i]);
    return 0;
}
