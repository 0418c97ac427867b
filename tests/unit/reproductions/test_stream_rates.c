/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rates of streams (model/lossy_stream.h) against the protocols themselves in virtual time,
 * over grids: within 5%. And against numbers that were worked out by hand.
 */
#include "tests/unit/nodes_stream.h"
#include "tests/unit/shipped_hardware.h"

#include "model/lossy_stream.h"
#include "protocols/reliability/ssam.h"
#include "reproductions/measure/measure.h"

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

TEST(test_windows)
{
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

TEST(test_selective)
{
    for (uint16_t w = 1; w <= 32; w *= 4) {
        const double clean = ssam_rate(w, 0, 100000, 20000);
        near(clean, w / 10.0, 0.02, "SSAM without loss", w); /* w per round trip of 10 us */
        static const double losses[] = {0.005, 0.02, 0.1};
        for (size_t i = 0; i < 3; i++) {
            const double found = ssam_rate(w, losses[i], 400000, 60000);
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

TEST(test_arguments)
{
    double x = -1;
    clump_error e;
    assert_int_equal(clump_window_rate(0, 0, 1, 1, 1, &x, &e), CLUMP_BAD_ARGUMENT);
    assert_int_equal(clump_window_rate(1, 1, 1, 4, 5, &x, &e), CLUMP_BAD_ARGUMENT);
    assert_int_equal(clump_window_rate(1, 1, NAN, 4, 2, &x, &e), CLUMP_BAD_ARGUMENT);
    assert_true(x == -1);
}

int main(void)
{
    p3 = virtual_hardware("p3-myrinet");
    return unit_run(NULL, NULL);
}
