/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every protocol of the LCI family that has a name, in virtual time with all of the hardware:
 * unicast, multicast and fetch-and-add, each exactly once and in order, through loss where it
 * repairs that; invariants after every step; and the same trace for the same seed, byte by byte.
 *
 * CLUMP_TEST_LONG: a million messages for each way of retransmission.
 */
#include "tests/unit/virtual_nodes.h"

#include "reproductions/virtual/virtual_cluster.h"

enum { COUNT = 5 };

static const clump_hardware hardware = {.host_word_us = 0.1,
                                        .host_miss_us = 0.2,
                                        .host_copy_us = 0.01,
                                        .pio_word_us = 0.05,
                                        .pio_byte_us = 0.01,
                                        .nic_word_us = 0.1,
                                        .dma_read_us = 2,
                                        .dma_write_us = 1.5,
                                        .dma_byte_us = 0.008,
                                        .link_byte_us = 0.006,
                                        .hop_us = 0.1,
                                        .hops = 3,
                                        .receive_buffer_bytes = 131072,
                                        .send_buffer_bytes = 65536,
                                        .watchdog_us = 30,
                                        .interrupt_us = 20,
                                        .pin_us = 5};

struct exchange {
    clump_virtual_cluster *machine;
    uint64_t random;
    uint32_t each, sent[COUNT]; /* orders of a node */
    uint32_t unicasts[COUNT][COUNT], heard[COUNT][COUNT];
    uint32_t multicasts[COUNT], seen[COUNT][COUNT];       /* [origin][receiver] */
    uint32_t asked[COUNT][COUNT], answered[COUNT][COUNT]; /* [asker][keeper] */
    uint32_t least[COUNT][COUNT]; /* [asker][keeper]: the next value at least */
    uint64_t values[COUNT];       /* sum of what a keeper gave away */
    uint64_t check_every, steps;
    char *text; /* the trace, if it is kept */
    size_t size, room;
};

static bool want(void *context, clump_virtual_cluster *m, uint16_t node,
                 clump_virtual_cluster_order *order)
{
    struct exchange *x = context;
    static uint32_t data[32];
    if (x->check_every > 0 && ++x->steps % x->check_every == 0) {
        const char *wrong = clump_virtual_cluster_audit(m);
        if (wrong != NULL)
            fail_msg("%s", wrong);
    }
    if (x->sent[node] == x->each)
        return false;
    const uint64_t any = clump_splitmix_next(&x->random);
    const uint16_t to = (uint16_t)((node + 1 + any % (COUNT - 1)) % COUNT);
    *order = (clump_virtual_cluster_order){.kind = CLUMP_VIRTUAL_SEND,
                                           .to = to,
                                           .data = data,
                                           .size = (uint16_t)(8 + (any >> 16) % 100),
                                           .source = (any >> 24) % 40 * 4096,
                                           .copy = (any >> 32) % 40 * 4096 + 16};
    data[0] = node;
    if (x->sent[node]++ % 4 == 0) {
        order->kind = CLUMP_VIRTUAL_MULTICAST;
        data[1] = x->multicasts[node]++;
    } else if ((any >> 40) % 4 == 0) {
        order->kind = CLUMP_VIRTUAL_FETCH_ADD;
        x->asked[node][to]++;
        order->tag = to;
    } else {
        data[1] = x->unicasts[node][to]++;
    }
    return true;
}

static double compute(void *context, clump_virtual_cluster *m, uint16_t node)
{
    struct exchange *x = context;
    (void)m;
    /* Node 2 works for itself while it has something to send; the watchdog calls it. */
    return node == 2 && x->sent[2] < x->each ? 100 : 0;
}

static void got(void *context, clump_virtual_cluster *m, uint16_t node, const clump_lci_delivery *d)
{
    struct exchange *x = context;
    uint32_t data[2];
    (void)m;
    if (d->content == CLUMP_CONTENT_FETCHED) {
        const uint32_t value = (uint32_t)d->data[0] << 24 | (uint32_t)d->data[1] << 16 |
                               (uint32_t)d->data[2] << 8 | d->data[3];
        assert_int_equal(d->tag, d->source);
        assert_true(value >= x->least[node][d->source]); /* the keeper's variable only grows */
        x->least[node][d->source] = value + 1;
        x->answered[node][d->source]++;
        x->values[d->source] += value;
        return;
    }
    memcpy(data, d->data + (d->content == CLUMP_CONTENT_COPY ? CLUMP_PACKET_ADDRESS : 0),
           sizeof data);
    if (d->flags & CLUMP_PACKET_MULTICAST) {
        assert_int_equal(data[0], d->origin);
        assert_int_equal(data[1], x->seen[d->origin][node]++);
    } else {
        assert_int_equal(data[0], d->source);
        assert_int_equal(data[1], x->heard[d->source][node]++);
    }
}

static void trace(void *context, uint64_t time_ps, uint16_t node, const char *what, uint32_t value)
{
    struct exchange *x = context;
    if (x->room - x->size < 100)
        x->text = realloc(x->text, x->room = 2 * x->room + 1000);
    assert_non_null(x->text);
    x->size += (size_t)snprintf(x->text + x->size, 100, "%llu %u %s %u\n",
                                (unsigned long long)time_ps, node, what, value);
}

static struct exchange run(const char *name, uint32_t each, uint64_t seed, bool traced)
{
    struct exchange x = {.each = each, .random = seed, .check_every = each > 1000 ? 1000 : 1};
    clump_virtual_cluster_options o = {.hardware = hardware,
                                       .nodes = COUNT,
                                       .translations = 16,
                                       .anonymous = 3,
                                       .timeout_us = 2000,
                                       .interrupts = true};
    const clump_virtual_cluster_program program = {.want = want,
                                                   .got = got,
                                                   .compute = compute,
                                                   .trace = traced ? trace : NULL,
                                                   .context = &x};
    assert_int_equal(clump_lci_protocol_parse(name, &o.protocol, NULL), CLUMP_PROTOCOL_OK);
    if (o.protocol.reliability != CLUMP_RELIABILITY_CREDITS)
        o.faults = (clump_wire_faults){.loss = 0.05,
                                       .duplication = 0.02,
                                       .damage = 0.001,
                                       .reordering = 0.1,
                                       .jitter_ps = 20000 * NS,
                                       .seed = seed};
    assert_int_equal(clump_virtual_cluster_open(&o, &program, &x.machine), CLUMP_PROTOCOL_OK);
    const clump_protocol_status status = clump_virtual_cluster_run(x.machine, 1e12);
    if (status != CLUMP_PROTOCOL_OK)
        fail_msg("%s: %s", name, clump_protocol_status_text(status));
    for (unsigned a = 0; a < COUNT; a++) {
        uint64_t given = 0;
        assert_int_equal(x.sent[a], each);
        for (unsigned b = 0; b < COUNT; b++) {
            if (x.heard[a][b] != x.unicasts[a][b])
                fail_msg("%s: %u of %u from %u to %u", name, x.heard[a][b], x.unicasts[a][b], a, b);
            assert_int_equal(x.seen[a][b], a == b ? 0 : x.multicasts[a]);
            assert_int_equal(x.answered[a][b], x.asked[a][b]);
            given += x.asked[b][a];
        }
        /* A keeper's values are 0, 1, ...: no two of an asker are the same, and the sum is right.
         */
        assert_true(x.values[a] == given * (given - 1) / 2);
        const clump_lci_counters c = clump_virtual_cluster_count(x.machine, (uint16_t)a);
        assert_int_equal(c.broken + c.refused * (o.faults.damage > 0 ? 0 : 1), 0);
    }
    assert_null(clump_virtual_cluster_audit(x.machine));
    clump_virtual_cluster_close(x.machine);
    return x;
}

TEST(test_names)
{
    static const char *const transfers[] = {"-sdma", "-pio", "-rcpy"},
                             *const ways[] = {"", "-nirx", "-hrx"},
                             *const forwards[] = {"", "-hmc"}, *const sizes[] = {"-1k", "", "-4k"},
                             *const trees[] = {"", "-binomial"};
    unsigned names = 0;
    for (unsigned i = 0; i < 3 * 3 * 2 * 3 * 2; i++) {
        char name[60];
        clump_lci_protocol protocol;
        snprintf(name, sizeof name, "l%s%s%s%s%s", transfers[i % 3], ways[i / 3 % 3],
                 forwards[i / 9 % 2], sizes[i / 18 % 3], trees[i / 54]);
        if (clump_lci_protocol_parse(name, &protocol, NULL) != CLUMP_PROTOCOL_OK) {
            assert_true(i % 3 == 2 && i / 3 % 3 == 2); /* l-rcpy-hrx */
            continue;
        }
        const struct exchange a = run(name, 30, i, true), b = run(name, 30, i, true);
        assert_true(a.size > 10000);
        assert_int_equal(a.size, b.size);
        assert_memory_equal(a.text, b.text, a.size);
        if (i % 8 == 0) {
            const struct exchange other = run(name, 30, i + 1, true);
            assert_true(other.size != a.size || memcmp(a.text, other.text, a.size) != 0);
            free(other.text);
        }
        free(a.text);
        free(b.text);
        names++;
    }
    assert_int_equal(names, 96);
}

TEST(test_million)
{
    static const char *const names[] = {
        "l-sdma",      "l-pio",          "l-rcpy", "l-nirx",
        "l-rcpy-nirx", "l-pio-nirx-hmc", "l-hrx",  "l-pio-hrx-4k-binomial"};
    const uint32_t each = nodes_long() ? 1000000 / COUNT : 400;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        run(names[i], each, i, false);
}

/* What one more peer costs: with credits W buffers of an MTU, of the documents' 256 of 2 kB on 64
 * nodes (section 4.1), and at most 200 bytes of state. */
TEST(test_peer_memory)
{
    static const uint16_t mtu[] = {1024, 2048, 4096}, window[] = {8, 4, 2};
    clump_virtual_cluster_options o = {.hardware = hardware, .nodes = 64};
    o.hardware.receive_buffer_bytes = 524288;
    for (int i = 0; i < 3; i++) {
        o.protocol.mtu = mtu[i];
        o.protocol.reliability = CLUMP_RELIABILITY_CREDITS;
        const size_t all = clump_virtual_cluster_peer_bytes(&o);
        o.protocol.reliability = CLUMP_RELIABILITY_NIC;
        const size_t state_bytes = clump_virtual_cluster_peer_bytes(&o);
        assert_int_equal(all - state_bytes, (size_t)window[i] * mtu[i]);
        assert_true(63 * (all - state_bytes) <= 524288);
        assert_true(state_bytes <= 200);
    }
}

UNIT_MAIN(NULL, NULL)
