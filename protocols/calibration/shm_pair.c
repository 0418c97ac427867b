/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two processes. LogGP of short messages, by the method of section 5.3.1, figure 5.6; and messages
 * of all sizes: half round trip, the overheads of short ones, rate with 64 on their way, and the
 * bandwidth of long messages that are cut into pieces of 8 kB, of which 512 kB gives G (5.3.1,
 * figure 6.20).
 *
 * Every run takes one sample of each kind, one after the other, and bounces a bare cache line
 * first: where a virtual machine changes its speed under way, it shows there, and in all of the run
 * alike.
 */
#include "protocols/calibration/pair.h"
#include "protocols/calibration/shm_parts.h"
#include "protocols/queue/process.h"

#include <string.h>

enum { SHORT = CLUMP_CALIBRATION_SHORT_BYTES };

/* ---- LogGP */

enum { LENGTH = 1024 };

static const clump_pair_amounts amounts = {.trips = 2048,
                                           .burst =
                                               LENGTH - 1, /* lists keep a node for themselves */
                                           .bursts = 1,
                                           .apart = 512,
                                           .stream = 16384,
                                           .polls = 20000};

static void measure_loggp(struct clump_team_member *m, void *state, double *r)
{
    clump_pair_loggp(m, &amounts, 0, *(const double *)state, NULL, NULL, r);
}

static void join_loggp(struct clump_team_member *m, void *shared, const void *work)
{
    double clock_ns = clump_calibration_clock_ns();
    (void)shared, (void)work;
    clump_stage_runs(m, &clock_ns, measure_loggp);
}

static void give_loggp(clump_stage *stage, const void *work, const double *r,
                       clump_calibration_sample s)
{
    (void)work;
    clump_pair_give(stage, s, &amounts, r);
    s.size_bytes = -1;
    clump_stage_give_as(stage, s, CLUMP_BENCHMARK_CACHE_LINE, CLUMP_QUANTITY_LINE_TRANSFER,
                        s.line_us, 0);
}

clump_protocol_status clump_shm_loggp(clump_stage *stage)
{
    return clump_stage_run(stage, &(clump_stage_team){.endpoint.length = LENGTH,
                                                      .processes = 2,
                                                      .numbers = CLUMP_PAIR_NUMBERS,
                                                      .join = join_loggp,
                                                      .give = give_loggp});
}

/* ---- sizes */

enum {
    BLOCK = 8192,
    WINDOW = 64,
    WINDOWS = 6,
    SIZE_TRIPS = 200,
    SIZE_BURST = 1024,
    SIZE_APART = 64,
    LONG_BYTES = 512 << 10
};

/* Up to 32 bytes as arguments, above as bulk data. */
static const unsigned sizes[] = {4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192};
/* Around the step from one piece to two. */
static const unsigned totals[] = {512,   1024,  2048,  3072,  4096,  5120,   6144,   8192,
                                  10240, 12288, 16384, 32768, 65536, 131072, 262144, LONG_BYTES};
enum { SIZES = sizeof sizes / sizeof *sizes, TOTALS = sizeof totals / sizeof *totals };

/* What a run measures: these of each size, us, then each total. */
enum { HALF, SIZE_SEND, RATE, SIZE_SUM, SIZE_DELAY, KINDS };
enum { FIRST_TOTAL = KINDS * SIZES, SIZES_NUMBERS = FIRST_TOTAL + TOTALS };

struct long_message {
    unsigned bytes, times;
    double clock_ns;
};

/** A long message in pieces; times a whole one, us. */
static double pieces(struct clump_team_member *m, const void *of)
{
    const struct long_message *message = of;
    const unsigned total = message->bytes, count = (total + BLOCK - 1) / BLOCK;
    clump_team_meet(m, true);
    if (m->rank != 0) {
        clump_team_serve(m, (uint64_t)count * message->times);
        return 0;
    }
    const uint64_t began = clump_time_ns();
    for (unsigned t = 0; t < message->times; t++) {
        const uint64_t before = m->replies;
        for (unsigned sent = 0; sent < total; sent += BLOCK) {
            const unsigned size = total - sent < BLOCK ? total - sent : BLOCK;
            clump_team_require(
                m, clump_endpoint_request_bulk(m->endpoint, 1, CLUMP_TEAM_ACKNOWLEDGE, NULL, 0,
                                               m->memory + sent % CLUMP_TEAM_MEMORY, size));
        }
        clump_team_poll_until(m, &m->replies, before + count);
    }
    return clump_calibration_per_message(began, message->clock_ns, message->times);
}

static void measure_size(struct clump_team_member *m, unsigned size, double clock_ns, double *r)
{
    const unsigned effort = clump_stage_effort(m);
    clump_pair p = {.destination = 1,
                    .handler = CLUMP_TEAM_ECHO,
                    .size = size,
                    .messages = SIZE_TRIPS * effort,
                    .window = 1,
                    .clock_ns = clock_ns};
    r[HALF] = clump_team_steady(m, clump_pair_windows, &p) / 2;
    /* The overheads are those of short messages. */
    if (size <= SHORT) {
        p.turns = clump_pair_turns(2 * r[HALF]);
        p.messages = SIZE_APART * effort;
        p.pause_us = &r[SIZE_DELAY];
        r[SIZE_SUM] = clump_team_steady(m, clump_pair_apart, &p);
    }
    p.handler = CLUMP_TEAM_ACKNOWLEDGE;
    if (size <= SHORT) {
        p.messages = SIZE_BURST;
        p.bursts = effort;
        r[SIZE_SEND] = clump_team_steady(m, clump_pair_bursts, &p);
    }
    p.window = WINDOW;
    p.messages = WINDOW * WINDOWS * effort;
    r[RATE] = clump_team_steady(m, clump_pair_windows, &p);
}

static void measure_sizes(struct clump_team_member *m, void *state, double *r)
{
    const double clock_ns = *(const double *)state;
    const unsigned effort = clump_stage_effort(m);
    for (unsigned i = 0; i < SIZES; i++)
        measure_size(m, sizes[i], clock_ns, r + KINDS * i);
    for (unsigned i = 0; i < TOTALS; i++) {
        const unsigned fit = LONG_BYTES / 4 / totals[i], most = fit < 32 ? fit : 32;
        const struct long_message message = {totals[i], (most > 1 ? most : 1) * effort, clock_ns};
        r[FIRST_TOTAL + i] = clump_team_steady(m, pieces, &message);
    }
}

static void join_sizes(struct clump_team_member *m, void *shared, const void *work)
{
    double clock_ns = clump_calibration_clock_ns();
    (void)shared, (void)work;
    clump_stage_runs(m, &clock_ns, measure_sizes);
}

static void give_size(clump_stage *stage, const double *r, clump_calibration_sample s)
{
    const int64_t effort = stage->plan->effort;
    if (s.size_bytes != SHORT) { /* that one is measured better in loggp */
        s.window = 1;
        clump_stage_give_as(stage, s, CLUMP_BENCHMARK_ROUND_TRIP, CLUMP_QUANTITY_HALF_ROUND_TRIP,
                            r[HALF], SIZE_TRIPS * effort);
        s.window = 0;
    }
    if (s.size_bytes < SHORT) {
        clump_stage_give_as(stage, s, CLUMP_BENCHMARK_SEND_BURST, CLUMP_QUANTITY_SEND_TIME,
                            r[SIZE_SEND], SIZE_BURST * effort);
        clump_pair_give_receive(stage, s, r[SIZE_SUM] - r[SIZE_DELAY] - r[SIZE_SEND],
                                SIZE_APART * effort);
    }
    s.window = WINDOW;
    clump_stage_give_as(stage, s, CLUMP_BENCHMARK_WINDOW, CLUMP_QUANTITY_TRANSFER_RATE,
                        (double)s.size_bytes / r[RATE], (int64_t)WINDOW * WINDOWS * effort);
}

static void give_sizes(clump_stage *stage, const void *work, const double *r,
                       clump_calibration_sample s)
{
    (void)work;
    for (unsigned i = 0; i < SIZES; i++) {
        s.size_bytes = sizes[i];
        give_size(stage, r + KINDS * i, s);
    }
    strcpy(s.setting, "fragmented");
    s.window = 1;
    for (unsigned i = 0; i < TOTALS; i++) {
        s.size_bytes = totals[i];
        clump_stage_give_as(stage, s, CLUMP_BENCHMARK_PIECES, CLUMP_QUANTITY_TRANSFER_RATE,
                            totals[i] / r[FIRST_TOTAL + i], 0);
    }
}

clump_protocol_status clump_shm_sizes(clump_stage *stage)
{
    return clump_stage_run(stage, &(clump_stage_team){.processes = 2,
                                                      .numbers = SIZES_NUMBERS,
                                                      .join = join_sizes,
                                                      .give = give_sizes});
}
