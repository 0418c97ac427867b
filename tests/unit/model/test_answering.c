/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests that busy processors answer: limits, the balance typed anew, and event by event. */
#include <stdbool.h>

#include "tests/unit/unit.h"

#include "model/workload/answering.h"
#include "tests/unit/golden.h"

/* Table 7.6, multi-protocol columns. */
static const clump_loggp myrinet = {12.56, 3.463, 8.93, 14.51, 0.031208};
static const clump_loggp memory = {-0.52, 2.135, 1.73, 3.251, 0.00630};

/* ---- event by event: eight processors, constant times, receivers at random */

enum { MACHINES = 8, ANSWERS = 4000, IN_FLIGHT = 4 * MACHINES };

typedef struct message {
    double time;
    size_t order; /* of equal times: first come */
    int from;
    bool answer;
} message;

typedef enum doing { READY, WAITING, SENDING, HANDLING, TAKING, DONE } doing;

typedef struct machine {
    doing doing;
    double until;
    message inbox[IN_FLIGHT];
    size_t length;
    int partner; /* whose request is in hand */
    bool sends;  /* it was about to send: goes on with it */
    size_t answers;
} machine;

typedef struct exchange {
    machine machines[MACHINES];
    message flying[IN_FLIGHT];
    int to[IN_FLIGHT];
    size_t flying_count, order;
    double o_s, L, o_r;
    unsigned long long seed;
} exchange;

static void fly(exchange *e, double now, int from, int to, bool answer)
{
    assert_true(e->flying_count < IN_FLIGHT);
    e->to[e->flying_count] = to;
    e->flying[e->flying_count++] = (message){now + e->L, e->order++, from, answer};
}

/* Looks at its inbox first, oldest first; then sends, if it does not wait for an answer. */
static void next(exchange *e, int which, double now)
{
    machine *m = &e->machines[which];
    if (m->length > 0) {
        const message first = m->inbox[0];
        memmove(m->inbox, m->inbox + 1, --m->length * sizeof *m->inbox);
        m->sends = m->doing == READY;
        m->doing = first.answer ? TAKING : HANDLING;
        m->partner = first.from;
        m->until = now + (first.answer ? e->o_r : e->o_r + e->o_s);
    } else if (m->doing == READY) {
        m->doing = SENDING;
        m->until = now + e->o_s;
    }
}

static void finish(exchange *e, int which, double now)
{
    machine *m = &e->machines[which];
    if (m->doing == SENDING) {
        const int other = (int)(golden_random(&e->seed) * (MACHINES - 1));
        fly(e, now, which, other + (other >= which), false);
        m->doing = WAITING;
    } else if (m->doing == HANDLING) {
        fly(e, now, which, m->partner, true);
        m->doing = m->sends ? READY : WAITING;
    } else {
        m->answers++;
        m->doing = READY;
    }
    m->until = INFINITY;
    next(e, which, now);
}

static void arrive(exchange *e, size_t which, double now)
{
    machine *m = &e->machines[e->to[which]];
    m->inbox[m->length++] = e->flying[which];
    const int to = e->to[which];
    e->flying[which] = e->flying[--e->flying_count];
    e->to[which] = e->to[e->flying_count];
    if (m->doing == WAITING)
        next(e, to, now);
}

/* Mean time of a request until its answer is taken. */
static double simulated(const clump_loggp *p, double overlap)
{
    exchange e = {.o_s = p->send_overhead_us,
                  .L = p->latency_us + overlap,
                  .o_r = p->receive_overhead_us - overlap,
                  .seed = 5};
    double now = 0;
    size_t all = 0;
    for (int i = 0; i < MACHINES; i++) /* not in step */
        e.machines[i] = (machine){.doing = SENDING, .until = 20 * golden_random(&e.seed)};
    while (all < (size_t)MACHINES * ANSWERS) {
        double soonest = INFINITY;
        size_t order = SIZE_MAX, arrives = IN_FLIGHT;
        int ends = 0;
        for (int i = 0; i < MACHINES; i++)
            if (e.machines[i].until < soonest) {
                soonest = e.machines[i].until;
                ends = i;
            }
        for (size_t i = 0; i < e.flying_count; i++)
            if (e.flying[i].time < soonest ||
                (e.flying[i].time == soonest && e.flying[i].order < order)) {
                soonest = e.flying[i].time;
                order = e.flying[i].order;
                arrives = i;
            }
        assert_true(isfinite(soonest));
        now = soonest;
        if (arrives < IN_FLIGHT) {
            arrive(&e, arrives, now);
        } else {
            all += e.machines[ends].doing == TAKING;
            finish(&e, ends, now);
        }
    }
    return now * MACHINES / (double)all;
}

/* The formula is an approximation: a little too fast, and much nearer than the round trip alone. */
static void near_simulation(const clump_loggp *p, double overlap)
{
    const double R = clump_answering_round_trip_us(p), events = simulated(p, overlap);
    const double alone = clump_loggp_round_trip_us(p);
    if (!(R <= events * 1.01 && R >= events * 0.88))
        fail_msg("%g us, simulated %g", R, events);
    if (!(fabs(events - R) < 0.6 * (events - alone)))
        fail_msg("%g us, simulated %g, alone %g", R, events, alone);
}

TEST(test_simulation)
{
    near_simulation(&myrinet, 0);
    near_simulation(&memory, 0.52);
    near_simulation(&(clump_loggp){5, 4, 4, 8, 0}, 0);
    near_simulation(&(clump_loggp){0, 5, 1, 6, 0}, 0);
    near_simulation(&(clump_loggp){0, 1, 5, 6, 0}, 0);
}

/* ---- limits */

TEST(test_limits)
{
    clump_loggp p = {1e9, 1, 2, 3, 0}; /* nobody is ever busy */
    assert_close(clump_answering_round_trip_us(&p), clump_loggp_round_trip_us(&p), 1e-8);
    p = (clump_loggp){10, 0, 0, 1, 0};
    assert_true(clump_answering_round_trip_us(&p) == 20);
    /* Far but not infinitely: the first order. A request meets one in hand (h/R, half of it left) or
     * the receiver's own message, the answer one in hand: h h + (o_s^2 + o_r^2)/2 over R. */
    p = (clump_loggp){1e4, 1, 2, 3, 0};
    const double more = clump_answering_round_trip_us(&p) - clump_loggp_round_trip_us(&p);
    assert_close(more, (9 + 2.5) / 20006, 1e-3);
    for (double L = 0; L < 100; L = 2 * L + 0.1) {
        p.latency_us = L;
        const double R = clump_answering_round_trip_us(&p), RTT = clump_loggp_round_trip_us(&p);
        assert_true(R > RTT && R <= RTT + 1.75 * 3);
    }
}

/* Without latency and with o_s = o_r = 1 (h = 2): R is the root of a polynomial, found by hand.
 * r = 2/R + 1/R, waiting w = r R/(R-2) = 3/(R-2); R = 1 + (w + 2) + (2/R + 2 w/R + 1), so that
 * (R - 4) R (R - 2) = 3 R + 2 (R - 2) + 6, R^3 - 6 R^2 + 3 R - 2 = 0. */
TEST(test_by_hand)
{
    const clump_loggp p = {0, 1, 1, 1, 0};
    const double R = clump_answering_round_trip_us(&p);
    assert_close(R * R * R + 3 * R, 6 * R * R + 2, 1e-13);
}

/* What overlaps is taken from the receiver, then from the sender. */
TEST(test_overlap)
{
    const clump_loggp p = {-2, 3, 4, 5, 0.5}, same = {0, 3, 2, 5, 0.5};
    const clump_loggp much = {-5, 3, 4, 5, 0.5}, sender = {0, 2, 0, 5, 0.5};
    assert_close(clump_answering_round_trip_us(&p), clump_answering_round_trip_us(&same), 1e-14);
    assert_close(clump_answering_round_trip_us(&much), clump_answering_round_trip_us(&sender),
                 1e-14);
    const clump_loggp late = clump_answering_protocol(&p);
    assert_close(clump_loggp_round_trip_us(&late), clump_answering_round_trip_us(&p), 1e-14);
    assert_true(late.send_overhead_us == 3 && late.receive_overhead_us == 4 && late.gap_us == 5 &&
                late.gap_us_per_byte == 0.5);
}

UNIT_MAIN(NULL, NULL)
