/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/data_records.h"

#include <stdlib.h>

const char *const record_kind_names[] = {"platform", "application", "quantity", "source"};
const char *const record_kind_plurals[] = {"platforms", "applications", "quantities", "sources"};

typedef struct reader {
    record_list *records;
    size_t room;
} reader;

static clump_store_status find(clump_store *store, record_kind kind, const char *name,
                               void **record)
{
    clump_store_status status = CLUMP_STORE_FAILED;
    clump_store_platform *platform = NULL;
    clump_store_application *application = NULL;
    clump_store_quantity *quantity = NULL;
    clump_store_source *source = NULL;
    switch (kind) {
    case RECORD_PLATFORM:
        status = clump_store_find_platform(store, name, &platform);
        *record = platform;
        break;
    case RECORD_APPLICATION:
        status = clump_store_find_application(store, name, &application);
        *record = application;
        break;
    case RECORD_QUANTITY:
        status = clump_store_find_quantity(store, name, &quantity);
        *record = quantity;
        break;
    case RECORD_SOURCE:
        status = clump_store_find_source(store, name, &source);
        *record = source;
        break;
    case RECORD_KIND_COUNT:
        break;
    }
    return status;
}

/* Keeps a copy of what `each` lends, NULL for want of memory. Returns 0 to go on. */
static int add(reader *r, void *copy)
{
    record_list *records = r->records;
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

clump_store_status records_read(clump_store *store, record_kind kind, record_list *records)
{
    clump_store_status status = CLUMP_STORE_FAILED;
    reader r = {.records = records};
    *records = (record_list){.kind = kind};
    switch (kind) {
    case RECORD_PLATFORM:
        status = clump_store_each_platform(store, add_platform, &r);
        break;
    case RECORD_APPLICATION:
        status = clump_store_each_application(store, add_application, &r);
        break;
    case RECORD_QUANTITY:
        status = clump_store_each_quantity(store, add_quantity, &r);
        break;
    case RECORD_SOURCE:
        status = clump_store_each_source(store, add_source, &r);
        break;
    case RECORD_KIND_COUNT:
        break;
    }
    return status;
}

clump_store_status records_find(clump_store *store, record_kind kind, const char *name,
                                record_list *records)
{
    *records = (record_list){.kind = kind};
    records->items = calloc(1, sizeof *records->items);
    if (records->items == NULL)
        return CLUMP_STORE_STOPPED;
    const clump_store_status status = find(store, kind, name, &records->items[0]);
    records->count = status == CLUMP_STORE_OK;
    return status;
}

void records_free(record_list *records)
{
    for (size_t i = 0; i < records->count; i++)
        clump_store_free(records->items[i]);
    free(records->items);
    records->items = NULL;
    records->count = 0;
}

const char *record_name(record_kind kind, const void *record)
{
    switch (kind) {
    case RECORD_PLATFORM:
        return ((const clump_store_platform *)record)->name;
    case RECORD_APPLICATION:
        return ((const clump_store_application *)record)->name;
    case RECORD_QUANTITY:
        return ((const clump_store_quantity *)record)->name;
    case RECORD_SOURCE:
        return ((const clump_store_source *)record)->name;
    case RECORD_KIND_COUNT:
        break;
    }
    return NULL;
}

const char *record_title(record_kind kind, const void *record)
{
    switch (kind) {
    case RECORD_PLATFORM:
        return ((const clump_store_platform *)record)->title;
    case RECORD_APPLICATION:
        return ((const clump_store_application *)record)->title;
    case RECORD_QUANTITY:
        return ((const clump_store_quantity *)record)->meaning;
    case RECORD_SOURCE:
        return ((const clump_store_source *)record)->title;
    case RECORD_KIND_COUNT:
        break;
    }
    return NULL;
}

bool record_is_reference(record_kind kind, const void *record)
{
    switch (kind) {
    case RECORD_PLATFORM:
        return ((const clump_store_platform *)record)->reference;
    case RECORD_APPLICATION:
        return ((const clump_store_application *)record)->reference;
    case RECORD_QUANTITY:
        return ((const clump_store_quantity *)record)->reference;
    case RECORD_SOURCE:
        return ((const clump_store_source *)record)->reference;
    case RECORD_KIND_COUNT:
        break;
    }
    return false;
}
