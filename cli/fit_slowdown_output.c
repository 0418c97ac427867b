/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/fit_slowdown_output.h"

#include "cli/output/errors.h"
#include "cli/output/output.h"
#include "data/arena.h"
#include "model/prediction.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { UNKNOWN_SIZE = 64 };

/* Name of an unknown, as in fit->unknowns: "U", "time", "time ultra170-now". */
static const char *name_unknown(const fit_slowdown_question *asked, size_t unknown,
                                char text[UNKNOWN_SIZE])
{
    if (unknown < CLUMP_SLOWDOWN_PARAMETERS)
        return clump_slowdown_parameter_name((clump_slowdown_parameter)unknown);
    const size_t base = unknown - CLUMP_SLOWDOWN_PARAMETERS;
    const char *name = asked->runs.records[asked->runs.base_of[base]].base;
    snprintf(text, UNKNOWN_SIZE, "time%s%.58s", name[0] != '\0' ? " " : "", name);
    return text;
}

/* ---- parameters */

typedef struct parameter {
    char name[UNKNOWN_SIZE];
    const char *meaning;
    const clump_slowdown_estimate *estimate;
} parameter;

static const void *estimate_of(const void *record)
{
    return ((const parameter *)record)->estimate;
}

static bool is_free(const void *record)
{
    return ((const parameter *)record)->estimate->free;
}

static void make_interval(const table_column *column, const void *record, table_cell *cell)
{
    const clump_slowdown_estimate *e = estimate_of(record);
    (void)column;
    if (!e->free)
        cell_text(cell, "given");
    else if (isnan(e->low))
        cell_text(cell, "not known");
    else if (e->low_is_bound && e->high_is_bound)
        cell_text(cell, "anything (not limited)");
    else if (e->high_is_bound)
        cell_print(cell, "%.4g or more", e->low);
    else if (e->low_is_bound)
        cell_print(cell, "%.4g or less", e->high);
    else
        cell_print(cell, "%.4g to %.4g", e->low, e->high);
}

static void make_bound(const table_column *column, const void *record, table_cell *cell)
{
    const clump_slowdown_estimate *e = estimate_of(record);
    (void)column;
    if (e->free && (e->low_is_bound || e->high_is_bound))
        cell_text(cell, e->low_is_bound && e->high_is_bound ? "both"
                        : e->low_is_bound                   ? "low"
                                                            : "high");
}

#define ESTIMATE(member) FIELD(clump_slowdown_estimate, member), .of = estimate_of

static const table_column parameter_columns[] = {
    {"parameter", "Parameter", FIELD_ARRAY(parameter, name)},
    {"estimate", "Estimate", ESTIMATE(value)},
    {NULL, "Interval", .make = make_interval, .layout = COLUMN_LEFT},
    {"low", NULL, ESTIMATE(low), .applies = is_free},
    {"high", NULL, ESTIMATE(high), .applies = is_free},
    {"standard_error", NULL, ESTIMATE(standard_error), .applies = is_free},
    {"free", NULL, ESTIMATE(free)},
    {"not_limited", NULL, .make = make_bound, .layout = COLUMN_LEFT},
    {"meaning", "Meaning", FIELD(parameter, meaning)},
};

/* ---- correlations */

typedef struct correlation {
    char parameter[UNKNOWN_SIZE], with[UNKNOWN_SIZE];
    double value; /* NAN: open */
} correlation;

static void make_correlation(const table_column *column, const void *record, table_cell *cell)
{
    const correlation *c = record;
    (void)column;
    if (isnan(c->value))
        cell_text(cell, "open");
    else
        cell_real(cell, c->value);
}

static const table_column correlation_columns[] = {
    {"parameter", "Of", FIELD_ARRAY(correlation, parameter)},
    {"with", "with", FIELD_ARRAY(correlation, with)},
    {"correlation", "Correlation", NUMBER_RATIO, .make = make_correlation, .layout = COLUMN_RIGHT},
};

/* ---- configurations: measured, fitted, residual */

typedef struct configuration {
    const clump_slowdown_record *record;
    const char *mapping;
    size_t times;
    double utilization, remote_fraction, cost_ratio, waiting_fraction;
    double measured_s, relative_error, fitted_s, residual, standardized, slowdown;
} configuration;

static const void *record_of(const void *record)
{
    return ((const configuration *)record)->record;
}

/* How many times were merged matters only where some were. */
static bool is_merged(const void *record)
{
    return ((const configuration *)record)->times > 1;
}

#define RUN(member) FIELD(configuration, member)

static const table_column configuration_columns[] = {
    {"platform", "Platform", FIELD_ARRAY(clump_slowdown_record, platform), .of = record_of},
    {"processors", "Processors", FIELD(clump_slowdown_record, run.processors), .of = record_of},
    {"nics", "NICs", FIELD(clump_slowdown_record, run.nics), .of = record_of},
    {"mapping", "Mapping", RUN(mapping), .folding = FOLD_ROWS},
    {"now", NULL, FIELD_ARRAY(clump_slowdown_record, base), .of = record_of},
    {"utilization", "U", RUN(utilization)},
    {"remote_fraction", "f", RUN(remote_fraction)},
    {"cost_ratio", "V", RUN(cost_ratio)},
    {"waiting_fraction", "h", RUN(waiting_fraction)},
    {"times", "Times", RUN(times), .folding = FOLD_ROWS, .worth = is_merged},
    {"measured_s", "Measured s", RUN(measured_s)},
    {"relative_error", "Error of it", NUMBER_PERCENT, RUN(relative_error)},
    {"fitted_s", "Fitted s", RUN(fitted_s)},
    {"residual", "Residual", NUMBER_SIGNED, RUN(residual)},
    {"standardized_residual", NULL, RUN(standardized)},
    {"slowdown", "Slowdown", NUMBER_RATIO, RUN(slowdown)},
};

/* ---- all of it */

enum { PARTS = 2, PAIRS = CLUMP_SLOWDOWN_UNKNOWNS * (CLUMP_SLOWDOWN_UNKNOWNS - 1) / 2 };

typedef struct sheet {
    parameter parameters[CLUMP_SLOWDOWN_UNKNOWNS + PARTS];
    correlation correlations[PAIRS];
    size_t parameter_count, correlation_count;
    configuration configurations[];
} sheet;

static void add_parameter(sheet *s, const char *name, const char *meaning,
                          const clump_slowdown_estimate *estimate)
{
    parameter *p = &s->parameters[s->parameter_count++];
    *p = (parameter){.meaning = meaning, .estimate = estimate};
    snprintf(p->name, sizeof p->name, "%s", name);
}

/* What runs bring with them each is no parameter of the fit. */
static bool is_of_runs(const fit_slowdown_answer *a, size_t k)
{
    const clump_slowdown_question *q = &a->asked->question;
    for (size_t i = 0; i < q->run_count; i++) {
        const clump_slowdown_run *r = &q->runs[i];
        const double own = k == CLUMP_SLOWDOWN_UTILIZATION  ? r->utilization
                           : k == CLUMP_SLOWDOWN_REMOTE     ? r->remote_fraction
                           : k == CLUMP_SLOWDOWN_COST_RATIO ? r->cost_ratio
                           : k == CLUMP_SLOWDOWN_WAITING    ? r->waiting_fraction
                                                            : NAN;
        if (!isnan(own) && !q->free[k])
            return true;
    }
    return false;
}

static void add_parameters(const fit_slowdown_answer *a, sheet *s)
{
    static const char *const meanings[CLUMP_SLOWDOWN_PARAMETERS] = {
        "utilization on the NOW",
        "gang size",
        "loss of efficiency, E(q)",
        "memory penalty",
        "remote fraction",
        "local over remote cost",
        "share of communication waiting",
    };
    const clump_slowdown_fit *f = a->fit;
    const bool slowdowns = a->asked->runs.slowdowns;
    char text[UNKNOWN_SIZE];
    for (size_t k = 0; k < CLUMP_SLOWDOWN_PARAMETERS; k++)
        if (!isnan(f->parameters[k].value) && !is_of_runs(a, k))
            add_parameter(s, name_unknown(a->asked, k, text), meanings[k], &f->parameters[k]);
    for (size_t b = 0; b < f->base_count; b++)
        add_parameter(s, name_unknown(a->asked, CLUMP_SLOWDOWN_PARAMETERS + b, text),
                      slowdowns ? "of the NOW, in its own unit" : "seconds on the NOW",
                      &f->base_times_s[b]);
    if (f->parameters[CLUMP_SLOWDOWN_UTILIZATION].free && f->base_count == 1 && !slowdowns) {
        add_parameter(s, "computation", "seconds of it on the NOW, T (1-U)", &f->computation_s);
        add_parameter(s, "communication", "seconds of it on the NOW, T U", &f->communication_s);
    }
}

static void add_correlations(const fit_slowdown_answer *a, sheet *s)
{
    const clump_slowdown_fit *f = a->fit;
    char text[UNKNOWN_SIZE];
    for (size_t i = 1; i < f->unknown_count; i++)
        for (size_t j = 0; j < i; j++) {
            correlation *c = &s->correlations[s->correlation_count++];
            snprintf(c->parameter, sizeof c->parameter, "%s",
                     name_unknown(a->asked, f->unknowns[j], text));
            snprintf(c->with, sizeof c->with, "%s", name_unknown(a->asked, f->unknowns[i], text));
            c->value = f->correlation[i][j];
        }
}

static void add_configuration(const fit_slowdown_answer *a, size_t i, configuration *c)
{
    const clump_slowdown_runs *runs = &a->asked->runs;
    const clump_slowdown_record *record = &runs->records[runs->record_of[i]];
    const clump_slowdown_question *q = &a->asked->question;
    const clump_slowdown_run *r = &q->runs[i];
    const double fitted = a->fit->fitted_s[i];
    const double remote = r->nics == 0 ? 0 : r->remote_fraction;
    *c = (configuration){
        .record = record,
        .mapping = record->run.processors > 1 ? clump_mapping_name(record->run.mapping) : NULL,
        .times = runs->repetitions[i],
        .utilization = q->free[CLUMP_SLOWDOWN_UTILIZATION] ? NAN : r->utilization,
        .remote_fraction = q->free[CLUMP_SLOWDOWN_REMOTE] ? NAN : remote,
        .cost_ratio = q->free[CLUMP_SLOWDOWN_COST_RATIO] ? NAN : r->cost_ratio,
        .waiting_fraction = q->free[CLUMP_SLOWDOWN_WAITING] ? NAN : r->waiting_fraction,
        .measured_s = r->time_s,
        .relative_error = r->relative_error,
        .fitted_s = fitted,
        .residual = fitted / r->time_s - 1, /* as in `predict`: of the model */
        .standardized = log(fitted / r->time_s) / r->relative_error,
        .slowdown = a->fit->slowdowns[i],
    };
}

static void print_goodness(const fit_slowdown_answer *a)
{
    const clump_slowdown_fit *f = a->fit;
    printf("\nRoot mean square of the residuals: %.2g%%; %zu configurations, %zu unknowns\n",
           100 * f->rms_error, a->asked->question.run_count, f->unknown_count);
    if (!isnan(f->p_value))
        printf("Chi-square: %.4g with %.0f degrees of freedom (p = %.2g)\n", f->chi_square,
               f->freedom, f->p_value);
}

static void set_fields(const fit_slowdown_answer *a, output_field *fields)
{
    const clump_slowdown_fit *f = a->fit;
    const struct {
        const char *key;
        double value;
    } numbers[] = {{"chi_square", f->chi_square},
                   {"degrees_of_freedom", f->freedom},
                   {"p_value", f->p_value},
                   {"rms_error", f->rms_error},
                   {"widening", f->widening},
                   {"confidence", a->asked->question.confidence},
                   {"other_optima", (double)f->other_optima}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        fields[i] = (output_field){.key = numbers[i].key};
        cell_real(&fields[i].value, numbers[i].value);
    }
}

enum { FIELDS = 7 };

static int print_tables(output_format format, const fit_slowdown_answer *a, const sheet *s)
{
    const table_rows parameters = {"parameters", COLUMNS(parameter_columns),
                                   RECORDS(s->parameters, s->parameter_count)};
    const table_rows correlations = {"correlations", COLUMNS(correlation_columns),
                                     RECORDS(s->correlations, s->correlation_count)};
    const table_rows configurations = {"configurations", COLUMNS(configuration_columns),
                                       RECORDS(s->configurations, a->asked->question.run_count)};
    const table_rows *const all[] = {&parameters, &correlations, &configurations};
    output_field fields[FIELDS];
    set_fields(a, fields);
    if (format == FORMAT_CSV)
        return csv_print(&parameters);
    if (format == FORMAT_JSON)
        return json_print(all, 3, fields, FIELDS);
    if (a->application != NULL)
        printf("Application: %s\n\n", a->application);
    int status = EXIT_DONE;
    for (size_t i = 0; i < 3 && status == EXIT_DONE; i++) {
        if (all[i]->row_count == 0)
            continue;
        if (i > 0)
            putchar('\n');
        status = table_print(all[i]);
    }
    if (status == EXIT_DONE)
        print_goodness(a);
    return status;
}

int fit_slowdown_print(const char *command, output_format format, const fit_slowdown_answer *a)
{
    const size_t count = a->asked->question.run_count;
    sheet *s = calloc(1, sizeof *s + count * sizeof *s->configurations);
    if (s == NULL)
        return error_memory(command);
    add_parameters(a, s);
    add_correlations(a, s);
    for (size_t i = 0; i < count; i++)
        add_configuration(a, i, &s->configurations[i]);
    const int status = print_tables(format, a, s);
    free(s);
    return status;
}

/* ---- the picture */

typedef struct builder {
    const fit_slowdown_answer *answer;
    clump_arena *arena;
    size_t count;
    const char **names;
    plot_series series[2];
} builder;

static const char *name_run(const builder *b, const clump_slowdown_run *run)
{
    enum { SIZE = 96 };
    char *name = clump_arena_take(b->arena, SIZE);
    if (name != NULL)
        snprintf(name, SIZE, "%zu on %zu NIC%s%s", run->processors, run->nics,
                 run->nics == 1 ? "" : "s",
                 run->mapping == CLUMP_MAPPING_STATIC && run->nics > 1 ? ", static" : "");
    return name;
}

/* Half of the 95% interval of a time whose error is known; 0: it is not. */
static double half_width(const clump_slowdown_run *run)
{
    const double normal = 1.959963984540054;
    return isfinite(run->relative_error) ? normal * run->relative_error * run->time_s : 0;
}

static bool add_runs(builder *b)
{
    enum { ARRAYS = 6 };
    const clump_slowdown_question *q = &b->answer->asked->question;
    double *const numbers = clump_arena_take(b->arena, ARRAYS * b->count * sizeof *numbers);
    b->names = clump_arena_take(b->arena, b->count * sizeof *b->names);
    if (numbers == NULL || b->names == NULL)
        return false;
    double *const left = numbers, *const right = left + b->count, *const fitted = right + b->count,
                  *const measured = fitted + b->count, *const low = measured + b->count,
                  *const high = low + b->count;
    for (size_t i = 0; i < b->count; i++) {
        const clump_slowdown_run *run = &q->runs[i];
        b->names[i] = name_run(b, run);
        if (b->names[i] == NULL)
            return false;
        left[i] = (double)i - 0.06;
        right[i] = (double)i + 0.06;
        fitted[i] = b->answer->fit->fitted_s[i];
        measured[i] = run->time_s;
        low[i] = run->time_s - half_width(run);
        high[i] = run->time_s + half_width(run);
    }
    b->series[0] = (plot_series){
        .name = "fitted", .mark = PLOT_POINTS, .x = left, .y = fitted, .count = b->count};
    b->series[1] = (plot_series){.name = "measured, 95% interval",
                                 .mark = PLOT_POINTS,
                                 .measured = true,
                                 .colour = PLOT_BLACK,
                                 .x = right,
                                 .y = measured,
                                 .low = low,
                                 .high = high,
                                 .count = b->count};
    return true;
}

int fit_slowdown_draw(const plot_request *request, output_format format,
                      const fit_slowdown_answer *answer)
{
    enum { MOST_RUNS = 60 };
    builder b = {.answer = answer, .count = answer->asked->question.run_count};
    if (b.count > MOST_RUNS)
        return error_input(request->command,
                           "no picture: found %zu configurations, expected %d at most", b.count,
                           (int)MOST_RUNS);
    b.arena = clump_arena_new();
    int status = EXIT_DONE;
    if (b.arena == NULL || !add_runs(&b)) {
        status = error_memory(request->command);
    } else {
        const plot_picture plot = {
            .title = answer->application != NULL ? answer->application : "Fitted to measured times",
            .x = {.label = "Processors on NICs"},
            .y = {.label = answer->asked->runs.slowdowns ? "Slowdown X" : "Time (s)"},
            .categories = b.names,
            .category_count = b.count,
            .series = b.series,
            .series_count = 2};
        status = plot_request_draw(request, &plot, 1, format);
    }
    clump_arena_free(b.arena);
    return status;
}

/* ---- what the user has to know beside the numbers */

/* From here on one of two parameters can take the place of the other. */
static const double trade_off = 0.9;

/* Residuals that no noise of times explains, where nothing is known of it. */
static const double poor = 0.1;

static bool warn_of_pairs(const char *command, const fit_slowdown_answer *a)
{
    const clump_slowdown_fit *f = a->fit;
    bool any = false;
    for (size_t i = 0; i < f->unknown_count; i++)
        for (size_t j = i + 1; j < f->unknown_count; j++) {
            char first[UNKNOWN_SIZE], second[UNKNOWN_SIZE];
            const double r = f->correlation[i][j];
            if (!(fabs(r) > trade_off))
                continue;
            note_print(command,
                       "%s and %s trade off (correlation %+.3f): these times can hardly "
                       "tell them apart",
                       name_unknown(a->asked, f->unknowns[i], first),
                       name_unknown(a->asked, f->unknowns[j], second), r);
            any = true;
        }
    return any;
}

static bool warn_of_bounds(const char *command, const fit_slowdown_answer *a)
{
    bool any = false;
    for (size_t j = 0; j < a->fit->unknown_count; j++) {
        const size_t u = a->fit->unknowns[j];
        if (u >= CLUMP_SLOWDOWN_PARAMETERS)
            continue;
        const clump_slowdown_estimate *e = &a->fit->parameters[u];
        if (e->low_is_bound && e->high_is_bound)
            note_print(command, "these times allow any %s from %.4g to %.4g",
                       clump_slowdown_parameter_name((clump_slowdown_parameter)u), e->low, e->high);
        else if (e->low_is_bound || e->high_is_bound)
            note_print(command, "these times allow %s to be as %s as %.4g, the end of its range",
                       clump_slowdown_parameter_name((clump_slowdown_parameter)u),
                       e->low_is_bound ? "small" : "large", e->low_is_bound ? e->low : e->high);
        else
            continue;
        any = true;
    }
    return any;
}

static void suggest(const char *command, const fit_slowdown_answer *a)
{
    double values[CLUMP_SLOWDOWN_PARAMETERS];
    clump_slowdown_run run;
    for (size_t k = 0; k < CLUMP_SLOWDOWN_PARAMETERS; k++)
        values[k] = a->fit->parameters[k].value;
    if (clump_slowdown_suggest(&a->asked->question, values, &run))
        note_print(command,
                   "most helpful would be the time with %zu processor(s) and %zu "
                   "NIC(s)%s%s",
                   run.processors, run.nics, run.processors > 1 ? ", " : "",
                   run.processors > 1 ? clump_mapping_name(run.mapping) : "");
}

/* Which of the parameters that are held would explain most of what the model misses. */
static void suggest_free(const char *command, const fit_slowdown_answer *a)
{
    static const clump_slowdown_parameter candidates[] = {
        CLUMP_SLOWDOWN_UTILIZATION, CLUMP_SLOWDOWN_GANG, CLUMP_SLOWDOWN_EFFICIENCY,
        CLUMP_SLOWDOWN_PENALTY};
    const clump_slowdown_question *asked = &a->asked->question;
    double best = a->fit->rms_error / 2;
    const char *name = NULL;
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
        clump_slowdown_question q = *asked;
        clump_slowdown_fit fit;
        if (q.free[candidates[i]] || !(a->fit->freedom > 1))
            continue;
        q.free[candidates[i]] = true;
        if (clump_slowdown_fit_compute(&q, &fit, NULL) != CLUMP_OK)
            continue;
        if (fit.rms_error < best) {
            best = fit.rms_error;
            name = clump_slowdown_parameter_name(candidates[i]);
        }
        clump_slowdown_fit_free(&fit);
    }
    if (name != NULL)
        note_print(command, "with %s free, too, the residuals would fall from %.2g%% to %.2g%%",
                   name, 100 * a->fit->rms_error, 100 * best);
}

void fit_slowdown_warn(const char *command, const fit_slowdown_answer *a)
{
    const clump_slowdown_fit *f = a->fit;
    const bool pairs = warn_of_pairs(command, a), bounds = warn_of_bounds(command, a);
    if (f->widening > 1)
        note_print(command,
                   "the model misses the times by more than their errors (p = %.2g); intervals "
                   "are %.1f times as wide as the errors alone would make them",
                   f->p_value, f->widening);
    if (!f->weighted && f->rms_error > poor)
        note_print(command,
                   "the model does not explain these times: residuals "
                   "are %.2g%% (root mean square)",
                   100 * f->rms_error);
    if (f->unknown_count > 0 && !f->weighted && !(f->freedom > 0))
        note_print(command, "as many unknowns as configurations and no spread of the times: "
                            "there are no intervals; give std_dev, half_width or repeated times");
    if (f->other_optima > 0)
        note_print(command, "%zu other set(s) of values fit as well within the errors",
                   f->other_optima);
    if (f->widening > 1 || (!f->weighted && f->rms_error > poor))
        suggest_free(command, a);
    if ((pairs || bounds) && f->base_count == 1)
        suggest(command, a);
}
