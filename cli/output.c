/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/output.h"

#include "cli/csv_output.h"
#include "cli/json_output.h"
#include "cli/table_output.h"

#include <string.h>

bool clump_cli_format_parse(const char *name, clump_cli_format *format)
{
    static const char *const names[] = {"table", "json", "csv"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) {
            *format = (clump_cli_format)i;
            return true;
        }
    return false;
}

int clump_cli_output_print(clump_cli_format format, const clump_cli_rows *rows,
                           const clump_cli_field *fields, size_t field_count)
{
    switch (format) {
    case CLUMP_CLI_JSON:
        return clump_cli_json_print(&rows, 1, fields, field_count);
    case CLUMP_CLI_CSV:
        return clump_cli_csv_print(rows);
    case CLUMP_CLI_TABLE:
        break;
    }
    return clump_cli_table_print(rows);
}
