/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "calibration/multi_results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

clump_multi_number *clump_multi_add(clump_multi_results *r, const char *table, const char *row,
                                    const char *column, const char *unit, double mean,
                                    double half_width)
{
    if (r->count == r->room && !r->failed) {
        const size_t room = r->room > 0 ? 2 * r->room : 256;
        clump_multi_number *numbers = realloc(r->numbers, room * sizeof *numbers);
        r->failed = numbers == NULL;
        r->numbers = numbers != NULL ? numbers : r->numbers;
        r->room = numbers != NULL ? room : r->room;
    }
    if (r->failed || isnan(mean))
        return NULL;
    clump_multi_number *n = &r->numbers[r->count++];
    *n = (clump_multi_number){.table = table,
                              .column = column,
                              .unit = unit,
                              .mean = mean,
                              .half_width = half_width,
                              .std_dev = NAN};
    snprintf(n->row, sizeof n->row, "%s", row);
    return n;
}

void clump_multi_results_free(clump_multi_results *results)
{
    free(results->numbers);
    *results = (clump_multi_results){.numbers = NULL};
}

const clump_calibration_mean *clump_multi_find(const clump_calibration_mean *means, size_t count,
                                               const char *variant, const char *transport,
                                               const char *benchmark, const char *quantity)
{
    for (size_t i = 0; i < count; i++) {
        const clump_measured_sample *of = &means[i].of;
        if (strcmp(of->variant, variant) == 0 && strcmp(of->benchmark, benchmark) == 0 &&
            strcmp(of->quantity, quantity) == 0 &&
            clump_calibration_same_transport(of->transport, transport))
            return &means[i];
    }
    return NULL;
}

static void add_mean(clump_multi_results *r, const char *table, const char *row, const char *column,
                     const clump_calibration_mean *m, double factor)
{
    clump_multi_number *n = m != NULL ? clump_multi_add(r, table, row, column, "us",
                                                        factor * m->mean, factor * m->half_width)
                                      : NULL;
    if (n != NULL) {
        n->std_dev = factor * m->std_dev;
        n->runs = m->runs;
    }
}

/* ---- table 7.1 */

static void add_polls(const clump_calibration_mean *means, size_t count, clump_multi_results *r)
{
    static const char table[] = "Cost of a poll (table 7.1)";
    static const char *const kinds[] = {"empty poll", "poll with a message",
                                        "empty poll after a message"};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const clump_calibration_mean *local = clump_multi_find(means, count, CLUMP_MULTI_ALONE,
                                                               NULL, kinds[k], "poll_cost"),
                                     *network = clump_multi_find(means, count, CLUMP_MULTI_ALONE,
                                                                 "udp", kinds[k], "poll_cost"),
                                     *both = clump_multi_find(means, count, CLUMP_MULTI_SELDOM,
                                                              NULL, kinds[k], "poll_cost");
        add_mean(r, table, kinds[k], "Shared memory", local, 1);
        add_mean(r, table, kinds[k], "Network", network, 1);
        add_mean(r, table, kinds[k], "Both, " CLUMP_MULTI_SELDOM, both, 1);
    }
}

/* ---- table 7.6 */

static double root(double a, double b, double c)
{
    return sqrt(a * a + b * b + c * c);
}

static void add_column(const clump_calibration_mean *means, size_t count, const char *table,
                       const char *variant, const char *column, const char *transport,
                       clump_multi_results *r)
{
    static const struct {
        const char *row, *benchmark, *quantity;
        double factor;
    } rows[] = {{"o_s", "send burst", "send_time", 1},
                {"o_r", "send and receive apart", "receive_time", 1},
                {"g", "long burst", "message_gap", 1},
                {"RTT", "round trip", "half_round_trip", 2}};
    const clump_calibration_mean *found[4];
    for (size_t i = 0; i < 4; i++)
        found[i] =
            clump_multi_find(means, count, variant, transport, rows[i].benchmark, rows[i].quantity);
    if (found[0] != NULL && found[1] != NULL && found[3] != NULL)
        clump_multi_add(r, table, "L", column, "us",
                        found[3]->mean - found[0]->mean - found[1]->mean,
                        root(found[0]->half_width, found[1]->half_width, found[3]->half_width));
    for (size_t i = 0; i < 4; i++)
        add_mean(r, table, rows[i].row, column, found[i], rows[i].factor);
}

/* What the goals are about: to each protocol alone, and to a network that is always polled. */
static void add_ratios(const clump_multi_measured *m, const clump_calibration_mean *means,
                       size_t count, clump_multi_results *r)
{
    static const struct {
        const char *column, *benchmark, *quantity, *transport, *to;
    } columns[] = {
        {"RTT, shared memory", "round trip", "half_round_trip", NULL, CLUMP_MULTI_ALONE},
        {"g, shared memory", "long burst", "message_gap", NULL, CLUMP_MULTI_ALONE},
        {"RTT, network", "round trip", "half_round_trip", "udp", CLUMP_MULTI_ALONE},
        {"g, network", "long burst", "message_gap", "udp", CLUMP_MULTI_ALONE},
        {"RTT, network, to always", "round trip", "half_round_trip", "udp", "always"},
    };
    for (unsigned i = 0; i < m->strategy_count; i++)
        for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
            const clump_calibration_mean *with = clump_multi_find(
                                             means, count, m->strategies[i].name,
                                             columns[k].transport, columns[k].benchmark,
                                             columns[k].quantity),
                                         *to = clump_multi_find(
                                             means, count, columns[k].to, columns[k].transport,
                                             columns[k].benchmark, columns[k].quantity);
            if (with != NULL && to != NULL && with != to) {
                const double ratio = with->mean / to->mean;
                clump_multi_add(
                    r, "Ratios to the protocol alone", m->labels[i], columns[k].column, "ratio",
                    ratio,
                    ratio * root(with->half_width / with->mean, to->half_width / to->mean, 0));
            }
        }
}

static void add_loggp(const clump_multi_measured *m, const clump_calibration_mean *means,
                      size_t count, clump_multi_results *r)
{
    static const struct {
        const char *table, *transport;
    } sides[] = {{"Shared memory (table 7.6)", NULL},
                 {"Network, UDP on loopback (table 7.6)", "udp"}};
    for (size_t side = 0; side < 2; side++) {
        add_column(means, count, sides[side].table, CLUMP_MULTI_ALONE, "Alone",
                   sides[side].transport, r);
        for (unsigned i = 0; i < m->strategy_count; i++)
            add_column(means, count, sides[side].table, m->strategies[i].name, m->labels[i],
                       sides[side].transport, r);
    }
    add_ratios(m, means, count, r);
}

/* ---- tables 7.2 to 7.5 */

static void add_scan(const clump_tuning_scan *scan, const clump_calibration_samples *samples,
                     clump_multi_results *r)
{
    static const char *const titles[CLUMP_MULTI_SCANS][2] = {
        {"s_max", "Maximum skip s_max, time a message (table 7.3)"},
        {"s_min", "Minimum skip s_min, time a message (table 7.2)"},
        {"k", "Equality k, time a message (table 7.4)"},
        {"d", "Damping d, time a message (table 7.5)"}};
    const char *table = titles[0][1];
    for (size_t i = 0; i < CLUMP_MULTI_SCANS; i++)
        if (strcmp(titles[i][0], scan->symbol) == 0)
            table = titles[i][1];
    const clump_calibration_samples own = {.items = samples->items + scan->first,
                                           .count = scan->end - scan->first};
    size_t count = 0;
    clump_calibration_mean *means = clump_calibration_means(&own, &count);
    r->failed = r->failed || (means == NULL && own.count > 0);
    for (unsigned v = 0; v < scan->count; v++) {
        char row[16];
        snprintf(row, sizeof row, "%u", (unsigned)scan->values[v]);
        for (unsigned k = 0; k < CLUMP_MULTI_PATTERNS; k++)
            add_mean(r, table, row, clump_multi_pattern_name(k),
                     clump_multi_find(means, count, scan->strategies[v].name, NULL,
                                      clump_multi_pattern_name(k), "operation_time"),
                     1);
        clump_multi_add(r, table, row, "Worst", "ratio", scan->worst[v], NAN);
    }
    free(means);
}

static void add_settings(const clump_multi_measured *m, clump_multi_results *r)
{
    for (unsigned i = 0; i < m->scan_count; i++) {
        const clump_tuning_scan *s = &m->scans[i];
        const struct {
            const char *column;
            uint32_t value;
        } columns[] = {{"Table 4.1", s->thesis},
                       {"Best", s->values[s->best]},
                       {"Within 5% from", s->values[s->low]},
                       {"to", s->values[s->high]},
                       {"Recommended", s->values[s->chosen]}};
        for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
            clump_multi_add(r, "Settings", s->symbol, columns[k].column, "count", columns[k].value,
                            NAN);
    }
}

void clump_multi_summarize(const clump_multi_measured *m, clump_multi_results *r)
{
    *r = (clump_multi_results){.numbers = NULL};
    size_t count = 0;
    clump_calibration_mean *means = clump_calibration_means(m->samples, &count);
    r->failed = means == NULL && m->samples->count > 0;
    add_polls(means, count, r);
    for (unsigned i = 0; i < m->scan_count; i++)
        add_scan(&m->scans[i], m->samples, r);
    add_settings(m, r);
    add_loggp(m, means, count, r);
    clump_multi_predict(m, r);
    free(means);
}
