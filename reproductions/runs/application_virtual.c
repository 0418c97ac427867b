/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reproductions/runs/application_run.h"

#include <stdio.h>
#include <stdlib.h>

/* A run, and a worker of it: a processor in virtual time. */
typedef struct setting {
    clump_application_run *run;
    double operation_us, share;
    struct virtual_worker *workers;
} setting;

typedef struct virtual_worker {
    clump_worker worker;
    clump_virtual_member *member;
    setting *setting;
} virtual_worker;

static clump_virtual_member *member_of(const clump_worker *w)
{
    return ((const virtual_worker *)w->own)->member;
}

static void request(clump_worker *w, uint32_t to, unsigned handler, const uint32_t *arguments,
                    unsigned count, const void *data, size_t size)
{
    clump_virtual_member_request(member_of(w), to, handler, arguments, count, data, size);
}

static void reply(clump_worker *w, void *token, unsigned handler, const uint32_t *arguments,
                  unsigned count, const void *data, size_t size)
{
    (void)token; /* the member knows whom it answers */
    clump_virtual_member_reply(member_of(w), handler, arguments, count, data, size);
}

static void wait_for_message(clump_worker *w)
{
    clump_virtual_member_wait(member_of(w));
}

static void poll(clump_worker *w)
{
    enum { MOST = 16 };
    clump_virtual_member_poll(member_of(w), MOST);
}

static void work(clump_worker *w, double us)
{
    clump_virtual_member_work(member_of(w), us);
}

static void walk(clump_worker *w, double us, double loaded, double written)
{
    clump_virtual_member_walk(member_of(w), us, loaded, written);
}

static double now_us(clump_worker *w)
{
    return (double)clump_virtual_member_now_ps(member_of(w)) / 1e6;
}

static clump_time_parts parts(clump_worker *w)
{
    return clump_virtual_member_parts(member_of(w));
}

static void fail(clump_worker *w, const char *reason)
{
    clump_virtual_member_fail(member_of(w), reason);
}

static void progress(clump_worker *w, double share)
{
    if (w->rank == 0)
        ((virtual_worker *)w->own)->setting->share = share;
}

static const clump_worker_ways ways = {.request = request,
                                       .reply = reply,
                                       .wait = wait_for_message,
                                       .poll = poll,
                                       .work = work,
                                       .walk = walk,
                                       .now_us = now_us,
                                       .parts = parts,
                                       .fail = fail,
                                       .progress = progress};

/* Among the workers of all jobs. */
static uint32_t place_of(const setting *s, const clump_virtual_member *m)
{
    return clump_virtual_member_job(m) * s->run->input->workers + clump_virtual_member_rank(m);
}

static void be_worker(clump_virtual_member *member, void *context)
{
    setting *s = context;
    const clump_application_input *input = s->run->input;
    const uint32_t place = place_of(s, member);
    virtual_worker *v = &s->workers[place];
    clump_application_worker *told = &s->run->workers[place];
    v->member = member;
    input->application->work(&v->worker, input, &told->result);
    clump_worker_settle(&v->worker);
    told->time_us = v->worker.time_us;
    told->phase_us = v->worker.phase_us;
    told->longest_queue = clump_virtual_member_longest_queue(member);
    told->memory_bytes = v->worker.most_memory_bytes;
    told->parts = v->worker.parts;
    told->traffic = v->worker.counted;
}

static void handle(clump_virtual_member *member, const clump_virtual_arrival *arrival,
                   void *context)
{
    const setting *s = context;
    clump_worker *w = &s->workers[place_of(s, member)].worker;
    clump_worker_take(w, &(clump_worker_arrival){.message = &arrival->message,
                                                 .token = arrival->reply ? NULL : member,
                                                 .local = clump_worker_is_local(w, arrival->from)});
}

static bool watch(void *context)
{
    const setting *s = context;
    return s->run->watch(s->share, s->run->context);
}

clump_protocol_status clump_application_run_virtual(clump_application_run *run,
                                                    const clump_virtual_team_options *machine,
                                                    double operation_us,
                                                    char message[CLUMP_CALIBRATION_MESSAGE_BYTES])
{
    const clump_application_input *input = run->input;
    const uint32_t count = clump_application_run_workers(run);
    setting s = {.run = run,
                 .operation_us = operation_us > 0 ? operation_us : input->application->operation_us,
                 .workers = calloc(count, sizeof *s.workers)};
    clump_virtual_team_options options = *machine;
    clump_virtual_team_result result;
    if (s.workers == NULL) {
        snprintf(message, CLUMP_CALIBRATION_MESSAGE_BYTES, "no memory for workers");
        return CLUMP_PROTOCOL_FAILED;
    }
    options.processors = input->per_node;
    options.nodes = input->workers / input->per_node;
    options.work = be_worker;
    options.handle = handle;
    options.watch = run->watch != NULL ? watch : NULL;
    options.context = &s;
    for (uint32_t r = 0; r < count; r++) {
        virtual_worker *v = &s.workers[r];
        *v = (virtual_worker){.worker = {.rank = r % input->workers,
                                         .count = input->workers,
                                         .per_node = input->per_node,
                                         .operation_us = s.operation_us,
                                         .cache_bytes = run->cache_bytes,
                                         .ways = &ways,
                                         .own = v},
                              .setting = &s};
        clump_worker_open(&v->worker);
        run->workers[r] = (clump_application_worker){.time_us = 0};
    }
    clump_protocol_status status = clump_virtual_team_run(&options, &result, NULL);
    snprintf(message, CLUMP_CALIBRATION_MESSAGE_BYTES, "%s", result.message);
    if (!clump_application_run_add(run) && status == CLUMP_PROTOCOL_OK) {
        snprintf(message, CLUMP_CALIBRATION_MESSAGE_BYTES, "jobs found different results");
        status = CLUMP_PROTOCOL_FAILED;
    }
    run->events = result.events;
    run->nic_utilization = result.nic_utilization;
    for (uint32_t r = 0; r < count; r++)
        clump_worker_close(&s.workers[r].worker);
    free(s.workers);
    return status;
}
