/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "calibration/virtual_hardware.h"

#include "cli/output/errors.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Which fields were found, by place in the tables of fields. */
typedef struct reader {
    clump_virtual_hardware *hardware;
    bool node[64], cells[64];
} reader;

static bool set_field(const clump_hardware_field *fields, size_t count, void *values, bool *found,
                      size_t *known, const clump_store_sample *s)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(fields[i].name, s->quantity) != 0)
            continue;
        if (!found[i]) { /* the user's samples come first */
            memcpy((char *)values + fields[i].offset, &s->measured.value, sizeof(double));
            found[i] = true;
            ++*known;
        }
        return true;
    }
    return false;
}

static int take_sample(const clump_store_sample *s, void *context)
{
    reader *r = context;
    clump_virtual_hardware *h = r->hardware;
    if (set_field(clump_hardware_fields, clump_hardware_field_count, &h->node, r->node,
                  &h->node_known, s) ||
        set_field(clump_cell_hardware_fields, clump_cell_hardware_field_count, &h->cells, r->cells,
                  &h->cells_known, s))
        return 0;
    if (s->reference && h->printed_count < PRINTED_MOST) {
        printed_names *p = &h->printed[h->printed_count++];
        snprintf(p->variant, sizeof p->variant, "%s", s->variant);
        snprintf(p->quantity, sizeof p->quantity, "%s", s->quantity);
        p->value = s->measured.value;
    }
    return 0;
}

int virtual_hardware_read(const char *command, clump_store *store, const char *platform,
                          clump_virtual_hardware *hardware)
{
    clump_store_platform *record = NULL;
    *hardware = (clump_virtual_hardware){0};
    clump_store_status status = clump_store_find_platform(store, platform, &record);
    if (status != CLUMP_STORE_OK)
        return error_store(command, store, status);
    hardware->nodes = record->nodes;
    clump_store_free(record);
    reader r = {.hardware = hardware};
    const clump_store_filter filter = {.platform = platform};
    status = clump_store_each_sample(store, &filter, take_sample, &r);
    if (status != CLUMP_STORE_OK)
        return error_store(command, store, status);
    if (hardware->node_known + hardware->cells_known == 0)
        return error_input(
            command,
            "platform '%.80s' has no description of hardware, expected one of ppro-myrinet, "
            "p3-myrinet, e5000-myrinet, ss20-atm, ss1-atm, or samples of hardware_... of your own",
            platform);
    return EXIT_DONE;
}

double virtual_printed(const clump_virtual_hardware *hardware, const char *variant,
                       const char *quantity)
{
    for (size_t i = 0; i < hardware->printed_count; i++)
        if (strcmp(hardware->printed[i].variant, variant) == 0 &&
            strcmp(hardware->printed[i].quantity, quantity) == 0)
            return hardware->printed[i].value;
    return NAN;
}
