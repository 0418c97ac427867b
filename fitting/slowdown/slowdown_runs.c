/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/slowdown/slowdown_runs.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Half-widths of 95% intervals in standard errors. */
static const double normal_95 = 1.959963984540054;

clump_slowdown_record clump_slowdown_record_default(void)
{
    return (clump_slowdown_record){
        .run = {.processors = 1,
                .nics = 1,
                .utilization = NAN,
                .remote_fraction = NAN,
                .cost_ratio = NAN,
                .waiting_fraction = NAN,
                .time_s = NAN,
                .relative_error = NAN},
        .half_width = NAN,
        .std_dev = NAN,
        .repetitions = NAN,
    };
}

void clump_slowdown_runs_free(clump_slowdown_runs *runs)
{
    free(runs->records);
    free(runs->runs);
    free(runs->record_of);
    free(runs->repetitions);
    *runs = (clump_slowdown_runs){.records = NULL};
}

void clump_slowdown_runs_notice(clump_slowdown_runs *runs, const char *format, ...)
{
    const size_t used = strlen(runs->notices), room = sizeof runs->notices - used;
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(runs->notices + used, room, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length + 1 >= room)
        runs->notices[used] = '\0';
    else
        strcat(runs->notices + used, "\n");
}

clump_status clump_slowdown_runs_add(clump_slowdown_runs *runs, const clump_slowdown_record *record,
                                     clump_error *error)
{
    if (runs->record_count == runs->record_room) {
        const size_t room = runs->record_room > 0 ? 2 * runs->record_room : 16;
        clump_slowdown_record *larger = realloc(runs->records, room * sizeof *larger);
        if (larger == NULL)
            return clump_fail_memory(error, "the runs");
        runs->records = larger;
        runs->record_room = room;
    }
    runs->records[runs->record_count++] = *record;
    return CLUMP_OK;
}

static bool same_number(double a, double b)
{
    return (isnan(a) && isnan(b)) || !(a < b || a > b || isnan(a) || isnan(b));
}

static bool is_same_configuration(const clump_slowdown_record *a, const clump_slowdown_record *b)
{
    const clump_slowdown_run *x = &a->run, *y = &b->run;
    return strcmp(a->base, b->base) == 0 && strcmp(a->platform, b->platform) == 0 &&
           x->processors == y->processors && x->nics == y->nics && x->mapping == y->mapping &&
           same_number(x->max_nics_per_processor, y->max_nics_per_processor) &&
           same_number(x->utilization, y->utilization) &&
           same_number(x->remote_fraction, y->remote_fraction) &&
           same_number(x->cost_ratio, y->cost_ratio) &&
           same_number(x->waiting_fraction, y->waiting_fraction);
}

static clump_status find_base(clump_slowdown_runs *runs, size_t record, size_t *base,
                              clump_error *error)
{
    for (size_t b = 0; b < runs->base_count; b++)
        if (strcmp(runs->records[runs->base_of[b]].base, runs->records[record].base) == 0) {
            *base = b;
            return CLUMP_OK;
        }
    if (runs->base_count == CLUMP_SLOWDOWN_BASES)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "the runs are compared with more than %d different NOWs",
                          CLUMP_SLOWDOWN_BASES);
    runs->base_of[runs->base_count] = record;
    *base = runs->base_count++;
    return CLUMP_OK;
}

/* Relative standard error that a record brings with it, or NAN. */
static double own_error(const clump_slowdown_record *r)
{
    if (r->half_width > 0)
        return r->half_width / normal_95 / r->run.time_s;
    if (r->std_dev > 0)
        return r->std_dev / sqrt(r->repetitions >= 1 ? r->repetitions : 1) / r->run.time_s;
    return NAN;
}

/* What the records of one run say. */
typedef struct merged {
    double log_sum, squares; /* of logarithms of times */
    double weighted, weight; /* the same with their own errors */
    size_t count, with_error;
} merged;

static void count_record(merged *m, const clump_slowdown_record *r)
{
    const double value = log(r->run.time_s), error = own_error(r);
    const double mean = m->count > 0 ? m->log_sum / (double)m->count : 0;
    if (m->count > 0)
        m->squares += (value - mean) * (value - mean) * (double)m->count / (double)(m->count + 1);
    m->log_sum += value;
    m->count++;
    if (!isnan(error)) {
        m->weighted += value / (error * error);
        m->weight += 1 / (error * error);
        m->with_error++;
    }
}

static void set_errors(clump_slowdown_runs *runs, const merged *all)
{
    double squares = 0, freedom = 0, greatest = 0;
    size_t known = 0;
    bool pooled = false;
    for (size_t i = 0; i < runs->run_count; i++) {
        squares += all[i].squares;
        freedom += (double)(all[i].count - 1);
    }
    const double spread = freedom > 0 && squares > 0 ? sqrt(squares / freedom) : NAN;
    for (size_t i = 0; i < runs->run_count; i++) {
        clump_slowdown_run *run = &runs->runs[i];
        const merged *m = &all[i];
        if (m->with_error == m->count) {
            run->time_s = exp(m->weighted / m->weight);
            run->relative_error = 1 / sqrt(m->weight);
        } else {
            run->time_s = exp(m->log_sum / (double)m->count);
            run->relative_error = spread / sqrt((double)m->count);
            pooled = pooled || !isnan(spread);
        }
        if (m->count == 1) /* not rounded by the logarithm */
            run->time_s = runs->records[runs->record_of[i]].run.time_s;
        known += !isnan(run->relative_error);
        greatest = fmax(greatest, run->relative_error);
    }
    runs->error_freedom = pooled ? freedom : INFINITY;
    if (known == 0 || known == runs->run_count)
        return;
    for (size_t i = 0; i < runs->run_count; i++)
        if (isnan(runs->runs[i].relative_error))
            runs->runs[i].relative_error = greatest;
    clump_slowdown_runs_notice(runs,
                               "%zu of %zu configurations come without a spread; taken as %.2g%%, "
                               "the greatest of the others",
                               runs->run_count - known, runs->run_count, 100 * greatest);
}

static clump_status merge_into(clump_slowdown_runs *runs, merged *all, clump_error *error)
{
    for (size_t r = 0; r < runs->record_count; r++) {
        const clump_slowdown_record *record = &runs->records[r];
        size_t i = 0;
        if (!(record->run.time_s > 0 && isfinite(record->run.time_s)))
            return clump_fail(error, CLUMP_BAD_ARGUMENT, "found a time of %g, expected above 0",
                              record->run.time_s);
        while (i < runs->run_count &&
               !is_same_configuration(record, &runs->records[runs->record_of[i]]))
            i++;
        if (i == runs->run_count) {
            runs->runs[i] = record->run;
            runs->record_of[i] = r;
            runs->repetitions[i] = 0;
            all[i] = (merged){.count = 0};
            const clump_status status = find_base(runs, r, &runs->runs[i].base, error);
            if (status != CLUMP_OK)
                return status;
            runs->run_count++;
        }
        runs->repetitions[i]++;
        count_record(&all[i], record);
    }
    return CLUMP_OK;
}

clump_status clump_slowdown_runs_merge(clump_slowdown_runs *runs, clump_error *error)
{
    const size_t room = runs->record_count > 0 ? runs->record_count : 1;
    merged *all = malloc(room * sizeof *all);
    free(runs->runs);
    free(runs->record_of);
    free(runs->repetitions);
    runs->runs = malloc(room * sizeof *runs->runs);
    runs->record_of = malloc(room * sizeof *runs->record_of);
    runs->repetitions = malloc(room * sizeof *runs->repetitions);
    runs->run_count = runs->base_count = 0;
    if (all == NULL || runs->runs == NULL || runs->record_of == NULL || runs->repetitions == NULL) {
        free(all);
        return clump_fail_memory(error, "the runs");
    }
    const clump_status status = merge_into(runs, all, error);
    if (status == CLUMP_OK)
        set_errors(runs, all);
    free(all);
    return status;
}
