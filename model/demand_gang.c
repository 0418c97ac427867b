/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/closed_network.h"
#include "model/demand.h"
#include "model/erlang.h"

#include <math.h>

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
