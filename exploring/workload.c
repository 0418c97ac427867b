/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exploring/workload.h"

#include <math.h>

static clump_status add_program(const clump_workload_program *p, double weight, const size_t *nics,
                                size_t nic_count, clump_workload_row *rows,
                                clump_share_change *changes, clump_error *error)
{
    clump_status status = CLUMP_OK;
    for (size_t n = 0; n < nic_count && status == CLUMP_OK; n++) {
        clump_share_change c;
        status = clump_measured_share_change(&p->share, &p->loads, nics[n], &c, error);
        if (status != CLUMP_OK)
            break;
        rows[n].least += weight * c.least;
        rows[n].most += weight * c.most;
        rows[n].low += weight * c.low;
        rows[n].high += weight * c.high;
        if (changes != NULL)
            changes[n] = c;
    }
    return status;
}

static void add_cost(clump_workload_row *row, const double prices[2])
{
    row->price = prices[0] + (double)row->nics * prices[1];
    row->cost_least = row->price * row->least;
    row->cost_most = row->price * row->most;
    row->cost_low = row->price * row->low;
    row->cost_high = row->price * row->high;
}

/* Rows that none beats in one of time and cost without being worse in the other. */
static void mark_best(clump_workload_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        rows[i].best = true;
        for (size_t k = 0; k < count && isfinite(rows[i].cost_most); k++)
            if (rows[k].most <= rows[i].most && rows[k].cost_most <= rows[i].cost_most &&
                (rows[k].most < rows[i].most || rows[k].cost_most < rows[i].cost_most))
                rows[i].best = false;
    }
}

clump_status clump_workload_compute(clump_workload_program *programs, size_t count,
                                    const size_t *nics, size_t nic_count, const double prices[2],
                                    clump_workload_row *rows, clump_share_change *changes,
                                    clump_error *error)
{
    double hours = 0;
    for (size_t p = 0; p < count; p++)
        hours += programs[p].hours;
    if (!(hours > 0 && isfinite(hours)))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "node hours of all programs: found %g, expected a number above 0", hours);
    for (size_t n = 0; n < nic_count; n++)
        rows[n] = (clump_workload_row){.nics = nics[n]};
    for (size_t p = 0; p < count; p++) {
        clump_error of_program;
        clump_status status =
            clump_measured_share_loads(&programs[p].share, &programs[p].loads, &of_program);
        if (status == CLUMP_OK)
            status = add_program(&programs[p], programs[p].hours / hours, nics, nic_count, rows,
                                 changes != NULL ? changes + p * nic_count : NULL, &of_program);
        if (status != CLUMP_OK)
            return clump_fail(error, status, "%.60s: %.180s", programs[p].name, of_program.message);
    }
    for (size_t n = 0; n < nic_count; n++)
        add_cost(&rows[n], prices);
    mark_best(rows, nic_count);
    return CLUMP_OK;
}
