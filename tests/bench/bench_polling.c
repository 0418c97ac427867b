/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two protocols under one endpoint, by how polls look at the network: ratios to shared memory
 * alone, and of the network to a network that is looked at in every poll; each within one run,
 * medians over runs. The goals are 1.3 for the round trip and 1.15 for the gap through shared
 * memory, and 1.15 for the network's round trip.
 */
#include "model/statistics.h"
#include "protocols/calibration/two_protocols.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 10, STRATEGIES = 4, KEPT = 8192 };

static struct kept {
    clump_benchmark benchmark;
    char variant[CLUMP_POLLING_TEXT];
    bool network;
    int64_t run;
    double value;
} kept[KEPT];
static size_t count;

static bool keep(const clump_calibration_sample *s, void *context)
{
    (void)context;
    if (count == KEPT)
        return true;
    struct kept *k = &kept[count++];
    k->benchmark = s->benchmark;
    snprintf(k->variant, sizeof k->variant, "%s", s->variant);
    k->network = s->network;
    k->run = s->run;
    k->value = s->value;
    return false;
}

static double find(clump_benchmark benchmark, const char *variant, bool network, int64_t run)
{
    for (size_t i = 0; i < count; i++)
        if (kept[i].benchmark == benchmark && strcmp(kept[i].variant, variant) == 0 &&
            kept[i].network == network && kept[i].run == run)
            return kept[i].value;
    return NAN;
}

/** Median over runs of one variant's value, or of its ratio to another's of the same run. */
static double median(clump_benchmark benchmark, const char *variant, const char *to, bool network)
{
    double values[RUNS];
    size_t n = 0;
    for (int64_t run = 1; run <= RUNS; run++) {
        const double value = find(benchmark, variant, network, run),
                     base = to != NULL ? find(benchmark, to, network, run) : 1;
        if (isfinite(value / base))
            values[n++] = value / base;
    }
    return clump_median(values, n);
}

static void print_ratio(double ratio, double goal)
{
    printf(" %8.2f %-5s", ratio, isnan(goal) ? "" : ratio <= goal ? "met" : "over");
}

/** Looks by a bell, or by system calls only. */
static int compare_strategies(bool no_bell)
{
    char message[CLUMP_CALIBRATION_MESSAGE_BYTES];
    const clump_calibration_plan plan = {
        .processes = 2, .runs = RUNS, .effort = 1, .no_bell = no_bell, .sample = keep};
    count = 0;
    clump_multi_strategy strategies[STRATEGIES] = {{.name = "always"},
                                                   {.name = "fractional:64"},
                                                   {.name = "adaptive (table 4.1)"},
                                                   {.name = "measured (default)"}};
    if (clump_multi_polls(&plan, message) != CLUMP_PROTOCOL_OK) {
        fprintf(stderr, "bench: %s\n", message);
        return 1;
    }
    const double poll = median(CLUMP_BENCHMARK_EMPTY_POLL, CLUMP_MULTI_ALONE, NULL, false),
                 look = median(CLUMP_BENCHMARK_EMPTY_POLL, CLUMP_MULTI_ALONE, NULL, true);
    for (unsigned i = 0; i < STRATEGIES; i++)
        strategies[i].parameters = clump_polling_defaults();
    clump_polling_parse("always", &strategies[0].parameters);
    clump_polling_parse("fractional:64", &strategies[1].parameters);
    strategies[3].parameters = clump_polling_for(look / poll);
    if (clump_multi_loggp(&plan, strategies, STRATEGIES, message) != CLUMP_PROTOCOL_OK) {
        fprintf(stderr, "bench: %s\n", message);
        return 1;
    }
    printf("%s: an empty poll of shared memory %.1f ns, of the network %.0f ns (%.0f polls), "
           "s_max %u for it\n\n",
           no_bell ? "system calls only" : "as the system allows", 1000 * poll, 1000 * look,
           look / poll, strategies[3].parameters.maximum_skip);
    printf("%-24s %14s %14s %14s %14s\n", "", "shared memory", "shared memory", "network RTT",
           "network gap");
    printf("%-24s %14s %14s %14s %14s\n", "polls look", "RTT to alone", "gap to alone", "to always",
           "to alone");
    for (unsigned i = 0; i < STRATEGIES; i++) {
        const char *name = strategies[i].name;
        const bool adaptive = i >= 2;
        printf("%-24s", name);
        print_ratio(median(CLUMP_BENCHMARK_ROUND_TRIP, name, CLUMP_MULTI_ALONE, false),
                    adaptive ? 1.3 : NAN);
        print_ratio(median(CLUMP_BENCHMARK_LONG_BURST, name, CLUMP_MULTI_ALONE, false),
                    adaptive ? 1.15 : NAN);
        print_ratio(median(CLUMP_BENCHMARK_ROUND_TRIP, name, "always", true),
                    adaptive ? 1.15 : NAN);
        print_ratio(median(CLUMP_BENCHMARK_LONG_BURST, name, CLUMP_MULTI_ALONE, true), NAN);
        printf("\n");
    }
    printf("%-24s %8.2f us %11.2f us %11.2f us %11.2f us\n", "alone",
           2 * median(CLUMP_BENCHMARK_ROUND_TRIP, CLUMP_MULTI_ALONE, NULL, false),
           median(CLUMP_BENCHMARK_LONG_BURST, CLUMP_MULTI_ALONE, NULL, false),
           2 * median(CLUMP_BENCHMARK_ROUND_TRIP, CLUMP_MULTI_ALONE, NULL, true),
           median(CLUMP_BENCHMARK_LONG_BURST, CLUMP_MULTI_ALONE, NULL, true));
    return 0;
}

int main(void)
{
    const int status = compare_strategies(false);
    printf("\n");
    return status != 0 ? status : compare_strategies(true);
}
