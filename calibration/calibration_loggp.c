/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * LogGP of short messages between two processes, by the method of section 5.3.1, figure 5.6.
 *
 * Every run takes one sample of each kind, one after the other, and bounces a bare cache line
 * first: where a virtual machine changes its speed under way, it shows there, and in all of the run
 * alike.
 */
#include "calibration/calibration_stage.h"

#include <stdlib.h>

enum {
    TRIP = 2048,
    GAP = 16384,
    APART = 512,
    POLLS = 20000,
    LENGTH = 1024,
    IDLE = 128,
    BURST = LENGTH - 1, /* lists keep a node for themselves */
    BURSTS = 32         /* of 16 messages over the network, where credits bound them */
};

/* What a run measures, us. */
enum { LINE, FORTH, BACK, SEND, SUM, DELAY, STREAM, POLL, DISTURBED, SENT, COUNT };

struct work {
    unsigned runs, effort;
};

/* What a measurement needs to know. */
struct setup {
    unsigned client, messages, burst;
    uint64_t turns; /* of the delay */
    double clock_ns;
};

static const uint32_t arguments[CLUMP_CALIBRATION_ARGUMENTS] = {1, 2, 3, 4, 5, 6, 7, 8};

static void send_one(struct clump_team_member *m)
{
    clump_team_require(m, clump_endpoint_request(m->endpoint, 1 - m->rank, CLUMP_TEAM_ECHO,
                                                 arguments, CLUMP_CALIBRATION_ARGUMENTS));
}

/** (a): one waits for the reply before it sends again; the other one serves. */
static double round_trip(struct clump_team_member *m, const void *of)
{
    const struct setup *setup = of;
    const unsigned client = setup->client, messages = setup->messages;
    clump_team_meet(m, true);
    double time = 0;
    if (m->rank == client) {
        const uint64_t before = m->replies, began = clump_time_ns();
        for (uint64_t n = 1; n <= messages; n++) {
            send_one(m);
            clump_team_await_replies(m, before + n);
        }
        time = clump_calibration_per_message(began, setup->clock_ns, messages);
        m->board->results[m->board->capacity - 1 - client] = time;
    } else {
        clump_team_serve(m, messages);
    }
    clump_team_meet(m, true);
    return m->board->results[m->board->capacity - 1 - client];
}

/** (b): a burst that fills the queue while the receiver is held back. */
static double send_burst(struct clump_team_member *m, const void *of)
{
    const struct setup *setup = of;
    const unsigned burst = setup->burst;
    double time = 0;
    clump_team_meet(m, true);
    for (int i = 0; i < IDLE; i++) /* so that no packet is kept back */
        clump_endpoint_poll(m->endpoint, 1, NULL);
    clump_team_meet(m, false);
    if (m->rank == 0) {
        const uint64_t before = m->replies, began = clump_time_ns();
        for (unsigned n = 0; n < burst; n++)
            send_one(m);
        time = clump_calibration_per_message(began, setup->clock_ns, burst);
        clump_team_meet(m, false); /* now the other one may look */
        clump_team_poll_until(m, &m->replies, before + burst);
    } else {
        clump_team_meet(m, false);
        clump_team_serve(m, burst);
    }
    return time;
}

/** (c): send, compute for longer than a round trip, accept the reply. */
static double send_and_receive(struct clump_team_member *m, const void *of)
{
    const struct setup *setup = of;
    double time = 0;
    clump_team_meet(m, true);
    if (m->rank == 0) {
        const uint64_t before = m->replies, began = clump_time_ns();
        for (uint64_t n = 1; n <= APART; n++) {
            send_one(m);
            clump_calibration_delay(setup->turns);
            /* Once, unless the machine was busy with something else meanwhile. */
            clump_team_await_replies(m, before + n);
        }
        time = clump_calibration_per_message(began, setup->clock_ns, APART);
    } else {
        clump_team_serve(m, APART);
    }
    return time;
}

/** (d): a burst so long that senders wait for room; until the last reply. */
static double stream(struct clump_team_member *m, const void *of)
{
    const struct setup *setup = of;
    const unsigned messages = setup->messages;
    double time = 0;
    clump_team_meet(m, true);
    if (m->rank == 0) {
        const uint64_t before = m->replies, began = clump_time_ns();
        for (unsigned n = 0; n < messages; n++)
            send_one(m);
        clump_team_poll_until(m, &m->replies, before + messages);
        time = clump_calibration_per_message(began, setup->clock_ns, messages);
    } else {
        clump_team_serve(m, messages);
    }
    return time;
}

static double empty_polls(struct clump_team_member *m, const void *of)
{
    const struct setup *setup = of;
    double time = 0;
    clump_team_meet(m, true);
    if (m->rank == 0) {
        const uint64_t began = clump_time_ns();
        for (unsigned n = 0; n < POLLS; n++)
            clump_endpoint_poll(m->endpoint, 1, NULL);
        time = clump_calibration_per_message(began, setup->clock_ns, POLLS);
    }
    clump_team_meet(m, false);
    return time;
}

/** The delay of (c) alone. */
static double delay_alone(struct clump_team_member *m, const void *of)
{
    const struct setup *setup = of;
    const uint64_t began = clump_time_ns();
    for (unsigned n = 0; n < APART && m->rank == 0; n++)
        clump_calibration_delay(setup->turns);
    return clump_calibration_per_message(began, setup->clock_ns, APART);
}

static void measure(struct clump_team_member *m)
{
    const struct work *work = m->work;
    struct setup setup = {.clock_ns = clump_calibration_clock_ns(),
                          .burst = clump_team_burst(m, 1 - m->rank, BURST)};
    const unsigned bursts = work->effort * (setup.burst < BURST ? BURSTS : 1);
    for (unsigned run = 0; run <= work->runs; run++) { /* the first one only warms up */
        double r[COUNT] = {0};
        m->disturbed = false;
        r[LINE] = clump_team_line(m);
        setup.messages = TRIP * work->effort;
        setup.client = 0;
        r[FORTH] = clump_team_steady(m, round_trip, &setup);
        setup.client = 1;
        r[BACK] = clump_team_steady(m, round_trip, &setup);
        /* Longer than any round trip of this run. */
        setup.turns = clump_calibration_turns(4 * (r[FORTH] > r[BACK] ? r[FORTH] : r[BACK]) + 1);
        for (unsigned burst = 0; burst < bursts; burst++)
            r[SEND] += clump_team_steady(m, send_burst, &setup) / bursts;
        for (unsigned burst = 0; burst < work->effort; burst++) {
            r[SUM] += clump_team_steady(m, send_and_receive, &setup) / work->effort;
            r[DELAY] += clump_team_steady(m, delay_alone, &setup) / work->effort;
        }
        setup.messages = GAP * work->effort;
        r[STREAM] = clump_team_steady(m, stream, &setup);
        r[POLL] = clump_team_steady(m, empty_polls, &setup);
        r[DISTURBED] = m->disturbed;
        r[SENT] = setup.burst < BURST ? BURSTS * setup.burst : BURST;
        if (m->rank == 0) {
            for (unsigned k = 0; k < COUNT && run > 0; k++)
                m->board->results[(size_t)(run - 1) * COUNT + k] = r[k];
            atomic_fetch_add(&m->board->steps, 1);
        }
    }
}

static void give(struct clump_calibration *c, const double *r, int64_t run)
{
    const int64_t effort = c->plan->effort;
    const clump_calibration_sample base = {.size_bytes = CLUMP_CALIBRATION_SHORT_BYTES,
                                           .run = run,
                                           .processes = 2,
                                           .line_us = r[LINE],
                                           .disturbed = r[DISTURBED] != 0};
    clump_calibration_sample s = base;
    s.benchmark = "round trip";
    s.quantity = "half_round_trip";
    s.value = (r[FORTH] + r[BACK]) / 4; /* both directions (5.3.1) */
    s.iterations = 2 * TRIP * effort;
    s.window = 1;
    clump_calibration_give(c, s);
    s = base;
    s.benchmark = "send burst";
    s.quantity = "send_time";
    s.value = r[SEND];
    s.iterations = (int64_t)r[SENT] * effort;
    clump_calibration_give(c, s);
    s.benchmark = "send and receive apart";
    s.quantity = "receive_time";
    s.value = r[SUM] - r[DELAY] - r[SEND]; /* o_r = S - D - o_s */
    s.iterations = APART * effort;
    /* Where the two overheads differ by less than they scatter, it could fall below zero. */
    if (s.value > 0)
        clump_calibration_give(c, s);
    s.quantity = "operation_time"; /* S itself */
    s.setting = "with the delay";
    s.value = r[SUM];
    s.delay_us = r[DELAY];
    clump_calibration_give(c, s);
    s = base;
    s.benchmark = "long burst";
    s.quantity = "message_gap";
    s.value = r[STREAM];
    s.iterations = GAP * effort;
    clump_calibration_give(c, s);
    s = base;
    s.benchmark = "empty poll";
    s.quantity = "poll_cost";
    s.value = r[POLL];
    s.iterations = POLLS;
    s.size_bytes = -1;
    clump_calibration_give(c, s);
    s.benchmark = "cache line";
    s.quantity = "line_transfer";
    s.value = r[LINE];
    s.iterations = 0;
    clump_calibration_give(c, s);
}

clump_protocol_status clump_calibrate_loggp(struct clump_calibration *c)
{
    const struct work work = {c->plan->runs, c->plan->effort};
    struct clump_team_options options = {.endpoint.length = LENGTH,
                                         .count = 2,
                                         .work = &work,
                                         .results = (size_t)work.runs * COUNT + 2,
                                         .steps = work.runs + 1};
    double *results = calloc(options.results, sizeof *results);
    if (results == NULL)
        return CLUMP_PROTOCOL_FAILED;
    const clump_protocol_status status = clump_calibration_team(c, &options, 1, measure, results);
    for (unsigned run = 0; run < work.runs && status == CLUMP_PROTOCOL_OK; run++)
        give(c, results + (size_t)run * COUNT, run + 1);
    free(results);
    return status;
}
