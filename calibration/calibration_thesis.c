/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The thesis's figures beside those of a calibration. */
#include "calibration/calibration_results.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* How the reference data call the algorithms. Those of chapter 9 were not measured. */
static const char *thesis_name(const char *variant)
{
    static const char *const names[][2] = {
        {"lock-free", "lock-free"},   {"lock-free-fifo", "lock-free-fifo"},
        {"test-set", "test-and-set"}, {"test-test-set", "test-and-test-and-set"},
        {"ticket", "ticket-lock"},    {"anderson", "anderson-lock"},
        {"mutex", "posix-mutex"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(variant, names[i][0]) == 0)
            return names[i][1];
    return NULL;
}

static clump_store_status look_up(clump_store *store, const clump_store_filter *filter,
                                  clump_store_measurement *found)
{
    const clump_store_status status = clump_store_value(store, filter, found);
    if (status == CLUMP_STORE_OK)
        return status;
    found->value = found->half_width = NAN;
    return status == CLUMP_STORE_FAILED ? status : CLUMP_STORE_OK;
}

clump_store_status clump_calibration_compare(clump_store *store, clump_calibration_results *results)
{
    clump_store_status status = CLUMP_STORE_OK;
    double before = 0; /* components of a send add up in the reference data */
    for (size_t i = 0; i < results->count && status == CLUMP_STORE_OK; i++) {
        clump_calibration_row *row = &results->rows[i];
        const char *name = thesis_name(row->variant);
        const bool component = strcmp(row->quantity, "send_component") == 0;
        const bool poll = strcmp(row->quantity, "poll_cost") == 0;
        /* Sizes and scans are figures there, without numbers. */
        if (name == NULL || (strcmp(row->table, "LogGP") != 0 && !component &&
                             strcmp(row->quantity, "stress_gap") != 0))
            continue;
        char variant[120];
        snprintf(variant, sizeof variant, "%s%s%s", name, row->setting[0] != '\0' ? ", " : "",
                 row->setting);
        clump_store_measurement found;
        status = look_up(
            store,
            &(clump_store_filter){.platform = poll ? "e5000-clump" : "e5000-smp",
                                  .application = "",
                                  .transport = "shared-memory",
                                  .quantity = component ? "partial_send_time" : row->quantity,
                                  .variant = poll ? "single-protocol" : variant,
                                  .statistic = "mean"},
            &found);
        if (component) {
            const double sum = found.value;
            found.value = sum - (strcmp(row->setting, "call") == 0 ? 0 : before);
            before = sum;
        }
        row->thesis = found.value;
        row->thesis_half_width = found.half_width;
    }
    return status;
}
