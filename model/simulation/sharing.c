/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/simulation/sharing.h"

enum { BETWEEN_LOOKS = 65536 }; /* events */

/* fmax would be a call for each event. */
static inline double positive(double x)
{
    return x > 0 ? x : 0;
}

/* A random computation, or communication, of a customer. */
static inline double draw(const simulation_sharing *s, const simulation_sharing_setup *setup,
                          uint32_t id, const bool computes, simulation_random *random)
{
    const double U = setup->utilizations[setup->distinct ? id : 0];
    double length = computes ? 1 - U : U;
    if (setup->lengths != NULL)
        length *= setup->lengths[id];
    length *= simulation_sample(computes ? setup->computation : setup->communication, random);
    if (s->drawn != NULL)
        s->drawn[id] += length;
    return length;
}

/* Bring station i up to date. */
static void settle(simulation_sharing *s, const simulation_sharing_setup *setup, size_t i)
{
    simulation_station *station = &s->stations[i];
    const size_t q = station->active.count;
    const simulation_rate rate = setup->rates[i][q];
    const double step = s->time - station->time;
    station->active_time += (double)q * step;
    station->served += rate.rate * step;
    station->computed += (double)station->computing * (s->virtual_time - station->behind);
    station->virtual_time = q > 0 ? station->virtual_time + step * rate.speed : 0;
    station->time = s->time;
    station->behind = s->virtual_time;
}

/* When the next one of a station that is up to date has been served. */
static void look_ahead(simulation_sharing *s, const simulation_sharing_setup *setup, size_t i)
{
    simulation_station *station = &s->stations[i];
    const size_t q = station->active.count;
    station->ready = q == 0 ? HUGE_VAL
                            : s->time + positive(station->active.times[0] - station->virtual_time) *
                                            setup->rates[i][q].slow;
}

void simulation_sharing_start(simulation_sharing *s, const simulation_sharing_setup *setup,
                              simulation_random *random)
{
    s->time = s->virtual_time = 0;
    s->events = 0;
    s->computing.count = 0;
    for (size_t i = 0; i < setup->stations; i++)
        s->stations[i] = (simulation_station){.active = s->stations[i].active, .ready = HUGE_VAL};
    for (size_t i = 0; i < setup->stations; i++)
        s->stations[i].active.count = 0;
    for (uint32_t id = 0; id < setup->customers; id++) {
        double share = 1;
        if (s->drawn != NULL)
            s->drawn[id] = 0;
        const double length = draw(s, setup, id, true, random);
        if (setup->spread)
            share = simulation_random_uniform(random);
        if (s->drawn != NULL)
            s->drawn[id] *= share;
        simulation_heap_add(&s->computing, length * share, id);
        s->stations[setup->home != NULL ? setup->home[id] : 0].computing++;
    }
}

/* The first one at station i has been served, and computes. */
static void depart(simulation_sharing *s, const simulation_sharing_setup *setup, size_t i,
                   simulation_random *random)
{
    simulation_station *station = &s->stations[i];
    settle(s, setup, i);
    const uint32_t id = station->active.ids[0];
    station->virtual_time = station->active.times[0];
    simulation_heap_drop(&station->active);
    simulation_heap_add(&s->computing, s->virtual_time + draw(s, setup, id, true, random), id);
    station->computing++;
    look_ahead(s, setup, i);
}

/* The first one that computes is done, and communicates. */
static void arrive(simulation_sharing *s, const simulation_sharing_setup *setup,
                   simulation_random *random)
{
    const uint32_t id = s->computing.ids[0];
    const size_t i = setup->home != NULL ? setup->home[id] : 0;
    simulation_station *station = &s->stations[i];
    s->virtual_time = s->computing.times[0];
    settle(s, setup, i);
    simulation_heap_drop(&s->computing);
    station->computing--;
    simulation_heap_add(&station->active, station->virtual_time + draw(s, setup, id, false, random),
                        id);
    if (s->computing.count == 0 && setup->memory != NULL) { /* before u loses digits */
        for (size_t j = 0; j < setup->stations; j++)
            settle(s, setup, j);
        s->virtual_time = 0;
        for (size_t j = 0; j < setup->stations; j++)
            s->stations[j].behind = 0;
    }
    look_ahead(s, setup, i);
}

/* What is computed and served now. */
static double work_rate(const simulation_sharing *s, const simulation_sharing_setup *setup)
{
    const size_t K = s->computing.count;
    double sum = setup->memory != NULL ? setup->memory[K].rate : (double)K;
    for (size_t i = 0; i < setup->stations; i++)
        sum += setup->rates[i][s->stations[i].active.count].rate;
    return sum;
}

/* When the first one that computes is done. */
static inline double next_computed(const simulation_sharing *s,
                                   const simulation_sharing_setup *setup)
{
    if (s->computing.count == 0)
        return HUGE_VAL;
    const double first = s->computing.times[0];
    return setup->memory == NULL ? first
                                 : s->time + positive(first - s->virtual_time) *
                                                 setup->memory[s->computing.count].slow;
}

/* One event after the other until `limit`, a time or an amount of work. */
static void advance(simulation_sharing *s, const simulation_sharing_setup *setup,
                    simulation_random *random, double limit, bool for_work)
{
    double done = 0;
    for (;;) {
        const double computed = next_computed(s, setup);
        size_t first = 0;
        for (size_t i = 1; i < setup->stations; i++)
            first = s->stations[i].ready < s->stations[first].ready ? i : first;
        const bool departs = s->stations[first].ready < computed;
        double next = departs ? s->stations[first].ready : computed;
        bool last = !for_work && next > limit;
        if (last)
            next = limit;
        if (for_work) {
            const double gain = work_rate(s, setup);
            last = done + (next - s->time) * gain >= limit;
            if (last)
                next = s->time + positive(limit - done) / gain;
            done += (next - s->time) * gain;
        }
        s->virtual_time =
            setup->memory == NULL
                ? next
                : s->virtual_time + (next - s->time) * setup->memory[s->computing.count].speed;
        s->time = next;
        if (last)
            break;
        s->events++;
        if (s->events % BETWEEN_LOOKS == 0 && clump_watch_stops(setup->watch, NAN))
            break;
        if (departs)
            depart(s, setup, first, random);
        else
            arrive(s, setup, random);
    }
    for (size_t i = 0; i < setup->stations; i++) {
        settle(s, setup, i);
        if (setup->memory == NULL)
            look_ahead(s, setup, i);
    }
}

void simulation_sharing_run(simulation_sharing *s, const simulation_sharing_setup *setup,
                            simulation_random *random, double end)
{
    advance(s, setup, random, end, false);
}

void simulation_sharing_reach(simulation_sharing *s, const simulation_sharing_setup *setup,
                              simulation_random *random, double work)
{
    advance(s, setup, random, work, true);
}

void simulation_sharing_works(const simulation_sharing *s, const simulation_sharing_setup *setup,
                              double *works)
{
    for (size_t i = 0; i < s->computing.count; i++) {
        const uint32_t id = s->computing.ids[i];
        works[id] = s->drawn[id] - (s->computing.times[i] - s->virtual_time);
    }
    for (size_t g = 0; g < setup->stations; g++) {
        const simulation_station *station = &s->stations[g];
        for (size_t i = 0; i < station->active.count; i++) {
            const uint32_t id = station->active.ids[i];
            works[id] = s->drawn[id] - (station->active.times[i] - station->virtual_time);
        }
    }
}
