/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Packets, cells, parts of messages and addresses from a hostile network: whatever arrives,
 * decoders read no byte too many, and a node keeps its invariants. Half of the inputs get a valid
 * checksum, or nothing would pass it. */
#include "protocols/reliability/fragments.h"
#include "protocols/reliability/lci.h"
#include "protocols/reliability/packet.h"
#include "protocols/reliability/ssam.h"
#include "reproductions/virtual/translation.h"

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
        clump_ssam_arrive(s, cell);
        if (data[0] & 4)
            clump_ssam_request(s, 1, "x", 1, NULL);
        if (data[0] & 8)
            clump_ssam_poll(s);
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
            const clump_lci_packet p = {.kind = (uint8_t)(1 + data[2] % 4),
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
            length = clump_lci_packet_encode(&p, bytes);
        } else {
            length = length < size - 2 ? length : size - 2;
            memcpy(bytes, data + 2, length);
        }
        unsigned char *exact = malloc(length > 0 ? length : 1); /* so that a byte too many shows */
        if (exact == NULL)
            break;
        memcpy(exact, bytes, length);
        clump_lci_receive(l, now, exact, length);
        free(exact);
        const clump_lci_message m = {.size = 8, .data = "messages"};
        if (how & 2)
            clump_lci_send(l, data[12] % 6, &m);
        if (how & 4)
            clump_lci_multicast(l, &m);
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

/* Addresses from other nodes, steps of the tables in any order that a bus can bring about. */
static bool pin(void *context, uint64_t page, uint64_t *frame)
{
    uint32_t *pinned = context;
    *frame = page + 1000;
    *pinned += page % 3 != 0;
    return page % 3 != 0;
}

static void unpin(void *context, uint64_t page)
{
    uint32_t *pinned = context;
    if (page % 3 == 0 || (*pinned)-- == 0)
        abort();
}

static void fuzz_tables(const uint8_t *data, size_t size)
{
    enum { QUEUE = 16 };
    uint32_t pinned = 0;
    const clump_pinning pinning = {pin, unpin, &pinned};
    clump_copy_source posted[QUEUE];
    struct {
        bool completion;
        clump_copy_completion done;
        clump_copy_notice notice;
    } told[QUEUE];
    unsigned posts = 0, first_post = 0, tells = 0, first_tell = 0;
    clump_host_table *host = NULL;
    clump_nic_table *nic = NULL;
    uint64_t frame;
    if (clump_host_table_open(3, &pinning, &host) == CLUMP_PROTOCOL_OK &&
        clump_nic_table_open(3, 2, &nic) == CLUMP_PROTOCOL_OK)
        for (; size >= 2; data += 2, size -= 2) {
            const uint64_t page = data[1] < 250 ? data[1] % 16 : UINT64_MAX - data[1];
            clump_copy_update update = {.entry = data[1], .page = page, .valid = data[0] & 16};
            clump_copy_completion done = {.kind = CLUMP_COPY_HIT, .page = page};
            clump_copy_notice notice;
            switch (data[0] % 8) {
            case 0:
            case 1:
                if (posts < QUEUE &&
                    clump_host_table_source(host, page, &posted[(first_post + posts) % QUEUE]) ==
                        CLUMP_PROTOCOL_OK)
                    posts++;
                break;
            case 2:
                if (posts == 0 || tells == QUEUE)
                    break;
                if (clump_nic_table_source(nic, &posted[first_post++ % QUEUE], &frame, &done) !=
                    CLUMP_PROTOCOL_OK)
                    abort();
                told[(first_tell + tells++) % QUEUE].completion = true;
                told[(first_tell + tells - 1) % QUEUE].done = done;
                posts--;
                break;
            case 3:
            case 4:
                if (tells == QUEUE || clump_nic_table_destination(nic, page, &frame, &notice) !=
                                          CLUMP_PROTOCOL_NOT_FOUND)
                    break;
                told[(first_tell + tells++) % QUEUE].completion = false;
                told[(first_tell + tells - 1) % QUEUE].notice = notice;
                break;
            case 5:
            case 6:
                if (tells == 0)
                    break;
                if (told[first_tell % QUEUE].completion) {
                    clump_host_table_completed(host, &told[first_tell % QUEUE].done);
                } else {
                    const clump_copy_notice *n = &told[first_tell % QUEUE].notice;
                    clump_host_table_notified(host, n);
                    if (clump_nic_table_give(nic, n->anonymous) != CLUMP_PROTOCOL_OK)
                        abort();
                }
                first_tell++;
                tells--;
                while (clump_host_table_next(host, &update))
                    if (clump_nic_table_update(nic, &update) != CLUMP_PROTOCOL_OK)
                        abort();
                break;
            default: /* what no honest side does */
                clump_nic_table_give(nic, data[1] | 2u);
                update.entry |= 4;
                clump_nic_table_update(nic, &update);
                break;
            }
            require(clump_translation_check(host, nic));
            if (clump_host_table_pinned(host) != pinned || pinned > 6)
                abort();
        }
    clump_host_table_close(host);
    clump_nic_table_close(nic);
    if (pinned != 0)
        abort();
}

/* Parts of messages; a whole one must have been written from end to end. */
static void fuzz_parts(const uint8_t *data, size_t size)
{
    enum { ROOM = 600 };
    unsigned char bytes[ROOM], part[256];
    clump_assembly a = {0};
    uint32_t before = 0;
    memset(part, 1, sizeof part);
    memset(bytes, 0, sizeof bytes);
    for (size_t i = 0; i + 4 <= size; i += 4) {
        const uint32_t whole = data[i] * 3u, offset = data[i + 1] * (data[i + 3] & 1 ? 1u : 3u);
        const clump_assembly_step step =
            clump_assembly_add(&a, bytes, ROOM, offset, whole, part, data[i + 2]);
        if (step == CLUMP_ASSEMBLY_REFUSED)
            continue;
        if (step == CLUMP_ASSEMBLY_WHOLE) {
            for (uint32_t k = 0; k < whole; k++)
                if (bytes[k] != 1)
                    abort();
            memset(bytes, 0, sizeof bytes);
        } else if (a.done >= a.whole || (a.done <= before && a.done != data[i + 2])) {
            abort();
        }
        before = step == CLUMP_ASSEMBLY_WHOLE ? 0 : a.done;
        if (before == 0)
            clump_assembly_restart(&a);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    if (data[0] % 5 == 0)
        fuzz_cells(data + 1, size - 1);
    else if (data[0] % 5 == 3)
        fuzz_tables(data + 1, size - 1);
    else if (data[0] % 5 == 4)
        fuzz_parts(data + 1, size - 1);
    else
        fuzz_packets(data + 1, size - 1, data[0] % 5 == 1);
    return 0;
}
