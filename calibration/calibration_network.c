/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One run takes one sample of each kind: the round trip, o_s, o_r, gap and poll of short messages
 * (5.3.1, figure 5.6), the same over sizes with the rates both ways, long messages in pieces, and
 * what was lost meanwhile. The server's part of each is in calibration_request.h; there is no
 * barrier between machines, so the burst for o_s asks the server to look away for a moment.
 */
#include "calibration/calibration_network.h"
#include "calibration/calibration_measures.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

enum {
    TRIPS = 1000, /* of short messages; 1/5 of that of the other sizes */
    GAP = 4000,
    APART = 100,
    BURSTS = 16, /* of as many messages as there are credits */
    STREAM = 400,
    LONG_BYTES = 512 << 10,
    WINDOW = CLUMP_ENDPOINT_CREDITS
};

/* A sample does not take much longer than this at effort 1: between distant hosts it is of fewer
 * messages. */
static const uint64_t longest_ns = 40000000;

/* Up to 32 bytes as arguments, above as bulk data: as in calibration_sizes.c. */
static const unsigned sizes[] = {4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192};
static const unsigned totals[] = {512,   1024,  2048,  4096,   8192,   12288,
                                  16384, 32768, 65536, 131072, 262144, LONG_BYTES};
enum {
    SIZES = sizeof sizes / sizeof *sizes,
    TOTALS = sizeof totals / sizeof *totals,
    SHORTS = 4, /* of the sizes */
    SHORT_STEPS = 7,
    SIZES_STEPS = 3 * (SIZES - 1) + 2 * (SHORTS - 1) + TOTALS + 1
};

/* ---- samples */

static uint32_t interruptions(const struct clump_visit *v)
{
    struct rusage usage = {0};
    getrusage(RUSAGE_SELF, &usage);
    return (uint32_t)usage.ru_nivcsw + v->counts.interruptions;
}

/** Measure, and again, at most four times in all, if a system took a processor away meanwhile; but
 *  not for so long that a machine which others use all the time keeps us for ever. */
static double steady(struct clump_measure *s, clump_measurement *measure, bool *disturbed)
{
    enum { TRIES = 4 };
    const struct clump_measure setup = *s;
    const uint64_t until = clump_time_ns() + TRIES * s->longest_ns;
    double value = 0;
    *disturbed = true;
    for (unsigned i = 0; i < TRIES && *disturbed && (i == 0 || clump_time_ns() < until) &&
                         s->visit->status == CLUMP_PROTOCOL_OK;
         i++) {
        *s = setup;
        const uint32_t before = interruptions(s->visit);
        value = measure(s);
        clump_visit_count(s->visit);
        *disturbed = interruptions(s->visit) != before;
    }
    return value;
}

static void step_is_done(struct clump_visit *v)
{
    const unsigned steps = (v->plan->loggp ? SHORT_STEPS : 0) + (v->plan->sizes ? SIZES_STEPS : 0);
    v->share += 1.0 / steps / (v->plan->runs + 1);
}

static void give(struct clump_visit *v, const clump_calibration_sample *sample)
{
    clump_calibration_sample own = *sample;
    own.transport = "udp";
    own.variant = v->plan->carrier != NULL ? v->plan->carrier : "am2";
    if (own.run > 0 && v->status == CLUMP_PROTOCOL_OK && v->plan->sample(&own, v->plan->context))
        clump_visit_fail(v, CLUMP_PROTOCOL_TIMED_OUT, "stopped");
}

/** Measure, hand out the sample that the caller has begun; returns the measured time. */
static double take(struct clump_measure *s, clump_measurement *measure,
                   clump_calibration_sample sample, double (*value)(double us, unsigned size))
{
    struct clump_visit *v = s->visit;
    const double us = steady(s, measure, &sample.disturbed);
    sample.value = value != NULL ? value(us, s->size) : us;
    sample.run = s->run;
    sample.processes = 2;
    sample.iterations = (int64_t)s->messages;
    if (sample.setting == NULL)
        sample.setting = "";
    if (sample.size_bytes == 0)
        sample.size_bytes = s->size;
    step_is_done(v);
    if (sample.value > 0 && sample.quantity != NULL)
        give(v, &sample);
    return us;
}

static double half(double us, unsigned size)
{
    (void)size;
    return us / 2;
}

static double rate(double us, unsigned size)
{
    return size / us;
}

static struct clump_measure prepare(struct clump_visit *v, unsigned run, unsigned size,
                                    unsigned handler, unsigned trips)
{
    return (struct clump_measure){.visit = v,
                                  .run = run,
                                  .size = size,
                                  .handler = handler,
                                  .trips = trips * v->plan->effort,
                                  .longest_ns = longest_ns * v->plan->effort};
}

/** o_s and o_r = S - D - o_s of short messages. */
static void measure_overheads(struct clump_visit *v, unsigned run, unsigned size, double half_us)
{
    struct clump_measure s = prepare(v, run, size, CLUMP_CALIBRATION_TAKE, BURSTS);
    const double send =
        take(&s, clump_measure_bursts,
             (clump_calibration_sample){.benchmark = "send burst", .quantity = "send_time"}, NULL);
    s = prepare(v, run, size, CLUMP_CALIBRATION_ECHO, APART);
    s.delay_us = 8 * half_us + 1;
    clump_calibration_sample sample = {.benchmark = "send and receive apart"};
    const double sum = steady(&s, clump_measure_apart, &sample.disturbed);
    sample.quantity = "receive_time";
    sample.value = sum - s.delay_us - send;
    sample.size_bytes = size;
    sample.run = run;
    sample.processes = 2;
    sample.iterations = (int64_t)s.messages;
    sample.setting = "";
    step_is_done(v);
    /* Where the two differ by less than they scatter, it could fall below zero. */
    if (sample.value > 0)
        give(v, &sample);
    sample.quantity = "operation_time"; /* S itself */
    sample.setting = "with the delay";
    sample.value = sum;
    sample.delay_us = s.delay_us;
    give(v, &sample);
}

static void measure_size(struct clump_visit *v, unsigned run, unsigned size)
{
    const bool usual = size == CLUMP_CALIBRATION_SHORT_BYTES;
    struct clump_measure s =
        prepare(v, run, size, CLUMP_CALIBRATION_ECHO, usual ? TRIPS : TRIPS / 5);
    const double half_us =
        take(&s, clump_measure_round_trips,
             (clump_calibration_sample){
                 .benchmark = "round trip", .quantity = "half_round_trip", .window = 1},
             half) /
        2;
    if (size <= CLUMP_CALIBRATION_SHORT_BYTES)
        measure_overheads(v, run, size, half_us);
    for (unsigned back = 0; back < 2; back++) {
        s = prepare(v, run, size, back ? CLUMP_CALIBRATION_GIVE : CLUMP_CALIBRATION_TAKE, STREAM);
        take(&s, clump_measure_stream,
             (clump_calibration_sample){.benchmark = "window",
                                        .quantity = "transfer_rate",
                                        .setting = back ? "back" : "",
                                        .window = WINDOW},
             rate);
    }
}

/** LogGP of short messages. */
static void measure_short(struct clump_visit *v, unsigned run)
{
    measure_size(v, run, CLUMP_CALIBRATION_SHORT_BYTES);
    struct clump_measure s =
        prepare(v, run, CLUMP_CALIBRATION_SHORT_BYTES, CLUMP_CALIBRATION_TAKE, GAP);
    take(&s, clump_measure_stream,
         (clump_calibration_sample){.benchmark = "long burst", .quantity = "message_gap"}, NULL);
    s = prepare(v, run, 0, 0, 1);
    take(&s, clump_measure_polls,
         (clump_calibration_sample){
             .benchmark = "empty poll", .quantity = "poll_cost", .size_bytes = -1},
         NULL);
}

static void measure_pieces(struct clump_visit *v, unsigned run, unsigned total, bool back)
{
    const unsigned fit = LONG_BYTES / 4 / total, most = fit < 16 ? fit : 16;
    struct clump_measure s = prepare(
        v, run, total, back ? CLUMP_CALIBRATION_GIVE : CLUMP_CALIBRATION_TAKE, most > 1 ? most : 1);
    take(&s, clump_measure_pieces,
         (clump_calibration_sample){.benchmark = "pieces of 8 kB",
                                    .quantity = "transfer_rate",
                                    .setting = back ? "fragmented, back" : "fragmented",
                                    .window = 1},
         rate);
}

/** All other sizes, and G. */
static void measure_sizes(struct clump_visit *v, unsigned run)
{
    for (unsigned i = 0; i < SIZES && v->status == CLUMP_PROTOCOL_OK; i++)
        if (sizes[i] != CLUMP_CALIBRATION_SHORT_BYTES)
            measure_size(v, run, sizes[i]);
    for (unsigned i = 0; i < TOTALS && v->status == CLUMP_PROTOCOL_OK; i++)
        measure_pieces(v, run, totals[i], false);
    measure_pieces(v, run, LONG_BYTES, true);
}

static void measure_run(struct clump_visit *v, unsigned run)
{
    const clump_network_plan *plan = v->plan;
    if (plan->loggp)
        measure_short(v, run);
    if (plan->sizes)
        measure_sizes(v, run);
}

/* ---- losses */

/** Both ends' counts of the session, taken together. */
struct counts {
    clump_endpoint_session here;
    clump_calibration_counts there;
};

/** What one end has sent is on its way for a moment before the other one can count it. */
static struct counts count(struct clump_visit *v)
{
    struct counts c;
    clump_visit_settle(v);
    clump_visit_count(v);
    clump_endpoint_view(v->endpoint, 0, &c.here);
    c.there = v->counts;
    return c;
}

static void give_losses(struct clump_visit *v, unsigned run, const struct counts *a,
                        const struct counts *b, clump_network_losses *losses)
{
    const uint64_t sent = b->here.sent - a->here.sent;
    const uint64_t reached = b->there.arrived - a->there.arrived;
    const uint64_t returned = b->there.sent - a->there.sent;
    const uint64_t arrived = b->here.arrived - a->here.arrived;
    const uint64_t resent = b->here.resent - a->here.resent + b->there.resent - a->there.resent;
    /* A link that repeats what it carries can deliver more than was sent. */
    const uint64_t lost = sent > reached ? sent - reached : 0;
    const uint64_t back_lost = returned > arrived ? returned - arrived : 0;
    clump_calibration_sample s = {.benchmark = "session",
                                  .quantity = "datagram_loss",
                                  .setting = "to the server",
                                  .size_bytes = -1,
                                  .run = run,
                                  .processes = 2};
    if (sent == 0 || returned == 0 || v->status != CLUMP_PROTOCOL_OK)
        return;
    s.value = (double)lost / (double)sent;
    s.iterations = (int64_t)sent;
    give(v, &s);
    s.setting = "back";
    s.value = (double)back_lost / (double)returned;
    s.iterations = (int64_t)returned;
    give(v, &s);
    s.quantity = "packets_resent";
    s.setting = "";
    s.value = (double)resent / (double)(sent + returned);
    s.iterations = (int64_t)(sent + returned);
    give(v, &s);
    losses->sent += sent;
    losses->sent_lost += lost;
    losses->returned += returned;
    losses->returned_lost += back_lost;
    losses->resent += resent;
}

/* ---- */

static bool is_good(const clump_network_plan *plan, char *message)
{
    if (plan->peer != NULL && plan->sample != NULL && plan->runs >= 2 && plan->runs <= 1000 &&
        plan->effort >= 1 && plan->effort <= 100 && (plan->loggp || plan->sizes))
        return true;
    snprintf(message, CLUMP_CALIBRATION_MESSAGE_BYTES,
             "%u runs, effort %u: expected a peer, a callback, something to measure, 2 to 1000 "
             "runs, and an effort of 1 to 100",
             plan->runs, plan->effort);
    return false;
}

clump_protocol_status clump_network_calibrate(const clump_network_plan *plan,
                                              clump_network_losses *losses,
                                              char message[CLUMP_CALIBRATION_MESSAGE_BYTES])
{
    struct clump_visit v = {.plan = plan, .message = message};
    message[0] = '\0';
    *losses = (clump_network_losses){0};
    if (!is_good(plan, message))
        return CLUMP_PROTOCOL_BAD_INPUT;
    clump_team_pin(0);
    clump_visit_enter(&v);
    measure_run(&v, 0); /* only warms up */
    for (unsigned run = 1; run <= plan->runs && v.status == CLUMP_PROTOCOL_OK; run++) {
        const struct counts before = count(&v);
        measure_run(&v, run);
        const struct counts after = count(&v);
        give_losses(&v, run, &before, &after, losses);
        clump_visit_settle(&v);
        if (v.status == CLUMP_PROTOCOL_OK && plan->run_ends != NULL &&
            plan->run_ends(run, plan->context))
            clump_visit_fail(&v, CLUMP_PROTOCOL_TIMED_OUT, "stopped");
    }
    clump_visit_leave(&v);
    clump_team_unpin();
    return v.status;
}
