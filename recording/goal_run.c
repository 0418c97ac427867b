/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A GOAL schedule as a run: what is computed and sent. When, a simulation tells (`simulate --schedule`). */
#include "recording/facts.h"
#include "recording/stretch.h"

#include "data/file.h"
#include "model/simulation/schedule.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As much text as `simulate --schedule` takes, and as many accounts as fit into 1 GB. */
#define MOST_BYTES ((size_t)1 << 30)
enum { MOST_RANKS = 8192 };

static clump_facts_status fail(char message[CLUMP_FACTS_MESSAGE], clump_facts_status status,
                               const char *path, const char *what)
{
    snprintf(message, CLUMP_FACTS_MESSAGE, "%.300s: %.500s", path, what);
    return status;
}

static clump_facts_status read_schedule(const char *path, clump_schedule **schedule,
                                        char message[CLUMP_FACTS_MESSAGE])
{
    clump_error error = {.status = CLUMP_OK};
    char *bytes = NULL;
    size_t size = 0;
    errno = 0;
    switch (clump_file_read(path, MOST_BYTES, &bytes, &size)) {
    case CLUMP_FILE_OK:
        break;
    case CLUMP_FILE_NOT_OPENED:
        return fail(message, CLUMP_FACTS_INPUT, path, strerror(errno));
    case CLUMP_FILE_DIRECTORY:
        return fail(message, CLUMP_FACTS_INPUT, path, "found a folder, expected a GOAL schedule");
    case CLUMP_FILE_TOO_LARGE:
        return fail(message, CLUMP_FACTS_INPUT, path, "found more than 1 GB, expected less");
    default:
        return fail(message, CLUMP_FACTS_FAILED, path, "it cannot be read");
    }
    const clump_status status = clump_schedule_parse(bytes, size, schedule, &error);
    free(bytes);
    if (status == CLUMP_OK)
        return CLUMP_FACTS_OK;
    return fail(message, status == CLUMP_BAD_ARGUMENT ? CLUMP_FACTS_INPUT : CLUMP_FACTS_FAILED,
                path, error.message);
}

/* Operations follow each other in an account: only sums are taken from it. */
static void add_step(clump_account *account, double *now, const clump_schedule_step *step)
{
    if (step->what == CLUMP_SCHEDULE_COMPUTES) {
        *now += (double)step->size * 1e-9;
        return;
    }
    const bool sends = step->what == CLUMP_SCHEDULE_SENDS;
    clump_recorded_call call =
        clump_call_of(sends ? CLUMP_CALL_SEND : CLUMP_CALL_RECEIVE, *now, *now);
    call.peer = step->peer <= INT32_MAX ? (int)step->peer : -1;
    call.bytes = sends ? step->size : 0;
    call.bytes_received = sends ? 0 : step->size;
    clump_account_add(account, &call);
}

static clump_facts_status pass(const clump_run *run, clump_matching *matching,
                               char message[CLUMP_FACTS_MESSAGE])
{
    (void)run, (void)matching, (void)message;
    return CLUMP_FACTS_OK;
}

static clump_recording_members members(const clump_run *run, uint32_t number)
{
    (void)run, (void)number;
    return (clump_recording_members){.ranks = NULL};
}

static clump_facts_status make(const clump_schedule *schedule, clump_account *accounts,
                               clump_run_rank *rank, const char **host, clump_facts **facts,
                               char message[CLUMP_FACTS_MESSAGE])
{
    const size_t ranks = clump_schedule_ranks(schedule);
    const size_t operations = clump_schedule_operations(schedule);
    size_t at = 0;
    for (size_t i = 0; i < ranks; i++) {
        double now = 0;
        clump_account_start(&accounts[i], 0);
        for (; at < operations && clump_schedule_step_of(schedule, at).rank == i; at++) {
            const clump_schedule_step step = clump_schedule_step_of(schedule, at);
            add_step(&accounts[i], &now, &step);
        }
        accounts[i].end = fmax(accounts[i].end, now);
        accounts[i].processor = now;
        rank[i] = (clump_run_rank){.node = i, .account = &accounts[i], .ended = true};
        host[i] = "?";
    }
    const clump_run run = {.origin = "goal",
                           .ranks = ranks,
                           .nodes = ranks,
                           .rank = rank,
                           .host = host,
                           .communicators = 1,
                           .members = members,
                           .pass = pass};
    return clump_facts_of_run(&run, facts, message);
}

clump_facts_status clump_facts_of_goal(const char *path, bool digests, clump_facts **facts,
                                       char message[CLUMP_FACTS_MESSAGE])
{
    clump_schedule *schedule = NULL;
    *facts = NULL;
    clump_facts_status status = read_schedule(path, &schedule, message);
    if (status != CLUMP_FACTS_OK)
        return status;
    const size_t ranks = clump_schedule_ranks(schedule);
    if (ranks > MOST_RANKS) {
        clump_schedule_free(schedule);
        return fail(message, CLUMP_FACTS_INPUT, path, "found more than 8192 ranks, expected fewer");
    }
    clump_account *accounts = calloc(ranks + 1, sizeof *accounts);
    clump_run_rank *rank = calloc(ranks + 1, sizeof *rank);
    const char **host = calloc(ranks + 1, sizeof *host);
    if (accounts == NULL || rank == NULL || host == NULL) {
        status = fail(message, CLUMP_FACTS_FAILED, path, "out of memory");
    } else {
        status = make(schedule, accounts, rank, host, facts, message);
        for (size_t i = 0; i < ranks; i++)
            clump_account_free(&accounts[i]);
    }
    if (status == CLUMP_FACTS_OK) {
        clump_facts_say(
            *facts,
            "times: a schedule says how long is computed and what is sent, not when; each rank is "
            "taken as a node of its own ('simulate --schedule' runs it)");
        if (digests)
            status = clump_facts_add_file(*facts, path, -1, message);
        if (digests && status == CLUMP_FACTS_OK)
            status = clump_recorded_stretch_of_schedule(schedule, *facts, message);
    }
    if (status != CLUMP_FACTS_OK) {
        clump_facts_free(*facts);
        *facts = NULL;
    }
    free(accounts);
    free(rank);
    free(host);
    clump_schedule_free(schedule);
    return status;
}
