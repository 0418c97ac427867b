/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/simulation/sharing.h"

#include <math.h>

void simulation_rates_make(const clump_station *station, size_t customers, simulation_rate *rates)
{
    rates[0] = (simulation_rate){0, 0, 0};
    for (size_t q = 1; q <= customers; q++) {
        const double mu = clump_station_rate(station, q);
        rates[q] = (simulation_rate){mu, mu / (double)q, (double)q / mu};
    }
}

static inline double utilization_of(const simulation_sharing_setup *setup, uint32_t id)
{
    return setup->utilizations[setup->distinct ? id : 0];
}

static inline double length_of(const simulation_sharing_setup *setup, uint32_t id)
{
    return setup->lengths != NULL ? setup->lengths[id] : 1;
}

void simulation_sharing_start(simulation_sharing *s, const simulation_sharing_setup *setup,
                              simulation_random *random)
{
    s->time = s->virtual_time = s->active_time = s->served = 0;
    s->events = 0;
    s->computing.count = s->active.count = 0;
    for (size_t i = 0; i < setup->customers; i++) {
        const double R = length_of(setup, (uint32_t)i) * (1 - utilization_of(setup, (uint32_t)i));
        double length = R * simulation_sample(setup->computation, random);
        if (setup->spread)
            length *= simulation_random_uniform(random);
        if (s->computing.ids != NULL)
            simulation_heap_add(&s->computing, length, (uint32_t)i, true);
        else
            simulation_heap_add(&s->computing, length, 0, false);
        if (s->drawn != NULL)
            s->drawn[i] = length;
    }
}

enum { BETWEEN_LOOKS = 65536 }; /* events */

/*
 * One event after the other until `limit`, a time or an amount of work. `for_work` and `keep` are
 * known where this is called, so that each use gets a loop of its own.
 */
static inline void advance(simulation_sharing *s, const simulation_sharing_setup *setup,
                           simulation_random *random, double limit, const bool for_work,
                           const bool keep)
{
    simulation_heap computing = s->computing, active = s->active;
    simulation_random own = *random;
    const simulation_rate *rates = setup->rates;
    const double n = (double)setup->customers;
    double t = s->time, v = s->virtual_time, active_time = s->active_time, served = s->served;
    uint64_t events = s->events;
    for (;;) {
        const simulation_rate rate = rates[active.count];
        const double q = (double)active.count;
        const double computed = computing.count > 0 ? computing.times[0] : HUGE_VAL;
        const double sent =
            active.count > 0 ? t + fmax(active.times[0] - v, 0) * rate.slow : HUGE_VAL;
        const bool departs = sent < computed;
        double next = departs ? sent : computed;
        bool last = !for_work && next > limit;
        if (last)
            next = limit;
        if (for_work) {
            const double work = n * t - active_time + served, gain = n - q + rate.rate;
            if (work + (next - t) * gain >= limit) {
                next = t + fmax(limit - work, 0) / gain;
                last = true;
            }
        }
        const double step = next - t;
        active_time += q * step;
        served += rate.rate * step;
        t = next;
        if (last) {
            v += step * rate.speed;
            break;
        }
        events++;
        if (events % BETWEEN_LOOKS == 0 && clump_watch_stops(setup->watch, NAN))
            break;
        if (departs) {
            const uint32_t id = keep ? active.ids[0] : 0;
            v = active.times[0];
            double length =
                (1 - utilization_of(setup, id)) * simulation_sample(setup->computation, &own);
            if (keep)
                length *= length_of(setup, id);
            simulation_heap_drop(&active, keep);
            simulation_heap_add(&computing, t + length, id, keep);
            if (active.count == 0)
                v = 0;
            if (keep)
                s->drawn[id] += length;
        } else {
            const uint32_t id = keep ? computing.ids[0] : 0;
            v += step * rate.speed;
            double need = utilization_of(setup, id) * simulation_sample(setup->communication, &own);
            if (keep)
                need *= length_of(setup, id);
            simulation_heap_drop(&computing, keep);
            simulation_heap_add(&active, v + need, id, keep);
            if (keep)
                s->drawn[id] += need;
        }
    }
    *random = own;
    s->computing.count = computing.count;
    s->active.count = active.count;
    s->time = t;
    s->virtual_time = v;
    s->active_time = active_time;
    s->served = served;
    s->events = events;
}

void simulation_sharing_run(simulation_sharing *s, const simulation_sharing_setup *setup,
                            simulation_random *random, double end)
{
    if (s->drawn != NULL)
        advance(s, setup, random, end, false, true);
    else
        advance(s, setup, random, end, false, false);
}

void simulation_sharing_reach(simulation_sharing *s, const simulation_sharing_setup *setup,
                              simulation_random *random, double work)
{
    advance(s, setup, random, work, true, false);
}

void simulation_sharing_works(const simulation_sharing *s, double *works)
{
    for (size_t i = 0; i < s->computing.count; i++) {
        const uint32_t id = s->computing.ids[i];
        works[id] = s->drawn[id] - (s->computing.times[i] - s->time);
    }
    for (size_t i = 0; i < s->active.count; i++) {
        const uint32_t id = s->active.ids[i];
        works[id] = s->drawn[id] - (s->active.times[i] - s->virtual_time);
    }
}
