/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Speed of the simulations on one core, beside its goals: communication cycles a second of the
 * model of chapter 8, and messages a second. Best of a few runs; the peak of memory is that of the
 * program so far.
 */

#include "model/simulation/messages.h"
#include "model/simulation/schedule.h"
#include "model/simulation/simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { runs = 3 };

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double peak_mb(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1e3;
}

static void need(clump_status status, const clump_error *error)
{
    if (status != CLUMP_OK) {
        fprintf(stderr, "bench: %s\n", error->message);
        exit(1);
    }
}

static void report(const char *name, double goal, double rate, const char *unit)
{
    printf("%-46s %9.4g %9.4g %-12s %8.0f\n", name, goal, rate, unit, peak_mb());
}

/* Two events a cycle. Setting up and the pilot are part of it. */
static void sharing(const char *name, size_t P, double goal, clump_service_kind kind)
{
    const double U = 0.48;
    const clump_node node = {.processors = P, .nics = P / 2};
    const clump_load load = {
        .utilizations = &U,
        .utilization_count = 1,
        .coupling = {.remote_fraction = 1, .cost_ratio = 1, .memory_penalty = 1}};
    clump_simulation_options options = CLUMP_SIMULATION_DEFAULTS;
    clump_simulation result;
    clump_error error;
    double best = 0;
    options.threads = 1;
    options.precision = 1e-6;
    options.most_events = fmax(3e7, 60 * (double)P);
    options.communication.kind = kind;
    for (int i = 0; i < runs; i++) {
        const double start = now_s();
        need(clump_simulate(&node, &load, &options, &result, NULL, &error), &error);
        const double rate = result.events / 2 / (now_s() - start) / 1e6;
        best = rate > best ? rate : best;
    }
    report(name, goal, best, "M cycles/s");
}

static clump_cluster machine_of(size_t nodes, size_t processors, size_t nics)
{
    return (clump_cluster){.nodes = nodes,
                           .node = {.processors = processors, .nics = nics},
                           .network = {5, 1, 1.5, 4, 0.01},
                           .shared_memory = {1, 0.5, 0.5, 1, 0.001},
                           .memory_penalty = 1};
}

static void all_to_all(const char *name, size_t nodes, size_t processors, size_t nics, double goal)
{
    const size_t ranks = nodes * processors;
    const clump_cluster machine = machine_of(nodes, processors, nics);
    const clump_program program = {.pattern = CLUMP_PATTERN_ALL_TO_ALL,
                                   .messages = (double)(ranks - 1),
                                   .phases = 1,
                                   .burst = 1};
    const clump_simulation_options options = CLUMP_SIMULATION_DEFAULTS;
    clump_message_result result;
    clump_error error;
    double best = 1e300;
    for (int i = 0; i < runs; i++) {
        const double start = now_s();
        need(clump_simulate_messages(&machine, NULL, &program, &options, &result, NULL, NULL,
                                     &error),
             &error);
        const double time = now_s() - start;
        best = time < best ? time : best;
    }
    report(name, goal, best, "s");
}

static char *dissemination(size_t ranks, size_t *size)
{
    char *text = malloc(ranks * 2000);
    if (text == NULL)
        exit(1);
    size_t used = (size_t)sprintf(text, "num_ranks %zu\n", ranks);
    for (size_t r = 0; r < ranks; r++) {
        used += (size_t)sprintf(text + used, "rank %zu {\n", r);
        for (size_t d = 1; d < ranks; d *= 2) {
            used += (size_t)sprintf(text + used, "s%zu: send 1b to %zu\nr%zu: recv 1b from %zu\n",
                                    d, (r + d) % ranks, d, (r + ranks - d) % ranks);
            if (d > 1)
                used += (size_t)sprintf(text + used, "s%zu requires r%zu\n", d, d / 2);
        }
        used += (size_t)sprintf(text + used, "}\n");
    }
    *size = used;
    return text;
}

static void schedule(const char *name, size_t ranks, double goal)
{
    const clump_cluster machine = machine_of(1, 1, 1);
    size_t size;
    char *text = dissemination(ranks, &size);
    clump_schedule *parsed;
    clump_schedule_result result;
    clump_error error;
    double best = 0;
    const double begin = now_s();
    need(clump_schedule_parse(text, size, &parsed, &error), &error);
    const double parsing = now_s() - begin;
    free(text);
    for (int i = 0; i < runs; i++) {
        const double start = now_s();
        need(clump_schedule_run(parsed, &machine, NULL, &result, &error), &error);
        const double rate = result.messages / (now_s() - start) / 1e6;
        best = rate > best ? rate : best;
    }
    report(name, goal, best, "M messages/s");
    report("  reading its text", 0, parsing, "s");
    clump_schedule_free(parsed);
}

int main(void)
{
    printf("%-46s %9s %9s %-12s %8s\n", "case", "goal", "best", "", "peak MB");
    sharing("chapter 8, P = 8", 8, 10, CLUMP_SERVICE_EXPONENTIAL);
    sharing("chapter 8, P = 8, constant communication", 8, 10, CLUMP_SERVICE_CONSTANT);
    sharing("chapter 8, P = 1000", 1000, 0, CLUMP_SERVICE_EXPONENTIAL);
    sharing("chapter 8, P = 100,000", 100000, 3, CLUMP_SERVICE_EXPONENTIAL);
    all_to_all("all-to-all of 1,024 ranks, a NIC each", 1024, 1, 1, 2);
    all_to_all("all-to-all of 1,024 ranks, 8 on 4 NICs", 128, 8, 4, 2);
    schedule("dissemination of 65,536 ranks, from GOAL", 65536, 1);
    return 0;
}
