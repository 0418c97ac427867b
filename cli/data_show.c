/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"
#include "cli/data_names.h"
#include "cli/data_records.h"
#include "cli/data_samples.h"
#include "cli/database.h"
#include "cli/output/errors.h"
#include "cli/output/escape.h"
#include "cli/output/output.h"

#include <stdio.h>

static int read_samples(const char *command, clump_store *store, const named_records *named,
                        sample_list *samples)
{
    for (size_t k = 0; k < RECORD_KIND_COUNT; k++) {
        if (named->records[k].count == 0)
            continue;
        const clump_store_filter filter = named_records_filter(named, (record_kind)k);
        const clump_store_status read = sample_list_read(store, &filter, samples);
        if (read == CLUMP_STORE_STOPPED)
            return error_memory(command);
        if (read != CLUMP_STORE_OK)
            return error_store(command, store, read);
    }
    return EXIT_DONE;
}

static void print_sources(const sample_list *samples)
{
    puts("\nSources:");
    for (size_t i = 0; i < samples->source_count; i++) {
        char text[1024];
        source_cite(&samples->sources[i], text, sizeof text);
        printf("[%zu] ", i + 1);
        escape_print(samples->sources[i].name, stdout);
        fputs(": ", stdout);
        escape_print(text, stdout);
        putchar('\n');
    }
}

/* ---- what describes an application that was fitted; it has no samples of its own */

#define PARAMETER(member) FIELD(clump_store_fit_parameter, member)

static const table_column parameter_columns[] = {
    {"parameter", "Parameter", PARAMETER(name)},
    {"value", "Value", PARAMETER(value)},
    {"low", "Low", PARAMETER(low)},
    {"high", "High", PARAMETER(high)},
    {"free", "Fitted", PARAMETER(free)},
};

static bool is_shared(const void *run)
{
    return ((const clump_store_fit_run *)run)->processors > 1;
}

static void make_residual(const table_column *column, const void *run, table_cell *cell)
{
    const clump_store_fit_run *r = run;
    (void)column;
    cell_real(cell, r->fitted_s / r->time_s - 1);
}

#define RUN(member) FIELD(clump_store_fit_run, member)

static const table_column time_columns[] = {
    {"platform", "Platform", RUN(platform)},
    {"processors", "Processors", RUN(processors)},
    {"nics", "NICs", RUN(nics)},
    {"mapping", "Mapping", RUN(mapping), .applies = is_shared, .folding = FOLD_ROWS},
    {"measured_s", "Measured s", RUN(time_s)},
    {"relative_error", "Error of it", NUMBER_PERCENT, RUN(relative_error)},
    {"fitted_s", "Fitted s", RUN(fitted_s)},
    {"residual", "Residual", NUMBER_SIGNED, .make = make_residual},
    {"source", "Source", RUN(source), .folding = FOLD_ROWS},
};

static table_rows parameter_rows(const clump_store_fit *fit)
{
    return (table_rows){.key = "parameters",
                        COLUMNS(parameter_columns),
                        RECORDS(fit->parameters, fit->parameter_count)};
}

static table_rows time_rows(const clump_store_fit *fit)
{
    return (table_rows){
        .key = "fitted_times", COLUMNS(time_columns), RECORDS(fit->runs, fit->run_count)};
}

static int print_fit(const clump_store_fit *fit)
{
    const table_rows parameters = parameter_rows(fit);
    const table_rows times = time_rows(fit);
    printf("Demand: %s, Efficiency: %s, Confidence: %.4g%%\n\n", fit->demand, fit->efficiency,
           100 * fit->confidence);
    const int status = table_print(&parameters);
    putchar('\n');
    return status == EXIT_DONE ? table_print(&times) : status;
}

static int print_for_eyes(const named_records *named, const sample_list *samples,
                          const clump_store_fit *fit)
{
    const table_rows rows = sample_rows(samples);
    for (size_t k = 0; k < RECORD_KIND_COUNT; k++)
        if (named->records[k].count > 0) {
            const table_rows record = record_rows(&named->records[k]);
            record_print(&record, 0);
            putchar('\n');
        }
    if (samples->count == 0 && fit != NULL)
        return print_fit(fit);
    if (samples->count == 0) {
        puts("No samples.");
        return EXIT_DONE;
    }
    const int status = table_print(&rows);
    if (status == EXIT_DONE)
        print_sources(samples);
    return status;
}

static int print(const command_invocation *invocation, const named_records *named,
                 const sample_list *samples, const clump_store_fit *fit)
{
    const table_rows rows = sample_rows(samples);
    table_rows records[RECORD_KIND_COUNT], parameters, times;
    const table_rows *sets[RECORD_KIND_COUNT + 3];
    size_t count = 0;
    if (invocation->format == FORMAT_TABLE)
        return print_for_eyes(named, samples, fit);
    if (invocation->format == FORMAT_CSV)
        return csv_print(&rows);
    for (size_t k = 0; k < RECORD_KIND_COUNT; k++)
        if (named->records[k].count > 0) {
            records[k] = record_rows(&named->records[k]);
            sets[count++] = &records[k];
        }
    if (fit != NULL) {
        parameters = parameter_rows(fit);
        times = time_rows(fit);
        sets[count++] = &parameters;
        sets[count++] = &times;
    }
    sets[count++] = &rows;
    return json_print(sets, count, NULL, 0);
}

static int run(const command_invocation *invocation)
{
    const command_line *arguments = &invocation->arguments;
    clump_store *store = NULL;
    named_records named = {.name = arguments->operands[0]};
    sample_list samples = {.items = NULL};
    clump_store_fit *fit = NULL;
    int status = database_open(invocation, &store);
    if (status == EXIT_DONE)
        status = named_records_find(arguments->command, store, &named);
    if (status == EXIT_DONE)
        status = read_samples(arguments->command, store, &named, &samples);
    if (status == EXIT_DONE && named.records[RECORD_APPLICATION].count > 0) {
        const clump_store_status found = clump_store_find_fit(store, named.name, &fit);
        if (found != CLUMP_STORE_OK)
            status = error_store(arguments->command, store, found);
    }
    if (status == EXIT_DONE)
        status = print(invocation, &named, &samples, fit);
    clump_store_free(fit);
    sample_list_free(&samples);
    named_records_free(&named);
    clump_store_close(store);
    return status;
}

const command_entry command_data_show = {
    .name = "data show",
    .operands = "NAME",
    .summary = "Show all that is known about a platform, application, source or "
               "quantity",
    .text = "Each number comes with its unit, its 95% interval if known, and "
            "its source: the\n"
            "document, table and page, or the log file.",
    .examples = "clumpmodel data show e5000-clump\n"
                "clumpmodel data show thesis-table-7.6 --format json\n"
                "clumpmodel data show gap_per_byte --format csv",
    .least_operands = 1,
    .most_operands = 1,
    .run = run,
};
