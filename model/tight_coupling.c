/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/tight_coupling.h"

#include "model/sum.h"

#include <math.h>

static clump_status check(const clump_coupling *c, clump_error *error)
{
    if (!(c->remote_fraction >= 0 && c->remote_fraction <= 1))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "remote fraction: %g, expected 0 to 1",
                          c->remote_fraction);
    if (!(c->cost_ratio >= 0 && c->cost_ratio <= 1e9))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "cost ratio: %g, expected 0 to 1e9",
                          c->cost_ratio);
    if (!(c->memory_penalty >= 1e-9 && c->memory_penalty <= 1e9))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "memory penalty: %g, expected 1e-9 to 1e9 (1 for none)",
                          c->memory_penalty);
    if (!(c->waiting_fraction >= 0 && c->waiting_fraction <= 1))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "waiting fraction: %g, expected 0 to 1",
                          c->waiting_fraction);
    return CLUMP_OK;
}

/* Check everything, and k above 0. */
static clump_status check_all(const clump_coupling *coupling, double U, double *k,
                              clump_error *error)
{
    const double f = coupling->remote_fraction, V = coupling->cost_ratio;
    const clump_status status = check(coupling, error);
    if (status != CLUMP_OK)
        return status;
    if (!(U >= 0 && U <= 1))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "utilization: %g, expected 0 to 1", U);
    *k = (1 - U) * coupling->memory_penalty + f * U + (1 - f) * V * U;
    if (!(*k > 0))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "utilization %g with remote fraction %g and cost ratio %g takes no time",
                          U, f, V);
    return CLUMP_OK;
}

clump_status clump_coupling_apply(const clump_coupling *coupling, double utilization,
                                  double *adjusted, double *factor, clump_error *error)
{
    const double U = utilization, f = coupling->remote_fraction;
    double k = 0;
    const clump_status status = check_all(coupling, U, &k, error);
    if (status != CLUMP_OK)
        return status;
    *adjusted = fmin((1 - coupling->waiting_fraction) * f * U / k, 1);
    *factor = k;
    return CLUMP_OK;
}

clump_status clump_coupling_needs(const clump_coupling *coupling, double utilization,
                                  double *computation, double *communication, clump_error *error)
{
    const double U = utilization, f = coupling->remote_fraction, h = coupling->waiting_fraction;
    double k = 0;
    const clump_status status = check_all(coupling, U, &k, error);
    if (status != CLUMP_OK)
        return status;
    *computation =
        (1 - U) * coupling->memory_penalty + (1 - f) * coupling->cost_ratio * U + h * f * U;
    *communication = (1 - h) * f * U;
    return CLUMP_OK;
}

double clump_coupling_waiting(const clump_coupling *coupling, const double *utilizations,
                              size_t count)
{
    const double f = coupling->remote_fraction, h = coupling->waiting_fraction;
    model_sum waiting = {0, 0}, all = {0, 0};
    for (size_t i = 0; i < count && h > 0; i++) {
        const double U = utilizations[i];
        model_sum_add(&waiting, h * f * U);
        model_sum_add(&all, (1 - U) * coupling->memory_penalty +
                                (1 - f) * coupling->cost_ratio * U + h * f * U);
    }
    const double total = model_sum_total(all);
    return total > 0 ? fmin(model_sum_total(waiting) / total, 1) : 0;
}
