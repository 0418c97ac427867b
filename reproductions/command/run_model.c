/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reproductions/command/run_model.h"

#include "cli/output/errors.h"
#include "model/prediction.h"
#include "model/slowest.h"
#include "model/workload/traffic.h"

#include <math.h>
#include <string.h>

run_style run_style_of(const clump_application_input *input)
{
    const clump_application *a = input->application;
    for (size_t i = 0; a->sizes[i].name != NULL; i++)
        if (strcmp(a->sizes[i].name, "wait") == 0 && input->sizes[i] == 0)
            return (run_style){.name = "streaming", .lockstep = a->lockstep};
    return (run_style){.name = a->style, .exchange = a->exchange, .lockstep = a->lockstep};
}

clump_traffic run_traffic(const clump_application_run *run, bool remote)
{
    const uint32_t count = run->input->workers;
    clump_traffic sum = {0, 0, 0};
    for (uint32_t r = 0; r < count; r++) {
        const clump_worker_traffic *t = &run->workers[r].traffic;
        const clump_worker_messages *bulk = remote ? &t->bulk_remote : &t->bulk_local;
        sum.short_messages +=
            (double)(remote ? t->short_remote.messages : t->short_local.messages) / count;
        sum.bulk_messages += (double)bulk->messages / count;
        sum.bulk_bytes += (double)bulk->bytes / count;
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

/* By how many short messages a processor of the busiest NIC sends more than the mean. */
static double excess_of(const clump_application_run *run, const clump_virtual_team_options *o)
{
    const double mean = run_traffic(run, true).short_messages;
    double most = mean;
    for (uint32_t first = 0; !o->pooled && first < run->input->workers;) {
        const uint32_t node = first / o->processors;
        const uint64_t nic = (uint64_t)(first % o->processors) * o->nics / o->processors;
        double sum = 0;
        uint32_t next = first;
        for (; next < run->input->workers && next / o->processors == node &&
               (uint64_t)(next % o->processors) * o->nics / o->processors == nic;
             next++)
            sum += (double)run->workers[next].traffic.short_remote.messages;
        most = fmax(most, sum / (next - first));
        first = next;
    }
    return most - mean;
}

int run_model_predict(const char *command, const clump_application_run *run,
                      const clump_virtual_team_options *o, const clump_application_run *now,
                      run_model *model)
{
    const run_style style = run_style_of(run->input);
    const clump_loggp network = loggp_of(&o->network), memory = loggp_of(&o->memory);
    const clump_workload workload = {
        .remote = run_traffic(run, true),
        .local = run_traffic(run, false),
        .waited_share = style.name != NULL && strcmp(style.name, "blocking") == 0 ? 1 : 0,
        .memory_penalty = 1,
        .time_us = now->time_us,
        .half_duplex = o->half_duplex,
        .exchange = style.exchange,
        .lockstep = style.lockstep,
    };
    const clump_node node = {.processors = o->processors,
                             .nics = o->nics,
                             .mapping = o->pooled ? CLUMP_MAPPING_POOLED : CLUMP_MAPPING_STATIC};
    clump_error error;
    clump_demand_profile profile;
    clump_prediction prediction;
    clump_status status = clump_traffic_profile(&workload, &network, &memory, &profile, &error);
    if (status == CLUMP_OK) {
        const clump_load load = {.utilizations = &profile.utilization,
                                 .utilization_count = 1,
                                 .demand = CLUMP_DEMAND_CORRELATED,
                                 .coupling = profile.coupling};
        status = clump_predict(&node, &load, &prediction, NULL, &error);
    }
    if (status == CLUMP_NO_MEMORY)
        return error_memory(command);
    if (status != CLUMP_OK)
        return error_failed(command, "--predict: %s", error.message);
    model->now_s = now->time_us / 1e6;
    model->utilization = profile.utilization;
    model->remote_fraction = profile.coupling.remote_fraction;
    const double pace = prediction.slowdown;
    model->time_s =
        pace * model->now_s + clump_uneven_wait(&profile.coupling, profile.utilization, pace,
                                                excess_of(run, o), network.gap_us / 1e6);
    model->slowdown = model->time_s / model->now_s;
    return EXIT_DONE;
}
