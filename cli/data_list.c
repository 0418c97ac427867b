/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"
#include "cli/data_records.h"
#include "cli/database.h"
#include "cli/output/errors.h"
#include "data/suggest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool parse_kind(const char *name, record_kind *kind)
{
    for (size_t k = 0; k < RECORD_KIND_COUNT; k++)
        if (strcmp(name, record_kind_plurals[k]) == 0 || strcmp(name, record_kind_names[k]) == 0) {
            *kind = (record_kind)k;
            return true;
        }
    return false;
}

static int refuse_kind(const char *command, const char *name)
{
    char hint[CLUMP_SUGGEST_TEXT];
    clump_suggestion suggestion = clump_suggest_start(CLUMP_SUGGEST_WORD, name);
    for (size_t k = 0; k < RECORD_KIND_COUNT; k++)
        clump_suggest_offer(&suggestion, record_kind_plurals[k]);
    return error_usage(command,
                       "found '%.80s', expected platforms, applications, quantities or sources%s",
                       name, clump_suggest_text(&suggestion, "", hint));
}

static int list_kind(const command_invocation *invocation, clump_store *store, record_kind kind)
{
    record_list records;
    const clump_store_status read = records_read(store, kind, &records);
    int status;
    if (read != CLUMP_STORE_OK) {
        status = error_store(invocation->arguments.command, store, read);
    } else {
        const table_rows rows = record_rows(&records);
        status = output_print(invocation->format, &rows, NULL, 0);
        if (records.count == 0 && invocation->format == FORMAT_TABLE)
            printf("No %s.\n", record_kind_plurals[kind]);
    }
    records_free(&records);
    return status;
}

/* ---- all kinds: names and titles only ---- */

static const table_column head_columns[] = {
    {"kind", "Kind", FIELD(record_head, kind)},
    {"name", "Name", FIELD(record_head, name)},
    {"title", "Title", FIELD(record_head, title), .layout = COLUMN_PROSE},
    {"reference", "Reference data", FIELD(record_head, reference), .folding = FOLD_ROWS},
};

static int print_heads(const command_invocation *invocation, const record_list *lists, size_t kinds)
{
    size_t count = 0, used = 0;
    for (size_t k = 0; k < kinds; k++)
        count += lists[k].count;
    record_head *heads = malloc((count + 1) * sizeof *heads);
    if (heads == NULL)
        return error_memory(invocation->arguments.command);
    for (size_t k = 0; k < kinds; k++)
        for (size_t i = 0; i < lists[k].count; i++)
            heads[used++] = record_head_of(lists[k].kind, lists[k].items[i]);
    const table_rows rows = {.key = "entries", COLUMNS(head_columns), RECORDS(heads, count)};
    const int status = output_print(invocation->format, &rows, NULL, 0);
    free(heads);
    return status;
}

static int list_all(const command_invocation *invocation, clump_store *store)
{
    record_list all[RECORD_KIND_COUNT] = {{.items = NULL}};
    clump_store_status read = CLUMP_STORE_OK;
    int status;
    /* For eyes, what scenarios can name; quantities and sources would bury it. */
    const bool brief = invocation->format == FORMAT_TABLE;
    const size_t kinds = brief ? RECORD_APPLICATION + 1 : RECORD_KIND_COUNT;
    for (size_t k = 0; k < kinds && read == CLUMP_STORE_OK; k++)
        read = records_read(store, (record_kind)k, &all[k]);
    if (read != CLUMP_STORE_OK) {
        status = error_store(invocation->arguments.command, store, read);
    } else {
        status = print_heads(invocation, all, kinds);
        if (status == EXIT_DONE && brief)
            printf("\nSee also: clumpmodel data list quantities, clumpmodel data list sources\n");
    }
    for (size_t k = 0; k < RECORD_KIND_COUNT; k++)
        records_free(&all[k]);
    return status;
}

static int run(const command_invocation *invocation)
{
    const command_line *arguments = &invocation->arguments;
    const bool one = arguments->operand_count > 0;
    record_kind kind = RECORD_PLATFORM;
    clump_store *store = NULL;
    if (one && !parse_kind(arguments->operands[0], &kind))
        return refuse_kind(arguments->command, arguments->operands[0]);
    int status = database_open(invocation, &store);
    if (status == EXIT_DONE)
        status = one ? list_kind(invocation, store, kind) : list_all(invocation, store);
    clump_store_close(store);
    return status;
}

const command_entry command_data_list = {
    .name = "data list",
    .operands = "[platforms|applications|quantities|sources]",
    .summary = "List known names, of one kind or of all",
    .text =
        "Without a kind the table has platforms and applications; JSON and CSV have everything.",
    .examples = "clumpmodel data list\n"
                "clumpmodel data list platforms\n"
                "clumpmodel data list sources --format csv",
    .most_operands = 1,
    .run = run,
};
