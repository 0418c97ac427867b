/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* MAP_ANONYMOUS, wait4 */
#include "protocols/emulation/emulation.h"
#include "protocols/emulation/machine_use.h"
#include "protocols/emulation/processor.h"
#include "protocols/emulation/tool.h"
#include "protocols/queue/process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MESSAGE = CLUMP_EMULATION_MESSAGE_BYTES, MOST = 2 * CLUMP_EMULATION_MOST_PROCESSORS };

static void rest(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/* ---- the keeper: a process that makes the namespaces and the processors, and waits for them */

/* It goes with its parent, and takes all with it: the namespaces have no other holder. */
static void go_with(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0UL, 0UL, 0UL);
    if (getppid() != parent)
        _exit(1);
}

/* The first complaint counts. */
static void give_up(struct clump_emulation_board *board, clump_protocol_status status,
                    const char *message)
{
    int none = CLUMP_PROTOCOL_OK;
    if (atomic_compare_exchange_strong(&board->failed, &none, (int)status))
        snprintf(board->message, sizeof board->message, "%s", message);
}

static void be_processor(const struct clump_emulation_place *place, pid_t parent)
{
    char why[MESSAGE] = "", message[MESSAGE];
    go_with(parent);
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
static void attend(struct clump_emulation_board *board, const clump_emulation_plan *plan)
{
    while (atomic_load(&board->ready) < CLUMP_EMULATION_SIDES * plan->processors) {
        if (atomic_load(&board->failed) != CLUMP_PROTOCOL_OK || waitpid(-1, NULL, WNOHANG) > 0)
            return;
        rest(2);
    }
    const struct clump_machine_ticks before = clump_machine_ticks_now();
    const int64_t start = (int64_t)clump_time_ns() + 20000000;
    atomic_store(&board->start_ns, start);
    while (least_done(board, plan->processors) < plan->cycles) {
        if (atomic_load(&board->failed) != CLUMP_PROTOCOL_OK || waitpid(-1, NULL, WNOHANG) > 0)
            return;
        rest(20);
    }
    const struct clump_machine_ticks after = clump_machine_ticks_now();
    board->seconds = 1e-9 * (double)((int64_t)clump_time_ns() - start);
    board->machine_busy = clump_machine_busy(&before, &after);
    board->machine_taken = clump_machine_taken(&before, &after);
    atomic_store(&board->finished, true);
}

static void keep(struct clump_emulation_board *board, const clump_emulation_plan *plan,
                 pid_t parent)
{
    struct clump_emulation_testbed testbed;
    char message[MESSAGE] = "";
    pid_t children[MOST];
    unsigned count = 0;
    const pid_t self = getpid();
    go_with(parent);
    const clump_protocol_status made = clump_emulation_testbed_make(&testbed, plan, message);
    go_with(parent); /* a new user namespace forgets it */
    if (made != CLUMP_PROTOCOL_OK) {
        give_up(board, made, message);
        _exit(1);
    }
    board->user_namespace = testbed.user_namespace;
    for (int side = 0; side < CLUMP_EMULATION_SIDES; side++)
        for (unsigned p = 0; p < plan->processors; p++) {
            const struct clump_emulation_place place = {plan, &testbed, board, side, p};
            const pid_t child = fork();
            if (child == 0)
                be_processor(&place, self);
            if (child < 0)
                give_up(board, CLUMP_PROTOCOL_FAILED, "no more processes");
            else
                children[count++] = child;
        }
    if (atomic_load(&board->failed) == CLUMP_PROTOCOL_OK)
        attend(board, plan);
    for (unsigned c = 0; c < count; c++)
        kill(children[c], SIGKILL);
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
        continue;
    _exit(0);
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
    outcome->user_namespace = board->user_namespace;
    outcome->seconds = board->seconds;
    outcome->machine_busy = board->machine_busy;
    outcome->machine_taken = board->machine_taken;
}

/* Watch the keeper until it ends. */
static clump_protocol_status wait_for(pid_t keeper, const struct clump_emulation_board *board,
                                      const clump_emulation_plan *plan, char *message)
{
    bool stop = false;
    pid_t ended;
    while ((ended = waitpid(keeper, NULL, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
        const double done = (double)least_done(board, plan->processors);
        if (!stop && plan->watch != NULL &&
            plan->watch(done / (double)plan->cycles, plan->context)) {
            stop = true;
            kill(keeper, SIGKILL);
        }
        rest(stop ? 1 : 50);
    }
    if (stop) {
        snprintf(message, MESSAGE, "stopped");
        return CLUMP_PROTOCOL_TIMED_OUT;
    }
    const clump_protocol_status failed = (clump_protocol_status)atomic_load(&board->failed);
    if (failed == CLUMP_PROTOCOL_OK && atomic_load(&board->finished))
        return CLUMP_PROTOCOL_OK;
    snprintf(message, MESSAGE, "%s",
             failed != CLUMP_PROTOCOL_OK ? board->message : "a process was killed");
    return failed != CLUMP_PROTOCOL_OK ? failed : CLUMP_PROTOCOL_FAILED;
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

clump_protocol_status clump_emulation_probe(char message[CLUMP_EMULATION_MESSAGE_BYTES])
{
    struct clump_emulation_testbed testbed;
    int ended = 0;
    if (!clump_emulation_tool_exists("ip") || !clump_emulation_tool_exists("tc")) {
        snprintf(message, MESSAGE, "needs 'ip' and 'tc': install iproute2");
        return CLUMP_PROTOCOL_NOT_FOUND;
    }
    const pid_t child = fork();
    if (child == 0) /* the message that it makes is lost; ours says the same */
        _exit(clump_emulation_testbed_enter(&testbed, message) == CLUMP_PROTOCOL_OK ? 0 : 1);
    while (child > 0 && waitpid(child, &ended, 0) < 0 && errno == EINTR)
        continue;
    if (child > 0 && WIFEXITED(ended) && WEXITSTATUS(ended) == 0)
        return CLUMP_PROTOCOL_OK;
    snprintf(message, MESSAGE, "no network namespaces: run it as root, or allow user namespaces");
    return CLUMP_PROTOCOL_BLOCKED;
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
    const clump_protocol_status possible = clump_emulation_probe(message);
    if (possible != CLUMP_PROTOCOL_OK)
        return possible;
    const size_t size = sizeof(struct clump_emulation_board) + CLUMP_EMULATION_SIDES *
                                                                   plan->processors * plan->cycles *
                                                                   sizeof(clump_emulation_record);
    struct clump_emulation_board *board =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (board == MAP_FAILED) {
        snprintf(message, MESSAGE, "no memory for %zu cycles", plan->cycles);
        return CLUMP_PROTOCOL_FAILED;
    }
    const pid_t parent = getpid();
    clump_protocol_status status = prepare_barriers(board, plan->processors);
    const pid_t keeper = status == CLUMP_PROTOCOL_OK ? fork() : -1;
    if (keeper == 0)
        keep(board, plan, parent);
    if (keeper < 0) {
        snprintf(message, MESSAGE, "no process: %s", strerror(errno));
        status = CLUMP_PROTOCOL_FAILED;
    } else {
        status = wait_for(keeper, board, plan, message);
    }
    if (status == CLUMP_PROTOCOL_OK)
        collect(board, plan, outcome);
    munmap(board, size);
    return status;
}
