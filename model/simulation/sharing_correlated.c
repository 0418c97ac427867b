/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Correlated demand (8.9): the processors of a station begin to communicate at the same moment, in
 * every cycle. Computations are in proportion to one random number and needs of service to another,
 * the same for all. Who has less to send is done first; the next cycle waits for the last one.
 *
 * They share a clock, so that all times are those of the Clump, k (1-U_adj) and k U_adj; with shares
 * of each processor's own time, as independent demand has them, those with a small k would seem to
 * send for longer than they do.
 */
#include "model/simulation/replications.h"

#include <math.h>
#include <stdlib.h>

static const double first_cycles = 200;

typedef struct ranked {
    double need;
    size_t processor;
} ranked;

static int compare(const void *a, const void *b)
{
    const double x = ((const ranked *)a)->need, y = ((const ranked *)b)->need;
    return (x > y) - (x < y);
}

clump_status simulation_run_sort(simulation_run *run, clump_error *error)
{
    if (!run->distinct)
        return CLUMP_OK;
    const size_t P = run->node->processors;
    ranked *all = malloc(P * sizeof *all);
    run->order = malloc(P * sizeof *run->order);
    if (all == NULL || run->order == NULL) {
        free(all);
        return clump_fail_memory(error, "the simulation");
    }
    for (size_t p = 0; p < P; p++)
        all[p] = (ranked){run->factor[p] * run->adjusted[p], p};
    for (size_t i = 0; i < run->part_count; i++) {
        const simulation_part *part = &run->parts[i];
        for (size_t g = 0; g < part->groups.count; g++)
            qsort(all + part->account + g * part->customers, part->customers, sizeof *all, compare);
    }
    for (size_t p = 0; p < P; p++)
        run->order[p] = all[p].processor;
    free(all);
    return CLUMP_OK;
}

/* Sums over the cycles of a replication. */
typedef struct cycles {
    double period, active, served; /* until the last one is done; integrals of q and mu */
} cycles;

/* One cycle of one group. r and s are the random numbers. */
static void go_round(const simulation_run *run, const simulation_part *part, size_t group,
                     simulation_replication *rep, double r, double s, cycles *sum)
{
    const size_t n = part->customers, first = part->account + group * n;
    double sent = 0, time = 0, period = 0;
    for (size_t k = 0; k < (run->distinct ? n : 1); k++) {
        const size_t account = run->distinct ? run->order[first + k] : part->account;
        const size_t p = run->distinct ? account : 0;
        const double need = run->factor[p] * run->adjusted[p];
        const double computation = run->factor[p] * (1 - run->adjusted[p]);
        const simulation_rate rate = part->rates[n - k];
        const double length = (need - sent) * s * rate.slow;
        sent = need;
        time += length;
        sum->active += length * (double)(n - k);
        sum->served += length * rate.rate;
        rep->work[account] += computation * r + need * s;
        rep->time[account] += computation * r + time;
        period = fmax(period, computation * r + time);
    }
    sum->period += period;
}

/* Stations go through their cycles each for itself; shares are of their own periods. */
static void run_cycles(const simulation_run *run, simulation_replication *r, uint64_t count)
{
    for (size_t i = 0; i < run->part_count; i++) {
        const simulation_part *part = &run->parts[i];
        for (size_t g = 0; g < part->groups.count; g++) {
            simulation_sharing *station = &r->stations[part->station + g];
            cycles sum = {station->time, station->active_time, station->served};
            for (uint64_t k = 0; k < count && !clump_watch_stops(run->node->watch, NAN); k++) {
                const double computation = simulation_sample(&run->computation, &r->random);
                const double need = simulation_sample(&run->communication, &r->random);
                go_round(run, part, g, r, computation, need, &sum);
            }
            station->time = sum.period;
            station->active_time = sum.active;
            station->served = sum.served;
            r->events += 2 * count * part->customers;
        }
    }
}

static void add_shares(const simulation_run *run, simulation_replication *r)
{
    r->active = r->served = 0;
    for (size_t i = 0; i < run->group_count; i++) {
        r->active += r->stations[i].active_time / r->stations[i].time;
        r->served += r->stations[i].served / r->stations[i].time;
    }
}

bool simulation_run_correlated(simulation_run *run)
{
    bool reached = false;
    double count = first_cycles, done = 0;
    const double events = 2 * simulation_run_customers(run, false) * (double)run->replication_count;
    const double allowed = simulation_run_allowed(run, count * events, 1 / count);
    if (run->starved)
        return false;
    count = fmax(floor(count * allowed), 1);
    for (;;) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(run->threads)
        for (size_t i = 0; i < run->replication_count; i++)
            run_cycles(run, &run->replications[i], (uint64_t)count);
        done += count;
        const double more = simulation_run_more(run, &reached);
        if (more == 0)
            break;
        count = ceil(done * more);
    }
    for (size_t i = 0; i < run->replication_count; i++)
        add_shares(run, &run->replications[i]);
    return reached;
}
