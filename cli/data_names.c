/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/data_names.h"

#include "cli/errors.h"
#include "data/suggest.h"

static int refuse(const char *command, clump_store *store, const char *name)
{
    char hint[CLUMP_SUGGEST_TEXT];
    clump_suggestion suggestion = clump_suggest_start(CLUMP_SUGGEST_WORD, name);
    for (size_t k = 0; k < CLUMP_CLI_KIND_COUNT; k++) {
        clump_cli_records all;
        /* What cannot be read is not suggested. */
        (void)clump_cli_records_read(store, (clump_cli_kind)k, &all);
        for (size_t i = 0; i < all.count; i++)
            clump_suggest_offer(&suggestion, clump_cli_record_name(all.kind, all.items[i]));
        clump_cli_records_free(&all);
    }
    return clump_cli_error_input(command,
                                 "no platform, application, quantity or source '%.200s'%s; "
                                 "'clumpmodel data list' lists them",
                                 name, clump_suggest_text(&suggestion, "", hint));
}

int clump_cli_named_find(const char *command, clump_store *store, clump_cli_named *named)
{
    size_t found = 0;
    for (size_t k = 0; k < CLUMP_CLI_KIND_COUNT; k++) {
        const clump_store_status status =
            clump_cli_records_find(store, (clump_cli_kind)k, named->name, &named->records[k]);
        if (status == CLUMP_STORE_OK)
            found++;
        else if (status != CLUMP_STORE_NOT_FOUND)
            return clump_cli_error_store(command, store, status);
    }
    return found > 0 ? CLUMP_CLI_DONE : refuse(command, store, named->name);
}

void clump_cli_named_free(clump_cli_named *named)
{
    for (size_t k = 0; k < CLUMP_CLI_KIND_COUNT; k++)
        clump_cli_records_free(&named->records[k]);
}

clump_store_filter clump_cli_named_filter(const clump_cli_named *named, clump_cli_kind kind)
{
    return (clump_store_filter){
        .platform = kind == CLUMP_CLI_PLATFORM ? named->name : NULL,
        .application = kind == CLUMP_CLI_APPLICATION ? named->name : NULL,
        .quantity = kind == CLUMP_CLI_QUANTITY ? named->name : NULL,
        .source = kind == CLUMP_CLI_SOURCE ? named->name : NULL,
    };
}
