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
    if (s->computing_many != NULL) {
        simulation_chunks_clear(s->computing_many->chunks);
        simulation_buckets_clear(s->computing_many, 1 - utilization_of(setup, 0));
        simulation_buckets_clear(s->active_many, utilization_of(setup, 0));
    }
    for (size_t i = 0; i < setup->customers; i++) {
        const double R = length_of(setup, (uint32_t)i) * (1 - utilization_of(setup, (uint32_t)i));
        double length = R * simulation_sample(setup->computation, random);
        if (setup->spread)
            length *= simulation_random_uniform(random);
        if (s->computing_many != NULL)
            simulation_buckets_add_first(s->computing_many, length);
        else if (s->computing.ids != NULL)
            simulation_heap_add(&s->computing, length, (uint32_t)i, true);
        else
            simulation_heap_add(&s->computing, length, 0, false);
        if (s->drawn != NULL)
            s->drawn[i] = length;
    }
    if (s->computing_many != NULL) {
        simulation_buckets_begin(s->computing_many);
        s->computing.count = s->computing_many->count;
    }
}

/* fmax would be a call for each event. */
static inline double positive(double x)
{
    return x > 0 ? x : 0;
}

/* ---- a heap, or buckets: `many` is known where these are called */

typedef struct waiting_list {
    simulation_heap heap;
    simulation_buckets buckets;
} waiting_list;

static inline waiting_list take_up(const simulation_heap *heap, const simulation_buckets *buckets,
                                   const bool many)
{
    return many ? (waiting_list){.buckets = *buckets} : (waiting_list){.heap = *heap};
}

static inline void lay_down(const waiting_list *w, simulation_heap *heap,
                            simulation_buckets *buckets, const bool many)
{
    heap->count = many ? w->buckets.count : w->heap.count;
    if (many)
        *buckets = w->buckets;
}

static inline size_t count_of(const waiting_list *w, const bool many)
{
    return many ? w->buckets.count : w->heap.count;
}

static inline double first_of(const waiting_list *w, const bool many)
{
    return many ? w->buckets.near.times[0] : w->heap.times[0];
}

static inline void add_to(waiting_list *w, double time, uint32_t id, const bool many,
                          const bool keep)
{
    if (many)
        simulation_buckets_add(&w->buckets, time);
    else
        simulation_heap_add(&w->heap, time, id, keep);
}

static inline void drop_first(waiting_list *w, const bool many, const bool keep)
{
    if (many)
        simulation_buckets_drop(&w->buckets);
    else
        simulation_heap_drop(&w->heap, keep);
}

/* ---- */

enum { BETWEEN_LOOKS = 65536 }; /* events */

/*
 * One event after the other until `limit`, a time or an amount of work. `for_work`, `many` and `keep` are
 * known where this is called, so that each use gets a loop of its own.
 */
static inline void advance(simulation_sharing *s, const simulation_sharing_setup *setup,
                           simulation_random *random, double limit, const bool for_work,
                           const bool many, const bool keep)
{
    waiting_list computing = take_up(&s->computing, s->computing_many, many);
    waiting_list active = take_up(&s->active, s->active_many, many);
    simulation_random own = *random;
    const simulation_rate *rates = setup->rates;
    const double n = (double)setup->customers;
    double t = s->time, v = s->virtual_time, active_time = s->active_time, served = s->served;
    uint64_t events = s->events;
    for (;;) {
        const size_t sending = count_of(&active, many);
        const simulation_rate rate = rates[sending];
        const double q = (double)sending;
        const double computed =
            count_of(&computing, many) > 0 ? first_of(&computing, many) : HUGE_VAL;
        const double sent =
            sending > 0 ? t + positive(first_of(&active, many) - v) * rate.slow : HUGE_VAL;
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
            const uint32_t id = keep ? active.heap.ids[0] : 0;
            v = first_of(&active, many);
            double length =
                (1 - utilization_of(setup, id)) * simulation_sample(setup->computation, &own);
            if (keep)
                length *= length_of(setup, id);
            drop_first(&active, many, keep);
            add_to(&computing, t + length, id, many, keep);
            if (sending == 1)
                v = 0;
            if (keep)
                s->drawn[id] += length;
        } else {
            const uint32_t id = keep ? computing.heap.ids[0] : 0;
            v += step * rate.speed;
            double need = utilization_of(setup, id) * simulation_sample(setup->communication, &own);
            if (keep)
                need *= length_of(setup, id);
            drop_first(&computing, many, keep);
            add_to(&active, v + need, id, many, keep);
            if (keep)
                s->drawn[id] += need;
        }
    }
    *random = own;
    lay_down(&computing, &s->computing, s->computing_many, many);
    lay_down(&active, &s->active, s->active_many, many);
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
        advance(s, setup, random, end, false, false, true);
    else if (s->computing_many != NULL)
        advance(s, setup, random, end, false, true, false);
    else
        advance(s, setup, random, end, false, false, false);
}

void simulation_sharing_reach(simulation_sharing *s, const simulation_sharing_setup *setup,
                              simulation_random *random, double work)
{
    if (s->computing_many != NULL)
        advance(s, setup, random, work, true, true, false);
    else
        advance(s, setup, random, work, true, false, false);
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
