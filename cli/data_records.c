/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/data_records.h"

#include <stdlib.h>

const char *const clump_cli_kind_names[] = {"platform", "application", "quantity", "source"};
const char *const clump_cli_kind_plurals[] = {"platforms", "applications", "quantities", "sources"};

typedef struct reader {
    clump_store *store;
    clump_cli_records *records;
    clump_store_status status;
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

/* Returns 0 to go on. What `each` lends is looked up again, which gives a copy to keep. */
static int add(reader *r, const char *name)
{
    clump_cli_records *records = r->records;
    void **items = realloc(records->items, (records->count + 1) * sizeof *items);
    if (items == NULL) {
        r->status = CLUMP_STORE_FAILED;
        return 1;
    }
    records->items = items;
    r->status = find(r->store, records->kind, name, &items[records->count]);
    if (r->status != CLUMP_STORE_OK)
        return 1;
    records->count++;
    return 0;
}

static int add_platform(const clump_store_platform *platform, void *context)
{
    return add(context, platform->name);
}

static int add_application(const clump_store_application *application, void *context)
{
    return add(context, application->name);
}

static int add_quantity(const clump_store_quantity *quantity, void *context)
{
    return add(context, quantity->name);
}

static int add_source(const clump_store_source *source, void *context)
{
    return add(context, source->name);
}

clump_store_status clump_cli_records_read(clump_store *store, clump_cli_kind kind,
                                          clump_cli_records *records)
{
    clump_store_status status = CLUMP_STORE_FAILED;
    reader r = {store, records, CLUMP_STORE_OK};
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
    return status == CLUMP_STORE_STOPPED ? r.status : status;
}

clump_store_status clump_cli_records_find(clump_store *store, clump_cli_kind kind, const char *name,
                                          clump_cli_records *records)
{
    *records = (clump_cli_records){.kind = kind};
    records->items = calloc(1, sizeof *records->items);
    if (records->items == NULL)
        return CLUMP_STORE_FAILED;
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
