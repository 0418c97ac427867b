/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/output/output.h"

#include "cli/output/csv_output.h"
#include "cli/output/json_output.h"
#include "cli/output/table_output.h"

#include <string.h>

bool output_format_parse(const char *name, output_format *format)
{
    static const char *const names[] = {"table", "json", "csv"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) {
            *format = (output_format)i;
            return true;
        }
    return false;
}

int output_print(output_format format, const table_rows *rows, const output_field *fields,
                 size_t field_count)
{
    switch (format) {
    case FORMAT_JSON:
        return json_print(&rows, 1, fields, field_count);
    case FORMAT_CSV:
        return csv_print(rows);
    case FORMAT_TABLE:
        break;
    }
    return table_print(rows);
}
