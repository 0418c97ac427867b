/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/simulation/simulation.h"

#include "model/simulation/replications.h"

#include <math.h>
#include <stdlib.h>

/* Mean processors and NICs in use. */
static void find_means(const simulation_run *run, double *active, double *served)
{
    double sums[2] = {0, 0};
    for (size_t i = 0; i < run->replication_count; i++) {
        sums[0] += run->replications[i].active;
        sums[1] += run->replications[i].served;
    }
    *active = sums[0] / (double)run->replication_count;
    *served = sums[1] / (double)run->replication_count;
}

static void write_details(const simulation_run *run, const clump_simulation_details *details)
{
    for (size_t a = 0; a < run->account_count; a++) {
        const simulation_part *part = simulation_run_part(run, a);
        const size_t first = run->distinct ? a : part->groups.first;
        const size_t count = run->distinct ? 1 : part->groups.count * part->groups.processors;
        for (size_t p = first; p < first + count; p++) {
            if (details->slowdowns != NULL)
                details->slowdowns[p] = run->slowdowns[a];
            if (details->half_widths != NULL)
                details->half_widths[p] = run->half_widths[a];
        }
    }
}

/* Too few events were allowed to say anything. */
static void forget(simulation_run *run)
{
    run->slowdown = run->half_width = NAN;
    for (size_t a = 0; a < run->account_count; a++)
        run->slowdowns[a] = run->half_widths[a] = NAN;
    for (size_t i = 0; i < run->replication_count; i++)
        run->replications[i].active = run->replications[i].served = NAN;
}

static void write_result(const simulation_run *run, bool reached, clump_simulation *result)
{
    double adjusted = 0;
    size_t slowest = 0;
    for (size_t a = 0; a < run->account_count; a++) {
        adjusted += simulation_run_weight(run, a) * run->adjusted[run->distinct ? a : 0];
        if (run->slowdowns[a] > run->slowdowns[slowest])
            slowest = a;
    }
    const double events = simulation_run_events(run);
    double active = NAN, served = NAN;
    if (!(run->load->phase_cycles > 0))
        find_means(run, &active, &served);
    *result = (clump_simulation){
        .prediction =
            {
                .slowdown = run->slowdown,
                .slowest = run->slowdowns[slowest],
                .slowest_processor = run->distinct ? slowest : run->parts[slowest].groups.first,
                .adjusted_utilization = adjusted / (double)run->node->processors,
                .mean_active = active,
                .nic_utilization = served / model_node_capacity(run->node),
                .together = run->load->demand == CLUMP_DEMAND_CORRELATED,
            },
        .half_width = run->half_width,
        .slowest_half_width = run->half_widths[slowest],
        .events = events,
        .measured_events = events - run->measured_from,
        .warm_up = run->warm_up,
        .replications = run->replication_count,
        .reached = reached,
    };
}

clump_status clump_simulate(const clump_node *node, const clump_load *asked,
                            const clump_simulation_options *options, clump_simulation *result,
                            const clump_simulation_details *details, clump_error *error)
{
    const clump_load own = model_load_of(asked, node->processors), *const load = &own;
    simulation_run run = {.node = node, .load = load, .options = options};
    clump_status status = simulation_run_prepare(&run, error);
    if (status == CLUMP_OK && load->demand == CLUMP_DEMAND_CORRELATED)
        status = simulation_run_sort(&run, error);
    if (status == CLUMP_OK) {
        bool reached;
        if (load->demand == CLUMP_DEMAND_CORRELATED)
            reached = simulation_run_correlated(&run);
        else if (load->phase_cycles > 0)
            reached = simulation_run_transient(&run);
        else
            reached = simulation_run_equilibrium(&run);
        if (run.stopped && !run.estimated)
            status = clump_fail(error, CLUMP_STOPPED, "interrupted");
        if (run.starved)
            forget(&run);
        if (status == CLUMP_OK)
            write_result(&run, reached, result);
        if (status == CLUMP_OK && details != NULL)
            write_details(&run, details);
    }
    simulation_run_release(&run);
    return status;
}

clump_status clump_simulate_phases(const clump_node *node, const clump_phase *phases, size_t count,
                                   const clump_simulation_options *options,
                                   clump_simulation *result, clump_error *error)
{
    clump_simulation sum = {.reached = true};
    model_phases all;
    double squares = 0, slowest_squares = 0;
    clump_status status = model_phases_begin(phases, count, &all, error);
    for (size_t f = 0; f < count && status == CLUMP_OK; f++) {
        clump_simulation_options own = *options;
        clump_simulation one;
        own.stream = options->stream * 65536 + f;
        status = clump_simulate(node, &phases[f].load, &own, &one, NULL, error);
        if (status != CLUMP_OK)
            return status;
        const double T = model_phases_add(&all, &phases[f], &one.prediction);
        squares += one.half_width * T * one.half_width * T;
        slowest_squares += one.slowest_half_width * T * one.slowest_half_width * T;
        sum.events += one.events;
        sum.measured_events += one.measured_events;
        sum.warm_up = fmax(sum.warm_up, one.warm_up);
        sum.replications = one.replications;
        sum.reached = sum.reached && one.reached;
    }
    if (status != CLUMP_OK)
        return status;
    sum.prediction = model_phases_end(&all);
    sum.half_width = sqrt(squares) / all.time;
    sum.slowest_half_width = sqrt(slowest_squares) / all.time;
    *result = sum;
    return CLUMP_OK;
}
