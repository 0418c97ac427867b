/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Speed of the engine on one core, beside its goals. Every figure is a median over runs; the last
 * column gives it in dependent floating-point divisions measured in the same run, which compares
 * better between machines and between the moods of one.
 */

#include "model/closed_network.h"
#include "model/erlang.h"
#include "model/prediction.h"
#include "model/statistics.h"
#include "model/transient.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { runs = 9 };

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

typedef struct benchmark {
    const char *name;
    double goal_us;
    int repeat; /* calls a run */
    void (*call)(size_t processors);
    size_t processors;
} benchmark;

static volatile double sink;

static void report_failure(clump_status status, const clump_error *error)
{
    if (status != CLUMP_OK) {
        fprintf(stderr, "bench: %s\n", error->message);
        exit(1);
    }
}

static void recursion(size_t P)
{
    double X;
    clump_error error;
    report_failure(clump_erlang_slowdown((double)P, (double)(P / 2), 0.48, &X, &error), &error);
    sink = X;
}

static void any_station(size_t P)
{
    const clump_class all = {0.48, P};
    const clump_station station = {.nics = (double)(P / 2), .max_nics_per_processor = 1};
    double X;
    clump_error error;
    report_failure(clump_network_solve(&all, 1, &station, NULL, &X, NULL, NULL, &error), &error);
    sink = X;
}

static void distinct(size_t P)
{
    static double U[10000], X[10000];
    for (size_t p = 0; p < P; p++)
        U[p] = 0.3 + 0.4 * (double)p / (double)(P - 1);
    const clump_node node = {.processors = P, .nics = P / 2, .max_nics_per_processor = 1};
    const clump_load load = {U, P, CLUMP_DEMAND_INDEPENDENT, 0, CLUMP_COUPLING_NONE, 0};
    const clump_prediction_details details = {.slowdowns = X};
    clump_prediction result;
    clump_error error;
    report_failure(clump_predict(&node, &load, &result, &details, &error), &error);
    sink = X[0];
}

static void transient(size_t P)
{
    const clump_station station = {.nics = (double)(P / 2)};
    double X;
    clump_error error;
    report_failure(clump_transient_slowdown(P, 0.48, &station, 10, NULL, &X, &error), &error);
    sink = X;
}

static void divisions(size_t count)
{
    double x = 1;
    for (size_t i = 0; i < count; i++)
        x = 1 / (x + 0.5);
    sink = x;
}

static double median_us(const benchmark *b)
{
    double times[runs];
    b->call(b->processors); /* warm-up */
    for (int i = 0; i < runs; i++) {
        const double start = now_us();
        for (int k = 0; k < b->repeat; k++)
            b->call(b->processors);
        times[i] = (now_us() - start) / b->repeat;
    }
    return clump_median(times, (size_t)runs);
}

int main(void)
{
    const benchmark unit = {"", 0, 1, divisions, 1000000};
    const benchmark benchmarks[] = {
        {"equal processors, mu = N, P = 64", 1, 10000, recursion, 64},
        {"equal processors, mu = N, P = 10^5", 1e3, 10, recursion, 100000},
        {"equal processors, mu = N, P = 10^7", 50e3, 1, recursion, 10000000},
        {"equal processors, any mu(q), P = 10^6", 50e3, 1, any_station, 1000000},
        {"all slowdowns, distinct U, P = 64", 50, 1000, distinct, 64},
        {"all slowdowns, distinct U, P = 1000", 10e3, 10, distinct, 1000},
        {"all slowdowns, distinct U, P = 10^4", 2e6, 1, distinct, 10000},
        {"transient, P = 10^4", 3e6, 1, transient, 10000},
    };
    const double division = median_us(&unit) / 1e6;
    printf("%-40s %12s %12s %10s %14s\n", "case", "goal us", "median us", "of goal", "divisions");
    for (size_t i = 0; i < sizeof benchmarks / sizeof benchmarks[0]; i++) {
        const benchmark *b = &benchmarks[i];
        const double us = median_us(b);
        if (b->goal_us > 0)
            printf("%-40s %12.6g %12.4g %9.1f%% %14.3g\n", b->name, b->goal_us, us,
                   100 * us / b->goal_us, us / division);
        else
            printf("%-40s %12s %12.4g %10s %14.3g\n", b->name, "-", us, "-", us / division);
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%-40s %12s %12.4g\n", "peak memory of this program, MB", "200",
           (double)usage.ru_maxrss / 1e3);
    return 0;
}
