/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/fitted_record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

clump_store_status fitted_fail(const clump_store *store, clump_store_status status,
                               clump_error *error)
{
    clump_fail(error, CLUMP_BAD_ARGUMENT, "%.240s", clump_store_message(store));
    return status;
}

void fitted_list_sources(const char *const *sources, size_t count, char note[FITTED_NOTE])
{
    size_t used = (size_t)snprintf(note, FITTED_NOTE, "from ");
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(sources[i]);
        if (used + length + 40 > FITTED_NOTE) {
            snprintf(note + used, FITTED_NOTE - used, " and %zu more", count - i);
            return;
        }
        used += (size_t)snprintf(note + used, FITTED_NOTE - used, "%s%s", i > 0 ? "; " : "",
                                 sources[i]);
    }
}

clump_store_status fitted_add(clump_store *store, const clump_store_series *series, double value,
                              double half_width, const char *note, clump_error *error)
{
    int64_t id;
    clump_store_status status = clump_store_add_series(store, series, &id);
    /* What is known to so many powers of ten is not known. */
    if (status == CLUMP_STORE_OK)
        status = clump_store_add_sample(
            store, id,
            &(clump_store_measurement){.value = value,
                                       .half_width =
                                           half_width <= CLUMP_STORE_MOST_SPREAD ? half_width : NAN,
                                       .std_dev = NAN,
                                       .size_bytes = -1,
                                       .note = note});
    return status == CLUMP_STORE_OK ? status : fitted_fail(store, status, error);
}
