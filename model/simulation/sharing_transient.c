/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A phase of finite length T: every replication is repeated from the barrier on. T' is where the
 * mean work done is T. A first round looks for that moment roughly; the rounds that count note the
 * work done there, and its slope leads to T'.
 */
#include "model/simulation/replications.h"

#include <math.h>

static const double first_cycles = 2000, most_first = 1e5;

/* One phase of a station from the barrier on: until its customers have done the work, or until the end. Returns
 * the events. */
static uint64_t go_through(const simulation_run *run, const simulation_part *part,
                           simulation_replication *r, double limit, bool for_work)
{
    const size_t i = run->memory != NULL ? 0 : part->station; /* with memory: the node */
    simulation_sharing_setup setup = run->setups[i];
    setup.spread = false;
    simulation_sharing_start(&r->sharings[i], &setup, &r->random);
    if (for_work)
        simulation_sharing_reach(&r->sharings[i], &setup, &r->random, limit);
    else
        simulation_sharing_run(&r->sharings[i], &setup, &r->random, limit);
    return r->sharings[i].events;
}

/* The mean of the moments at which the work of a station's customers is T on average. One station
 * stands for all of a part: they are alike. */
static void seek(simulation_run *run, uint64_t repeats)
{
    const double T = run->load->phase_cycles;
#pragma omp parallel for schedule(dynamic, 1) num_threads(run->threads)
    for (size_t i = 0; i < run->replication_count; i++) {
        simulation_replication *r = &run->replications[i];
        for (size_t a = 0; a < run->part_count; a++) {
            const simulation_part *part = &run->parts[a];
            r->base[a] = 0;
            for (uint64_t k = 0; k < repeats && !clump_watch_stops(run->node->watch, NAN); k++) {
                r->events += go_through(run, part, r, T * (double)part->customers, true);
                r->base[a] += r->stations[part->station].time / (double)repeats;
            }
        }
    }
    for (size_t a = 0; a < run->part_count; a++) {
        double sum = 0;
        for (size_t i = 0; i < run->replication_count; i++)
            sum += run->replications[i].base[a];
        run->parts[a].reach = sum / (double)run->replication_count;
    }
}

static void repeat_one(const simulation_run *run, simulation_replication *r, size_t a)
{
    const simulation_part *part = &run->parts[a];
    const double n = (double)part->customers;
    const simulation_station *station = &r->stations[part->station];
    r->events += go_through(run, part, r, part->reach, false);
    const size_t q = station->active.count;
    const double computing =
        run->memory != NULL ? run->memory[part->customers - q].rate : n - (double)q;
    r->work[a] += simulation_run_work(run, station, part->customers) / n;
    r->speed[a] += (computing + part->rates[q].rate) / n;
    r->time[a] += 1;
}

static void repeat(simulation_run *run, uint64_t repeats)
{
#pragma omp parallel for schedule(dynamic, 1) num_threads(run->threads)
    for (size_t i = 0; i < run->replication_count; i++)
        for (size_t a = 0; a < run->part_count; a++)
            for (uint64_t k = 0; k < repeats && !clump_watch_stops(run->node->watch, NAN); k++)
                repeat_one(run, &run->replications[i], a);
    for (size_t a = 0; a < run->part_count; a++) {
        double speed = 0, count = 0;
        for (size_t i = 0; i < run->replication_count; i++) {
            speed += run->replications[i].speed[a];
            count += run->replications[i].time[a];
        }
        run->parts[a].speed = speed / count;
    }
}

bool simulation_run_transient(simulation_run *run)
{
    const double cycles = run->load->phase_cycles * (double)run->node->processors;
    const double first = ceil(fmin(first_cycles / cycles, most_first));
    bool reached = false;
    double repeats = fmax(first, 1), done = 0;
    /* A phase has its cycles and one that is begun, on a station of each part. */
    const double events = 2 * (run->load->phase_cycles + 1) * simulation_run_customers(run, true) *
                          (double)run->replication_count;
    const double allowed = simulation_run_allowed(run, 2 * repeats * events, 1 / repeats);
    if (run->starved)
        return false;
    repeats = fmax(floor(repeats * allowed), 1);
    seek(run, (uint64_t)repeats);
    run->measured_from = simulation_run_events(run);
    while (!simulation_run_stopped(run)) {
        repeat(run, (uint64_t)repeats);
        done += repeats;
        const double more = simulation_run_more(run, &reached);
        if (more == 0)
            return reached;
        repeats = fmax(ceil(done * more), 1);
    }
    return false;
}
