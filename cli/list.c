/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `clumpmodel list`: what there is by name, on one screen. */
#include "cli/command.h"
#include "cli/data/data_records.h"
#include "cli/database.h"
#include "cli/output/errors.h"
#include "cli/output/escape.h"
#include "cli/output/output.h"
#include "cli/output/terminal.h"
#include "cli/shipped_scenarios.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Scenarios and the kinds of records that have names of their own. Quantities belong to the help. */
enum { SCENARIOS, PLATFORMS, APPLICATIONS, SOURCES, KINDS };
static const record_kind record_kinds[KINDS] = {
    [PLATFORMS] = RECORD_PLATFORM, [APPLICATIONS] = RECORD_APPLICATION, [SOURCES] = RECORD_SOURCE};

/* A screen has 24 lines, and of each kind that many are shown in any case, beside heading and empty line. */
enum { SCREEN = 25, LEAST_LINES = 3, BESIDE = 2, INDENT = 2 };

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

/* Names with commas between take a place more than they have, but for the last one. */
static size_t name_length(const record_head *heads, size_t count, size_t i)
{
    return strlen(heads[i].name) + (i + 1 < count);
}

/* How many of the names from `first` on fit on a line. */
static size_t names_on_line(const record_head *heads, size_t count, size_t first)
{
    const size_t width = (size_t)terminal_width(stdout);
    size_t used = INDENT + name_length(heads, count, first), n = 1;
    for (; first + n < count; n++) {
        used += 1 + name_length(heads, count, first + n);
        if (used > width)
            break;
    }
    return n;
}

/* In at most that many lines; returns how many there are. */
static size_t print_names(const record_head *heads, size_t count, size_t most)
{
    size_t line = 0;
    for (size_t i = 0; i < count; line++) {
        const size_t n = names_on_line(heads, count, i);
        if (line + 1 == most && i + n < count) {
            printf("  and %zu more\n", count - i);
            return most;
        }
        printf("%*s", INDENT, "");
        for (const size_t end = i + n; i < end; i++) {
            escape_print(heads[i].name, stdout);
            fputs(i + 1 == count ? "" : i + 1 == end ? "," : ", ", stdout);
        }
        putchar('\n');
    }
    if (count == 0)
        puts("  none");
    return count > 0 ? line : 1;
}

static void print_for_eyes(const contents *c)
{
    static const char *const headings[KINDS] = {"Scenarios", "Platforms", "Applications",
                                                "Data sets"};
    static const char *const uses[KINDS] = {
        "clumpmodel predict NAME; with titles: clumpmodel predict",
        "clumpmodel data show NAME; with titles: clumpmodel data list",
        "programs that were measured; the same commands",
        "where numbers come from; with titles: clumpmodel data list sources"};
    const record_head *heads = c->heads;
    size_t left = SCREEN;
    for (size_t k = 0; k < KINDS; heads += c->counts[k++]) {
        const size_t others = (KINDS - 1 - k) * (LEAST_LINES + BESIDE);
        const size_t most =
            left > others + BESIDE + LEAST_LINES ? left - others - BESIDE : LEAST_LINES;
        if (k > 0)
            putchar('\n');
        terminal_begin(stdout, STYLE_BOLD);
        fputs(headings[k], stdout);
        terminal_begin(stdout, STYLE_PLAIN);
        printf(" (%s)\n", uses[k]);
        const size_t lines = BESIDE + print_names(heads, c->counts[k], most);
        left = left > lines ? left - lines : 0;
    }
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
        print_for_eyes(&c);
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
    .text = "On one screen; JSON and CSV have their titles, too. A platform is a machine whose\n"
            "parameters are known, an application a program that was measured, and a data set a\n"
            "table, section or log from which numbers were taken.",
    .examples = "clumpmodel list\n"
                "clumpmodel list --format csv",
    .run = run,
};
