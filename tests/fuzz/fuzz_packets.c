/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Packets and cells from a hostile network: whatever arrives, decoders read no byte too many, and a
 * node keeps its invariants. Half of the inputs get a valid checksum, or nothing would pass it. */
#include "protocols/reliability/lci.h"
#include "protocols/reliability/ssam.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool on_request(void *context, uint32_t handler, const unsigned char *data,
                       uint32_t *reply_handler, unsigned char *reply)
{
    (void)context, (void)data, (void)reply_handler;
    memset(reply, 7, CLUMP_CELL_DATA);
    return handler % 2;
}

static void require(const char *wrong)
{
    if (wrong != NULL)
        abort();
}

static void fuzz_cells(const uint8_t *data, size_t size)
{
    const clump_ssam_options o = {
        .window = 3, .timeout_ns = 100, .incarnation = 1, .request = on_request};
    clump_ssam *s;
    uint64_t now = 0;
    unsigned char cell[CLUMP_CELL_SIZE];
    if (clump_ssam_open(&o, &s) != CLUMP_PROTOCOL_OK)
        return;
    for (; size >= CLUMP_CELL_SIZE + 1; data += CLUMP_CELL_SIZE + 1, size -= CLUMP_CELL_SIZE + 1) {
        clump_cell c;
        memcpy(cell, data + 1, sizeof cell);
        if (data[0] & 1) { /* make it a good one */
            c.kind = (clump_cell_kind)(1 + cell[0] % 4);
            c.epoch = cell[1] & 7;
            c.sequence = cell[2] & 0x3ff;
            c.handler = cell[3];
            c.size = data[0] & 2 ? 9 : CLUMP_CELL_DATA;
            memcpy(c.data, cell + 4, sizeof c.data);
            clump_cell_encode(&c, cell);
        }
        (void)clump_ssam_arrive(s, cell);
        if (data[0] & 4)
            (void)clump_ssam_request(s, 1, "x", 1, NULL);
        if (data[0] & 8)
            (void)clump_ssam_poll(s);
        now += data[0];
        for (int i = 0; i < 20 && clump_ssam_transmit(s, now, cell); i++)
            if (!clump_cell_decode(cell, &c))
                abort();
        require(clump_ssam_check(s));
    }
    clump_ssam_close(s);
}

static void fuzz_packets(const uint8_t *data, size_t size, bool retransmit)
{
    const clump_lci_options o = {.nodes = 5,
                                 .self = 2,
                                 .mtu = 64,
                                 .window = 2,
                                 .retransmit = retransmit,
                                 .request_again = retransmit,
                                 .forward = true,
                                 .send_buffers = 3,
                                 .receive_buffers = 8,
                                 .timeout_ns = 50,
                                 .timeout_most_ns = 400,
                                 .acknowledge_ns = 20,
                                 .incarnation = 1};
    clump_lci *l;
    unsigned char bytes[CLUMP_PACKET_MOST];
    uint64_t now = 0;
    if (clump_lci_open(&o, &l) != CLUMP_PROTOCOL_OK)
        return;
    while (size >= 16) {
        const uint8_t how = data[0];
        size_t length = data[1];
        clump_lci_delivery d;
        uint16_t to;
        if (how & 1) {
            const clump_packet p = {.kind = (uint8_t)(1 + data[2] % 4),
                                    .content = data[3] % 4,
                                    .flags = data[4] & 15,
                                    .source = data[5] % 6,
                                    .origin = data[6] % 6,
                                    .sequence = data[7],
                                    .acknowledge = data[8],
                                    .size = data[9] % 70,
                                    .from_incarnation = data[10] % 4,
                                    .to_incarnation = data[11] % 3,
                                    .payload = bytes + 1000};
            memset(bytes + 1000, 5, 100);
            length = clump_packet_encode(&p, bytes);
        } else {
            length = length < size - 2 ? length : size - 2;
            memcpy(bytes, data + 2, length);
        }
        unsigned char *exact = malloc(length > 0 ? length : 1); /* so that a byte too many shows */
        if (exact == NULL)
            break;
        memcpy(exact, bytes, length);
        (void)clump_lci_receive(l, now, exact, length);
        free(exact);
        const clump_lci_message m = {.size = 8, .data = "messages"};
        if (how & 2)
            (void)clump_lci_send(l, data[12] % 6, &m);
        if (how & 4)
            (void)clump_lci_multicast(l, &m);
        while ((how & 8) && clump_lci_next(l, &d))
            clump_lci_release(l, now, d.buffer);
        now += how;
        for (int i = 0; i < 20 && clump_lci_transmit(l, now, bytes, &length, &to); i++)
            if (to >= 5 || length > CLUMP_PACKET_HEADER + 64)
                abort();
        require(clump_lci_check(l));
        data += 16;
        size -= 16;
    }
    clump_lci_close(l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    if (data[0] % 3 == 0)
        fuzz_cells(data + 1, size - 1);
    else
        fuzz_packets(data + 1, size - 1, data[0] % 3 == 1);
    return 0;
}
