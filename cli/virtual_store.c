/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/virtual_store.h"

#include "cli/errors.h"
#include "clumpmodel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A name that no source has. */
static clump_store_status find_name(const clump_cli_virtual_request *r, clump_store *store,
                                    char name[CLUMP_CLI_VIRTUAL_SOURCE])
{
    for (unsigned number = 1; number < 1000000; number++) {
        clump_store_source *found = NULL;
        (void)snprintf(name, CLUMP_CLI_VIRTUAL_SOURCE, "calibrate virtual %.60s %.40s %u",
                       r->hardware_name, r->protocol_name, number);
        const clump_store_status status = clump_store_find_source(store, name, &found);
        clump_store_free(found);
        if (status != CLUMP_STORE_OK)
            return status == CLUMP_STORE_NOT_FOUND ? CLUMP_STORE_OK : status;
    }
    return CLUMP_STORE_FAILED;
}

static clump_store_status add_source(const clump_cli_virtual_request *r, clump_store *store,
                                     const char *name)
{
    char command[400], title[200];
    const clump_machine_options *o = &r->machine;
    size_t used = (size_t)snprintf(command, sizeof command,
                                   "clumpmodel calibrate virtual --hardware %.60s --protocol %.40s "
                                   "--rounds %u",
                                   r->hardware_name, r->protocol_name, (unsigned)r->rounds);
    if (!r->cells)
        used +=
            (size_t)snprintf(command + used, sizeof command - used,
                             " --nodes %u --size %u --loss %.17g --seed %llu", (unsigned)o->nodes,
                             (unsigned)r->size, o->faults.loss, (unsigned long long)o->faults.seed);
    if (o->window > 0)
        (void)snprintf(command + used, sizeof command - used, " --window %u", (unsigned)o->window);
    (void)snprintf(title, sizeof title, "%.40s in virtual time on %.60s", r->protocol_name,
                   r->hardware_name);
    const clump_store_source source = {.name = name,
                                       .kind = "calibration",
                                       .title = title,
                                       .tool = "clumpmodel calibrate virtual",
                                       .tool_version = CLUMPMODEL_VERSION,
                                       .command = command,
                                       .note = "Computed, not measured: a model of the hardware"};
    return clump_store_add_source(store, &source);
}

static clump_store_status add_samples(const clump_cli_virtual_request *r,
                                      const clump_cli_virtual_rows *rows, clump_store *store,
                                      const char *source)
{
    clump_store_status status = CLUMP_STORE_OK;
    int64_t series = 0;
    for (size_t i = 0; i < rows->count && status == CLUMP_STORE_OK; i++) {
        const clump_cli_virtual_row *row = &rows->rows[i];
        bool first = true;
        for (size_t k = 0; k < i; k++) /* each quantity is one series, over its sizes */
            if (strcmp(rows->rows[k].quantity, row->quantity) == 0)
                first = false;
        if (!first)
            continue;
        status = clump_store_add_series(store,
                                        &(clump_store_series){.platform = r->hardware_name,
                                                              .quantity = row->quantity,
                                                              .transport = "virtual",
                                                              .variant = r->protocol_name,
                                                              .statistic = "single",
                                                              .source = source,
                                                              .benchmark = "calibrate virtual",
                                                              .window = r->machine.window,
                                                              .processes = row->processes},
                                        &series);
        for (size_t k = i; k < rows->count && status == CLUMP_STORE_OK; k++) {
            if (strcmp(rows->rows[k].quantity, row->quantity) != 0)
                continue;
            status = clump_store_add_sample(
                store, series,
                &(clump_store_measurement){.value = rows->rows[k].value,
                                           .half_width = NAN,
                                           .std_dev = NAN,
                                           .size_bytes = rows->rows[k].size_bytes,
                                           .iterations = (int64_t)r->rounds});
        }
    }
    return status;
}

int clump_cli_virtual_store(const clump_cli_virtual_request *request,
                            const clump_cli_virtual_rows *rows, clump_store *store,
                            char source[CLUMP_CLI_VIRTUAL_SOURCE])
{
    clump_store_status status = clump_store_begin(store);
    if (status == CLUMP_STORE_OK)
        status = find_name(request, store, source);
    if (status == CLUMP_STORE_OK)
        status = add_source(request, store, source);
    if (status == CLUMP_STORE_OK)
        status = add_samples(request, rows, store, source);
    if (status == CLUMP_STORE_OK)
        status = clump_store_commit(store);
    if (status == CLUMP_STORE_OK)
        return CLUMP_CLI_DONE;
    const int code = clump_cli_error_store(request->command, store, status);
    clump_store_rollback(store);
    return code;
}
