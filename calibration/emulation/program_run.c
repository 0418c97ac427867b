/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* unshare, memfd_create */
#include "calibration/emulation/program_run.h"
#include "calibration/emulation/machine_use.h"
#include "calibration/emulation/program_start.h"
#include "calibration/emulation/testbed.h"
#include "calibration/emulation/tool.h"
#include "protocols/queue/process.h"
#include "recording/dilation.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MESSAGE = CLUMP_EMULATED_MESSAGE_BYTES };
#define RATE_SECONDS 0.5

/*
 * Three processes: the caller; the keeper, its child, which enters new namespaces; and the first
 * process of the PID namespace, the keeper's child, which makes the nodes and starts the program. When
 * that ends the kernel ends all processes of the namespace, and with them go the networks, the host
 * names, the mounts and the shared memory. It ends with the keeper, and that with the caller.
 */
struct shared {
    clump_protocol_status status;
    char message[MESSAGE];
    struct clump_nodes_traffic traffic[CLUMP_NODES_MOST];
    int exit_status;
    bool done, user_namespace;
    double busy, taken;
    double rate; /* bytes a second */
};

/** What all three know. */
struct run {
    const clump_emulated_plan *plan;
    bool only_rate; /* nothing is started */
    struct shared *shared;
    struct clump_dilation_board *board;
    size_t board_size;
    int board_file; /* inherited by the first process: the ranks open it there */
    int alive[2];   /* a pipe: its end tells that the caller has ended */
};

static unsigned ranks_of(const clump_emulated_plan *plan)
{
    return plan->nodes * plan->processors;
}

static void give_up(struct shared *shared, clump_protocol_status status, const char *message)
{
    shared->status = status;
    snprintf(shared->message, sizeof shared->message, "%s", message);
    _exit(1);
}

/* ---- the first process of the PID namespace */

static clump_protocol_status prepare_mounts(char *message)
{
    const unsigned long plain = MS_NOSUID | MS_NODEV;
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
        mount("proc", "/proc", "proc", plain | MS_NOEXEC, NULL) == 0 &&
        mount("tmpfs", "/dev/shm", "tmpfs", plain, "mode=1777") == 0)
        return CLUMP_PROTOCOL_OK;
    snprintf(message, MESSAGE,
             "no mounts of its own (%s): the container or the system forbids them; it needs "
             "CAP_SYS_ADMIN, or user namespaces and a /proc that nothing hides",
             strerror(errno));
    return CLUMP_PROTOCOL_BLOCKED;
}

/* Until it has ended; -1: it was stopped. As first process it also takes in orphans. */
static int wait_for_launcher(const struct run *run, pid_t launcher, uint64_t limit_ns)
{
    struct pollfd caller = {.fd = run->alive[0], .events = POLLIN};
    for (;;) {
        int ended;
        const pid_t child = waitpid(-1, &ended, WNOHANG);
        if (child == launcher)
            return WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
        if (clump_time_ns() > limit_ns)
            return -1;
        if (child <= 0 && poll(&caller, 1, 20) > 0)
            _exit(1);
    }
}

static void be_first(const struct run *run)
{
    const clump_emulated_plan *plan = run->plan;
    struct shared *shared = run->shared;
    struct clump_nodes nodes;
    char message[MESSAGE] = "";
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0UL, 0UL, 0UL);
    close(run->alive[1]);
    const uint64_t limit_ns = clump_time_ns() + (uint64_t)(1e9 * plan->limit_seconds);
    const struct clump_nodes_plan wanted = {.nodes = plan->nodes,
                                            .nics = plan->nics,
                                            .bits_per_second =
                                                1e6 * plan->rate_mbit / plan->dilation};
    clump_protocol_status status = prepare_mounts(message);
    if (status == CLUMP_PROTOCOL_OK)
        status = clump_nodes_make(&nodes, &wanted, message);
    if (status == CLUMP_PROTOCOL_OK && run->only_rate) {
        shared->rate = clump_nodes_measure_rate(&nodes, &wanted, RATE_SECONDS);
        shared->done = true;
        _exit(0);
    }
    pid_t launcher = -1;
    if (status == CLUMP_PROTOCOL_OK)
        status = clump_emulated_start(plan, &nodes, run->board_file, &launcher, message);
    if (status != CLUMP_PROTOCOL_OK)
        give_up(shared, status, message);
    const struct clump_machine_ticks before = clump_machine_ticks_now();
    shared->exit_status = wait_for_launcher(run, launcher, limit_ns);
    const struct clump_machine_ticks after = clump_machine_ticks_now();
    shared->busy = clump_machine_busy(&before, &after);
    shared->taken = clump_machine_taken(&before, &after);
    for (unsigned n = 0; n < plan->nodes; n++)
        clump_nodes_read_traffic(&nodes, n, &shared->traffic[n]);
    if (shared->exit_status < 0) {
        snprintf(message, MESSAGE, "stopped after %.0f s: a run may take %.0f s",
                 plan->limit_seconds, plan->limit_seconds);
        give_up(shared, CLUMP_PROTOCOL_TIMED_OUT, message);
    }
    shared->done = true;
    _exit(0);
}

/* ---- the keeper */

static void keep(const struct run *run, pid_t parent)
{
    char message[MESSAGE] = "";
    int ended;
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0UL, 0UL, 0UL);
    const clump_protocol_status status = clump_emulation_unshare(
        CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWPID,
        &run->shared->user_namespace, message);
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0UL, 0UL, 0UL); /* a new user namespace forgets it */
    if (getppid() != parent)
        _exit(1);
    if (status != CLUMP_PROTOCOL_OK)
        give_up(run->shared, status, message);
    close(run->alive[1]);
    const pid_t first = fork();
    if (first == 0)
        be_first(run);
    if (first < 0)
        give_up(run->shared, CLUMP_PROTOCOL_FAILED, "no more processes");
    while (waitpid(first, &ended, 0) < 0 && errno == EINTR)
        continue;
    _exit(0);
}

/* ---- the caller */

static bool is_good(double value, double least, double most)
{
    return value >= least && value <= most; /* and no NAN */
}

static const char *find_fault(const clump_emulated_plan *plan)
{
    if (plan->nodes < 1 || plan->nodes > CLUMP_NODES_MOST)
        return "nodes: expected 1 to 64";
    if (plan->processors < 1 || ranks_of(plan) > CLUMP_DILATION_MOST_RANKS)
        return "processors: expected at least 1, and 1024 ranks at most";
    if (plan->nics < 1 || plan->nics > CLUMP_NODES_MOST_NICS)
        return "NICs: expected 1 to 16";
    if (!is_good(plan->dilation, 1, 10000))
        return "dilation: expected 1 to 10000";
    if (!is_good(plan->rate_mbit / plan->dilation, 0.1, 10000))
        return "rate: expected 0.1 to 10000 Mbit/s when divided by the dilation";
    return NULL;
}

static bool make_board(struct run *run)
{
    const unsigned ranks = ranks_of(run->plan);
    run->board_size = sizeof *run->board + ranks * sizeof run->board->rank[0];
    run->board_file = memfd_create("clumpmodel", 0);
    if (run->board_file < 0 || ftruncate(run->board_file, (off_t)run->board_size) != 0)
        return false;
    run->board =
        mmap(NULL, run->board_size, PROT_READ | PROT_WRITE, MAP_SHARED, run->board_file, 0);
    if (run->board == MAP_FAILED)
        return false;
    run->board->magic = CLUMP_DILATION_MAGIC;
    run->board->ranks = ranks;
    return true;
}

static double most(double a, double b)
{
    return a > b ? a : b;
}

static void collect_traffic(const struct run *run, clump_emulated_outcome *outcome)
{
    const clump_emulated_plan *plan = run->plan;
    const double able = 1e6 * plan->rate_mbit / 8 * outcome->seconds;
    double all = 0, packets = 0, again = 0;
    for (unsigned n = 0; n < plan->nodes; n++) {
        const struct clump_nodes_traffic *traffic = &run->shared->traffic[n];
        again += (double)traffic->retransmitted;
        for (unsigned nic = 0; nic < plan->nics; nic++) {
            const double carried =
                most((double)traffic->bytes[nic] - 66 * (double)traffic->packets[nic], 0);
            all += carried;
            packets += (double)traffic->packets[nic];
            outcome->busiest_nic = most(outcome->busiest_nic, able > 0 ? carried / able : 0);
        }
    }
    outcome->bytes = all;
    outcome->nic_use = able > 0 ? all / (plan->nodes * plan->nics * able) : 0;
    outcome->retransmitted = packets > 0 ? again / packets : 0;
}

/* False: a rank never came to MPI_Init. */
static bool collect(const struct run *run, clump_emulated_outcome *outcome)
{
    const unsigned ranks = ranks_of(run->plan);
    const double second = 1e9 * run->plan->dilation;
    int64_t begin = INT64_MAX, end = 0;
    double processor = 0;
    *outcome = (clump_emulated_outcome){.exit_status = run->shared->exit_status,
                                        .machine_busy = run->shared->busy,
                                        .machine_taken = run->shared->taken,
                                        .user_namespace = run->shared->user_namespace,
                                        .finalized = true};
    for (unsigned r = 0; r < ranks; r++) {
        const struct clump_dilation_rank *rank = &run->board->rank[r];
        if (rank->begin_ns == 0 || rank->end_ns == 0)
            return false;
        begin = rank->begin_ns < begin ? rank->begin_ns : begin;
        end = rank->end_ns > end ? rank->end_ns : end;
        processor += (double)rank->processor_ns;
        outcome->work += 1e-9 * (double)rank->work_ns / ranks;
        outcome->wait += (double)rank->wait_ns / second / ranks;
        outcome->calls += (double)rank->calls / ranks;
        outcome->late = most(outcome->late, (double)rank->late_ns / second);
        outcome->latest = most(outcome->latest, (double)rank->latest_ns / second);
        outcome->finalized = outcome->finalized && rank->finalized != 0;
    }
    outcome->seconds = (double)(end - begin) / second;
    outcome->processor_use = end > begin ? processor / (double)(end - begin) : 0;
    collect_traffic(run, outcome);
    return true;
}

clump_protocol_status clump_emulated_probe(char message[CLUMP_EMULATED_MESSAGE_BYTES])
{
    static const char *const tools[][2] = {
        {"ip", "iproute2"}, {"tc", "iproute2"}, {"nsenter", "util-linux"}};
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        if (!clump_emulation_tool_exists(tools[i][0])) {
            snprintf(message, MESSAGE, "needs '%s': install %s", tools[i][0], tools[i][1]);
            return CLUMP_PROTOCOL_NOT_FOUND;
        }
    bool user_namespace;
    int ended = 0;
    const pid_t child = fork();
    if (child == 0) /* the message that it makes is lost; ours says the same */
        _exit(clump_emulation_unshare(CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC |
                                          CLONE_NEWPID,
                                      &user_namespace, message) == CLUMP_PROTOCOL_OK
                  ? 0
                  : 1);
    while (child > 0 && waitpid(child, &ended, 0) < 0 && errno == EINTR)
        continue;
    if (child > 0 && WIFEXITED(ended) && WEXITSTATUS(ended) == 0)
        return CLUMP_PROTOCOL_OK;
    snprintf(message, MESSAGE,
             "no namespaces: run it as root (CAP_SYS_ADMIN), or allow user namespaces");
    return CLUMP_PROTOCOL_BLOCKED;
}

static clump_protocol_status run_it(struct run *run, char *message)
{
    const pid_t self = getpid();
    const pid_t keeper = fork();
    if (keeper == 0)
        keep(run, self);
    close(run->alive[0]);
    run->alive[0] = -1;
    if (keeper < 0) {
        snprintf(message, MESSAGE, "no process: %s", strerror(errno));
        return CLUMP_PROTOCOL_FAILED;
    }
    while (waitpid(keeper, NULL, 0) < 0 && errno == EINTR)
        continue;
    if (run->shared->status == CLUMP_PROTOCOL_OK && !run->shared->done) {
        snprintf(message, MESSAGE, "a process was killed");
        return CLUMP_PROTOCOL_FAILED;
    }
    snprintf(message, MESSAGE, "%.*s", MESSAGE - 1, run->shared->message);
    return run->shared->status;
}

static clump_protocol_status open_run(struct run *run, char *message)
{
    const char *fault = find_fault(run->plan);
    if (fault != NULL) {
        snprintf(message, MESSAGE, "%s", fault);
        return CLUMP_PROTOCOL_BAD_INPUT;
    }
    run->shared =
        mmap(NULL, sizeof *run->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (run->shared != MAP_FAILED && make_board(run) && pipe2(run->alive, O_CLOEXEC) == 0)
        return CLUMP_PROTOCOL_OK;
    snprintf(message, MESSAGE, "no memory for a run");
    return CLUMP_PROTOCOL_FAILED;
}

static void close_run(struct run *run)
{
    for (int i = 0; i < 2; i++)
        if (run->alive[i] >= 0)
            close(run->alive[i]);
    if (run->board != MAP_FAILED)
        munmap(run->board, run->board_size);
    if (run->board_file >= 0)
        close(run->board_file);
    if (run->shared != MAP_FAILED)
        munmap(run->shared, sizeof *run->shared);
}

#define NO_RUN .shared = MAP_FAILED, .board = MAP_FAILED, .board_file = -1, .alive = {-1, -1}

clump_protocol_status clump_emulated_rate(const clump_emulated_plan *plan, double *share,
                                          char message[CLUMP_EMULATED_MESSAGE_BYTES])
{
    clump_emulated_plan two = *plan;
    two.nodes = 2;
    two.processors = two.nics = 1;
    struct run run = {.plan = &two, .only_rate = true, NO_RUN};
    clump_protocol_status status = open_run(&run, message);
    if (status == CLUMP_PROTOCOL_OK)
        status = run_it(&run, message);
    if (status == CLUMP_PROTOCOL_OK && !(run.shared->rate > 0)) {
        snprintf(message, MESSAGE, "nothing came from one node to the other");
        status = CLUMP_PROTOCOL_FAILED;
    }
    if (status == CLUMP_PROTOCOL_OK)
        *share = run.shared->rate * plan->dilation / (1e6 / 8 * plan->rate_mbit);
    close_run(&run);
    return status;
}

clump_protocol_status clump_emulated_run(const clump_emulated_plan *plan,
                                         clump_emulated_outcome *outcome,
                                         char message[CLUMP_EMULATED_MESSAGE_BYTES])
{
    const uint64_t begin_ns = clump_time_ns();
    struct run run = {.plan = plan, NO_RUN};
    clump_protocol_status status = open_run(&run, message);
    if (status == CLUMP_PROTOCOL_OK)
        status = run_it(&run, message);
    if (status == CLUMP_PROTOCOL_OK && !collect(&run, outcome)) {
        if (run.shared->exit_status == 0)
            snprintf(message, MESSAGE,
                     "not all ranks came to MPI_Init: is it a program of this MPI library?");
        else
            snprintf(message, MESSAGE,
                     "the program ended with status %d before all ranks were done",
                     run.shared->exit_status);
        status = CLUMP_PROTOCOL_FAILED;
    }
    if (status == CLUMP_PROTOCOL_OK)
        outcome->real_seconds = 1e-9 * (double)(clump_time_ns() - begin_ns);
    close_run(&run);
    return status;
}
