/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "calibration/calibration_results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOGGP "LogGP"
#define LONG_BYTES (512 << 10) /* of which G is the time a byte (5.3.1) */
#define SHORT_BYTES 32

/* All means, and one algorithm at a time. */
typedef struct view {
    const clump_calibration_mean *means;
    size_t count;
    const char *variant;
    clump_calibration_results *results;
} view;

static clump_calibration_row *add_row(view *v, const char *table, const char *quantity,
                                      const char *unit, double mean, double half_width)
{
    clump_calibration_results *r = v->results;
    if (r->count == r->room && !r->failed) {
        const size_t room = r->room > 0 ? 2 * r->room : 256;
        clump_calibration_row *rows = realloc(r->rows, room * sizeof *rows);
        r->failed = rows == NULL;
        r->rows = rows != NULL ? rows : r->rows;
        r->room = rows != NULL ? room : r->room;
    }
    if (r->failed || isnan(mean))
        return NULL;
    clump_calibration_row *row = &r->rows[r->count++];
    *row = (clump_calibration_row){.table = table,
                                   .variant = v->variant,
                                   .quantity = quantity,
                                   .unit = unit,
                                   .size_bytes = -1,
                                   .mean = mean,
                                   .half_width = half_width,
                                   .std_dev = NAN,
                                   .thesis = NAN,
                                   .thesis_half_width = NAN};
    return row;
}

static const clump_calibration_mean *find(const view *v, const char *benchmark,
                                          const char *quantity, const char *setting, int64_t size)
{
    for (size_t i = 0; i < v->count; i++) {
        const clump_measured_sample *of = &v->means[i].of;
        if (strcmp(of->variant, v->variant) == 0 && strcmp(of->benchmark, benchmark) == 0 &&
            strcmp(of->quantity, quantity) == 0 && strcmp(of->setting, setting) == 0 &&
            of->size_bytes == size)
            return &v->means[i];
    }
    return NULL;
}

/* ---- LogGP */

static void add_mean(view *v, const char *quantity, const char *unit,
                     const clump_calibration_mean *mean, double factor)
{
    clump_calibration_row *row =
        mean != NULL
            ? add_row(v, LOGGP, quantity, unit, mean->mean * factor, mean->half_width * factor)
            : NULL;
    if (row != NULL) {
        row->std_dev = mean->std_dev * factor;
        row->runs = mean->runs;
    }
}

/* Where the curve of long messages in pieces passes half of its last value: log in size between two
 * points. NAN if it begins above. */
static double half_power(const view *v, double bandwidth)
{
    double size = NAN, rate = NAN, before = NAN;
    for (size_t i = 0; i < v->count; i++) {
        const clump_calibration_mean *m = &v->means[i];
        if (strcmp(m->of.variant, v->variant) != 0 || strcmp(m->of.setting, "fragmented") != 0)
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

static double root(double a, double b, double c)
{
    return sqrt(a * a + b * b + c * c);
}

static void add_loggp(view *v)
{
    const clump_calibration_mean *trip = find(v, "round trip", "half_round_trip", "", SHORT_BYTES),
                                 *send = find(v, "send burst", "send_time", "", SHORT_BYTES),
                                 *receive = find(v, "send and receive apart", "receive_time", "",
                                                 SHORT_BYTES),
                                 *gap = find(v, "long burst", "message_gap", "", SHORT_BYTES),
                                 *rate = find(v, "pieces of 8 kB", "transfer_rate", "fragmented",
                                              LONG_BYTES);
    if (trip != NULL && send != NULL && receive != NULL)
        add_row(v, LOGGP, "latency", "us", trip->mean - send->mean - receive->mean,
                root(trip->half_width, send->half_width, receive->half_width));
    if (trip != NULL) { /* the sizes stage alone measures send_time at 32 bytes, too: not these */
        add_mean(v, "send_overhead", "us", send, 1);
        add_mean(v, "receive_overhead", "us", receive, 1);
        add_mean(v, "gap", "us", gap, 1);
    }
    if (rate != NULL) {
        /* (5.3) */
        add_row(v, LOGGP, "gap_per_byte", "us/B", 1 / rate->mean,
                rate->half_width / (rate->mean * rate->mean));
        add_mean(v, "bandwidth", "B/us", rate, 1);
        add_row(v, LOGGP, "half_power_size", "B", half_power(v, rate->mean), NAN);
    }
    add_mean(v, "round_trip_time", "us", trip, 2);
    add_mean(v, "poll_cost", "us", find(v, "empty poll", "poll_cost", "", -1), 1);
    add_mean(v, "line_transfer", "us", find(v, "cache line", "line_transfer", "", -1), 1);
}

/* ---- everything else */

/* Components of a send: each with those before it was measured, so the difference is its own. */
static void add_breakdown(view *v)
{
    double before = 0, before_half_width = 0;
    for (size_t i = 0; i < v->count; i++) {
        const clump_calibration_mean *m = &v->means[i];
        if (strcmp(m->of.variant, v->variant) != 0 ||
            strcmp(m->of.quantity, "partial_send_time") != 0)
            continue;
        clump_calibration_row *row =
            add_row(v, "Components of a send", "send_component", "us", m->mean - before,
                    root(m->half_width, before_half_width, 0));
        if (row != NULL)
            memcpy(row->setting, m->of.setting, sizeof row->setting);
        before = m->mean;
        before_half_width = m->half_width;
    }
}

static void add_rest(view *v, const char *table, const char *benchmark, const char *quantity,
                     const char *unit, const char *setting)
{
    for (size_t i = 0; i < v->count; i++) {
        const clump_calibration_mean *m = &v->means[i];
        if (strcmp(m->of.variant, v->variant) != 0 || strcmp(m->of.benchmark, benchmark) != 0 ||
            strcmp(m->of.quantity, quantity) != 0 ||
            (setting != NULL && strcmp(m->of.setting, setting) != 0))
            continue;
        clump_calibration_row *row = add_row(v, table, quantity, unit, m->mean, m->half_width);
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
        const char *table, *benchmark, *quantity, *unit, *setting; /* NULL: any */
    } rest[] = {
        {"Message sizes", "round trip", "half_round_trip", "us", NULL},
        {"Message sizes", "send burst", "send_time", "us", NULL},
        {"Message sizes", "send and receive apart", "receive_time", "us", NULL},
        {"Message sizes", "window", "transfer_rate", "B/us", ""},
        {"Message sizes, back", "window", "transfer_rate", "B/us", "back"},
        {"Long messages in pieces", "pieces of 8 kB", "transfer_rate", "B/us", "fragmented"},
        {"Long messages in pieces, back", "pieces of 8 kB", "transfer_rate", "B/us",
         "fragmented, back"},
        {"Losses", "session", "datagram_loss", "ratio", NULL},
        {"Losses", "session", "packets_resent", "ratio", NULL},
        {"Stress test", "stress test", "stress_gap", "us", NULL},
        {"Queue length", "queue length", "operation_time", "us", NULL},
        {"Queue length", "bulk queue length", "operation_time", "us", NULL},
        {"Backoff", "backoff", "operation_time", "us", NULL},
        {"Several jobs", "parallel jobs", "operation_time", "us", NULL},
        {"Several jobs", "sequential jobs", "operation_time", "us", NULL},
    };
    enum { REST = sizeof rest / sizeof *rest };
    size_t count = 0;
    *results = (clump_calibration_results){.rows = NULL};
    clump_calibration_mean *means = clump_calibration_means(samples, &count);
    results->failed = means == NULL && samples->count > 0;
    view v = {means, count, NULL, results};
    /* A table at a time, in it an algorithm at a time. */
    for (size_t table = 0; table < REST + 2; table++)
        for (size_t i = 0; i < count; i++) {
            if (!is_first(means, i))
                continue;
            v.variant = means[i].of.variant;
            if (table == 0)
                add_loggp(&v);
            else if (table == 1)
                add_breakdown(&v);
            else
                add_rest(&v, rest[table - 2].table, rest[table - 2].benchmark,
                         rest[table - 2].quantity, rest[table - 2].unit, rest[table - 2].setting);
        }
    free(means);
}

void clump_calibration_results_free(clump_calibration_results *results)
{
    free(results->rows);
    *results = (clump_calibration_results){.rows = NULL};
}

size_t clump_calibration_parameters(const clump_calibration_results *results,
                                    clump_calibration_parameter *parameters, size_t room)
{
    size_t count = 0;
    for (size_t i = 0; i < results->count && count < room; i++) {
        const clump_calibration_row *row = &results->rows[i];
        /* Those that are samples themselves, or twice a sample, are stored already. */
        if (strcmp(row->table, LOGGP) != 0 || strcmp(row->quantity, "poll_cost") == 0 ||
            strcmp(row->quantity, "line_transfer") == 0 ||
            strcmp(row->quantity, "round_trip_time") == 0)
            continue;
        parameters[count++] = (clump_calibration_parameter){.variant = row->variant,
                                                            .quantity = row->quantity,
                                                            .value = row->mean,
                                                            .half_width = row->half_width};
    }
    return count;
}
