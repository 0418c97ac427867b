/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/calibration/loggp_results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONG_BYTES (512 << 10) /* of which G is the time a byte (5.3.1) */
#define SHORT_BYTES 32

static const char *const titles[CLUMP_TABLES] = {
    [CLUMP_TABLE_LOGGP] = "LogGP",
    [CLUMP_TABLE_COMPONENTS] = "Components of a send",
    [CLUMP_TABLE_SIZES] = "Message sizes",
    [CLUMP_TABLE_SIZES_BACK] = "Message sizes, back",
    [CLUMP_TABLE_PIECES] = "Long messages in pieces",
    [CLUMP_TABLE_PIECES_BACK] = "Long messages in pieces, back",
    [CLUMP_TABLE_LOSSES] = "Losses",
    [CLUMP_TABLE_STRESS] = "Stress test",
    [CLUMP_TABLE_LENGTHS] = "Queue length",
    [CLUMP_TABLE_BACKOFF] = "Backoff",
    [CLUMP_TABLE_JOBS] = "Several jobs",
};

const char *clump_calibration_table_title(clump_calibration_table table)
{
    return titles[table];
}

/* All means, and one algorithm at a time. */
typedef struct view {
    const clump_calibration_mean *means;
    size_t count;
    const char *variant;
    clump_calibration_results *results;
} view;

/* A row without mean is one whose runs are doubtful. */
static clump_calibration_row *add_row(view *v, clump_calibration_table table,
                                      clump_quantity quantity, double mean, double half_width,
                                      size_t doubtful)
{
    clump_calibration_results *r = v->results;
    if (r->count == r->room && !r->failed) {
        const size_t room = r->room > 0 ? 2 * r->room : 256;
        clump_calibration_row *rows = realloc(r->rows, room * sizeof *rows);
        r->failed = rows == NULL;
        r->rows = rows != NULL ? rows : r->rows;
        r->room = rows != NULL ? room : r->room;
    }
    if (r->failed || (isnan(mean) && doubtful == 0))
        return NULL;
    clump_calibration_row *row = &r->rows[r->count++];
    *row = (clump_calibration_row){.table = table,
                                   .variant = v->variant,
                                   .quantity = quantity,
                                   .size_bytes = -1,
                                   .mean = mean,
                                   .half_width = half_width,
                                   .std_dev = NAN,
                                   .doubtful = doubtful,
                                   .thesis = NAN,
                                   .thesis_half_width = NAN};
    return row;
}

/* Of samples without a setting. */
static const clump_calibration_mean *find(const view *v, clump_benchmark benchmark,
                                          clump_quantity quantity, int64_t size)
{
    for (size_t i = 0; i < v->count; i++) {
        const clump_calibration_sample *of = &v->means[i].of;
        if (of->benchmark == benchmark && of->quantity == quantity && of->size_bytes == size &&
            strcmp(of->variant, v->variant) == 0)
            return &v->means[i];
    }
    return NULL;
}

/* ---- LogGP */

static void add_mean(view *v, clump_quantity quantity, const clump_calibration_mean *mean,
                     double factor)
{
    clump_calibration_row *row = mean != NULL
                                     ? add_row(v, CLUMP_TABLE_LOGGP, quantity, mean->mean * factor,
                                               mean->half_width * factor, mean->doubtful)
                                     : NULL;
    if (row != NULL) {
        row->std_dev = mean->std_dev * factor;
        row->runs = mean->runs;
    }
}

/* Runs whose doubt is that of what is derived from their mean: all, if there is none. */
static size_t missed(const clump_calibration_mean *mean)
{
    return mean->runs == 0 ? mean->doubtful : 0;
}

/* Where the curve of long messages in pieces passes half of its last value: log in size between two
 * points. NAN if it begins above. */
static double half_power(const view *v, double bandwidth)
{
    double size = NAN, rate = NAN, before = NAN;
    for (size_t i = 0; i < v->count; i++) {
        const clump_calibration_mean *m = &v->means[i];
        if (m->of.benchmark != CLUMP_BENCHMARK_PIECES || m->runs == 0 ||
            strcmp(m->of.variant, v->variant) != 0)
            continue;
        const double at = (double)m->of.size_bytes;
        if (m->mean >= bandwidth / 2) {
            if (isnan(rate))
                return NAN;
            before = (bandwidth / 2 - rate) / (m->mean - rate);
            return size * pow(at / size, before);
        }
        size = at;
        rate = m->mean;
    }
    return NAN;
}

static void add_loggp(view *v)
{
    const clump_calibration_mean *trip = find(v, CLUMP_BENCHMARK_ROUND_TRIP,
                                              CLUMP_QUANTITY_HALF_ROUND_TRIP, SHORT_BYTES),
                                 *send = find(v, CLUMP_BENCHMARK_SEND_BURST,
                                              CLUMP_QUANTITY_SEND_TIME, SHORT_BYTES),
                                 *receive = find(v, CLUMP_BENCHMARK_APART,
                                                 CLUMP_QUANTITY_RECEIVE_TIME, SHORT_BYTES),
                                 *rate = find(v, CLUMP_BENCHMARK_PIECES,
                                              CLUMP_QUANTITY_TRANSFER_RATE, LONG_BYTES);
    if (trip != NULL && send != NULL && receive != NULL)
        add_row(v, CLUMP_TABLE_LOGGP, CLUMP_QUANTITY_LATENCY,
                trip->mean - send->mean - receive->mean,
                hypot(hypot(trip->half_width, send->half_width), receive->half_width),
                missed(trip) + missed(send) + missed(receive));
    if (trip != NULL) { /* the sizes stage alone measures send_time at 32 bytes, too: not these */
        add_mean(v, CLUMP_QUANTITY_SEND_OVERHEAD, send, 1);
        add_mean(v, CLUMP_QUANTITY_RECEIVE_OVERHEAD, receive, 1);
        add_mean(v, CLUMP_QUANTITY_GAP,
                 find(v, CLUMP_BENCHMARK_LONG_BURST, CLUMP_QUANTITY_MESSAGE_GAP, SHORT_BYTES), 1);
    }
    if (rate != NULL) {
        /* (5.3) */
        add_row(v, CLUMP_TABLE_LOGGP, CLUMP_QUANTITY_GAP_PER_BYTE, 1 / rate->mean,
                rate->half_width / (rate->mean * rate->mean), missed(rate));
        add_mean(v, CLUMP_QUANTITY_BANDWIDTH, rate, 1);
        add_row(v, CLUMP_TABLE_LOGGP, CLUMP_QUANTITY_HALF_POWER_SIZE, half_power(v, rate->mean),
                NAN, missed(rate));
    }
    add_mean(v, CLUMP_QUANTITY_ROUND_TRIP_TIME, trip, 2);
    add_mean(v, CLUMP_QUANTITY_POLL_COST,
             find(v, CLUMP_BENCHMARK_EMPTY_POLL, CLUMP_QUANTITY_POLL_COST, -1), 1);
    add_mean(v, CLUMP_QUANTITY_LINE_TRANSFER,
             find(v, CLUMP_BENCHMARK_CACHE_LINE, CLUMP_QUANTITY_LINE_TRANSFER, -1), 1);
}

/* ---- everything else */

/* Components of a send: each with those before it was measured, so the difference is its own. */
static void add_breakdown(view *v)
{
    double before = 0, before_half_width = 0;
    size_t missed_before = 0;
    for (size_t i = 0; i < v->count; i++) {
        const clump_calibration_mean *m = &v->means[i];
        if (m->of.quantity != CLUMP_QUANTITY_PARTIAL_SEND_TIME ||
            strcmp(m->of.variant, v->variant) != 0)
            continue;
        clump_calibration_row *row =
            add_row(v, CLUMP_TABLE_COMPONENTS, CLUMP_QUANTITY_SEND_COMPONENT, m->mean - before,
                    hypot(m->half_width, before_half_width), missed(m) + missed_before);
        if (row != NULL)
            memcpy(row->setting, m->of.setting, sizeof row->setting);
        before = m->mean;
        before_half_width = m->half_width;
        missed_before = missed(m);
    }
}

static void add_rest(view *v, clump_calibration_table table, clump_benchmark benchmark,
                     clump_quantity quantity)
{
    for (size_t i = 0; i < v->count; i++) {
        const clump_calibration_mean *m = &v->means[i];
        if (m->of.benchmark != benchmark || m->of.quantity != quantity ||
            strcmp(m->of.variant, v->variant) != 0)
            continue;
        clump_calibration_row *row =
            add_row(v, table, quantity, m->mean, m->half_width, m->doubtful);
        if (row == NULL)
            continue;
        row->std_dev = m->std_dev;
        row->runs = m->runs;
        row->size_bytes = m->of.size_bytes;
        row->processes = m->of.processes;
        memcpy(row->setting, m->of.setting, sizeof row->setting);
    }
}

/* Whether this is the first mean of its variant. */
static bool is_first(const clump_calibration_mean *means, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (strcmp(means[j].of.variant, means[i].of.variant) == 0)
            return false;
    return true;
}

void clump_calibration_summarize(const clump_calibration_samples *samples,
                                 clump_calibration_results *results)
{
    static const struct {
        clump_calibration_table table;
        clump_benchmark benchmark;
        clump_quantity quantity;
    } rest[] = {
        {CLUMP_TABLE_SIZES, CLUMP_BENCHMARK_ROUND_TRIP, CLUMP_QUANTITY_HALF_ROUND_TRIP},
        {CLUMP_TABLE_SIZES, CLUMP_BENCHMARK_SEND_BURST, CLUMP_QUANTITY_SEND_TIME},
        {CLUMP_TABLE_SIZES, CLUMP_BENCHMARK_APART, CLUMP_QUANTITY_RECEIVE_TIME},
        {CLUMP_TABLE_SIZES, CLUMP_BENCHMARK_WINDOW, CLUMP_QUANTITY_TRANSFER_RATE},
        {CLUMP_TABLE_SIZES_BACK, CLUMP_BENCHMARK_WINDOW_BACK, CLUMP_QUANTITY_TRANSFER_RATE},
        {CLUMP_TABLE_PIECES, CLUMP_BENCHMARK_PIECES, CLUMP_QUANTITY_TRANSFER_RATE},
        {CLUMP_TABLE_PIECES_BACK, CLUMP_BENCHMARK_PIECES_BACK, CLUMP_QUANTITY_TRANSFER_RATE},
        {CLUMP_TABLE_LOSSES, CLUMP_BENCHMARK_SESSION, CLUMP_QUANTITY_DATAGRAM_LOSS},
        {CLUMP_TABLE_LOSSES, CLUMP_BENCHMARK_SESSION, CLUMP_QUANTITY_PACKETS_RESENT},
        {CLUMP_TABLE_STRESS, CLUMP_BENCHMARK_STRESS, CLUMP_QUANTITY_STRESS_GAP},
        {CLUMP_TABLE_LENGTHS, CLUMP_BENCHMARK_QUEUE_LENGTH, CLUMP_QUANTITY_OPERATION_TIME},
        {CLUMP_TABLE_LENGTHS, CLUMP_BENCHMARK_BULK_QUEUE_LENGTH, CLUMP_QUANTITY_OPERATION_TIME},
        {CLUMP_TABLE_BACKOFF, CLUMP_BENCHMARK_BACKOFF, CLUMP_QUANTITY_OPERATION_TIME},
        {CLUMP_TABLE_JOBS, CLUMP_BENCHMARK_PARALLEL_JOBS, CLUMP_QUANTITY_OPERATION_TIME},
        {CLUMP_TABLE_JOBS, CLUMP_BENCHMARK_SEQUENTIAL_JOBS, CLUMP_QUANTITY_OPERATION_TIME},
    };
    enum { LOGGP, COMPONENTS, FIRST, PARTS = FIRST + sizeof rest / sizeof *rest };
    size_t count = 0;
    *results = (clump_calibration_results){.rows = NULL};
    clump_calibration_mean *means = clump_calibration_means(samples, &count);
    results->failed = means == NULL && samples->count > 0;
    view v = {means, count, NULL, results};
    /* A part of a table at a time, in it an algorithm at a time. */
    for (size_t part = 0; part < PARTS; part++)
        for (size_t i = 0; i < count; i++) {
            if (!is_first(means, i))
                continue;
            v.variant = means[i].of.variant;
            if (part == LOGGP)
                add_loggp(&v);
            else if (part == COMPONENTS)
                add_breakdown(&v);
            else
                add_rest(&v, rest[part - FIRST].table, rest[part - FIRST].benchmark,
                         rest[part - FIRST].quantity);
        }
    free(means);
}

void clump_calibration_results_free(clump_calibration_results *results)
{
    free(results->rows);
    *results = (clump_calibration_results){.rows = NULL};
}

bool clump_calibration_is_parameter(const clump_calibration_row *row)
{
    return row->table == CLUMP_TABLE_LOGGP && row->quantity != CLUMP_QUANTITY_POLL_COST &&
           row->quantity != CLUMP_QUANTITY_LINE_TRANSFER &&
           row->quantity != CLUMP_QUANTITY_ROUND_TRIP_TIME;
}

/* ---- the thesis's figures beside them */

/* How the reference data call the algorithms. Those of chapter 9 were not measured. */
static const char *thesis_name(const char *variant)
{
    static const char *const names[][2] = {
        {"lock-free", "lock-free"},   {"lock-free-fifo", "lock-free-fifo"},
        {"test-set", "test-and-set"}, {"test-test-set", "test-and-test-and-set"},
        {"ticket", "ticket-lock"},    {"anderson", "anderson-lock"},
        {"mutex", "posix-mutex"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(variant, names[i][0]) == 0)
            return names[i][1];
    return NULL;
}

static clump_store_status look_up(clump_store *store, const clump_store_filter *filter,
                                  clump_store_measurement *found)
{
    const clump_store_status status = clump_store_value(store, filter, found);
    if (status == CLUMP_STORE_OK)
        return status;
    found->value = found->half_width = NAN;
    return status == CLUMP_STORE_FAILED ? status : CLUMP_STORE_OK;
}

clump_store_status clump_calibration_compare(clump_store *store, clump_calibration_results *results)
{
    clump_store_status status = CLUMP_STORE_OK;
    double before = 0; /* components of a send add up in the reference data */
    const char *variant_before = NULL;
    for (size_t i = 0; i < results->count && status == CLUMP_STORE_OK; i++) {
        clump_calibration_row *row = &results->rows[i];
        const char *name = thesis_name(row->variant);
        const bool component = row->table == CLUMP_TABLE_COMPONENTS;
        const bool poll = row->quantity == CLUMP_QUANTITY_POLL_COST;
        /* Sizes and scans are figures there, without numbers. */
        if (name == NULL ||
            (row->table != CLUMP_TABLE_LOGGP && !component && row->table != CLUMP_TABLE_STRESS))
            continue;
        char variant[120];
        snprintf(variant, sizeof variant, "%s%s%s", name, row->setting[0] != '\0' ? ", " : "",
                 row->setting);
        clump_store_measurement found;
        status = look_up(
            store,
            &(clump_store_filter){.platform = poll ? "e5000-clump" : "e5000-smp",
                                  .application = "",
                                  .transport = "shared-memory",
                                  .quantity = clump_quantity_name(
                                      component ? CLUMP_QUANTITY_PARTIAL_SEND_TIME : row->quantity),
                                  .variant = poll ? "single-protocol" : variant,
                                  .statistic = "mean"},
            &found);
        if (component) {
            const double sum = found.value;
            found.value = sum - (row->variant == variant_before ? before : 0);
            before = sum;
            variant_before = row->variant;
        }
        row->thesis = found.value;
        row->thesis_half_width = found.half_width;
    }
    return status;
}
