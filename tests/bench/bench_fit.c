/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Speed of fits: half round trips and rates as OSU writes them, 23 sizes, with a break, five runs
 * of each, and 10,000 resamples. The goal is a second for all of it.
 */
#include "fitting/loggp/curve_fit.h"
#include "model/statistics.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 5, RUNS = 5 };

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void make(clump_curve *curve, gsl_rng *random, double window)
{
    for (size_t run = 0; run < RUNS; run++)
        for (double n = 1; n <= 4194304; n *= 2) {
            const double half = (n < 8192 ? 2 : 6) + 0.0002 * n;
            const double time = window > 0 ? ((window - 1) * half / 4 + 2 * half) / window : half;
            const clump_curve_point point = {.size_bytes = n,
                                             .time_us = time * exp(gsl_ran_gaussian(random, 0.03)),
                                             .window = window,
                                             .waiting = window > 0 ? CLUMP_WAITS_FOR_BURST
                                                                   : CLUMP_WAITS_NEVER,
                                             .round_trip_us = 2 * half,
                                             .run = run};
            if (clump_curve_add(curve, &point, NULL) != CLUMP_OK)
                exit(1);
        }
}

static double fit_both(size_t resamples)
{
    const clump_fit_options options = {resamples, 1};
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    if (random == NULL)
        exit(1);
    double spent = 0;
    for (size_t k = 0; k < 2; k++) {
        clump_curve curve = {0};
        clump_curve_fit fit;
        make(&curve, random, k == 0 ? 0 : 64);
        const double start = now_ms();
        if (clump_curve_fit_run(&curve, &options, k, &fit, NULL) != CLUMP_OK)
            exit(1);
        spent += now_ms() - start;
        clump_curve_fit_free(&fit);
        clump_curve_free(&curve);
    }
    gsl_rng_free(random);
    return spent;
}

int main(void)
{
    static const struct {
        const char *name;
        size_t resamples;
        double goal_ms;
    } cases[] = {{"fit of an OSU set, no intervals", 0, 0},
                 {"the same, 10,000 resamples", 10000, 1000},
                 {"the same, 100,000 resamples", 100000, 0}};
    printf("\n%-40s %12s %12s\n", "case", "goal ms", "median ms");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double times[ROUNDS];
        for (size_t r = 0; r < ROUNDS; r++)
            times[r] = fit_both(cases[i].resamples);
        const double median = clump_median(times, ROUNDS);
        if (cases[i].goal_ms > 0)
            printf("%-40s %12.6g %12.4g\n", cases[i].name, cases[i].goal_ms, median);
        else
            printf("%-40s %12s %12.4g\n", cases[i].name, "-", median);
    }
    return 0;
}
