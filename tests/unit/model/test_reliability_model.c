/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The costs of protocols (model/reliability.h) against the protocols themselves in virtual time,
 * over grids: within 5%. And against numbers that were worked out by hand.
 */
#include "tests/unit/nodes_stream.h"
#include "tests/unit/shipped_hardware.h"

#include "reproductions/measure/measure.h"
#include "model/lossy_stream.h"
#include "model/reliability.h"
#include "protocols/reliability/ssam.h"

#include <math.h>

static clump_hardware p3;

static void near(double found, double expected, double tolerance, const char *what, double at)
{
    if (!(fabs(found / expected - 1) <= tolerance))
        fail_msg("%s at %g: %g, expected %g", what, at, found, expected);
}

/* A stream through windows, with a network so slow that they limit it. The
 * round trip from w = 2, where what the sender does meanwhile is hidden, as in all wider ones. */
static double stream_rate(const char *protocol, uint16_t window, double network_us)
{
    clump_virtual_cluster_options o = {.hardware = p3, .nodes = 2, .window = window};
    double rate;
    o.hardware.network_us = network_us;
    o.acknowledge_us = 5000;
    o.timeout_us = 100000;
    assert_int_equal(clump_lci_protocol_parse(protocol, &o.protocol, NULL), CLUMP_PROTOCOL_OK);
    assert_int_equal(clump_measure_throughput(&o, 64, false, 2000, &rate), CLUMP_PROTOCOL_OK);
    return rate / 64;
}

/* g of a window of which a acknowledgements are due at once is g + c/a: from windows of 8 and 16.
 */
static double gap_of(const char *protocol, double *acknowledgement)
{
    const double at_4 = 1 / stream_rate(protocol, 8, 0), at_8 = 1 / stream_rate(protocol, 16, 0);
    *acknowledgement = fmax(8 * (at_4 - at_8), 0);
    return at_8 - *acknowledgement / 8;
}

static void test_windows(void **state)
{
    (void)state;
    static const char *const protocols[] = {"l-pio", "l-sdma", "l-nirx", "l-hrx", "l-pio-nirx"};
    static const double networks[] = {1.4, 10, 40, 100, 400}; /* where g limits, or the window */
    for (size_t i = 0; i < 5; i++) {
        double each;
        const double gap = gap_of(protocols[i], &each);
        /* Data that wait for the window are ready, and need less than g each: from w = 8 on a
         * network that is slower than those of the grid. */
        const double waited =
            (8 / stream_rate(protocols[i], 8, 1000) - 2 / stream_rate(protocols[i], 2, 1000)) / 3;
        const double burst = fmin(gap, waited);
        for (size_t n = 0; n < 5; n++) {
            const double round_trip = 2 / stream_rate(protocols[i], 2, networks[n]);
            for (uint16_t w = 4; w <= 64; w *= 2) {
                double expected;
                assert_int_equal(clump_window_rate(gap + each / (w / 2), burst, round_trip, w,
                                                   w / 2, &expected, NULL),
                                 CLUMP_OK);
                /* Where both limit alike neither does all the time: 9% there. */
                const double windowed = w / (round_trip + (w / 2 - 1) * burst);
                const double knee = fmax(windowed * gap, 1 / (windowed * gap));
                near(stream_rate(protocols[i], w, networks[n]), expected, knee > 1.5 ? 0.05 : 0.09,
                     protocols[i], w);
            }
        }
    }
}

/* Go-back-N on a network that loses data, not acknowledgements. */
struct data_losses {
    uint64_t random;
    double share;
};

static bool lose_data(void *context, uint64_t number, uint32_t from, uint32_t to,
                      const unsigned char *bytes, size_t size)
{
    struct data_losses *l = context;
    (void)number, (void)to, (void)bytes;
    return from == 0 && size > CLUMP_PACKET_HEADER && clump_splitmix_real(&l->random) < l->share;
}

static double lossy_rate(uint16_t window, double loss, uint64_t timeout_ns)
{
    struct data_losses losses = {.random = 42, .share = loss};
    struct nodes_stream s = {.total = 60000};
    const clump_wire_faults faults = {.delay_ps = 5000 * NS, .lose = lose_data, .context = &losses};
    nodes_stream_run(&s, window, timeout_ns, &faults);
    return (double)s.total / ((double)s.finished_ns * 1e-3);
}

static void test_go_back_n(void **state)
{
    (void)state;
    for (uint16_t w = 2; w <= 32; w *= 4) {
        const double clean = lossy_rate(w, 0, 100000);
        for (int t = 0; t < 2; t++) {
            const double timeout_us = t == 0 ? 400 : 2000; /* round trip: 10 */
            static const double losses[] = {0.01, 0.05, 0.2};
            for (size_t i = 0; i < 3; i++) {
                double expected;
                assert_int_equal(
                    clump_go_back_n_rate(clean, timeout_us, losses[i], &expected, NULL), CLUMP_OK);
                near(lossy_rate(w, losses[i], (uint64_t)(timeout_us * 1000)), expected, 0.05,
                     "go-back-N", losses[i]);
            }
        }
    }
}

/* SSAM, loss in both directions. */
static bool on_request(void *context, uint32_t handler, const unsigned char *data,
                       uint32_t *reply_handler, unsigned char *reply)
{
    (void)context, (void)handler, (void)data, (void)reply_handler, (void)reply;
    return true;
}

static double ssam_rate(uint16_t window, double loss, uint64_t timeout_ns, uint64_t total)
{
    clump_calendar queue = {0};
    const clump_wire_faults faults = {.delay_ps = 5000 * NS, .loss = loss, .seed = 9};
    clump_wire *wire = clump_wire_open(&faults, &queue, ARRIVAL, CLUMP_CELL_SIZE);
    clump_ssam *end[2];
    clump_event event;
    unsigned char cell[CLUMP_CELL_SIZE];
    uint64_t alarm[2] = {UINT64_MAX, UINT64_MAX}, asked = 0;
    const clump_ssam_options o = {
        .window = window, .timeout_ns = timeout_ns, .incarnation = 1, .request = on_request};
    assert_non_null(wire);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(clump_ssam_open(&o, &end[i]), CLUMP_PROTOCOL_OK);
        clump_calendar_add(&queue, (clump_event){.kind = ALARM, .node = i});
        alarm[i] = 0;
    }
    while (clump_ssam_count(end[0]).answered < total && clump_calendar_take(&queue, &event)) {
        const uint32_t i = event.node;
        const uint64_t now = queue.now_ps / NS;
        size_t size;
        if (event.kind == ARRIVAL) {
            clump_ssam_arrive(end[i], clump_wire_packet(wire, event.value, &size));
            clump_wire_release(wire, event.value);
        } else if (event.time_ps == alarm[i] * NS) {
            alarm[i] = UINT64_MAX;
        }
        clump_ssam_poll(end[i]);
        while (i == 0 && asked < total &&
               clump_ssam_request(end[0], 1, NULL, 0, NULL) == CLUMP_PROTOCOL_OK)
            asked++;
        while (clump_ssam_transmit(end[i], now, cell))
            assert_true(clump_wire_send(wire, queue.now_ps, i, 1 - i, cell, sizeof cell));
        const uint64_t deadline = clump_ssam_deadline(end[i]);
        if (deadline != CLUMP_TIME_NEVER && deadline < alarm[i]) {
            alarm[i] = deadline > now ? deadline : now;
            clump_calendar_add(&queue,
                               (clump_event){.time_ps = alarm[i] * NS, .kind = ALARM, .node = i});
        }
    }
    const double rate = (double)total / ((double)queue.now_ps * 1e-6);
    clump_ssam_close(end[0]);
    clump_ssam_close(end[1]);
    clump_wire_close(wire);
    clump_calendar_free(&queue);
    return rate;
}

static void test_selective(void **state)
{
    (void)state;
    for (uint16_t w = 1; w <= 32; w *= 4) {
        const double clean = ssam_rate(w, 0, 100000, 20000);
        near(clean, w / 10.0, 0.02, "SSAM without loss", w); /* w per round trip of 10 us */
        static const double losses[] = {0.005, 0.02, 0.1};
        for (size_t i = 0; i < 3; i++) {
            double expected;
            assert_int_equal(clump_selective_rate(clean, 10, 400, losses[i], w, &expected, NULL),
                             CLUMP_OK);
            const double found = ssam_rate(w, losses[i], 400000, 60000);
            const double lost = w * losses[i] * (2 - losses[i]);
            if (lost <= 1)
                near(found, expected, 0.05, "SSAM", losses[i] + w);
            else /* more than one of a window: repetitions overlap, and it is a bound */
                assert_true(found > 0.98 * expected);
            /* The chain over timeouts, for any loss. */
            const clump_lossy_stream s = {.recovery = CLUMP_RECOVERY_SELECTIVE,
                                          .loss = losses[i],
                                          .window = w,
                                          .gap_us = 1e-3,
                                          .round_trip_us = 10,
                                          .timeout_us = 400};
            clump_lossy_cost cost;
            assert_int_equal(clump_lossy_stream_cost(&s, &cost, NULL), CLUMP_OK);
            near(found, 1 / cost.packet_us, 0.05, "SSAM, chain", losses[i] + w);
        }
    }
}

/* Trees against virtual time: hop and child costs are read off small ones, larger ones predicted.
 */
static double multicast(const char *protocol, uint16_t nodes)
{
    clump_virtual_cluster_options o = {.hardware = p3, .nodes = nodes, .window = 4};
    double us;
    assert_int_equal(clump_lci_protocol_parse(protocol, &o.protocol, NULL), CLUMP_PROTOCOL_OK);
    assert_int_equal(clump_measure_multicast(&o, 16, 10, &us), CLUMP_PROTOCOL_OK);
    return us;
}

static void test_trees(void **state)
{
    (void)state;
    double us;
    /* By hand: 64 nodes, binary: six hops along first children, or five with the second each. */
    clump_multicast_latency(CLUMP_MULTICAST_BINARY, 64, 1, 1, 0, 0, &us, NULL);
    assert_true(us == 6);
    clump_multicast_latency(CLUMP_MULTICAST_BINARY, 63, 1, 1, 0.5, 0, &us, NULL);
    assert_true(us == 5 * 1.5);
    clump_multicast_latency(CLUMP_MULTICAST_BINOMIAL, 64, 1, 1, 1, 0, &us, NULL);
    assert_true(us == 6); /* the optimal tree where a child costs what a hop costs */
    clump_multicast_latency(CLUMP_MULTICAST_BINARY, 1, 1, 1, 1, 1, &us, NULL);
    assert_true(us == 0);
    static const char *const protocols[] = {"l-pio", "l-sdma", "l-sdma-hmc", "l-nirx"};
    for (size_t i = 0; i < 4; i++) {
        /* Chains of first children: 2, 4, 8 nodes of a binary tree are 1, 2, 3 hops. */
        const double two = multicast(protocols[i], 2), eight = multicast(protocols[i], 8),
                     sixteen = multicast(protocols[i], 16);
        const double hop = sixteen - eight, child = multicast(protocols[i], 3) - two;
        const uint16_t sizes[] = {32, 64, 128};
        for (size_t k = 0; k < 3; k++) {
            clump_multicast_latency(CLUMP_MULTICAST_BINARY, sizes[k], eight - 2 * hop, hop, child,
                                    0, &us, NULL);
            near(multicast(protocols[i], sizes[k]), us, 0.05, protocols[i], sizes[k]);
        }
        assert_true(two < eight);
    }
}

static void test_crossover(void **state)
{
    (void)state;
    double bytes;
    assert_int_equal(clump_transfer_crossover(1, 0.01, 5, 0.005, &bytes, NULL), CLUMP_OK);
    near(bytes, 800, 1e-12, "crossover", 0);
    assert_int_equal(clump_transfer_crossover(1, 0.01, 5, 0.02, &bytes, NULL), CLUMP_OK);
    assert_true(isinf(bytes));
    assert_int_equal(clump_transfer_crossover(5, 0.02, 1, 0.01, &bytes, NULL), CLUMP_OK);
    assert_true(bytes == 0);
    /* Against virtual time: fixed costs and slopes from two sizes, the crossing between others. */
    clump_virtual_cluster_options pio = {.hardware = p3, .nodes = 2, .window = 8}, dma = pio;
    clump_lci_protocol_parse("l-pio", &pio.protocol, NULL);
    clump_lci_protocol_parse("l-sdma", &dma.protocol, NULL);
    clump_logp_measured a, b, c, d;
    assert_int_equal(clump_measure_logp(&pio, 100, 20, &a), CLUMP_PROTOCOL_OK);
    assert_int_equal(clump_measure_logp(&pio, 200, 20, &b), CLUMP_PROTOCOL_OK);
    assert_int_equal(clump_measure_logp(&dma, 100, 20, &c), CLUMP_PROTOCOL_OK);
    assert_int_equal(clump_measure_logp(&dma, 200, 20, &d), CLUMP_PROTOCOL_OK);
    const double pio_byte = (b.half_round_trip_us - a.half_round_trip_us) / 100,
                 dma_byte = (d.half_round_trip_us - c.half_round_trip_us) / 100;
    assert_int_equal(clump_transfer_crossover(a.half_round_trip_us - 100 * pio_byte, pio_byte,
                                              c.half_round_trip_us - 100 * dma_byte, dma_byte,
                                              &bytes, NULL),
                     CLUMP_OK);
    assert_int_equal(clump_measure_logp(&pio, (uint16_t)(bytes * 0.95), 20, &a), 0);
    assert_int_equal(clump_measure_logp(&dma, (uint16_t)(bytes * 0.95), 20, &b), 0);
    assert_true(a.half_round_trip_us < b.half_round_trip_us);
    assert_int_equal(clump_measure_logp(&pio, (uint16_t)(bytes * 1.05), 20, &a), 0);
    assert_int_equal(clump_measure_logp(&dma, (uint16_t)(bytes * 1.05), 20, &b), 0);
    assert_true(a.half_round_trip_us > b.half_round_trip_us);
}

static void test_arguments(void **state)
{
    (void)state;
    double x = -1;
    clump_error e;
    assert_int_equal(clump_window_rate(0, 0, 1, 1, 1, &x, &e), CLUMP_BAD_ARGUMENT);
    assert_int_equal(clump_window_rate(1, 1, 1, 4, 5, &x, &e), CLUMP_BAD_ARGUMENT);
    assert_int_equal(clump_window_rate(1, 1, NAN, 4, 2, &x, &e), CLUMP_BAD_ARGUMENT);
    assert_int_equal(clump_go_back_n_rate(1, 1, 1, &x, &e), CLUMP_BAD_ARGUMENT);
    assert_int_equal(clump_selective_rate(1, 10, 5, 0.1, 4, &x, &e), CLUMP_BAD_ARGUMENT);
    assert_int_equal(clump_multicast_latency(CLUMP_MULTICAST_BINARY, 0, 1, 1, 1, 1, &x, &e),
                     CLUMP_BAD_ARGUMENT);
    assert_int_equal(clump_multicast_rate(0, 1, &x, &e), CLUMP_BAD_ARGUMENT);
    assert_true(x == -1);
    assert_int_equal(clump_multicast_rate(6, 0.0041667, &x, &e), CLUMP_OK);
    near(x, 40, 0.05, "multicast rate", 6); /* section 5.4: "about 41 Mbyte/s" */
    assert_int_equal(clump_credit_window(256, 64), 4);
    assert_int_equal(clump_credit_window(512, 64), 8);
    assert_int_equal(clump_credit_window(10, 64), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arguments), cmocka_unit_test(test_windows),
        cmocka_unit_test(test_go_back_n), cmocka_unit_test(test_selective),
        cmocka_unit_test(test_trees),     cmocka_unit_test(test_crossover)};
    p3 = virtual_hardware("p3-myrinet");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
