/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From work and time of the replications to slowdowns.
 *
 * With w the mean, over the replications, of work per time of a processor, X = 1/w. With accounts a
 * of n_a processors and factors k_a, X = sum n_a k_a X_a/P is a smooth function of the means, and
 * its interval that of the mean of its linearization (the delta method), by Student's t with as
 * many degrees of freedom as there are replications less one. All replications take the same time,
 * so that the bias of 1/w falls like 1/time.
 *
 * In a transient w is the work done at a moment `reach` close to T', and T' = reach + (T - w)/r to
 * first order, r the work done per time at that moment.
 */
#include "model/simulation/replications.h"

#include <math.h>

double simulation_run_weight(const simulation_run *run, size_t account)
{
    if (run->distinct)
        return 1;
    const model_groups *g = &simulation_run_part(run, account)->groups;
    return (double)g->count * (double)g->processors;
}

double simulation_run_factor(const simulation_run *run, size_t account)
{
    return run->factor[run->distinct ? account : 0];
}

const simulation_part *simulation_run_part(const simulation_run *run, size_t account)
{
    return &run->parts[run->distinct ? 0 : account];
}

double simulation_run_events(const simulation_run *run)
{
    double events = 0;
    for (size_t i = 0; i < run->replication_count; i++)
        events += (double)run->replications[i].events;
    return events;
}

static double work_per_time(const simulation_replication *r, size_t account)
{
    return r->time[account] > 0 ? r->work[account] / r->time[account] : 1;
}

typedef struct line {
    double value, slope; /* X of an account, and how it changes with w */
} line;

static line slowdown_of(const simulation_run *run, size_t account, double mean)
{
    const double T = run->load->phase_cycles;
    if (T == 0)
        return (line){1 / mean, -1 / (mean * mean)};
    const simulation_part *part = simulation_run_part(run, account);
    return (line){(part->reach + (T - mean) / part->speed) / T, -1 / (part->speed * T)};
}

void simulation_run_estimate(simulation_run *run)
{
    const size_t n = run->replication_count;
    const double per_mean = run->quantile / sqrt((double)n * ((double)n - 1));
    double deviation[32] = {0}, sum = 0;
    for (size_t a = 0; a < run->account_count; a++) {
        const double k = simulation_run_factor(run, a);
        const double share = simulation_run_weight(run, a) / (double)run->node->processors;
        double mean = 0, squares = 0;
        for (size_t i = 0; i < n; i++)
            mean += work_per_time(&run->replications[i], a) / (double)n;
        const line X = slowdown_of(run, a, mean);
        for (size_t i = 0; i < n; i++) {
            const double d = k * X.slope * (work_per_time(&run->replications[i], a) - mean);
            squares += d * d;
            deviation[i] += share * d;
        }
        run->slowdowns[a] = k * X.value;
        run->half_widths[a] = per_mean * sqrt(squares);
        sum += share * run->slowdowns[a];
    }
    double squares = 0;
    for (size_t i = 0; i < n; i++)
        squares += deviation[i] * deviation[i];
    run->slowdown = sum;
    run->half_width = per_mean * sqrt(squares);
}

double simulation_run_customers(const simulation_run *run, bool alike)
{
    double sum = 0;
    for (size_t i = 0; i < run->part_count; i++)
        sum += (double)run->parts[i].customers * (alike ? 1 : (double)run->parts[i].groups.count);
    return sum;
}

double simulation_run_allowed(simulation_run *run, double events, double least)
{
    const double share = run->options->most_events / events;
    run->cut = share < 1;
    run->starved = share < least;
    return fmin(share, 1);
}

double simulation_run_more(simulation_run *run, bool *reached)
{
    const clump_simulation_options *o = run->options;
    simulation_run_estimate(run);
    const double events = simulation_run_events(run);
    const double wanted = o->precision * run->slowdown;
    const double ratio = run->half_width / wanted;
    *reached = ratio <= 1 && !run->cut;
    if (o->progress != NULL) {
        const clump_simulation_progress progress = {
            .share = *reached ? 1 : fmax(1 / (ratio * ratio), events / o->most_events),
            .slowdown = run->slowdown,
            .half_width = run->half_width,
            .events = events,
        };
        o->progress(&progress, o->context);
    }
    if (*reached || run->cut || events >= o->most_events)
        return 0;
    /* Half as much again at least, four times as much at most: variances are estimates, too. */
    const double more = fmin(fmax(1.1 * ratio * ratio - 1, 0.5), 4);
    const double measured = fmax(events - run->measured_from, 1);
    return fmin(more, fmax((o->most_events - events) / measured, 1e-3));
}
