/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Questions that make no sense, before anything is computed. */
#include "fitting/slowdown/slowdown_search.h"

#include <math.h>

static clump_status check_run(const clump_slowdown_question *q, size_t i, clump_error *error)
{
    const clump_slowdown_run *run = &q->runs[i];
    if (run->base >= q->base_count)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "run %zu: base %zu of %zu", i + 1,
                          run->base + 1, q->base_count);
    if (run->processors < 1)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "run %zu: no processors, expected 1 or more",
                          i + 1);
    if (run->processors > CLUMP_SLOWDOWN_PROCESSORS)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "run %zu: %zu processors in a node, expected up to %d", i + 1,
                          run->processors, CLUMP_SLOWDOWN_PROCESSORS);
    if (!(run->time_s > 0 && isfinite(run->time_s)))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "run %zu: time %g, expected above 0", i + 1,
                          run->time_s);
    if (!isnan(run->relative_error) && !(run->relative_error > 0 && run->relative_error < 10))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "run %zu: relative error %g, expected above 0",
                          i + 1, run->relative_error);
    const double own[] = {run->utilization, run->remote_fraction, run->waiting_fraction};
    for (size_t k = 0; k < sizeof own / sizeof own[0]; k++)
        if (!isnan(own[k]) && !(own[k] >= 0 && own[k] <= 1))
            return clump_fail(error, CLUMP_BAD_ARGUMENT, "run %zu: found %g, expected 0 to 1",
                              i + 1, own[k]);
    return CLUMP_OK;
}

/* What is neither free nor given, here or in every run. */
static clump_status check_values(const clump_slowdown_question *q, clump_error *error)
{
    if (!q->free[CLUMP_SLOWDOWN_UTILIZATION] && isnan(q->value[CLUMP_SLOWDOWN_UTILIZATION]))
        for (size_t i = 0; i < q->run_count; i++)
            if (q->runs[i].processors > 1 && isnan(q->runs[i].utilization))
                return clump_fail(error, CLUMP_BAD_ARGUMENT,
                                  "utilization U is neither free nor known for the run with %zu "
                                  "processors and %zu NICs; let it be found with the rest, give "
                                  "it, or leave the run out",
                                  q->runs[i].processors, q->runs[i].nics);
    return CLUMP_OK;
}

clump_status slowdown_check(const clump_slowdown_question *q, clump_error *error)
{
    if (q->run_count == 0 || q->base_count == 0)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "found no runs, expected some");
    if (q->base_count > CLUMP_SLOWDOWN_BASES)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "%zu bases, expected up to %d", q->base_count,
                          CLUMP_SLOWDOWN_BASES);
    if (!(q->confidence > 0 && q->confidence < 1))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "confidence %g, expected between 0 and 1",
                          q->confidence);
    clump_status status = check_values(q, error);
    for (size_t i = 0; i < q->run_count && status == CLUMP_OK; i++)
        status = check_run(q, i, error);
    return status;
}
