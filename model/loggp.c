/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/loggp.h"

#include <math.h>
#include <stddef.h>

const char *const clump_loggp_quantities[CLUMP_LOGGP_QUANTITIES] = {
    "latency", "send_overhead", "receive_overhead", "gap", "gap_per_byte"};

clump_loggp clump_loggp_of(const double values[CLUMP_LOGGP_QUANTITIES])
{
    return (clump_loggp){values[0], values[1], values[2], values[3], values[4]};
}

clump_status clump_loggp_check(const clump_loggp *p, const char *name, clump_error *error)
{
    const struct {
        const char *symbol;
        double value, least;
    } rules[] = {
        {"L", p->latency_us, -1e12},        {"o_s", p->send_overhead_us, 0},
        {"o_r", p->receive_overhead_us, 0}, {"g", p->gap_us, 0},
        {"G", p->gap_us_per_byte, 0},
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (!isfinite(rules[i].value) || rules[i].value < rules[i].least)
            return clump_fail(error, CLUMP_BAD_ARGUMENT, "%s: %s is %g, expected a finite number%s",
                              name, rules[i].symbol, rules[i].value,
                              rules[i].least == 0 ? ", 0 or more" : "");
    if (!(p->gap_us > 0))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "%s: g is %g, expected more than 0", name,
                          p->gap_us);
    if (!(clump_loggp_round_trip_us(p) > 0))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "%s: the round trip 2(o_s + L + o_r) is %g us, expected more than 0",
                          name, clump_loggp_round_trip_us(p));
    return CLUMP_OK;
}

double clump_loggp_round_trip_us(const clump_loggp *p)
{
    return 2 * (p->send_overhead_us + p->latency_us + p->receive_overhead_us);
}

static double at_least_one(double occupancy, const clump_loggp *p)
{
    const double overhead = p->send_overhead_us + p->receive_overhead_us;
    return overhead > 0 ? fmax(floor(occupancy / overhead), 1) : INFINITY;
}

double clump_loggp_max_nics(const clump_loggp *p)
{
    return at_least_one(p->gap_us, p);
}

double clump_loggp_max_nics_bulk(const clump_loggp *p, double bytes)
{
    return at_least_one(p->gap_us + fmax(bytes - 1, 0) * p->gap_us_per_byte, p);
}
