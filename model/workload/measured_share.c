/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/workload/measured_share.h"

#include "model/model_error.h"
#include "model/root.h"

#include <math.h>
#include <stdbool.h>

static clump_status slowdown(const clump_node *node, double utilization, double gang_size,
                             double *result, clump_error *error)
{
    const clump_load load = {.utilizations = &utilization,
                             .utilization_count = 1,
                             .demand = CLUMP_DEMAND_GANG,
                             .gang_size = gang_size,
                             .coupling = CLUMP_COUPLING_NONE};
    clump_prediction prediction;
    const clump_status status = clump_predict(node, &load, &prediction, NULL, error);
    if (status == CLUMP_OK)
        *result = prediction.slowdown;
    return status;
}

static clump_status check(const clump_measured_share *share, clump_error *error)
{
    const clump_node *node = &share->node;
    if (!(share->communicating >= 0 && share->communicating < 1))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "share of communication: found %g, expected a number from 0 to below 1",
                          share->communicating);
    if (!isnan(share->busy) && !(share->busy > 0 && share->busy <= 1))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "how busy the NICs are: found %g, expected a number above 0, up to 1",
                          share->busy);
    if (node->mapping != CLUMP_MAPPING_POOLED || clump_memory_is_station(&node->memory) ||
        node->efficiency.function != NULL || node->efficiency.table_length > 0)
        return clump_fail(
            error, CLUMP_BAD_ARGUMENT,
            "a measured share stands for one load only where NICs are pooled, and lose "
            "nothing in company, and memory is not shared");
    return CLUMP_OK;
}

/* ---- both ends: the root of (1-U)/X = 1-s */

typedef struct equation {
    const clump_measured_share *share;
    double gang_size;
} equation;

static clump_status share_missing(double utilization, double *value, void *context,
                                  clump_error *error)
{
    const equation *e = context;
    double x = NAN;
    const clump_status status = slowdown(&e->share->node, utilization, e->gang_size, &x, error);
    *value = (1 - utilization) / x - (1 - e->share->communicating);
    return status;
}

/* The load of a utilization, whose slowdown is still to be found. */
static clump_status complete(const clump_measured_share *share, double gang_size,
                             double utilization, clump_share_load *load, clump_error *error)
{
    const clump_node *node = &share->node;
    *load = (clump_share_load){.utilization = utilization, .gang_size = gang_size};
    const clump_status status = slowdown(node, utilization, gang_size, &load->slowdown, error);
    load->busy = utilization * (double)node->processors / ((double)node->nics * load->slowdown);
    return status;
}

static clump_status load_of_share(const clump_measured_share *share, double gang_size,
                                  clump_share_load *load, clump_error *error)
{
    equation e = {share, gang_size};
    double utilization = 0;
    const clump_status status = clump_root_find(share_missing, &e, 0, 1, 0, &utilization, error);
    return status == CLUMP_OK ? complete(share, gang_size, utilization, load, error) : status;
}

/* ---- between them: by how busy the NICs are */

/* U of a share and of busy NICs, whatever the demand. */
static double utilization_of(const clump_measured_share *share, double communicating)
{
    const double k = share->busy * (double)share->node.nics /
                     ((1 - communicating) * (double)share->node.processors);
    return k / (1 + k);
}

/* How much longer gangs of this size take than was measured. */
static clump_status gang_excess(double gang_size, double *value, void *context, clump_error *error)
{
    const clump_measured_share *share = context;
    const double U = utilization_of(share, share->communicating);
    double x = NAN;
    const clump_status status = slowdown(&share->node, U, gang_size, &x, error);
    *value = x - (1 - U) / (1 - share->communicating);
    return status;
}

/* The same of correlated processors, if only this part of the share is communication. */
static clump_status late_excess(double communicating, double *value, void *context,
                                clump_error *error)
{
    const clump_measured_share *share = context;
    const double U = utilization_of(share, communicating);
    double x = NAN;
    const clump_status status =
        slowdown(&share->node, U, (double)share->node.processors, &x, error);
    *value = x - (1 - U) / (1 - communicating);
    return status;
}

/* Less busy than if all communicated at once. */
static clump_status fit_late(const clump_measured_share *share, clump_share_loads *loads,
                             clump_error *error)
{
    double explained = 0;
    const clump_status status =
        clump_root_find(late_excess, (void *)share, 0, share->communicating, 0, &explained, error);
    if (status != CLUMP_OK)
        return status;
    loads->timing = CLUMP_SHARE_LATE;
    loads->waiting = share->communicating - explained;
    return complete(share, (double)share->node.processors, utilization_of(share, explained),
                    &loads->fitted, error);
}

static clump_status fit_busy(const clump_measured_share *share, clump_share_loads *loads,
                             clump_error *error)
{
    const double P = (double)share->node.processors;
    double gang_size = 1, over = NAN, under = NAN;
    clump_status status = gang_excess(1, &over, (void *)share, error);
    if (status == CLUMP_OK)
        status = gang_excess(P, &under, (void *)share, error);
    if (status != CLUMP_OK)
        return status;
    if (under < 0)
        return fit_late(share, loads, error);
    if (over > 0) {
        loads->timing = CLUMP_SHARE_OVER_BUSY;
        loads->fitted = loads->independent;
        return CLUMP_OK;
    }
    status = clump_root_find(gang_excess, (void *)share, 1, P, 0, &gang_size, error);
    loads->timing = CLUMP_SHARE_GANGS;
    return status == CLUMP_OK
               ? complete(share, gang_size, utilization_of(share, share->communicating),
                          &loads->fitted, error)
               : status;
}

clump_status clump_measured_share_loads(const clump_measured_share *share, clump_share_loads *loads,
                                        clump_error *error)
{
    *loads = (clump_share_loads){.timing = CLUMP_SHARE_UNKNOWN};
    clump_status status = check(share, error);
    if (status == CLUMP_OK)
        status = load_of_share(share, 1, &loads->independent, error);
    if (status == CLUMP_OK)
        status = load_of_share(share, (double)share->node.processors, &loads->correlated, error);
    if (status == CLUMP_OK && !isnan(share->busy))
        status = fit_busy(share, loads, error);
    return status;
}

/* ---- other NICs */

static clump_status find_ratio(const clump_measured_share *share, const clump_share_load *load,
                               size_t nics, double *ratio, clump_error *error)
{
    clump_node other = share->node;
    double x = NAN;
    other.nics = nics;
    const clump_status status = slowdown(&other, load->utilization, load->gang_size, &x, error);
    if (status == CLUMP_OK)
        *ratio = x / load->slowdown;
    return status;
}

/* Half the NICs never take more than twice the time, nor twice as many less than half of it. */
static clump_status add_interval(const clump_measured_share *share, size_t nics,
                                 clump_share_change *change, clump_error *error)
{
    const clump_model_error *of = clump_model_error_of(CLUMP_CHANGE_OTHER_NIC);
    const double bound = (double)share->node.nics / (double)nics;
    double ignored;
    change->low = change->high = 1;
    if (nics == share->node.nics)
        return CLUMP_OK;
    clump_status status = clump_model_error_interval(
        of, change->least, NAN, NAN, CLUMP_MODEL_ERROR_LEVEL, &change->low, &ignored, error);
    if (status == CLUMP_OK)
        status = clump_model_error_interval(of, change->most, NAN, NAN, CLUMP_MODEL_ERROR_LEVEL,
                                            &ignored, &change->high, error);
    change->low = bound < 1 ? fmax(change->low, bound) : change->low;
    change->high = bound > 1 ? fmin(change->high, bound) : change->high;
    return status;
}

clump_status clump_measured_share_change(const clump_measured_share *share,
                                         const clump_share_loads *loads, size_t nics,
                                         clump_share_change *change, clump_error *error)
{
    const bool known = loads->timing != CLUMP_SHARE_UNKNOWN;
    *change = (clump_share_change){.fitted = NAN};
    clump_status status = find_ratio(share, &loads->independent, nics, &change->independent, error);
    if (status == CLUMP_OK)
        status = find_ratio(share, &loads->correlated, nics, &change->correlated, error);
    if (status == CLUMP_OK && known)
        status = find_ratio(share, &loads->fitted, nics, &change->fitted, error);
    if (status != CLUMP_OK)
        return status;
    change->least = known ? change->fitted : fmin(change->independent, change->correlated);
    change->most = known ? change->fitted : fmax(change->independent, change->correlated);
    return add_interval(share, nics, change, error);
}
