/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/validation_rows.h"

#include "cli/csv_output.h"
#include "cli/errors.h"
#include "cli/json_output.h"
#include "cli/table_output.h"
#include "cli/validation_cells.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef clump_cli_validation_line line;

typedef struct lines {
    line *predictions, *errors, *problems, *unsimulated;
    size_t prediction_count, error_count, problem_count, unsimulated_count;
    bool simulated; /* somebody asked for it */
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
    for (size_t v = 0; v <= CLUMP_CLI_VALIDATION_CHOSEN; v++) {
        const clump_validation_summary sum =
            v < CLUMP_CLI_VALIDATION_CHOSEN
                ? clump_validation_summarize(validation, run->dataset, v)
                : clump_validation_chosen_by_others(validation, run->dataset);
        if (sum.count > 0)
            all->errors[all->error_count++] = (line){run, v, sum};
    }
}

static bool make_lines(const clump_validation *validation,
                       const bool variants[CLUMP_VALIDATION_VARIANTS], bool simulated, lines *all)
{
    const size_t n = validation->count;
    *all = (lines){.simulated = simulated,
                   .predictions = calloc(n * CLUMP_VALIDATION_VARIANTS, sizeof(line)),
                   .errors = calloc(n * (CLUMP_CLI_VALIDATION_CHOSEN + 1), sizeof(line)),
                   .problems = calloc(n, sizeof(line)),
                   .unsimulated = calloc(n, sizeof(line))};
    if (all->predictions == NULL || all->errors == NULL || all->problems == NULL ||
        all->unsimulated == NULL)
        return false;
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

/* A table for each data set, so that its name stands above. */
static int print_by_dataset(const clump_cli_rows *rows, const line *all, bool by_variant)
{
    int status = CLUMP_CLI_DONE;
    size_t length;
    for (size_t first = 0; first < rows->row_count && status == CLUMP_CLI_DONE; first += length) {
        for (length = 1; first + length < rows->row_count; length++)
            if (strcmp(all[first].run->dataset, all[first + length].run->dataset) != 0 ||
                (by_variant && all[first].variant != all[first + length].variant))
                break;
        clump_cli_rows part = *rows;
        part.context = all + first;
        part.row_count = length;
        status = clump_cli_table_print(&part);
        (void)putchar('\n');
    }
    return status;
}

/* Why one's own times are not predicted; those that ship are only counted. */
static int print_problems(const clump_cli_rows *problems, const lines *all)
{
    size_t own = 0; /* they come first */
    while (own < all->problem_count && !all->problems[own].run->reference)
        own++;
    const size_t others = all->problem_count - own;
    int status = CLUMP_CLI_DONE;
    if (own > 0) {
        clump_cli_rows part = *problems;
        part.row_count = own;
        status = clump_cli_table_print(&part);
    }
    if (others > 0)
        (void)printf("%s%zu measured time%s not predicted; --format json says why.\n",
                     own > 0 ? "\n" : "", others, others == 1 ? " is" : "s are");
    return status;
}

static int print_lines(clump_cli_format format, const lines *all)
{
    const clump_cli_rows predictions =
        clump_cli_validation_predictions(all->predictions, all->prediction_count, all->simulated);
    const clump_cli_rows errors = clump_cli_validation_errors(all->errors, all->error_count);
    const clump_cli_rows problems =
        clump_cli_validation_problems(all->problems, all->problem_count);
    const clump_cli_rows unsimulated =
        clump_cli_validation_unsimulated(all->unsimulated, all->unsimulated_count);
    const clump_cli_rows *const sets[] = {&predictions, &errors, &problems, &unsimulated};
    if (format == CLUMP_CLI_CSV)
        return clump_cli_csv_print(&predictions);
    if (format == CLUMP_CLI_JSON)
        return clump_cli_json_print(sets, all->simulated ? 4 : 3, NULL, 0);
    int status = print_by_dataset(&predictions, all->predictions, true);
    if (status == CLUMP_CLI_DONE)
        status = print_by_dataset(&errors, all->errors, false);
    if (status == CLUMP_CLI_DONE && all->unsimulated_count > 0) {
        status = clump_cli_table_print(&unsimulated);
        (void)putchar('\n');
    }
    return status == CLUMP_CLI_DONE ? print_problems(&problems, all) : status;
}

int clump_cli_validation_print(clump_cli_format format, const clump_validation *validation,
                               const bool variants[CLUMP_VALIDATION_VARIANTS], bool simulated)
{
    lines all;
    const int status = make_lines(validation, variants, simulated, &all)
                           ? print_lines(format, &all)
                           : clump_cli_error_memory("validate");
    free(all.predictions);
    free(all.errors);
    free(all.problems);
    free(all.unsimulated);
    return status;
}
