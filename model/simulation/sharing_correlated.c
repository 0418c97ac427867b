/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Correlated demand (8.9): the processors of a station begin to communicate at the same moment, in
 * every cycle. Computations are in proportion to one random number and needs of service to another,
 * the same for all. Who has less to send is done first; the next cycle waits for the last one.
 *
 * They share a clock, so that all times are those of the Clump, k (1-U_adj) and k U_adj; with shares
 * of each processor's own time, as independent demand has them, those with a small k would seem to
 * send for longer than they do.
 *
 * With memory all stations of the node start together, and who has sent computes, beside all others of the
 * node that do, at nu(k)/k each. All times of sending are in proportion to the same random number, so that the
 * order in which processors begin to compute is always the same.
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

static int compare_senders(const void *a, const void *b)
{
    const double x = ((const simulation_sender *)a)->sent;
    const double y = ((const simulation_sender *)b)->sent;
    return (x > y) - (x < y);
}

/* The senders of one group, or of all groups of a part that are alike. */
static void add_senders(simulation_run *run, const simulation_part *part, size_t group)
{
    const size_t n = part->customers, first = part->account + group * n;
    double before = 0, time = 0;
    for (size_t k = 0; k < (run->distinct ? n : 1); k++) {
        const size_t account = run->distinct ? run->order[first + k] : part->account;
        const size_t p = run->distinct ? account : 0;
        const double need = run->factor[p] * run->adjusted[p];
        time += (need - before) * part->rates[n - k].slow;
        before = need;
        run->senders[run->sender_count++] =
            (simulation_sender){.sent = time,
                                .work = run->factor[p] * (1 - run->adjusted[p]),
                                .need = need,
                                .account = account,
                                .station = part->station + group,
                                .stations = run->distinct ? 1 : part->groups.count,
                                .processors = run->distinct ? 1 : n};
    }
}

static clump_status make_senders(simulation_run *run, clump_error *error)
{
    run->senders = malloc(run->account_count * sizeof *run->senders);
    bool made = run->senders != NULL;
    for (size_t i = 0; i < run->replication_count && made; i++) {
        simulation_replication *r = &run->replications[i];
        r->arrivals = malloc(run->account_count * sizeof *r->arrivals);
        r->ends = malloc(run->account_count * sizeof *r->ends);
        made = r->arrivals != NULL && r->ends != NULL;
    }
    if (!made)
        return clump_fail_memory(error, "the simulation");
    for (size_t i = 0; i < run->part_count; i++)
        for (size_t g = 0; g < (run->distinct ? run->parts[i].groups.count : 1); g++)
            add_senders(run, &run->parts[i], g);
    qsort(run->senders, run->sender_count, sizeof *run->senders, compare_senders);
    return CLUMP_OK;
}

clump_status simulation_run_sort(simulation_run *run, clump_error *error)
{
    const size_t P = run->node->processors;
    if (!run->distinct)
        return run->memory != NULL ? make_senders(run, error) : CLUMP_OK;
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
    return run->memory != NULL ? make_senders(run, error) : CLUMP_OK;
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

/* Stations go through as many cycles, each with random numbers of its own. */
static void run_cycles(const simulation_run *run, simulation_replication *r, uint64_t count)
{
    for (size_t i = 0; i < run->part_count; i++) {
        const simulation_part *part = &run->parts[i];
        for (size_t g = 0; g < part->groups.count; g++) {
            simulation_station *station = &r->stations[part->station + g];
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

/* The same for all stations at once, which share memory and the period. */
static void run_cycles_together(const simulation_run *run, simulation_replication *r,
                                uint64_t count)
{
    const clump_station memory = {
        .nics = 1, .computing = run->nu, .computing_count = run->node->processors + 1};
    for (uint64_t k = 0; k < count && !clump_watch_stops(run->node->watch, NAN); k++) {
        const double computation = simulation_sample(&run->computation, &r->random);
        const double need = simulation_sample(&run->communication, &r->random);
        double period = 0;
        for (size_t i = 0; i < run->sender_count; i++) {
            const simulation_sender *s = &run->senders[i];
            r->arrivals[i] = (model_arrival){.time = s->sent * need,
                                             .work = s->work * computation,
                                             .processors = s->stations * s->processors};
        }
        model_compute_together(r->arrivals, run->sender_count, &memory, r->ends);
        for (size_t i = 0; i < run->sender_count; i++) {
            const simulation_sender *s = &run->senders[i];
            r->work[s->account] += s->work * computation + s->need * need;
            r->time[s->account] += r->ends[i];
            period = fmax(period, r->ends[i]);
            for (size_t g = s->station; g < s->station + s->stations; g++) {
                r->stations[g].active_time += s->sent * need * (double)s->processors;
                r->stations[g].served += s->need * need * (double)s->processors;
            }
        }
        for (size_t g = 0; g < run->group_count; g++)
            r->stations[g].time += period;
        r->events += 2 * run->node->processors;
    }
}

static void add_shares(const simulation_run *run, simulation_replication *r)
{
    double time = 0; /* all wait for the slowest of the node */
    r->active = r->served = 0;
    for (size_t i = 0; i < run->group_count; i++)
        time = fmax(time, r->stations[i].time);
    for (size_t i = 0; i < run->group_count; i++) {
        r->active += r->stations[i].active_time / time;
        r->served += r->stations[i].served / time;
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
            if (run->memory != NULL)
                run_cycles_together(run, &run->replications[i], (uint64_t)count);
            else
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
