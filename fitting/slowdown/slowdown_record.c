/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result of a fit becomes an application of the store. */
#include "fitting/slowdown/slowdown_runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *demand_name(const clump_slowdown_question *q, const clump_slowdown_fit *fit)
{
    return clump_demand_kind_name(
        isnan(fit->parameters[CLUMP_SLOWDOWN_GANG].value) ? q->demand : CLUMP_DEMAND_GANG);
}

static size_t set_parameters(const clump_slowdown_fit *fit, clump_store_fit_parameter *parameters)
{
    size_t count = 0;
    for (size_t k = 0; k < CLUMP_SLOWDOWN_PARAMETERS; k++) {
        const clump_slowdown_estimate *e = &fit->parameters[k];
        if (!isnan(e->value))
            parameters[count++] = (clump_store_fit_parameter){
                .name = clump_slowdown_parameter_name((clump_slowdown_parameter)k),
                .value = e->value,
                .low = e->low,
                .high = e->high,
                .free = e->free};
    }
    return count;
}

static clump_store_fit_run make_run(const clump_slowdown_runs *runs,
                                    const clump_slowdown_question *q, const clump_slowdown_fit *fit,
                                    size_t i)
{
    const clump_slowdown_run *r = &q->runs[i];
    const clump_slowdown_record *record = &runs->records[runs->record_of[i]];
    return (clump_store_fit_run){
        .platform = record->platform,
        .source = record->source,
        .base = record->base,
        .mapping = clump_mapping_name(r->mapping),
        .processors = (int64_t)r->processors,
        .nics = (int64_t)r->nics,
        .max_nics = r->max_nics_per_processor,
        .utilization = q->free[CLUMP_SLOWDOWN_UTILIZATION] ? NAN : r->utilization,
        .remote_fraction = q->free[CLUMP_SLOWDOWN_REMOTE] ? NAN : r->remote_fraction,
        .cost_ratio = q->free[CLUMP_SLOWDOWN_COST_RATIO] ? NAN : r->cost_ratio,
        .waiting_fraction = q->free[CLUMP_SLOWDOWN_WAITING] ? NAN : r->waiting_fraction,
        .base_time_s = fit->base_times_s[r->base].value,
        .time_s = r->time_s,
        .relative_error = r->relative_error,
        .fitted_s = fit->fitted_s[i],
    };
}

/* A name that is taken would hide what has it. */
static clump_store_status check_name(clump_store *store, const char *name, bool *taken)
{
    clump_store_application *found = NULL;
    const clump_store_status status = clump_store_find_application(store, name, &found);
    clump_store_free(found);
    *taken = status == CLUMP_STORE_OK;
    return status == CLUMP_STORE_NOT_FOUND ? CLUMP_STORE_OK : status;
}

/* Without directories, as import keeps it. */
static const char *file_name(const char *path)
{
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    if (path != NULL && strcmp(path, "-") == 0)
        return "standard input";
    return slash != NULL ? slash + 1 : path;
}

static clump_store_status add(clump_store *store, const clump_store_source *source,
                              const clump_store_application *application,
                              const clump_store_fit *fit)
{
    clump_store_status status = clump_store_begin(store);
    if (status == CLUMP_STORE_OK)
        status = clump_store_add_source(store, source);
    if (status == CLUMP_STORE_OK)
        status = clump_store_add_application(store, application);
    if (status == CLUMP_STORE_OK)
        status = clump_store_add_fit(store, fit);
    if (status == CLUMP_STORE_OK)
        status = clump_store_commit(store);
    if (status != CLUMP_STORE_OK)
        clump_store_rollback(store);
    return status;
}

clump_store_status clump_slowdown_fit_store(clump_store *store, const clump_slowdown_runs *runs,
                                            const clump_slowdown_question *q,
                                            const clump_slowdown_fit *fit,
                                            const clump_slowdown_keeping *how, bool *taken,
                                            clump_error *error)
{
    char title[256], source[200];
    clump_store_fit_parameter parameters[CLUMP_SLOWDOWN_PARAMETERS];
    const char *file = file_name(how->file), *from = how->application;
    clump_store_status status = check_name(store, how->name, taken);
    error->status = CLUMP_OK;
    if (status != CLUMP_STORE_OK || *taken)
        return status;
    clump_store_fit_run *stored = calloc(q->run_count + 1, sizeof *stored);
    if (stored == NULL) {
        clump_fail_memory(error, "the runs of a fit");
        return CLUMP_STORE_FAILED;
    }
    for (size_t i = 0; i < q->run_count; i++)
        stored[i] = make_run(runs, q, fit, i);
    snprintf(title, sizeof title, "Fitted to %zu times%s%.200s", q->run_count,
             from != NULL ? " of " : "", from != NULL ? from : "");
    snprintf(source, sizeof source, "fit-%.190s", how->name);
    status = add(store,
                 &(clump_store_source){.name = source,
                                       .kind = "inline",
                                       .title = title,
                                       .file = file,
                                       .sha256 = file != NULL ? how->sha256 : NULL,
                                       .tool = "clumpmodel fit slowdown",
                                       .tool_version = how->version,
                                       .command = how->command},
                 &(clump_store_application){.name = how->name, .title = title, .source = source},
                 &(clump_store_fit){.application = how->name,
                                    .fitted_from = from,
                                    .demand = demand_name(q, fit),
                                    .efficiency = clump_efficiency_form_name(q->form),
                                    .confidence = q->confidence,
                                    .chi_square = fit->chi_square,
                                    .freedom = fmax(fit->freedom, 0),
                                    .rms_error = fit->rms_error,
                                    .parameters = parameters,
                                    .parameter_count = set_parameters(fit, parameters),
                                    .runs = stored,
                                    .run_count = q->run_count});
    free(stored);
    return status;
}
