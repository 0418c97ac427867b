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

clump_status clump_correlated_slowdown(const clump_class *classes, size_t class_count,
                                       const clump_station *station, double *slowdowns,
                                       clump_error *error)
{
    size_t active;
    clump_status status = clump_classes_check(classes, class_count, &active, error);
    if (status == CLUMP_OK)
        status = clump_station_check(station, active, error);
    for (size_t k = 1; k < class_count && status == CLUMP_OK; k++)
        if (classes[k].utilization < classes[k - 1].utilization)
            status = clump_fail(error, CLUMP_BAD_ARGUMENT,
                                "classes: utilization %g after %g, expected ascending order",
                                classes[k].utilization, classes[k - 1].utilization);
    if (status != CLUMP_OK)
        return status;
    double time = 0, sent = 0;
    for (size_t k = 0; k < class_count; k++) {
        const double U = classes[k].utilization;
        if (active > 0)
            time += (U - sent) * ((double)active / clump_station_rate(station, active));
        sent = U;
        slowdowns[k] = 1 - U + time;
        active -= classes[k].processors;
    }
    return CLUMP_OK;
}

/* ---- scheduled */

typedef struct point {
    double q, mu;
} point;

/* What the schedule must carry: sums over the processors. */
typedef struct demands {
    double communication; /* sum U_p */
    double computation;   /* sum (1-U_p) */
    double longest;       /* max over p of 1 - U_p + U_p/(best share of one processor) */
} demands;

/* Whether b lies on or below the line from a to c, so that the hull does not need it. */
static int is_below(point a, point b, point c)
{
    return (b.mu - a.mu) * (c.q - a.q) <= (c.mu - a.mu) * (b.q - a.q);
}

/* Add a point to the upper hull of points that arrive with ascending q. */
static size_t hull_add(point *hull, size_t count, point next)
{
    while (count >= 2 && is_below(hull[count - 2], hull[count - 1], next))
        count--;
    hull[count] = next;
    return count + 1;
}

/* Whether mu can bend at any q: without efficiency and shared slots there are few. */
static int bends_anywhere(const clump_station *station)
{
    return station->efficiency.function != NULL || station->efficiency.table_length > 0 ||
           station->slots.ports > 1;
}

/* The q at which mu can bend: all of them, or the few of min(q m, N). */
static size_t next_corner(const clump_station *station, size_t q, size_t processors)
{
    if (bends_anywhere(station))
        return q + 1;
    const double corner =
        station->max_nics_per_processor > 0 ? station->nics / station->max_nics_per_processor : 1;
    if (q == 0 && corner < 1)
        return 1;
    if ((double)q < floor(corner))
        return floor(corner) < (double)processors ? (size_t)floor(corner) : processors;
    if ((double)q < ceil(corner))
        return ceil(corner) < (double)processors ? (size_t)ceil(corner) : processors;
    return processors;
}

static double least_time(const point *hull, size_t count, size_t processors, const demands *sum)
{
    double X = sum->longest;
    double peak = 0;
    for (size_t i = 1; i < count; i++) {
        const double b = (hull[i].mu - hull[i - 1].mu) / (hull[i].q - hull[i - 1].q);
        if (b <= 0)
            break;
        const double a = hull[i].mu - b * hull[i].q;
        X = fmax(X, (sum->communication + b * sum->computation) / (a + b * (double)processors));
        peak = hull[i].mu;
    }
    return fmax(X, sum->communication / peak);
}

static demands sum_demands(const clump_class *classes, size_t class_count, double best_share)
{
    demands sum = {0, 0, 0};
    for (size_t k = 0; k < class_count; k++) {
        const double U = classes[k].utilization, n = (double)classes[k].processors;
        sum.communication += n * U;
        sum.computation += n * (1 - U);
        if (n > 0)
            sum.longest = fmax(sum.longest, 1 - U + U / best_share);
    }
    return sum;
}

clump_status clump_scheduled_slowdown(const clump_class *classes, size_t class_count,
                                      const clump_station *station, double *slowdown,
                                      clump_error *error)
{
    size_t processors;
    clump_status status = clump_classes_check(classes, class_count, &processors, error);
    if (status == CLUMP_OK)
        status = clump_station_check(station, processors, error);
    if (status != CLUMP_OK)
        return status;
    const int all = bends_anywhere(station);
    point *hull = malloc((all ? processors + 1 : 8) * sizeof *hull);
    if (hull == NULL)
        return clump_fail_memory(error, "scheduled demand");
    size_t count = hull_add(hull, 0, (point){0, 0});
    double best_share = 0;
    for (size_t q = 0; q < processors;) {
        q = next_corner(station, q, processors);
        const double mu = clump_station_rate(station, q);
        best_share = fmax(best_share, mu / (double)q);
        count = hull_add(hull, count, (point){(double)q, mu});
    }
    const demands sum = sum_demands(classes, class_count, best_share);
    *slowdown = least_time(hull, count, processors, &sum);
    free(hull);
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
