/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/fitted_record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FITTED_NOTE = 3600 };

clump_store_status fitted_fail(const clump_store *store, clump_store_status status,
                               clump_error *error)
{
    clump_fail(error, CLUMP_BAD_ARGUMENT, "%.240s", clump_store_message(store));
    return status;
}

clump_store_status fitted_store(clump_store *store, clump_store_status (*write)(void *context),
                                void *context, clump_error *error)
{
    clump_store_status status = clump_store_begin(store);
    if (status != CLUMP_STORE_OK)
        return fitted_fail(store, status, error);
    status = write(context);
    if (status == CLUMP_STORE_OK) {
        status = clump_store_commit(store);
        if (status != CLUMP_STORE_OK)
            fitted_fail(store, status, error);
    }
    if (status != CLUMP_STORE_OK)
        clump_store_rollback(store);
    return status;
}

/* "from a; b; c and 12 more" */
static void list_sources(const char *const *sources, size_t count, char note[FITTED_NOTE])
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

clump_store_status fitted_add_source(clump_store *store, const clump_store_source *source,
                                     const char *const *samples, size_t count, clump_error *error)
{
    char note[FITTED_NOTE];
    clump_store_source noted = *source;
    list_sources(samples, count, note);
    noted.kind = "inline";
    noted.note = note;
    const clump_store_status status = clump_store_add_source(store, &noted);
    return status == CLUMP_STORE_OK ? status : fitted_fail(store, status, error);
}

clump_store_status fitted_add_platform(clump_store *store, const char *measured,
                                       const clump_store_platform *own, const char *what,
                                       clump_error *error)
{
    clump_store_platform *found = NULL;
    char title[FITTED_NAME + 40];
    clump_store_status status = clump_store_find_platform(store, measured, &found);
    if (status != CLUMP_STORE_OK)
        return fitted_fail(store, status, error);
    snprintf(title, sizeof title, "%.*s with fitted %.20s", FITTED_NAME, found->title, what);
    clump_store_platform platform = *found;
    platform.name = own->name;
    platform.title = title;
    platform.part_of = measured;
    platform.source = own->source;
    if (own->nics > 0)
        platform.nics = own->nics;
    if (own->mapping != NULL)
        platform.mapping = own->mapping;
    status = clump_store_add_platform(store, &platform);
    clump_store_free(found);
    return status == CLUMP_STORE_OK ? status : fitted_fail(store, status, error);
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
