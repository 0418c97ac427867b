/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/data_names.h"

#include "cli/output/errors.h"
#include "data/suggest.h"

static int refuse(const char *command, clump_store *store, const char *name)
{
    char hint[CLUMP_SUGGEST_TEXT];
    clump_suggestion suggestion = clump_suggest_start(CLUMP_SUGGEST_WORD, name);
    for (size_t k = 0; k < RECORD_KIND_COUNT; k++) {
        record_list all;
        /* What cannot be read is not suggested. */
        records_read(store, (record_kind)k, &all);
        for (size_t i = 0; i < all.count; i++)
            clump_suggest_offer(&suggestion, record_head_of(all.kind, all.items[i]).name);
        records_free(&all);
    }
    return error_input(command,
                       "no platform, application, quantity or source '%.200s'%s; "
                       "'clumpmodel data list' lists them",
                       name, clump_suggest_text(&suggestion, "", hint));
}

int named_records_find(const char *command, clump_store *store, named_records *named)
{
    size_t found = 0;
    for (size_t k = 0; k < RECORD_KIND_COUNT; k++) {
        const clump_store_status status =
            records_find(store, (record_kind)k, named->name, &named->records[k]);
        if (status == CLUMP_STORE_OK)
            found++;
        else if (status != CLUMP_STORE_NOT_FOUND)
            return error_store(command, store, status);
    }
    return found > 0 ? EXIT_DONE : refuse(command, store, named->name);
}

void named_records_free(named_records *named)
{
    for (size_t k = 0; k < RECORD_KIND_COUNT; k++)
        records_free(&named->records[k]);
}

clump_store_filter named_records_filter(const named_records *named, record_kind kind)
{
    return (clump_store_filter){
        .platform = kind == RECORD_PLATFORM ? named->name : NULL,
        .application = kind == RECORD_APPLICATION ? named->name : NULL,
        .quantity = kind == RECORD_QUANTITY ? named->name : NULL,
        .source = kind == RECORD_SOURCE ? named->name : NULL,
    };
}
