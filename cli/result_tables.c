/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/result_tables.h"

#include "cli/output/errors.h"
#include "cli/output/escape.h"
#include "cli/output/output.h"
#include "cli/output/paragraph.h"
#include "cli/output/results.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Kinds of demand whose errors are told apart. */
enum { DEMANDS = 8 };

typedef struct error_sum {
    char demand[CLUMP_DEMAND_NAME_SIZE];
    double sum;
    size_t rows;
} error_sum;

static void add_error(error_sum sums[DEMANDS], const clump_result *result)
{
    char demand[CLUMP_DEMAND_NAME_SIZE];
    clump_demand_name(result->demand, result->gang_size, demand);
    for (size_t d = 0; d < DEMANDS; d++) {
        if (sums[d].rows > 0 && strcmp(sums[d].demand, demand) != 0)
            continue;
        memcpy(sums[d].demand, demand, sizeof demand);
        sums[d].sum += fabs(result->error);
        sums[d].rows++;
        return;
    }
}

/* "Mean absolute error of 12 predictions: 11.6% (independent 13.0%, correlated 10.2%)" */
static void print_errors(const clump_result *results, size_t count)
{
    error_sum sums[DEMANDS] = {{.rows = 0}};
    size_t rows = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(results[i].error)) {
            add_error(sums, &results[i]);
            rows++;
        }
    if (rows < 2)
        return;
    printf("\nMean absolute error of %zu predictions: %.1f%%", rows,
           100 * result_mean_error(results, count));
    if (sums[1].rows > 0 && sums[DEMANDS - 1].rows == 0) {
        for (size_t d = 0; d < DEMANDS && sums[d].rows > 0; d++)
            printf("%s%s %.1f%%", d == 0 ? " (" : ", ", sums[d].demand,
                   100 * sums[d].sum / (double)sums[d].rows);
        fputs(")", stdout);
    }
    putchar('\n');
}

int result_refusals_print(const char *command, const void *records, size_t record_size,
                          size_t count)
{
    char *lines = result_refusals(records, record_size, count);
    int status = lines != NULL ? EXIT_DONE : error_memory(command);
    if (lines != NULL && *lines != '\0')
        puts("\nNot predicted:");
    for (char *line = lines, *end; status == EXIT_DONE && *line != '\0'; line = end + 1) {
        end = line + strcspn(line, "\n");
        *end = '\0';
        char *shown = escape_copy(line);
        if (shown != NULL) {
            fputs("  ", stdout);
            paragraph_print(shown, 2, 4, paragraph_width());
        } else {
            status = error_memory(command);
        }
        free(shown);
    }
    free(lines);
    return status;
}

void result_interval_explain(const void *records, size_t record_size, size_t count,
                             const result_inputs *inputs)
{
    const clump_inputs_told *told = &inputs->told;
    double low, high;
    bool compared = false, some = false;
    size_t sets = SIZE_MAX, ambiguous = 0; /* the fewest by which a row is judged */
    for (size_t i = 0; i < count; i++) {
        const clump_result *r = (const clump_result *)((const char *)records + i * record_size);
        const bool has = result_interval(r, NAN, NAN, &low, &high);
        some = some || has;
        if (has && result_judged_sets(r) < sets)
            sets = result_judged_sets(r);
        compared = compared || (has && r->compared_with != NULL);
        ambiguous += r->explanations > 1;
    }
    if (ambiguous > 0) {
        putchar('\n');
        paragraph_say(
            "%zu row%s: the time measured on the other platform has more than one "
            "explanation, as with more computation fewer processors communicate at once, "
            "which is faster there. The ratio lies between the least ratio and the ratio.",
            ambiguous, ambiguous == 1 ? "" : "s");
    }
    if (!some)
        return;
    putchar('\n');
    const char *of = compared ? "ratios" : "slowdowns", *plural = told->count == 1 ? "" : "s";
    if (inputs->drawn) {
        paragraph_say("90%% interval: of measured %s, by uncertain inputs and the model's errors "
                      "in %zu data sets.",
                      of, sets);
        return;
    }
    const size_t known = told->limited ? 0 : told->count - told->missing;
    paragraph_say("90%% interval: of measured %s, by the model's errors in %zu data sets%s", of,
                  sets, known > 0 ? "" : ";");
    if (known > 0)
        paragraph_say("and by the interval%s of %zu input%s.", known == 1 ? "" : "s", known,
                      known == 1 ? "" : "s");
    else if (inputs->exact)
        paragraph_say("inputs are taken as exact (--inputs none).");
    else if (told->count == 0)
        paragraph_say("of the inputs no interval is known.");
    else if (told->limited)
        paragraph_say("with the interval%s of %zu input%s it would take too long (--inputs all).",
                      plural, told->count, plural);
    if (told->missing > 0)
        paragraph_say(
            "%zu uncertain input%s not in it: nothing can be predicted with %s elsewhere.",
            told->missing, told->missing > 1 ? "s are" : " is", told->missing > 1 ? "them" : "it");
}

int result_tables_print(const char *command, const clump_result *results, size_t count,
                        const result_inputs *inputs, bool details)
{
    int status = EXIT_DONE;
    size_t length;
    if (count == 0)
        puts("No results.");
    for (size_t first = 0; first < count && status == EXIT_DONE; first += length) {
        length = result_scenario_length(results + first, count - first);
        if (first > 0)
            putchar('\n');
        table_rows rows = result_rows(results + first, length);
        rows.details = details;
        status = table_print(&rows);
        if (status == EXIT_DONE)
            status = result_refusals_print(command, results + first, sizeof *results, length);
        if (status == EXIT_DONE)
            print_errors(results + first, length);
    }
    if (status == EXIT_DONE)
        result_interval_explain(results, sizeof *results, count, inputs);
    return status;
}

/* ---- networks */

static void make_recovery(const void *network, table_cell *cell)
{
    const clump_lossy_protocol *protocol =
        &((const clump_result_network *)network)->network.protocol;
    cell_text(cell, protocol->recovery == CLUMP_RECOVERY_NONE ? "none: nothing may be lost"
                    : protocol->recovery == CLUMP_RECOVERY_SELECTIVE
                        ? "the host sends again what is lost"
                    : protocol->on_host ? "the host sends again what is lost and all after it"
                                        : "the NIC sends again what is lost and all after it");
}

#define OF(member) FIELD(clump_result_network, member)

static const table_column network_columns[] = {
    {NULL, "Platform", OF(platform), .folding = FOLD_ALWAYS},
    {NULL, "Protocol", OF(protocol), .folding = FOLD_ALWAYS},
    {NULL, "Recovery", .make = make_recovery, .folding = FOLD_ALWAYS, .layout = COLUMN_LEFT},
    {NULL, "Packet B", NUMBER_EXACT, FOLD_ALWAYS, OF(network.protocol.packet_bytes)},
    {NULL, "Loss", OF(network.loss)},
    {NULL, "Window", OF(lossy.window), .folding = FOLD_ALWAYS},
    {NULL, "Timeout us", NUMBER_EXACT, FOLD_ALWAYS, OF(lossy.timeout_us)},
    {NULL, "Round trip us", OF(lossy.round_trip_us), .folding = FOLD_ALWAYS},
    {NULL, "Sent", OF(lossy.sent)},
    {NULL, "L us", OF(lossy.loggp.latency_us)},
    {NULL, "o_s us", OF(lossy.loggp.send_overhead_us)},
    {NULL, "o_r us", OF(lossy.loggp.receive_overhead_us)},
    {NULL, "g us", OF(lossy.loggp.gap_us)},
    {NULL, "G us/B", OF(lossy.loggp.gap_us_per_byte)},
};

enum { MOST = 100 }; /* more fill pages */

/* Different ones; MOST + 1 if there are more. */
static size_t find(const clump_result *results, size_t count,
                   const clump_result_network *networks[MOST])
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        size_t known = 0;
        while (known < found && networks[known] != results[i].network)
            known++;
        if (results[i].network == NULL || known < found)
            continue;
        if (found == MOST)
            return MOST + 1;
        networks[found++] = results[i].network;
    }
    return found;
}

int result_networks_print(const clump_result *results, size_t count)
{
    const clump_result_network *networks[MOST];
    const size_t found = find(results, count, networks);
    const table_rows rows = {COLUMNS(network_columns),
                             RECORD_POINTERS(networks, found > MOST ? MOST : found)};
    if (found == 0)
        return EXIT_DONE;
    putchar('\n');
    paragraph_say("LogGP parameters with what is lost, for streams: g of short messages, G of full "
                  "packets");
    const int status = table_print(&rows);
    if (found > MOST)
        printf("... and more: these are the first %d.\n", MOST);
    return status;
}
