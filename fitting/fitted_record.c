/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/fitted_record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SOURCES_NOTE = 3600 };

/* "from a; b; c and 12 more" */
static void list_sources(const char *const *sources, size_t count, char note[SOURCES_NOTE])
{
    size_t used = (size_t)snprintf(note, SOURCES_NOTE, "from ");
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(sources[i]);
        if (used + length + 40 > SOURCES_NOTE) {
            snprintf(note + used, SOURCES_NOTE - used, " and %zu more", count - i);
            return;
        }
        used += (size_t)snprintf(note + used, SOURCES_NOTE - used, "%s%s", i > 0 ? "; " : "",
                                 sources[i]);
    }
}

static clump_store_status add_source(clump_store *store, const fitted_platform *f)
{
    char note[SOURCES_NOTE];
    list_sources(f->samples, f->sample_count, note);
    return clump_store_add_source(store, &(clump_store_source){.name = f->source,
                                                               .kind = "inline",
                                                               .title = f->title,
                                                               .tool = f->tool,
                                                               .tool_version = f->record->version,
                                                               .command = f->record->command,
                                                               .note = note});
}

static clump_store_status add_platform(clump_store *store, const fitted_platform *f)
{
    clump_store_platform *found = NULL;
    char title[FITTED_NAME + 40];
    clump_store_status status = clump_store_find_platform(store, f->record->platform, &found);
    if (status != CLUMP_STORE_OK)
        return status;
    snprintf(title, sizeof title, "%.*s with fitted %.20s", FITTED_NAME, found->title, f->what);
    clump_store_platform platform = *found;
    platform.name = f->record->name;
    platform.title = title;
    platform.part_of = f->record->platform;
    platform.source = f->source;
    if (f->nics > 0)
        platform.nics = f->nics;
    if (f->mapping != NULL)
        platform.mapping = f->mapping;
    status = clump_store_add_platform(store, &platform);
    clump_store_free(found);
    return status;
}

static clump_store_status add_value(clump_store *store, const fitted_platform *f,
                                    const fitted_value *v)
{
    int64_t id;
    const double half = fmax(v->high - v->value, v->value - v->low);
    const clump_store_series series = {.platform = f->record->name,
                                       .quantity = v->quantity,
                                       .transport = f->record->transport,
                                       .statistic = "median",
                                       .source = f->source};
    const clump_store_status status = clump_store_add_series(store, &series, &id);
    if (status != CLUMP_STORE_OK)
        return status;
    /* What is known to so many powers of ten is not known. */
    const clump_store_measurement measured = {.value = v->value,
                                              .half_width =
                                                  half <= CLUMP_STORE_MOST_SPREAD ? half : NAN,
                                              .std_dev = NAN,
                                              .size_bytes = -1,
                                              .note = v->note};
    return clump_store_add_sample(store, id, &measured);
}

static int take_first(const clump_store_sample *sample, void *context)
{
    snprintf(context, FITTED_NAME, "%s", sample->source->name);
    return 1;
}

/* A scenario could not choose between two sets of parameters. */
static clump_store_status check_free(clump_store *store, const fitted_platform *f,
                                     clump_error *error)
{
    char source[FITTED_NAME] = "";
    for (size_t i = 0; i < f->value_count; i++) {
        const clump_store_filter filter = {.platform = f->record->name,
                                           .application = "",
                                           .transport = f->record->transport,
                                           .quantity = f->values[i].quantity,
                                           .sure = true};
        const clump_store_status status =
            clump_store_each_sample(store, &filter, take_first, source);
        if (status == CLUMP_STORE_STOPPED)
            clump_fail(error, CLUMP_BAD_ARGUMENT,
                       "platform '%.60s' has LogGP of transport '%s' already, from '%.80s'; "
                       "expected a name that is free",
                       f->record->name, f->record->transport, source);
        if (status != CLUMP_STORE_OK)
            return status;
    }
    return CLUMP_STORE_OK;
}

/* STOPPED: the error says why. */
static clump_store_status write_all(clump_store *store, const fitted_platform *f, bool *is_new,
                                    clump_error *error)
{
    clump_store_platform *found = NULL;
    clump_store_status status = clump_store_find_platform(store, f->record->name, &found);
    *is_new = found == NULL || !f->may_exist; /* of which the store complains */
    clump_store_free(found);
    if (status == CLUMP_STORE_OK && !*is_new)
        status = check_free(store, f, error);
    if (status == CLUMP_STORE_OK || status == CLUMP_STORE_NOT_FOUND)
        status = add_source(store, f);
    if (status == CLUMP_STORE_OK && *is_new)
        status = add_platform(store, f);
    for (size_t i = 0; i < f->value_count && status == CLUMP_STORE_OK; i++)
        if (!isnan(f->values[i].value))
            status = add_value(store, f, &f->values[i]);
    return status;
}

clump_store_status fitted_store(clump_store *store, const fitted_platform *fitted, bool *made,
                                clump_error *error)
{
    bool is_new = false;
    clump_store_status status = clump_store_begin(store);
    if (status == CLUMP_STORE_OK)
        status = write_all(store, fitted, &is_new, error);
    if (status == CLUMP_STORE_OK)
        status = clump_store_commit(store);
    if (made != NULL && status == CLUMP_STORE_OK)
        *made = is_new;
    if (status != CLUMP_STORE_OK && status != CLUMP_STORE_STOPPED)
        clump_fail(error, CLUMP_BAD_ARGUMENT, "%.240s", clump_store_message(store));
    if (status != CLUMP_STORE_OK)
        clump_store_rollback(store);
    return status == CLUMP_STORE_STOPPED ? CLUMP_STORE_BAD_INPUT : status;
}
