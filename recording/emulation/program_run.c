/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* memfd_create */
#include "recording/emulation/program_run.h"
#include "protocols/emulation/nodes_run.h"
#include "recording/dilation.h"
#include "recording/emulation/program_start.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MESSAGE = CLUMP_MPI_EMULATION_MESSAGE_BYTES };
_Static_assert((int)MESSAGE == (int)CLUMP_NODES_MESSAGE, "a message of one fits the other");
#define RATE_SECONDS 0.5

/* What the process on the nodes hands back. */
struct shared {
    int exit_status;
    double rate; /* bytes a second */
};

struct run {
    const clump_mpi_emulation_plan *plan;
    struct clump_nodes_run on_nodes;
    struct shared *shared;
    struct clump_dilation_board *board;
    size_t board_size;
    int board_file; /* inherited by the process on the nodes: the ranks open it there */
};

static unsigned ranks_of(const clump_mpi_emulation_plan *plan)
{
    return plan->nodes * plan->processors;
}

/* ---- on the nodes */

/* Until it has ended. The first process of its namespace also takes in orphans. */
static clump_protocol_status wait_for_launcher(const struct clump_nodes_permit *permit,
                                               pid_t launcher, int *exit_status, char *message)
{
    clump_protocol_status status = CLUMP_PROTOCOL_OK;
    while (status == CLUMP_PROTOCOL_OK) {
        int ended;
        const pid_t child = waitpid(-1, &ended, WNOHANG);
        if (child == launcher) {
            *exit_status = WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
            return CLUMP_PROTOCOL_OK;
        }
        status = clump_nodes_wait(permit, child <= 0 ? 20 : 0, message);
    }
    return status;
}

static clump_protocol_status run_program(const struct clump_nodes *nodes,
                                         const struct clump_nodes_permit *permit, void *context,
                                         char *message)
{
    const struct run *run = context;
    pid_t launcher = -1;
    const clump_protocol_status status =
        clump_mpi_emulation_start(run->plan, nodes, run->board_file, &launcher, message);
    return status == CLUMP_PROTOCOL_OK
               ? wait_for_launcher(permit, launcher, &run->shared->exit_status, message)
               : status;
}

/* Nothing is started. */
static clump_protocol_status measure_rate(const struct clump_nodes *nodes,
                                          const struct clump_nodes_permit *permit, void *context,
                                          char *message)
{
    const struct run *run = context;
    (void)permit;
    run->shared->rate = clump_nodes_measure_rate(nodes, &run->on_nodes.plan, RATE_SECONDS);
    if (run->shared->rate > 0)
        return CLUMP_PROTOCOL_OK;
    snprintf(message, MESSAGE, "nothing came from one node to the other");
    return CLUMP_PROTOCOL_FAILED;
}

/* ---- the caller */

static bool is_good(double value, double least, double most)
{
    return value >= least && value <= most; /* and no NAN */
}

static const char *find_fault(const clump_mpi_emulation_plan *plan)
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
    if (strchr(plan->preloads, ' ') != NULL)
        return "preloads: expected paths without blanks, at which LD_PRELOAD is divided";
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

static void collect_traffic(const struct run *run, clump_emulated_outcome *outcome)
{
    const clump_mpi_emulation_plan *plan = run->plan;
    const double able = 1e6 * plan->rate_mbit / 8 * outcome->seconds;
    double all = 0, packets = 0, again = 0;
    for (unsigned n = 0; n < plan->nodes; n++) {
        const struct clump_nodes_traffic *traffic = &run->on_nodes.traffic[n];
        again += (double)traffic->retransmitted;
        for (unsigned nic = 0; nic < plan->nics; nic++) {
            const double carried = fmax((double)traffic->bytes[nic] -
                                            CLUMP_NODES_TCP_HEADERS * (double)traffic->packets[nic],
                                        0);
            all += carried;
            packets += (double)traffic->packets[nic];
            outcome->busiest_nic = fmax(outcome->busiest_nic, able > 0 ? carried / able : 0);
        }
    }
    outcome->bytes = all;
    outcome->nic_use = able > 0 ? all / (plan->nodes * plan->nics * able) : 0;
    outcome->again = packets > 0 ? again / packets : 0;
}

/* False: a rank never came to MPI_Init. */
static bool collect(const struct run *run, clump_emulated_outcome *outcome)
{
    const unsigned ranks = ranks_of(run->plan);
    const double second = 1e9 * run->plan->dilation;
    int64_t begin = INT64_MAX, end = 0;
    double processor = 0;
    *outcome = (clump_emulated_outcome){.machine_busy = run->on_nodes.machine_busy,
                                        .machine_taken = run->on_nodes.machine_taken,
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
        outcome->late = fmax(outcome->late, (double)rank->late_ns / second);
        outcome->latest = fmax(outcome->latest, (double)rank->latest_ns / second);
        outcome->finalized = outcome->finalized && rank->finalized != 0;
    }
    outcome->seconds = (double)(end - begin) / second;
    outcome->late = outcome->seconds > 0 ? outcome->late / outcome->seconds : 0;
    outcome->processor_use = end > begin ? processor / (double)(end - begin) : 0;
    collect_traffic(run, outcome);
    return true;
}

static clump_protocol_status open_run(struct run *run, char *message)
{
    const clump_mpi_emulation_plan *plan = run->plan;
    const char *fault = find_fault(plan);
    if (fault != NULL) {
        snprintf(message, MESSAGE, "%s", fault);
        return CLUMP_PROTOCOL_BAD_INPUT;
    }
    run->on_nodes.plan =
        (struct clump_nodes_plan){.nodes = plan->nodes,
                                  .nics = plan->nics,
                                  .bits_per_second = 1e6 * plan->rate_mbit / plan->dilation};
    run->on_nodes.limit_seconds = plan->limit_seconds;
    run->on_nodes.context = run;
    run->shared =
        mmap(NULL, sizeof *run->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (run->shared != MAP_FAILED && make_board(run))
        return CLUMP_PROTOCOL_OK;
    snprintf(message, MESSAGE, "no memory for a run");
    return CLUMP_PROTOCOL_FAILED;
}

static void close_run(struct run *run)
{
    if (run->board != MAP_FAILED)
        munmap(run->board, run->board_size);
    if (run->board_file >= 0)
        close(run->board_file);
    if (run->shared != MAP_FAILED)
        munmap(run->shared, sizeof *run->shared);
}

#define NO_RUN .shared = MAP_FAILED, .board = MAP_FAILED, .board_file = -1

clump_protocol_status clump_mpi_emulation_rate(const clump_mpi_emulation_plan *plan, double *share,
                                               char message[CLUMP_MPI_EMULATION_MESSAGE_BYTES])
{
    clump_mpi_emulation_plan two = *plan;
    two.nodes = 2;
    two.processors = two.nics = 1;
    struct run run = {.plan = &two, .on_nodes.work = measure_rate, NO_RUN};
    clump_protocol_status status = open_run(&run, message);
    if (status == CLUMP_PROTOCOL_OK)
        status = clump_nodes_run(&run.on_nodes, message);
    if (status == CLUMP_PROTOCOL_OK)
        *share = run.shared->rate * plan->dilation / (1e6 / 8 * plan->rate_mbit);
    close_run(&run);
    return status;
}

clump_protocol_status clump_mpi_emulation_run(const clump_mpi_emulation_plan *plan,
                                              clump_emulated_outcome *outcome,
                                              char message[CLUMP_MPI_EMULATION_MESSAGE_BYTES])
{
    struct run run = {.plan = plan, .on_nodes.work = run_program, NO_RUN};
    clump_protocol_status status = open_run(&run, message);
    if (status == CLUMP_PROTOCOL_OK)
        status = clump_nodes_run(&run.on_nodes, message);
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
    close_run(&run);
    return status;
}
