/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Applications that were fitted: what describes them, and the times it was found from. */
#include "data/arena.h"
#include "data/store/row.h"

#include <stddef.h>
#include <string.h>

#define HEAD(column, type, member) CLUMP_ROW_FIELD(clump_store_fit, column, type, member)
#define PARAMETER(column, type, member)                                                            \
    CLUMP_ROW_FIELD(clump_store_fit_parameter, column, type, member)
#define RUN(column, type, member) CLUMP_ROW_FIELD(clump_store_fit_run, column, type, member)

static const clump_row_field head_fields[] = {
    HEAD("fitted_from", OPTIONAL, fitted_from), HEAD("demand", TEXT, demand),
    HEAD("efficiency", TEXT, efficiency),       HEAD("confidence", REAL, confidence),
    HEAD("chi_square", REAL, chi_square),       HEAD("freedom", REAL, freedom),
    HEAD("rms_error", REAL, rms_error),
};
static const clump_row_field parameter_fields[] = {
    PARAMETER("name", NAME, name), PARAMETER("value", REAL, value), PARAMETER("low", REAL, low),
    PARAMETER("high", REAL, high), PARAMETER("free", TRUTH, free),
};
static const clump_row_field run_fields[] = {
    RUN("platform", LABEL, platform),
    RUN("source", LABEL, source),
    RUN("base", LABEL, base),
    RUN("processors", WHOLE, processors),
    RUN("nics", WHOLE, nics),
    RUN("mapping", TEXT, mapping),
    RUN("max_nics", REAL, max_nics),
    RUN("utilization", REAL, utilization),
    RUN("remote_fraction", REAL, remote_fraction),
    RUN("cost_ratio", REAL, cost_ratio),
    RUN("waiting_fraction", REAL, waiting_fraction),
    RUN("base_time", REAL, base_time_s),
    RUN("time", REAL, time_s),
    RUN("relative_error", REAL, relative_error),
    RUN("fitted_time", REAL, fitted_s),
};
static const clump_row_form head_form = {.table = "fit", CLUMP_ROW_FIELDS(head_fields)},
                            parameter_form = {.table = "fit_parameter",
                                              CLUMP_ROW_FIELDS(parameter_fields)},
                            run_form = {.table = "fit_run", CLUMP_ROW_FIELDS(run_fields)};

/* ---- reading */

typedef struct owned_fit {
    clump_store_fit fit; /* first: what the caller has */
    clump_arena *arena;
} owned_fit;

void clump_store_free_fit(clump_store_fit *fit)
{
    if (fit != NULL)
        clump_arena_free(((owned_fit *)fit)->arena);
}

static clump_store_status read_all(clump_store *store, const char *application, int64_t id,
                                   clump_arena *arena, clump_store_fit **fit)
{
    void *heads, *parameters, *runs;
    size_t head_count, parameter_count, run_count;
    clump_store_status status = clump_row_read_all(
        store,
        "SELECT fitted_from, demand, efficiency, confidence, chi_square, freedom, rms_error"
        " FROM main.fit WHERE application_id = ?1",
        id, &head_form, sizeof(clump_store_fit), arena, &heads, &head_count);
    if (status == CLUMP_STORE_OK)
        status = clump_row_read_all(store,
                                    "SELECT name, value, low, high, free FROM main.fit_parameter"
                                    " WHERE application_id = ?1 ORDER BY name",
                                    id, &parameter_form, sizeof(clump_store_fit_parameter), arena,
                                    &parameters, &parameter_count);
    if (status == CLUMP_STORE_OK)
        status = clump_row_read_all(
            store,
            "SELECT platform, source, base, processors, nics, mapping, max_nics, utilization,"
            " remote_fraction, cost_ratio, waiting_fraction, base_time, time, relative_error,"
            " fitted_time FROM main.fit_run WHERE application_id = ?1 ORDER BY ordinal",
            id, &run_form, sizeof(clump_store_fit_run), arena, &runs, &run_count);
    if (status != CLUMP_STORE_OK || head_count == 0)
        return status;
    owned_fit *made = clump_arena_take(arena, sizeof *made);
    char *name = clump_arena_take(arena, strlen(application) + 1);
    if (made == NULL || name == NULL)
        return clump_store_fail_memory(store);
    made->arena = arena;
    made->fit = *(clump_store_fit *)heads;
    made->fit.application = strcpy(name, application);
    made->fit.parameters = parameters;
    made->fit.parameter_count = parameter_count;
    made->fit.runs = runs;
    made->fit.run_count = run_count;
    *fit = &made->fit;
    return status;
}

clump_store_status clump_store_find_fit(clump_store *store, const char *application,
                                        clump_store_fit **fit)
{
    int64_t id = 0;
    *fit = NULL;
    clump_store_status status =
        clump_store_check_name(store, "the name of an application", application);
    if (status == CLUMP_STORE_OK)
        status = clump_store_find_id(store, "SELECT id FROM main.application WHERE name = ?1",
                                     application, &id);
    if (status != CLUMP_STORE_OK || id == 0)
        return status;
    clump_arena *arena = clump_arena_new();
    status = arena != NULL ? read_all(store, application, id, arena, fit)
                           : clump_store_fail_memory(store);
    if (*fit == NULL)
        clump_arena_free(arena);
    return status;
}

/* ---- writing */

/* All or nothing of it within the transaction. */
static clump_store_status add_all(clump_store *store, const clump_store_fit *fit, int64_t id)
{
    clump_store_status status = clump_row_insert(store, &head_form, "application_id,", &id, fit);
    for (size_t i = 0; i < fit->parameter_count && status == CLUMP_STORE_OK; i++)
        status =
            clump_row_insert(store, &parameter_form, "application_id,", &id, &fit->parameters[i]);
    for (size_t i = 0; i < fit->run_count && status == CLUMP_STORE_OK; i++)
        status = clump_row_insert(store, &run_form, "application_id, ordinal,",
                                  (const int64_t[]){id, (int64_t)i + 1}, &fit->runs[i]);
    return status;
}

clump_store_status clump_store_add_fit(clump_store *store, const clump_store_fit *fit)
{
    int64_t id = 0;
    clump_store_status status = clump_store_check_writing(store);
    if (status == CLUMP_STORE_OK)
        status = clump_store_check_name(store, "the application of a fit", fit->application);
    if (status == CLUMP_STORE_OK)
        status = clump_store_find_id(
            store, "SELECT id FROM main.application WHERE name = ?1 AND NOT adopted",
            fit->application, &id);
    if (status == CLUMP_STORE_OK && id == 0)
        status = clump_store_fail(store, CLUMP_STORE_BAD_INPUT,
                                  "there is no application '%.200s' of the user to be described by "
                                  "a fit",
                                  fit->application);
    if (status == CLUMP_STORE_OK)
        status = clump_store_begin_change(store);
    return status == CLUMP_STORE_OK ? clump_store_end_change(store, add_all(store, fit, id))
                                    : status;
}
