/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/data_records.h"

#include <stdlib.h>

const char *const clump_cli_kind_names[] = {"platform", "application", "quantity", "source"};
const char *const clump_cli_kind_plurals[] = {"platforms", "applications", "quantities", "sources"};

typedef struct reader {
    clump_cli_records *records;
    size_t room;
} reader;

static clump_store_status find(clump_store *store, clump_cli_kind kind, const char *name,
                               void **record)
{
    clump_store_status status = CLUMP_STORE_FAILED;
    clump_store_platform *platform = NULL;
    clump_store_application *application = NULL;
    clump_store_quantity *quantity = NULL;
    clump_store_source *source = NULL;
    switch (kind) {
    case CLUMP_CLI_PLATFORM:
        status = clump_store_find_platform(store, name, &platform);
        *record = platform;
        break;
    case CLUMP_CLI_APPLICATION:
        status = clump_store_find_application(store, name, &application);
        *record = application;
        break;
    case CLUMP_CLI_QUANTITY:
        status = clump_store_find_quantity(store, name, &quantity);
        *record = quantity;
        break;
    case CLUMP_CLI_SOURCE:
        status = clump_store_find_source(store, name, &source);
        *record = source;
        break;
    case CLUMP_CLI_KIND_COUNT:
        break;
    }
    return status;
}

/* Keeps a copy of what `each` lends, NULL for want of memory. Returns 0 to go on. */
static int add(reader *r, void *copy)
{
    clump_cli_records *records = r->records;
    if (copy != NULL && records->count == r->room) {
        const size_t room = r->room > 0 ? 2 * r->room : 32;
        void **items = realloc(records->items, room * sizeof *items);
        if (items == NULL) {
            clump_store_free(copy);
            return 1;
        }
        records->items = items;
        r->room = room;
    }
    if (copy != NULL)
        records->items[records->count++] = copy;
    return copy == NULL;
}

static int add_platform(const clump_store_platform *platform, void *context)
{
    return add(context, clump_store_copy_platform(platform));
}

static int add_application(const clump_store_application *application, void *context)
{
    return add(context, clump_store_copy_application(application));
}

static int add_quantity(const clump_store_quantity *quantity, void *context)
{
    return add(context, clump_store_copy_quantity(quantity));
}

static int add_source(const clump_store_source *source, void *context)
{
    return add(context, clump_store_copy_source(source));
}

clump_store_status clump_cli_records_read(clump_store *store, clump_cli_kind kind,
                                          clump_cli_records *records)
{
    clump_store_status status = CLUMP_STORE_FAILED;
    reader r = {.records = records};
    *records = (clump_cli_records){.kind = kind};
    switch (kind) {
    case CLUMP_CLI_PLATFORM:
        status = clump_store_each_platform(store, add_platform, &r);
        break;
    case CLUMP_CLI_APPLICATION:
        status = clump_store_each_application(store, add_application, &r);
        break;
    case CLUMP_CLI_QUANTITY:
        status = clump_store_each_quantity(store, add_quantity, &r);
        break;
    case CLUMP_CLI_SOURCE:
        status = clump_store_each_source(store, add_source, &r);
        break;
    case CLUMP_CLI_KIND_COUNT:
        break;
    }
    return status;
}

clump_store_status clump_cli_records_find(clump_store *store, clump_cli_kind kind, const char *name,
                                          clump_cli_records *records)
{
    *records = (clump_cli_records){.kind = kind};
    records->items = calloc(1, sizeof *records->items);
    if (records->items == NULL)
        return CLUMP_STORE_STOPPED;
    const clump_store_status status = find(store, kind, name, &records->items[0]);
    records->count = status == CLUMP_STORE_OK;
    return status;
}

void clump_cli_records_free(clump_cli_records *records)
{
    for (size_t i = 0; i < records->count; i++)
        clump_store_free(records->items[i]);
    free(records->items);
    records->items = NULL;
    records->count = 0;
}

const char *clump_cli_record_name(clump_cli_kind kind, const void *record)
{
    switch (kind) {
    case CLUMP_CLI_PLATFORM:
        return ((const clump_store_platform *)record)->name;
    case CLUMP_CLI_APPLICATION:
        return ((const clump_store_application *)record)->name;
    case CLUMP_CLI_QUANTITY:
        return ((const clump_store_quantity *)record)->name;
    case CLUMP_CLI_SOURCE:
        return ((const clump_store_source *)record)->name;
    case CLUMP_CLI_KIND_COUNT:
        break;
    }
    return NULL;
}

const char *clump_cli_record_title(clump_cli_kind kind, const void *record)
{
    switch (kind) {
    case CLUMP_CLI_PLATFORM:
        return ((const clump_store_platform *)record)->title;
    case CLUMP_CLI_APPLICATION:
        return ((const clump_store_application *)record)->title;
    case CLUMP_CLI_QUANTITY:
        return ((const clump_store_quantity *)record)->meaning;
    case CLUMP_CLI_SOURCE:
        return ((const clump_store_source *)record)->title;
    case CLUMP_CLI_KIND_COUNT:
        break;
    }
    return NULL;
}

bool clump_cli_record_is_reference(clump_cli_kind kind, const void *record)
{
    switch (kind) {
    case CLUMP_CLI_PLATFORM:
        return ((const clump_store_platform *)record)->reference;
    case CLUMP_CLI_APPLICATION:
        return ((const clump_store_application *)record)->reference;
    case CLUMP_CLI_QUANTITY:
        return ((const clump_store_quantity *)record)->reference;
    case CLUMP_CLI_SOURCE:
        return ((const clump_store_source *)record)->reference;
    case CLUMP_CLI_KIND_COUNT:
        break;
    }
    return false;
}
