/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Independent and gang demand in equilibrium: one long run of each replication. */
#include "model/simulation/replications.h"

#include <math.h>

/* Shortest pilot in slowdowns that no schedule beats, and processor cycles to start measuring. */
static const double pilot_cycles = 8, least_cycles = 1000;
enum { MOST_DOUBLINGS = 16 };

static void run_to(const simulation_run *run, simulation_replication *r, double end)
{
    r->events = 0;
    for (size_t i = 0; i < run->sharing_count; i++) {
        simulation_sharing_run(&r->sharings[i], &run->setups[i], &r->random, end);
        r->events += r->sharings[i].events;
    }
}

/* Work of all processors so far, in processors times cycles. */
static double node_work(const simulation_run *run, const simulation_replication *r)
{
    const simulation_station *station = r->stations;
    double work = 0;
    for (size_t i = 0; i < run->part_count; i++)
        for (size_t g = 0; g < run->parts[i].groups.count; g++, station++)
            work += run->parts[i].gang * simulation_run_work(run, station, run->parts[i].customers);
    return work;
}

/* Work of each account so far, and integrals of processors and NICs in use. */
static void look(const simulation_run *run, const simulation_replication *r, double *works,
                 double *active, double *served)
{
    const simulation_station *station = r->stations;
    *active = *served = 0;
    for (size_t i = 0; run->distinct && i < run->sharing_count; i++)
        simulation_sharing_works(&r->sharings[i], &run->setups[i],
                                 works + (run->setups[i].utilizations - run->adjusted));
    for (size_t i = 0; i < run->part_count; i++) {
        const simulation_part *part = &run->parts[i];
        double sum = 0;
        for (size_t g = 0; g < part->groups.count; g++, station++) {
            *active += part->gang * station->active_time;
            *served += part->gang * station->served;
            if (!run->distinct)
                sum += simulation_run_work(run, station, part->customers);
        }
        if (!run->distinct)
            works[part->account] = sum / ((double)part->groups.count * (double)part->customers);
    }
}

/* What each replication did in the time from `begin` on. */
static void measure(const simulation_run *run, simulation_replication *r, double begin, double end)
{
    double active, served;
    look(run, r, r->work, &active, &served);
    for (size_t a = 0; a < run->account_count; a++) {
        r->work[a] -= r->base[a];
        r->time[a] = end - begin;
    }
    r->active = (active - r->active_base) / (end - begin);
    r->served = (served - r->served_base) / (end - begin);
}

/* The same of memory. */
static double least_computing(const simulation_run *run)
{
    double demand = 0, most = 0;
    const size_t customers = (size_t)simulation_run_customers(run, false);
    for (size_t id = 0; id < customers; id++) {
        const double length = run->lengths != NULL ? run->lengths[id] : 1;
        demand += length * (1 - run->adjusted[run->distinct ? id : 0]);
        most = fmax(most, run->memory[id + 1].rate);
    }
    return demand / most;
}

/* No schedule needs less time for a cycle than this: the busiest station's. */
static double least_slowdown(const simulation_run *run)
{
    double least = run->memory != NULL ? fmax(least_computing(run), 1) : 1;
    for (size_t i = 0; i < run->part_count; i++) {
        const simulation_part *part = &run->parts[i];
        double most = 0;
        for (size_t q = 1; q <= part->customers; q++)
            most = fmax(most, part->rates[q].rate);
        for (size_t g = 0; g < part->groups.count; g++) {
            double demand = 0;
            const size_t first = part->account + g * part->customers;
            if (!run->distinct)
                demand = (double)part->customers * run->adjusted[0];
            else
                for (size_t p = first; p < first + part->customers; p++)
                    demand += run->adjusted[p] * (run->lengths != NULL ? run->lengths[p] : 1);
            least = fmax(least, demand / most);
            if (!run->distinct)
                break;
        }
    }
    return least;
}

/* MSER: the cut after which the mean is known best. Series of SIMULATION_PILOT values. */
static size_t best_cut(const double *series)
{
    double sum = 0, squares = 0, best = HUGE_VAL;
    size_t cut = 0;
    for (size_t d = SIMULATION_PILOT; d-- > 0;) {
        const double n = (double)(SIMULATION_PILOT - d);
        const double x = series[d] - series[SIMULATION_PILOT - 1];
        sum += x;
        squares += x * x;
        const double score = fmax(squares - sum * sum / n, 0) / (n * n);
        if (n >= 5 && score <= best) {
            best = score;
            cut = d;
        }
    }
    return cut;
}

static size_t pilot_cut(const simulation_run *run)
{
    double series[SIMULATION_PILOT];
    for (size_t b = 0; b < SIMULATION_PILOT; b++) {
        series[b] = 0;
        for (size_t i = 0; i < run->replication_count; i++)
            series[b] += run->replications[i].pilot[b];
    }
    return best_cut(series);
}

/* Intervals first, first + 1, ... of the pilot, each of length `width`. */
static void run_pilot(simulation_run *run, size_t first, double width)
{
#pragma omp parallel for schedule(dynamic, 1) num_threads(run->threads)
    for (size_t i = 0; i < run->replication_count; i++) {
        simulation_replication *r = &run->replications[i];
        for (size_t s = 0; first == 0 && s < run->sharing_count; s++)
            simulation_sharing_start(&r->sharings[s], &run->setups[s], &r->random);
        double before = first == 0 ? 0 : node_work(run, r);
        for (size_t b = first; b < SIMULATION_PILOT; b++) {
            run_to(run, r, (double)(b + 1) * width);
            const double after = node_work(run, r);
            r->pilot[b] = after - before;
            before = after;
        }
    }
}

static void tell(const simulation_run *run)
{
    const clump_simulation_options *o = run->options;
    const clump_simulation_progress progress = {0, NAN, NAN, simulation_run_events(run)};
    if (o->progress != NULL)
        o->progress(&progress, o->context);
}

static void warm_up(simulation_run *run, double allowed)
{
    double width = allowed * pilot_cycles * least_slowdown(run) / SIMULATION_PILOT;
    run_pilot(run, 0, width);
    for (int i = 0; i < MOST_DOUBLINGS && !run->cut && pilot_cut(run) > SIMULATION_PILOT / 2; i++) {
        tell(run);
        if (simulation_run_stopped(run))
            return;
        if (simulation_run_events(run) >= run->options->most_events / 2)
            break;
        for (size_t j = 0; j < run->replication_count; j++) {
            double *pilot = run->replications[j].pilot;
            for (size_t b = 0; b < SIMULATION_PILOT / 2; b++)
                pilot[b] = pilot[2 * b] + pilot[2 * b + 1];
        }
        width *= 2;
        run_pilot(run, SIMULATION_PILOT / 2, width);
    }
    run->warm_up = SIMULATION_PILOT * width;
    run->measured_from = simulation_run_events(run);
    for (size_t i = 0; i < run->replication_count; i++) {
        simulation_replication *r = &run->replications[i];
        look(run, r, r->base, &r->active_base, &r->served_base);
    }
}

/* Where nothing is random replications agree, and no interval shows that the measured time ends
 * within a cycle: there must be so many cycles that this does not matter. */
static double least_length(const simulation_run *run)
{
    const clump_simulation_options *o = run->options;
    const bool constant = o->computation.kind == CLUMP_SERVICE_CONSTANT &&
                          o->communication.kind == CLUMP_SERVICE_CONSTANT;
    const double cycles = least_cycles / (double)run->node->processors;
    return least_slowdown(run) * (constant ? fmax(cycles, 4 / o->precision) : cycles);
}

/* Events of a pilot that is not doubled and of the first measurement. */
static double first_events(const simulation_run *run)
{
    const double cycles =
        pilot_cycles + fmax(pilot_cycles, least_length(run) / least_slowdown(run));
    double customers = simulation_run_customers(run, false);
    for (size_t p = 0; run->lengths != NULL && p < run->node->processors; p++)
        customers += 1 / run->lengths[p] - 1;
    return 2 * cycles * customers * (double)run->replication_count;
}

bool simulation_run_equilibrium(simulation_run *run)
{
    bool reached = false;
    const double allowed = simulation_run_allowed(run, first_events(run), 1 / pilot_cycles);
    if (run->starved)
        return false;
    warm_up(run, allowed);
    const double begin = run->warm_up;
    double length = fmax(begin, allowed * least_length(run));
    do {
        const double end = begin + length;
#pragma omp parallel for schedule(dynamic, 1) num_threads(run->threads)
        for (size_t i = 0; i < run->replication_count; i++) {
            run_to(run, &run->replications[i], end);
            if (!clump_watch_stops(run->node->watch, NAN))
                measure(run, &run->replications[i], begin, end);
        }
        const double more = simulation_run_more(run, &reached);
        if (more == 0)
            return reached;
        length += length * more;
    } while (true);
}
