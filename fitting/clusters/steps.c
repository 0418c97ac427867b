/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Steps of training a transformer in parallel (MODEL.md, "A training step in parallel"), measured with the sizes of the
 * model and the ways it is divided. A machine has three constants: operations a second of its matrix products, bytes of
 * activations a second, and the time in which the kernels of a layer start. They are fitted to what was measured on one
 * node: steps on several nodes are predicted from all of those, steps on one node from every second of the others.
 * Collectives take their bytes over the rate of what they go through, as it is described: processor_bandwidth within a node,
 * nic_bandwidth and the number of NICs between nodes, memory_bandwidth for the optimizer.
 */
#include "fitting/clusters/cluster_judges.h"

#include "data/number.h"
#include "model/workload/training_step.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_multimin.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CONSTANTS = 3 };

/* What anybody has: operations over one rate. */
enum { FULL, RATE_AND_COMMUNICATION, RATE_ALONE, LAWS };

typedef struct measured_step {
    const clump_cluster_sample *sample;
    clump_training_step step;
    int64_t nodes;
} measured_step;

typedef struct machine {
    const measured_step *steps;
    size_t count;
    double inside, between,
        memory;  /* B/us: of a processor to the others of its node, of a node's NICs, of memory */
    double each; /* processors of a node */
    int law, parity; /* -1: all on one node, 0 or 1: every second of them */
} machine;

/* ---- what was run */

/* "t=2 p=1 d=32 B=512 m=8 h=3072 a=32 l=30 s=2048 V=51200 r=1"; false: it is not of this form. */
static bool read_step(const char *text, clump_training_step *s)
{
    double words = 0, again = 0;
    const struct {
        char name;
        double *value;
    } fields[] = {{'t', &s->tensor},   {'p', &s->pipeline},     {'d', &s->data},  {'B', &s->batch},
                  {'h', &s->hidden},   {'m', &s->microbatches}, {'a', &s->heads}, {'l', &s->layers},
                  {'s', &s->sequence}, {'V', &words},           {'r', &again}};
    enum { FIELDS = sizeof fields / sizeof *fields };
    *s = (clump_training_step){.active_parameters = NAN,
                               .chunks = 1,
                               .expert = 1,
                               .choices = 1,
                               .gradient_bytes = 2,
                               .activation_bytes = 2,
                               .computation_s = NAN,
                               .buckets = 1};
    size_t found = 0;
    while (*text != '\0') {
        const size_t size = strcspn(text, " ");
        size_t i = 0;
        while (i < FIELDS && fields[i].name != text[0])
            i++;
        if (size < 3 || i == FIELDS || text[1] != '=' ||
            clump_number_parse(text + 2, size - 2, fields[i].value) != CLUMP_NUMBER_OK)
            return false;
        found++;
        text += size;
        text += strspn(text, " ");
    }
    s->vocabulary = words;
    s->recomputes = again > 0;
    s->parameters = 12 * s->layers * s->hidden * s->hidden + words * s->hidden;
    return found == FIELDS;
}

/* ---- how long it takes */

static double collective_us(const machine *m, const clump_training_collective *c)
{
    const bool within = c->size * c->stride <= m->each;
    /* Groups beside each other share the NICs of a node. */
    const double rate = within ? m->inside : m->between / fmin(m->each, c->stride);
    return c->count * c->bytes * (c->sends ? 1 : 2 * (c->size - 1) / c->size) / rate;
}

/* NAN: no such step can be. */
static double step_s(const machine *m, const measured_step *measured, const double *constants)
{
    clump_training_step s = measured->step;
    clump_training_work w;
    s.flops = exp(constants[0]);
    if (m->law == FULL) {
        s.activation_rate = exp(constants[1]);
        s.layer_s = exp(constants[2]);
        s.memory_rate = 1e6 * m->memory;
    } else {
        s.vocabulary = 0;
    }
    if (clump_training_step_work(&s, &w, NULL) != CLUMP_OK)
        return NAN;
    double us = 0;
    for (size_t i = 0; i < w.count && m->law != RATE_ALONE; i++)
        us += collective_us(m, &w.collectives[i]);
    return w.computation_s + 1e-6 * us;
}

/* ---- the fit */

static bool is_fitted_to(const machine *m, size_t place)
{
    return m->steps[place].nodes == 1 && (m->parity < 0 || (int)(place % 2) == m->parity);
}

static double misfit(const gsl_vector *x, void *context)
{
    const machine *m = context;
    double constants[CONSTANTS] = {0}, sum = 0, count = 0;
    for (size_t i = 0; i < x->size; i++)
        constants[i] = gsl_vector_get(x, i);
    for (size_t i = 0; i < m->count; i++) {
        const double seconds = is_fitted_to(m, i) ? step_s(m, &m->steps[i], constants) : NAN;
        if (!(seconds > 0))
            continue;
        sum += fabs(log(seconds / (1e-6 * m->steps[i].sample->value)));
        count++;
    }
    return count > 0 && isfinite(sum) ? sum / count : HUGE_VAL;
}

/* Starts of logarithms: 100 teraflops, 300 GB/s, 0.3 ms. False without memory. */
static bool fit(machine *m, double constants[CONSTANTS])
{
    const double starts[CONSTANTS] = {log(1e14), log(3e11), log(3e-4)};
    const size_t free_ones = m->law == FULL ? CONSTANTS : 1;
    gsl_error_handler_t *const before = gsl_set_error_handler_off();
    gsl_vector *start = gsl_vector_alloc(free_ones), *size = gsl_vector_alloc(free_ones);
    gsl_multimin_fminimizer *search =
        gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, free_ones);
    const bool good = start != NULL && size != NULL && search != NULL;
    for (size_t i = 0; i < CONSTANTS; i++)
        constants[i] = starts[i];
    if (good) {
        gsl_multimin_function function = {misfit, free_ones, m};
        gsl_vector_set_all(size, 0.5);
        for (size_t i = 0; i < free_ones; i++)
            gsl_vector_set(start, i, starts[i]);
        gsl_multimin_fminimizer_set(search, &function, start, size);
        for (int i = 0; i < 400 && gsl_multimin_fminimizer_size(search) > 1e-5; i++)
            if (gsl_multimin_fminimizer_iterate(search) != 0)
                break;
        for (size_t i = 0; i < free_ones; i++)
            constants[i] = gsl_vector_get(search->x, i);
    }
    if (search != NULL)
        gsl_multimin_fminimizer_free(search);
    gsl_vector_free(size); /* of nothing, too */
    gsl_vector_free(start);
    gsl_set_error_handler(before);
    return good;
}

/* ---- rows */

static void add_row(clump_cluster_work *work, const machine *m, const measured_step *s,
                    double constants[LAWS][CONSTANTS], const char *note)
{
    machine law = *m;
    double seconds[LAWS];
    for (law.law = 0; law.law < LAWS; law.law++)
        seconds[law.law] = step_s(&law, s, constants[law.law]);
    const clump_cluster_row row = {
        .set = clump_cluster_text(work, "%s, %s", s->sample->platform,
                                  s->nodes > 1 ? "several nodes from one" : "one node"),
        .part = "",
        .platform = s->sample->platform,
        .transport = s->sample->transport,
        .variant = s->sample->variant,
        .subject = s->sample->application,
        .quantity = "step_time",
        .nodes = s->nodes,
        .processes = s->sample->processes,
        .size_bytes = -1,
        .measured = 1e-6 * s->sample->value,
        .predicted = seconds[FULL],
        .rivals = {seconds[RATE_ALONE], seconds[RATE_AND_COMMUNICATION]},
        .note = note,
        .problem =
            isnan(seconds[FULL]) ? "the sizes and parts that it names do not fit each other" : NULL,
    };
    clump_cluster_add(work, &row);
}

/* What is fitted to the odd ones predicts the even ones, and the reverse. */
static void predict_machine(clump_cluster_work *work, machine *m)
{
    for (m->parity = -1; m->parity < 2 && work->status == CLUMP_OK; m->parity++) {
        double constants[LAWS][CONSTANTS];
        bool good = true;
        for (m->law = 0; m->law < LAWS; m->law++)
            good = fit(m, constants[m->law]) && good;
        if (!good)
            work->status = clump_fail_memory(work->error, "fit");
        const char *note = clump_cluster_text(
            work, "flops %.3g; activation_rate %.3g B/s; layer_time %.3g s",
            exp(constants[FULL][0]), exp(constants[FULL][1]), exp(constants[FULL][2]));
        for (size_t i = 0; i < m->count && good; i++)
            if (m->parity < 0 ? m->steps[i].nodes > 1
                              : m->steps[i].nodes == 1 && !is_fitted_to(m, i))
                add_row(work, m, &m->steps[i], constants, note);
    }
}

static double described(const clump_cluster_sources *from, const char *platform,
                        const char *quantity)
{
    for (size_t i = 0; i < from->descriptions.count; i++) {
        const clump_cluster_sample *s = &from->descriptions.items[i];
        if (strcmp(s->quantity, quantity) == 0 && strcmp(s->platform, platform) == 0 &&
            !s->doubtful)
            return s->value;
    }
    return NAN;
}

static void predict_platform(clump_cluster_work *work, const clump_cluster_sources *from,
                             const char *platform, const char *same)
{
    (void)same;
    const clump_cluster_samples *all = &from->reductions;
    const clump_cluster_node node = clump_cluster_node_of(work, platform);
    measured_step *steps = clump_cluster_take(work, (all->count + 1) * sizeof *steps);
    machine m = {.steps = steps,
                 .inside = described(from, platform, "processor_bandwidth"),
                 .between = node.nics * described(from, platform, "nic_bandwidth"),
                 .memory = described(from, platform, "memory_bandwidth"),
                 .each = node.processors};
    const char *wanted = work->request->platform;
    if (steps == NULL || (wanted != NULL && strcmp(wanted, platform) != 0) || !(m.inside > 0) ||
        !(m.between > 0) || !(m.memory > 0))
        return;
    for (size_t i = 0; i < all->count; i++) {
        const clump_cluster_sample *s = &all->items[i];
        measured_step *to = &steps[m.count];
        if (strcmp(s->platform, platform) != 0 || s->doubtful || !(s->value > 0) ||
            !read_step(s->variant, &to->step))
            continue;
        to->sample = s;
        to->nodes = (int64_t)ceil((double)s->processes / m.each - 1e-9);
        m.count += to->nodes >= 1;
    }
    predict_machine(work, &m);
}

static int by_platform(const void *first, const void *second)
{
    const clump_cluster_sample *a = first, *b = second;
    const int order = strcmp(a->platform, b->platform);
    return order != 0 ? order : strcmp(a->variant, b->variant);
}

static void load(clump_cluster_work *work, clump_cluster_sources *from)
{
    static const char *const quantities[] = {"nic_bandwidth", "processor_bandwidth",
                                             "memory_bandwidth"};
    const clump_store_filter steps = {.quantity = "step_time"};
    clump_cluster_samples_load(work, &steps, &from->reductions);
    if (from->reductions.count > 0)
        qsort(from->reductions.items, from->reductions.count, sizeof *from->reductions.items,
              by_platform);
    for (size_t i = 0; i < sizeof quantities / sizeof *quantities; i++) {
        const clump_store_filter filter = {.application = "", .quantity = quantities[i]};
        clump_cluster_samples_load(work, &filter, &from->descriptions);
    }
}

static const char *platform_at(const clump_cluster_sources *from, size_t place)
{
    return place < from->reductions.count ? from->reductions.items[place].platform : NULL;
}

const clump_cluster_judge clump_judge_steps = {
    .load = load,
    .platform = platform_at,
    .predict = predict_platform,
    .nothing =
        "found no steps of training with their sizes and parts (step_time, variant 't=1 p=1 d=8 "
        "B=64 m=8 h=2048 a=16 l=24 s=1024 V=51200 r=1') on a platform with "
        "processor_bandwidth, nic_bandwidth and memory_bandwidth, expected them",
};
