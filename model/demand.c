/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/demand.h"

#include "model/closed_network.h"
#include "model/decimal.h"
#include "model/erlang.h"

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

clump_status clump_correlated_slowdown(const clump_need *needs, size_t count,
                                       const clump_station *station, double *slowdowns,
                                       clump_error *error)
{
    size_t active;
    clump_status status = clump_needs_check(needs, count, &active, error);
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

/* `gangs` equal gangs that make up P processors; mu is then that of gangs of P/gangs. */
static clump_status whole_gangs(size_t processors, double utilization, clump_station station,
                                size_t gangs, double *slowdown, clump_error *error)
{
    station.gang_size = (double)processors / (double)gangs;
    const clump_class all = {utilization, gangs};
    return clump_network_solve(&all, 1, &station, slowdown, NULL, NULL, error);
}

clump_status clump_gang_slowdown(size_t processors, double utilization,
                                 const clump_station *station, double gang_size, double *slowdown,
                                 clump_error *error)
{
    const double P = (double)processors, s = gang_size;
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
    if (clump_station_is_constant(&gang))
        return clump_erlang_slowdown(P / s, clump_station_rate(&gang, 1), utilization, slowdown,
                                     error);
    const size_t fewer = (size_t)floor(P / s);
    const size_t more = fewer < processors ? fewer + 1 : fewer;
    const double largest = P / (double)fewer, smallest = P / (double)more;
    double coarse, fine;
    status = whole_gangs(processors, utilization, single, fewer, &coarse, error);
    if (status != CLUMP_OK || s == largest || fewer == more) {
        if (status == CLUMP_OK)
            *slowdown = coarse;
        return status;
    }
    status = whole_gangs(processors, utilization, single, more, &fine, error);
    if (status == CLUMP_OK)
        *slowdown = fine + (coarse - fine) * ((s - smallest) / (largest - smallest));
    return status;
}
