/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/calibration/memory_calibration.h"
#include "protocols/calibration/samples.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the system does not say how large the caches are. */
static const uint64_t assumed_cache = UINT64_C(64) << 20;

static unsigned most(const clump_memory_question *q)
{
    return q->counts[q->count_count - 1];
}

static size_t kernel_count(const clump_memory_question *q)
{
    size_t count = 0;
    for (int i = 0; i < CLUMP_MEMORY_KERNELS; i++)
        count += q->kernels[i];
    return count;
}

/* ---- how much memory */

#define MIB(bytes) ((unsigned long long)((bytes) >> 20))

/* Arrays far larger than the cache, if all of them take at most half of the memory. */
static clump_calibration_status size_arrays(clump_calibration *c)
{
    clump_memory_question *q = c->own;
    const clump_memory_system *s = &q->system;
    const uint64_t arrays = 3 * (uint64_t)most(q);
    if (q->cache_bytes == 0)
        q->cache_bytes = s->cache_bytes;
    if (q->cache_bytes == 0) {
        q->cache_bytes = assumed_cache;
        clump_calibration_warn(c,
                               "the system does not say how large the caches are: %llu MiB are "
                               "assumed; --cache says it",
                               MIB(q->cache_bytes));
    }
    const uint64_t wanted = CLUMP_MEMORY_CACHES * q->cache_bytes;
    const uint64_t half = s->available_bytes > 0 ? s->available_bytes / 2 / arrays : UINT64_MAX;
    if (q->array_bytes == 0)
        q->array_bytes = wanted <= half ? wanted : half;
    else if (s->available_bytes > 0 && q->array_bytes > s->available_bytes / 10 * 9 / arrays)
        return clump_calibration_fail(c, CLUMP_CALIBRATION_BAD_INPUT,
                                      "--size: found %llu MiB (3 arrays of %llu MiB for each of "
                                      "%u process%s), expected less than the %llu MiB of memory "
                                      "that can be had",
                                      MIB(q->array_bytes) * arrays, MIB(q->array_bytes), most(q),
                                      most(q) == 1 ? "" : "es", MIB(s->available_bytes));
    else if (q->array_bytes < wanted)
        clump_calibration_warn(c,
                               "arrays of %.4g MiB are less than %d times the largest cache (%llu "
                               "MiB), which may serve a part of them",
                               (double)q->array_bytes / (1 << 20), (int)CLUMP_MEMORY_CACHES,
                               MIB(q->cache_bytes));
    if (wanted > half && q->array_bytes == half) {
        if (3 * half < wanted)
            return clump_calibration_fail(c, CLUMP_CALIBRATION_BAD_INPUT,
                                          "%u processes need %llu MiB each to get past a cache of "
                                          "%llu MiB, but of %llu MiB of memory that can be had no "
                                          "more than half is used; ask for fewer --processes, or "
                                          "say --size",
                                          most(q), MIB(wanted), MIB(q->cache_bytes),
                                          MIB(s->available_bytes));
        clump_calibration_warn(c,
                               "for want of memory arrays are %llu MiB, not %d times the largest "
                               "cache (%llu MiB), which may serve a part of them",
                               MIB(half), (int)CLUMP_MEMORY_CACHES, MIB(q->cache_bytes));
    }
    return CLUMP_CALIBRATION_OK;
}

/* ---- measuring */

/* One run: every number of processes with every kernel. */
typedef struct one_run {
    clump_calibration *c;
    clump_memory_streams *streams;
    unsigned number;
    double share; /* that is done */
} one_run;

static bool watch(void *context)
{
    one_run *run = context;
    return clump_calibration_watch(run->share, run->c);
}

static void give(const one_run *run, const clump_calibration_plan *plan,
                 const clump_memory_measured *measured, clump_calibration_sample sample)
{
    sample.iterations = measured->blocks;
    sample.disturbed = measured->disturbed;
    if (measured->crowded)
        sample.doubt = "other programs ran on processors that were to sleep";
    sample.run = run->number;
    sample.size_bytes = -1;
    sample.quantity = CLUMP_QUANTITY_MEMORY_BANDWIDTH;
    sample.value = measured->total;
    plan->sample(&sample, plan->context);
    sample.quantity = CLUMP_QUANTITY_SLOWEST_MEMORY_BANDWIDTH;
    sample.value = measured->slowest;
    plan->sample(&sample, plan->context);
}

static clump_protocol_status measure_run(const clump_calibration_plan *plan, const void *context,
                                         char *message)
{
    one_run *run = (one_run *)(uintptr_t)context; /* ours */
    const clump_memory_question *q = run->c->own;
    const double each = 1 / (double)(q->count_count * kernel_count(q));
    clump_calibration_sample sample = {.benchmark = CLUMP_BENCHMARK_MEMORY_STREAMS};
    run->share = 0;
    if (q->system.nodes > 1 && q->spread == CLUMP_MEMORY_COMPACT)
        snprintf(sample.setting, sizeof sample.setting, "compact");
    clump_protocol_status status = clump_memory_line(run->streams, &sample.line_us, message);
    for (int k = 0; k < CLUMP_MEMORY_KERNELS; k++)
        for (size_t i = 0; i < q->count_count && q->kernels[k]; i++) {
            clump_memory_measured measured;
            if (status == CLUMP_PROTOCOL_OK)
                status = clump_memory_measure(run->streams, (clump_memory_kernel)k, q->counts[i],
                                              &measured, message);
            if (status != CLUMP_PROTOCOL_OK)
                return status;
            sample.variant = clump_memory_kernel_name((clump_memory_kernel)k);
            sample.processes = q->counts[i];
            give(run, plan, &measured, sample);
            run->share += each;
            if (watch(run))
                return CLUMP_PROTOCOL_TIMED_OUT;
        }
    return status;
}

static clump_calibration_status measure(clump_calibration *c, one_run *run, const int *cpus)
{
    const clump_memory_question *q = c->own;
    const double touch = 3e-9 * (double)q->array_bytes * most(q), /* 1 GB/s */
        seconds = 1e-3 * (q->window_ms + 4) * (double)(q->count_count * kernel_count(q));
    char message[CLUMP_CALIBRATION_MESSAGE_BYTES];
    const clump_memory_options options = {.count = most(q),
                                          .cpus = cpus,
                                          .array_bytes = q->array_bytes,
                                          .window_ms = q->window_ms,
                                          .watch = watch,
                                          .context = run};
    clump_protocol_status started;
    c->estimate = touch + c->plan.runs * seconds;
    snprintf(c->note, sizeof c->note, "memory is touched");
    run->streams = clump_memory_start(&options, &started, message);
    if (run->streams == NULL)
        return started == CLUMP_PROTOCOL_TIMED_OUT
                   ? clump_calibration_fail(c, CLUMP_CALIBRATION_INTERRUPTED,
                                            "stopped before anything was measured")
                   : clump_calibration_fail(c, CLUMP_CALIBRATION_FAILED, "%s", message);
    c->done = touch;
    c->stages_all = c->plan.runs;
    clump_calibration_status status = CLUMP_CALIBRATION_OK;
    for (unsigned r = 1; r <= c->plan.runs && status == CLUMP_CALIBRATION_OK; r++) {
        char name[40];
        snprintf(name, sizeof name, "run %u", r);
        snprintf(c->note, sizeof c->note, "run %u of %u", r, c->plan.runs);
        run->number = r;
        status = clump_calibration_stage(c, name, seconds, measure_run, run);
    }
    clump_memory_end(run->streams);
    return status;
}

/* "3 arrays of 128 MiB a process, cache of 32 MiB, processors of 1 memory node; <facts>" */
static void describe(clump_calibration *c)
{
    clump_memory_question *q = c->own;
    unsigned nodes, sockets;
    clump_memory_places(&q->system, most(q), &nodes, &sockets);
    snprintf(q->note, sizeof q->note,
             "3 arrays of %.6g MiB a process, largest cache %.6g MiB, processors of %u socket%s "
             "and %u memory node%s; %.250s",
             (double)q->array_bytes / (1 << 20), (double)q->cache_bytes / (1 << 20), sockets,
             sockets == 1 ? "" : "s", nodes, nodes == 1 ? "" : "s", c->host.facts);
    c->store.source.note = q->note;
}

static clump_calibration_status run(clump_calibration *c)
{
    clump_memory_question *q = c->own;
    clump_calibration_status status = size_arrays(c);
    if (status == CLUMP_CALIBRATION_OK)
        status = clump_calibration_open(c);
    if (status != CLUMP_CALIBRATION_OK)
        return status;
    describe(c);
    if (q->system.count > 1)
        clump_calibration_warn_host(c, most(q));
    else
        clump_calibration_warn(c, "one processor: what several processes draw cannot be measured");
    int *cpus = malloc(most(q) * sizeof *cpus);
    if (cpus == NULL)
        return clump_calibration_fail_memory(c);
    for (unsigned i = 0; i < most(q); i++)
        cpus[i] = q->system.processors[i].cpu;
    status = measure(c, &(one_run){.c = c}, cpus);
    free(cpus);
    return status;
}

/* ---- what follows from it */

static const clump_calibration_sample *find_sample(const clump_calibration_samples *samples,
                                                   const clump_calibration_sample *of,
                                                   unsigned processes)
{
    for (size_t i = 0; i < samples->count; i++) {
        const clump_calibration_sample *s = &samples->items[i];
        if (s->run == of->run && s->processes == processes && s->quantity == of->quantity &&
            strcmp(s->variant, of->variant) == 0)
            return s;
    }
    return NULL;
}

/* B(k)/B(1) over the runs of which neither is doubtful. */
static void find_ratio(const clump_calibration_samples *samples, clump_memory_row *row)
{
    double squares = 0, runs = 0;
    row->ratio = row->ratio_half_width = NAN;
    for (size_t i = 0; i < samples->count; i++) {
        const clump_calibration_sample *s = &samples->items[i];
        if (s->quantity != CLUMP_QUANTITY_MEMORY_BANDWIDTH || s->processes != row->processes ||
            s->doubtful || strcmp(s->variant, row->kernel) != 0)
            continue;
        const clump_calibration_sample *one = find_sample(samples, s, 1);
        if (one == NULL || one->doubtful)
            continue;
        const double ratio = s->value / one->value, mean = runs > 0 ? row->ratio : 0;
        row->ratio = mean + (ratio - mean) / ++runs;
        squares += (ratio - mean) * (ratio - row->ratio);
    }
    if (runs > 1)
        row->ratio_half_width =
            gsl_cdf_tdist_Pinv(0.975, runs - 1) * sqrt(squares / (runs - 1) / runs);
    if (row->processes == 1 && runs > 0)
        row->ratio_half_width = NAN; /* 1 by definition */
}

static const clump_calibration_mean *slowest_of(const clump_calibration_mean *means, size_t count,
                                                const clump_memory_row *row)
{
    for (size_t i = 0; i < count; i++)
        if (means[i].of.quantity == CLUMP_QUANTITY_SLOWEST_MEMORY_BANDWIDTH &&
            means[i].of.processes == row->processes &&
            strcmp(means[i].of.variant, row->kernel) == 0)
            return &means[i];
    return NULL;
}

static void make_rows(clump_memory_question *q, const clump_calibration_samples *samples,
                      const clump_calibration_mean *means, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (means[i].of.quantity != CLUMP_QUANTITY_MEMORY_BANDWIDTH)
            continue;
        clump_memory_row *row = &q->rows[q->row_count++];
        *row = (clump_memory_row){.kernel = means[i].of.variant,
                                  .processes = means[i].of.processes,
                                  .total = means[i].mean,
                                  .total_half_width = means[i].half_width,
                                  .total_std_dev = means[i].std_dev,
                                  .slowest = NAN,
                                  .slowest_half_width = NAN,
                                  .runs = means[i].runs,
                                  .doubtful = means[i].doubtful};
        unsigned sockets;
        clump_memory_places(&q->system, row->processes, &row->nodes, &sockets);
        const clump_calibration_mean *slowest = slowest_of(means, count, row);
        if (slowest != NULL) {
            row->slowest = slowest->mean;
            row->slowest_half_width = slowest->half_width;
        }
        find_ratio(samples, row);
    }
}

static clump_calibration_status derive(clump_calibration *c)
{
    clump_memory_question *q = c->own;
    size_t count = 0;
    clump_calibration_mean *means = clump_calibration_means(&c->samples, &count);
    q->rows = means != NULL ? malloc((count + 1) * sizeof *q->rows) : NULL;
    if (q->rows != NULL)
        make_rows(q, &c->samples, means, count);
    free(means);
    if (q->rows == NULL)
        return clump_calibration_fail_memory(c);
    for (size_t i = 0; i < q->row_count; i++) {
        const clump_memory_row *row = &q->rows[i];
        const bool last = i + 1 == q->row_count || strcmp(q->rows[i + 1].kernel, row->kernel) != 0;
        if (!last || row->processes < 2 || isnan(row->ratio))
            continue;
        if (!clump_calibration_add_parameter(
                c, (clump_calibration_parameter){.variant = row->kernel,
                                                 .quantity = CLUMP_QUANTITY_MEMORY_FEEDS,
                                                 .value = row->ratio,
                                                 .half_width = row->ratio_half_width}))
            return clump_calibration_fail_memory(c);
    }
    return CLUMP_CALIBRATION_OK;
}

const clump_memory_row *clump_memory_feeds(const clump_memory_question *q)
{
    const char *kernel = q->row_count > 0 ? q->rows[0].kernel : "";
    const clump_memory_row *last = NULL;
    if (q->kernels[CLUMP_MEMORY_TRIAD])
        kernel = clump_memory_kernel_name(CLUMP_MEMORY_TRIAD);
    for (size_t i = 0; i < q->row_count; i++)
        if (strcmp(q->rows[i].kernel, kernel) == 0 && q->rows[i].processes > 1)
            last = &q->rows[i];
    return last;
}

static void release(void *own)
{
    free(((clump_memory_question *)own)->rows);
}

const clump_calibration_kind clump_calibration_memory = {
    .name = "calibrate memory",
    .title = "Memory bandwidth",
    .transport = "",
    .keeps_parts = true,
    .run = run,
    .derive = derive,
    .free = release,
};
