/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/likely_states.h"
#include "model/closed_network.h"
#include "model/constants.h"

#include "model/limit.h"
#include "model/sum.h"

#include <float.h>
#include <math.h>

typedef struct sums {
    model_sum all, active, idle, served;
} sums;

static void add_state(sums *s, double p, double P, double q, double rate)
{
    model_sum_add(&s->all, p);
    model_sum_add(&s->active, p * q);
    model_sum_add(&s->idle, p * (P - q));
    model_sum_add(&s->served, p * rate);
}

/* The least q that is likelier than the next one. */
static size_t find_peak(size_t P, double w, const clump_station *station)
{
    size_t low = 0, high = P;
    while (low < high) {
        const size_t q = low + (high - low) / 2;
        if ((double)(P - q) * w < clump_station_rate(station, q + 1))
            high = q;
        else
            low = q + 1;
    }
    return low;
}

int model_likely_applies(const clump_station *station)
{
    return station->efficiency.function == NULL && station->efficiency.table_length == 0;
}

clump_status model_likely_solve(size_t processors, double U, const clump_station *station,
                                double *slowdown, double *mean_active, clump_error *error)
{
    const size_t P = processors;
    const double w = U / (1 - U), real = (double)P;
    const clump_status status = clump_station_check(station, P, error);
    if (status != CLUMP_OK)
        return status;
    const size_t peak = find_peak(P, w, station);
    sums s = {{0, 0}, {0, 0}, {0, 0}, {0, 0}};
    add_state(&s, 1, real, (double)peak, clump_station_rate(station, peak));
    double p = 1;
    for (size_t q = peak; q < P && (p > MODEL_UNLIKELY || q - peak < MODEL_LEAST_STATES); q++) {
        const double rate = clump_station_rate(station, q + 1);
        p *= (double)(P - q) * w / rate;
        add_state(&s, p, real, (double)(q + 1), rate);
    }
    p = 1;
    double rate = clump_station_rate(station, peak);
    for (size_t q = peak; q > 0 && (p > MODEL_UNLIKELY || peak - q < MODEL_LEAST_STATES); q--) {
        p *= rate / ((double)(P - q + 1) * w);
        rate = clump_station_rate(station, q - 1);
        add_state(&s, p, real, (double)(q - 1), rate);
    }
    const double all = model_sum_total(s.all);
    const double idle = model_sum_total(s.idle) / all, served = model_sum_total(s.served) / all;
    /* Flow balance: a processor computes (1-U)/X of its time and is served U/X. */
    const double slack = clump_slowdown_accuracy(P, 0) * (U * idle + (1 - U) * served) +
                         DBL_MIN * real; /* below it doubles have fewer digits */
    if (!(fabs(U * idle - (1 - U) * served) <= slack))
        return clump_fail(error, CLUMP_INCONSISTENT,
                          "flow balance: %.17g processors compute, %.17g NICs serve, with U = %g",
                          idle, served, U);
    *slowdown = real / (idle + served);
    *mean_active = model_sum_total(s.active) / all;
    return CLUMP_OK;
}

clump_status model_equal_solve(size_t customers, double U, const clump_station *station,
                               double *slowdown, double *mean_active, clump_error *error)
{
    if (customers >= MODEL_LIKELY_FROM && U > 0 && U < 1 && model_likely_applies(station) &&
        station->computing == NULL)
        return model_likely_solve(customers, U, station, slowdown, mean_active, error);
    const clump_class all = {U, customers};
    clump_network_totals totals;
    const clump_status status =
        clump_network_solve(&all, 1, station, NULL, slowdown, NULL, &totals, error);
    if (status == CLUMP_OK)
        *mean_active = totals.mean_active;
    return status;
}
