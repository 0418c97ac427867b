/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Any bytes as a file of runs for a fit; what is read is fitted. */

#include "fitting/slowdown/slowdown_runs.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Sizes that a fit takes seconds for are no errors. */
static bool is_small(const clump_slowdown_runs *runs)
{
    for (size_t i = 0; i < runs->run_count; i++)
        if (runs->runs[i].processors > 64 || runs->runs[i].nics > 64)
            return false;
    return runs->run_count <= 8;
}

static void fit(const clump_slowdown_runs *runs)
{
    clump_slowdown_question q = clump_slowdown_question_default();
    clump_slowdown_fit found;
    clump_error error = {CLUMP_OK, ""};
    q.runs = runs->runs;
    q.run_count = runs->run_count;
    q.base_count = runs->base_count;
    q.error_freedom = runs->error_freedom;
    q.free[CLUMP_SLOWDOWN_UTILIZATION] = true;
    q.free[CLUMP_SLOWDOWN_GANG] = runs->run_count > 2;
    if (clump_slowdown_fit_compute(&q, &found, &error) == CLUMP_OK) {
        const clump_slowdown_estimate *u = &found.parameters[CLUMP_SLOWDOWN_UTILIZATION];
        if (!(u->value >= 0 && u->value <= 1) || u->low > u->value + 1e-6 ||
            u->high < u->value - 1e-6)
            abort();
        clump_slowdown_fit_free(&found);
    } else if (error.message[0] == '\0') {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    clump_slowdown_runs runs = {.records = NULL};
    clump_error error = {CLUMP_OK, ""};
    clump_status status = clump_slowdown_runs_read(&runs, "runs.csv", (const char *)data, size,
                                                   CLUMP_MAPPING_POOLED, &error);
    if (status == CLUMP_OK)
        status = clump_slowdown_runs_merge(&runs, &error);
    if (status == CLUMP_OK && runs.run_count > 0 && is_small(&runs))
        fit(&runs);
    else if (status != CLUMP_OK && error.message[0] == '\0')
        abort();
    clump_slowdown_runs_free(&runs);
    return 0;
}
