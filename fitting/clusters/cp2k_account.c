/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * CP2K: counts and volumes of MPI routines of the process that prints, of DBCSR (sparse matrices) and of
 * the rest, and the time of each routine, among them those that only call MPI (mp_...). Exchanges are
 *  - all to all: all but one's own node's share leaves the node. CP2K adds what is sent and received,
 *    and sums that do not fit become garbage: a process has no more of it than its share of what it
 *    has on one node;
 *  - between neighbours of a two-dimensional torus: panels of matrices (DBCSR), and grids;
 *  - ScaLAPACK (cp_fm_..., but what only moves matrices), whose messages CP2K does not count: what it
 *    takes longer than its share of the time on one node.
 */
#include "fitting/clusters/nic_exchange.h"

#include <math.h>
#include <string.h>

enum { COUNTS = 3 };

typedef struct kind {
    const char *routines[4]; /* whose time it is; beginnings of names */
    const char *counts[COUNTS];
    bool all_to_all;
} kind;

static const kind kinds[] = {
    {{"mp_alltoall", "mp_allgather"}, {"DBCSR MP_Alltoall", "MP_Alltoall"}, true},
    {{"mp_waitall"}, {"DBCSR MP_ISend"}, false},
    {{"mp_waitany", "mp_isendrecv"}, {"MP_ISend", "MP_ISendRecv"}, false},
};

/* A message of which nothing is known: of a panel. */
#define PANEL_BYTES 65536

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool is_of(const kind *k, const char *routine)
{
    for (size_t i = 0; i < 4 && k->routines[i] != NULL; i++)
        if (begins(routine, k->routines[i]))
            return true;
    return false;
}

static bool is_linear_algebra(const char *routine)
{
    return begins(routine, "cp_fm_") && strstr(routine, "redist") == NULL &&
           strstr(routine, "copy") == NULL;
}

/* Mean time of a process in these routines themselves; NULL: in all of MPI. */
static double self_seconds(const clump_program_run *run, const kind *k, bool linear_algebra)
{
    double sum = 0;
    for (size_t i = 0; run != NULL && i < run->count; i++) {
        const clump_cluster_sample *s = &run->samples[i];
        if (strcmp(s->quantity, "phase_self_time") == 0 && strcmp(s->statistic, "mean") == 0 &&
            (linear_algebra ? is_linear_algebra(s->variant)
             : k != NULL    ? is_of(k, s->variant)
                            : begins(s->variant, "mp_")))
            sum += s->value;
    }
    return sum;
}

/* Bytes that a process sends in a run, and in how many calls. */
static double volume(const clump_program_run *run, const kind *k, double *calls)
{
    double bytes = 0;
    *calls = 0;
    for (size_t i = 0; run != NULL && i < COUNTS && k->counts[i] != NULL; i++) {
        const double count = clump_program_value(run, "call_count", k->counts[i], NULL);
        const double each = clump_program_value(run, "call_bytes", k->counts[i], NULL);
        *calls += isfinite(count) ? count : 0;
        bytes += isfinite(count) && isfinite(each) ? count * each : 0;
    }
    return k->all_to_all ? bytes / 2 : bytes;
}

static double change(const clump_program_account *a, const kind *k, const clump_nic_change *nics)
{
    const double nodes = (double)a->run->nodes, processes = a->run->processes;
    const double each = processes / nodes;
    double calls = 0, calls_alone = 0;
    double bytes = volume(a->run, k, &calls);
    const double alone = volume(a->alone, k, &calls_alone);
    if (k->all_to_all && alone > 0)
        bytes = fmin(bytes > 0 ? bytes : alone, alone * a->alone->processes / processes);
    if (!(bytes > 0) || !(calls > 0))
        return 0;
    const double remote =
        k->all_to_all ? 1 - 1 / nodes : clump_nic_exchange_torus_share(processes, each);
    const clump_nic_exchange x = {
        .seconds = self_seconds(a->run, k, false),
        .local_seconds =
            alone > 0 ? self_seconds(a->alone, k, false) * bytes / alone * (1 - remote) : 0,
        .bytes = each * bytes * remote,
        .message_bytes = fmax(1, bytes / calls / (k->all_to_all ? processes : 1)),
        .sharing = each};
    return clump_nic_exchange_change(&x, nics);
}

clump_program_outcome clump_cp2k_predict(const clump_program_account *account,
                                         const clump_nic_change *nics)
{
    const clump_program_run *run = account->run, *alone = account->alone;
    clump_program_outcome outcome = {.communication_s = self_seconds(run, NULL, false)};
    if (!(outcome.communication_s > 0)) {
        outcome.problem = "the output has no times of MPI routines (mp_...)";
        return outcome;
    }
    if (alone == NULL)
        outcome.note = "no run on one node";
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        outcome.change_s += change(account, &kinds[i], nics);
    if (alone != NULL) {
        const clump_nic_exchange algebra = {.seconds = self_seconds(run, NULL, true),
                                            .local_seconds = self_seconds(alone, NULL, true) *
                                                             alone->processes / run->processes,
                                            .bytes = NAN,
                                            .message_bytes = PANEL_BYTES,
                                            .sharing = run->processes / (double)run->nodes};
        outcome.change_s += clump_nic_exchange_change(&algebra, nics);
    }
    return outcome;
}
