/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/loggp/loggp_fit.h"

#include "fitting/fitted_record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct writer {
    clump_store *store;
    const clump_loggp_fit *fit;
    const clump_loggp_record *record;
    clump_error *error;
    char source[FITTED_NAME + 64];
    bool is_new; /* the platform that gets them */
} writer;

static clump_store_status fail(const writer *w, clump_store_status status)
{
    return fitted_fail(w->store, status, w->error);
}

static int take_first(const clump_store_sample *sample, void *context)
{
    char *source = context;
    snprintf(source, FITTED_NAME, "%s", sample->source->name);
    return 1;
}

/* A scenario could not choose between two sets of parameters. */
static clump_store_status check_free(writer *w)
{
    for (size_t i = 0; i < CLUMP_LOGGP_ONE_WAY; i++) {
        char source[FITTED_NAME] = "";
        const clump_store_filter filter = {.platform = w->record->name,
                                           .application = "",
                                           .transport = w->record->transport,
                                           .quantity = clump_loggp_quantity((clump_loggp_name)i),
                                           .sure = true};
        const clump_store_status status =
            clump_store_each_sample(w->store, &filter, take_first, source);
        if (status == CLUMP_STORE_STOPPED) {
            clump_fail(w->error, CLUMP_BAD_ARGUMENT,
                       "platform '%.60s' has LogGP of transport '%s' already, from '%.80s'; "
                       "expected a name that is free",
                       w->record->name, w->record->transport, source);
            return CLUMP_STORE_BAD_INPUT;
        }
        if (status != CLUMP_STORE_OK)
            return fail(w, status);
    }
    return CLUMP_STORE_OK;
}

static clump_store_status add_source(writer *w)
{
    char title[FITTED_NAME + 160];
    const clump_loggp_samples *samples = &w->fit->samples;
    snprintf(w->source, sizeof w->source, "fit-%.*s-%s", FITTED_NAME - 1, w->record->name,
             w->record->transport);
    snprintf(title, sizeof title, "LogGP fitted to %zu samples of platform %.100s%s%.40s",
             samples->used.count, w->record->platform,
             samples->transport[0] != '\0' ? ", transport " : "", samples->transport);
    const clump_store_source source = {.name = w->source,
                                       .title = title,
                                       .tool = "clumpmodel fit loggp",
                                       .tool_version = w->record->version,
                                       .command = w->record->command};
    return fitted_add_source(w->store, &source, samples->sources, samples->source_count, w->error);
}

static clump_store_status add_value(writer *w, clump_loggp_name name)
{
    const clump_loggp_value *v = &w->fit->values[name];
    char note[300];
    if (!v->known)
        return CLUMP_STORE_OK;
    if (isnan(v->interval.low))
        snprintf(note, sizeof note, "%s; no interval", v->reason);
    else
        snprintf(note, sizeof note, "%s; between %.6g and %.6g%s", v->reason, v->interval.low,
                 v->interval.high,
                 v->interval.source == CLUMP_INTERVAL_SPAN ? ", the span of the runs" : "");
    const double half = fmax(v->interval.high - v->value, v->value - v->interval.low);
    const clump_store_series series = {.platform = w->record->name,
                                       .quantity = clump_loggp_quantity(name),
                                       .transport = w->record->transport,
                                       .statistic = "median",
                                       .source = w->source};
    return fitted_add(w->store, &series, v->value, half, note, w->error);
}

static clump_store_status write_all(void *context)
{
    writer *w = context;
    clump_store_platform *found = NULL;
    clump_store_status status = clump_store_find_platform(w->store, w->record->name, &found);
    w->is_new = status == CLUMP_STORE_NOT_FOUND;
    clump_store_free(found);
    if (status != CLUMP_STORE_OK && !w->is_new)
        return fail(w, status);
    status = w->is_new ? CLUMP_STORE_OK : check_free(w);
    if (status == CLUMP_STORE_OK)
        status = add_source(w);
    const clump_store_platform own = {.name = w->record->name, .source = w->source};
    if (status == CLUMP_STORE_OK && w->is_new)
        status = fitted_add_platform(w->store, w->record->platform, &own, "LogGP", w->error);
    for (size_t i = 0; i < CLUMP_LOGGP_ONE_WAY && status == CLUMP_STORE_OK; i++)
        status = add_value(w, (clump_loggp_name)i);
    return status;
}

clump_store_status clump_loggp_fit_store(clump_store *store, const clump_loggp_fit *fit,
                                         const clump_loggp_record *record, bool *made,
                                         clump_error *error)
{
    writer w = {.store = store, .fit = fit, .record = record, .error = error};
    const clump_store_status status = fitted_store(store, write_all, &w, error);
    if (status == CLUMP_STORE_OK && made != NULL)
        *made = w.is_new;
    return status;
}
