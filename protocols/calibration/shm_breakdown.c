/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a send is made of, in the canonical order of section 6.4.1: components are added one at a
 * time to a send that begins as an empty call, and the differences are theirs.
 *
 * The steps work on packets and claims of their own, laid out as in a queue, in memory that both
 * processes share; the last one is the layer itself. What a step does is what the layer does there.
 */
#include "protocols/calibration/shm_parts.h"
#include "protocols/endpoint/endpoint_private.h"
#include "protocols/queue/backoff.h"
#include "protocols/queue/process.h"

#include <stdio.h>
#include <string.h>

enum { PACKETS = 1024 };

enum step {
    CALL,     /* arguments, a call, return */
    TAIL,     /* the tail of the queue */
    MISS,     /* first word of a packet that is in memory */
    FILL,     /* the rest, and its state */
    TRANSFER, /* packets are in the receiver's cache */
    OVERFLOW_CHECK,
    POLL,
    CHECKS,      /* arguments and tag */
    CONCURRENCY, /* the layer: several senders */
    STEPS
};

static const char *const names[STEPS] = {
    "call",     "queue tail", "packet from memory",      "fill packet", "cache-to-cache",
    "overflow", "poll",       "argument and tag checks", "concurrency"};

/** A queue without concurrency. */
struct bare {
    struct clump_packet packets[PACKETS];
    CLUMP_OWN_LINE _Atomic uint64_t claims[PACKETS];
    CLUMP_OWN_LINE _Atomic uint64_t tag;
};

/** The private side of its sender. */
struct bare_sender {
    struct bare *queue;
    struct clump_endpoint *endpoint;
    uint64_t tail;
    uint32_t lap;
};

static const uint32_t arguments[8] = {3, 1, 4, 1, 5, 9, 2, 6};

/* One function with a constant step, made into one for each: no component pays for another's
 * branches. */
__attribute__((always_inline)) static inline int bare_send(struct bare_sender *s,
                                                           unsigned destination, unsigned handler,
                                                           const uint32_t *from, unsigned count,
                                                           enum step step)
{
    if (step >= CHECKS) {
        if (destination >= CLUMP_DESTINATIONS || handler == 0 || handler >= CLUMP_HANDLERS ||
            count > CLUMP_ARGUMENTS || from == NULL || s->endpoint->handling > 0 ||
            s->endpoint->sending_request)
            return 1;
        const uint64_t tag = atomic_load_explicit(&s->queue->tag, memory_order_acquire);
        if (tag != CLUMP_TAG_ACCEPT_ALL && tag != 7)
            return 1;
    }
    if (step >= POLL)
        clump_endpoint_poll(s->endpoint, 1, NULL);
    uint64_t ticket = 0;
    if (step >= TAIL)
        ticket = s->tail++;
    const uint32_t index = (uint32_t)ticket % PACKETS;
    if (step >= OVERFLOW_CHECK &&
        atomic_load_explicit(&s->queue->claims[index], memory_order_acquire) !=
            clump_word(CLUMP_FREE, 0, s->lap))
        return 1;
    struct clump_packet *p = &s->queue->packets[index];
    if (step >= MISS)
        *(volatile uint64_t *)&p->tag = 7;
    if (step >= FILL) {
        memcpy(p->arguments, from, count * sizeof *from);
        p->handler = (uint8_t)handler;
        p->count = (uint8_t)count;
        atomic_store_explicit(&p->word, clump_word(CLUMP_READY, 0, s->lap), memory_order_release);
    }
    return 0;
}

#define SEND(step)                                                                                 \
    __attribute__((noinline)) static int send_##step(struct bare_sender *s, unsigned destination,  \
                                                     unsigned handler, const uint32_t *from,       \
                                                     unsigned count)                               \
    {                                                                                              \
        __asm__ volatile("" ::: "memory"); /* stays a call, even of nothing */                     \
        return bare_send(s, destination, handler, from, count, step);                              \
    }
SEND(CALL)
SEND(TAIL)
SEND(MISS)
SEND(FILL)
SEND(OVERFLOW_CHECK)
SEND(POLL)
SEND(CHECKS)

static int (*const sends[CONCURRENCY])(struct bare_sender *, unsigned, unsigned, const uint32_t *,
                                       unsigned) = {send_CALL, send_TAIL,  send_MISS,
                                                    send_FILL, send_FILL,  send_OVERFLOW_CHECK,
                                                    send_POLL, send_CHECKS};

static void to_memory(const void *from, size_t size)
{
    for (size_t i = 0; i < size; i += CLUMP_LINE) {
#if defined(__x86_64__)
        __builtin_ia32_clflush((const char *)from + i);
#else
        (void)from; /* the step then measures what the cache does */
#endif
    }
}

/** What the receiver does with a lap of packets: look at them all and free their claims. */
static void receive_lap(struct bare *queue, uint32_t lap)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < PACKETS; i++) {
        const volatile uint64_t *words = (const volatile uint64_t *)(void *)&queue->packets[i];
        sum += words[0] + words[1];
        atomic_store_explicit(&queue->claims[i], clump_word(CLUMP_FREE, 0, lap),
                              memory_order_release);
    }
    __asm__ volatile("" : : "r"(sum));
}

/* What a member measures with. */
struct laps {
    struct bare *queue;
    enum step step;
    uint32_t *number; /* of the lap */
    double clock_ns;
};

/** A lap of sends, us each. */
static double lap(struct clump_team_member *m, const void *of)
{
    const struct laps *laps = of;
    struct bare *queue = laps->queue;
    const enum step step = laps->step;
    const uint32_t number = (*laps->number)++;
    double time = 0;
    if (m->rank == 1)
        receive_lap(queue, number);
    clump_team_meet(m, true);
    if (m->rank == 0 && step < CONCURRENCY) {
        struct bare_sender sender = {queue, m->endpoint, 0, number};
        int (*volatile const send)(struct bare_sender *, unsigned, unsigned, const uint32_t *,
                                   unsigned) = sends[step];
        if (step == MISS || step == FILL)
            to_memory(queue->packets, sizeof queue->packets);
        int refused = 0;
        const uint64_t began = clump_time_ns();
        for (unsigned n = 0; n < PACKETS; n++)
            refused += send(&sender, 1, CLUMP_TEAM_SINK, arguments, 8);
        time = clump_calibration_per_message(began, laps->clock_ns, PACKETS);
        if (refused > 0)
            clump_team_require(m, CLUMP_PROTOCOL_FAILED);
    } else if (m->rank == 0) {
        const uint64_t began = clump_time_ns();
        for (unsigned n = 0; n < PACKETS; n++)
            clump_team_require(
                m, clump_endpoint_request(m->endpoint, 1, CLUMP_TEAM_SINK, arguments, 8));
        time = clump_calibration_per_message(began, laps->clock_ns, PACKETS);
    }
    clump_team_meet(m, false);
    if (m->rank == 1 && step == CONCURRENCY)
        clump_team_serve(m, PACKETS);
    clump_team_meet(m, false);
    return time;
}

static void measure(struct clump_team_member *m, void *state, double *r)
{
    struct laps *laps = state;
    const unsigned effort = clump_stage_effort(m);
    for (int step = 0; step < STEPS; step++) {
        laps->step = (enum step)step;
        for (unsigned i = 0; i < effort; i++)
            r[step] += clump_team_steady(m, lap, laps) / effort;
    }
}

static void join(struct clump_team_member *m, void *shared, const void *work)
{
    uint32_t number = 1;
    struct laps laps = {
        .queue = shared, .number = &number, .clock_ns = clump_calibration_clock_ns()};
    (void)work;
    if (m->rank == 0)
        atomic_store(&laps.queue->tag, 7);
    clump_stage_runs(m, &laps, measure);
}

/* Up to and including each component: the differences are for whoever reads it. */
static void give(clump_stage *stage, const void *work, const double *r, clump_calibration_sample s)
{
    (void)work;
    s.benchmark = CLUMP_BENCHMARK_SEND_BREAKDOWN;
    s.quantity = CLUMP_QUANTITY_PARTIAL_SEND_TIME;
    s.size_bytes = CLUMP_CALIBRATION_SHORT_BYTES;
    s.iterations = (int64_t)PACKETS * stage->plan->effort;
    for (int step = 0; step < STEPS; step++) {
        snprintf(s.setting, sizeof s.setting, "%s", names[step]);
        s.value = r[step];
        clump_stage_give(stage, s);
    }
}

clump_protocol_status clump_shm_breakdown(clump_stage *stage)
{
    return clump_stage_run(stage, &(clump_stage_team){.endpoint.length = 2 * PACKETS,
                                                      .processes = 2,
                                                      .numbers = STEPS,
                                                      .shared = sizeof(struct bare),
                                                      .join = join,
                                                      .give = give});
}
