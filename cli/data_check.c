/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"
#include "cli/database.h"
#include "cli/output/errors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct findings {
    char **lines;
    size_t count;
    bool no_memory;
} findings;

static int add(const char *finding, void *context)
{
    findings *all = context;
    char **lines = realloc(all->lines, (all->count + 1) * sizeof *lines);
    if (lines != NULL) {
        all->lines = lines;
        lines[all->count] = strdup(finding);
    }
    all->no_memory = lines == NULL || lines[all->count] == NULL;
    all->count += !all->no_memory;
    return all->no_memory;
}

static void make_finding(const table_column *column, const void *line, table_cell *cell)
{
    (void)column;
    cell_text(cell, line);
}

static const table_column columns[] = {
    {"finding", "Finding", .make = make_finding, .layout = COLUMN_PROSE}};

static int report(const command_invocation *invocation, const findings *all)
{
    const table_rows rows = {
        .key = "findings", COLUMNS(columns), RECORD_POINTERS(all->lines, all->count)};
    output_field count = {.key = "count"};
    cell_size(&count.value, all->count);
    const int status = output_print(invocation->format, &rows, &count, 1);
    if (status != EXIT_DONE)
        return status;
    if (all->count > 0)
        return error_failed(invocation->arguments.command, "%zu finding%s", all->count,
                            all->count == 1 ? "" : "s");
    if (invocation->format == FORMAT_TABLE)
        puts("Nothing wrong found.");
    return EXIT_DONE;
}

static int run(const command_invocation *invocation)
{
    const char *command = invocation->arguments.command;
    clump_store *store = NULL;
    findings all = {.lines = NULL};
    int status = database_open(invocation, &store);
    if (status == EXIT_DONE) {
        const clump_store_status checked = clump_store_check(store, add, &all, NULL);
        if (all.no_memory)
            status = error_memory(command);
        else if (checked != CLUMP_STORE_OK)
            status = error_store(command, store, checked);
        else
            status = report(invocation, &all);
    }
    for (size_t i = 0; i < all.count; i++)
        free(all.lines[i]);
    free(all.lines);
    clump_store_close(store);
    return status;
}

const command_entry command_data_check = {
    .name = "data check",
    .summary = "Check the database and the reference data",
    .text = "Looks for damage, for samples out of range, and for LogGP parameters that contradict\n"
            "each other. The exit status is 1 if anything is found.",
    .examples = "clumpmodel data check\n"
                "clumpmodel data check --db lab.db --format json",
    .run = run,
};
