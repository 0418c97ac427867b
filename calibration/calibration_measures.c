/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "calibration/calibration_measures.h"
#include "protocols/queue/process.h"

enum {
    POLLS = 5000,
    BLOCK = 8192,
    BURST = CLUMP_ENDPOINT_CREDITS,
    LEAST = 8 /* messages in a sample, however slow the way */
};

static const uint32_t arguments[CLUMP_CALIBRATION_ARGUMENTS] = {1, 2, 3, 4, 5, 6, 7, 8};

static void send_one(struct clump_measure *s)
{
    if (s->handler == CLUMP_CALIBRATION_GIVE)
        clump_visit_send(s->visit, s->handler, (uint32_t[]){s->size}, 1, NULL, 0);
    else if (s->size <= CLUMP_CALIBRATION_SHORT_BYTES)
        clump_visit_send(s->visit, s->handler, arguments, s->size / 4, NULL, 0);
    else
        clump_visit_send(s->visit, s->handler, NULL, 0, s->visit->memory, s->size);
    s->messages++;
}

/** Whether there is time for more; the clock is read now and then only, while messages are quick.
 */
static bool in_time(struct clump_measure *s, uint64_t done)
{
    enum { OFTEN = 16, PARTS = 8 };
    if (done < LEAST || (done % OFTEN != 0 && !s->slow))
        return s->visit->status == CLUMP_PROTOCOL_OK;
    const uint64_t passed = clump_time_ns() - s->clock_began;
    s->slow |= done <= OFTEN && passed > s->longest_ns / PARTS;
    return clump_visit_goes_on(s->visit) && passed < s->longest_ns;
}

/* ---- measurements, us a message */

double clump_measure_round_trips(struct clump_measure *s)
{
    struct clump_visit *v = s->visit;
    const uint64_t before = v->replies;
    s->clock_began = clump_time_ns();
    for (unsigned n = 0; n < s->trips && in_time(s, n); n++) {
        send_one(s);
        clump_visit_await(v, before + s->messages);
    }
    return clump_calibration_per_message(s->clock_began, clump_calibration_clock_ns(), s->messages);
}

double clump_measure_stream(struct clump_measure *s)
{
    struct clump_visit *v = s->visit;
    const uint64_t before = v->replies;
    s->clock_began = clump_time_ns();
    for (unsigned n = 0; n < s->trips && in_time(s, n); n++)
        send_one(s);
    clump_visit_await(v, before + s->messages);
    return clump_calibration_per_message(s->clock_began, clump_calibration_clock_ns(), s->messages);
}

double clump_measure_bursts(struct clump_measure *s)
{
    enum { SHORTEST_US = 400, BURSTS_LEAST = 4 };
    struct clump_visit *v = s->visit;
    const double clock_ns = clump_calibration_clock_ns();
    double total = 0;
    unsigned done = 0;
    s->clock_began = clump_time_ns();
    /* Of the first one it is not known how long it takes: it is not counted. */
    for (; done <= s->trips && (done < BURSTS_LEAST || in_time(s, LEAST * done)) &&
           clump_visit_goes_on(v);
         done++) {
        clump_calibration_request hold = {.kind = CLUMP_CALIBRATION_HOLD, .hold_us = SHORTEST_US};
        if (s->hold_us > SHORTEST_US)
            hold.hold_us = s->hold_us < CLUMP_CALIBRATION_HOLD_US ? (uint32_t)s->hold_us
                                                                  : CLUMP_CALIBRATION_HOLD_US;
        clump_visit_ask(v, &hold);
        const uint64_t before = v->replies, began = clump_time_ns();
        for (unsigned n = 0; n < BURST; n++)
            send_one(s);
        const double time = clump_calibration_per_message(began, clock_ns, BURST);
        total += done > 0 ? time : 0;
        s->hold_us = 4 * BURST * time;
        clump_visit_await(v, before + BURST);
    }
    return total / (done - 1);
}

double clump_measure_apart(struct clump_measure *s)
{
    struct clump_visit *v = s->visit;
    const uint64_t turns = clump_calibration_turns(s->delay_us);
    const double clock_ns = clump_calibration_clock_ns();
    struct {
        double time, delay;
        unsigned count;
    } good = {0}, all = {0};
    s->clock_began = clump_time_ns();
    for (unsigned n = 0; n < s->trips && in_time(s, n); n++) {
        const uint64_t before = v->replies, began = clump_time_ns();
        send_one(s);
        const uint64_t sent = clump_time_ns();
        clump_calibration_delay(turns);
        const double delay = clump_calibration_per_message(sent, clock_ns, 1);
        clump_endpoint_poll(v->endpoint, 1, NULL);
        const bool there = v->replies > before;
        if (!there)
            clump_visit_await(v, before + 1);
        const double time = clump_calibration_per_message(began, 3 * clock_ns, 1);
        if (there) {
            good.time += time;
            good.delay += delay;
            good.count++;
        }
        all.time += time;
        all.delay += delay;
        all.count++;
    }
    if (2 * good.count > all.count)
        all = good;
    s->delay_us = all.delay / all.count;
    return all.time / all.count;
}

double clump_measure_polls(struct clump_measure *s)
{
    s->clock_began = clump_time_ns();
    for (unsigned n = 0; n < POLLS; n++)
        clump_endpoint_poll(s->visit->endpoint, 1, NULL);
    s->messages = POLLS;
    return clump_calibration_per_message(s->clock_began, clump_calibration_clock_ns(), POLLS);
}

double clump_measure_pieces(struct clump_measure *s)
{
    struct clump_visit *v = s->visit;
    const unsigned total = s->size;
    unsigned done = 0;
    s->clock_began = clump_time_ns();
    for (; done < s->trips && (done == 0 || in_time(s, LEAST + 16 * done)); done++) {
        const uint64_t before = v->replies;
        unsigned count = 0;
        for (unsigned sent = 0; sent < total; sent += BLOCK, count++) {
            s->size = total - sent < BLOCK ? total - sent : BLOCK;
            send_one(s);
        }
        clump_visit_await(v, before + count);
    }
    s->size = total;
    s->messages = done;
    return clump_calibration_per_message(s->clock_began, clump_calibration_clock_ns(), done);
}
