/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/fitting/fit_slowdown_tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fit_slowdown_unknown(const clump_slowdown_runs *runs, size_t unknown, char text[UNKNOWN_SIZE])
{
    if (unknown < CLUMP_SLOWDOWN_PARAMETERS) {
        snprintf(text, UNKNOWN_SIZE, "%s",
                 clump_slowdown_parameter_name((clump_slowdown_parameter)unknown));
        return;
    }
    const char *name = runs->records[runs->base_of[unknown - CLUMP_SLOWDOWN_PARAMETERS]].base;
    snprintf(text, UNKNOWN_SIZE, "time%s%.58s", name[0] != '\0' ? " " : "", name);
}

/* ---- parameters */

typedef struct parameter {
    char name[UNKNOWN_SIZE];
    const char *meaning;
    clump_slowdown_estimate estimate;
} parameter;

static void make_interval(const void *record, table_cell *cell)
{
    const clump_slowdown_estimate *e = &((const parameter *)record)->estimate;
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

static void make_bound(const void *record, table_cell *cell)
{
    const clump_slowdown_estimate *e = &((const parameter *)record)->estimate;
    if (e->free && (e->low_is_bound || e->high_is_bound))
        cell_text(cell, e->low_is_bound && e->high_is_bound ? "both"
                        : e->low_is_bound                   ? "low"
                                                            : "high");
}

#define ESTIMATE(member) FIELD(parameter, estimate.member)

static const table_column parameter_columns[] = {
    {"parameter", "Parameter", FIELD_ARRAY(parameter, name)},
    {"estimate", "Estimate", ESTIMATE(value)},
    {NULL, "Interval", .make = make_interval, .layout = COLUMN_LEFT},
    {"low", NULL, ESTIMATE(low)},
    {"high", NULL, ESTIMATE(high)},
    {"standard_error", NULL, ESTIMATE(standard_error)},
    {"free", NULL, ESTIMATE(free)},
    {"not_limited", NULL, .make = make_bound, .layout = COLUMN_LEFT},
    {"meaning", "Meaning", FIELD(parameter, meaning)},
};

/* ---- correlations */

typedef struct pair {
    char first[UNKNOWN_SIZE], second[UNKNOWN_SIZE];
    double correlation; /* NAN: the data leave a direction open */
} pair;

static void make_correlation(const void *record, table_cell *cell)
{
    const double correlation = ((const pair *)record)->correlation;
    if (isnan(correlation))
        cell_text(cell, "open");
    else
        cell_real(cell, correlation);
}

static const table_column pair_columns[] = {
    {"parameter", "Of", FIELD_ARRAY(pair, first)},
    {"with", "with", FIELD_ARRAY(pair, second)},
    {"correlation", "Correlation", NUMBER_RATIO, .make = make_correlation, .layout = COLUMN_RIGHT},
};

/* ---- configurations: measured, fitted, residual */

typedef struct configuration {
    clump_slowdown_record record;
    size_t times;
    double utilization, remote_fraction, cost_ratio, waiting_fraction;
    double measured_s, relative_error, fitted_s, residual, standardized, slowdown;
} configuration;

static void make_mapping(const void *record, table_cell *cell)
{
    const clump_slowdown_run *run = &((const configuration *)record)->record.run;
    if (run->processors > 1)
        cell_text(cell, clump_mapping_name(run->mapping));
}

/* How many times were merged matters only where some were. */
static bool is_merged(const void *record)
{
    return ((const configuration *)record)->times > 1;
}

static const table_column configuration_columns[] = {
    {"platform", "Platform", FIELD_ARRAY(configuration, record.platform)},
    {"processors", "Processors", FIELD(configuration, record.run.processors)},
    {"nics", "NICs", FIELD(configuration, record.run.nics)},
    {"mapping", "Mapping", .make = make_mapping, .folding = FOLD_ROWS, .layout = COLUMN_LEFT},
    {"now", NULL, FIELD_ARRAY(configuration, record.base)},
    {"utilization", "U", FIELD(configuration, utilization)},
    {"remote_fraction", "f", FIELD(configuration, remote_fraction)},
    {"cost_ratio", "V", FIELD(configuration, cost_ratio)},
    {"waiting_fraction", "h", FIELD(configuration, waiting_fraction)},
    {"times", "Times", FIELD(configuration, times), .folding = FOLD_ROWS, .worth = is_merged},
    {"measured_s", "Measured s", FIELD(configuration, measured_s)},
    {"relative_error", "Error of it", NUMBER_PERCENT, FIELD(configuration, relative_error)},
    {"fitted_s", "Fitted s", FIELD(configuration, fitted_s)},
    {"residual", "Residual", NUMBER_SIGNED, FIELD(configuration, residual)},
    {"standardized_residual", NULL, FIELD(configuration, standardized)},
    {"slowdown", "Slowdown", NUMBER_RATIO, FIELD(configuration, slowdown)},
};

/* ---- all of them */

enum { PARTS = 2, PAIRS = CLUMP_SLOWDOWN_UNKNOWNS * (CLUMP_SLOWDOWN_UNKNOWNS - 1) / 2 };

typedef struct records {
    parameter parameters[CLUMP_SLOWDOWN_UNKNOWNS + PARTS];
    pair pairs[PAIRS];
    size_t parameter_count, pair_count;
    configuration configurations[];
} records;

/* What runs bring with them each is no parameter of the fit. */
static bool is_of_runs(const clump_slowdown_question *q, size_t k)
{
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

/* Returns the place of its name. */
static char *add(records *to, const char *meaning, const clump_slowdown_estimate *estimate)
{
    parameter *p = &to->parameters[to->parameter_count++];
    *p = (parameter){.meaning = meaning, .estimate = *estimate};
    if (!estimate->free)
        p->estimate.low = p->estimate.high = p->estimate.standard_error = NAN;
    return p->name;
}

static void add_parameters(const fit_slowdown_answer *a, records *to)
{
    static const char *const meanings[CLUMP_SLOWDOWN_PARAMETERS] = {
        "utilization on the NOW",
        "gang size: how many start together",
        "loss of efficiency, E(q)",
        "memory penalty",
        "remote fraction",
        "local over remote cost",
        "share of communication waiting",
    };
    const clump_slowdown_fit *f = a->fit;
    for (size_t k = 0; k < CLUMP_SLOWDOWN_PARAMETERS; k++)
        if (!isnan(f->parameters[k].value) && !is_of_runs(a->question, k))
            fit_slowdown_unknown(a->runs, k, add(to, meanings[k], &f->parameters[k]));
    for (size_t b = 0; b < f->base_count; b++)
        fit_slowdown_unknown(
            a->runs, CLUMP_SLOWDOWN_PARAMETERS + b,
            add(to, a->runs->slowdowns ? "of the NOW, in its own unit" : "seconds on the NOW",
                &f->base_times_s[b]));
    if (f->parameters[CLUMP_SLOWDOWN_UTILIZATION].free && f->base_count == 1 &&
        !a->runs->slowdowns) {
        strcpy(add(to, "seconds of it on the NOW, T (1-U)", &f->computation_s), "computation");
        strcpy(add(to, "seconds of it on the NOW, T U", &f->communication_s), "communication");
    }
}

static void add_pairs(const fit_slowdown_answer *a, records *to)
{
    const clump_slowdown_fit *f = a->fit;
    for (size_t i = 1; i < f->unknown_count; i++)
        for (size_t j = 0; j < i; j++) {
            pair *p = &to->pairs[to->pair_count++];
            fit_slowdown_unknown(a->runs, f->unknowns[j], p->first);
            fit_slowdown_unknown(a->runs, f->unknowns[i], p->second);
            p->correlation = f->correlation[i][j];
        }
}

static configuration make_configuration(const fit_slowdown_answer *a, size_t i)
{
    const clump_slowdown_run *r = &a->question->runs[i];
    const bool *free = a->question->free;
    const double fitted_s = a->fit->fitted_s[i];
    return (configuration){
        .record = a->runs->records[a->runs->record_of[i]],
        .times = a->runs->repetitions[i],
        .utilization = free[CLUMP_SLOWDOWN_UTILIZATION] ? NAN : r->utilization,
        .remote_fraction = free[CLUMP_SLOWDOWN_REMOTE] ? NAN
                           : r->nics == 0              ? 0
                                                       : r->remote_fraction,
        .cost_ratio = free[CLUMP_SLOWDOWN_COST_RATIO] ? NAN : r->cost_ratio,
        .waiting_fraction = free[CLUMP_SLOWDOWN_WAITING] ? NAN : r->waiting_fraction,
        .measured_s = r->time_s,
        .relative_error = r->relative_error,
        .fitted_s = fitted_s,
        /* As in `predict`: of the model, against what was measured. */
        .residual = fitted_s / r->time_s - 1,
        .standardized = log(fitted_s / r->time_s) / r->relative_error,
        .slowdown = a->fit->slowdowns[i],
    };
}

fit_tables fit_slowdown_tables_make(const fit_slowdown_answer *answer)
{
    const size_t count = answer->question->run_count;
    records *r = calloc(1, sizeof *r + count * sizeof *r->configurations);
    if (r == NULL)
        return (fit_tables){.records = NULL};
    add_parameters(answer, r);
    add_pairs(answer, r);
    for (size_t i = 0; i < count; i++)
        r->configurations[i] = make_configuration(answer, i);
    return (fit_tables){
        .all = {{"parameters", COLUMNS(parameter_columns),
                 RECORDS(r->parameters, r->parameter_count)},
                {"correlations", COLUMNS(pair_columns), RECORDS(r->pairs, r->pair_count)},
                {"configurations", COLUMNS(configuration_columns),
                 RECORDS(r->configurations, count)}},
        .count = 3,
        .records = r};
}
