/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/validation/validation_output.h"

#include "cli/output/errors.h"
#include "cli/output/output.h"
#include "cli/pictures/plot_sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- tables */

/* Each run with the variant that is best on the other data sets. */
#define CHOSEN ((size_t)CLUMP_VALIDATION_SIMULATED + 1)

/* A run and a variant; for errors only the data set of the run matters. */
typedef struct line {
    const clump_validation_run *run;
    size_t variant; /* or CLUMP_VALIDATION_SIMULATED, or CHOSEN */
    clump_validation_summary sum;
} line;

static const char *variant_name(size_t variant)
{
    return variant == CLUMP_VALIDATION_SIMULATED  ? "simulation"
           : variant < CLUMP_VALIDATION_SIMULATED ? clump_validation_variants[variant].name
                                                  : "chosen by others";
}

static const char *variant_meaning(size_t variant)
{
    return variant == CLUMP_VALIDATION_SIMULATED
               ? "message by message, from what the full model is predicted from"
           : variant < CLUMP_VALIDATION_SIMULATED
               ? clump_validation_variants[variant].meaning
               : "each run with the variant that is best on the other data sets";
}

static void make_variant(const void *record, table_cell *cell)
{
    cell_text(cell, variant_name(((const line *)record)->variant));
}

static void make_meaning(const void *record, table_cell *cell)
{
    cell_text(cell, variant_meaning(((const line *)record)->variant));
}

static const void *run_of(const void *record)
{
    return ((const line *)record)->run;
}

static const void *outcome_of(const void *record)
{
    const line *l = record;
    return &l->run->outcomes[l->variant];
}

static const void *simulated_of(const void *record)
{
    return &((const line *)record)->run->outcomes[CLUMP_VALIDATION_SIMULATED];
}

/* What was simulated, if it was. */
static const void *simulation_of(const void *record)
{
    const clump_validation_run *run = ((const line *)record)->run;
    return isfinite(run->outcomes[CLUMP_VALIDATION_SIMULATED].error) ? &run->simulation : NULL;
}

static void make_traffic(const void *run, table_cell *cell)
{
    cell_text(cell, ((const clump_validation_run *)run)->scaled_traffic ? "scaled" : "measured");
}

/* "3.356 ± 0.044" */
static void print_interval(table_cell *cell, double value, double half_width)
{
    if (isfinite(value) && isfinite(half_width))
        cell_print(cell, "%.4g %s %.2g", value, plus_minus(), half_width);
    else if (isfinite(value))
        cell_print(cell, "%.4g", value);
}

static void make_predicted(const void *outcome, table_cell *cell)
{
    const clump_validation_outcome *o = outcome;
    print_interval(cell, o->predicted, o->predicted_half_width);
}

/* "2.78 to 3.84" */
static void print_range(table_cell *cell, double low, double high)
{
    if (isfinite(low) && isfinite(high))
        cell_print(cell, "%.4g to %.4g", low, high);
}

static void make_range(const void *outcome, table_cell *cell)
{
    const clump_validation_outcome *o = outcome;
    print_range(cell, o->low, o->high);
}

static void make_within(const void *record, table_cell *cell)
{
    const line *l = record;
    const clump_validation_outcome *o = &l->run->outcomes[l->variant];
    if (isfinite(o->low))
        cell_truth(cell, l->run->measured >= o->low && l->run->measured <= o->high);
}

static void make_change(const void *run, table_cell *cell)
{
    cell_text(cell, clump_change_name(((const clump_validation_run *)run)->change));
}

static void make_measured(const void *run, table_cell *cell)
{
    const clump_validation_run *r = run;
    print_interval(cell, r->measured, r->half_width);
}

static void make_replications(const void *simulation, table_cell *cell)
{
    cell_real(cell, (double)((const clump_validation_simulated *)simulation)->replications);
}

static void make_problem(const void *run, table_cell *cell)
{
    const clump_validation_run *r = run;
    cell_text(cell, r->problem != NULL ? r->problem : r->simulation.problem);
}

#define RUN(member) FIELD(clump_validation_run, member), .of = run_of
#define OUTCOME(member) FIELD(clump_validation_outcome, member), .of = outcome_of
#define SIMULATED(member) FIELD(clump_validation_outcome, member), .of = simulated_of

static const table_column prediction_columns[] = {
    {"dataset", "Data set", RUN(dataset), .folding = FOLD_ALWAYS},
    {"application", "Application", RUN(application)},
    {"platform", "Platform", RUN(platform), .folding = FOLD_ALWAYS},
    {"layer", "Layer", RUN(layer), .folding = FOLD_ALWAYS},
    {"variant", "Variant", .make = make_variant, .folding = FOLD_ALWAYS, .layout = COLUMN_LEFT},
    {"traffic", "Traffic", .make = make_traffic, .of = run_of, .folding = FOLD_ROWS,
     .layout = COLUMN_LEFT},
    {"utilization", "Utilization", OUTCOME(utilization)},
    {"remote_fraction", "Remote", RUN(remote_fraction)},
    {"now_time_s", "NOW s", RUN(now_time)},
    {"now_half_width_s", NULL, RUN(now_half_width)},
    {"slowdown", "Slowdown", NUMBER_RATIO, OUTCOME(slowdown)},
    {"predicted_time_s", "Predicted s", OUTCOME(predicted)},
    {"predicted_half_width_s", NULL, OUTCOME(predicted_half_width)},
    {NULL, "90% interval", .make = make_range, .of = outcome_of},
    {"low_s", NULL, OUTCOME(low)},
    {"high_s", NULL, OUTCOME(high)},
    {NULL, "Measured s", .make = make_measured, .of = run_of},
    {"measured_time_s", NULL, RUN(measured)},
    {"measured_half_width_s", NULL, RUN(half_width)},
    {"error", "Error", NUMBER_SIGNED, OUTCOME(error)},
    {"in_sample_error", NULL, OUTCOME(in_sample_error)},
    {"within", NULL, .make = make_within},
    {"change", NULL, .make = make_change, .of = run_of},
    /* What follows is of simulations. */
    {NULL, "Simulated s", .make = make_predicted, .of = simulated_of},
    {"simulated_time_s", NULL, SIMULATED(predicted)},
    {"simulated_half_width_s", NULL, SIMULATED(predicted_half_width)},
    {"simulated_error", "Sim. error", NUMBER_SIGNED, SIMULATED(error)},
    {"events", NULL, FIELD(clump_validation_simulated, events), .of = simulation_of},
    {"replications", NULL, .make = make_replications, .of = simulation_of},
};

enum { SIMULATION_COLUMNS = 6 };

#define SUM(member) FIELD(line, sum.member)

static const table_column error_columns[] = {
    {"dataset", "Data set", RUN(dataset), .folding = FOLD_ALWAYS},
    {"variant", "Variant", .make = make_variant, .layout = COLUMN_LEFT},
    {"count", "Runs", SUM(count)},
    {"mean_absolute_error", "Mean |error|", NUMBER_PERCENT, SUM(mean_absolute)},
    {"greatest_error", "Greatest", NUMBER_PERCENT, SUM(greatest)},
    {"bias", "Bias", NUMBER_SIGNED, SUM(bias)},
    {"meaning", NULL, .make = make_meaning},
};

/* ---- errors in and out of sample, over all variants that are fitted or not */

/* A data set, or all of them. */
typedef struct total {
    const char *dataset; /* NULL: all */
    clump_validation_summary sum;
} total;

static void make_dataset(const void *record, table_cell *cell)
{
    const total *t = record;
    cell_text(cell, t->dataset != NULL ? t->dataset : "all");
}

static void make_held(const void *record, table_cell *cell)
{
    const total *t = record;
    if (t->sum.intervals > 0)
        cell_print(cell, "%zu of %zu (%.0f%%)", t->sum.held, t->sum.intervals,
                   100 * (double)t->sum.held / (double)t->sum.intervals);
}

#define TOTAL(member) FIELD(total, sum.member)

static const table_column total_columns[] = {
    {"dataset", "Data set", .make = make_dataset},
    {"count", "Runs", TOTAL(count)},
    {"in_sample_error", "In sample", NUMBER_PERCENT, TOTAL(in_sample)},
    {"out_of_sample_error", "Out of sample", NUMBER_PERCENT, TOTAL(mean_absolute)},
    {"greatest_error", "Greatest", NUMBER_PERCENT, TOTAL(greatest)},
    {"bias", "Bias", NUMBER_SIGNED, TOTAL(bias)},
    {NULL, "In the 90% interval", .make = make_held, .layout = COLUMN_RIGHT},
    {"intervals", NULL, TOTAL(intervals)},
    {"held", NULL, TOTAL(held)},
};

/* A constant of the rules. */
typedef struct constant {
    const clump_rule_constant *rule;
    double value;
    bool fitted;
} constant;

static const void *rule_of(const void *record)
{
    return ((const constant *)record)->rule;
}

static void make_source(const void *record, table_cell *cell)
{
    const constant *c = record;
    cell_text(cell, c->fitted ? "fitted" : c->rule->source);
}

#define RULE(member) FIELD(clump_rule_constant, member), .of = rule_of

static const table_column constant_columns[] = {
    {"constant", "Constant", RULE(name)},
    {"value", "Value", FIELD(constant, value)},
    {"source", "Source", .make = make_source, .layout = COLUMN_LEFT},
    {"fitted", NULL, FIELD(constant, fitted)},
    {"least", NULL, RULE(least)},
    {"most", NULL, RULE(most)},
    {"meaning", "Meaning", RULE(meaning), .layout = COLUMN_PROSE},
};

/* A kind of change with its error. */
typedef struct change {
    clump_change kind;
    clump_model_error wrong;
    double low, high; /* of measured over predicted */
} change;

static void make_kind(const void *record, table_cell *cell)
{
    cell_text(cell, clump_change_name(((const change *)record)->kind));
}

static void make_words(const void *record, table_cell *cell)
{
    cell_text(cell, clump_change_words(((const change *)record)->kind));
}

static void make_basis(const void *record, table_cell *cell)
{
    cell_text(cell, clump_error_basis_name(((const change *)record)->wrong.basis));
}

static void make_change_range(const void *record, table_cell *cell)
{
    const change *c = record;
    print_range(cell, c->low, c->high);
}

static const table_column change_columns[] = {
    {"change", NULL, .make = make_kind},
    {NULL, "Change", .make = make_words},
    {"basis", "From", .make = make_basis, .layout = COLUMN_LEFT},
    {"datasets", "Data sets", FIELD(change, wrong.datasets)},
    {"rows", "Rows", FIELD(change, wrong.rows)},
    {NULL, "90% of measured/predicted", .make = make_change_range, .layout = COLUMN_RIGHT},
    {"low", NULL, FIELD(change, low)},
    {"high", NULL, FIELD(change, high)},
    {"scale", NULL, FIELD(change, wrong.scale)},
    {"freedom", NULL, FIELD(change, wrong.freedom)},
};

#define PROBLEM_COLUMNS(heading)                                                                   \
    {                                                                                              \
        {"dataset", "Data set", RUN(dataset), .folding = FOLD_ROWS},                               \
            {"application", "Application", RUN(application)},                                      \
            {"platform", "Platform", RUN(platform)}, {"layer", "Layer", RUN(layer)},               \
        {                                                                                          \
            "problem", heading, .make = make_problem, .of = run_of, .layout = COLUMN_PROSE         \
        }                                                                                          \
    }

static const table_column problem_columns[] = PROBLEM_COLUMNS("Not predicted because");
static const table_column unsimulated_columns[] = PROBLEM_COLUMNS("Not simulated because");

typedef struct lines {
    line *predictions, *errors, *problems, *unsimulated;
    size_t prediction_count, error_count, problem_count, unsimulated_count;
    bool simulated; /* somebody asked for it */
    total *totals;
    size_t total_count;
    constant constants[CLUMP_RULE_CONSTANTS];
    change changes[CLUMP_CHANGE_COUNT];
} lines;

static bool is_first_of_dataset(const clump_validation *v, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (strcmp(v->runs[j].dataset, v->runs[i].dataset) == 0)
            return false;
    return true;
}

static void add_errors(lines *all, const clump_validation *validation,
                       const clump_validation_run *run)
{
    for (size_t v = 0; v <= CHOSEN; v++) {
        const clump_validation_summary sum =
            v < CHOSEN ? clump_validation_summarize(validation, run->dataset, v)
                       : clump_validation_chosen_by_others(validation, run->dataset);
        if (sum.count > 0)
            all->errors[all->error_count++] = (line){run, v, sum};
    }
}

static void add_totals(lines *all, const clump_validation *validation)
{
    for (size_t i = 0; i <= validation->count; i++) {
        const bool last = i == validation->count;
        if (last ? all->total_count < 2 : !is_first_of_dataset(validation, i))
            continue;
        const char *dataset = last ? NULL : validation->runs[i].dataset;
        const clump_validation_summary sum = clump_validation_summarize(validation, dataset, 0);
        if (sum.count > 0)
            all->totals[all->total_count++] = (total){dataset, sum};
    }
}

static void describe_rules(lines *all, const clump_validation *validation)
{
    for (size_t i = 0; i < CLUMP_RULE_CONSTANTS; i++)
        all->constants[i] = (constant){&clump_rule_constant_table[i], validation->constants[i],
                                       validation->fitted[i]};
    for (int k = 0; k < CLUMP_CHANGE_COUNT; k++) {
        change *c = &all->changes[k];
        *c = (change){.kind = (clump_change)k, .wrong = validation->changes[k]};
        if (clump_model_error_interval(&c->wrong, 1, NAN, NAN, CLUMP_VALIDATION_LEVEL, &c->low,
                                       &c->high, NULL) != CLUMP_OK)
            c->low = c->high = NAN;
    }
}

static bool make_lines(const clump_validation *validation,
                       const bool variants[CLUMP_VALIDATION_VARIANTS], bool simulated, lines *all)
{
    const size_t n = validation->count;
    *all = (lines){.simulated = simulated,
                   .predictions = calloc(n * CLUMP_VALIDATION_VARIANTS, sizeof(line)),
                   .errors = calloc(n * (CHOSEN + 1), sizeof(line)),
                   .problems = calloc(n, sizeof(line)),
                   .unsimulated = calloc(n, sizeof(line)),
                   .totals = calloc(n + 1, sizeof(total))};
    if (all->predictions == NULL || all->errors == NULL || all->problems == NULL ||
        all->unsimulated == NULL || all->totals == NULL)
        return false;
    add_totals(all, validation);
    describe_rules(all, validation);
    for (size_t v = 0; v < CLUMP_VALIDATION_VARIANTS; v++)
        for (size_t i = 0; i < n && variants[v]; i++)
            if (validation->runs[i].problem == NULL)
                all->predictions[all->prediction_count++] = (line){.run = &validation->runs[i], v};
    for (size_t i = 0; i < n; i++) {
        if (is_first_of_dataset(validation, i))
            add_errors(all, validation, &validation->runs[i]);
        if (validation->runs[i].problem != NULL)
            all->problems[all->problem_count++] = (line){.run = &validation->runs[i]};
        else if (validation->runs[i].simulation.problem != NULL)
            all->unsimulated[all->unsimulated_count++] = (line){.run = &validation->runs[i]};
    }
    return true;
}

int validation_print_groups(const table_rows *rows, bool (*together)(const void *, const void *))
{
    const char *const records = rows->records;
    int status = EXIT_DONE;
    size_t length;
    for (size_t first = 0; first < rows->row_count && status == EXIT_DONE; first += length) {
        table_rows part = *rows;
        part.records = records + first * rows->record_size;
        for (length = 1; first + length < rows->row_count; length++)
            if (!together(part.records, records + (first + length) * rows->record_size))
                break;
        part.row_count = length;
        status = table_print(&part);
        putchar('\n');
    }
    return status;
}

/* The name of a data set stands above its table. */
static bool of_dataset(const void *a, const void *b)
{
    return strcmp(((const line *)a)->run->dataset, ((const line *)b)->run->dataset) == 0;
}

static bool of_variant(const void *a, const void *b)
{
    return of_dataset(a, b) && ((const line *)a)->variant == ((const line *)b)->variant;
}

/* Why one's own times are not predicted; those that ship are only counted. */
static int print_problems(const table_rows *problems, const lines *all, bool reasons)
{
    size_t own = 0; /* they come first */
    while (own < all->problem_count && (reasons || !all->problems[own].run->reference))
        own++;
    const size_t others = all->problem_count - own;
    int status = EXIT_DONE;
    if (own > 0) {
        table_rows part = *problems;
        part.row_count = own;
        status = table_print(&part);
    }
    if (others > 0)
        printf("%s%zu measured time%s not predicted; --format json says why.\n",
               own > 0 ? "\n" : "", others, others == 1 ? " is" : "s are");
    return status;
}

static int print_lines(output_format format, const lines *all, bool reasons)
{
    table_rows predictions = {.key = "predictions",
                              COLUMNS(prediction_columns),
                              RECORDS(all->predictions, all->prediction_count)};
    const table_rows errors = {
        .key = "errors", COLUMNS(error_columns), RECORDS(all->errors, all->error_count)};
    const table_rows problems = {.key = "not_predicted",
                                 COLUMNS(problem_columns),
                                 RECORDS(all->problems, all->problem_count)};
    const table_rows unsimulated = {.key = "not_simulated",
                                    COLUMNS(unsimulated_columns),
                                    RECORDS(all->unsimulated, all->unsimulated_count)};
    const table_rows totals = {
        .key = "datasets", COLUMNS(total_columns), RECORDS(all->totals, all->total_count)};
    const table_rows constants = {.key = "constants",
                                  COLUMNS(constant_columns),
                                  RECORDS(all->constants, CLUMP_RULE_CONSTANTS)};
    const table_rows changes = {
        .key = "model_error", COLUMNS(change_columns), RECORDS(all->changes, CLUMP_CHANGE_COUNT)};
    if (!all->simulated)
        predictions.column_count -= SIMULATION_COLUMNS;
    const table_rows *const sets[] = {&predictions, &errors,   &totals,     &constants,
                                      &changes,     &problems, &unsimulated};
    if (format == FORMAT_CSV)
        return csv_print(&predictions);
    if (format == FORMAT_JSON)
        return json_print(sets, all->simulated ? 7 : 6, NULL, 0);
    int status = validation_print_groups(&predictions, of_variant);
    if (status == EXIT_DONE)
        status = validation_print_groups(&errors, of_dataset);
    const table_rows *const judged[] = {&totals, &constants, &changes};
    for (size_t i = 0; i < 3 && status == EXIT_DONE && all->prediction_count > 0; i++) {
        status = table_print(judged[i]);
        putchar('\n');
    }
    if (status == EXIT_DONE && all->unsimulated_count > 0) {
        status = table_print(&unsimulated);
        putchar('\n');
    }
    return status == EXIT_DONE ? print_problems(&problems, all, reasons) : status;
}

int validation_print(output_format format, const clump_validation *validation,
                     const bool variants[CLUMP_VALIDATION_VARIANTS], bool simulated, bool reasons)
{
    lines all;
    const int status = make_lines(validation, variants, simulated, &all)
                           ? print_lines(format, &all, reasons)
                           : error_memory("validate");
    free(all.predictions);
    free(all.errors);
    free(all.problems);
    free(all.unsimulated);
    free(all.totals);
    return status;
}

/* ---- pictures */

static bool is_predicted(const clump_validation_run *run)
{
    return run->problem == NULL;
}

/* Predicted over measured times of a variant, of one data set or of all. */
static void add_times(plot_sheet *sheet, const clump_validation *v, size_t variant,
                      const char *dataset, const char *name)
{
    plot_sheet_series(sheet,
                      (plot_series){.name = name, .mark = PLOT_POINTS, .colour = PLOT_NEXT});
    for (size_t i = 0; i < v->count; i++)
        if (is_predicted(&v->runs[i]) &&
            (dataset == NULL || strcmp(v->runs[i].dataset, dataset) == 0))
            plot_sheet_point(sheet, v->runs[i].measured, v->runs[i].outcomes[variant].predicted);
}

/* A colour for each variant; for a single one, a colour for each data set: "table 7.8", or the name of the source. */
static void add_all_times(plot_sheet *sheet, const clump_validation *v, const bool *variants,
                          size_t variant_count)
{
    plot_sheet_picture(
        sheet, (plot_picture){.title = "Predicted against measured times",
                              .x = {.label = "Measured time (s)", .logarithmic = true},
                              .y = {.label = "Predicted time (s)", .logarithmic = true},
                              .diagonal = true});
    for (size_t k = 0; k < CLUMP_VALIDATION_VARIANTS; k++) {
        if (!variants[k])
            continue;
        if (variant_count > 1)
            add_times(sheet, v, k, NULL, clump_validation_variants[k].name);
        for (size_t i = 0, sets = 0; variant_count == 1 && i < v->count; i++)
            if (is_first_of_dataset(v, i) && sets++ < PLOT_MOST_SERIES)
                add_times(sheet, v, k, v->runs[i].dataset,
                          v->runs[i].label == NULL
                              ? v->runs[i].dataset
                              : plot_sheet_text(sheet, "table %s", v->runs[i].label));
    }
}

/* What tells a run from the others. */
static const char *name_run(plot_sheet *sheet, const clump_validation *v,
                            const clump_validation_run *run)
{
    bool platforms = false, layers = false;
    for (size_t i = 0; i < v->count; i++) {
        platforms = platforms || strcmp(v->runs[i].platform, run->platform) != 0;
        layers = layers || strcmp(v->runs[i].layer, run->layer) != 0;
    }
    return plot_sheet_text(sheet, "%s%s%s%s%s", run->application, platforms ? ", " : "",
                           platforms ? run->platform : "", layers ? ", " : "",
                           layers ? run->layer : "");
}

/* Slowdowns of all runs as measured, with the interval of a ratio of two independent means. */
static void add_measured(plot_sheet *sheet, const clump_validation *v, double shift)
{
    double place = shift;
    plot_sheet_series(sheet, (plot_series){.name = "measured, 95% interval",
                                           .mark = PLOT_POINTS,
                                           .measured = true,
                                           .colour = PLOT_BLACK});
    for (size_t i = 0; i < v->count; i++) {
        const clump_validation_run *run = &v->runs[i];
        const double slowdown = run->measured / run->now_time,
                     share = hypot(
                         isfinite(run->half_width) ? run->half_width / run->measured : 0,
                         isfinite(run->now_half_width) ? run->now_half_width / run->now_time : 0);
        if (is_predicted(run))
            plot_sheet_between(sheet, place++, slowdown, slowdown * (1 - share),
                               slowdown * (1 + share));
    }
}

static void add_all_slowdowns(plot_sheet *sheet, const clump_validation *v, const bool *variants,
                              size_t variant_count)
{
    const double step = fmin(0.12, 0.8 / (double)(variant_count + 1));
    double shift = -step * (double)variant_count / 2;
    plot_sheet_picture(
        sheet, (plot_picture){.title = "Slowdown of each run",
                              .x = {.label = "Run"},
                              .y = {.label = "Slowdown X (time on the Clump / on the NOW)"},
                              .level = 1,
                              .level_name = "as fast as the NOW"});
    for (size_t i = 0; i < v->count; i++)
        if (is_predicted(&v->runs[i]))
            plot_sheet_category(sheet, name_run(sheet, v, &v->runs[i]));
    for (size_t k = 0; k < CLUMP_VALIDATION_VARIANTS; k++) {
        double place = shift;
        if (!variants[k])
            continue;
        plot_sheet_series(sheet, (plot_series){.name = clump_validation_variants[k].name,
                                               .mark = PLOT_POINTS,
                                               .colour = PLOT_NEXT});
        for (size_t i = 0; i < v->count; i++)
            if (is_predicted(&v->runs[i]))
                plot_sheet_point(sheet, place++, v->runs[i].outcomes[k].slowdown);
        shift += step;
    }
    add_measured(sheet, v, shift);
}

int validation_draw(const plot_request *request, const clump_validation *v,
                    const bool variants[CLUMP_VALIDATION_VARIANTS])
{
    enum { MOST_NAMES = 24 };
    size_t variant_count = 0, run_count = 0;
    for (size_t k = 0; k < CLUMP_VALIDATION_VARIANTS; k++)
        variant_count += variants[k];
    for (size_t i = 0; i < v->count; i++)
        run_count += is_predicted(&v->runs[i]);
    if (run_count == 0)
        return error_input(request->command, "no picture: found no run that can be predicted");
    plot_sheet sheet = plot_sheet_new();
    add_all_times(&sheet, v, variants, variant_count);
    if (run_count <= MOST_NAMES)
        add_all_slowdowns(&sheet, v, variants, variant_count);
    return plot_sheet_draw(&sheet, request);
}
