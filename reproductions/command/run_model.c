/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reproductions/command/run_model.h"

#include "cli/output/errors.h"
#include "model/slowest.h"
#include "model/workload/traffic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

run_style run_style_of(const clump_application_input *input)
{
    const clump_application *a = input->application;
    for (size_t i = 0; a->sizes[i].name != NULL; i++)
        if (strcmp(a->sizes[i].name, "wait") == 0 && input->sizes[i] == 0)
            return (run_style){.name = "streaming", .lockstep = a->lockstep};
    return (run_style){.name = a->style, .exchange = a->exchange, .lockstep = a->lockstep};
}

static clump_traffic traffic_of(const clump_worker_traffic *t, bool remote)
{
    const clump_worker_messages *bulk = remote ? &t->bulk_remote : &t->bulk_local;
    return (clump_traffic){
        .short_messages = (double)(remote ? t->short_remote.messages : t->short_local.messages),
        .bulk_messages = (double)bulk->messages,
        .bulk_bytes = (double)bulk->bytes};
}

clump_traffic run_traffic(const clump_application_run *run, bool remote)
{
    const uint32_t count = run->input->workers;
    clump_traffic sum = {0, 0, 0};
    for (uint32_t r = 0; r < count; r++) {
        const clump_traffic own = traffic_of(&run->workers[r].traffic, remote);
        sum.short_messages += own.short_messages / count;
        sum.bulk_messages += own.bulk_messages / count;
        sum.bulk_bytes += own.bulk_bytes / count;
    }
    return sum;
}

clump_virtual_team_options run_now_machine(const clump_virtual_team_options *machine)
{
    clump_virtual_team_options now = *machine;
    now.nodes = machine->nodes * machine->processors;
    now.processors = now.nics = 1;
    return now;
}

static clump_loggp loggp_of(const clump_message_costs *c)
{
    return (clump_loggp){.latency_us = c->latency_us,
                         .send_overhead_us = c->send_us,
                         .receive_overhead_us = c->receive_us,
                         .gap_us = c->gap_us,
                         .gap_us_per_byte = c->gap_us_per_byte};
}

/* What the workers do, of whom each has its processor. */
typedef struct workers {
    const clump_application_run *run;
    uint32_t processors;
    clump_workload mean;
    clump_loggp network, memory;
} workers;

/* The rest of the time on the NOW is all processors', and what the one that communicates most has left. */
static clump_status needs_of(void *context, size_t node, const double *z, clump_need *needs,
                             double *waiting, double *alone, clump_error *error)
{
    workers *w = context;
    double waited = 0, without = 0;
    (void)z;
    *alone = 0;
    for (size_t i = 0; i < w->processors; i++) {
        const size_t worker = node * w->processors + i;
        clump_workload own = w->mean;
        double waited_us = 0, time_us = 0;
        needs[i] = (clump_need){0, 0, 1};
        if (worker >= w->run->input->workers)
            continue;
        own.remote = traffic_of(&w->run->workers[worker].traffic, true);
        own.local = traffic_of(&w->run->workers[worker].traffic, false);
        const bool nothing =
            !(own.computation_us + own.remote.short_messages + own.remote.bulk_messages +
                  own.local.short_messages + own.local.bulk_messages >
              0);
        const clump_status status =
            nothing ? CLUMP_OK
                    : clump_workload_need(&own, &w->network, &w->memory, &needs[i], &waited_us,
                                          &time_us, error);
        if (status != CLUMP_OK)
            return status;
        waited += waited_us;
        without += needs[i].computation;
        *alone = fmax(*alone, time_us);
    }
    *waiting = without > 0 ? fmin(waited / without, 1) : 0;
    return CLUMP_OK;
}

/* Processors of each NIC. */
static size_t *sizes_of(const clump_virtual_team_options *o)
{
    size_t *sizes = calloc(o->nics, sizeof *sizes);
    for (uint32_t i = 0; i < o->processors && sizes != NULL; i++)
        sizes[(uint64_t)i * o->nics / o->processors]++;
    return sizes;
}

int run_model_predict(const char *command, const clump_application_run *run,
                      const clump_virtual_team_options *o, const clump_application_run *now,
                      run_model *model)
{
    const run_style style = run_style_of(run->input);
    workers w = {
        .run = run,
        .processors = o->processors,
        .network = loggp_of(&o->network),
        .memory = loggp_of(&o->memory),
        .mean = {.waited_share = style.name != NULL && strcmp(style.name, "blocking") == 0 ? 1 : 0,
                 .memory_penalty = 1,
                 .half_duplex = o->half_duplex,
                 .exchange = style.exchange,
                 .lockstep = style.lockstep}};
    clump_workload all = w.mean;
    all.remote = run_traffic(run, true);
    all.local = run_traffic(run, false);
    all.time_us = now->time_us;
    size_t *sizes = o->pooled ? NULL : sizes_of(o);
    if (sizes == NULL && !o->pooled)
        return error_memory(command);
    const clump_node node = {.processors = o->processors,
                             .nics = o->nics,
                             .mapping = o->pooled ? CLUMP_MAPPING_POOLED : CLUMP_MAPPING_STATIC,
                             .group_sizes = sizes};
    const clump_job job = {.node = &node,
                           .nodes = o->nodes,
                           .demand = CLUMP_DEMAND_CORRELATED,
                           .listed = true,
                           .needs = needs_of,
                           .context = &w};
    clump_error error;
    clump_demand_profile profile;
    clump_job_time own, found;
    clump_status status = clump_traffic_profile(&all, &w.network, &w.memory, &profile, &error);
    if (status == CLUMP_OK)
        status = clump_job_solve(&job, true, &own, &error);
    if (status == CLUMP_OK && own.now_time > now->time_us)
        status = clump_fail(&error, CLUMP_BAD_ARGUMENT,
                            "the traffic of the slowest processor takes %.4g s on the NOW by its "
                            "LogGP parameters, more than the %.4g s of the run",
                            own.now_time / 1e6, now->time_us / 1e6);
    if (status == CLUMP_OK) {
        w.mean.computation_us = now->time_us - own.now_time;
        status = clump_job_solve(&job, false, &found, &error);
    }
    free(sizes);
    if (status == CLUMP_NO_MEMORY)
        return error_memory(command);
    if (status != CLUMP_OK)
        return error_failed(command, "--predict: %s", error.message);
    model->now_s = now->time_us / 1e6;
    model->utilization = profile.utilization;
    model->remote_fraction = profile.coupling.remote_fraction;
    model->time_s = found.time / 1e6;
    model->slowdown = model->time_s / model->now_s;
    return EXIT_DONE;
}
