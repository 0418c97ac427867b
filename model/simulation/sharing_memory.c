/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/simulation/sharing_memory.h"

#include <math.h>

enum { BETWEEN_LOOKS = 65536 }; /* events */

static double utilization_of(const simulation_node_setup *setup, uint32_t id)
{
    return setup->common.utilizations[setup->common.distinct ? id : 0];
}

static double length_of(const simulation_node_setup *setup, uint32_t id)
{
    return setup->common.lengths != NULL ? setup->common.lengths[id] : 1;
}

/* A random computation, or communication, of a customer. */
static double draw(const simulation_node *node, const simulation_node_setup *setup, uint32_t id,
                   bool computes, simulation_random *random)
{
    const double U = utilization_of(setup, id);
    const simulation_sampler *sampler =
        computes ? setup->common.computation : setup->common.communication;
    const double length =
        length_of(setup, id) * (computes ? 1 - U : U) * simulation_sample(sampler, random);
    if (node->drawn != NULL)
        node->drawn[id] += length;
    return length;
}

/* Bring station i up to date. */
static void settle(simulation_node *node, const simulation_node_setup *setup, size_t i)
{
    simulation_sharing *s = &node->stations[i];
    const size_t q = s->active.count;
    const simulation_rate rate = setup->rates[i][q];
    const double step = node->time - s->time;
    s->active_time += (double)q * step;
    s->served += rate.rate * step;
    s->computed += (double)s->computing.count * (node->virtual_time - node->behind[i]);
    s->virtual_time = q > 0 ? s->virtual_time + step * rate.speed : 0;
    s->time = node->time;
    node->behind[i] = node->virtual_time;
}

/* When the next one of a station that is up to date has been served. */
static void look_ahead(simulation_node *node, const simulation_node_setup *setup, size_t i)
{
    const simulation_sharing *s = &node->stations[i];
    const size_t q = s->active.count;
    node->ready[i] = q == 0 ? HUGE_VAL
                            : node->time + fmax(s->active.times[0] - s->virtual_time, 0) *
                                               setup->rates[i][q].slow;
}

static void begin_computing(simulation_node *node, const simulation_node_setup *setup, uint32_t id,
                            double length)
{
    simulation_heap_add(&node->computing, node->virtual_time + length, id, true);
    node->stations[setup->home[id]].computing.count++;
}

void simulation_node_start(simulation_node *node, const simulation_node_setup *setup,
                           simulation_random *random)
{
    node->time = node->virtual_time = 0;
    node->events = 0;
    node->computing.count = 0;
    for (size_t i = 0; i < setup->stations; i++) {
        simulation_sharing *s = &node->stations[i];
        s->time = s->virtual_time = s->active_time = s->served = s->computed = 0;
        s->events = 0;
        s->computing.count = s->active.count = 0;
        node->ready[i] = HUGE_VAL;
        node->behind[i] = 0;
    }
    for (size_t id = 0; id < setup->customers; id++) {
        double share = 1;
        if (node->drawn != NULL)
            node->drawn[id] = 0;
        double length = draw(node, setup, (uint32_t)id, true, random);
        if (setup->common.spread)
            share = simulation_random_uniform(random);
        if (node->drawn != NULL)
            node->drawn[id] *= share;
        length *= share;
        begin_computing(node, setup, (uint32_t)id, length);
    }
}

static size_t first_ready(const simulation_node *node, size_t stations)
{
    size_t first = 0;
    for (size_t i = 1; i < stations; i++)
        if (node->ready[i] < node->ready[first])
            first = i;
    return first;
}

/* The first one at station i has been served, and computes. */
static void depart(simulation_node *node, const simulation_node_setup *setup, size_t i,
                   simulation_random *random)
{
    simulation_sharing *s = &node->stations[i];
    settle(node, setup, i);
    const uint32_t id = s->active.ids[0];
    s->virtual_time = s->active.times[0];
    simulation_heap_drop(&s->active, true);
    begin_computing(node, setup, id, draw(node, setup, id, true, random));
    look_ahead(node, setup, i);
}

/* The first one that computes is done, and communicates. */
static void arrive(simulation_node *node, const simulation_node_setup *setup,
                   simulation_random *random)
{
    const uint32_t id = node->computing.ids[0];
    const size_t i = setup->home[id];
    simulation_sharing *s = &node->stations[i];
    settle(node, setup, i);
    simulation_heap_drop(&node->computing, true);
    s->computing.count--;
    simulation_heap_add(&s->active, s->virtual_time + draw(node, setup, id, false, random), id,
                        true);
    if (node->computing.count == 0) { /* u begins anew, before it loses digits */
        for (size_t j = 0; j < setup->stations; j++)
            settle(node, setup, j);
        node->virtual_time = 0;
        for (size_t j = 0; j < setup->stations; j++)
            node->behind[j] = 0;
    }
    look_ahead(node, setup, i);
}

/* What all stations serve now. */
static double served_now(const simulation_node *node, const simulation_node_setup *setup)
{
    double sum = 0;
    for (size_t i = 0; i < setup->stations; i++)
        sum += setup->rates[i][node->stations[i].active.count].rate;
    return sum;
}

/* Until `limit`, a time or an amount of work. */
static void advance(simulation_node *node, const simulation_node_setup *setup,
                    simulation_random *random, double limit, bool for_work)
{
    double done = 0;
    for (;;) {
        const simulation_rate memory = setup->memory[node->computing.count];
        const double computed =
            node->computing.count > 0
                ? node->time + fmax(node->computing.times[0] - node->virtual_time, 0) * memory.slow
                : HUGE_VAL;
        const size_t i = first_ready(node, setup->stations);
        const bool departs = node->ready[i] < computed;
        double next = departs ? node->ready[i] : computed;
        bool last = !for_work && next > limit;
        if (last)
            next = limit;
        if (for_work) {
            const double gain = memory.rate + served_now(node, setup);
            if (done + (next - node->time) * gain >= limit) {
                next = node->time + fmax(limit - done, 0) / gain;
                last = true;
            }
            done += (next - node->time) * gain;
        }
        node->virtual_time += (next - node->time) * memory.speed;
        node->time = next;
        if (last)
            break;
        node->events++;
        if (node->events % BETWEEN_LOOKS == 0 && clump_watch_stops(setup->common.watch, NAN))
            break;
        if (departs) {
            depart(node, setup, i, random);
        } else {
            node->virtual_time = node->computing.times[0];
            arrive(node, setup, random);
        }
    }
    for (size_t i = 0; i < setup->stations; i++)
        settle(node, setup, i);
}

void simulation_node_run(simulation_node *node, const simulation_node_setup *setup,
                         simulation_random *random, double end)
{
    advance(node, setup, random, end, false);
}

void simulation_node_reach(simulation_node *node, const simulation_node_setup *setup,
                           simulation_random *random, double work)
{
    advance(node, setup, random, work, true);
}

void simulation_node_works(const simulation_node *node, const simulation_node_setup *setup,
                           double *works)
{
    for (size_t i = 0; i < node->computing.count; i++) {
        const uint32_t id = node->computing.ids[i];
        works[id] = node->drawn[id] - (node->computing.times[i] - node->virtual_time);
    }
    for (size_t g = 0; g < setup->stations; g++) {
        const simulation_sharing *s = &node->stations[g];
        for (size_t i = 0; i < s->active.count; i++) {
            const uint32_t id = s->active.ids[i];
            works[id] = node->drawn[id] - (s->active.times[i] - s->virtual_time);
        }
    }
}
