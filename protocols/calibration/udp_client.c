/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One run takes one sample of each kind: the round trip, o_s, o_r, gap and poll of short messages
 * (5.3.1, figure 5.6), the same over sizes with the rates both ways, long messages in pieces, and
 * what was lost meanwhile. The server's part of each is in udp_request.h; there is no barrier
 * between machines, so the burst for o_s asks the server to look away for a moment.
 */
#define _DEFAULT_SOURCE /* getrusage */
#include "protocols/calibration/udp_client.h"
#include "protocols/calibration/stage.h"
#include "protocols/endpoint/endpoint.h"
#include "protocols/queue/process.h"

#include <math.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { SERVER = 0, SHORT = CLUMP_CALIBRATION_SHORT_BYTES };

/* ---- a client at a server */

/*
 * Once `status` is not OK everything below returns at once, so that a measurement need not ask
 * after every message.
 */
struct visit {
    const clump_udp_plan *plan;
    clump_endpoint *endpoint;
    clump_protocol_status status;
    char *message;
    uint64_t replies; /**< DONE messages */
    uint64_t answers; /**< ANSWER messages, of which the last is kept */
    clump_calibration_welcome welcome;
    clump_calibration_counts counts;
    bool welcome_good, counts_good;
    unsigned in_vain;    /**< tries that are saved, since those before were disturbed, too */
    double share;        /**< done, for the one who watches */
    uint64_t watched_ns; /**< when it was asked last */
    double clock_ns;     /**< to read the clock */
    unsigned char memory[CLUMP_MESSAGE_BULK_BYTES];
};

/** It ends with this. */
static void fail(struct visit *v, clump_protocol_status status, const char *format, ...)
{
    if (v->status != CLUMP_PROTOCOL_OK)
        return;
    v->status = status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(v->message, CLUMP_CALIBRATION_MESSAGE_BYTES, format, arguments);
    va_end(arguments);
}

static uint64_t patience_ns(const struct visit *v)
{
    return (uint64_t)(v->plan->patience_ms > 0 ? v->plan->patience_ms : 5000) * 1000000u;
}

/** Whether to go on: reads the clock, and asks the callback now and then. */
static bool goes_on(struct visit *v)
{
    enum { WATCH_NS = 50000000 };
    const uint64_t now = clump_time_ns();
    if (v->status == CLUMP_PROTOCOL_OK && now - v->watched_ns >= WATCH_NS) {
        v->watched_ns = now;
        if (v->plan->watch != NULL && v->plan->watch(v->share, v->plan->context))
            fail(v, CLUMP_PROTOCOL_TIMED_OUT, "stopped");
    }
    return v->status == CLUMP_PROTOCOL_OK;
}

static void gone(struct visit *v)
{
    fail(v, CLUMP_PROTOCOL_PEER_DEAD,
         "the server at %.80s is gone: it ended, or the way to it is cut", v->plan->peer);
}

static void on_done(clump_token *token, const clump_message *m, void *context)
{
    struct visit *v = context;
    (void)token, (void)m;
    v->replies++;
}

static void on_answer(clump_token *token, const clump_message *m, void *context)
{
    struct visit *v = context;
    (void)token;
    v->answers++;
    v->welcome_good = clump_calibration_welcome_read(m, &v->welcome);
    v->counts_good = clump_calibration_counts_read(m, &v->counts);
}

static void on_returned(clump_token *token, const clump_message *m, void *context)
{
    struct visit *v = context;
    (void)token;
    if (m->returned == CLUMP_PROTOCOL_NO_HANDLER || m->returned == CLUMP_PROTOCOL_BAD_TAG)
        fail(v, CLUMP_PROTOCOL_FAILED,
             "the endpoint at %.80s is no server of clumpmodel calibrate udp", v->plan->peer);
    else
        gone(v);
}

/** Send a request; data if `size` > 0. */
static void send(struct visit *v, unsigned handler, const uint32_t *arguments, unsigned count,
                 const void *data, size_t size)
{
    if (v->status != CLUMP_PROTOCOL_OK)
        return;
    const clump_protocol_status status =
        size > 0 ? clump_endpoint_request_bulk(v->endpoint, SERVER, handler, arguments, count, data,
                                               size)
                 : clump_endpoint_request(v->endpoint, SERVER, handler, arguments, count);
    if (status == CLUMP_PROTOCOL_PEER_DEAD)
        gone(v);
    else if (status != CLUMP_PROTOCOL_OK)
        fail(v, status, "%.80s: %.150s", v->plan->peer, clump_endpoint_message(v->endpoint));
}

/** Poll until the counter is there. Gives up when it stands still for twice the patience. */
static void await(struct visit *v, const uint64_t *counter, uint64_t least)
{
    enum { OFTEN = 1024 };
    uint64_t since = 0, seen = *counter;
    for (uint32_t idle = 1; *counter < least && v->status == CLUMP_PROTOCOL_OK; idle++) {
        clump_endpoint_poll(v->endpoint, 1, NULL);
        if (idle % OFTEN != 0 || !goes_on(v))
            continue;
        sched_yield(); /* the server may be on this processor */
        const uint64_t now = clump_time_ns();
        if (since == 0 || *counter != seen) {
            since = now;
            seen = *counter;
        } else if (now - since > 2 * patience_ns(v)) {
            fail(v, CLUMP_PROTOCOL_TIMED_OUT,
                 "the server at %.80s is there, but has not answered for %.0f s", v->plan->peer,
                 (double)(now - since) * 1e-9);
        }
    }
}

static void await_replies(struct visit *v, uint64_t least)
{
    await(v, &v->replies, least);
}

/** A request without bulk data, and its ANSWER. */
static void ask(struct visit *v, const clump_calibration_request *request)
{
    uint32_t arguments[CLUMP_MESSAGE_ARGUMENTS];
    const unsigned count = clump_calibration_request_write(request, arguments);
    const uint64_t before = v->answers;
    send(v, request->kind, arguments, count, NULL, 0);
    await(v, &v->answers, before + 1);
}

/** The server's counts in `counts`. */
static void ask_counts(struct visit *v)
{
    ask(v, &(clump_calibration_request){.kind = CLUMP_CALIBRATION_COUNT});
    if (!v->counts_good)
        fail(v, CLUMP_PROTOCOL_FAILED,
             "the server at %.80s does not answer as a server of this version does", v->plan->peer);
}

/** Poll for 3 ms: what is on its way arrives, and acknowledgements go. Before something that takes
 *  long, so that the server does not wait for us meanwhile. */
static void settle(struct visit *v)
{
    enum { QUIET_NS = 3000000 };
    const uint64_t began = clump_time_ns();
    while (v->status == CLUMP_PROTOCOL_OK && clump_time_ns() - began < QUIET_NS)
        clump_endpoint_poll(v->endpoint, 1, NULL);
}

/* coming and going */

/** Where our own socket has to be for this peer: on loopback only if that is where the peer is. */
static const char *own_place(const clump_udp_plan *plan)
{
    static const char *const local[] = {"127.", "localhost:"};
    if (plan->listen != NULL)
        return plan->listen;
    for (unsigned i = 0; i < 2; i++)
        if (strncmp(plan->peer, local[i], strlen(local[i])) == 0)
            return "127.0.0.1:0";
    if (strncmp(plan->peer, "[::1]", 5) == 0)
        return "[::1]:0";
    return plan->peer[0] == '[' ? "[::]:0" : "0.0.0.0:0";
}

static void open_endpoint(struct visit *v)
{
    char name[40], path[48], where[120];
    const clump_endpoint_options options = {.length = 2,
                                            .bulk_length = 1,
                                            .listen = own_place(v->plan),
                                            .transport = v->plan->transport,
                                            .polling = "always",
                                            .silence_ms = v->plan->patience_ms};
    snprintf(name, sizeof name, "visit-%ld", (long)getpid());
    snprintf(path, sizeof path, "/clump-%s", name);
    clump_protocol_status status = clump_endpoint_open(name, &options, &v->endpoint);
    shm_unlink(path); /* nobody comes that way, and nothing stays behind when we are killed */
    if (status == CLUMP_PROTOCOL_OK) {
        /* Our tag stays the one that rejects all: nobody begins a session with us. */
        clump_endpoint_set_handler(v->endpoint, 0, on_returned, v);
        clump_endpoint_set_handler(v->endpoint, CLUMP_CALIBRATION_DONE, on_done, v);
        clump_endpoint_set_handler(v->endpoint, CLUMP_CALIBRATION_ANSWER, on_answer, v);
        snprintf(where, sizeof where, "@%s", v->plan->peer);
        status = clump_endpoint_map(v->endpoint, SERVER, where, v->plan->tag);
    }
    if (status != CLUMP_PROTOCOL_OK)
        fail(v, status, "%.250s", clump_endpoint_message(v->endpoint));
}

/** Open, connect, begin. What fails is in `status`. Leave in any case. */
static void enter(struct visit *v)
{
    const struct timespec pause = {.tv_nsec = 100000000};
    memset(v->memory, 'v', sizeof v->memory);
    open_endpoint(v);
    const uint64_t until = clump_time_ns() + 2 * patience_ns(v);
    while (goes_on(v)) {
        ask(v, &(clump_calibration_request){.kind = CLUMP_CALIBRATION_BEGIN,
                                            .version = CLUMP_CALIBRATION_VERSION});
        if (v->status != CLUMP_PROTOCOL_OK)
            return;
        if (!v->welcome_good)
            fail(v, CLUMP_PROTOCOL_FAILED,
                 "what the endpoint at %.80s says is not "
                 "what a server of clumpmodel calibrate udp does",
                 v->plan->peer);
        else if (v->welcome.status == CLUMP_CALIBRATION_WELCOME)
            break;
        else if (v->welcome.status == CLUMP_CALIBRATION_OTHER_VERSION)
            fail(v, CLUMP_PROTOCOL_BAD_VERSION,
                 "the server at %.80s speaks version %u of calibrations, this program "
                 "version %d: use the same program on both sides",
                 v->plan->peer, (unsigned)v->welcome.version, (int)CLUMP_CALIBRATION_VERSION);
        else if (clump_time_ns() >= until)
            fail(v, CLUMP_PROTOCOL_IN_USE, "the server at %.80s is busy with another client",
                 v->plan->peer);
        nanosleep(&pause, NULL);
    }
    settle(v);
    if (v->status == CLUMP_PROTOCOL_OK && v->plan->welcome != NULL &&
        v->plan->welcome(&v->welcome, v->plan->context))
        fail(v, CLUMP_PROTOCOL_TIMED_OUT, "stopped");
}

static void leave(struct visit *v)
{
    if (v->status == CLUMP_PROTOCOL_OK) {
        ask(v, &(clump_calibration_request){.kind = CLUMP_CALIBRATION_END});
        v->status = CLUMP_PROTOCOL_OK; /* everything is measured: who is gone now may be gone */
        v->message[0] = '\0';
    }
    clump_endpoint_close(v->endpoint);
    v->endpoint = NULL;
}

/* ---- measurements (5.3.1, figure 5.6), us a message */

enum {
    POLLS = 5000,
    BLOCK = 8192,
    CREDITS = CLUMP_ENDPOINT_CREDITS,
    LEAST = 8 /* messages in a sample, however slow the way */
};

/** A measurement on its way. */
struct measure {
    struct visit *visit;
    unsigned handler; /**< that is asked to answer */
    unsigned size, trips;
    double delay_us;   /**< of apart(): about so long; receives how long it was, mean */
    uint64_t messages; /**< receives how many were sent */
    uint64_t began_ns;
};

typedef double measurement(struct measure *measure);

static void send_one(struct measure *s)
{
    static const uint32_t arguments[CLUMP_CALIBRATION_ARGUMENTS] = {1, 2, 3, 4, 5, 6, 7, 8};
    if (s->handler == CLUMP_CALIBRATION_GIVE)
        send(s->visit, s->handler, (uint32_t[]){s->size}, 1, NULL, 0);
    else if (s->size <= CLUMP_CALIBRATION_SHORT_BYTES)
        send(s->visit, s->handler, arguments, s->size / 4, NULL, 0);
    else
        send(s->visit, s->handler, NULL, 0, s->visit->memory, s->size);
    s->messages++;
}

/** A sample does not take much longer: between distant hosts it is of fewer messages. */
static uint64_t longest_ns(const struct visit *v)
{
    return UINT64_C(40000000) * v->plan->effort;
}

/** Whether there is time for more; where there are many messages the clock is read now and then only.
 */
static bool in_time(const struct measure *s, uint64_t done)
{
    enum { MANY = 64, OFTEN = 16 };
    if (done < LEAST || (done >= MANY && done % OFTEN != 0))
        return s->visit->status == CLUMP_PROTOCOL_OK;
    return goes_on(s->visit) && clump_time_ns() - s->began_ns < longest_ns(s->visit);
}

static double per_message(const struct measure *s)
{
    return clump_calibration_per_message(s->began_ns, s->visit->clock_ns, s->messages);
}

/** Each message after the answer to the one before. */
static double round_trips(struct measure *s)
{
    const uint64_t before = s->visit->replies;
    for (unsigned n = 0; n < s->trips && in_time(s, n); n++) {
        send_one(s);
        await_replies(s->visit, before + s->messages);
    }
    return per_message(s);
}

/** One after the other, as fast as credits come back: as many as there are credits are on their
 *  way. Until the last answer. */
static double stream(struct measure *s)
{
    const uint64_t before = s->visit->replies;
    for (unsigned n = 0; n < s->trips && in_time(s, n); n++)
        send_one(s);
    await_replies(s->visit, before + s->messages);
    return per_message(s);
}

/** As many as there are credits, while the server looks away; `trips` times. */
static double bursts(struct measure *s)
{
    enum { SHORTEST_US = 400, BURSTS_LEAST = 4 };
    struct visit *v = s->visit;
    double total = 0, hold_us = SHORTEST_US;
    unsigned done = 0;
    /* Of the first one it is not known how long it takes: it is not counted. */
    for (; done <= s->trips && (done < BURSTS_LEAST || in_time(s, LEAST * done)) && goes_on(v);
         done++) {
        ask(v, &(clump_calibration_request){.kind = CLUMP_CALIBRATION_HOLD,
                                            .hold_us = (uint32_t)hold_us});
        const uint64_t before = v->replies, began = clump_time_ns();
        for (unsigned n = 0; n < CREDITS; n++)
            send_one(s);
        const double time = clump_calibration_per_message(began, v->clock_ns, CREDITS);
        total += done > 0 ? time : 0;
        hold_us = fmin(fmax(4 * CREDITS * time, SHORTEST_US), CLUMP_CALIBRATION_HOLD_US);
        await_replies(v, before + CREDITS);
    }
    return total / (done - 1);
}

/**
 * Send, compute for longer than a round trip, accept the answer with one poll. Where it was not
 * there yet (lost and sent again, or somebody had the processor) the message does not count, unless
 * that is so for most of them. The delay is timed in each of them: against what is done before and
 * after it, it is long.
 */
static double apart(struct measure *s)
{
    struct visit *v = s->visit;
    const uint64_t turns = clump_calibration_turns(s->delay_us);
    enum { LATE, IN_TIME };
    struct {
        double time, delay;
        unsigned count;
    } sums[2] = {{0}}, *all = &sums[IN_TIME];
    for (unsigned n = 0; n < s->trips && in_time(s, n); n++) {
        const uint64_t before = v->replies, began = clump_time_ns();
        send_one(s);
        const uint64_t sent = clump_time_ns();
        clump_calibration_delay(turns);
        const double delay = clump_calibration_per_message(sent, v->clock_ns, 1);
        clump_endpoint_poll(v->endpoint, 1, NULL);
        const int kind = v->replies > before ? IN_TIME : LATE;
        if (kind == LATE)
            await_replies(v, before + 1);
        const double time = clump_calibration_per_message(began, 3 * v->clock_ns, 1);
        sums[kind].time += time;
        sums[kind].delay += delay;
        sums[kind].count++;
    }
    if (sums[LATE].count >= all->count) {
        all->time += sums[LATE].time;
        all->delay += sums[LATE].delay;
        all->count += sums[LATE].count;
    }
    s->delay_us = all->delay / all->count;
    return all->time / all->count;
}

/** Polls of an endpoint to which nothing comes. */
static double polls(struct measure *s)
{
    for (s->messages = 0; s->messages < POLLS; s->messages++)
        clump_endpoint_poll(s->visit->endpoint, 1, NULL);
    return per_message(s);
}

/** A long message of `size` bytes in pieces of 8 kB, us for the whole. */
static double pieces(struct measure *s)
{
    struct visit *v = s->visit;
    const unsigned total = s->size;
    unsigned done = 0;
    for (; done < s->trips && (done == 0 || in_time(s, LEAST + 16 * done)); done++) {
        const uint64_t before = v->replies;
        unsigned count = 0;
        for (unsigned sent = 0; sent < total; sent += BLOCK, count++) {
            s->size = total - sent < BLOCK ? total - sent : BLOCK;
            send_one(s);
        }
        await_replies(v, before + count);
    }
    s->size = total;
    s->messages = done;
    return per_message(s);
}

/* ---- samples */

enum { LONG_BYTES = 512 << 10, WINDOW = CREDITS };

/* Up to 32 bytes as arguments, above as bulk data: as in shm_pair.c. */
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

/** What is measured. */
static const struct kind {
    measurement *measure;
    unsigned handler, trips; /**< trips of short messages at effort 1 */
    clump_benchmark benchmark;
    clump_quantity quantity;
    unsigned window;
    const char *setting;
} trip = {round_trips,
          CLUMP_CALIBRATION_ECHO,
          1000,
          CLUMP_BENCHMARK_ROUND_TRIP,
          CLUMP_QUANTITY_HALF_ROUND_TRIP,
          1,
          ""},
  burst =
      {bursts, CLUMP_CALIBRATION_TAKE, 16, CLUMP_BENCHMARK_SEND_BURST, CLUMP_QUANTITY_SEND_TIME, 0,
       ""},
  sum = {apart, CLUMP_CALIBRATION_ECHO, 100, CLUMP_BENCHMARK_APART, CLUMP_QUANTITY_OPERATION_TIME,
         0,     "with the delay"},
  gap = {stream,
         CLUMP_CALIBRATION_TAKE,
         4000,
         CLUMP_BENCHMARK_LONG_BURST,
         CLUMP_QUANTITY_MESSAGE_GAP,
         0,
         ""},
  poll = {polls, 0, 1, CLUMP_BENCHMARK_EMPTY_POLL, CLUMP_QUANTITY_POLL_COST, 0, ""},
  windows[] = {{stream, CLUMP_CALIBRATION_TAKE, 400, CLUMP_BENCHMARK_WINDOW,
                CLUMP_QUANTITY_TRANSFER_RATE, WINDOW, ""},
               {stream, CLUMP_CALIBRATION_GIVE, 400, CLUMP_BENCHMARK_WINDOW_BACK,
                CLUMP_QUANTITY_TRANSFER_RATE, WINDOW, "back"}},
  fragments[] = {{pieces, CLUMP_CALIBRATION_TAKE, 1, CLUMP_BENCHMARK_PIECES,
                  CLUMP_QUANTITY_TRANSFER_RATE, 1, "fragmented"},
                 {pieces, CLUMP_CALIBRATION_GIVE, 1, CLUMP_BENCHMARK_PIECES_BACK,
                  CLUMP_QUANTITY_TRANSFER_RATE, 1, "fragmented, back"}};

static uint32_t interruptions(const struct visit *v)
{
    struct rusage usage = {0};
    getrusage(RUSAGE_SELF, &usage);
    return (uint32_t)usage.ru_nivcsw + v->counts.interruptions;
}

/** Measure, and again, at most four times in all, if a system took a processor away meanwhile; but
 *  not for so long that a machine which others use all the time keeps us for ever. */
static double steady(struct measure *s, measurement *measure, bool *disturbed)
{
    enum { TRIES = 4 };
    struct visit *v = s->visit;
    const struct measure setup = *s;
    const unsigned tries = TRIES - v->in_vain;
    const uint64_t until = clump_time_ns() + TRIES * longest_ns(v);
    double value = 0;
    *disturbed = true;
    for (unsigned i = 0; i < tries && *disturbed && (i == 0 || clump_time_ns() < until) &&
                         v->status == CLUMP_PROTOCOL_OK;
         i++) {
        *s = setup;
        const uint32_t before = interruptions(v);
        s->began_ns = clump_time_ns();
        value = measure(s);
        ask_counts(v);
        *disturbed = interruptions(v) != before;
    }
    /* As in team.c: fewer tries where the last ones were all disturbed. */
    if (!*disturbed)
        v->in_vain = 0;
    else if (v->in_vain < TRIES - 1)
        v->in_vain++;
    return value;
}

static void give(struct visit *v, unsigned run, clump_calibration_sample sample)
{
    sample.run = run;
    sample.processes = 2;
    sample.network = true;
    sample.variant = v->plan->transport != NULL ? v->plan->transport : "am2";
    if (run > 0 && v->status == CLUMP_PROTOCOL_OK && v->plan->sample(&sample, v->plan->context))
        fail(v, CLUMP_PROTOCOL_TIMED_OUT, "stopped");
}

/** Measure, and hand out a sample of it. `value`: in us, whatever the sample is of. */
static clump_calibration_sample take(struct visit *v, unsigned run, const struct kind *kind,
                                     unsigned size, unsigned trips, double delay_us)
{
    const clump_udp_plan *plan = v->plan;
    const unsigned steps = (plan->loggp ? SHORT_STEPS : 0) + (plan->sizes ? SIZES_STEPS : 0);
    struct measure s = {.visit = v,
                        .handler = kind->handler,
                        .size = size,
                        .trips = trips * plan->effort,
                        .delay_us = delay_us};
    clump_calibration_sample sample = {.benchmark = kind->benchmark,
                                       .quantity = kind->quantity,
                                       .window = kind->window,
                                       .size_bytes = size > 0 ? (int64_t)size : -1};
    snprintf(sample.setting, sizeof sample.setting, "%s", kind->setting);
    const double us = steady(&s, kind->measure, &sample.disturbed);
    sample.iterations = (int64_t)s.messages;
    sample.delay_us = s.delay_us;
    sample.value = kind->quantity == CLUMP_QUANTITY_HALF_ROUND_TRIP ? us / 2
                   : kind->quantity == CLUMP_QUANTITY_TRANSFER_RATE ? size / us
                                                                    : us;
    v->share += 1.0 / steps / (plan->runs + 1);
    if (sample.value > 0)
        give(v, run, sample);
    sample.value = us;
    return sample;
}

static void measure_size(struct visit *v, unsigned run, unsigned size)
{
    const double trip_us =
        take(v, run, &trip, size, size == SHORT ? trip.trips : trip.trips / 5, 0).value;
    if (size <= SHORT) { /* o_s, and o_r = S - D - o_s */
        const clump_calibration_sample send = take(v, run, &burst, size, burst.trips, 0);
        clump_calibration_sample receive = take(v, run, &sum, size, sum.trips, 4 * trip_us + 1);
        receive.quantity = CLUMP_QUANTITY_RECEIVE_TIME;
        receive.value -= receive.delay_us + send.value;
        receive.delay_us = 0;
        receive.setting[0] = '\0';
        receive.disturbed |= send.disturbed; /* it is from both */
        /* Where the two differ by less than they scatter, it could fall below zero. */
        if (receive.value > 0)
            give(v, run, receive);
    }
    for (unsigned back = 0; back < 2; back++)
        take(v, run, &windows[back], size, windows[back].trips, 0);
}

static void measure_run(struct visit *v, unsigned run)
{
    if (v->plan->loggp) {
        measure_size(v, run, SHORT);
        take(v, run, &gap, SHORT, gap.trips, 0);
        take(v, run, &poll, 0, poll.trips, 0);
    }
    if (!v->plan->sizes)
        return;
    for (unsigned i = 0; i < SIZES && v->status == CLUMP_PROTOCOL_OK; i++)
        if (sizes[i] != SHORT)
            measure_size(v, run, sizes[i]);
    for (unsigned i = 0; i <= TOTALS && v->status == CLUMP_PROTOCOL_OK; i++) {
        const bool back = i == TOTALS; /* of the longest */
        const unsigned total = totals[back ? TOTALS - 1 : i], fit = LONG_BYTES / 4 / total,
                       most = fit < 16 ? fit : 16;
        take(v, run, &fragments[back], total, most > 1 ? most : 1, 0);
    }
}

/* ---- losses */

/** Both ends' counts of the session, taken together. */
struct counts {
    clump_endpoint_session here;
    clump_calibration_counts there;
};

/** What one end has sent is on its way for a moment before the other one can count it. */
static struct counts count(struct visit *v)
{
    struct counts c;
    settle(v);
    ask_counts(v);
    clump_endpoint_view(v->endpoint, 0, &c.here);
    c.there = v->counts;
    return c;
}

static void give_losses(struct visit *v, unsigned run, const struct counts *a,
                        const struct counts *b, clump_udp_losses *losses)
{
    const uint64_t sent = b->here.sent - a->here.sent;
    const uint64_t reached = b->there.arrived - a->there.arrived;
    const uint64_t returned = b->there.sent - a->there.sent;
    const uint64_t arrived = b->here.arrived - a->here.arrived;
    const uint64_t resent = b->here.resent - a->here.resent + b->there.resent - a->there.resent;
    /* A link that repeats what it carries can deliver more than was sent. */
    const uint64_t lost = sent > reached ? sent - reached : 0;
    const uint64_t back_lost = returned > arrived ? returned - arrived : 0;
    clump_calibration_sample s = {.benchmark = CLUMP_BENCHMARK_SESSION,
                                  .quantity = CLUMP_QUANTITY_DATAGRAM_LOSS,
                                  .setting = "to the server",
                                  .size_bytes = -1};
    if (sent == 0 || returned == 0 || v->status != CLUMP_PROTOCOL_OK)
        return;
    s.value = (double)lost / (double)sent;
    s.iterations = (int64_t)sent;
    give(v, run, s);
    strcpy(s.setting, "back");
    s.value = (double)back_lost / (double)returned;
    s.iterations = (int64_t)returned;
    give(v, run, s);
    s.quantity = CLUMP_QUANTITY_PACKETS_RESENT;
    s.setting[0] = '\0';
    s.value = (double)resent / (double)(sent + returned);
    s.iterations = (int64_t)(sent + returned);
    give(v, run, s);
    losses->sent += sent;
    losses->sent_lost += lost;
    losses->returned += returned;
    losses->returned_lost += back_lost;
    losses->resent += resent;
}

/* ---- */

static bool is_good(const clump_udp_plan *plan, char *message)
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

clump_protocol_status clump_udp_measure(const clump_udp_plan *plan, clump_udp_losses *losses,
                                        char message[CLUMP_CALIBRATION_MESSAGE_BYTES])
{
    struct visit v = {.plan = plan, .message = message};
    message[0] = '\0';
    *losses = (clump_udp_losses){0};
    if (!is_good(plan, message))
        return CLUMP_PROTOCOL_BAD_INPUT;
    clump_team_pin(0);
    v.clock_ns = clump_calibration_clock_ns();
    enter(&v);
    measure_run(&v, 0); /* only warms up */
    for (unsigned run = 1; run <= plan->runs && v.status == CLUMP_PROTOCOL_OK; run++) {
        const struct counts before = count(&v);
        measure_run(&v, run);
        const struct counts after = count(&v);
        give_losses(&v, run, &before, &after, losses);
        settle(&v);
        if (v.status == CLUMP_PROTOCOL_OK && plan->run_ends != NULL &&
            plan->run_ends(run, plan->context))
            fail(&v, CLUMP_PROTOCOL_TIMED_OUT, "stopped");
    }
    leave(&v);
    clump_team_unpin();
    return v.status;
}
