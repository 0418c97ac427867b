/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/fitting/fit_report.h"

#include "cli/output/errors.h"
#include "cli/output/escape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const table_column source_columns[] = {{"source", "Sources", .type = FIELD_TEXT}};
static const table_column note_columns[] = {
    {"note", "Notes", .type = FIELD_TEXT, .layout = COLUMN_PROSE}};

void fit_tables_add_lists(fit_tables *tables, const char *const *sources, size_t count,
                          const clump_notes *notes)
{
    tables->all[tables->count++] =
        (table_rows){"sources", COLUMNS(source_columns), RECORDS(sources, count)};
    tables->all[tables->count++] =
        (table_rows){"notes", COLUMNS(note_columns), RECORDS(notes->items, notes->count)};
}

int fit_print(const command_invocation *invocation, fit_tables *tables, const output_field *fields,
              size_t field_count, int (*for_eyes)(const void *fit, const fit_tables *tables),
              const void *fit)
{
    const table_rows *all[FIT_TABLES];
    if (tables->records == NULL)
        return error_memory(invocation->arguments.command);
    for (size_t i = 0; i < tables->count; i++)
        all[i] = &tables->all[i];
    const int status = invocation->format == FORMAT_JSON
                           ? json_print(all, tables->count, fields, field_count)
                       : invocation->format == FORMAT_CSV ? csv_print(all[0])
                                                          : for_eyes(fit, tables);
    free(tables->records);
    return status;
}

int fit_print_tables(const fit_tables *tables, size_t first, size_t end, bool follows)
{
    int status = EXIT_DONE;
    for (size_t i = first; i < end && status == EXIT_DONE; i++) {
        if (tables->all[i].row_count == 0)
            continue;
        if (follows || i > first)
            putchar('\n');
        status = table_print(&tables->all[i]);
    }
    return status;
}

static void print_list(const char *title, const table_rows *rows)
{
    if (rows->row_count > 0)
        printf("\n%s:\n", title);
    for (size_t i = 0; i < rows->row_count; i++) {
        table_cell cell = {0};
        cell_read(rows, i, 0, &cell);
        fputs("- ", stdout);
        escape_print(cell.text != NULL ? cell.text : "", stdout);
        putchar('\n');
    }
}

void fit_print_lists(const fit_tables *tables)
{
    print_list("Beware", &tables->all[tables->count - 1]);
    print_list("Sources", &tables->all[tables->count - 2]);
}

void fit_command_add(char *text, size_t size, const char *option, const char *value)
{
    const size_t used = strlen(text);
    if (value[0] != '\0')
        snprintf(text + used, size - used, " --%s '%.200s'", option, value);
}

int fit_check_stored(const char *command, clump_store_status status, const clump_error *error)
{
    if (status == CLUMP_STORE_OK)
        return EXIT_DONE;
    return status == CLUMP_STORE_FAILED ? error_failed(command, "%s", error->message)
                                        : error_input(command, "--name: %s", error->message);
}
