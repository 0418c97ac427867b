/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/validation_rows.h"

#include "cli/output/errors.h"
#include "cli/output/output.h"
#include "cli/validation_cells.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef validation_line line;

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
    for (size_t v = 0; v <= VALIDATION_CHOSEN; v++) {
        const clump_validation_summary sum =
            v < VALIDATION_CHOSEN ? clump_validation_summarize(validation, run->dataset, v)
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
                   .errors = calloc(n * (VALIDATION_CHOSEN + 1), sizeof(line)),
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
static int print_by_dataset(const table_rows *rows, const line *all, bool by_variant)
{
    int status = EXIT_DONE;
    size_t length;
    for (size_t first = 0; first < rows->row_count && status == EXIT_DONE; first += length) {
        for (length = 1; first + length < rows->row_count; length++)
            if (strcmp(all[first].run->dataset, all[first + length].run->dataset) != 0 ||
                (by_variant && all[first].variant != all[first + length].variant))
                break;
        table_rows part = *rows;
        part.context = all + first;
        part.row_count = length;
        status = table_print(&part);
        putchar('\n');
    }
    return status;
}

/* Why one's own times are not predicted; those that ship are only counted. */
static int print_problems(const table_rows *problems, const lines *all)
{
    size_t own = 0; /* they come first */
    while (own < all->problem_count && !all->problems[own].run->reference)
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

static int print_lines(output_format format, const lines *all)
{
    const table_rows predictions =
        validation_predictions(all->predictions, all->prediction_count, all->simulated);
    const table_rows errors = validation_errors(all->errors, all->error_count);
    const table_rows problems = validation_problems(all->problems, all->problem_count);
    const table_rows unsimulated = validation_unsimulated(all->unsimulated, all->unsimulated_count);
    const table_rows *const sets[] = {&predictions, &errors, &problems, &unsimulated};
    if (format == FORMAT_CSV)
        return csv_print(&predictions);
    if (format == FORMAT_JSON)
        return json_print(sets, all->simulated ? 4 : 3, NULL, 0);
    int status = print_by_dataset(&predictions, all->predictions, true);
    if (status == EXIT_DONE)
        status = print_by_dataset(&errors, all->errors, false);
    if (status == EXIT_DONE && all->unsimulated_count > 0) {
        status = table_print(&unsimulated);
        putchar('\n');
    }
    return status == EXIT_DONE ? print_problems(&problems, all) : status;
}

int validation_print(output_format format, const clump_validation *validation,
                     const bool variants[CLUMP_VALIDATION_VARIANTS], bool simulated)
{
    lines all;
    const int status = make_lines(validation, variants, simulated, &all) ? print_lines(format, &all)
                                                                         : error_memory("validate");
    free(all.predictions);
    free(all.errors);
    free(all.problems);
    free(all.unsimulated);
    return status;
}
