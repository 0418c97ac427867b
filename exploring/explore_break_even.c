/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exploring/explore_break_even.h"

#include "cli/explore_options.h"
#include "cli/output/errors.h"
#include "model/root.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GRID = 1000, MOST_CROSSINGS = 32 };

/* A difference of two slowdowns this small is rounding. */
static const double noise = 2e-13;

typedef struct crossing {
    clump_result result; /* of the first side there */
    const char *below, *above;
    size_t case_index;
} crossing;

typedef struct found_crossings {
    crossing list[MOST_CROSSINGS];
    size_t count;
    bool equal; /* at every utilization */
} found_crossings;

typedef struct comparison {
    clump_explorer *explorer;
    clump_explorer_variable variable;
    bool against_now;
    clump_scenario *sides[2];
    size_t case_index;
    crossing *all;
    size_t count, room;
    size_t equal, none; /* configurations */
} comparison;

/* ---- one configuration */

typedef struct difference {
    const comparison *c;
    size_t configuration;
    clump_result *scratch;
    char message[1024];
    clump_scenario_status failed;
} difference;

static clump_scenario_status mean_slowdown(difference *d, const clump_scenario *side, double U,
                                           double *slowdown)
{
    const clump_scenario_change change = {0, U};
    const double *weights = clump_scenario_weights(side, d->configuration);
    const size_t count = clump_scenario_applications(side, d->configuration);
    const clump_scenario_status status = clump_scenario_compute(
        side, d->configuration, &change, d->scratch, d->message, sizeof d->message);
    *slowdown = 0;
    for (size_t a = 0; a < count && status == CLUMP_SCENARIO_OK; a++)
        *slowdown += weights[a] * d->scratch[a].slowdown;
    return status;
}

/* X of the first minus X of the second, or minus 1. */
static clump_status difference_at(double U, double *value, void *context, clump_error *error)
{
    difference *d = context;
    double first, second = 1;
    d->failed = mean_slowdown(d, d->c->sides[0], U, &first);
    if (d->failed == CLUMP_SCENARIO_OK && !d->c->against_now)
        d->failed = mean_slowdown(d, d->c->sides[1], U, &second);
    if (d->failed != CLUMP_SCENARIO_OK)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "the scenario");
    *value = first - second;
    return CLUMP_OK;
}

static const char *faster(const comparison *c, double by)
{
    if (c->against_now)
        return by < 0 ? "Clump" : "NOW";
    return c->variable.values[by < 0 ? 0 : 1];
}

static clump_status add_crossing(difference *d, double a, double b, double at_a,
                                 found_crossings *found)
{
    double U, first;
    clump_error error;
    if (found->count == MOST_CROSSINGS)
        return CLUMP_OK;
    const clump_status status = clump_root_find(difference_at, d, a, b, 1e-14, &U, &error);
    if (status != CLUMP_OK)
        return status;
    d->failed = mean_slowdown(d, d->c->sides[0], U, &first);
    if (d->failed != CLUMP_SCENARIO_OK)
        return CLUMP_BAD_ARGUMENT;
    crossing *k = &found->list[found->count++];
    *k = (crossing){.result = d->scratch[0], .case_index = d->c->case_index};
    k->result.slowdown = first;
    k->result.utilization = U;
    k->below = faster(d->c, at_a);
    k->above = faster(d->c, -at_a);
    if (clump_scenario_applications(d->c->sides[0], d->configuration) > 1)
        k->result.application = "mix";
    return CLUMP_OK;
}

/* Three points of one sign, the middle one nearest to 0: does the difference cross twice between?
 */
static clump_status look_between(difference *d, double low, double high, double at_low,
                                 found_crossings *found)
{
    static const double golden = 0.3819660112501051;
    const double side = at_low < 0 ? -1 : 1;
    double x = low + golden * (high - low), a = low, b = high, fx = 0;
    clump_status status = difference_at(x, &fx, d, NULL);
    for (int i = 0; i < 60 && status == CLUMP_OK && side * fx > 0; i++) {
        const double y = x - a > b - x ? x - golden * (x - a) : x + golden * (b - x);
        double fy = 0;
        status = difference_at(y, &fy, d, NULL);
        if (side * fy < side * fx) {
            if (y < x)
                b = x;
            else
                a = x;
            x = y;
            fx = fy;
        } else if (y < x) {
            a = y;
        } else {
            b = y;
        }
    }
    if (status != CLUMP_OK || side * fx >= -noise)
        return status;
    status = add_crossing(d, low, x, at_low, found);
    return status == CLUMP_OK ? add_crossing(d, x, high, fx, found) : status;
}

/* All crossings on a grid; a sign that is only rounding is none. */
static clump_status find_crossings(difference *d, found_crossings *found)
{
    double at = 0, sign_at = 0, value_at = 0, before[2] = {0, 0};
    clump_status status = CLUMP_OK;
    for (int i = 0; i <= GRID && status == CLUMP_OK; i++) {
        double value = 0;
        at = i < GRID ? (double)i / GRID : 1;
        status = difference_at(at, &value, d, NULL);
        if (status != CLUMP_OK || fabs(value) <= noise)
            continue;
        if (value_at * value < 0)
            status = add_crossing(d, sign_at, at, value_at, found);
        else if (i >= 2 && before[0] * value > 0 && before[1] * value > 0 &&
                 fabs(before[1]) < fabs(before[0]) && fabs(before[1]) < fabs(value))
            status = look_between(d, (i - 2.0) / GRID, at, before[0], found);
        before[0] = before[1];
        before[1] = value;
        sign_at = at;
        value_at = value;
    }
    found->equal = value_at == 0;
    return status;
}

/* ---- all of them */

static bool add_all(comparison *c, const found_crossings *found)
{
    c->equal += found->equal;
    c->none += found->count == 0 && !found->equal;
    if (found->count == 0)
        return true;
    if (c->count + found->count > c->room) {
        const size_t room = 2 * c->room + MOST_CROSSINGS;
        crossing *all = realloc(c->all, room * sizeof *all);
        if (all == NULL)
            return false;
        c->all = all;
        c->room = room;
    }
    memcpy(c->all + c->count, found->list, found->count * sizeof *found->list);
    c->count += found->count;
    return true;
}

static int compare_case(comparison *c)
{
    const clump_explorer *e = c->explorer;
    const size_t count = clump_scenario_configurations(c->sides[0]);
    found_crossings *found = calloc(count, sizeof *found);
    clump_scenario_status failed = CLUMP_SCENARIO_OK;
    char message[1024] = "";
    if (found == NULL)
        return error_memory(e->invocation->arguments.command);
    if (!c->against_now && clump_scenario_configurations(c->sides[1]) != count) {
        free(found);
        return error_input(e->invocation->arguments.command,
                           "--break-even: found %zu configurations on one side and %zu "
                           "on the other, expected as many",
                           count, clump_scenario_configurations(c->sides[1]));
    }
#pragma omp parallel for schedule(dynamic, 1) num_threads(e->threads)
    for (size_t i = 0; i < count; i++) {
        const size_t room = clump_scenario_most_applications(c->sides[0]) +
                            (c->against_now ? 0 : clump_scenario_most_applications(c->sides[1]));
        difference d = {.c = c, .configuration = i, .scratch = calloc(room, sizeof *d.scratch)};
        clump_status status = CLUMP_NO_MEMORY;
        if (d.scratch != NULL)
            status = find_crossings(&d, &found[i]);
        if (status != CLUMP_OK) {
#pragma omp critical(clump_break_even)
            {
                failed = d.failed != CLUMP_SCENARIO_OK ? d.failed : CLUMP_SCENARIO_FAILED;
                snprintf(message, sizeof message, "%s",
                         d.failed != CLUMP_SCENARIO_OK ? d.message : "no crossing could be found");
            }
        }
        free(d.scratch);
    }
    int status =
        failed != CLUMP_SCENARIO_OK ? clump_explorer_explain(e, failed, message) : EXIT_DONE;
    for (size_t i = 0; i < count && status == EXIT_DONE; i++)
        if (!add_all(c, &found[i]))
            status = error_memory(e->invocation->arguments.command);
    free(found);
    return status;
}

/* Both sides of a case. The compared variable is the last sweep, with one value at a time. */
static int prepare_sides(comparison *c)
{
    static const char *const middle[] = {"0.5"};
    static const clump_scenario_override utilization = {"utilization", middle, 1};
    clump_explorer *e = c->explorer;
    char message[2048];
    for (size_t side = 0; side < (c->against_now ? 1u : 2u); side++) {
        if (!c->against_now) {
            e->sweeps[e->sweep_count] = c->variable;
            e->sweeps[e->sweep_count].values += side;
            e->sweeps[e->sweep_count].count = 1;
            e->sweep_count++;
        }
        const clump_scenario_status found = clump_explorer_prepare(
            e, c->case_index, NULL, &utilization, 1, &c->sides[side], message, sizeof message);
        if (!c->against_now)
            e->sweep_count--;
        if (found != CLUMP_SCENARIO_OK)
            return clump_explorer_explain(e, found, message);
    }
    return EXIT_DONE;
}

/* ---- output */

enum {
    SCENARIO,
    APPLICATION,
    PLATFORM,
    PROCESSORS,
    NICS,
    MAPPING,
    DEMAND,
    UTILIZATION,
    SLOWDOWN,
    BELOW,
    ABOVE,
    COLUMN_COUNT
};

static const table_column columns[COLUMN_COUNT] = {
    [SCENARIO] = {"scenario", "Scenario", 0, FOLD_ALWAYS, COLUMN_PROSE},
    [APPLICATION] = {"application", "Application", 0, FOLD_ALWAYS, COLUMN_LEFT},
    [PLATFORM] = {"platform", "Platform", 0, FOLD_ALWAYS, COLUMN_LEFT},
    [PROCESSORS] = {"processors", "Processors", 0, FOLD_ROWS, COLUMN_RIGHT},
    [NICS] = {"nics", "NICs", 0, FOLD_ROWS, COLUMN_RIGHT},
    [MAPPING] = {"mapping", "Mapping", 0, FOLD_ALWAYS, COLUMN_LEFT},
    [DEMAND] = {"demand", "Demand", 0, FOLD_ALWAYS, COLUMN_LEFT},
    [UTILIZATION] = {"utilization", "Break-even U", NUMBER_EXACT, FOLD_NEVER, COLUMN_RIGHT},
    [SLOWDOWN] = {"slowdown", "Slowdown", NUMBER_RATIO, FOLD_NEVER, COLUMN_RIGHT},
    [BELOW] = {"faster_below", "Faster below", 0, FOLD_NEVER, COLUMN_LEFT},
    [ABOVE] = {"faster_above", "Faster above", 0, FOLD_NEVER, COLUMN_LEFT},
};

static bool is_compared(const comparison *c, const char *key)
{
    return !c->against_now && c->variable.field != NULL && strcmp(c->variable.field, key) == 0;
}

static void set_cell(const void *context, size_t row, size_t column, table_cell *cell)
{
    const comparison *c = context;
    const crossing *k = &c->all[row];
    const clump_result *r = &k->result;
    const char *texts[COLUMN_COUNT] = {
        [SCENARIO] = r->scenario, [APPLICATION] = r->application,
        [PLATFORM] = r->platform, [MAPPING] = clump_mapping_name(r->mapping),
        [BELOW] = k->below,       [ABOVE] = k->above};
    if (is_compared(c, columns[column].key))
        return; /* each side has its own */
    switch (column) {
    case PROCESSORS:
        cell_size(cell, r->processors);
        break;
    case NICS:
        cell_size(cell, r->nics);
        break;
    case UTILIZATION:
        cell_real(cell, r->utilization);
        break;
    case SLOWDOWN:
        cell_real(cell, r->slowdown);
        break;
    case DEMAND:
        clump_demand_name(r->demand, r->gang_size, cell->buffer);
        cell_text(cell, cell->buffer);
        break;
    default:
        cell_text(cell, texts[column]);
    }
}

static int print(const comparison *c)
{
    const output_format format = c->explorer->invocation->format;
    output_field fields[2] = {{.key = "without_crossing"}, {.key = "equal"}};
    cell_size(&fields[0].value, c->none);
    cell_size(&fields[1].value, c->equal);
    const table_rows rows = {.key = "crossings",
                             .columns = columns,
                             .column_count = COLUMN_COUNT,
                             .row_count = c->count,
                             .cell = set_cell,
                             .context = c};
    int status = EXIT_DONE;
    if (c->count > 0 || format != FORMAT_TABLE)
        status = output_print(format, &rows, fields, 2);
    if (status != EXIT_DONE || format != FORMAT_TABLE)
        return status;
    if (c->none > 0)
        printf("%s%zu configuration%s without a crossing: one side is the faster one at every "
               "utilization.\n",
               c->count > 0 ? "\n" : "", c->none, c->none == 1 ? "" : "s");
    if (c->equal > 0)
        printf("%s%zu configuration%s equally fast at every utilization.\n",
               c->count + c->none > 0 ? "\n" : "", c->equal, c->equal == 1 ? "" : "s");
    return status;
}

int clump_break_even(clump_explorer *e)
{
    const command_line *arguments = &e->invocation->arguments;
    const char *text = option_value(arguments, EXPLORE_BREAK_EVEN);
    comparison c = {.explorer = e, .against_now = strcmp(text, "now") == 0};
    int status = EXIT_DONE;
    if (!c.against_now) {
        status = clump_explorer_variable_read(arguments, EXPLORE_BREAK_EVEN, text, &c.variable);
        if (status == EXIT_DONE && c.variable.count != 2)
            status = option_refuse(arguments, EXPLORE_BREAK_EVEN, text,
                                   "two to compare, NAME=A,B, or now");
        if (status == EXIT_DONE)
            status = clump_explorer_look_up(e, "break-even", &c.variable);
    }
    /* The scenarios of all cases stay: their texts are in the rows. */
    clump_scenario **kept = calloc(2 * e->cases, sizeof *kept);
    if (status == EXIT_DONE && kept == NULL)
        status = error_memory(arguments->command);
    for (; c.case_index < e->cases && status == EXIT_DONE; c.case_index++) {
        c.sides[0] = c.sides[1] = NULL;
        status = prepare_sides(&c);
        kept[2 * c.case_index] = c.sides[0];
        kept[2 * c.case_index + 1] = c.sides[1];
        if (status == EXIT_DONE)
            status = compare_case(&c);
    }
    if (status == EXIT_DONE)
        status = print(&c);
    for (size_t i = 0; kept != NULL && i < 2 * e->cases; i++)
        clump_scenario_free(kept[i]);
    free(kept);
    free(c.all);
    clump_explorer_variable_free(&c.variable);
    return status;
}
