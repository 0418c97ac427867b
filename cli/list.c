/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `clumpmodel list`: what there is by name. */
#include "cli/command.h"
#include "cli/data/data_records.h"
#include "cli/database.h"
#include "cli/output/errors.h"
#include "cli/output/escape.h"
#include "cli/output/output.h"
#include "cli/output/paragraph.h"
#include "cli/output/terminal.h"
#include "cli/shipped_scenarios.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Scenarios and the kinds of records that have names of their own. Quantities belong to the help. */
enum { SCENARIOS, PLATFORMS, APPLICATIONS, SOURCES, KINDS };
static const record_kind record_kinds[KINDS] = {
    [PLATFORMS] = RECORD_PLATFORM, [APPLICATIONS] = RECORD_APPLICATION, [SOURCES] = RECORD_SOURCE};

/* Everything, kind after kind. */
typedef struct contents {
    shipped_scenarios scenarios;
    record_list records[KINDS];
    record_head *heads;
    size_t counts[KINDS], count;
} contents;

static int read_contents(const command_invocation *invocation, clump_store *store, contents *c)
{
    const char *command = invocation->command->name;
    int status = shipped_scenarios_read(command, store, &c->scenarios);
    if (status != EXIT_DONE)
        return status;
    c->count = c->counts[SCENARIOS] = c->scenarios.count;
    for (size_t k = SCENARIOS + 1; k < KINDS; k++) {
        const clump_store_status read = records_read(store, record_kinds[k], &c->records[k]);
        if (read == CLUMP_STORE_STOPPED)
            return error_memory(command);
        if (read != CLUMP_STORE_OK)
            return error_store(command, store, read);
        c->counts[k] = c->records[k].count;
        c->count += c->counts[k];
    }
    c->heads = calloc(c->count + 1, sizeof *c->heads);
    if (c->heads == NULL)
        return error_memory(command);
    record_head *head = c->heads;
    for (size_t i = 0; i < c->scenarios.count; i++)
        *head++ = (record_head){"scenario", c->scenarios.items[i].name, c->scenarios.items[i].title,
                                true};
    for (size_t k = SCENARIOS + 1; k < KINDS; k++)
        for (size_t i = 0; i < c->counts[k]; i++)
            *head++ = record_head_of(record_kinds[k], c->records[k].items[i]);
    return EXIT_DONE;
}

static void release(contents *c)
{
    shipped_scenarios_free(&c->scenarios);
    for (size_t k = SCENARIOS + 1; k < KINDS; k++)
        records_free(&c->records[k]);
    free(c->heads);
}

/* On the heap, with commas between, escaped; NULL: no memory. */
static char *join_names(const record_head *heads, size_t count)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        fputs(i > 0 ? ", " : "", stream);
        escape_print(heads[i].name, stream);
    }
    if (count == 0)
        fputs("none", stream);
    const bool failed = ferror(stream) != 0;
    if (fclose(stream) == 0 && !failed)
        return text;
    free(text);
    return NULL;
}

static int print_for_eyes(const contents *c)
{
    static const char *const headings[KINDS] = {"Scenarios", "Platforms", "Applications",
                                                "Data sets"};
    static const char *const uses[KINDS] = {
        "clumpmodel predict NAME; with titles: clumpmodel predict",
        "clumpmodel data show NAME; with titles: clumpmodel data list",
        "programs that were measured; the same commands",
        "where numbers come from; with titles: clumpmodel data list sources"};
    const record_head *heads = c->heads;
    for (size_t k = 0; k < KINDS; heads += c->counts[k++]) {
        char *names = join_names(heads, c->counts[k]);
        if (names == NULL)
            return error_memory("list");
        if (k > 0)
            putchar('\n');
        terminal_begin(stdout, STYLE_BOLD);
        fputs(headings[k], stdout);
        terminal_begin(stdout, STYLE_PLAIN);
        printf(" (%s)\n  ", uses[k]);
        paragraph_print(names, 2, 2, terminal_width(stdout));
        free(names);
    }
    return EXIT_DONE;
}

static const table_column columns[] = {
    {"kind", "Kind", FIELD(record_head, kind)},
    {"name", "Name", FIELD(record_head, name)},
    {"title", "Title", FIELD(record_head, title)},
    {"reference", "Reference data", FIELD(record_head, reference)},
};

static int run(const command_invocation *invocation)
{
    clump_store *store = NULL;
    contents c = {.heads = NULL};
    int status = database_open(invocation, &store);
    if (status == EXIT_DONE)
        status = read_contents(invocation, store, &c);
    if (status == EXIT_DONE && invocation->format == FORMAT_TABLE)
        status = print_for_eyes(&c);
    else if (status == EXIT_DONE) {
        const table_rows rows = {.key = "entries", COLUMNS(columns), RECORDS(c.heads, c.count)};
        status = output_print(invocation->format, &rows, NULL, 0);
    }
    release(&c);
    clump_store_close(store);
    return status;
}

const command_entry command_list = {
    .name = "list",
    .summary = "List scenarios, platforms, applications and data sets by name",
    .text = "JSON and CSV have their titles, too. A platform is a machine whose\n"
            "parameters are known, an application a program that was measured, and a data set a\n"
            "table, section or log from which numbers were taken.",
    .examples = "clumpmodel list\n"
                "clumpmodel list --format csv",
    .run = run,
};
