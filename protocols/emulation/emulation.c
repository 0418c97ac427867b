/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "protocols/emulation/emulation.h"
#include "data/owned.h"
#include "protocols/emulation/machine_use.h"
#include "protocols/emulation/nodes_run.h"
#include "protocols/emulation/processor.h"
#include "protocols/queue/process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MESSAGE = CLUMP_EMULATION_MESSAGE_BYTES, MOST = 2 * CLUMP_EMULATION_MOST_PROCESSORS };
#define FOREVER_SECONDS 1e9

/* ---- the process that makes the nodes and the processors, and waits for them */

struct course {
    const clump_emulation_plan *plan;
    struct clump_emulation_board *board;
};

/* The first complaint counts. */
static void give_up(struct clump_emulation_board *board, clump_protocol_status status,
                    const char *message)
{
    int none = CLUMP_PROTOCOL_OK;
    if (atomic_compare_exchange_strong(&board->failed, &none, (int)status))
        snprintf(board->message, sizeof board->message, "%s", message);
}

static void be_processor(const struct clump_emulation_place *place)
{
    char why[MESSAGE] = "", message[MESSAGE];
    clump_emulation_processor(place, why);
    snprintf(message, sizeof message, "processor %u of the %s: %.200s", place->processor + 1,
             place->side == CLUMP_EMULATION_CLUMP ? "Clump" : "NOW", why);
    give_up(place->board, CLUMP_PROTOCOL_FAILED, message);
    _exit(1);
}

static uint64_t least_done(const struct clump_emulation_board *board, unsigned processors)
{
    uint64_t least = UINT64_MAX;
    for (int side = 0; side < CLUMP_EMULATION_SIDES; side++)
        for (unsigned p = 0; p < processors; p++) {
            const uint64_t done = atomic_load(&board->sides[side].seats[p].done);
            least = done < least ? done : least;
        }
    return least;
}

/* Until all have done their cycles, or one cannot go on. */
static void attend(struct clump_emulation_board *board, const clump_emulation_plan *plan,
                   const struct clump_nodes_permit *permit)
{
    char message[MESSAGE];
    while (atomic_load(&board->ready) < CLUMP_EMULATION_SIDES * plan->processors) {
        if (atomic_load(&board->failed) != CLUMP_PROTOCOL_OK || waitpid(-1, NULL, WNOHANG) > 0)
            return;
        clump_nodes_wait(permit, 2, message);
    }
    const struct clump_machine_ticks before = clump_machine_ticks_now();
    const int64_t start = (int64_t)clump_time_ns() + 20000000;
    atomic_store(&board->start_ns, start);
    while (least_done(board, plan->processors) < plan->cycles) {
        if (atomic_load(&board->failed) != CLUMP_PROTOCOL_OK || waitpid(-1, NULL, WNOHANG) > 0)
            return;
        clump_nodes_wait(permit, 20, message);
    }
    const struct clump_machine_ticks after = clump_machine_ticks_now();
    board->seconds = 1e-9 * (double)((int64_t)clump_time_ns() - start);
    board->machine_busy = clump_machine_busy(&before, &after);
    board->machine_taken = clump_machine_taken(&before, &after);
    atomic_store(&board->finished, true);
}

static clump_protocol_status emulate(const struct clump_nodes *nodes,
                                     const struct clump_nodes_permit *permit, void *context,
                                     char *message)
{
    const struct course *course = context;
    const clump_emulation_plan *plan = course->plan;
    struct clump_emulation_board *board = course->board;
    struct clump_emulation_testbed testbed;
    pid_t children[MOST];
    unsigned count = 0;
    (void)nodes; /* none: the Clump and its NOW have others */
    const clump_protocol_status made = clump_emulation_testbed_make(&testbed, plan, message);
    if (made != CLUMP_PROTOCOL_OK)
        return made;
    for (int side = 0; side < CLUMP_EMULATION_SIDES; side++)
        for (unsigned p = 0; p < plan->processors; p++) {
            const struct clump_emulation_place place = {plan, &testbed, board, side, p};
            const pid_t child = clump_child_fork(SIGKILL);
            if (child == 0)
                be_processor(&place);
            if (child < 0)
                give_up(board, CLUMP_PROTOCOL_FAILED, "no more processes");
            else
                children[count++] = child;
        }
    if (atomic_load(&board->failed) == CLUMP_PROTOCOL_OK)
        attend(board, plan, permit);
    for (unsigned c = 0; c < count; c++)
        kill(children[c], SIGKILL);
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
        continue;
    const clump_protocol_status failed = (clump_protocol_status)atomic_load(&board->failed);
    if (failed == CLUMP_PROTOCOL_OK && atomic_load(&board->finished))
        return CLUMP_PROTOCOL_OK;
    snprintf(message, MESSAGE, "%s",
             failed != CLUMP_PROTOCOL_OK ? board->message : "a process was killed");
    return failed != CLUMP_PROTOCOL_OK ? failed : CLUMP_PROTOCOL_FAILED;
}

/* ---- the caller */

static bool is_good(double value, double least, double most)
{
    return value >= least && value <= most; /* and no NAN */
}

static const char *find_fault(const clump_emulation_plan *plan)
{
    if (plan->processors < 1 || plan->processors > CLUMP_EMULATION_MOST_PROCESSORS)
        return "processors: expected 1 to 16";
    if (plan->nics < 1 || plan->nics > CLUMP_EMULATION_MOST_NICS)
        return "NICs: expected 1 to 16";
    if (plan->cycles < 2 || plan->cycles > CLUMP_EMULATION_MOST_CYCLES)
        return "cycles: expected 2 to 1,000,000";
    if (!is_good(plan->bytes_per_us, 0.1, 1000))
        return "rate: expected 0.1 to 1000 bytes a microsecond";
    if (plan->packet < 200 || plan->packet > CLUMP_EMULATION_MOST_PACKET)
        return "packet: expected 200 to 1514 bytes";
    if (plan->burst < plan->packet || plan->burst > 1000 * plan->packet)
        return "burst: expected 1 to 1000 packets";
    for (size_t i = 0; i < plan->processors * plan->cycles; i++)
        if (!is_good(plan->work[i].compute_us, 0, 1e9) ||
            !is_good(plan->work[i].message_us, 0, 1e8))
            return "work: expected times from 0 to 1000 s, messages to 100 s";
    return NULL;
}

static void collect(const struct clump_emulation_board *board, const clump_emulation_plan *plan,
                    clump_emulation_outcome *outcome)
{
    clump_emulation_side *sides[] = {&outcome->clump, &outcome->now};
    const size_t records = plan->processors * plan->cycles;
    for (int s = 0; s < CLUMP_EMULATION_SIDES; s++) {
        clump_emulation_side side = {.records = sides[s]->records};
        memcpy(side.records, board->records + (size_t)s * records, records * sizeof *side.records);
        for (unsigned p = 0; p < plan->processors; p++) {
            const struct clump_emulation_seat *seat = &board->sides[s].seats[p];
            side.packets += seat->packets;
            side.lost += seat->packets > seat->received ? seat->packets - seat->received : 0;
            side.lost += seat->lost_markers;
            side.bytes += seat->bytes;
            side.starved += seat->starved;
            side.processor_us += seat->processor_us;
        }
        *sides[s] = side;
    }
    outcome->real_time = !atomic_load(&board->ordinary);
    outcome->seconds = board->seconds;
    outcome->machine_busy = board->machine_busy;
    outcome->machine_taken = board->machine_taken;
}

static bool watch(void *context)
{
    const struct course *course = context;
    const clump_emulation_plan *plan = course->plan;
    return plan->watch((double)least_done(course->board, plan->processors) / (double)plan->cycles,
                       plan->context);
}

static clump_protocol_status prepare_barriers(struct clump_emulation_board *board,
                                              unsigned processors)
{
    pthread_barrierattr_t shared;
    bool good = pthread_barrierattr_init(&shared) == 0;
    good = good && pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED) == 0;
    for (int side = 0; side < CLUMP_EMULATION_SIDES && good; side++)
        good = pthread_barrier_init(&board->sides[side].barrier, &shared, processors) == 0;
    return good ? CLUMP_PROTOCOL_OK : CLUMP_PROTOCOL_FAILED;
}

clump_protocol_status clump_emulation_run(const clump_emulation_plan *plan,
                                          clump_emulation_outcome *outcome,
                                          char message[CLUMP_EMULATION_MESSAGE_BYTES])
{
    const char *fault = find_fault(plan);
    if (fault != NULL) {
        snprintf(message, MESSAGE, "%s", fault);
        return CLUMP_PROTOCOL_BAD_INPUT;
    }
    const size_t size = sizeof(struct clump_emulation_board) + CLUMP_EMULATION_SIDES *
                                                                   plan->processors * plan->cycles *
                                                                   sizeof(clump_emulation_record);
    struct clump_emulation_board *board =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (board == MAP_FAILED) {
        snprintf(message, MESSAGE, "no memory for %zu cycles", plan->cycles);
        return CLUMP_PROTOCOL_FAILED;
    }
    struct course course = {plan, board};
    struct clump_nodes_run run = {.limit_seconds = FOREVER_SECONDS,
                                  .work = emulate,
                                  .watch = plan->watch != NULL ? watch : NULL,
                                  .context = &course};
    clump_protocol_status status = prepare_barriers(board, plan->processors);
    if (status == CLUMP_PROTOCOL_OK)
        status = clump_nodes_run(&run, message);
    else
        snprintf(message, MESSAGE, "no barriers");
    if (status == CLUMP_PROTOCOL_OK)
        collect(board, plan, outcome);
    munmap(board, size);
    return status;
}
