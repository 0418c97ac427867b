/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reproductions/runs/application_live.h"
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
    const struct clump_application_site *site;
    uint64_t taken; /* messages handled */
    struct clump_application_pace pace;
    struct {
        uint64_t number;
        uint32_t rank;
    } sessions[CLUMP_TEAM_MOST]; /* who is at the other end, as far as it was asked */
    unsigned session_count;
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
    if (part == COMPUTE && before != COMPUTE)
        clump_application_pace_free(&l->pace, l->since_ns, now);
    l->since_ns = now;
    l->part = part;
    return before;
}

/* What passes for a second, in seconds. */
static double dilation_of(const live *l)
{
    return l->site->dilation > 0 ? l->site->dilation : 1;
}

/* The computation so far is over. */
static void catch_up(live *l)
{
    if (l->site->dilation > 0)
        clump_application_pace_wait(&l->pace);
}

static double now_us(clump_worker *w)
{
    live *l = w->own;
    catch_up(l);
    return (double)clump_time_ns() / 1e3 / dilation_of(l);
}

static clump_time_parts parts(clump_worker *w)
{
    live *l = w->own;
    const double us = 1e3 * dilation_of(l);
    catch_up(l);
    turn_to(l, l->part);
    if (l->site->mark != NULL) /* what is timed begins or ends here */
        l->site->mark(l->site, w->rank, l->pace.late_ns);
    return (clump_time_parts){.compute_us = (double)l->spent_ns[COMPUTE] / us,
                              .send_us = (double)l->spent_ns[SEND] / us,
                              .receive_us = (double)l->spent_ns[RECEIVE] / us,
                              .wait_us = (double)l->spent_ns[WAIT] / us};
}

/* It was computed: that has taken its time already, or is slept for. */
static void work(clump_worker *w, double us)
{
    live *l = w->own;
    if (l->site->dilation > 0)
        clump_application_pace_work(&l->pace, 1e3 * us * l->site->dilation);
}

/* ---- messages */

/* Whether it came from a worker of the same node, by the input: on this machine that may have another. */
static bool is_local(live *l, const clump_token *token)
{
    const uint64_t number = token != NULL ? clump_token_session(token) : 0;
    unsigned i = 0;
    if (number == 0 || l->site->per_machine == l->worker.per_node || l->site->per_machine == 0)
        return number == 0;
    while (i < l->session_count && l->sessions[i].number != number)
        i++;
    if (i == l->session_count) {
        char address[CLUMP_ADDRESS_TEXT];
        uint32_t rank = 0;
        clump_token_address(token, address);
        while (rank < l->worker.count && strcmp(l->member->board->addresses[rank], address) != 0)
            rank++;
        if (rank == l->worker.count || i == CLUMP_TEAM_MOST)
            clump_team_fail(l->member, "a message from nobody");
        l->sessions[i].number = number;
        l->sessions[i].rank = rank;
        l->session_count++;
    }
    return clump_worker_is_local(&l->worker, l->sessions[i].rank);
}

static void on_message(clump_token *token, const clump_message *message, void *context)
{
    live *l = context;
    const enum part before = turn_to(l, RECEIVE);
    clump_message ours = *message;
    ours.handler -= FIRST_HANDLER;
    l->taken++;
    clump_worker_take(
        &l->worker,
        &(clump_worker_arrival){.message = &ours, .token = token, .local = is_local(l, token)});
    turn_to(l, before);
}

static void request(clump_worker *w, uint32_t to, unsigned handler, const uint32_t *arguments,
                    unsigned count, const void *data, size_t size)
{
    live *l = w->own;
    catch_up(l);
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
    catch_up(l);
    const enum part before = turn_to(l, RECEIVE);
    clump_endpoint_poll(l->member->endpoint, MOST, NULL);
    turn_to(l, before);
}

static void sleep_for_message(live *l)
{
    enum { LOOK_US = 100000 };
    const uint64_t before = l->taken;
    while (l->taken == before) {
        const clump_protocol_status status = clump_endpoint_wait(l->member->endpoint, LOOK_US);
        if (status != CLUMP_PROTOCOL_TIMED_OUT)
            clump_team_require(l->member, status);
        if (atomic_load(&l->member->board->failed) != 0)
            clump_team_fail(l->member, "another process failed");
    }
}

static void wait_for_message(clump_worker *w)
{
    live *l = w->own;
    catch_up(l);
    const enum part before = turn_to(l, WAIT);
    if (l->site->endpoint.events)
        sleep_for_message(l);
    else
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

static void be_worker(struct clump_team_member *m)
{
    const struct clump_application_site *site = m->work;
    const clump_application_input *input = site->input;
    live l = {.worker = {.rank = m->rank,
                         .count = m->count,
                         .per_node = input->per_node,
                         .operation_us = site->operation_us,
                         .ways = &ways},
              .member = m,
              .site = site,
              .since_ns = clump_time_ns()};
    l.worker.own = &l;
    clump_worker_open(&l.worker);
    for (unsigned h = 0; h < CLUMP_WORKER_HANDLERS; h++)
        clump_endpoint_set_handler(m->endpoint, FIRST_HANDLER + h, on_message, &l);
    clump_team_meet(m, false); /* all know what their messages mean */
    if (site->enter != NULL)
        site->enter(site);
    l.since_ns = l.pace.free_ns = clump_time_ns();
    clump_application_told *told =
        (clump_application_told *)(void *)(m->board->results + m->rank * CLUMP_APPLICATION_TOLD);
    clump_application_result result = {.items = 0};
    input->application->work(&l.worker, input, &result);
    clump_worker_settle(&l.worker);
    if (site->leave != NULL)
        site->leave(site, m, &l.pace, told);
    told->worker = (clump_application_worker){.time_us = l.worker.time_us,
                                              .phase_us = l.worker.phase_us,
                                              .parts = l.worker.parts,
                                              .traffic = l.worker.counted,
                                              .result = result};
    clump_team_meet(m, true); /* answers that others wait for come from here still */
    clump_worker_close(&l.worker);
}

clump_protocol_status clump_application_run_team(const struct clump_application_site *site,
                                                 clump_application_told *told,
                                                 bool (*watch)(double share, void *context),
                                                 void *context,
                                                 char message[CLUMP_CALIBRATION_MESSAGE_BYTES])
{
    const clump_application_input *input = site->input;
    const struct clump_team_options options = {.endpoint = site->endpoint,
                                               .count = input->workers,
                                               .per_machine = site->per_machine,
                                               .settle = site->settle,
                                               .work = site,
                                               .results =
                                                   (size_t)input->workers * CLUMP_APPLICATION_TOLD,
                                               .steps = STEPS,
                                               .watch = watch,
                                               .context = context};
    return clump_team_run(&options, be_worker, (double *)(void *)told, message);
}

clump_protocol_status clump_application_check_live(const clump_application_input *input,
                                                   char message[CLUMP_CALIBRATION_MESSAGE_BYTES])
{
    if (input->workers <= CLUMP_TEAM_MOST)
        return CLUMP_PROTOCOL_OK;
    snprintf(message, CLUMP_CALIBRATION_MESSAGE_BYTES, "found %u processes, expected at most %d",
             input->workers, CLUMP_TEAM_MOST);
    return CLUMP_PROTOCOL_BAD_INPUT;
}

clump_protocol_status clump_application_run_live(clump_application_run *run,
                                                 char message[CLUMP_CALIBRATION_MESSAGE_BYTES])
{
    const clump_application_input *input = run->input;
    clump_protocol_status status = clump_application_check_live(input, message);
    if (status != CLUMP_PROTOCOL_OK)
        return status;
    const struct clump_application_site site = {
        .input = input,
        .endpoint = {.bulk_length = 64},
        .per_machine = input->per_node < input->workers ? input->per_node : 0};
    clump_application_told *told = calloc(input->workers, sizeof *told);
    if (told == NULL) {
        snprintf(message, CLUMP_CALIBRATION_MESSAGE_BYTES, "no memory for results");
        return CLUMP_PROTOCOL_FAILED;
    }
    status = clump_application_run_team(&site, told, run->watch, run->context, message);
    for (uint32_t r = 0; r < input->workers; r++)
        run->workers[r] =
            status == CLUMP_PROTOCOL_OK ? told[r].worker : (clump_application_worker){.time_us = 0};
    clump_application_run_add(run);
    run->events = 0;
    run->nic_utilization = 0;
    free(told);
    return status;
}
