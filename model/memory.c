/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/memory.h"

#include "model/closed_network.h"
#include "model/likely_states.h"

#include <math.h>
#include <string.h>

static const char *const laws[] = {[CLUMP_MEMORY_QUEUE] = "queue",
                                   [CLUMP_MEMORY_ROOFLINE] = "roofline",
                                   [CLUMP_MEMORY_MEASURED] = "measured"};

enum { LAWS = sizeof laws / sizeof *laws };

const char *clump_memory_law_name(clump_memory_law law)
{
    return (size_t)law < LAWS ? laws[law] : "unknown";
}

/* ---- the rate of memory */

/* As a station: min(j, feeds), or the curve. */
static clump_station station_of(const clump_memory *memory)
{
    if (memory->curve_length == 0)
        return (clump_station){.nics = memory->feeds, .max_nics_per_processor = 1};
    return (clump_station){.nics = 1,
                           .efficiency = {memory->curve, memory->curve_length, NULL, NULL}};
}

static clump_status check_curve(const clump_memory *memory, clump_error *error)
{
    if (memory->curve == NULL)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "memory: the curve is NULL but its length %zu",
                          memory->curve_length);
    if (!(fabs(memory->curve[0] - 1) <= 1e-12))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "memory: the curve begins with %g, expected 1 (the unit is one processor "
                          "alone)",
                          memory->curve[0]);
    for (size_t j = 1; j < memory->curve_length; j++)
        if (!(memory->curve[j] >= 1e-50 && memory->curve[j] <= 1e50))
            return clump_fail(
                error, CLUMP_BAD_ARGUMENT,
                "memory: the curve is %g for %zu processors, expected a number above 0 "
                "(1e-50 to 1e50)",
                memory->curve[j], j + 1);
    return CLUMP_OK;
}

clump_status clump_memory_check(const clump_memory *memory, clump_error *error)
{
    if ((size_t)memory->law >= LAWS)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "memory: law %d, expected one of " CLUMP_MEMORY_LAW_LIST,
                          (int)memory->law);
    if (!(memory->share >= 0 && memory->share <= 1))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "memory: share %g of the time at memory, expected 0 to 1", memory->share);
    if (memory->curve_length > 0)
        return check_curve(memory, error);
    if (!clump_memory_is_station(memory))
        return CLUMP_OK;
    if (memory->law == CLUMP_MEMORY_MEASURED)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "memory: law measured without a curve, expected the rates of 1, 2, ... "
                          "processors");
    if (!(memory->feeds >= 1 && memory->feeds <= CLUMP_MOST_NICS))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "memory: it feeds %g processors, expected at least 1 (or a curve)",
                          memory->feeds);
    return CLUMP_OK;
}

/* ---- nu */

/* k processors that are at a station of one kind of memory for the share U of their time, alone. */
static clump_status pass_through(const clump_station *station, double U, size_t k, int falls,
                                 double *rate, clump_error *error)
{
    double X = 1, active;
    clump_status status = CLUMP_OK;
    if (U == 1)
        X = (double)k / clump_station_rate(station, k);
    else if (U > 0 && !falls)
        status = model_likely_solve(k, U, station, &X, &active, error);
    else if (U > 0) {
        const clump_class all = {U, k};
        status = clump_network_solve(&all, 1, station, NULL, &X, NULL, NULL, error);
    }
    if (status == CLUMP_OK)
        *rate = (double)k / X;
    return status;
}

static int curve_falls(const clump_memory *memory)
{
    for (size_t j = 1; j < memory->curve_length; j++)
        if (memory->curve[j] < memory->curve[j - 1])
            return 1;
    return 0;
}

/* So many processors do not disturb each other at all. */
static size_t undisturbed(const clump_memory *memory)
{
    size_t k = 1;
    if (memory->curve_length == 0)
        return memory->feeds < (double)CLUMP_MEMORY_MOST_PROCESSORS ? (size_t)memory->feeds
                                                                    : CLUMP_MEMORY_MOST_PROCESSORS;
    while (k < memory->curve_length && memory->curve[k] == (double)(k + 1))
        k++;
    return k;
}

typedef struct law {
    clump_station station;
    double use; /* share of the time in which a processor is at the station */
    size_t undisturbed;
    int falls;
} law;

static clump_status make_law(const clump_memory *memory, double waiting, size_t processors, law *l,
                             clump_error *error)
{
    const clump_status status = clump_memory_check(memory, error);
    if (status != CLUMP_OK)
        return status;
    if (!(waiting >= 0 && waiting <= 1))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "memory: waiting %g, expected 0 to 1",
                          waiting);
    if (!clump_memory_is_station(memory))
        return CLUMP_OK;
    if (processors > CLUMP_MEMORY_MOST_PROCESSORS)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "processors: %zu that share memory, expected %zu at most", processors,
                          CLUMP_MEMORY_MOST_PROCESSORS);
    *l = (law){.station = station_of(memory),
               .use = (memory->law == CLUMP_MEMORY_MEASURED ? 1 : memory->share) * (1 - waiting),
               .undisturbed = undisturbed(memory),
               .falls = curve_falls(memory)};
    if (l->falls && memory->law != CLUMP_MEMORY_ROOFLINE && l->use < 1 &&
        processors > CLUMP_MEMORY_MOST_FALLING)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "processors: %zu that share memory, expected %zu at most where its curve "
                          "falls",
                          processors, CLUMP_MEMORY_MOST_FALLING);
    return CLUMP_OK;
}

/*
 * Whether it hardly ever happens that more of k processors are at memory than do not disturb each other: the
 * number that are is binomial then, and Chernoff's bound of its tail nothing beside 1.
 */
static int hardly_disturbed(const law *l, size_t k)
{
    const double U = l->use, x = (double)(l->undisturbed + 1) / (double)k;
    return k <= l->undisturbed ||
           (x > U && x < 1 && (double)k * (x * log(x / U) + (1 - x) * log((1 - x) / (1 - U))) > 45);
}

static clump_status rate_of(const clump_memory *memory, const law *l, size_t k, double *rate,
                            clump_error *error)
{
    *rate = (double)k;
    if (!clump_memory_is_station(memory) || k <= l->undisturbed)
        return CLUMP_OK;
    if (memory->law == CLUMP_MEMORY_ROOFLINE) {
        *rate = fmin((double)k, clump_station_rate(&l->station, k) / l->use);
        return CLUMP_OK;
    }
    return pass_through(&l->station, l->use, k, l->falls, rate, error);
}

clump_status clump_memory_rates(const clump_memory *memory, double waiting, size_t processors,
                                double *rates, clump_error *error)
{
    law l;
    clump_status status = make_law(memory, waiting, processors, &l, error);
    if (status != CLUMP_OK)
        return status;
    const int grows = clump_memory_is_station(memory) && memory->law != CLUMP_MEMORY_ROOFLINE &&
                      !l.falls && l.use > 0 && l.use < 1;
    /* What memory can do at most; nu does not fall, and stays there once it has come so far. */
    const double most = grows ? clump_station_rate(&l.station, processors) / l.use : HUGE_VAL;
    for (size_t k = 0; k <= processors && status == CLUMP_OK; k++)
        if (grows && hardly_disturbed(&l, k))
            rates[k] = (double)k;
        else if (grows && rates[k - 1] >= most * (1 - 4e-15))
            rates[k] = rates[k - 1];
        else
            status = rate_of(memory, &l, k, &rates[k], error);
    return status;
}

clump_status clump_memory_rate(const clump_memory *memory, size_t processors, double *rate,
                               clump_error *error)
{
    law l;
    double found;
    clump_status status = make_law(memory, 0, processors, &l, error);
    if (status == CLUMP_OK)
        status = rate_of(memory, &l, processors, &found, error);
    if (status == CLUMP_OK)
        *rate = found;
    return status;
}
