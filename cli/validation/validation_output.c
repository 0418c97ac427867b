/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/validation/validation_output.h"

#include "cli/output/errors.h"
#include "cli/output/output.h"
#include "cli/pictures/plot_builder.h"
#include "data/arena.h"
#include "model/limit.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- limits */

/* An error that is the limit itself is within it. */
static bool is_within(double error, double most)
{
    return clump_is_within(100 * fabs(error), most,
                           clump_slowdown_accuracy(CLUMP_MAX_PROCESSORS, 0));
}

bool validation_limits_given(const validation_limits *limits)
{
    return isfinite(limits->max_error) || isfinite(limits->max_mean_error);
}

void validation_limits_mean(validation_limits *limits, double mean, const char *format, ...)
{
    char whose[300];
    va_list arguments;
    if (isnan(mean) || is_within(mean, limits->max_mean_error))
        return;
    va_start(arguments, format);
    vsnprintf(whose, sizeof whose, format, arguments);
    va_end(arguments);
    limits->status = error_failed(limits->command,
                                  "%smean absolute error %.4g%%, more than the %g%% of "
                                  "--max-mean-error",
                                  whose, 100 * mean, limits->max_mean_error);
}

void validation_limits_error(validation_limits *limits, double error, const char *format, ...)
{
    va_list arguments;
    if (!(fabs(error) > limits->greatest) || is_within(error, limits->max_error))
        return;
    limits->greatest = fabs(error);
    va_start(arguments, format);
    vsnprintf(limits->worst, sizeof limits->worst, format, arguments);
    va_end(arguments);
}

int validation_limits_end(const validation_limits *limits)
{
    return limits->greatest > 0
               ? error_failed(limits->command,
                              "%s is off by %.4g%%, more than the %g%% of --max-error",
                              limits->worst, 100 * limits->greatest, limits->max_error)
               : limits->status;
}

/* ---- tables */

void validation_make_range(const table_column *column, const void *record, table_cell *cell)
{
    const double *ends = (const void *)((const char *)record + column->offset);
    if (isfinite(ends[0]) && isfinite(ends[1]))
        cell_print(cell, "%.4g to %.4g", ends[0], ends[1]);
}

void validation_make_interval(const table_column *column, const void *record, table_cell *cell)
{
    const double *time = (const void *)((const char *)record + column->offset);
    if (isfinite(time[0]) && isfinite(time[1]))
        cell_print(cell, "%.4g %s %.2g", time[0], plus_minus(), time[1]);
    else if (isfinite(time[0]))
        cell_print(cell, "%.4g", time[0]);
}

/* Each run with the variant that is best on the other data sets. */
#define CHOSEN ((size_t)CLUMP_VALIDATION_SIMULATED + 1)

/* A run and a variant; for errors only the data set of the run matters. */
typedef struct line {
    clump_validation_run run;
    const char *variant, *meaning, *traffic, *change, *problem;
    clump_validation_outcome outcome, simulated;
    double events, replications; /* of the simulation; NAN: there was none */
    bool within;
    size_t kind; /* of variant, CLUMP_VALIDATION_SIMULATED or CHOSEN */
    clump_validation_summary sum;
} line;

static line line_of(const clump_validation_run *run, size_t variant)
{
    const clump_validation_outcome *simulated = &run->outcomes[CLUMP_VALIDATION_SIMULATED];
    line l = {
        .run = *run,
        .variant = variant < CLUMP_VALIDATION_SIMULATED ? clump_validation_variants[variant].name
                   : variant == CHOSEN                  ? "chosen by others"
                                                        : "simulation",
        .meaning = variant < CLUMP_VALIDATION_SIMULATED ? clump_validation_variants[variant].meaning
                   : variant == CHOSEN
                       ? "each run with the variant that is best on the other data sets"
                       : "message by message, from what the full model is predicted from",
        .traffic = run->scaled_traffic ? "scaled" : "measured",
        .change = clump_change_name(run->change),
        .problem = run->problem != NULL ? run->problem : run->simulation.problem,
        .simulated = *simulated,
        .events = NAN,
        .replications = NAN,
        .kind = variant};
    if (variant < CHOSEN) {
        l.outcome = run->outcomes[variant];
        l.within = run->measured >= l.outcome.low && run->measured <= l.outcome.high;
    }
    if (isfinite(simulated->error)) {
        l.events = run->simulation.events;
        l.replications = (double)run->simulation.replications;
    }
    return l;
}

static bool has_interval(const void *record)
{
    return isfinite(((const line *)record)->outcome.low);
}

#define LINE(member) FIELD(line, member)

static const table_column prediction_columns[] = {
    {"dataset", "Data set", LINE(run.dataset), .folding = FOLD_ALWAYS},
    {"application", "Application", LINE(run.application)},
    {"platform", "Platform", LINE(run.platform), .folding = FOLD_ALWAYS},
    {"layer", "Layer", LINE(run.layer), .folding = FOLD_ALWAYS},
    {"variant", "Variant", LINE(variant), .folding = FOLD_ALWAYS},
    {"traffic", "Traffic", LINE(traffic), .folding = FOLD_ROWS},
    {"utilization", "Utilization", LINE(outcome.utilization)},
    {"remote_fraction", "Remote", LINE(run.remote_fraction)},
    {"now_time_s", "NOW s", LINE(run.now_time)},
    {"now_half_width_s", NULL, LINE(run.now_half_width)},
    {"slowdown", "Slowdown", NUMBER_RATIO, LINE(outcome.slowdown)},
    {"predicted_time_s", "Predicted s", LINE(outcome.predicted)},
    {"predicted_half_width_s", NULL, LINE(outcome.predicted_half_width)},
    {NULL, "90% interval", VALIDATION_RANGE(line, outcome.low)},
    {"low_s", NULL, LINE(outcome.low)},
    {"high_s", NULL, LINE(outcome.high)},
    {NULL, "Measured s", VALIDATION_INTERVAL(line, run.measured)},
    {"measured_time_s", NULL, LINE(run.measured)},
    {"measured_half_width_s", NULL, LINE(run.half_width)},
    {"error", "Error", NUMBER_SIGNED, LINE(outcome.error)},
    {"in_sample_error", NULL, LINE(outcome.in_sample_error)},
    {"within", NULL, LINE(within), .applies = has_interval},
    {"change", NULL, LINE(change)},
    /* What follows is of simulations. */
    {NULL, "Simulated s", VALIDATION_INTERVAL(line, simulated.predicted)},
    {"simulated_time_s", NULL, LINE(simulated.predicted)},
    {"simulated_half_width_s", NULL, LINE(simulated.predicted_half_width)},
    {"simulated_error", "Sim. error", NUMBER_SIGNED, LINE(simulated.error)},
    {"events", NULL, LINE(events)},
    {"replications", NULL, LINE(replications)},
};

enum { SIMULATION_COLUMNS = 6 };

static const table_column error_columns[] = {
    {"dataset", "Data set", LINE(run.dataset), .folding = FOLD_ALWAYS},
    {"variant", "Variant", LINE(variant)},
    {"count", "Runs", LINE(sum.count)},
    {"mean_absolute_error", "Mean |error|", NUMBER_PERCENT, LINE(sum.mean_absolute)},
    {"greatest_error", "Greatest", NUMBER_PERCENT, LINE(sum.greatest)},
    {"bias", "Bias", NUMBER_SIGNED, LINE(sum.bias)},
    {"meaning", NULL, LINE(meaning)},
};

#define PROBLEM_COLUMNS(heading)                                                                   \
    {                                                                                              \
        {"dataset", "Data set", LINE(run.dataset), .folding = FOLD_ROWS},                          \
            {"application", "Application", LINE(run.application)},                                 \
            {"platform", "Platform", LINE(run.platform)}, {"layer", "Layer", LINE(run.layer)},     \
            {"problem", heading, LINE(problem), .layout = COLUMN_PROSE},                           \
    }

static const table_column problem_columns[] = PROBLEM_COLUMNS("Not predicted because");
static const table_column unsimulated_columns[] = PROBLEM_COLUMNS("Not simulated because");

/* ---- errors in and out of sample, over all variants that are fitted or not */

/* A data set, or all of them. */
typedef struct total {
    const char *dataset;
    clump_validation_summary sum;
} total;

static void make_held(const void *record, table_cell *cell)
{
    const clump_validation_summary *sum = &((const total *)record)->sum;
    if (sum->intervals > 0)
        cell_print(cell, "%zu of %zu (%.0f%%)", sum->held, sum->intervals,
                   100 * (double)sum->held / (double)sum->intervals);
}

#define TOTAL(member) FIELD(total, member)

static const table_column total_columns[] = {
    {"dataset", "Data set", TOTAL(dataset), .layout = COLUMN_RIGHT},
    {"count", "Runs", TOTAL(sum.count)},
    {"in_sample_error", "In sample", NUMBER_PERCENT, TOTAL(sum.in_sample)},
    {"out_of_sample_error", "Out of sample", NUMBER_PERCENT, TOTAL(sum.mean_absolute)},
    {"greatest_error", "Greatest", NUMBER_PERCENT, TOTAL(sum.greatest)},
    {"bias", "Bias", NUMBER_SIGNED, TOTAL(sum.bias)},
    {NULL, "In the 90% interval", .make = make_held, .layout = COLUMN_RIGHT},
    {"intervals", NULL, TOTAL(sum.intervals)},
    {"held", NULL, TOTAL(sum.held)},
};

/* A constant of the rules. */
typedef struct constant {
    clump_rule_constant rule;
    double value;
    bool fitted;
} constant;

#define CONSTANT(member) FIELD(constant, member)

static const table_column constant_columns[] = {
    {"constant", "Constant", CONSTANT(rule.name)},
    {"value", "Value", CONSTANT(value)},
    {"source", "Source", CONSTANT(rule.source)},
    {"fitted", NULL, CONSTANT(fitted)},
    {"least", NULL, CONSTANT(rule.least)},
    {"most", NULL, CONSTANT(rule.most)},
    {"meaning", "Meaning", CONSTANT(rule.meaning), .layout = COLUMN_PROSE},
};

/* A kind of change with its error. */
typedef struct change {
    const char *kind, *words, *basis;
    clump_model_error wrong;
    double low, high; /* of measured over predicted */
} change;

#define CHANGE(member) FIELD(change, member)

static const table_column change_columns[] = {
    {"change", NULL, CHANGE(kind)},
    {NULL, "Change", CHANGE(words), .layout = COLUMN_RIGHT},
    {"basis", "From", CHANGE(basis)},
    {"datasets", "Data sets", CHANGE(wrong.datasets)},
    {"rows", "Rows", CHANGE(wrong.rows)},
    {NULL, "90% of measured/predicted", VALIDATION_RANGE(change, low)},
    {"low", NULL, CHANGE(low)},
    {"high", NULL, CHANGE(high)},
    {"scale", NULL, CHANGE(wrong.scale)},
    {"freedom", NULL, CHANGE(wrong.freedom)},
};

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

static void add_total(lines *all, const clump_validation *validation, const char *dataset)
{
    const clump_validation_summary sum = clump_validation_summarize(validation, dataset, 0);
    if (sum.count > 0)
        all->totals[all->total_count++] = (total){dataset != NULL ? dataset : "all", sum};
}

static void add_dataset(lines *all, const clump_validation *validation,
                        const clump_validation_run *run)
{
    for (size_t v = 0; v <= CHOSEN; v++) {
        line l = line_of(run, v);
        l.sum = v < CHOSEN ? clump_validation_summarize(validation, run->dataset, v)
                           : clump_validation_chosen_by_others(validation, run->dataset);
        if (l.sum.count > 0)
            all->errors[all->error_count++] = l;
    }
    add_total(all, validation, run->dataset);
}

static void describe_rules(lines *all, const clump_validation *validation)
{
    for (size_t i = 0; i < CLUMP_RULE_CONSTANTS; i++) {
        constant *c = &all->constants[i];
        *c = (constant){clump_rule_constant_table[i], validation->constants[i],
                        validation->fitted[i]};
        if (c->fitted)
            c->rule.source = "fitted";
    }
    for (int k = 0; k < CLUMP_CHANGE_COUNT; k++) {
        const clump_model_error *wrong = &validation->changes[k];
        change *c = &all->changes[k];
        *c = (change){.kind = clump_change_name((clump_change)k),
                      .words = clump_change_words((clump_change)k),
                      .basis = clump_error_basis_name(wrong->basis),
                      .wrong = *wrong};
        if (clump_model_error_interval(wrong, 1, NAN, NAN, CLUMP_VALIDATION_LEVEL, &c->low,
                                       &c->high, NULL) != CLUMP_OK)
            c->low = c->high = NAN;
    }
}

static bool make_lines(const clump_validation *validation,
                       const bool variants[CLUMP_VALIDATION_VARIANTS], bool simulated,
                       clump_arena *arena, lines *all)
{
    const size_t n = validation->count;
    *all = (lines){.simulated = simulated,
                   .predictions =
                       clump_arena_take(arena, n * CLUMP_VALIDATION_VARIANTS * sizeof(line)),
                   .errors = clump_arena_take(arena, n * (CHOSEN + 1) * sizeof(line)),
                   .problems = clump_arena_take(arena, n * sizeof(line)),
                   .unsimulated = clump_arena_take(arena, n * sizeof(line)),
                   .totals = clump_arena_take(arena, (n + 1) * sizeof(total))};
    if (all->predictions == NULL || all->errors == NULL || all->problems == NULL ||
        all->unsimulated == NULL || all->totals == NULL)
        return false;
    describe_rules(all, validation);
    for (size_t v = 0; v < CLUMP_VALIDATION_VARIANTS; v++)
        for (size_t i = 0; i < n && variants[v]; i++)
            if (validation->runs[i].problem == NULL)
                all->predictions[all->prediction_count++] = line_of(&validation->runs[i], v);
    for (size_t i = 0; i < n; i++) {
        const clump_validation_run *run = &validation->runs[i];
        if (is_first_of_dataset(validation, i))
            add_dataset(all, validation, run);
        if (run->problem != NULL)
            all->problems[all->problem_count++] = line_of(run, 0);
        else if (run->simulation.problem != NULL)
            all->unsimulated[all->unsimulated_count++] = line_of(run, 0);
    }
    if (all->total_count > 1)
        add_total(all, validation, NULL);
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
    return strcmp(((const line *)a)->run.dataset, ((const line *)b)->run.dataset) == 0;
}

static bool of_variant(const void *a, const void *b)
{
    return of_dataset(a, b) && ((const line *)a)->kind == ((const line *)b)->kind;
}

/* Why one's own times are not predicted; those that ship are only counted. */
static int print_problems(const table_rows *problems, const lines *all, bool reasons)
{
    size_t own = 0; /* they come first */
    while (own < all->problem_count && (reasons || !all->problems[own].run.reference))
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
    clump_arena *arena = clump_arena_new();
    const int status = arena != NULL && make_lines(validation, variants, simulated, arena, &all)
                           ? print_lines(format, &all, reasons)
                           : error_memory("validate");
    clump_arena_free(arena);
    return status;
}

/* ---- pictures */

enum { MOST_NAMES = 24 };

static bool is_predicted(const clump_validation_run *run)
{
    return run->problem == NULL;
}

/* Predicted over measured times of a variant, of one data set or of all. */
static void add_times(plot_builder *b, const clump_validation *v, size_t variant,
                      const char *dataset, const char *name)
{
    plot_builder_series(b, &(plot_series){.name = name, .mark = PLOT_POINTS, .colour = b->count});
    for (size_t i = 0; i < v->count; i++)
        if (is_predicted(&v->runs[i]) &&
            (dataset == NULL || strcmp(v->runs[i].dataset, dataset) == 0))
            plot_builder_add(b, v->runs[i].measured, v->runs[i].outcomes[variant].predicted);
    if (!b->no_memory && b->series[b->count - 1].count == 0)
        b->count--;
}

/* A colour for each variant; for a single one, a colour for each data set. */
static void add_all_times(plot_builder *b, const clump_validation *v, const bool *variants,
                          size_t variant_count)
{
    for (size_t k = 0; k < CLUMP_VALIDATION_VARIANTS; k++) {
        if (variants[k] && variant_count > 1)
            add_times(b, v, k, NULL, clump_validation_variants[k].name);
        for (size_t i = 0; variants[k] && variant_count == 1 && i < v->count; i++) {
            const clump_validation_run *run = &v->runs[i];
            if (b->count < PLOT_MOST_SERIES && is_first_of_dataset(v, i))
                add_times(b, v, k, run->dataset,
                          run->label != NULL ? plot_builder_text(b, "table %s", run->label)
                                             : run->dataset);
        }
    }
}

/* What tells a run from the others. */
static const char *name_run(plot_builder *b, const clump_validation *v,
                            const clump_validation_run *run)
{
    bool platforms = false, layers = false;
    for (size_t i = 0; i < v->count; i++) {
        platforms = platforms || strcmp(v->runs[i].platform, run->platform) != 0;
        layers = layers || strcmp(v->runs[i].layer, run->layer) != 0;
    }
    return plot_builder_text(b, "%s%s%s%s%s", run->application, platforms ? ", " : "",
                             platforms ? run->platform : "", layers ? ", " : "",
                             layers ? run->layer : "");
}

/* Slowdowns of all runs by a variant. */
static void add_slowdowns(plot_builder *b, const clump_validation *v, size_t variant, size_t colour,
                          double shift)
{
    plot_builder_series(b, &(plot_series){.name = clump_validation_variants[variant].name,
                                          .mark = PLOT_POINTS,
                                          .colour = colour});
    size_t used = 0;
    for (size_t i = 0; i < v->count; i++)
        if (is_predicted(&v->runs[i]))
            plot_builder_add(b, (double)used++ + shift, v->runs[i].outcomes[variant].slowdown);
}

static void add_measured_slowdowns(plot_builder *b, const clump_validation *v, double shift)
{
    plot_builder_series(b, &(plot_series){.name = "measured, 95% interval",
                                          .mark = PLOT_POINTS,
                                          .measured = true,
                                          .colour = PLOT_BLACK});
    size_t used = 0;
    for (size_t i = 0; i < v->count; i++) {
        const clump_validation_run *run = &v->runs[i];
        if (!is_predicted(run))
            continue;
        const double y = run->measured / run->now_time;
        /* of a ratio of two independent means */
        const double share =
            hypot(isfinite(run->half_width) ? run->half_width / run->measured : 0,
                  isfinite(run->now_half_width) ? run->now_half_width / run->now_time : 0);
        plot_builder_add_interval(b, (double)used++ + shift, y, y * (1 - share), y * (1 + share));
    }
}

int validation_draw(const plot_request *request, const clump_validation *validation,
                    const bool variants[CLUMP_VALIDATION_VARIANTS])
{
    const char *names[MOST_NAMES];
    size_t run_count = 0, variant_count = 0, drawn = 0;
    for (size_t k = 0; k < CLUMP_VALIDATION_VARIANTS; k++)
        variant_count += variants[k];
    for (size_t i = 0; i < validation->count; i++)
        run_count += is_predicted(&validation->runs[i]);
    if (run_count == 0)
        return error_input(request->command, "no picture: found no run that can be predicted");
    plot_builder b = plot_builder_start();
    add_all_times(&b, validation, variants, variant_count);
    const size_t times = b.count;
    const double step = fmin(0.12, 0.8 / (double)(variant_count + 1));
    double shift = -step * (double)variant_count / 2;
    for (size_t i = 0, used = 0; run_count <= MOST_NAMES && i < validation->count; i++)
        if (is_predicted(&validation->runs[i]))
            names[used++] = name_run(&b, validation, &validation->runs[i]);
    for (size_t k = 0; run_count <= MOST_NAMES && k < CLUMP_VALIDATION_VARIANTS; k++)
        if (variants[k]) {
            add_slowdowns(&b, validation, k, drawn++, shift);
            shift += step;
        }
    if (run_count <= MOST_NAMES)
        add_measured_slowdowns(&b, validation, shift);
    const plot_picture plots[] = {{.title = "Predicted against measured times",
                                   .x = {.label = "Measured time (s)", .logarithmic = true},
                                   .y = {.label = "Predicted time (s)", .logarithmic = true},
                                   .diagonal = true,
                                   .series = b.series,
                                   .series_count = times},
                                  {.title = "Slowdown of each run",
                                   .x = {.label = "Run"},
                                   .y = {.label = "Slowdown X (time on the Clump / on the NOW)"},
                                   .categories = names,
                                   .category_count = run_count,
                                   .level = 1,
                                   .level_name = "as fast as the NOW",
                                   .series = b.no_memory ? NULL : b.series + times,
                                   .series_count = b.count - times}};
    return plot_builder_draw(&b, request, plots, run_count <= MOST_NAMES ? 2 : 1);
}
