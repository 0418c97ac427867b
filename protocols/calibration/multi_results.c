/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/calibration/multi_results.h"
#include "model/workload/polling.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const titles[CLUMP_MULTI_TABLES] = {
    [CLUMP_MULTI_TABLE_POLLS] = "Cost of a poll (table 7.1)",
    [CLUMP_MULTI_TABLE_SCANS + CLUMP_TUNING_S_MAX] =
        "Maximum skip s_max, time a message (table 7.3)",
    [CLUMP_MULTI_TABLE_SCANS + CLUMP_TUNING_S_MIN] =
        "Minimum skip s_min, time a message (table 7.2)",
    [CLUMP_MULTI_TABLE_SCANS + CLUMP_TUNING_EQUALITY] = "Equality k, time a message (table 7.4)",
    [CLUMP_MULTI_TABLE_SCANS + CLUMP_TUNING_DAMPING] = "Damping d, time a message (table 7.5)",
    [CLUMP_MULTI_TABLE_SETTINGS] = "Settings",
    [CLUMP_MULTI_TABLE_MEMORY] = "Shared memory (table 7.6)",
    [CLUMP_MULTI_TABLE_NETWORK] = "Network, UDP on loopback (table 7.6)",
    [CLUMP_MULTI_TABLE_RATIOS] = "Ratios to the protocol alone",
    [CLUMP_MULTI_TABLE_PREDICTED] = "Overheads predicted from polls and single protocols",
};

const char *clump_multi_table_title(clump_multi_table table)
{
    return titles[table];
}

const char *clump_multi_unit_name(clump_multi_unit unit)
{
    static const char *const names[] = {"us", "count", "ratio", "error"};
    return names[unit];
}

/* One more number; NULL if it is NAN or there is no memory. */
static clump_multi_number *add(clump_multi_results *r, clump_multi_table table, const char *row,
                               const char *column, clump_multi_unit unit, double mean,
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

static void add_mean(clump_multi_results *r, clump_multi_table table, const char *row,
                     const char *column, const clump_calibration_mean *m, double factor)
{
    clump_multi_number *n = m != NULL ? add(r, table, row, column, CLUMP_MULTI_US, factor * m->mean,
                                            factor * m->half_width)
                                      : NULL;
    if (n != NULL) {
        n->std_dev = factor * m->std_dev;
        n->runs = m->runs;
    }
}

/* ---- table 7.1 */

static void add_polls(const clump_calibration_mean *means, size_t count, clump_multi_results *r)
{
    static const clump_benchmark kinds[] = {CLUMP_BENCHMARK_EMPTY_POLL, CLUMP_BENCHMARK_FULL_POLL,
                                            CLUMP_BENCHMARK_EMPTY_POLL_AGAIN};
    static const struct {
        const char *title, *variant;
        bool network;
    } columns[] = {{"Shared memory", CLUMP_MULTI_ALONE, false},
                   {"Network", CLUMP_MULTI_ALONE, true},
                   {"Both, " CLUMP_MULTI_SELDOM, CLUMP_MULTI_SELDOM, false}};
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < 3; i++)
            add_mean(r, CLUMP_MULTI_TABLE_POLLS, clump_benchmark_name(kinds[k]), columns[i].title,
                     clump_calibration_find(means, count, columns[i].variant, columns[i].network,
                                            kinds[k], CLUMP_QUANTITY_POLL_COST),
                     1);
}

/* ---- table 7.6 */

static void add_column(const clump_calibration_mean *means, size_t count, bool network,
                       const char *variant, const char *column, clump_multi_results *r)
{
    enum { SEND, RECEIVE, GAP, TRIP, ROWS };
    static const struct {
        const char *row;
        clump_benchmark benchmark;
        clump_quantity quantity;
        double factor;
    } rows[ROWS] = {
        [SEND] = {"o_s", CLUMP_BENCHMARK_SEND_BURST, CLUMP_QUANTITY_SEND_TIME, 1},
        [RECEIVE] = {"o_r", CLUMP_BENCHMARK_APART, CLUMP_QUANTITY_RECEIVE_TIME, 1},
        [GAP] = {"g", CLUMP_BENCHMARK_LONG_BURST, CLUMP_QUANTITY_MESSAGE_GAP, 1},
        [TRIP] = {"RTT", CLUMP_BENCHMARK_ROUND_TRIP, CLUMP_QUANTITY_HALF_ROUND_TRIP, 2}};
    const clump_multi_table table = network ? CLUMP_MULTI_TABLE_NETWORK : CLUMP_MULTI_TABLE_MEMORY;
    const clump_calibration_mean *found[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        found[i] = clump_calibration_find(means, count, variant, network, rows[i].benchmark,
                                          rows[i].quantity);
    if (found[SEND] != NULL && found[RECEIVE] != NULL && found[TRIP] != NULL)
        add(r, table, "L", column, CLUMP_MULTI_US,
            found[TRIP]->mean - found[SEND]->mean - found[RECEIVE]->mean,
            hypot(hypot(found[SEND]->half_width, found[RECEIVE]->half_width),
                  found[TRIP]->half_width));
    for (size_t i = 0; i < ROWS; i++)
        add_mean(r, table, rows[i].row, column, found[i], rows[i].factor);
}

/* What the goals are about: to each protocol alone, and to a network that is always polled. */
static void add_ratios(const clump_multi_question *m, const clump_calibration_mean *means,
                       size_t count, clump_multi_results *r)
{
    static const struct {
        const char *column;
        clump_benchmark benchmark;
        clump_quantity quantity;
        bool network;
        const char *to;
    } columns[] = {
        {"RTT, shared memory", CLUMP_BENCHMARK_ROUND_TRIP, CLUMP_QUANTITY_HALF_ROUND_TRIP, false,
         CLUMP_MULTI_ALONE},
        {"g, shared memory", CLUMP_BENCHMARK_LONG_BURST, CLUMP_QUANTITY_MESSAGE_GAP, false,
         CLUMP_MULTI_ALONE},
        {"RTT, network", CLUMP_BENCHMARK_ROUND_TRIP, CLUMP_QUANTITY_HALF_ROUND_TRIP, true,
         CLUMP_MULTI_ALONE},
        {"g, network", CLUMP_BENCHMARK_LONG_BURST, CLUMP_QUANTITY_MESSAGE_GAP, true,
         CLUMP_MULTI_ALONE},
        {"RTT, network, to always", CLUMP_BENCHMARK_ROUND_TRIP, CLUMP_QUANTITY_HALF_ROUND_TRIP,
         true, "always"},
    };
    for (unsigned i = 0; i < m->strategy_count; i++)
        for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
            const clump_calibration_mean *with = clump_calibration_find(
                                             means, count, m->strategies[i].name,
                                             columns[k].network, columns[k].benchmark,
                                             columns[k].quantity),
                                         *to = clump_calibration_find(
                                             means, count, columns[k].to, columns[k].network,
                                             columns[k].benchmark, columns[k].quantity);
            if (with == NULL || to == NULL || with == to)
                continue;
            const double ratio = with->mean / to->mean;
            add(r, CLUMP_MULTI_TABLE_RATIOS, m->labels[i], columns[k].column, CLUMP_MULTI_RATIO,
                ratio, ratio * hypot(with->half_width / with->mean, to->half_width / to->mean));
        }
}

static void add_loggp(const clump_multi_question *m, const clump_calibration_mean *means,
                      size_t count, clump_multi_results *r)
{
    for (int network = 0; network < 2; network++) {
        add_column(means, count, network, CLUMP_MULTI_ALONE, "Alone", r);
        for (unsigned i = 0; i < m->strategy_count; i++)
            add_column(means, count, network, m->strategies[i].name, m->labels[i], r);
    }
    add_ratios(m, means, count, r);
}

/* ---- tables 7.2 to 7.5 */

static void add_scan(const clump_multi_question *m, unsigned which, clump_multi_results *r)
{
    const clump_tuning_scan *scan = &m->scans[which];
    const clump_multi_table table = (clump_multi_table)(CLUMP_MULTI_TABLE_SCANS + which);
    const clump_calibration_samples own = {.items = m->samples->items + scan->first,
                                           .count = scan->end - scan->first};
    size_t count = 0;
    clump_calibration_mean *means = clump_calibration_means(&own, &count);
    r->failed = r->failed || (means == NULL && own.count > 0);
    for (unsigned v = 0; v < scan->count; v++) {
        char row[16];
        snprintf(row, sizeof row, "%u", (unsigned)scan->values[v]);
        for (unsigned k = 0; k < CLUMP_MULTI_PATTERNS; k++) {
            const clump_benchmark pattern = (clump_benchmark)(CLUMP_MULTI_FIRST_PATTERN + k);
            add_mean(r, table, row, clump_benchmark_name(pattern),
                     clump_calibration_find(means, count, scan->strategies[v].name, false, pattern,
                                            CLUMP_QUANTITY_OPERATION_TIME),
                     1);
        }
        add(r, table, row, "Worst", CLUMP_MULTI_RATIO, scan->worst[v], NAN);
    }
    free(means);
}

static void add_settings(const clump_multi_question *m, clump_multi_results *r)
{
    for (unsigned i = 0; i < m->scan_count; i++) {
        const clump_tuning_scan *s = &m->scans[i];
        const struct {
            const char *column;
            double value;
        } columns[] = {{"Table 4.1", s->thesis},
                       {"Best", s->unsure ? NAN : s->values[s->best]},
                       {"As good from", s->unsure ? NAN : s->values[s->low]},
                       {"to", s->unsure ? NAN : s->values[s->high]},
                       {"Recommended", s->unsure ? NAN : s->values[s->chosen]}};
        for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
            add(r, CLUMP_MULTI_TABLE_SETTINGS, s->symbol, columns[k].column, CLUMP_MULTI_COUNT,
                columns[k].value, NAN);
        add(r, CLUMP_MULTI_TABLE_SETTINGS, s->symbol, "Uncertain by", CLUMP_MULTI_RATIO,
            s->unsure || s->uncertainty > clump_tuning_as_good - 1 ? s->uncertainty : NAN, NAN);
    }
}

/* ---- the model of two protocols under one endpoint beside what was measured */

/* All samples, and room for those of one kind. */
typedef struct view {
    const clump_multi_question *measured;
    double *values;
    clump_multi_results *results;
} view;

static double take(const view *v, size_t first, const char *variant, bool network,
                   clump_benchmark benchmark, clump_quantity quantity)
{
    const clump_calibration_samples *s = v->measured->samples;
    return clump_calibration_median(
        s, first, s->count,
        &(clump_calibration_sample){
            .variant = variant, .network = network, .benchmark = benchmark, .quantity = quantity},
        v->values, NULL);
}

/* Of the measurements of LogGP: what belongs together was measured in the same runs. */
static double loggp(const view *v, const char *variant, bool network, clump_benchmark benchmark,
                    clump_quantity quantity)
{
    return take(v, v->measured->loggp_first, variant, network, benchmark, quantity);
}

static clump_loggp read_alone(const view *v, bool network)
{
    const char *alone = CLUMP_MULTI_ALONE;
    const double send =
                     loggp(v, alone, network, CLUMP_BENCHMARK_SEND_BURST, CLUMP_QUANTITY_SEND_TIME),
                 receive =
                     loggp(v, alone, network, CLUMP_BENCHMARK_APART, CLUMP_QUANTITY_RECEIVE_TIME),
                 half = loggp(v, alone, network, CLUMP_BENCHMARK_ROUND_TRIP,
                              CLUMP_QUANTITY_HALF_ROUND_TRIP);
    return (clump_loggp){
        .latency_us = half - send - receive,
        .send_overhead_us = send,
        .receive_overhead_us = receive,
        .gap_us = loggp(v, alone, network, CLUMP_BENCHMARK_LONG_BURST, CLUMP_QUANTITY_MESSAGE_GAP)};
}

/* Of the polls: the strategy is what is left of a poll that looks in every 1,024th. */
static double read_strategy(const view *v, clump_benchmark benchmark, double look)
{
    const double with = take(v, 0, CLUMP_MULTI_SELDOM, false, benchmark, CLUMP_QUANTITY_POLL_COST),
                 without =
                     take(v, 0, CLUMP_MULTI_ALONE, false, benchmark, CLUMP_QUANTITY_POLL_COST);
    const double b = with - without - look / CLUMP_MULTI_SKIP;
    return b < 0 ? 0 : b; /* NAN stays */
}

/* How long the processes pause between a send and its receive. */
static double read_delay(const view *v)
{
    const clump_calibration_samples *s = v->measured->samples;
    for (size_t i = v->measured->loggp_first; i < s->count; i++)
        if (s->items[i].delay_us > 0 && !s->items[i].network)
            return s->items[i].delay_us;
    return NAN;
}

static void add_prediction(const view *v, bool network, bool sends, unsigned strategy,
                           double predicted)
{
    const clump_multi_table table = CLUMP_MULTI_TABLE_PREDICTED;
    char row[CLUMP_POLLING_TEXT];
    const double measured = sends ? loggp(v, v->measured->strategies[strategy].name, network,
                                          CLUMP_BENCHMARK_SEND_BURST, CLUMP_QUANTITY_SEND_TIME)
                                  : loggp(v, v->measured->strategies[strategy].name, network,
                                          CLUMP_BENCHMARK_APART, CLUMP_QUANTITY_RECEIVE_TIME);
    snprintf(row, sizeof row, "%s, %s, %.80s", network ? "network" : "shared memory",
             sends ? "o_s" : "o_r", v->measured->labels[strategy]);
    if (isnan(measured))
        return;
    add(v->results, table, row, "Predicted", CLUMP_MULTI_US, predicted, NAN);
    add(v->results, table, row, "Measured", CLUMP_MULTI_US, measured, NAN);
    add(v->results, table, row, "Error", CLUMP_MULTI_ERROR, predicted / measured - 1, NAN);
}

/* What of the model does not depend on the strategy. */
typedef struct given {
    clump_loggp local, network;
    clump_poll_costs costs;
    double message_strategy_us, delay_us, again_us;
} given;

static bool predict(const given *g, const clump_polling_parameters *p, bool apart,
                    clump_poll_effect *effect)
{
    const clump_poll_strategy strategy = {p->accuracy, p->equality, p->minimum_skip,
                                          p->maximum_skip};
    const clump_poll_conditions conditions = {
        .message_strategy_us = g->message_strategy_us,
        .again_us = g->again_us,
        .patience_us = CLUMP_MULTI_PATIENCE_US,
        /* Only the network: s = s_min, and the poll that looks is the last of s. */
        .receive_polls = fmax(p->minimum_skip - 1.0, 1)};
    /* A burst polls once a send, its estimate held high. With a pause between, one message in two
     * polls keeps it there. */
    const clump_poll_traffic traffic = {
        apart ? 0.5 : 1, 0,
        apart ? (g->delay_us + g->local.send_overhead_us + g->local.receive_overhead_us) / 2
              : g->local.send_overhead_us};
    clump_poll_effect remote;
    if (clump_polling_effect(&conditions, &g->local, &g->network, &g->costs, &strategy, &traffic,
                             effect, NULL) != CLUMP_OK ||
        clump_polling_effect(&conditions, &g->local, &g->network, &g->costs, &strategy,
                             &(clump_poll_traffic){0, 1, 0}, &remote, NULL) != CLUMP_OK)
        return false;
    effect->network = remote.network;
    return true;
}

static void predict_all(const view *v)
{
    const clump_multi_question *m = v->measured;
    const char *alone = CLUMP_MULTI_ALONE;
    const double look = loggp(v, alone, true, CLUMP_BENCHMARK_EMPTY_POLL, CLUMP_QUANTITY_POLL_COST);
    const given g = {.local = read_alone(v, false),
                     .network = read_alone(v, true),
                     .costs = {.local_us = loggp(v, alone, false, CLUMP_BENCHMARK_EMPTY_POLL,
                                                 CLUMP_QUANTITY_POLL_COST),
                               .network_us = look,
                               .strategy_us = read_strategy(v, CLUMP_BENCHMARK_EMPTY_POLL, look)},
                     .message_strategy_us = read_strategy(v, CLUMP_BENCHMARK_FULL_POLL, look),
                     .delay_us = read_delay(v),
                     .again_us = take(v, 0, alone, true, CLUMP_BENCHMARK_EMPTY_POLL_AGAIN,
                                      CLUMP_QUANTITY_POLL_COST)};
    for (unsigned i = 0; i < m->strategy_count; i++) {
        clump_poll_effect burst, apart;
        /* Refuses what is NAN, because it was not measured. */
        if (!predict(&g, &m->strategies[i].parameters, false, &burst) ||
            !predict(&g, &m->strategies[i].parameters, true, &apart))
            continue;
        add_prediction(v, false, true, i, burst.local.send_overhead_us);
        /* o_r = S - D - o_s, where the sends of S look as often as its receives, but those of the
         * burst, which are much closer to each other, do not. */
        add_prediction(v, false, false, i,
                       apart.local.receive_overhead_us + apart.local.send_overhead_us -
                           burst.local.send_overhead_us);
        add_prediction(v, true, true, i, burst.network.send_overhead_us);
        add_prediction(v, true, false, i, apart.network.receive_overhead_us);
    }
}

/* The model's o_s and o_r (model/workload/polling.h) beside those that were measured, medians of all. */
static void add_predictions(const clump_multi_question *measured, clump_multi_results *results)
{
    const view v = {measured, malloc((measured->samples->count + 1) * sizeof(double)), results};
    if (v.values != NULL)
        predict_all(&v);
    results->failed = results->failed || v.values == NULL;
    free(v.values);
}

/* ---- all of it */

void clump_multi_summarize(clump_multi_question *m)
{
    clump_multi_results *r = &m->results;
    *r = (clump_multi_results){.numbers = NULL};
    size_t count = 0;
    clump_calibration_mean *means = clump_calibration_means(m->samples, &count);
    r->failed = means == NULL && m->samples->count > 0;
    add_polls(means, count, r);
    for (unsigned i = 0; i < m->scan_count; i++)
        add_scan(m, i, r);
    add_settings(m, r);
    add_loggp(m, means, count, r);
    add_predictions(m, r);
    free(means);
}
