/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"
#include "cli/csv_output.h"
#include "cli/data_fit.h"
#include "cli/data_names.h"
#include "cli/data_records.h"
#include "cli/data_samples.h"
#include "cli/database.h"
#include "cli/errors.h"
#include "cli/escape.h"
#include "cli/json_output.h"
#include "cli/table_output.h"

#include <stdio.h>

static int read_samples(const char *command, clump_store *store, const clump_cli_named *named,
                        clump_cli_samples *samples)
{
    for (size_t k = 0; k < CLUMP_CLI_KIND_COUNT; k++) {
        if (named->records[k].count == 0)
            continue;
        const clump_store_filter filter = clump_cli_named_filter(named, (clump_cli_kind)k);
        const clump_store_status read = clump_cli_samples_read(store, &filter, samples);
        if (read == CLUMP_STORE_STOPPED)
            return clump_cli_error_memory(command);
        if (read != CLUMP_STORE_OK)
            return clump_cli_error_store(command, store, read);
    }
    return CLUMP_CLI_DONE;
}

static void print_sources(const clump_cli_samples *samples)
{
    (void)puts("\nSources:");
    for (size_t i = 0; i < samples->source_count; i++) {
        char text[1024];
        clump_cli_source_cite(&samples->sources[i], text, sizeof text);
        (void)printf("[%zu] ", i + 1);
        clump_cli_escape_print(samples->sources[i].name, stdout);
        (void)fputs(": ", stdout);
        clump_cli_escape_print(text, stdout);
        (void)putchar('\n');
    }
}

/* What describes an application that was fitted; it has no samples of its own. */
static int print_fit(const clump_store_fit *fit)
{
    const clump_cli_rows parameters = clump_cli_fit_parameter_rows(fit);
    const clump_cli_rows times = clump_cli_fit_time_rows(fit);
    (void)printf("Demand: %s, Efficiency: %s, Confidence: %.4g%%\n\n", fit->demand, fit->efficiency,
                 100 * fit->confidence);
    const int status = clump_cli_table_print(&parameters);
    (void)putchar('\n');
    return status == CLUMP_CLI_DONE ? clump_cli_table_print(&times) : status;
}

static int print_for_eyes(const clump_cli_named *named, const clump_cli_samples *samples,
                          const clump_store_fit *fit)
{
    const clump_cli_rows rows = clump_cli_sample_rows(samples);
    for (size_t k = 0; k < CLUMP_CLI_KIND_COUNT; k++)
        if (named->records[k].count > 0) {
            const clump_cli_rows record = clump_cli_record_rows(&named->records[k]);
            clump_cli_record_print(&record, 0);
            (void)putchar('\n');
        }
    if (samples->count == 0 && fit != NULL)
        return print_fit(fit);
    if (samples->count == 0) {
        (void)puts("No samples.");
        return CLUMP_CLI_DONE;
    }
    const int status = clump_cli_table_print(&rows);
    if (status == CLUMP_CLI_DONE)
        print_sources(samples);
    return status;
}

static int print(const clump_cli_invocation *invocation, const clump_cli_named *named,
                 const clump_cli_samples *samples, const clump_store_fit *fit)
{
    const clump_cli_rows rows = clump_cli_sample_rows(samples);
    clump_cli_rows records[CLUMP_CLI_KIND_COUNT], parameters, times;
    const clump_cli_rows *sets[CLUMP_CLI_KIND_COUNT + 3];
    size_t count = 0;
    if (invocation->format == CLUMP_CLI_TABLE)
        return print_for_eyes(named, samples, fit);
    if (invocation->format == CLUMP_CLI_CSV)
        return clump_cli_csv_print(&rows);
    for (size_t k = 0; k < CLUMP_CLI_KIND_COUNT; k++)
        if (named->records[k].count > 0) {
            records[k] = clump_cli_record_rows(&named->records[k]);
            sets[count++] = &records[k];
        }
    if (fit != NULL) {
        parameters = clump_cli_fit_parameter_rows(fit);
        times = clump_cli_fit_time_rows(fit);
        sets[count++] = &parameters;
        sets[count++] = &times;
    }
    sets[count++] = &rows;
    return clump_cli_json_print(sets, count, NULL, 0);
}

static int run(const clump_cli_invocation *invocation)
{
    const clump_cli_arguments *arguments = &invocation->arguments;
    clump_store *store = NULL;
    clump_cli_named named = {.name = arguments->operands[0]};
    clump_cli_samples samples = {.items = NULL};
    clump_store_fit *fit = NULL;
    int status = clump_cli_database_open(invocation, &store);
    if (status == CLUMP_CLI_DONE)
        status = clump_cli_named_find(arguments->command, store, &named);
    if (status == CLUMP_CLI_DONE)
        status = read_samples(arguments->command, store, &named, &samples);
    if (status == CLUMP_CLI_DONE && named.records[CLUMP_CLI_APPLICATION].count > 0) {
        const clump_store_status found = clump_store_find_fit(store, named.name, &fit);
        if (found != CLUMP_STORE_OK)
            status = clump_cli_error_store(arguments->command, store, found);
    }
    if (status == CLUMP_CLI_DONE)
        status = print(invocation, &named, &samples, fit);
    clump_store_free(fit);
    clump_cli_samples_free(&samples);
    clump_cli_named_free(&named);
    clump_store_close(store);
    return status;
}

const clump_cli_command clump_cli_command_data_show = {
    .name = "data show",
    .operands = "NAME",
    .summary = "Show what is known of a platform, application, source or quantity",
    .text =
        "Each number comes with its unit, its 95% interval where it is known, and the document,\n"
        "table and page, or the log file, that it was taken from.",
    .examples = "clumpmodel data show e5000-clump\n"
                "clumpmodel data show thesis-table-7.6 --format json\n"
                "clumpmodel data show gap_per_byte --format csv",
    .least_operands = 1,
    .most_operands = 1,
    .run = run,
};
