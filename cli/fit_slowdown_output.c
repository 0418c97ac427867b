/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/fit_slowdown_output.h"

#include "cli/output/output.h"

#include <math.h>
#include <stdio.h>

const char *fit_slowdown_unknown(const fit_slowdown_question *asked, size_t unknown,
                                 char text[UNKNOWN_SIZE])
{
    if (unknown < CLUMP_SLOWDOWN_PARAMETERS)
        return clump_slowdown_parameter_name((clump_slowdown_parameter)unknown);
    const size_t base = unknown - CLUMP_SLOWDOWN_PARAMETERS;
    const char *name = asked->runs.records[asked->runs.base_of[base]].base;
    snprintf(text, UNKNOWN_SIZE, "time%s%.58s", name[0] != '\0' ? " " : "", name);
    return text;
}

/* ---- parameters ---- */

enum { PARTS = 2 };

typedef struct line {
    size_t unknown; /* PARAMETERS + bases, and beyond that the parts */
    const clump_slowdown_estimate *estimate;
} line;

typedef struct sheet {
    const fit_slowdown_answer *answer;
    line lines[CLUMP_SLOWDOWN_UNKNOWNS + PARTS];
    size_t line_count;
} sheet;

static const char *const part_names[PARTS] = {"computation", "communication"};

static const char *meaning_of(const fit_slowdown_answer *a, size_t unknown)
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
    if (unknown < CLUMP_SLOWDOWN_PARAMETERS)
        return meanings[unknown];
    if (unknown >= CLUMP_SLOWDOWN_UNKNOWNS)
        return unknown == CLUMP_SLOWDOWN_UNKNOWNS ? "seconds of it on the NOW, T (1-U)"
                                                  : "seconds of it on the NOW, T U";
    return a->asked->runs.slowdowns ? "of the NOW, in its own unit" : "seconds on the NOW";
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

static sheet make_sheet(const fit_slowdown_answer *a)
{
    sheet s = {.answer = a};
    const clump_slowdown_fit *f = a->fit;
    for (size_t k = 0; k < CLUMP_SLOWDOWN_PARAMETERS; k++)
        if (!isnan(f->parameters[k].value) && !is_of_runs(a, k))
            s.lines[s.line_count++] = (line){k, &f->parameters[k]};
    for (size_t b = 0; b < f->base_count; b++)
        s.lines[s.line_count++] = (line){CLUMP_SLOWDOWN_PARAMETERS + b, &f->base_times_s[b]};
    if (f->parameters[CLUMP_SLOWDOWN_UTILIZATION].free && f->base_count == 1 &&
        !a->asked->runs.slowdowns) {
        s.lines[s.line_count++] = (line){CLUMP_SLOWDOWN_UNKNOWNS, &f->computation_s};
        s.lines[s.line_count++] = (line){CLUMP_SLOWDOWN_UNKNOWNS + 1, &f->communication_s};
    }
    return s;
}

enum { NAME, ESTIMATE, INTERVAL, LOW, HIGH, ERROR, FREE, BOUND, MEANING, PARAMETER_COLUMNS };

static const table_column parameter_columns[PARAMETER_COLUMNS] = {
    [NAME] = {"parameter", "Parameter", 0, 0, COLUMN_LEFT},
    [ESTIMATE] = {"estimate", "Estimate", 0, 0, COLUMN_RIGHT},
    [INTERVAL] = {NULL, "Interval", 0, 0, COLUMN_LEFT},
    [LOW] = {"low", NULL, 0, 0, COLUMN_RIGHT},
    [HIGH] = {"high", NULL, 0, 0, COLUMN_RIGHT},
    [ERROR] = {"standard_error", NULL, 0, 0, COLUMN_RIGHT},
    [FREE] = {"free", NULL, 0, 0, COLUMN_LEFT},
    [BOUND] = {"not_limited", NULL, 0, 0, COLUMN_LEFT},
    [MEANING] = {"meaning", "Meaning", 0, 0, COLUMN_LEFT},
};

static void show_interval(const clump_slowdown_estimate *e, table_cell *cell)
{
    if (!e->free)
        snprintf(cell->buffer, sizeof cell->buffer, "given");
    else if (isnan(e->low))
        snprintf(cell->buffer, sizeof cell->buffer, "not known");
    else if (e->low_is_bound && e->high_is_bound)
        snprintf(cell->buffer, sizeof cell->buffer, "anything (not limited)");
    else if (e->high_is_bound)
        snprintf(cell->buffer, sizeof cell->buffer, "%.4g or more", e->low);
    else if (e->low_is_bound)
        snprintf(cell->buffer, sizeof cell->buffer, "%.4g or less", e->high);
    else
        snprintf(cell->buffer, sizeof cell->buffer, "%.4g to %.4g", e->low, e->high);
    cell_text(cell, cell->buffer);
}

static void parameter_cell(const void *context, size_t row, size_t column, table_cell *cell)
{
    const sheet *s = context;
    const line *l = &s->lines[row];
    const clump_slowdown_estimate *e = l->estimate;
    switch (column) {
    case NAME:
        cell_text(cell, l->unknown >= CLUMP_SLOWDOWN_UNKNOWNS
                            ? part_names[l->unknown - CLUMP_SLOWDOWN_UNKNOWNS]
                            : fit_slowdown_unknown(s->answer->asked, l->unknown, cell->buffer));
        break;
    case ESTIMATE:
        cell_real(cell, e->value);
        break;
    case INTERVAL:
        show_interval(e, cell);
        break;
    case LOW:
        cell_real(cell, e->free ? e->low : NAN);
        break;
    case HIGH:
        cell_real(cell, e->free ? e->high : NAN);
        break;
    case ERROR:
        cell_real(cell, e->free ? e->standard_error : NAN);
        break;
    case FREE:
        cell_truth(cell, e->free);
        break;
    case BOUND:
        if (e->free && (e->low_is_bound || e->high_is_bound))
            cell_text(cell, e->low_is_bound && e->high_is_bound ? "both"
                            : e->low_is_bound                   ? "low"
                                                                : "high");
        break;
    default:
        cell_text(cell, meaning_of(s->answer, l->unknown));
        break;
    }
}

/* ---- correlations ---- */

enum { FIRST, SECOND, CORRELATION, PAIR_COLUMNS };

static const table_column pair_columns[PAIR_COLUMNS] = {
    [FIRST] = {"parameter", "Of", 0, 0, COLUMN_LEFT},
    [SECOND] = {"with", "with", 0, 0, COLUMN_LEFT},
    [CORRELATION] = {"correlation", "Correlation", NUMBER_RATIO, 0, COLUMN_RIGHT},
};

static void pair_cell(const void *context, size_t row, size_t column, table_cell *cell)
{
    const fit_slowdown_answer *a = context;
    const clump_slowdown_fit *f = a->fit;
    size_t i = 1;
    while (row >= i)
        row -= i++;
    if (column == CORRELATION) {
        if (isnan(f->correlation[i][row]))
            cell_text(cell, "open");
        else
            cell_real(cell, f->correlation[i][row]);
    } else {
        cell_text(cell, fit_slowdown_unknown(a->asked, f->unknowns[column == FIRST ? row : i],
                                             cell->buffer));
    }
}

/* ---- all of it ---- */

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

int fit_slowdown_print(output_format format, const fit_slowdown_answer *a)
{
    const sheet s = make_sheet(a);
    const size_t unknowns = a->fit->unknown_count;
    const table_rows parameters = {.key = "parameters",
                                   .columns = parameter_columns,
                                   .column_count = PARAMETER_COLUMNS,
                                   .row_count = s.line_count,
                                   .cell = parameter_cell,
                                   .context = &s};
    const table_rows pairs = {.key = "correlations",
                              .columns = pair_columns,
                              .column_count = PAIR_COLUMNS,
                              .row_count = unknowns > 1 ? unknowns * (unknowns - 1) / 2 : 0,
                              .cell = pair_cell,
                              .context = a};
    const table_rows runs = fit_slowdown_run_rows(a);
    const table_rows *const sets[] = {&parameters, &pairs, &runs};
    output_field fields[FIELDS];
    set_fields(a, fields);
    if (format == FORMAT_CSV)
        return csv_print(&parameters);
    if (format == FORMAT_JSON)
        return json_print(sets, 3, fields, FIELDS);
    if (a->application != NULL)
        printf("Application: %s\n\n", a->application);
    int status = 0;
    for (size_t i = 0; i < 3 && status == 0; i++) {
        if (sets[i]->row_count == 0)
            continue;
        if (i > 0)
            putchar('\n');
        status = table_print(sets[i]);
    }
    if (status == 0)
        print_goodness(a);
    return status;
}
