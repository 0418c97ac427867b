/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a send is made of, in the canonical order of section 6.4.1: components are added one at a
 * time to a send that begins as an empty call, and the differences are theirs.
 *
 * The steps work on packets and claims of their own, laid out as in a queue, in memory that both
 * processes share; the last one is the layer itself. What a step does is what the layer does there.
 */
#include "calibration/calibration_stage.h"
#include "protocols/endpoint/endpoint_private.h"
#include "protocols/queue/backoff.h"

#include <stdio.h>
#include <stdlib.h>
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

struct work {
    unsigned runs, effort;
};

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

/* What a measurement needs to know. */
struct setup {
    struct bare *queue;
    enum step step;
    uint32_t *number; /* of the lap */
    double clock_ns;
};

/** A lap of sends, us each. */
static double lap(struct clump_team_member *m, const void *of)
{
    const struct setup *setup = of;
    struct bare *queue = setup->queue;
    const enum step step = setup->step;
    const uint32_t number = (*setup->number)++;
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
        time = clump_calibration_per_message(began, setup->clock_ns, PACKETS);
        if (refused > 0)
            clump_team_require(m, CLUMP_PROTOCOL_FAILED);
    } else if (m->rank == 0) {
        const uint64_t began = clump_time_ns();
        for (unsigned n = 0; n < PACKETS; n++)
            clump_team_require(
                m, clump_endpoint_request(m->endpoint, 1, CLUMP_TEAM_SINK, arguments, 8));
        time = clump_calibration_per_message(began, setup->clock_ns, PACKETS);
    }
    clump_team_meet(m, false);
    if (m->rank == 1 && step == CONCURRENCY)
        clump_team_serve(m, PACKETS);
    clump_team_meet(m, false);
    return time;
}

static void measure(struct clump_team_member *m)
{
    const struct work *work = m->work;
    const double clock_ns = clump_calibration_clock_ns();
    /* After the results: the board is the memory that both share. */
    unsigned char *at = (unsigned char *)(m->board->results + (size_t)work->runs * (STEPS + 2));
    at += CLUMP_LINE - (uintptr_t)at % CLUMP_LINE;
    struct bare *queue = (struct bare *)(void *)at;
    if (m->rank == 0)
        atomic_store(&queue->tag, 7);
    uint32_t number = 1;
    for (unsigned run = 0; run <= work->runs; run++) {
        double *r = m->board->results + (size_t)(run > 0 ? run - 1 : 0) * (STEPS + 2);
        const double line = clump_team_line(m);
        m->disturbed = false;
        for (int step = 0; step < STEPS; step++) {
            const struct setup setup = {queue, (enum step)step, &number, clock_ns};
            double sum = 0;
            for (unsigned i = 0; i < work->effort; i++)
                sum += clump_team_steady(m, lap, &setup) / work->effort;
            if (m->rank == 0)
                r[1 + step] = sum;
        }
        if (m->rank == 0) {
            r[0] = line;
            r[1 + STEPS] = m->disturbed;
            atomic_fetch_add(&m->board->steps, 1);
        }
    }
}

clump_protocol_status clump_calibrate_breakdown(struct clump_calibration *c)
{
    const struct work work = {c->plan->runs, c->plan->effort};
    const size_t own = (size_t)work.runs * (STEPS + 2);
    struct clump_team_options options = {.endpoint.length = 2 * PACKETS,
                                         .count = 2,
                                         .work = &work,
                                         .results = own + (sizeof(struct bare) + 2 * CLUMP_LINE) /
                                                              sizeof(double),
                                         .steps = work.runs + 1};
    double *results = calloc(options.results, sizeof *results);
    if (results == NULL)
        return CLUMP_PROTOCOL_FAILED;
    const clump_protocol_status status = clump_calibration_team(c, &options, 1, measure, results);
    for (unsigned run = 0; run < work.runs && status == CLUMP_PROTOCOL_OK; run++)
        for (int step = 0; step < STEPS; step++) {
            const double *r = results + (size_t)run * (STEPS + 2);
            /* Up to and including this component: the differences are for whoever reads it. */
            clump_calibration_give(
                c, (clump_calibration_sample){.benchmark = "send breakdown",
                                              .quantity = "partial_send_time",
                                              .setting = names[step],
                                              .value = r[1 + step],
                                              .size_bytes = CLUMP_CALIBRATION_SHORT_BYTES,
                                              .run = run + 1,
                                              .iterations = (int64_t)PACKETS * work.effort,
                                              .processes = 2,
                                              .disturbed = r[1 + STEPS] != 0,
                                              .line_us = r[0]});
        }
    free(results);
    return status;
}
