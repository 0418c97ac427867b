/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "calibration/programs/application_run.h"
#include "calibration/team.h"
#include "protocols/queue/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_HANDLER = 16, /* of ours: the team has some of its own */
    STEPS = 1000        /* in which progress is told */
};

enum part { COMPUTE, SEND, RECEIVE, WAIT, PARTS };

/* A worker that is a process with an endpoint. */
typedef struct live {
    clump_worker worker;
    struct clump_team_member *member;
    uint64_t taken; /* messages handled */
    /* What it does, since when, and what it has done before. */
    enum part part;
    uint64_t since_ns, spent_ns[PARTS];
} live;

/* ---- time */

/* From now on it does this. @return what it did before */
static enum part turn_to(live *l, enum part part)
{
    const uint64_t now = clump_time_ns();
    const enum part before = l->part;
    l->spent_ns[before] += now - l->since_ns;
    l->since_ns = now;
    l->part = part;
    return before;
}

static double now_us(clump_worker *w)
{
    (void)w;
    return (double)clump_time_ns() / 1e3;
}

static clump_time_parts parts(clump_worker *w)
{
    live *l = w->own;
    turn_to(l, l->part);
    return (clump_time_parts){.compute_us = (double)l->spent_ns[COMPUTE] / 1e3,
                              .send_us = (double)l->spent_ns[SEND] / 1e3,
                              .receive_us = (double)l->spent_ns[RECEIVE] / 1e3,
                              .wait_us = (double)l->spent_ns[WAIT] / 1e3};
}

/* It was computed: that has taken its time already. */
static void work(clump_worker *w, double us)
{
    (void)w, (void)us;
}

/* ---- messages */

static void on_message(clump_token *token, const clump_message *message, void *context)
{
    live *l = context;
    const enum part before = turn_to(l, RECEIVE);
    clump_message ours = *message;
    ours.handler -= FIRST_HANDLER;
    l->taken++;
    clump_worker_take(&l->worker, &(clump_worker_arrival){
                                      .message = &ours,
                                      .token = token,
                                      .local = token == NULL || clump_token_session(token) == 0});
    turn_to(l, before);
}

static void request(clump_worker *w, uint32_t to, unsigned handler, const uint32_t *arguments,
                    unsigned count, const void *data, size_t size)
{
    live *l = w->own;
    const enum part before = turn_to(l, SEND);
    clump_endpoint *e = l->member->endpoint;
    clump_team_require(
        l->member, size > 0
                       ? clump_endpoint_request_bulk(e, to, FIRST_HANDLER + handler, arguments,
                                                     count, data, size)
                       : clump_endpoint_request(e, to, FIRST_HANDLER + handler, arguments, count));
    turn_to(l, before);
}

static void reply(clump_worker *w, void *token, unsigned handler, const uint32_t *arguments,
                  unsigned count, const void *data, size_t size)
{
    live *l = w->own;
    const enum part before = turn_to(l, SEND);
    clump_team_require(
        l->member, size > 0
                       ? clump_endpoint_reply_bulk(token, FIRST_HANDLER + handler, arguments, count,
                                                   data, size)
                       : clump_endpoint_reply(token, FIRST_HANDLER + handler, arguments, count));
    turn_to(l, before);
}

static void poll(clump_worker *w)
{
    enum { MOST = 16 };
    live *l = w->own;
    const enum part before = turn_to(l, RECEIVE);
    clump_endpoint_poll(l->member->endpoint, MOST, NULL);
    turn_to(l, before);
}

static void wait_for_message(clump_worker *w)
{
    live *l = w->own;
    const enum part before = turn_to(l, WAIT);
    clump_team_poll_until(l->member, &l->taken, l->taken + 1);
    turn_to(l, before);
}

static void fail(clump_worker *w, const char *reason)
{
    live *l = w->own;
    clump_team_fail(l->member, reason);
}

static void progress(clump_worker *w, double share)
{
    live *l = w->own;
    if (w->rank == 0)
        atomic_store(&l->member->board->steps, (uint64_t)(share * STEPS));
}

static const clump_worker_ways ways = {.request = request,
                                       .reply = reply,
                                       .wait = wait_for_message,
                                       .poll = poll,
                                       .work = work,
                                       .now_us = now_us,
                                       .parts = parts,
                                       .fail = fail,
                                       .progress = progress};

/* ---- a process, and all of them */

enum { RESULT = (sizeof(clump_application_worker) + sizeof(double) - 1) / sizeof(double) };

static void be_worker(struct clump_team_member *m)
{
    const clump_application_input *input = m->work;
    live l = {
        .worker = {.rank = m->rank, .count = m->count, .per_node = input->per_node, .ways = &ways},
        .member = m,
        .since_ns = clump_time_ns()};
    l.worker.own = &l;
    clump_worker_open(&l.worker);
    for (unsigned h = 0; h < CLUMP_WORKER_HANDLERS; h++)
        clump_endpoint_set_handler(m->endpoint, FIRST_HANDLER + h, on_message, &l);
    clump_team_meet(m, false); /* all know what their messages mean */
    clump_application_worker told = {.time_us = 0};
    input->application->work(&l.worker, input, &told.result);
    clump_worker_settle(&l.worker);
    told.time_us = l.worker.time_us;
    told.phase_us = l.worker.phase_us;
    told.parts = l.worker.parts;
    told.traffic = l.worker.counted;
    memcpy(m->board->results + (size_t)m->rank * RESULT, &told, sizeof told);
    clump_team_meet(m, true); /* answers that others wait for come from here still */
    clump_worker_close(&l.worker);
}

clump_protocol_status clump_application_run_live(clump_application_run *run,
                                                 char message[CLUMP_CALIBRATION_MESSAGE_BYTES])
{
    const clump_application_input *input = run->input;
    if (input->workers > CLUMP_TEAM_MOST) {
        snprintf(message, CLUMP_CALIBRATION_MESSAGE_BYTES,
                 "found %u processes, expected at most %d", input->workers, CLUMP_TEAM_MOST);
        return CLUMP_PROTOCOL_BAD_INPUT;
    }
    const struct clump_team_options options = {
        .endpoint = {.bulk_length = 64},
        .count = input->workers,
        .per_machine = input->per_node < input->workers ? input->per_node : 0,
        .work = input,
        .results = (size_t)input->workers * RESULT,
        .steps = STEPS,
        .watch = run->watch,
        .context = run->context};
    double *results = malloc(options.results * sizeof *results);
    if (results == NULL) {
        snprintf(message, CLUMP_CALIBRATION_MESSAGE_BYTES, "no memory for results");
        return CLUMP_PROTOCOL_FAILED;
    }
    const clump_protocol_status status = clump_team_run(&options, be_worker, results, message);
    for (uint32_t r = 0; r < input->workers; r++) {
        run->workers[r] = (clump_application_worker){.time_us = 0};
        if (status == CLUMP_PROTOCOL_OK)
            memcpy(&run->workers[r], results + (size_t)r * RESULT, sizeof *run->workers);
    }
    clump_application_run_add(run);
    run->events = 0;
    run->nic_utilization = 0;
    free(results);
    return status;
}
