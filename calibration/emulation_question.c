/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "calibration/emulation_question.h"

#include "calibration/emulation/emulation.h"
#include "cli/options/numbers.h"
#include "cli/output/errors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- words */

/* One of two words; true: the second. */
static int read_choice(const command_line *a, size_t option, const char *first, const char *second,
                       bool *is_second)
{
    char expected[60];
    const char *found = option_value(a, option);
    if (found == NULL)
        return EXIT_DONE;
    *is_second = strcmp(found, second) == 0;
    if (*is_second || strcmp(found, first) == 0)
        return EXIT_DONE;
    snprintf(expected, sizeof expected, "%s or %s", first, second);
    return option_refuse(a, option, found, expected);
}

static int read_distribution(const command_line *a, size_t option, clump_service_time *time)
{
    const char *found = option_value(a, option);
    if (found == NULL || clump_service_time_parse(found, time))
        return EXIT_DONE;
    return option_refuse(a, option, found,
                         "exponential, constant, erlang:K with K stages, or "
                         "hyperexponential:C with the squared coefficient of variation");
}

static int read_demands(const command_line *a, bool wanted[2])
{
    const char *found = option_value(a, EMULATION_DEMAND);
    const bool grid = option_given(a, CLUMP_EMULATION_GRID);
    const bool both = found != NULL ? strcmp(found, "both") == 0 : grid;
    wanted[0] = both || found == NULL || strcmp(found, "independent") == 0;
    wanted[1] = both || (found != NULL && strcmp(found, "correlated") == 0);
    if (wanted[0] || wanted[1])
        return EXIT_DONE;
    return option_refuse(a, EMULATION_DEMAND, found, "independent, correlated or both");
}

/* ---- which Clumps */

enum { MOST_VALUES = 64, MOST_POINTS = 1024 };

typedef struct values {
    double numbers[MOST_VALUES];
    size_t count;
} values;

static int read_values(const command_line *a, size_t option, const number_range *range, bool whole,
                       const values *usual, values *found)
{
    double *list = NULL;
    size_t count = 0;
    *found = *usual;
    int status = option_real_list(a, option, range, &list, &count);
    if (status == EXIT_DONE && count > MOST_VALUES)
        status = option_refuse(a, option, option_value(a, option), "a list of at most 64");
    for (size_t i = 0; i < count && status == EXIT_DONE; i++) {
        if (whole && list[i] != floor(list[i]))
            status = option_refuse(a, option, option_value(a, option), range->expected);
        found->numbers[i] = list[i];
        found->count = count;
    }
    free(list);
    return status;
}

static void add_point(clump_emulation_question *q, double processors, double nics,
                      double utilization, bool correlated)
{
    q->points[q->count++] = (clump_emulation_point){
        .processors = (unsigned)processors,
        .nics = (unsigned)nics,
        .utilization = utilization,
        .demand = correlated ? CLUMP_DEMAND_CORRELATED : CLUMP_DEMAND_INDEPENDENT};
}

/* Shapes of the grid: those between which somebody who buys NICs decides. */
static const unsigned shapes[][2] = {{2, 1}, {4, 1}, {4, 2}, {6, 3}, {8, 2}, {8, 4}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static int read_points(const command_line *a, clump_emulation_question *q)
{
    static const number_range few = {
        .least = 1, .most = 16, .expected = "whole numbers from 1 to 16"};
    static const number_range share = {
        .least = 0.01, .most = 0.99, .expected = "numbers from 0.01 to 0.99"};
    static const values four = {{4}, 1}, two = {{2}, 1}, half = {{0.5}, 1},
                        grid_shares = {{0.1, 0.5, 0.9}, 3};
    const bool grid = option_given(a, CLUMP_EMULATION_GRID);
    const bool shaped =
        grid && !option_given(a, EMULATION_PROCESSORS) && !option_given(a, EMULATION_NICS);
    values processors, nics, utilizations;
    bool demands[2];
    int status = read_values(a, EMULATION_PROCESSORS, &few, true, &four, &processors);
    if (status == EXIT_DONE)
        status = read_values(a, EMULATION_NICS, &few, true, &two, &nics);
    if (status == EXIT_DONE)
        status = read_values(a, EMULATION_UTILIZATION, &share, false, grid ? &grid_shares : &half,
                             &utilizations);
    if (status == EXIT_DONE)
        status = read_demands(a, demands);
    if (status != EXIT_DONE)
        return status;
    const size_t pairs = shaped ? SHAPES : processors.count * nics.count;
    if (2 * pairs * utilizations.count > MOST_POINTS)
        return error_usage(a->command, "found %zu combinations, expected at most %d",
                           2 * pairs * utilizations.count, (int)MOST_POINTS);
    q->points = malloc(2 * pairs * utilizations.count * sizeof *q->points);
    if (q->points == NULL)
        return error_memory(a->command);
    for (int d = 0; d < 2; d++)
        for (size_t pair = 0; pair < pairs && demands[d]; pair++)
            for (size_t u = 0; u < utilizations.count; u++)
                add_point(q, shaped ? shapes[pair][0] : processors.numbers[pair / nics.count],
                          shaped ? shapes[pair][1] : nics.numbers[pair % nics.count],
                          utilizations.numbers[u], d == 1);
    return EXIT_DONE;
}

/* One Clump of processors that differ. */
static int read_mix(const command_line *a, clump_emulation_question *q)
{
    static const number_range share = {
        .least = 0.01, .most = 0.99, .expected = "numbers from 0.01 to 0.99, one a processor"};
    static const size_t others[] = {EMULATION_PROCESSORS, EMULATION_UTILIZATION, EMULATION_DEMAND,
                                    CLUMP_EMULATION_GRID};
    const values none = {{0}, 0};
    const values one = {{1}, 1};
    static const number_range few = {
        .least = 1, .most = 16, .expected = "one whole number from 1 to 16 with --mix"};
    values shares, nics;
    double sum = 0;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (option_given(a, others[i]))
            return error_usage(a->command, "found --mix and --%s, expected one of them",
                               emulation_options[others[i]].name);
    int status = read_values(a, CLUMP_EMULATION_MIX, &share, false, &none, &shares);
    if (status == EXIT_DONE)
        status = read_values(a, EMULATION_NICS, &few, true, &one, &nics);
    if (status == EXIT_DONE && nics.count > 1)
        status = option_refuse(a, EMULATION_NICS, option_value(a, EMULATION_NICS), few.expected);
    if (status == EXIT_DONE && shares.count > CLUMP_EMULATION_MOST_PROCESSORS)
        status = option_refuse(a, CLUMP_EMULATION_MIX, option_value(a, CLUMP_EMULATION_MIX),
                               "utilizations of at most 16 processors");
    if (status != EXIT_DONE)
        return status;
    q->points = malloc(sizeof *q->points);
    if (q->points == NULL)
        return error_memory(a->command);
    for (q->mix_count = 0; q->mix_count < shares.count; q->mix_count++)
        sum += q->mix[q->mix_count] = shares.numbers[q->mix_count];
    add_point(q, (double)shares.count, nics.numbers[0], sum / (double)shares.count, false);
    return EXIT_DONE;
}

/* ---- all of it */

static int read_numbers(const command_line *a, clump_emulation_question *q)
{
    static const number_range
        messages = {.least = 1, .most = 1000, .expected = "milliseconds from 1 to 1000"},
        rates = {.least = 1, .most = 1000, .expected = "megabits a second from 1 to 1000"},
        times = {.least = 0.1, .most = 3600, .expected = "seconds from 0.1 to 3600"};
    double message_ms = 20;
    q->rate_mbit = 50;
    q->seconds = 5;
    q->seed = 1;
    int status = option_real(a, EMULATION_MESSAGE, &messages, &message_ms);
    if (status == EXIT_DONE)
        status = option_real(a, EMULATION_RATE, &rates, &q->rate_mbit);
    if (status == EXIT_DONE)
        status = option_real(a, EMULATION_TIME, &times, &q->seconds);
    if (status == EXIT_DONE)
        status = option_whole(a, EMULATION_CYCLES, 22, CLUMP_EMULATION_MOST_CYCLES,
                              "a whole number from 22 to 1000000", &q->cycles);
    if (status == EXIT_DONE)
        status = option_whole(a, EMULATION_SEED, 0, UINT64_MAX, "a whole number", &q->seed);
    if (status == EXIT_DONE && option_given(a, EMULATION_CYCLES) && option_given(a, EMULATION_TIME))
        status = error_usage(a->command, "found --time and --cycles, expected one of them");
    q->message_us = 1000 * message_ms;
    return status;
}

int clump_emulation_question_read(const command_line *a, clump_emulation_question *q)
{
    bool is_static = false, normal = false;
    *q = (clump_emulation_question){.platform = option_value(a, EMULATION_PLATFORM)};
    int status = read_choice(a, EMULATION_MAPPING, "pooled", "static", &is_static);
    if (status == EXIT_DONE)
        status = read_choice(a, EMULATION_QUEUE, "fair", "fifo", &q->fifo);
    if (status == EXIT_DONE)
        status = read_choice(a, EMULATION_COMPUTE, "sleep", "spin", &q->spin);
    if (status == EXIT_DONE)
        status = read_choice(a, EMULATION_PRIORITY, "real-time", "normal", &normal);
    if (status == EXIT_DONE)
        status = read_distribution(a, EMULATION_COMPUTATION, &q->computation);
    if (status == EXIT_DONE)
        status = read_distribution(a, EMULATION_COMMUNICATION, &q->communication);
    if (status == EXIT_DONE)
        status = read_numbers(a, q);
    if (status == EXIT_DONE)
        status = plot_request_read(a, EMULATION_PLOT, EMULATION_PLOT_SCRIPT, &q->plot);
    if (status == EXIT_DONE)
        status = plot_request_try(&q->plot);
    if (status == EXIT_DONE && q->spin && !normal && option_given(a, EMULATION_PRIORITY))
        status = error_usage(a->command,
                             "found --priority real-time and --compute spin, expected one of them: "
                             "nothing else on the machine would run");
    if (status == EXIT_DONE)
        status = option_given(a, CLUMP_EMULATION_MIX) ? read_mix(a, q) : read_points(a, q);
    q->mapping = is_static ? CLUMP_MAPPING_STATIC : CLUMP_MAPPING_POOLED;
    q->real_time = !normal && !q->spin;
    return status;
}

void clump_emulation_question_free(clump_emulation_question *question)
{
    free(question->points);
    question->points = NULL;
}

void clump_emulation_question_show(const command_line *a, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "clumpmodel calibrate clump");
    for (size_t i = 0; i < a->given_count && used < size; i++) {
        const given_option *given = &a->given[i];
        if (given->option == EMULATION_PLATFORM || given->option == EMULATION_PLOT ||
            given->option == EMULATION_PLOT_SCRIPT)
            continue;
        used += (size_t)snprintf(text + used, size - used, " --%s%s%.100s",
                                 emulation_options[given->option].name,
                                 given->value[0] != '\0' ? " " : "", given->value);
    }
}

const char *clump_emulation_point_name(const clump_emulation_point *point,
                                       char name[CLUMP_EMULATION_POINT_NAME])
{
    snprintf(name, CLUMP_EMULATION_POINT_NAME, "P=%u N=%u U=%.6g %s", point->processors,
             point->nics, point->utilization, clump_demand_kind_name(point->demand));
    return name;
}
