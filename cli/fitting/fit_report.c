/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/fitting/fit_report.h"

#include "cli/output/errors.h"
#include "cli/output/escape.h"

#include <stdio.h>
#include <string.h>

int fit_print_tables(const table_rows *const *tables, size_t count, bool follows)
{
    int status = EXIT_DONE;
    for (size_t i = 0; i < count && status == EXIT_DONE; i++) {
        if (tables[i]->row_count == 0)
            continue;
        if (follows || i > 0)
            putchar('\n');
        status = table_print(tables[i]);
    }
    return status;
}

void fit_print_list(const char *title, const table_rows *rows)
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
