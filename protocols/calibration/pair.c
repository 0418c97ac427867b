/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/calibration/pair.h"
#include "protocols/queue/process.h"

#include <string.h>

static void send(struct clump_team_member *m, const clump_pair *p)
{
    static const uint32_t arguments[CLUMP_CALIBRATION_ARGUMENTS] = {1, 2, 3, 4, 5, 6, 7, 8};
    clump_team_require(m, p->size <= CLUMP_CALIBRATION_SHORT_BYTES
                              ? clump_endpoint_request(m->endpoint, p->destination, p->handler,
                                                       arguments, p->size / 4)
                              : clump_endpoint_request_bulk(m->endpoint, p->destination, p->handler,
                                                            NULL, 0, m->memory, p->size));
}

static void trips(struct clump_team_member *m, const clump_pair *p, unsigned count)
{
    const uint64_t before = m->replies;
    for (uint64_t n = 1; n <= count; n++) {
        send(m, p);
        clump_team_await_replies(m, before + n);
    }
}

/* (a): the client waits for the reply before it sends again. Both ranks know the result. */
static double round_trips(struct clump_team_member *m, const void *of)
{
    const clump_pair *p = of;
    clump_team_meet(m, true);
    if (m->rank == p->client) {
        trips(m, p, p->warm);
        const uint64_t began = clump_time_ns();
        trips(m, p, p->messages);
        m->board->told[p->client] = clump_calibration_per_message(began, p->clock_ns, p->messages);
    } else {
        clump_team_serve(m, p->warm + p->messages);
    }
    clump_team_meet(m, true);
    return m->board->told[p->client];
}

static double burst(struct clump_team_member *m, const clump_pair *p)
{
    double time = 0;
    clump_team_meet(m, true);
    for (int i = 0; i < CLUMP_ENDPOINT_IDLE_POLLS; i++) /* so that no packet is kept back */
        clump_endpoint_poll(m->endpoint, 1, NULL);
    clump_team_meet(m, false);
    if (m->rank == 0) {
        const uint64_t before = m->replies, began = clump_time_ns();
        for (unsigned n = 0; n < p->messages; n++)
            send(m, p);
        time = clump_calibration_per_message(began, p->clock_ns, p->messages);
        clump_team_meet(m, false); /* now the other one may look */
        clump_team_poll_until(m, &m->replies, before + p->messages);
    } else {
        clump_team_meet(m, false);
        clump_team_serve(m, p->messages);
    }
    return time;
}

double clump_pair_bursts(struct clump_team_member *m, const void *of)
{
    const clump_pair *p = of;
    double us = 0;
    for (unsigned i = 0; i < p->bursts; i++)
        us += burst(m, p) / p->bursts;
    return us;
}

double clump_pair_apart(struct clump_team_member *m, const void *of)
{
    const clump_pair *p = of;
    double pauses = 0;
    clump_team_meet(m, true);
    if (m->rank != 0) {
        clump_team_serve(m, p->messages);
        return 0;
    }
    const uint64_t before = m->replies, began = clump_time_ns();
    for (uint64_t n = 1; n <= p->messages; n++) {
        send(m, p);
        /* A loop that is timed by itself, earlier, may be faster. */
        const uint64_t from = clump_time_ns();
        clump_calibration_delay(p->turns);
        pauses += clump_calibration_per_message(from, p->clock_ns, p->messages);
        /* One poll, unless the machine was busy with something else meanwhile. */
        clump_team_await_replies(m, before + n);
    }
    *p->pause_us = pauses;
    return clump_calibration_per_message(began, p->clock_ns, p->messages) - 2 * p->clock_ns / 1000;
}

double clump_pair_windows(struct clump_team_member *m, const void *of)
{
    const clump_pair *p = of;
    clump_team_meet(m, true);
    if (m->rank != 0) {
        clump_team_serve(m, p->messages);
        return 0;
    }
    const uint64_t began = clump_time_ns();
    for (unsigned sent = 0; sent < p->messages; sent += p->window) {
        const uint64_t before = m->replies;
        for (unsigned n = 0; n < p->window; n++)
            send(m, p);
        clump_team_poll_until(m, &m->replies, before + p->window);
    }
    return clump_calibration_per_message(began, p->clock_ns, p->messages);
}

double clump_pair_empty_polls(struct clump_team_member *m, const void *of)
{
    const clump_pair *p = of;
    double time = 0;
    clump_team_meet(m, false);
    if (m->rank == 0) {
        const uint64_t began = clump_time_ns();
        for (unsigned n = 0; n < p->messages; n++)
            clump_endpoint_poll(m->endpoint, 1, NULL);
        time = clump_calibration_per_message(began, p->clock_ns, p->messages);
    }
    clump_team_meet(m, false);
    return time;
}

uint64_t clump_pair_turns(double round_trip_us)
{
    enum { LONGEST_US = 200 };
    const double us = 4 * round_trip_us + 1;
    return clump_calibration_turns(us < LONGEST_US ? us : LONGEST_US);
}

/* ---- LogGP */

void clump_pair_loggp(struct clump_team_member *m, const clump_pair_amounts *a, unsigned offset,
                      double clock_ns,
                      void (*before)(struct clump_team_member *member, const void *context,
                                     bool held_high),
                      const void *context, double *r)
{
    const unsigned effort = clump_stage_effort(m);
    clump_pair p = {.handler = CLUMP_TEAM_ECHO,
                    .size = CLUMP_CALIBRATION_SHORT_BYTES,
                    .warm = a->warm,
                    .messages = a->trips * effort,
                    .clock_ns = clock_ns};
    double longest = 0;
    clump_team_meet(m, true);
    if (before != NULL)
        before(m, context, false);
    for (p.client = 0; p.client < 2; p.client++) { /* both directions (5.3.1) */
        p.destination = offset + 1 - p.client;
        const double trip = clump_team_steady(m, round_trips, &p);
        r[CLUMP_PAIR_TRIPS] += trip;
        longest = trip > longest ? trip : longest;
    }
    p.client = 0;
    p.destination = offset + 1;
    p.turns = clump_pair_turns(longest);
    p.messages = a->apart * effort;
    p.pause_us = &r[CLUMP_PAIR_PAUSE];
    r[CLUMP_PAIR_SUM] = clump_team_steady(m, clump_pair_apart, &p);
    if (before != NULL)
        before(m, context, false);
    p.messages = p.window = a->stream * effort;
    r[CLUMP_PAIR_GAP] = clump_team_steady(m, clump_pair_windows, &p);
    if (before != NULL)
        before(m, context, true);
    p.messages = a->burst;
    p.bursts = a->bursts * effort;
    r[CLUMP_PAIR_SEND] = clump_team_steady(m, clump_pair_bursts, &p);
    p.messages = a->polls;
    if (a->polls > 0)
        r[CLUMP_PAIR_POLL] = clump_team_steady(m, clump_pair_empty_polls, &p);
}

void clump_pair_give_receive(clump_stage *stage, clump_calibration_sample s, double us,
                             int64_t iterations)
{
    if (us > 0)
        clump_stage_give_as(stage, s, CLUMP_BENCHMARK_APART, CLUMP_QUANTITY_RECEIVE_TIME, us,
                            iterations);
}

void clump_pair_give(clump_stage *stage, clump_calibration_sample s, const clump_pair_amounts *a,
                     const double *r)
{
    const int64_t effort = stage->plan->effort;
    s.size_bytes = CLUMP_CALIBRATION_SHORT_BYTES;
    s.window = 1;
    clump_stage_give_as(stage, s, CLUMP_BENCHMARK_ROUND_TRIP, CLUMP_QUANTITY_HALF_ROUND_TRIP,
                        r[CLUMP_PAIR_TRIPS] / 4, 2 * a->trips * effort);
    s.window = 0;
    clump_stage_give_as(stage, s, CLUMP_BENCHMARK_SEND_BURST, CLUMP_QUANTITY_SEND_TIME,
                        r[CLUMP_PAIR_SEND], a->burst * a->bursts * effort);
    clump_pair_give_receive(stage, s, r[CLUMP_PAIR_SUM] - r[CLUMP_PAIR_PAUSE] - r[CLUMP_PAIR_SEND],
                            a->apart * effort);
    clump_calibration_sample whole = s; /* S itself */
    strcpy(whole.setting, "with the delay");
    whole.delay_us = r[CLUMP_PAIR_PAUSE];
    clump_stage_give_as(stage, whole, CLUMP_BENCHMARK_APART, CLUMP_QUANTITY_OPERATION_TIME,
                        r[CLUMP_PAIR_SUM], a->apart * effort);
    clump_stage_give_as(stage, s, CLUMP_BENCHMARK_LONG_BURST, CLUMP_QUANTITY_MESSAGE_GAP,
                        r[CLUMP_PAIR_GAP], a->stream * effort);
    s.size_bytes = -1;
    if (r[CLUMP_PAIR_POLL] != 0)
        clump_stage_give_as(stage, s, CLUMP_BENCHMARK_EMPTY_POLL, CLUMP_QUANTITY_POLL_COST,
                            r[CLUMP_PAIR_POLL], a->polls);
}
