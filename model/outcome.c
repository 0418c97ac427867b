/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/outcome.h"

#include "model/closed_network.h"
#include "model/erlang.h"
#include "model/transient.h"

#include <math.h>
#include <stdlib.h>

/* In equilibrium a processor computes (1-U)/X of its time and is served U/X (MODEL.md 2). */
static model_outcome in_equilibrium(double U, double X)
{
    return (model_outcome){X, fmax(1 - (1 - U) / X, 0), U / X};
}

/*
 * The active share, where 1 - (1-U)/X would cancel. What an arriving processor finds is the
 * equilibrium of the others, so that its stay is S/N (1 + (P-1) active share with P-1).
 */
static clump_status refine_active(size_t P, double N, double U, model_outcome *outcome,
                                  clump_error *error)
{
    double others = 0;
    if (P > 1) {
        const clump_status status = clump_erlang_slowdown((double)(P - 1), N, U, &others, error);
        if (status != CLUMP_OK)
            return status;
        others = (double)(P - 1) * (1 - (1 - U) / others);
    }
    outcome->active = U / N * (1 + others) / outcome->slowdown;
    return CLUMP_OK;
}

static clump_status independent(double U, size_t processors, const clump_station *station,
                                model_outcome *outcome, clump_error *error)
{
    double X;
    if (clump_station_is_constant(station)) {
        const double N = clump_station_rate(station, 1);
        clump_status status = clump_erlang_slowdown((double)processors, N, U, &X, error);
        if (status != CLUMP_OK)
            return status;
        *outcome = in_equilibrium(U, X);
        if (outcome->active < 1e-3)
            status = refine_active(processors, N, U, outcome, error);
        return status;
    }
    const clump_class all = {U, processors};
    clump_network_totals totals;
    const clump_status status = clump_network_solve(&all, 1, station, &X, NULL, &totals, error);
    if (status == CLUMP_OK)
        *outcome = (model_outcome){X, totals.mean_active / (double)processors, U / X};
    return status;
}

clump_status model_outcome_uniform(const clump_load *load, double utilization, size_t processors,
                                   const clump_station *station, model_outcome *outcome,
                                   clump_error *error)
{
    const double U = utilization;
    const clump_class all = {U, processors};
    double X;
    clump_status status;
    switch (load->demand) {
    case CLUMP_DEMAND_CORRELATED:
    case CLUMP_DEMAND_SCHEDULED:
        return model_outcome_classes(load, &all, 1, station, outcome, NULL, error);
    case CLUMP_DEMAND_GANG:
        status = clump_gang_slowdown(processors, U, station,
                                     fmin(load->gang_size, (double)processors), &X, error);
        if (status == CLUMP_OK)
            *outcome = in_equilibrium(U, X);
        return status;
    default:
        break;
    }
    if (load->phase_cycles == 0)
        return independent(U, processors, station, outcome, error);
    status = clump_transient_slowdown(processors, U, station, load->phase_cycles, &X, error);
    if (status == CLUMP_OK)
        *outcome = (model_outcome){X, NAN, NAN};
    return status;
}

/* Everybody starts together and, at the next start, has waited for the slowest. */
static void correlated_outcomes(const clump_class *classes, size_t count, const double *X,
                                model_outcome *outcomes)
{
    double period = 0;
    for (size_t k = 0; k < count; k++)
        if (classes[k].processors > 0)
            period = fmax(period, X[k]);
    for (size_t k = 0; k < count; k++) {
        const double U = classes[k].utilization;
        outcomes[k] = (model_outcome){X[k], (X[k] - (1 - U)) / period, U / period};
    }
}

static void scheduled_outcomes(const clump_class *classes, size_t count, double X,
                               model_outcome *outcomes)
{
    for (size_t k = 0; k < count; k++)
        outcomes[k] = (model_outcome){X, NAN, classes[k].utilization / X};
}

clump_status model_outcome_classes(const clump_load *load, const clump_class *classes,
                                   size_t class_count, const clump_station *station,
                                   model_outcome *outcomes, double *distribution,
                                   clump_error *error)
{
    double *X = malloc(class_count * sizeof *X);
    clump_status status;
    if (X == NULL)
        return clump_fail_memory(error, "the prediction");
    switch (load->demand) {
    case CLUMP_DEMAND_CORRELATED:
        status = clump_correlated_slowdown(classes, class_count, station, X, error);
        if (status == CLUMP_OK)
            correlated_outcomes(classes, class_count, X, outcomes);
        break;
    case CLUMP_DEMAND_SCHEDULED:
        status = clump_scheduled_slowdown(classes, class_count, station, X, error);
        if (status == CLUMP_OK)
            scheduled_outcomes(classes, class_count, X[0], outcomes);
        break;
    default:
        status = clump_network_solve(classes, class_count, station, X, distribution, NULL, error);
        for (size_t k = 0; k < class_count && status == CLUMP_OK; k++)
            outcomes[k] = in_equilibrium(classes[k].utilization, X[k]);
    }
    free(X);
    return status;
}
