/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/station.h"

#include <math.h>
#include <string.h>

/* Outside these limits quotients of rates could leave the range of double. */
static const double least_efficiency = 1e-50;
static const double greatest_efficiency = 1e50;

static double efficiency_at(const clump_efficiency *e, double active)
{
    if (e->function != NULL)
        return e->function(active, e->context);
    if (e->table_length == 0 || active <= 1)
        return e->table_length == 0 ? 1.0 : e->table[0];
    if (active >= (double)e->table_length)
        return e->table[e->table_length - 1];
    const size_t below = (size_t)active;
    const double part = active - (double)below;
    const double low = e->table[below - 1];
    return part == 0 ? low : low + part * (e->table[below] - low);
}

static double gang_size(const clump_station *station)
{
    return station->gang_size > 0 ? station->gang_size : 1.0;
}

double clump_station_rate(const clump_station *station, size_t customers)
{
    if (customers == 0)
        return 0;
    const double size = gang_size(station);
    const double active = (double)customers * size;
    double nics = station->nics;
    if (station->max_nics_per_processor > 0)
        nics = fmin(active * station->max_nics_per_processor, nics);
    nics = clump_slots_capacity(&station->slots, station->nics, nics);
    return nics * efficiency_at(&station->efficiency, active) / size;
}

/* Where in `computing` these customers are. */
static double rates_of(const clump_station *station, size_t customers)
{
    const double size = gang_size(station);
    const double step = station->computing_step > 0 ? station->computing_step : 1;
    return size == step ? (double)customers : (double)customers * size / step;
}

double clump_station_computing(const clump_station *station, size_t customers)
{
    if (station->computing == NULL || customers == 0)
        return (double)customers;
    const double size = gang_size(station), k = rates_of(station, customers);
    const size_t last = station->computing_count - 1;
    if (k >= (double)last)
        return station->computing[last] / size;
    const size_t below = (size_t)k;
    const double part = k - (double)below, low = station->computing[below];
    return (part == 0 ? low : low + part * (station->computing[below + 1] - low)) / size;
}

static int is_one_throughout(const clump_efficiency *e)
{
    if (e->function != NULL || (e->table == NULL && e->table_length > 0))
        return 0;
    for (size_t i = 0; i < e->table_length; i++)
        if (e->table[i] != 1)
            return 0;
    return 1;
}

int clump_station_is_constant(const clump_station *station)
{
    return (station->max_nics_per_processor == 0 ||
            station->max_nics_per_processor * gang_size(station) >= station->nics) &&
           is_one_throughout(&station->efficiency);
}

static clump_status check_efficiency_value(double value, double active, clump_error *error)
{
    if (!(value > 0) || !isfinite(value))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "efficiency: E(%g) is %g, expected a positive finite number", active,
                          value);
    if (value < least_efficiency || value > greatest_efficiency)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "efficiency: E(%g) is %g, expected %g to %g",
                          active, value, least_efficiency, greatest_efficiency);
    return CLUMP_OK;
}

static clump_status check_efficiency(const clump_station *station, size_t customers,
                                     clump_error *error)
{
    const clump_efficiency *e = &station->efficiency;
    if (e->function == NULL && e->table_length == 0)
        return CLUMP_OK;
    if (e->function == NULL && e->table == NULL)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "efficiency: table is NULL but its length %zu",
                          e->table_length);
    const double one = efficiency_at(e, 1);
    if (!(fabs(one - 1) <= 1e-12))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "efficiency: E(1) is %g, expected 1 (the unit is one NIC that serves one "
                          "processor)",
                          one);
    const size_t entries = e->function != NULL ? customers : e->table_length;
    const double step = e->function != NULL ? gang_size(station) : 1.0;
    for (size_t q = 1; q <= entries; q++) {
        const double active = (double)q * step;
        const clump_status status = check_efficiency_value(efficiency_at(e, active), active, error);
        if (status != CLUMP_OK)
            return status;
    }
    return CLUMP_OK;
}

static clump_status check_computing(const clump_station *station, size_t customers,
                                    clump_error *error)
{
    /* Gangs are P/s processors each, which may round to a little more than P together. */
    if (rates_of(station, customers) > (double)station->computing_count - 1 + 1e-6)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "memory: %zu rates, expected those of 0 to %g processors",
                          station->computing_count, rates_of(station, customers));
    for (size_t k = 1; k < station->computing_count; k++)
        if (!(station->computing[k] >= least_efficiency &&
              station->computing[k] <= greatest_efficiency))
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "memory: %zu processors compute at the rate %g, expected %g to %g", k,
                              station->computing[k], least_efficiency, greatest_efficiency);
    return CLUMP_OK;
}

clump_status clump_station_check(const clump_station *station, size_t customers, clump_error *error)
{
    const double m = station->max_nics_per_processor;
    if (!(station->nics >= CLUMP_LEAST_NICS && station->nics <= CLUMP_MOST_NICS))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "nics: %g, expected %g to %g", station->nics,
                          CLUMP_LEAST_NICS, CLUMP_MOST_NICS);
    if (!(m == 0 || m >= 1))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "max_nics_per_processor: %g, expected at least 1 (or 0 for no limit)", m);
    if (!(station->gang_size == 0 || station->gang_size >= 1) || !isfinite(station->gang_size))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "gang_size: %g, expected at least 1",
                          station->gang_size);
    if (customers < 1 || customers > CLUMP_MAX_PROCESSORS)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "processors: %zu, expected 1 to %zu",
                          customers, CLUMP_MAX_PROCESSORS);
    clump_status status = model_slots_check(&station->slots, error);
    if (status == CLUMP_OK && station->computing != NULL)
        status = check_computing(station, customers, error);
    return status == CLUMP_OK ? check_efficiency(station, customers, error) : status;
}

/* ---- efficiency by a law */

static const char *const forms[] = {"inverse", "power", "exponential"};

const char *clump_efficiency_form_name(clump_efficiency_form form)
{
    return forms[form];
}

int clump_efficiency_form_parse(const char *name, clump_efficiency_form *form)
{
    for (int i = 0; i < 3; i++)
        if (strcmp(forms[i], name) == 0) {
            *form = (clump_efficiency_form)i;
            return 1;
        }
    return 0;
}

double clump_efficiency_at(clump_efficiency_form form, double coefficient, double active)
{
    const double others = active > 1 ? active - 1 : 0;
    switch (form) {
    case CLUMP_EFFICIENCY_POWER:
        return pow(1 + others, -coefficient);
    case CLUMP_EFFICIENCY_EXPONENTIAL:
        return exp(-coefficient * others);
    case CLUMP_EFFICIENCY_INVERSE:
        break;
    }
    return 1 / (1 + coefficient * others);
}

/* What falls below what the solvers accept is held there: nothing is served any more. */
static double by_law(double active, void *context)
{
    const clump_efficiency_law *law = context;
    return fmax(clump_efficiency_at(law->form, law->coefficient, active), 1e-40);
}

clump_efficiency clump_efficiency_by_law(clump_efficiency_law *law)
{
    if (!(law->coefficient > 0))
        return (clump_efficiency){.table = NULL};
    return (clump_efficiency){.function = by_law, .context = law};
}
