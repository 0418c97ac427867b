/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One run takes one sample of each kind: the round trip, o_s, o_r, gap and poll of short messages
 * (5.3.1, figure 5.6), the same over sizes with the rates both ways, long messages in pieces, and
 * what was lost meanwhile. The server's part of each is in calibration_request.h; there is no
 * barrier between machines, so the burst for o_s asks the server to look away for a moment.
 */
#include "protocols/calibration_network.h"
#include "protocols/calibration_stage.h"
#include "protocols/calibration_visit.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

enum {
    TRIPS = 1000, /* of short messages; 1/5 of that of the other sizes */
    GAP = 4000,
    APART = 100,
    POLLS = 5000,
    BURSTS = 16, /* of as many messages as there are credits */
    STREAM = 400,
    BLOCK = 8192,
    LONG_BYTES = 512 << 10,
    WINDOW = CLUMP_ENDPOINT_CREDITS,
    LEAST = 8 /* messages in a sample, however slow the way */
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
    STEPS = 3 * SIZES + 2 * SHORTS + 2 + TOTALS + 1
};

/** A measurement on its way. */
struct step {
    struct clump_visit *visit;
    unsigned run, size, trips;
    unsigned handler;  /* that is asked to answer */
    double delay_us;   /* found by a measurement that delays */
    double hold_us;    /* a burst takes about so long */
    uint64_t messages; /* that it sent */
    uint64_t clock_began, longest_ns;
};

/** What has been measured of a size, for what follows from it. */
struct known {
    double half_us, send_us;
};

typedef double measurement(struct step *s);

static const uint32_t arguments[CLUMP_CALIBRATION_ARGUMENTS] = {1, 2, 3, 4, 5, 6, 7, 8};

static void send_one(struct step *s)
{
    if (s->handler == CLUMP_CALIBRATION_GIVE)
        clump_visit_send(s->visit, s->handler, (uint32_t[]){s->size}, 1, NULL, 0);
    else if (s->size <= CLUMP_CALIBRATION_SHORT_BYTES)
        clump_visit_send(s->visit, s->handler, arguments, s->size / 4, NULL, 0);
    else
        clump_visit_send(s->visit, s->handler, NULL, 0, s->visit->memory, s->size);
    s->messages++;
}

/** Whether there is time for more; the clock is read now and then only. */
static bool in_time(struct step *s, uint64_t done)
{
    if (done < LEAST || done % 16 != 0)
        return s->visit->status == CLUMP_PROTOCOL_OK;
    return clump_visit_goes_on(s->visit) && clump_time_ns() - s->clock_began < s->longest_ns;
}

/* ---- measurements, us a message */

/** Each message after the answer to the one before. */
static double round_trips(struct step *s)
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

/** One after the other, as fast as credits come back: as many as there are credits are on their
 *  way. Until the last answer. */
static double stream(struct step *s)
{
    struct clump_visit *v = s->visit;
    const uint64_t before = v->replies;
    s->clock_began = clump_time_ns();
    for (unsigned n = 0; n < s->trips && in_time(s, n); n++)
        send_one(s);
    clump_visit_await(v, before + s->messages);
    return clump_calibration_per_message(s->clock_began, clump_calibration_clock_ns(), s->messages);
}

/** As many as there are credits, while the server looks away. */
static double bursts(struct step *s)
{
    struct clump_visit *v = s->visit;
    const double clock_ns = clump_calibration_clock_ns();
    double total = 0;
    for (unsigned b = 0; b <= s->trips && v->status == CLUMP_PROTOCOL_OK; b++) {
        const double us = s->hold_us < 400                         ? 400
                          : s->hold_us > CLUMP_CALIBRATION_HOLD_US ? CLUMP_CALIBRATION_HOLD_US
                                                                   : s->hold_us;
        clump_visit_ask(v, &(clump_calibration_request){.kind = CLUMP_CALIBRATION_HOLD,
                                                        .hold_us = (uint32_t)us});
        const uint64_t before = v->replies, began = clump_time_ns();
        for (unsigned n = 0; n < WINDOW; n++)
            send_one(s);
        const double time = clump_calibration_per_message(began, clock_ns, WINDOW);
        total += b > 0 ? time : 0; /* of the first one it was not known how long it would take */
        s->hold_us = 4 * WINDOW * time;
        clump_visit_await(v, before + WINDOW);
    }
    return total / s->trips;
}

/**
 * Send, compute for longer than a round trip, accept the answer with one poll. Where it was not
 * there yet (lost and sent again, or somebody had the processor) the message does not count, unless
 * that is so for most of them. The delay is timed in each of them: against what is done before and
 * after it, it is long.
 */
static double apart(struct step *s)
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

static double empty_polls(struct step *s)
{
    s->clock_began = clump_time_ns();
    for (unsigned n = 0; n < POLLS; n++)
        clump_endpoint_poll(s->visit->endpoint, 1, NULL);
    s->messages = POLLS;
    return clump_calibration_per_message(s->clock_began, clump_calibration_clock_ns(), POLLS);
}

/** A long message in pieces, us for the whole. */
static double pieces(struct step *s)
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

/* ---- samples */

static uint32_t interruptions(const struct clump_visit *v)
{
    struct rusage usage = {0};
    getrusage(RUSAGE_SELF, &usage);
    return (uint32_t)usage.ru_nivcsw + v->counts.interruptions;
}

/** Measure, and again, at most four times in all, if a system took a processor away meanwhile. */
static double steady(struct step *s, measurement *measure, bool *disturbed)
{
    enum { TRIES = 4 };
    const struct step setup = *s;
    double value = 0;
    *disturbed = true;
    for (unsigned i = 0; i < TRIES && *disturbed && s->visit->status == CLUMP_PROTOCOL_OK; i++) {
        *s = setup;
        const uint32_t before = interruptions(s->visit);
        value = measure(s);
        clump_visit_count(s->visit);
        *disturbed = interruptions(s->visit) != before;
    }
    return value;
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
static double take(struct step *s, measurement *measure, clump_calibration_sample sample,
                   double (*value)(double us, unsigned size))
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
    v->share += 1.0 / (STEPS * v->plan->runs);
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

static struct step step_of(struct clump_visit *v, unsigned run, unsigned size, unsigned handler,
                           unsigned trips)
{
    return (struct step){.visit = v,
                         .run = run,
                         .size = size,
                         .handler = handler,
                         .trips = trips * v->plan->effort,
                         .longest_ns = longest_ns * v->plan->effort};
}

/** o_s and o_r = S - D - o_s of short messages. */
static void measure_overheads(struct clump_visit *v, unsigned run, unsigned size, double half_us)
{
    struct step s = step_of(v, run, size, CLUMP_CALIBRATION_TAKE, BURSTS);
    const double send =
        take(&s, bursts,
             (clump_calibration_sample){.benchmark = "send burst", .quantity = "send_time"}, NULL);
    s = step_of(v, run, size, CLUMP_CALIBRATION_ECHO, APART);
    s.delay_us = 8 * half_us + 1;
    clump_calibration_sample sample = {.benchmark = "send and receive apart"};
    const double sum = steady(&s, apart, &sample.disturbed);
    sample.quantity = "receive_time";
    sample.value = sum - s.delay_us - send;
    sample.size_bytes = size;
    sample.run = run;
    sample.processes = 2;
    sample.iterations = (int64_t)s.messages;
    sample.setting = "";
    v->share += 1.0 / (STEPS * v->plan->runs);
    /* Where the two differ by less than they scatter, it could fall below zero. */
    if (sample.value > 0)
        give(v, &sample);
    sample.quantity = "operation_time"; /* S itself */
    sample.setting = "with the delay";
    sample.value = sum;
    sample.delay_us = s.delay_us;
    give(v, &sample);
}

static void measure_sizes(struct clump_visit *v, unsigned run)
{
    for (unsigned i = 0; i < SIZES && v->status == CLUMP_PROTOCOL_OK; i++) {
        const bool usual = sizes[i] == CLUMP_CALIBRATION_SHORT_BYTES;
        struct step s =
            step_of(v, run, sizes[i], CLUMP_CALIBRATION_ECHO, usual ? TRIPS : TRIPS / 5);
        const double half_us =
            take(&s, round_trips,
                 (clump_calibration_sample){
                     .benchmark = "round trip", .quantity = "half_round_trip", .window = 1},
                 half) /
            2;
        if (sizes[i] <= CLUMP_CALIBRATION_SHORT_BYTES)
            measure_overheads(v, run, sizes[i], half_us);
        for (unsigned back = 0; back < 2; back++) {
            s = step_of(v, run, sizes[i], back ? CLUMP_CALIBRATION_GIVE : CLUMP_CALIBRATION_TAKE,
                        STREAM);
            take(&s, stream,
                 (clump_calibration_sample){.benchmark = "window",
                                            .quantity = "transfer_rate",
                                            .setting = back ? "back" : "",
                                            .window = WINDOW},
                 rate);
        }
    }
}

static void measure_rest(struct clump_visit *v, unsigned run)
{
    struct step s = step_of(v, run, CLUMP_CALIBRATION_SHORT_BYTES, CLUMP_CALIBRATION_TAKE, GAP);
    take(&s, stream,
         (clump_calibration_sample){.benchmark = "long burst", .quantity = "message_gap"}, NULL);
    s = step_of(v, run, 0, 0, 1);
    take(&s, empty_polls,
         (clump_calibration_sample){
             .benchmark = "empty poll", .quantity = "poll_cost", .size_bytes = -1},
         NULL);
    for (unsigned i = 0; i < TOTALS; i++) {
        const unsigned fit = LONG_BYTES / 4 / totals[i], most = fit < 16 ? fit : 16;
        s = step_of(v, run, totals[i], CLUMP_CALIBRATION_TAKE, most > 1 ? most : 1);
        take(&s, pieces,
             (clump_calibration_sample){.benchmark = "pieces of 8 kB",
                                        .quantity = "transfer_rate",
                                        .setting = "fragmented",
                                        .window = 1},
             rate);
    }
    s = step_of(v, run, LONG_BYTES, CLUMP_CALIBRATION_GIVE, 1);
    take(&s, pieces,
         (clump_calibration_sample){.benchmark = "pieces of 8 kB",
                                    .quantity = "transfer_rate",
                                    .setting = "fragmented, back",
                                    .window = 1},
         rate);
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
    enum { QUIET_NS = 3000000 };
    struct counts c;
    const uint64_t began = clump_time_ns();
    while (v->status == CLUMP_PROTOCOL_OK && clump_time_ns() - began < QUIET_NS)
        clump_endpoint_poll(v->endpoint, 1, NULL);
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
        plan->effort >= 1 && plan->effort <= 100)
        return true;
    snprintf(message, CLUMP_CALIBRATION_MESSAGE_BYTES,
             "%u runs, effort %u: expected a peer, a callback, 2 to 1000 runs, and an effort of 1 "
             "to 100",
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
    measure_sizes(&v, 0); /* only warms up */
    for (unsigned run = 1; run <= plan->runs && v.status == CLUMP_PROTOCOL_OK; run++) {
        const struct counts before = count(&v);
        v.share = (run - 1.0) / plan->runs;
        measure_sizes(&v, run);
        measure_rest(&v, run);
        const struct counts after = count(&v);
        give_losses(&v, run, &before, &after, losses);
        if (v.status == CLUMP_PROTOCOL_OK && plan->run_ends != NULL &&
            plan->run_ends(run, plan->context))
            clump_visit_fail(&v, CLUMP_PROTOCOL_TIMED_OUT, "stopped");
    }
    clump_visit_leave(&v);
    clump_team_unpin();
    return v.status;
}
