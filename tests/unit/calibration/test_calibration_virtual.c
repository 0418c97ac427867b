/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Protocols on modelled hardware; what the documents print is compared in
 * test_protocol_documents.c. */
#include "tests/unit/shipped_hardware.h"
#include "tests/unit/virtual_nodes.h"

#include "reproductions/measure/measure.h"

#include <math.h>

static clump_hardware ppro, p3;

static clump_virtual_cluster_options machine(const clump_hardware *hardware, const char *protocol,
                                             uint16_t nodes)
{
    clump_virtual_cluster_options o = {.hardware = *hardware, .nodes = nodes};
    assert_int_equal(clump_lci_protocol_parse(protocol, &o.protocol, NULL), CLUMP_PROTOCOL_OK);
    return o;
}

/* Same seed, same trace; another seed, another one. */
struct trace {
    uint64_t hash, lines;
    uint32_t sent, got;
};

static bool trace_want(void *context, clump_virtual_cluster *m, uint16_t node,
                       clump_virtual_cluster_order *order)
{
    struct trace *t = context;
    (void)m;
    if (t->sent == 300)
        return false;
    *order = (clump_virtual_cluster_order){.to = (uint16_t)((node + 1) % 4), .size = 100};
    order->kind = t->sent % 5 == 0 ? CLUMP_VIRTUAL_MULTICAST : CLUMP_VIRTUAL_SEND;
    t->sent++;
    return true;
}

static void trace_got(void *context, clump_virtual_cluster *m, uint16_t node,
                      const clump_lci_delivery *d)
{
    (void)m, (void)node, (void)d;
    ((struct trace *)context)->got++;
}

static void trace_line(void *context, uint64_t time_ps, uint16_t node, const char *what,
                       uint32_t value)
{
    struct trace *t = context;
    char line[100];
    const int size = snprintf(line, sizeof line, "%llu %u %s %u\n", (unsigned long long)time_ps,
                              node, what, value);
    for (int i = 0; i < size; i++)
        t->hash = (t->hash ^ (unsigned char)line[i]) * UINT64_C(0x100000001b3);
    t->lines++;
}

static struct trace traced(const char *protocol, uint64_t seed)
{
    struct trace t = {.hash = UINT64_C(0xcbf29ce484222325)};
    clump_virtual_cluster_options o = machine(&ppro, protocol, 4);
    o.faults = (clump_wire_faults){.loss = 0.1, .duplication = 0.05, .seed = seed};
    const clump_virtual_cluster_program program = {
        .want = trace_want, .got = trace_got, .trace = trace_line, .context = &t};
    clump_virtual_cluster *m;
    assert_int_equal(clump_virtual_cluster_open(&o, &program, &m), CLUMP_PROTOCOL_OK);
    assert_int_equal(clump_virtual_cluster_run(m, 1e7), CLUMP_PROTOCOL_OK);
    clump_virtual_cluster_close(m);
    assert_int_equal(t.got, 240 + 60 * 3); /* each packet once, each multicast by three */
    return t;
}

TEST(test_traces)
{
    static const char *const protocols[] = {"l-nirx", "l-hrx", "l-pio-nirx-4k", "l-nirx-hmc"};
    for (size_t i = 0; i < sizeof protocols / sizeof *protocols; i++) {
        const struct trace a = traced(protocols[i], 7), b = traced(protocols[i], 7),
                           c = traced(protocols[i], 8);
        assert_true(a.lines > 1000);
        assert_true(a.hash == b.hash && a.lines == b.lines);
        assert_true(a.hash != c.hash);
    }
}

/* Links that lose packets: retransmission delivers, credits come to a stop and say so. */
TEST(test_loss)
{
    clump_logp_measured clean, lossy;
    clump_virtual_cluster_options o = machine(&p3, "l-hrx", 4);
    assert_int_equal(clump_measure_logp(&o, 16, 300, &clean), CLUMP_PROTOCOL_OK);
    o.faults.loss = 0.02;
    assert_int_equal(clump_measure_logp(&o, 16, 300, &lossy), CLUMP_PROTOCOL_OK);
    assert_true(lossy.half_round_trip_us > clean.half_round_trip_us);
    o = machine(&p3, "l-sdma", 4);
    o.faults.loss = 0.02;
    assert_int_equal(clump_measure_logp(&o, 16, 300, &lossy), CLUMP_PROTOCOL_TIMED_OUT);
}

/* A stream has a pace that does not depend on how long one looks, from the first packet on. */
TEST(test_steady)
{
    static const char *const protocols[] = {"l-sdma", "l-nirx", "l-hrx", "l-rcpy", "l-pio-nirx"};
    for (size_t i = 0; i < 2 * sizeof protocols / sizeof *protocols; i++) {
        const clump_virtual_cluster_options o = machine(i % 2 ? &p3 : &ppro, protocols[i / 2], 64);
        clump_logp_measured few, many;
        assert_int_equal(clump_measure_logp(&o, 16, 1, &few), CLUMP_PROTOCOL_OK);
        assert_int_equal(clump_measure_logp(&o, 16, 6000, &many), CLUMP_PROTOCOL_OK);
        assert_true(fabs(few.gap_us / many.gap_us - 1) < 0.02);
        assert_true(fabs(few.half_round_trip_us / many.half_round_trip_us - 1) < 0.02);
    }
}

/* By hand, where nothing costs but a DMA transfer, 3 us from the host and 2 to it: a message takes
 * one of each, and the sender's engine tells the host with another that its data are read. In a
 * stream that is 5 us of the sender's engine and 2 of the receiver's, at the same time. */
TEST(test_overlap)
{
    static const struct {
        const char *protocol;
        double half, gap, fetch_add;
    } cases[] = {{"l-sdma", 5, 5, 2}, {"l-nirx", 5, 5, 2}, {"l-pio", 2, 2, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        clump_virtual_cluster_options o = machine(&(clump_hardware){.dma_read_us = 3,
                                                                    .dma_write_us = 2,
                                                                    .receive_buffer_bytes = 1048576,
                                                                    .send_buffer_bytes = 1048576},
                                                  cases[i].protocol, 8);
        clump_logp_measured m;
        assert_int_equal(clump_measure_logp(&o, 16, 50, &m), CLUMP_PROTOCOL_OK);
        assert_true(fabs(m.half_round_trip_us - cases[i].half) < 1e-9);
        assert_true(fabs(m.gap_us - cases[i].gap) < 1e-9);
        assert_true(fabs(m.fetch_add_us - cases[i].fetch_add) < 1e-9);
    }
}

/* A larger MTU: more throughput, fewer credits (section 5.3). */
TEST(test_mtu)
{
    double before = 0;
    uint16_t window = 100;
    static const char *const protocols[] = {"l-sdma-1k", "l-sdma", "l-sdma-4k"};
    for (int i = 0; i < 3; i++) {
        const clump_virtual_cluster_options o = machine(&p3, protocols[i], 64);
        double rate;
        assert_int_equal(clump_measure_throughput(&o, 65536, false, 200, &rate), CLUMP_PROTOCOL_OK);
        assert_true(rate > before);
        before = rate;
        assert_true(clump_virtual_cluster_window(&o) < window);
        window = clump_virtual_cluster_window(&o);
    }
    assert_int_equal(clump_virtual_cluster_window(&(clump_virtual_cluster_options){
                         .hardware = ppro, .nodes = 64, .protocol = {.mtu = 2048}}),
                     4); /* 256 buffers, 63 peers */
}

/* l-rcpy: of 2W pages in turn, W that are read and W that are written, those p and p + E that share
 * one of E entries miss each time: for E/2 <= W <= E that are 2W - E of either. */
TEST(test_translations)
{
    static const struct {
        uint32_t entries, pages;
        double misses;
    } cases[] = {{8, 4, 0},  {8, 5, 2. / 5}, {8, 6, 4. / 6},     {8, 8, 1},
                 {8, 24, 1}, {1024, 512, 0}, {1024, 768, 2. / 3}};
    double before = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        clump_virtual_cluster_options o = machine(&ppro, i % 2 ? "l-rcpy" : "l-rcpy-nirx", 64);
        clump_logp_measured m;
        double rate;
        o.hardware.pin_us = 20;
        o.translations = cases[i].entries;
        o.copy_pages = cases[i].pages;
        assert_int_equal(clump_measure_logp(&o, 16, 10 * cases[i].pages, &m), CLUMP_PROTOCOL_OK);
        assert_true(fabs(m.source_miss_rate - cases[i].misses) < 1e-12);
        assert_true(fabs(m.destination_miss_rate - cases[i].misses) < 1e-12);
        /* Of the way of a message the pages are the more the more of them are missing. */
        if (i >= 2 && i < 5)
            assert_true(m.half_round_trip_us >= before);
        before = m.half_round_trip_us;
        assert_int_equal(clump_measure_throughput(&o, 6000, false, 600, &rate), CLUMP_PROTOCOL_OK);
        o.anonymous = 1; /* the NIC waits for it; nothing gets stuck */
        o.faults = (clump_wire_faults){.loss = i % 2 ? 0 : 0.05, .seed = i};
        assert_int_equal(clump_measure_throughput(&o, 6000, false, 600, &rate), CLUMP_PROTOCOL_OK);
    }
}

/* Copies to every page of others, to and fro, with tables of three entries: each arrives once, in
 * order, on pages that lie where they should. */
struct copies {
    uint32_t sent[4], got[4][4];
};

static bool copies_want(void *context, clump_virtual_cluster *m, uint16_t node,
                        clump_virtual_cluster_order *order)
{
    struct copies *c = context;
    static unsigned char words[1000];
    const uint32_t k = c->sent[node];
    assert_null(clump_virtual_cluster_audit(m));
    if (k == 400)
        return false;
    *order = (clump_virtual_cluster_order){.to = (uint16_t)((node + 1 + k % 3) % 4),
                                           .size = sizeof words,
                                           .data = words,
                                           .source = (k * 7919 % 11) * 4096 + 4 * (k % 700),
                                           .copy = (k * 104729 % 13) * 4096 + 4 * (k % 700)};
    const uint32_t number = k / 3;
    memcpy(words, &number, sizeof number);
    c->sent[node]++;
    return true;
}

static void copies_got(void *context, clump_virtual_cluster *m, uint16_t node,
                       const clump_lci_delivery *d)
{
    struct copies *c = context;
    uint32_t number;
    (void)m;
    assert_int_equal(d->size, 1000 + CLUMP_PACKET_ADDRESS);
    memcpy(&number, d->data + CLUMP_PACKET_ADDRESS, sizeof number);
    assert_int_equal(number, c->got[d->source][node]++);
}

TEST(test_copies)
{
    static const char *const protocols[] = {"l-rcpy", "l-rcpy-nirx", "l-rcpy-nirx-4k-hmc"};
    for (uint32_t anonymous = 1; anonymous < 4; anonymous++)
        for (size_t i = 0; i < sizeof protocols / sizeof *protocols; i++) {
            struct copies c = {{0}, {{0}}};
            clump_virtual_cluster_options o = machine(&p3, protocols[i], 4);
            const clump_virtual_cluster_program program = {
                .want = copies_want, .got = copies_got, .context = &c};
            clump_virtual_cluster *m;
            o.translations = 3;
            o.anonymous = anonymous;
            o.hardware.pin_us = 4;
            if (i > 0)
                o.faults = (clump_wire_faults){.loss = 0.05, .duplication = 0.02, .seed = i};
            assert_int_equal(clump_virtual_cluster_open(&o, &program, &m), CLUMP_PROTOCOL_OK);
            assert_int_equal(clump_virtual_cluster_run(m, 1e8), CLUMP_PROTOCOL_OK);
            for (uint16_t from = 0; from < 4; from++) {
                const clump_virtual_cluster_copies counted = clump_virtual_cluster_copied(m, from);
                uint32_t all = 0;
                for (unsigned to = 0; to < 4; to++)
                    all += c.got[from][to];
                assert_int_equal(all, 400);
                assert_int_equal(counted.source_hits + counted.source_misses, 400);
                assert_true(counted.source_misses > 200); /* 11 pages, 3 entries */
            }
            assert_null(clump_virtual_cluster_audit(m));
            clump_virtual_cluster_close(m);
        }
}

/* A request that finds R left of a computation of C = 400 us, R uniform. The formulas are in
 * measure.h; 4,000 rounds leave the mean of R uncertain by C / sqrt(12 * 4000), here 3 of these. */
TEST(test_watchdog)
{
    static const char *const protocols[] = {"l-sdma", "l-hrx"};
    for (int i = 0; i < 2; i++) {
        const double c = 400, t = 70, interrupt = 50, doubt = 3 * c / sqrt(12 * 4000.0);
        clump_virtual_cluster_options o = machine(&ppro, protocols[i], 2);
        clump_logp_measured idle;
        clump_busy_measured busy;
        o.faults.seed = 5;
        o.hardware.interrupt_us = interrupt;
        assert_int_equal(clump_measure_logp(&o, 16, 50, &idle), CLUMP_PROTOCOL_OK);
        const double rtt = 2 * idle.half_round_trip_us;
        assert_int_equal(clump_measure_busy(&o, 16, c, 4000, &busy), CLUMP_PROTOCOL_OK);
        assert_true(fabs(busy.round_trip_us - (rtt + c / 2)) < doubt + 3);
        assert_true(busy.interrupts < 1e-9);
        o.interrupts = true;
        assert_int_equal(clump_measure_busy(&o, 16, c, 4000, &busy), CLUMP_PROTOCOL_OK);
        const double waits = t * t / (2 * c) + (1 - t / c) * (t + interrupt);
        assert_true(fabs(busy.round_trip_us - (rtt + waits)) < doubt + 3);
        assert_true(fabs(busy.interrupts - (1 - t / c)) < 0.02);
        /* It polls before the watchdog's time is up: no interrupts. */
        assert_int_equal(clump_measure_busy(&o, 16, 60, 500, &busy), CLUMP_PROTOCOL_OK);
        assert_true(busy.interrupts < 1e-9 && busy.round_trip_us < rtt + 60);
        assert_int_equal(clump_measure_busy(&o, 16, 0, 500, &busy), CLUMP_PROTOCOL_BAD_INPUT);
    }
}

TEST(test_names)
{
    clump_lci_protocol p;
    const char *wrong;
    assert_int_equal(clump_lci_protocol_parse("l-pio-1k-hmc-binomial", &p, NULL), 0);
    assert_true(p.transfer == CLUMP_TRANSFER_PIO && p.mtu == 1024 && p.host_multicast &&
                p.tree == CLUMP_TREE_BINOMIAL && p.reliability == CLUMP_RELIABILITY_CREDITS);
    assert_int_equal(clump_lci_protocol_parse("l-hrx", &p, NULL), 0);
    assert_true(p.reliability == CLUMP_RELIABILITY_HOST && p.host_multicast && p.mtu == 2048);
    static const char *const bad[] = {"",        "l",          "l-",         "sdma",
                                      "l-sdma-", "l-nirx-hrx", "l-3k",       "l-sdma-sdma",
                                      "x-sdma",  "l-sdma-pio", "l-rcpy-hrx", "l-hrx-rcpy"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(clump_lci_protocol_parse(bad[i], &p, &wrong), CLUMP_PROTOCOL_BAD_INPUT);
}

int main(void)
{
    ppro = virtual_hardware("ppro-myrinet");
    p3 = virtual_hardware("p3-myrinet");
    return unit_run(NULL, NULL);
}
