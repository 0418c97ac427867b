/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* setns, recvmmsg, SO_TIMESTAMPNS */
#include "calibration/emulation/board.h"
#include "calibration/emulation/link.h"
#include "calibration/emulation/share.h"
#include "protocols/queue/process.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

enum { PRIORITY = 40 /* we need little, and on time */ };

static int64_t now_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void sleep_until(int64_t ns)
{
    const struct timespec t = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
        continue;
}

/* Uses processor time, however often somebody else has the processor meanwhile. */
static void spin(double us)
{
    const int64_t end = now_ns(CLOCK_THREAD_CPUTIME_ID) + (int64_t)(1000 * us);
    while (now_ns(CLOCK_THREAD_CPUTIME_ID) < end)
        continue;
}

/* Compute for R; returns when that was to end. A sleep is counted from the arrival of the last
 * message, not from when the system let us see it: only one lateness a cycle. */
static int64_t compute(const clump_emulation_plan *plan, double us, int64_t since_ns)
{
    if (plan->spin) {
        spin(us);
        return now_ns(CLOCK_MONOTONIC);
    }
    const int64_t due = since_ns + (int64_t)(1000 * us);
    sleep_until(due);
    return due;
}

static void prepare(const struct clump_emulation_place *place)
{
    const struct sched_param priority = {.sched_priority = PRIORITY};
    if (!place->plan->real_time || place->plan->spin ||
        sched_setscheduler(0, SCHED_FIFO, &priority) != 0)
        atomic_store(&place->board->ordinary, true);
    prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL); /* the usual 50 us would be late */
}

void clump_emulation_processor(const struct clump_emulation_place *place, char *message)
{
    const clump_emulation_plan *plan = place->plan;
    struct clump_emulation_board *board = place->board;
    struct clump_emulation_side_board *side = &board->sides[place->side];
    struct clump_emulation_seat *seat = &side->seats[place->processor];
    const size_t offset = place->processor * plan->cycles;
    clump_emulation_record *records =
        board->records + (size_t)place->side * plan->processors * plan->cycles + offset;
    struct clump_emulation_link link;
    if (!clump_emulation_link_open(&link, place, message))
        return;
    prepare(place);
    atomic_fetch_add(&board->ready, 1);
    while (atomic_load(&board->start_ns) == 0)
        sleep_until(now_ns(CLOCK_MONOTONIC) + 1000000);
    const int64_t start = atomic_load(&board->start_ns);
    sleep_until(start);
    int64_t end = start;
    for (uint64_t cycle = 0;; cycle++) {
        const clump_emulation_cycle *work = &plan->work[offset + cycle % plan->cycles];
        const int64_t due = compute(plan, work->compute_us, end);
        const int64_t woke = now_ns(CLOCK_MONOTONIC);
        if (plan->barrier)
            pthread_barrier_wait(&side->barrier);
        const int64_t begin = now_ns(CLOCK_MONOTONIC);
        if (!clump_emulation_link_send(&link, work->message_us, begin, &end, message))
            return;
        if (cycle < plan->cycles) {
            records[cycle] =
                (clump_emulation_record){due - start, woke - start, begin - start, end - start};
            seat->packets = link.packets;
            seat->received = link.received;
            seat->bytes = link.bytes;
            seat->starved = link.starved;
            seat->processor_us = (double)now_ns(CLOCK_PROCESS_CPUTIME_ID) / 1000;
            atomic_store(&seat->done, cycle + 1);
        }
    }
}
