/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reproductions/command/run_list.h"

#include "cli/output/errors.h"
#include "cli/output/output.h"
#include "data/suggest.h"
#include "reproductions/applications/costs.h"

#include <stdio.h>

typedef struct size_row {
    const char *name, *meaning;
    double preset, least, most;
} size_row;

int run_list_describe(const command_invocation *invocation, const clump_application *a)
{
    static const table_column columns[] = {
        {"name", "Size", FIELD(size_row, name)},
        {"preset", "Default", NUMBER_EXACT, FIELD(size_row, preset)},
        {"least", "Least", NUMBER_EXACT, FIELD(size_row, least)},
        {"greatest", "Greatest", NUMBER_EXACT, FIELD(size_row, most)},
        {"meaning", "Meaning", FIELD(size_row, meaning), .layout = COLUMN_PROSE},
    };
    size_row list[CLUMP_APPLICATION_SIZES];
    const size_t count = clump_application_count_sizes(a);
    for (size_t i = 0; i < count; i++)
        list[i] = (size_row){a->sizes[i].name, a->sizes[i].meaning, a->sizes[i].preset,
                             a->sizes[i].least, a->sizes[i].most};
    const table_rows rows = {.key = "sizes", COLUMNS(columns), RECORDS(list, count)};
    const output_field fields[] = {
        field_text("program", a->name),
        field_text("run", a->run),
        field_text("title", a->title),
        field_text("operation", a->operation),
        field_real("operation_us", a->operation_us),
        field_text("price_run", a->cost_run),
        field_text("price_platform", a->cost_run != NULL ? CLUMP_PRICE_PLATFORM : NULL)};
    if (invocation->format == FORMAT_TABLE) {
        printf("%s: %s (%s)\n\n%s\n\nAn operation is %s: %.4g us", a->name, a->title, a->run,
               a->text, a->operation, a->operation_us);
        if (a->cost_run != NULL)
            printf(", with which %s on %s takes\nas long as in the document.\n\n", a->cost_run,
                   CLUMP_PRICE_PLATFORM);
        else
            printf(" on the document's machine.\n\n");
    }
    return output_print(invocation->format, &rows, fields, sizeof fields / sizeof *fields);
}

int run_list_show(const command_invocation *invocation)
{
    static const table_column columns[] = {
        {"program", "Program", FIELD(clump_application, name)},
        {"run", "Document's run", FIELD(clump_application, run)},
        {"title", "Title", FIELD(clump_application, title), .layout = COLUMN_PROSE},
    };
    const clump_application *list[64];
    size_t count = 0;
    while (count < sizeof list / sizeof *list && clump_application_at(count) != NULL) {
        list[count] = clump_application_at(count);
        count++;
    }
    const table_rows rows = {.key = "programs", COLUMNS(columns), RECORD_POINTERS(list, count)};
    return output_print(invocation->format, &rows, NULL, 0);
}

int run_list_refuse(const command_line *line, const char *name)
{
    char names[400] = "";
    char similar[CLUMP_SUGGEST_TEXT];
    size_t used = 0;
    clump_suggestion suggestion = clump_suggest_start(CLUMP_SUGGEST_WORD, name);
    for (size_t i = 0; clump_application_at(i) != NULL && used < sizeof names; i++) {
        clump_suggest_offer(&suggestion, clump_application_at(i)->name);
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "",
                                 clump_application_at(i)->name);
    }
    return error_usage(line->command, "found '%.60s', expected a program: %s%s", name, names,
                       clump_suggest_text(&suggestion, "", similar));
}
