/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "calibration/virtual_store.h"

#include "calibration/calibration_store.h"
#include "cli/output/errors.h"

#include <stdio.h>
#include <stdlib.h>

enum { TEXT = 600 };

/* What has to be typed to have the same again. */
static void write_command(const virtual_request *r, char text[TEXT])
{
    const clump_virtual_cluster_options *o = &r->machine;
    size_t used = (size_t)snprintf(text, TEXT,
                                   "clumpmodel calibrate virtual --hardware %.60s --protocol %.40s "
                                   "--rounds %u",
                                   r->hardware_name, r->protocol_name, (unsigned)r->rounds);
    if (!r->cells)
        used +=
            (size_t)snprintf(text + used, TEXT - used,
                             " --nodes %u --size %u --loss %.17g --seed %llu", (unsigned)o->nodes,
                             (unsigned)r->size, o->faults.loss, (unsigned long long)o->faults.seed);
    if (o->window > 0)
        used += (size_t)snprintf(text + used, TEXT - used, " --window %u", (unsigned)o->window);
    if (o->copy_pages > 0)
        used += (size_t)snprintf(text + used, TEXT - used, " --pages %u", (unsigned)o->copy_pages);
    if (o->translations > 0)
        used += (size_t)snprintf(text + used, TEXT - used, " --translations %u",
                                 (unsigned)o->translations);
    if (r->compute_us > 0)
        snprintf(text + used, TEXT - used, " --compute %.17g", r->compute_us);
}

static bool collect(const virtual_request *r, const clump_virtual_rows *rows,
                    clump_calibration_samples *samples)
{
    for (size_t i = 0; i < rows->count; i++) {
        const clump_virtual_row *row = &rows->rows[i];
        const clump_measured_sample sample = {.variant = r->protocol_name,
                                              .benchmark = "calibrate virtual",
                                              .quantity = row->quantity,
                                              .value = row->value,
                                              .size_bytes = row->size_bytes,
                                              .iterations = (int64_t)r->rounds,
                                              .window = r->machine.window,
                                              .processes = (unsigned)row->processes};
        if (!clump_calibration_add(samples, &sample))
            return false;
    }
    return true;
}

int clump_virtual_store(const virtual_request *r, const clump_virtual_rows *rows,
                        clump_store *store, char source[VIRTUAL_SOURCE])
{
    char command[TEXT], title[200];
    clump_calibration_samples samples = {0};
    write_command(r, command);
    snprintf(title, sizeof title, "%.40s in virtual time on %.60s", r->protocol_name,
             r->hardware_name);
    clump_calibration_store to = {
        .store = store,
        .source = {.platform = r->hardware_name,
                   .transport = "virtual",
                   .title = title,
                   .command = command,
                   .note = "Computed, not measured: a model of the hardware",
                   .kind = "calibrate virtual"}};
    const bool collected = collect(r, rows, &samples);
    const clump_store_status status =
        collected ? clump_calibration_write(&to, &samples, 0) : CLUMP_STORE_OK;
    clump_calibration_free(&samples);
    free(to.series);
    if (!collected)
        return error_memory(r->command);
    if (status != CLUMP_STORE_OK)
        return error_store(r->command, store, status);
    snprintf(source, VIRTUAL_SOURCE, "%s", to.name);
    return EXIT_DONE;
}
