/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Messages of all sizes between two processes: half round trip, the overheads of short ones, rate
 * with 64 on their way, and the bandwidth of long messages that are cut into pieces of 8 kB, of
 * which 512 kB gives G (section 5.3.1, figure 6.20).
 */
#include "calibration/calibration_stage.h"

#include <stdlib.h>

enum {
    BLOCK = 8192,
    WINDOW = 64,
    TRIPS = 200,
    BURST = 1024,
    BURSTS = 32, /* of 16 messages over the network, where credits bound them */
    APART = 64,
    WINDOWS = 6,
    LONG_BYTES = 512 << 10
};

/* Up to 32 bytes as arguments, above as bulk data. */
static const unsigned sizes[] = {4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192};
/* Around the step from one piece to two. */
static const unsigned totals[] = {512,   1024,  2048,  3072,  4096,  5120,   6144,   8192,
                                  10240, 12288, 16384, 32768, 65536, 131072, 262144, LONG_BYTES};
enum {
    SIZES = sizeof sizes / sizeof *sizes,
    TOTALS = sizeof totals / sizeof *totals,
    KINDS = 5, /* half round trip, send, window, send and receive apart, delay */
    FIRST = 3, /* after line, disturbed and window */
    COUNT = FIRST + KINDS * SIZES + TOTALS
};

struct work {
    unsigned runs, effort;
};

/* What a measurement needs to know. */
struct setup {
    unsigned handler, size, window, times, burst;
    uint64_t turns; /* of the delay */
    double clock_ns;
};

static const uint32_t arguments[8] = {8, 7, 6, 5, 4, 3, 2, 1};

static void send(struct clump_team_member *m, unsigned handler, unsigned size)
{
    clump_team_require(
        m, size <= CLUMP_CALIBRATION_SHORT_BYTES
               ? clump_endpoint_request(m->endpoint, 1, handler, arguments, size / 4)
               : clump_endpoint_request_bulk(m->endpoint, 1, handler, NULL, 0, m->memory, size));
}

/** `rounds` times: send `window` messages, then wait for all answers. us a message. */
static double rounds(struct clump_team_member *m, const void *of)
{
    const struct setup *setup = of;
    const unsigned window = setup->window, times = setup->times;
    clump_team_meet(m, true);
    if (m->rank != 0) {
        clump_team_serve(m, (uint64_t)window * times);
        return 0;
    }
    const uint64_t began = clump_time_ns();
    for (unsigned t = 0; t < times; t++) {
        const uint64_t before = m->replies;
        for (unsigned n = 0; n < window; n++)
            send(m, setup->handler, setup->size);
        clump_team_poll_until(m, &m->replies, before + window);
    }
    return clump_calibration_per_message(began, setup->clock_ns, (uint64_t)window * times);
}

/** A long message in pieces; times a whole one, us. */
static double pieces(struct clump_team_member *m, const void *of)
{
    const struct setup *setup = of;
    const unsigned total = setup->size, times = setup->times;
    const unsigned count = (total + BLOCK - 1) / BLOCK;
    clump_team_meet(m, true);
    if (m->rank != 0) {
        clump_team_serve(m, (uint64_t)count * times);
        return 0;
    }
    const uint64_t began = clump_time_ns();
    for (unsigned t = 0; t < times; t++) {
        const uint64_t before = m->replies;
        for (unsigned sent = 0; sent < total; sent += BLOCK) {
            const unsigned size = total - sent < BLOCK ? total - sent : BLOCK;
            clump_team_require(
                m, clump_endpoint_request_bulk(m->endpoint, 1, CLUMP_TEAM_ACKNOWLEDGE, NULL, 0,
                                               m->memory + sent % CLUMP_TEAM_MEMORY, size));
        }
        clump_team_poll_until(m, &m->replies, before + count);
    }
    return clump_calibration_per_message(began, setup->clock_ns, times);
}

/** A burst of short messages while the receiver is held back; the queue is longer. */
static double send_burst(struct clump_team_member *m, const void *of)
{
    const struct setup *setup = of;
    const unsigned burst = setup->burst;
    double time = 0;
    clump_team_meet(m, true);
    if (m->rank == 0) {
        const uint64_t before = m->replies, began = clump_time_ns();
        for (unsigned n = 0; n < burst; n++)
            send(m, CLUMP_TEAM_ACKNOWLEDGE, setup->size);
        time = clump_calibration_per_message(began, setup->clock_ns, burst);
        clump_team_meet(m, false);
        clump_team_poll_until(m, &m->replies, before + burst);
    } else {
        clump_team_meet(m, false);
        clump_team_serve(m, burst);
    }
    return time;
}

/** Send, compute for longer than a round trip, accept the reply of the same size. */
static double send_and_receive(struct clump_team_member *m, const void *of)
{
    const struct setup *setup = of;
    clump_team_meet(m, true);
    if (m->rank != 0) {
        clump_team_serve(m, setup->times);
        return 0;
    }
    const uint64_t before = m->replies, began = clump_time_ns();
    for (unsigned n = 1; n <= setup->times; n++) {
        send(m, CLUMP_TEAM_ECHO, setup->size);
        clump_calibration_delay(setup->turns);
        clump_team_await_replies(m, before + n);
    }
    return clump_calibration_per_message(began, setup->clock_ns, setup->times);
}

static double delay_alone(struct clump_team_member *m, const void *of)
{
    const struct setup *setup = of;
    const uint64_t began = clump_time_ns();
    for (unsigned n = 0; n < setup->times && m->rank == 0; n++)
        clump_calibration_delay(setup->turns);
    return clump_calibration_per_message(began, setup->clock_ns, setup->times);
}

static void measure(struct clump_team_member *m)
{
    const struct work *work = m->work;
    const double clock_ns = clump_calibration_clock_ns();
    const unsigned window = clump_team_burst(m, 1 - m->rank, WINDOW);
    const unsigned burst = clump_team_burst(m, 1 - m->rank, BURST);
    const unsigned bursts = work->effort * (burst < BURST ? BURSTS : 1);
    for (unsigned run = 0; run <= work->runs; run++) { /* the first one only warms up */
        double r[COUNT] = {clump_team_line(m)};
        m->disturbed = false;
        for (unsigned i = 0; i < SIZES; i++) {
            double *at = r + FIRST + KINDS * i;
            struct setup setup = {CLUMP_TEAM_ECHO, sizes[i], 1,       TRIPS * work->effort,
                                  burst,           0,        clock_ns};
            at[0] = clump_team_steady(m, rounds, &setup) / 2;
            /* The overheads are those of short messages. */
            const bool is_short = sizes[i] <= CLUMP_CALIBRATION_SHORT_BYTES;
            for (unsigned b = 0; b < bursts && is_short; b++)
                at[1] += clump_team_steady(m, send_burst, &setup) / bursts;
            setup.handler = CLUMP_TEAM_ACKNOWLEDGE;
            setup.window = window;
            setup.times = WINDOW / window * WINDOWS * work->effort;
            at[2] = clump_team_steady(m, rounds, &setup);
            if (!is_short)
                continue;
            setup.turns = clump_calibration_turns(8 * at[0] + 1);
            setup.times = APART * work->effort;
            at[3] = clump_team_steady(m, send_and_receive, &setup);
            at[4] = clump_team_steady(m, delay_alone, &setup);
        }
        for (unsigned i = 0; i < TOTALS; i++) {
            const unsigned fit = LONG_BYTES / 4 / totals[i], most = fit < 32 ? fit : 32;
            const struct setup setup = {.size = totals[i],
                                        .times = (most > 1 ? most : 1) * work->effort,
                                        .clock_ns = clock_ns};
            r[FIRST + KINDS * SIZES + i] = clump_team_steady(m, pieces, &setup);
        }
        r[1] = m->disturbed;
        r[2] = window;
        if (m->rank == 0) {
            for (unsigned k = 0; k < COUNT && run > 0; k++)
                m->board->results[(size_t)(run - 1) * COUNT + k] = r[k];
            atomic_fetch_add(&m->board->steps, 1);
        }
    }
}

static void give(struct clump_calibration *c, const double *r, int64_t run)
{
    const clump_calibration_sample base = {
        .run = run, .processes = 2, .disturbed = r[1] != 0, .line_us = r[0]};
    for (unsigned i = 0; i < SIZES; i++) {
        const double *at = r + FIRST + KINDS * i;
        clump_calibration_sample s = base;
        s.size_bytes = sizes[i];
        if (sizes[i] != CLUMP_CALIBRATION_SHORT_BYTES) { /* that one is measured better in loggp */
            s.benchmark = "round trip";
            s.quantity = "half_round_trip";
            s.value = at[0];
            s.iterations = (int64_t)TRIPS * c->plan->effort;
            s.window = 1;
            clump_calibration_give(c, s);
        }
        s.window = 0;
        if (sizes[i] < CLUMP_CALIBRATION_SHORT_BYTES) {
            s.benchmark = "send burst";
            s.quantity = "send_time";
            s.value = at[1];
            s.iterations =
                (r[2] < WINDOW ? (int64_t)BURSTS * (int64_t)r[2] : BURST) * c->plan->effort;
            clump_calibration_give(c, s);
            s.benchmark = "send and receive apart";
            s.quantity = "receive_time";
            s.value = at[3] - at[4] - at[1]; /* o_r = S - D - o_s */
            s.iterations = (int64_t)APART * c->plan->effort;
            if (s.value > 0)
                clump_calibration_give(c, s);
        }
        s.benchmark = "window";
        s.quantity = "transfer_rate";
        s.value = sizes[i] / at[2];
        s.iterations = (int64_t)WINDOW * WINDOWS * c->plan->effort;
        s.window = (unsigned)r[2];
        clump_calibration_give(c, s);
    }
    for (unsigned i = 0; i < TOTALS; i++) {
        clump_calibration_sample s = base;
        s.benchmark = "pieces of 8 kB";
        s.setting = "fragmented";
        s.quantity = "transfer_rate";
        s.size_bytes = totals[i];
        s.window = 1;
        s.value = totals[i] / r[FIRST + KINDS * SIZES + i];
        clump_calibration_give(c, s);
    }
}

clump_protocol_status clump_calibrate_sizes(struct clump_calibration *c)
{
    const struct work work = {c->plan->runs, c->plan->effort};
    struct clump_team_options options = {
        .count = 2, .work = &work, .results = (size_t)work.runs * COUNT, .steps = work.runs + 1};
    double *results = calloc(options.results, sizeof *results);
    if (results == NULL)
        return CLUMP_PROTOCOL_FAILED;
    const clump_protocol_status status = clump_calibration_team(c, &options, 1, measure, results);
    for (unsigned run = 0; run < work.runs && status == CLUMP_PROTOCOL_OK; run++)
        give(c, results + (size_t)run * COUNT, run + 1);
    free(results);
    return status;
}
