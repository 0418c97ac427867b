/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The slowdown of one run, and the names of what describes an application. */
#include "fitting/slowdown/slowdown.h"

#include <math.h>
#include <string.h>

static const char *const names[CLUMP_SLOWDOWN_PARAMETERS][3] = {
    [CLUMP_SLOWDOWN_UTILIZATION] = {"U", "utilization", "u"},
    [CLUMP_SLOWDOWN_GANG] = {"s", "gang", "gang-size"},
    [CLUMP_SLOWDOWN_EFFICIENCY] = {"e", "efficiency", "E"},
    [CLUMP_SLOWDOWN_PENALTY] = {"penalty", "memory-penalty", "c"},
    [CLUMP_SLOWDOWN_REMOTE] = {"f", "remote-fraction", "remote"},
    [CLUMP_SLOWDOWN_COST_RATIO] = {"V", "cost-ratio", "v"},
    [CLUMP_SLOWDOWN_WAITING] = {"h", "waiting-fraction", "waiting"},
};

const char *clump_slowdown_parameter_name(clump_slowdown_parameter parameter)
{
    return names[parameter][0];
}

bool clump_slowdown_parameter_parse(const char *name, clump_slowdown_parameter *parameter)
{
    for (int k = 0; k < CLUMP_SLOWDOWN_PARAMETERS; k++)
        for (int i = 0; i < 3; i++)
            if (strcmp(names[k][i], name) == 0) {
                *parameter = (clump_slowdown_parameter)k;
                return true;
            }
    return false;
}

clump_slowdown_question clump_slowdown_question_default(void)
{
    return (clump_slowdown_question){
        .value = {[CLUMP_SLOWDOWN_UTILIZATION] = NAN,
                  [CLUMP_SLOWDOWN_GANG] = NAN,
                  [CLUMP_SLOWDOWN_EFFICIENCY] = 0,
                  [CLUMP_SLOWDOWN_PENALTY] = 1,
                  [CLUMP_SLOWDOWN_REMOTE] = 1,
                  [CLUMP_SLOWDOWN_COST_RATIO] = 1,
                  [CLUMP_SLOWDOWN_WAITING] = 0},
        .demand = CLUMP_DEMAND_INDEPENDENT,
        .error_freedom = INFINITY,
        .confidence = 0.95,
    };
}

static double choose(const clump_slowdown_question *q, const double *values,
                     clump_slowdown_parameter parameter, double of_run)
{
    return q->free[parameter] || isnan(of_run) ? values[parameter] : of_run;
}

/* Where a processor is alone in its node nothing is local and its memory is its own. */
static clump_coupling coupling_of(const clump_slowdown_question *q, const double *values,
                                  const clump_slowdown_run *run)
{
    if (run->processors == 1)
        return (clump_coupling){1, 1, 1,
                                choose(q, values, CLUMP_SLOWDOWN_WAITING, run->waiting_fraction)};
    return (clump_coupling){
        .remote_fraction =
            run->nics == 0 ? 0 : choose(q, values, CLUMP_SLOWDOWN_REMOTE, run->remote_fraction),
        .cost_ratio = choose(q, values, CLUMP_SLOWDOWN_COST_RATIO, run->cost_ratio),
        .memory_penalty = values[CLUMP_SLOWDOWN_PENALTY],
        .waiting_fraction = choose(q, values, CLUMP_SLOWDOWN_WAITING, run->waiting_fraction),
    };
}

clump_status clump_slowdown_run_predict(const clump_slowdown_question *q,
                                        const double values[CLUMP_SLOWDOWN_PARAMETERS],
                                        const clump_slowdown_run *run, double *slowdown,
                                        clump_error *error)
{
    const double utilization = choose(q, values, CLUMP_SLOWDOWN_UTILIZATION, run->utilization);
    if (run->processors == 1 && run->nics == 1) { /* the NOW itself */
        *slowdown = 1;
        return CLUMP_OK;
    }
    clump_efficiency_law law = {q->form, values[CLUMP_SLOWDOWN_EFFICIENCY]};
    clump_node node = {
        .processors = run->processors,
        .nics = run->nics > 0 ? run->nics : 1,
        .mapping = run->mapping,
        .max_nics_per_processor =
            run->mapping == CLUMP_MAPPING_POOLED ? run->max_nics_per_processor : 0,
        .efficiency = clump_efficiency_by_law(&law),
    };
    clump_load load = {
        .utilizations = &utilization,
        .utilization_count = 1,
        .demand = q->demand,
        .coupling = coupling_of(q, values, run),
    };
    if (!isnan(values[CLUMP_SLOWDOWN_GANG])) {
        load.demand = CLUMP_DEMAND_GANG;
        load.gang_size = fmin(values[CLUMP_SLOWDOWN_GANG], (double)run->processors);
    }
    clump_prediction prediction;
    const clump_status status = clump_predict(&node, &load, &prediction, NULL, error);
    if (status == CLUMP_OK) /* where all start together a run takes as long as the slowest group */
        *slowdown = prediction.slowdown;
    return status;
}
