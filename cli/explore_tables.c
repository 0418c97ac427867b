/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/explore_command.h"

#include "cli/options/options.h"
#include "cli/output/errors.h"
#include "cli/output/paragraph.h"
#include "cli/output/results.h"
#include "data/suggest.h"
#include "model/limit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A row begins with its result. */
_Static_assert(offsetof(clump_explore_row, result) == 0, "the fields of results are those of rows");

/* A field of results, in all rows whether they have it or not. */
static table_column result_field(const char *key)
{
    table_column column = *result_column(key);
    if (column.wanted != NULL)
        column.applies = column.wanted;
    column.wanted = NULL;
    return column;
}

static table_column demand_column(void)
{
    table_column column = result_field("demand");
    column.heading = "Demand";
    column.folding = FOLD_ALWAYS;
    return column;
}

/* ---- columns of rows */

static bool differs(double value, double neutral)
{
    return isfinite(value) && fabs(value - neutral) > 1e-9;
}

static bool has_worst(const void *row)
{
    const clump_explore_row *r = row;
    return differs(r->worst, clump_result_relative_time(&r->result));
}

static bool has_draws(const void *row)
{
    return ((const clump_explore_row *)row)->explorer->settings.draws > 0;
}

static bool has_percentile(const void *row)
{
    return has_draws(row) &&
           differs(((const clump_explore_row *)row)->explorer->settings.percentile, 95);
}

static bool has_price(const void *row)
{
    return isfinite(((const clump_explore_row *)row)->price);
}

static bool has_refused_draws(const void *row)
{
    return ((const clump_explore_row *)row)->refused_draws > 0;
}

static bool has_limit(const void *row)
{
    return ((const clump_explore_row *)row)->explorer->settings.limit > 0;
}

/* What the row is judged by: the slowdown, of the slowest where the program waits for it, or the ratio. */
static void make_relative_time(const void *row, table_cell *cell)
{
    cell_real(cell, clump_result_relative_time(row));
}

static bool find_interval(const void *row, double *low, double *high)
{
    const clump_explore_row *r = row;
    return result_interval(&r->result, NAN, NAN, low, high);
}

static void make_low(const void *row, table_cell *cell)
{
    double low, high;
    if (find_interval(row, &low, &high))
        cell_real(cell, low);
}

static void make_high(const void *row, table_cell *cell)
{
    double low, high;
    if (find_interval(row, &low, &high))
        cell_real(cell, high);
}

static void make_interval(const void *row, table_cell *cell)
{
    double low, high;
    if (find_interval(row, &low, &high))
        cell_print(cell, "%.2f to %.2f", low, high);
}

#define OF(member) FIELD(clump_explore_row, member)

/* Those of a sweep in their order; a key alone is a field of the result. */
static const table_column fixed[] = {
    {.key = "scenario"},
    {.key = "application"},
    {.key = "platform"},
    {.key = "processors"},
    {.key = "nics"},
    {.key = "mapping"},
    {.key = "demand"},
    {.key = "utilization"},
    {.key = "max_nics_per_processor"},
    {.key = "remote_fraction"},
    {.key = "cost_ratio"},
    {.key = "memory_penalty"},
    {.key = "memory_law"},
    {.key = "memory_share"},
    {.key = "memory_feeds"},
    {.key = "memory_utilization"},
    {.key = "waiting_fraction"},
    {.key = "phase_cycles"},
    {.key = "protocol"},
    {.key = "loss"},
    {.key = "loss_factor"},
    {.key = "nic_utilization"},
    {.key = "slowdown"},
    {.key = "slowest_slowdown"},
    {.key = "paced_by"},
    {.key = "lower_bound"},
    {.key = "upper_bound"},
    {"worst_slowdown", "Worst", NUMBER_RATIO, OF(worst), .worth = has_worst, .symbol = "worst"},
    {"worst_application", "of", OF(worst_application), .worth = has_worst},
    {"median", "Median", NUMBER_RATIO, OF(median), .worth = has_draws},
    {"low", "5%", NUMBER_RATIO, OF(low), .worth = has_draws},
    {"high", "95%", NUMBER_RATIO, OF(high), .worth = has_draws},
    {"percentile", "Percentile", NUMBER_RATIO, OF(at_percentile), .worth = has_percentile},
    {.key = "compared_with"},
    {.key = "communication_ratio"},
    {.key = "compared_slowdown"},
    {.key = "ratio"},
    {"pace", NULL, .type = FIELD_REAL, .make = make_relative_time},
    {"interval_low", NULL, .type = FIELD_REAL, .make = make_low},
    {"interval_high", NULL, .type = FIELD_REAL, .make = make_high},
    {.key = "interval_of"},
    {.key = "input_low"},
    {.key = "input_high"},
    {.key = "", .heading = "90% interval", .make = make_interval},
    {.key = "now_time_s"},
    {.key = "predicted_time_s"},
    {.key = "compared_time_s"},
    {"price", "Price", NUMBER_EXACT, OF(price), .worth = has_price, .symbol = "cost"},
    {"price_per_now_machine", "Per NOW machine", OF(work_price), .worth = has_price},
    {"least_nics", "Least NICs", OF(least_nics), .positive = true, .worth = has_limit,
     .symbol = "min_nics"},
    {"least_nics_real", NULL, OF(least_real)},
    {"refused_draws", "Refused", OF(refused_draws), .positive = true, .worth = has_refused_draws},
    {.key = "refused"},
    {"pareto", "Pareto", OF(pareto)},
};

enum {
    FIXED = sizeof fixed / sizeof *fixed,
    VARIABLES_AT = 1 /* swept variables stand before what follows from them */
};

/* Sweeps are looked at in other ways than lists of scenarios. */
static table_column fixed_column(size_t i)
{
    const char *key = fixed[i].key;
    if (*key == '\0') { /* only in tables */
        table_column shown = fixed[i];
        shown.key = NULL;
        return shown;
    }
    if (fixed[i].type != FIELD_MADE)
        return fixed[i];
    if (strcmp(key, "demand") == 0)
        return demand_column();
    table_column column = result_field(key);
    if (strcmp(key, "nics") == 0 || strcmp(key, "nic_utilization") == 0)
        column.folding = FOLD_NEVER;
    if (strcmp(key, "cost_ratio") == 0 || strcmp(key, "waiting_fraction") == 0)
        column.layout = COLUMN_DETAIL;
    return column;
}

/* The value of sweep number `offset`. */
static void make_variable(const table_column *column, const void *record, table_cell *cell)
{
    const clump_explore_row *row = record;
    const char *text = clump_explorer_value(row->explorer, column->offset, row->case_index);
    double number;
    if (real_parse(text, &number))
        cell_real(cell, number);
    else
        cell_text(cell, text);
}

static bool is_fixed(const char *key)
{
    bool found = false;
    for (size_t i = 0; i < FIXED; i++)
        found |= strcmp(fixed[i].key, key) == 0;
    return found;
}

bool explore_columns_make(const clump_explorer *explorer, explore_columns *c)
{
    const clump_explore_settings *s = &explorer->settings;
    const table_rows all = result_rows(NULL, 0);
    const size_t most = FIXED + s->sweep_count + all.column_count;
    *c = (explore_columns){.list = calloc(most, sizeof *c->list), .explorer = explorer};
    for (size_t i = 0; i < FIXED && c->list != NULL; i++) {
        for (size_t k = 0; i == VARIABLES_AT && k < s->sweep_count; k++) {
            const clump_explore_variable *sweep = &s->sweeps[k];
            table_column column = {.offset = k, .layout = COLUMN_RIGHT, .make_with = make_variable};
            if (!is_fixed(sweep->name)) /* a field of the same name would be a second key */
                column.key = column.heading = sweep->name;
            column.symbol = sweep->name;
            if (!sweep->is_field)
                c->list[c->count++] = column;
        }
        c->list[c->count++] = fixed_column(i);
    }
    c->known = c->count;
    for (size_t i = 0; i < all.column_count && c->list != NULL; i++) {
        const table_column *column = &all.columns[i];
        if (column->key != NULL && column->wanted == NULL && !is_fixed(column->key))
            c->list[c->known++] = *column;
    }
    return c->list != NULL;
}

void explore_columns_release(explore_columns *c)
{
    free(c->list);
}

table_rows explore_rows(const explore_columns *columns, const clump_explore_row *rows, size_t count)
{
    return (table_rows){.key = "results",
                        .columns = columns->list,
                        .column_count = columns->count,
                        RECORDS(rows, count)};
}

/* ---- columns in conditions */

static bool is_variable(const table_column *column)
{
    return column->make_with == make_variable;
}

/* Variables come first, then keys, then symbols. */
static int find_column(const char *name, const void *context)
{
    const explore_columns *c = context;
    for (int round = 0; round < 3; round++)
        for (size_t i = 0; i < c->known; i++) {
            const table_column *column = &c->list[i];
            const char *called = round == 1 ? column->key : column->symbol;
            if ((round > 0 || is_variable(column)) && called != NULL && strcmp(called, name) == 0)
                return (int)i;
        }
    return -1;
}

/* Columns that are shown come first, others after them. */
static const char *similar_column(const char *name, const void *context)
{
    const explore_columns *c = context;
    clump_suggestion shown = clump_suggest_start(CLUMP_SUGGEST_WORD, name), other = shown;
    for (size_t i = 0; i < c->known; i++) {
        const table_column *column = &c->list[i];
        const char *called = is_variable(column) ? column->symbol : column->key;
        if (called != NULL)
            clump_suggest_offer(i < c->count && !is_variable(column) ? &shown : &other, called);
    }
    const clump_suggestion *best = shown.count > 0 ? &shown : &other;
    if (best->count == 0)
        return NULL;
    const table_column *found = &c->list[find_column(best->similar[0].name, c)];
    return is_variable(found) ? found->symbol : found->key;
}

static clump_formula_value column_value(int number, const void *row, const void *context)
{
    static _Thread_local char gang[sizeof(((table_cell *)0)->buffer)]; /* the only text made here */
    const table_column *column = &((const explore_columns *)context)->list[number];
    table_cell cell;
    double real;
    if (column_read_real(column, row, &real))
        return (clump_formula_value){real, NULL};
    column_read(column, row, &cell);
    switch (cell.kind) {
    case CELL_TEXT:
        return (clump_formula_value){NAN, cell.text == cell.buffer ? strcpy(gang, cell.text)
                                                                   : cell.text};
    case CELL_REAL:
        return (clump_formula_value){cell.real, NULL};
    case CELL_WHOLE:
    case CELL_TRUTH:
        return (clump_formula_value){(double)cell.whole, NULL};
    default:
        return (clump_formula_value){NAN, NULL};
    }
}

static double row_accuracy(const void *row, const void *context)
{
    const clump_result *r = &((const clump_explore_row *)row)->result;
    (void)context;
    return clump_slowdown_accuracy(r->processors, r->phase_cycles);
}

clump_formula_columns explore_conditions(const explore_columns *columns)
{
    return (clump_formula_columns){find_column, similar_column, column_value, columns,
                                   row_accuracy};
}

/* ---- break-evens, and what the slowdown hangs on: both begin with what tells rows apart */

static const char *const configuration[] = {"scenario", "application", "platform", "processors",
                                            "nics",     "mapping",     "demand"};

enum { CONFIGURATION = sizeof configuration / sizeof *configuration, MOST_COLUMNS = 24 };

/* Those columns of the result that `of` finds, then `count` others; returns how many. */
static size_t add_columns(table_column list[MOST_COLUMNS], const void *(*of)(const void *record),
                          const table_column *others, size_t count)
{
    for (size_t i = 0; i < CONFIGURATION; i++) {
        list[i] = strcmp(configuration[i], "demand") == 0 ? demand_column()
                                                          : result_field(configuration[i]);
        list[i].of = of;
    }
    memcpy(list + CONFIGURATION, others, count * sizeof *others);
    return CONFIGURATION + count;
}

static const table_column crossing_columns[] = {
    {"utilization", "Break-even U", NUMBER_EXACT,
     FIELD(clump_break_even_point, result.utilization)},
    {"slowdown", "Slowdown", NUMBER_RATIO, FIELD(clump_break_even_point, result.slowdown)},
    {"ratio", "Ratio", NUMBER_RATIO, FIELD(clump_break_even_point, result.ratio)},
    {"faster_below", "Faster below", FIELD(clump_break_even_point, below)},
    {"faster_above", "Faster above", FIELD(clump_break_even_point, above)},
};

int explore_print_break_even(output_format format, const clump_break_even *answer,
                             const clump_explore_variable *compared)
{
    table_column columns[MOST_COLUMNS];
    const size_t count = add_columns(columns, NULL, crossing_columns,
                                     sizeof crossing_columns / sizeof *crossing_columns);
    for (size_t i = 0; i < count && compared != NULL && compared->field != NULL; i++)
        if (strcmp(columns[i].key, compared->field) == 0) /* each side has its own */
            columns[i] = (table_column){.key = columns[i].key, .heading = columns[i].heading};
    const output_field fields_beside[] = {field_size("without_crossing", answer->none),
                                          field_size("equal", answer->equal),
                                          field_text("incomplete", "interrupted")};
    const table_rows rows = {.key = "crossings",
                             .columns = columns,
                             .column_count = count,
                             RECORDS(answer->points, answer->count)};
    int status = EXIT_DONE;
    if (answer->count > 0 || format != FORMAT_TABLE)
        status =
            output_print(format, &rows, fields_beside, answer->complete < answer->expected ? 3 : 2);
    if (status != EXIT_DONE || format != FORMAT_TABLE)
        return status;
    if (answer->none > 0 && answer->count > 0)
        putchar('\n');
    if (answer->none > 0)
        paragraph_say("%zu configuration%s without a crossing: one side is the faster one at every "
                      "utilization.",
                      answer->none, answer->none == 1 ? "" : "s");
    if (answer->equal > 0)
        printf("%s%zu configuration%s equally fast at every utilization.\n",
               answer->count + answer->none > 0 ? "\n" : "", answer->equal,
               answer->equal == 1 ? "" : "s");
    return status;
}

static const void *result_of(const void *influence)
{
    return &((const clump_influence *)influence)->row->result;
}

static const void *parameter_of(const void *influence)
{
    return ((const clump_influence *)influence)->parameter;
}

/* A quantile of the parameter: the share stands in thousandths where fields have their place. */
static void make_quantile(const table_column *column, const void *parameter, table_cell *cell)
{
    cell_real(cell,
              clump_uncertain_quantile(&((const clump_explore_parameter *)parameter)->distribution,
                                       (double)column->offset / 1000));
}

static bool has_kink(const void *influence)
{
    const clump_influence *f = influence;
    return f->slopes[0] < f->slopes[1] || f->slopes[0] > f->slopes[1];
}

static void make_elasticity(const void *influence, table_cell *cell)
{
    const clump_influence *f = influence;
    if (!has_kink(f))
        cell_real(cell, f->slopes[0] * clump_uncertain_quantile(&f->parameter->distribution, 0.5) /
                            clump_result_relative_time(&f->row->result));
}

#define OF_INFLUENCE(member) FIELD(clump_influence, member)

static const table_column influence_columns[] = {
    {"slowdown", FIELD(clump_result, slowdown), .of = result_of},
    {"pace", "Slowdown", NUMBER_RATIO, .folding = FOLD_ROWS, .make = make_relative_time,
     .of = result_of},
    {"parameter", "Parameter", FIELD_ARRAY(clump_explore_parameter, name), .of = parameter_of},
    {"median", "Median", .offset = 500, .make_with = make_quantile, .of = parameter_of},
    {"low", "5%", .offset = 50, .make_with = make_quantile, .of = parameter_of},
    {"high", "95%", .offset = 950, .make_with = make_quantile, .of = parameter_of},
    {"derivative", "Derivative", OF_INFLUENCE(slopes[0])},
    {"derivative_above", "Above", OF_INFLUENCE(slopes[1]), .wanted = has_kink, .applies = has_kink},
    {"derivative_error", NULL, OF_INFLUENCE(slope_error)},
    {"elasticity", "Elasticity", .make = make_elasticity},
    {"first_order", "Alone", NUMBER_PERCENT, OF_INFLUENCE(index.first)},
    {"first_order_error", "+-", NUMBER_PERCENT, OF_INFLUENCE(index.first_error)},
    {"total", "Total", NUMBER_PERCENT, OF_INFLUENCE(index.total)},
    {"total_error", "+-", NUMBER_PERCENT, OF_INFLUENCE(index.total_error)},
};

int explore_print_sensitivity(output_format format, const clump_explorer *explorer,
                              const clump_sensitivity *answer)
{
    const clump_explore_settings *s = &explorer->settings;
    const char *first = explorer->parameters.list[answer->most_important].name;
    const bool compared = answer->rows->result.compared_with != NULL;
    table_column columns[MOST_COLUMNS];
    const size_t count = add_columns(columns, result_of, influence_columns,
                                     sizeof influence_columns / sizeof *influence_columns);
    if (compared)
        columns[CONFIGURATION + 1].heading = "Ratio";
    const output_field fields_beside[] = {field_text("most_important", first),
                                          field_size("draws", s->draws),
                                          field_size("seed", (size_t)s->seed)};
    const table_rows rows = {.key = "sensitivity",
                             .columns = columns,
                             .column_count = count,
                             RECORDS(answer->influences, answer->influence_count)};
    const int status = output_print(format, &rows, fields_beside, 3);
    if (status != EXIT_DONE || format != FORMAT_TABLE)
        return status;
    putchar('\n');
    char text[512];
    snprintf(text, sizeof text,
             "The %s hangs most on %s. Derivative and elasticity: where all are at their "
             "medians. Alone and total: shares of its variance over the whole ranges, %zu draws, "
             "with standard errors.",
             compared ? "ratio" : "slowdown", first, s->draws);
    paragraph_print(text, 0, 0, 80);
    return status;
}
