/* SPDX-License-Identifier: GPL-3.0-or-later */
/* LogGP of each protocol alone and beside the other (table 7.6), by the method of section 5.3.1. */
#include "calibration/calibration_multi.h"
#include "calibration/calibration_multi_stage.h"
#include "protocols/endpoint/endpoint_private.h"

#include <stdio.h>
#include <stdlib.h>

/* What a run measures of a protocol with a strategy, us. POLL: one that finds nothing, of a
 * protocol alone; the cost of a look drifts with what else the machine does. */
enum { TRIP, SEND, SUM, DELAY, STREAM, POLL, KINDS };
enum { WARM = 256, IDLE = 128 };

/* How much of each: over the network 16 requests are on their way at most. */
struct amount {
    unsigned trips, burst, bursts, apart, stream;
};
static const struct amount amounts[2] = {{1024, CLUMP_MULTI_LENGTH - 1, 1, 512, 4096},
                                         {256, 16, 16, 64, 1024}};

struct work {
    unsigned runs, effort, count;
    clump_multi_strategy strategies[CLUMP_MULTI_STRATEGIES];
};

struct setup {
    const struct amount *amount;
    unsigned client, destination, effort; /* destination: of the client's messages */
    uint64_t turns;                       /* of the delay */
    double clock_ns;
    double *delay; /* result beside the main one */
};

static void send_one(struct clump_team_member *m, unsigned destination)
{
    static const uint32_t arguments[CLUMP_CALIBRATION_ARGUMENTS] = {1, 2, 3, 4, 5, 6, 7, 8};
    clump_team_require(m, clump_endpoint_request(m->endpoint, destination, CLUMP_TEAM_ECHO,
                                                 arguments, CLUMP_CALIBRATION_ARGUMENTS));
}

static void trips(struct clump_team_member *m, const struct setup *s, unsigned count)
{
    const uint64_t before = m->replies;
    for (uint64_t n = 1; n <= count; n++) {
        send_one(m, s->destination);
        clump_team_await_replies(m, before + n);
    }
}

/** (a): one waits for the reply before it sends again; the other one serves. */
static double round_trip(struct clump_team_member *m, const void *of)
{
    const struct setup *s = of;
    const unsigned count = s->amount->trips * s->effort;
    double time = 0;
    clump_team_meet(m, true);
    if (m->rank == s->client) {
        trips(m, s, WARM); /* the estimates settle */
        const uint64_t began = clump_time_ns();
        trips(m, s, count);
        time = clump_calibration_per_message(began, s->clock_ns, count);
        m->board->results[m->board->capacity - 1 - s->client] = time;
    } else {
        clump_team_serve(m, WARM + count);
    }
    clump_team_meet(m, true);
    return m->board->results[m->board->capacity - 1 - s->client];
}

/** Wait, and add how long it took: a loop measured by itself, earlier, may have been faster. */
static void pause_for(const struct setup *s, unsigned count)
{
    const uint64_t began = clump_time_ns();
    clump_calibration_delay(s->turns);
    *s->delay += clump_calibration_per_message(began, s->clock_ns, count);
}

/** (b): a burst while the receiver is held back. */
static double send_burst(struct clump_team_member *m, const void *of)
{
    const struct setup *s = of;
    const unsigned bursts = s->amount->bursts * s->effort, count = s->amount->burst;
    double time = 0;
    for (unsigned i = 0; i < bursts; i++) {
        clump_team_meet(m, true);
        for (int j = 0; j < IDLE; j++) /* so that no packet is kept back */
            clump_endpoint_poll(m->endpoint, 1, NULL);
        clump_team_meet(m, false);
        if (m->rank == 0) {
            const uint64_t before = m->replies, began = clump_time_ns();
            for (unsigned n = 0; n < count; n++)
                send_one(m, s->destination);
            time += clump_calibration_per_message(began, s->clock_ns, bursts * count);
            clump_team_meet(m, false); /* now the other one may look */
            clump_team_poll_until(m, &m->replies, before + count);
        } else {
            clump_team_meet(m, false);
            clump_team_serve(m, count);
        }
    }
    return time;
}

/** (c): send, compute for longer than a round trip, accept the reply. */
static double send_and_receive(struct clump_team_member *m, const void *of)
{
    const struct setup *s = of;
    const unsigned count = s->amount->apart * s->effort;
    double time = 0;
    *s->delay = 0;
    clump_team_meet(m, true);
    if (m->rank == 0) {
        const uint64_t before = m->replies, began = clump_time_ns();
        for (uint64_t n = 1; n <= count; n++) {
            send_one(m, s->destination);
            pause_for(s, count);
            clump_team_await_replies(m, before + n);
        }
        time = clump_calibration_per_message(began, s->clock_ns, count) - 2 * s->clock_ns / 1000;
    } else {
        clump_team_serve(m, count);
    }
    return time;
}

/** (d): a burst so long that senders wait for room; until the last reply. */
static double stream(struct clump_team_member *m, const void *of)
{
    const struct setup *s = of;
    const unsigned count = s->amount->stream * s->effort;
    double time = 0;
    clump_team_meet(m, true);
    if (m->rank == 0) {
        const uint64_t before = m->replies, began = clump_time_ns();
        for (unsigned n = 0; n < count; n++)
            send_one(m, s->destination);
        clump_team_poll_until(m, &m->replies, before + count);
        time = clump_calibration_per_message(began, s->clock_ns, count);
    } else {
        clump_team_serve(m, count);
    }
    return time;
}

/** All of one protocol with one strategy. */
static void measure_one(struct clump_team_member *m, struct clump_multi_mode mode, bool network,
                        struct setup *s, double *r)
{
    const unsigned offset = network ? CLUMP_MULTI_REMOTE : 0;
    s->amount = &amounts[network];
    clump_team_meet(m, true);
    clump_multi_poll_as(m, &mode);
    double trip[2];
    for (s->client = 0; s->client < 2; s->client++) {
        s->destination = offset + 1 - s->client;
        trip[s->client] = clump_team_steady(m, round_trip, s);
    }
    s->client = 0;
    s->destination = offset + 1;
    s->turns = clump_calibration_turns(2 * (trip[0] > trip[1] ? trip[0] : trip[1]) + 1);
    s->delay = &r[DELAY];
    r[TRIP] = (trip[0] + trip[1]) / 2; /* both directions (5.3.1) */
    r[SUM] = clump_team_steady(m, send_and_receive, s);
    clump_multi_poll_as(m, &mode);
    r[STREAM] = clump_team_steady(m, stream, s);
    if (!network && mode.network) { /* the local estimate held high */
        mode.parameters.minimum_skip = mode.parameters.maximum_skip;
        clump_multi_poll_as(m, &mode);
    }
    r[SEND] = clump_team_steady(m, send_burst, s);
    if (mode.local && mode.network)
        return;
    const struct clump_multi_polls polls = {s->amount->stream, s->clock_ns};
    r[POLL] = clump_team_steady(m, clump_multi_empty_polls, &polls);
}

static size_t numbers(const struct work *work)
{
    return 2 + 2 * (1 + (size_t)work->count) * KINDS;
}

static void measure(struct clump_team_member *m)
{
    const struct work *work = m->work;
    struct setup s = {.effort = work->effort, .clock_ns = clump_calibration_clock_ns()};
    clump_multi_join(m);
    for (unsigned run = 0; run <= work->runs; run++) { /* the first one only warms up */
        double *r = m->board->results + (size_t)(run > 0 ? run - 1 : 0) * numbers(work);
        double ignored[KINDS];
        m->disturbed = false;
        clump_endpoint_isolate(m->endpoint, true, true);
        const double line = clump_team_line(m);
        for (unsigned k = 0; k < 2 * (1 + work->count); k++) {
            const bool network = k % 2 == 1;
            const struct clump_multi_mode mode =
                k < 2
                    ? (struct clump_multi_mode){.local = !network, .network = network}
                    : (struct clump_multi_mode){true, true, work->strategies[k / 2 - 1].parameters};
            measure_one(m, mode, network, &s, m->rank == 0 ? r + 2 + (size_t)k * KINDS : ignored);
        }
        if (m->rank == 0) {
            r[0] = line;
            r[1] = m->disturbed;
            atomic_fetch_add(&m->board->steps, 1);
        }
    }
    clump_team_meet(m, true);
    clump_endpoint_isolate(m->endpoint, true, true);
}

static void give(struct clump_calibration *c, clump_calibration_sample s, const double *r,
                 const struct amount *amount)
{
    const int64_t effort = c->plan->effort;
    s.benchmark = "round trip";
    s.quantity = "half_round_trip";
    s.value = r[TRIP] / 2;
    s.iterations = 2 * amount->trips * effort;
    s.window = 1;
    clump_calibration_give(c, s);
    s.window = 0;
    s.benchmark = "send burst";
    s.quantity = "send_time";
    s.value = r[SEND];
    s.iterations = amount->burst * amount->bursts * effort;
    clump_calibration_give(c, s);
    s.benchmark = "long burst";
    s.quantity = "message_gap";
    s.value = r[STREAM];
    s.iterations = amount->stream * effort;
    clump_calibration_give(c, s);
    s.benchmark = "send and receive apart";
    s.quantity = "receive_time";
    s.value = r[SUM] - r[DELAY] - r[SEND]; /* o_r = S - D - o_s */
    s.iterations = amount->apart * effort;
    s.delay_us = r[DELAY];
    /* Where the two overheads differ by less than they scatter, it could fall below zero. */
    if (s.value > 0)
        clump_calibration_give(c, s);
    if (r[POLL] == 0)
        return;
    s.benchmark = "empty poll";
    s.quantity = "poll_cost";
    s.value = r[POLL];
    s.size_bytes = -1;
    s.iterations = amount->stream;
    s.delay_us = 0;
    clump_calibration_give(c, s);
}

clump_protocol_status clump_multi_loggp(const clump_calibration_plan *plan,
                                        const clump_multi_strategy *strategies, unsigned count,
                                        char message[CLUMP_CALIBRATION_MESSAGE_BYTES])
{
    struct clump_calibration c = {.plan = plan, .message = message};
    struct work work = {plan->runs, plan->effort, count, {{"", {0}}}};
    double *results;
    if (count == 0 || count > CLUMP_MULTI_STRATEGIES) {
        snprintf(message, CLUMP_CALIBRATION_MESSAGE_BYTES, "%u strategies: expected 1 to %d", count,
                 (int)CLUMP_MULTI_STRATEGIES);
        return CLUMP_PROTOCOL_BAD_INPUT;
    }
    for (unsigned i = 0; i < count; i++)
        work.strategies[i] = strategies[i];
    const clump_protocol_status status = clump_multi_run(
        plan, plan->runs * numbers(&work) + 2, &work, plan->runs + 1u, 2, measure, &c, &results);
    for (unsigned run = 0; run < plan->runs && status == CLUMP_PROTOCOL_OK; run++) {
        const double *r = results + (size_t)run * numbers(&work);
        for (unsigned k = 0; k < 2 * (1 + count); k++)
            give(&c,
                 (clump_calibration_sample){.variant = k < 2 ? CLUMP_MULTI_ALONE
                                                             : strategies[k / 2 - 1].name,
                                            .transport = k % 2 == 1 ? "udp" : NULL,
                                            .size_bytes = CLUMP_CALIBRATION_SHORT_BYTES,
                                            .run = run + 1,
                                            .processes = 2,
                                            .line_us = r[0],
                                            .disturbed = r[1] != 0},
                 r + 2 + (size_t)k * KINDS, &amounts[k % 2]);
    }
    return clump_multi_end(&c, status, results);
}

double clump_multi_loggp_seconds(const clump_calibration_plan *plan, unsigned strategies)
{
    return 0.2 + 0.025 * (1 + strategies) * plan->effort * plan->runs;
}
