/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/demand.h"

#include "model/closed_network.h"
#include "model/decimal.h"
#include "model/demand_solvers.h"
#include "model/erlang.h"
#include "model/likely_states.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {[CLUMP_DEMAND_INDEPENDENT] = "independent",
                                    [CLUMP_DEMAND_CORRELATED] = "correlated",
                                    [CLUMP_DEMAND_SCHEDULED] = "scheduled",
                                    [CLUMP_DEMAND_GANG] = "gang"};

enum { NAMES = sizeof names / sizeof *names };

const char *clump_demand_kind_name(clump_demand demand)
{
    return (size_t)demand < NAMES ? names[demand] : "unknown";
}

int clump_demand_kind_parse(const char *name, clump_demand *demand)
{
    for (size_t i = 0; i < NAMES; i++)
        if (strcmp(name, names[i]) == 0) {
            *demand = (clump_demand)i;
            return 1;
        }
    return 0;
}

void clump_demand_name(clump_demand demand, double gang_size, char name[CLUMP_DEMAND_NAME_SIZE])
{
    if (demand == CLUMP_DEMAND_GANG) {
        char number[MODEL_DECIMAL];
        model_decimal_print(gang_size, number);
        snprintf(name, CLUMP_DEMAND_NAME_SIZE, "%s:%.30s", names[demand], number);
    } else {
        snprintf(name, CLUMP_DEMAND_NAME_SIZE, "%s", clump_demand_kind_name(demand));
    }
}

int clump_demand_parse(const char *name, clump_demand *demand, double *gang_size)
{
    const char *gang = names[CLUMP_DEMAND_GANG];
    const size_t length = strlen(gang);
    double size;
    if (strncmp(name, gang, length) == 0) {
        if (name[length] != ':' || !model_decimal_parse(name + length + 1, &size) || size < 1)
            return 0;
        *demand = CLUMP_DEMAND_GANG;
        *gang_size = size;
        return 1;
    }
    if (!clump_demand_kind_parse(name, demand))
        return 0;
    *gang_size = 1;
    return 1;
}

/* ---- correlated */

/*
 * A heap of those that compute, by the v (below) at which they will be done: its i-th entry is the arrival
 * arrivals[i].place.
 */
static void heap_add(model_arrival *arrivals, size_t *count, size_t added)
{
    size_t i = (*count)++;
    for (; i > 0; i = (i - 1) / 2) {
        const size_t parent = arrivals[(i - 1) / 2].place;
        if (arrivals[parent].until <= arrivals[added].until)
            break;
        arrivals[i].place = parent;
    }
    arrivals[i].place = added;
}

static double until_at(const model_arrival *arrivals, size_t i)
{
    return arrivals[arrivals[i].place].until;
}

static void heap_drop_first(model_arrival *arrivals, size_t *count)
{
    const size_t last = arrivals[--*count].place;
    size_t i = 0;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child + 1 < *count && until_at(arrivals, child + 1) < until_at(arrivals, child))
            child++;
        if (child >= *count || until_at(arrivals, child) >= arrivals[last].until)
            break;
        arrivals[i].place = arrivals[child].place;
        i = child;
    }
    arrivals[i].place = last;
}

/* v is the work that a processor has done who computes from the beginning: dv/dt = nu(k)/k, so that who
 * comes at v leaves at v + C, whatever happens in between. */
void model_compute_together(model_arrival *arrivals, size_t count, const clump_station *station,
                            double *ends)
{
    double t = 0, v = 0;
    size_t next = 0, computing = 0, k = 0; /* k: processors, in so many arrivals */
    while (next < count || computing > 0) {
        const double speed = k > 0 ? clump_station_computing(station, k) / (double)k : 1;
        const size_t first = arrivals[0].place;
        const double leaves = computing > 0 ? t + (arrivals[first].until - v) / speed : HUGE_VAL;
        if (next < count && arrivals[next].time <= leaves) {
            model_arrival *a = &arrivals[next];
            v = computing > 0 ? v + (a->time - t) * speed : 0;
            t = a->time;
            a->until = v + a->work;
            ends[next] = t + a->work;
            if (a->processors > 0)
                heap_add(arrivals, &computing, next);
            k += a->processors;
            next++;
        } else {
            t = leaves;
            v = arrivals[first].until;
            ends[first] = t;
            k -= arrivals[first].processors;
            heap_drop_first(arrivals, &computing);
        }
    }
}

clump_status clump_correlated_slowdown(const clump_need *needs, size_t count,
                                       const clump_station *station, double *slowdowns,
                                       clump_error *error)
{
    size_t active;
    clump_status status = model_needs_check(needs, count, &active, error);
    if (status == CLUMP_OK)
        status = clump_station_check(station, active, error);
    if (status != CLUMP_OK)
        return status;
    double time = 0, sent = 0;
    for (size_t k = 0; k < count; k++) {
        const double D = needs[k].communication;
        if (active > 0)
            time += (D - sent) * ((double)active / clump_station_rate(station, active));
        sent = D;
        slowdowns[k] = needs[k].computation + time;
        active -= needs[k].processors;
    }
    return CLUMP_OK;
}

/* ---- gangs */

/* `gangs` equal gangs that make up P processors; mu and nu are then those of gangs of P/gangs. */
static clump_status whole_gangs(size_t processors, double utilization, clump_station station,
                                size_t gangs, double *slowdown, double *active, clump_error *error)
{
    station.gang_size = (double)processors / (double)gangs;
    double many;
    const clump_status status =
        model_equal_solve(gangs, utilization, &station, slowdown, &many, error);
    if (status == CLUMP_OK)
        *active = many / (double)gangs;
    return status;
}

model_gang_counts model_gangs_of(size_t processors, double gang_size)
{
    const double P = (double)processors;
    const size_t fewer = (size_t)floor(P / gang_size);
    if (fewer == processors)
        return (model_gang_counts){fewer, fewer, 1};
    const double largest = P / (double)fewer, smallest = P / (double)(fewer + 1);
    return (model_gang_counts){fewer, fewer + 1, (gang_size - smallest) / (largest - smallest)};
}

clump_status clump_gang_slowdown(size_t processors, double utilization,
                                 const clump_station *station, double gang_size, double *slowdown,
                                 double *active, clump_error *error)
{
    const double P = (double)processors, U = utilization, s = gang_size;
    if (!(s >= 1 && s <= P))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "gang size: %g, expected 1 to the %zu processors that share NICs", s,
                          processors);
    clump_station single = *station;
    single.gang_size = 1;
    clump_status status = clump_station_check(&single, processors, error);
    if (status != CLUMP_OK)
        return status;
    clump_station gang = single;
    gang.gang_size = s;
    if (clump_station_is_constant(&gang) && single.computing == NULL) {
        status = clump_erlang_slowdown(P / s, clump_station_rate(&gang, 1), U, slowdown, error);
        if (status == CLUMP_OK && active != NULL)
            *active = fmax(1 - (1 - U) / *slowdown, 0);
        return status;
    }
    const model_gang_counts gangs = model_gangs_of(processors, s);
    double X, share, fine = 0, finely = 0;
    status = whole_gangs(processors, U, single, gangs.fewer, &X, &share, error);
    if (status == CLUMP_OK && gangs.part < 1)
        status = whole_gangs(processors, U, single, gangs.more, &fine, &finely, error);
    if (status == CLUMP_OK) {
        *slowdown = gangs.part < 1 ? fine + (X - fine) * gangs.part : X;
        if (active != NULL)
            *active = gangs.part < 1 ? finely + (share - finely) * gangs.part : share;
    }
    return status;
}
