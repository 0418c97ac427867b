/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/result_tables.h"

#include "cli/output/errors.h"
#include "cli/output/output.h"
#include "cli/result_rows.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Kinds of demand whose errors are told apart. */
enum { DEMANDS = 8 };

typedef struct error_sum {
    char demand[CLUMP_DEMAND_NAME_SIZE];
    double sum;
    size_t rows;
} error_sum;

double result_mean_error(const clump_result *results, size_t count)
{
    double sum = 0;
    size_t rows = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(results[i].error)) {
            sum += fabs(results[i].error);
            rows++;
        }
    return rows > 0 ? sum / (double)rows : NAN;
}

static void add_error(error_sum sums[DEMANDS], const clump_result *result)
{
    char demand[CLUMP_DEMAND_NAME_SIZE];
    clump_demand_name(result->demand, result->gang_size, demand);
    for (size_t d = 0; d < DEMANDS; d++) {
        if (sums[d].rows > 0 && strcmp(sums[d].demand, demand) != 0)
            continue;
        memcpy(sums[d].demand, demand, sizeof demand);
        sums[d].sum += fabs(result->error);
        sums[d].rows++;
        return;
    }
}

/* "Mean absolute error of 12 predictions: 11.6% (independent 13.0%, correlated 10.2%)" */
static void print_errors(const clump_result *results, size_t count)
{
    error_sum sums[DEMANDS] = {{.rows = 0}};
    size_t rows = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(results[i].error)) {
            add_error(sums, &results[i]);
            rows++;
        }
    if (rows < 2)
        return;
    printf("\nMean absolute error of %zu predictions: %.1f%%", rows,
           100 * result_mean_error(results, count));
    if (sums[1].rows > 0 && sums[DEMANDS - 1].rows == 0) {
        for (size_t d = 0; d < DEMANDS && sums[d].rows > 0; d++)
            printf("%s%s %.1f%%", d == 0 ? " (" : ", ", sums[d].demand,
                   100 * sums[d].sum / (double)sums[d].rows);
        fputs(")", stdout);
    }
    putchar('\n');
}

static bool is_same_scenario(const clump_result *a, const clump_result *b)
{
    if (a->scenario == NULL || b->scenario == NULL)
        return a->scenario == b->scenario;
    return a->scenario == b->scenario || strcmp(a->scenario, b->scenario) == 0;
}

int result_tables_print(const clump_result *results, size_t count)
{
    int status = EXIT_DONE;
    size_t length;
    if (count == 0)
        puts("No results.");
    for (size_t first = 0; first < count && status == EXIT_DONE; first += length) {
        for (length = 1; first + length < count; length++)
            if (!is_same_scenario(&results[first], &results[first + length]))
                break;
        if (first > 0)
            putchar('\n');
        const table_rows rows = result_rows(results + first, length);
        status = table_print(&rows);
        if (status == EXIT_DONE)
            print_errors(results + first, length);
    }
    return status;
}
