/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result of a fit becomes an application of the database. */
#include "cli/fit_slowdown_store.h"

#include "cli/database.h"
#include "cli/output/errors.h"
#include "clumpmodel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 1024 };

/* The command as it was given, as far as there is room. */
static void describe_command(const command_line *a, char text[TEXT])
{
    size_t used = (size_t)snprintf(text, TEXT, "clumpmodel fit slowdown");
    for (size_t i = 0; i < a->given_count && used < TEXT; i++) {
        char label[OPTION_LABEL_SIZE];
        const bool plain =
            a->given[i].value[strspn(
                a->given[i].value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                   ".,=_/:+-")] == '\0';
        used +=
            (size_t)snprintf(text + used, TEXT - used, plain ? " %s %s" : " %s '%s'",
                             option_label(&a->table[a->given[i].option], label), a->given[i].value);
    }
    for (char *c = text; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20)
            *c = ' ';
}

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

static void set_run(const fit_slowdown_answer *a, size_t i, clump_store_fit_run *run)
{
    const clump_slowdown_runs *runs = &a->asked->runs;
    const clump_slowdown_question *q = &a->asked->question;
    const clump_slowdown_run *r = &q->runs[i];
    const clump_slowdown_record *record = &runs->records[runs->record_of[i]];
    const bool *is_free = q->free;
    *run = (clump_store_fit_run){
        .platform = record->platform,
        .source = record->source,
        .base = record->base,
        .mapping = clump_mapping_name(r->mapping),
        .processors = (int64_t)r->processors,
        .nics = (int64_t)r->nics,
        .max_nics = r->max_nics_per_processor,
        .utilization = is_free[CLUMP_SLOWDOWN_UTILIZATION] ? NAN : r->utilization,
        .remote_fraction = is_free[CLUMP_SLOWDOWN_REMOTE] ? NAN : r->remote_fraction,
        .cost_ratio = is_free[CLUMP_SLOWDOWN_COST_RATIO] ? NAN : r->cost_ratio,
        .waiting_fraction = is_free[CLUMP_SLOWDOWN_WAITING] ? NAN : r->waiting_fraction,
        .base_time_s = a->fit->base_times_s[r->base].value,
        .time_s = r->time_s,
        .relative_error = r->relative_error,
        .fitted_s = a->fit->fitted_s[i],
    };
}

typedef struct entry {
    clump_store_source source;
    clump_store_application application;
    clump_store_fit fit;
} entry;

static clump_store_status add(clump_store *store, const entry *e)
{
    clump_store_status status = clump_store_begin(store);
    if (status == CLUMP_STORE_OK)
        status = clump_store_add_source(store, &e->source);
    if (status == CLUMP_STORE_OK)
        status = clump_store_add_application(store, &e->application);
    if (status == CLUMP_STORE_OK)
        status = clump_store_add_fit(store, &e->fit);
    return status == CLUMP_STORE_OK ? clump_store_commit(store) : status;
}

/* A name that is taken would hide what has it. */
static int check_name(const char *command, clump_store *store, const char *name)
{
    clump_store_application *found = NULL;
    const clump_store_status status = clump_store_find_application(store, name, &found);
    clump_store_free(found);
    if (status == CLUMP_STORE_NOT_FOUND)
        return EXIT_DONE;
    return status == CLUMP_STORE_OK
               ? error_input(command,
                             "--name: there is an application '%.200s' already, expected "
                             "a new name",
                             name)
               : error_store(command, store, status);
}

/* Without directories, as import keeps it. */
static const char *file_name(const char *path)
{
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    if (path != NULL && strcmp(path, "-") == 0)
        return "standard input";
    return slash != NULL ? slash + 1 : path;
}

static int store_all(const command_invocation *invocation, const fit_slowdown_answer *a,
                     const char *name, clump_store_fit_run *runs)
{
    const command_line *arguments = &invocation->arguments;
    const clump_slowdown_question *q = &a->asked->question;
    const char *file = file_name(option_value(arguments, FIT_FILE));
    char title[TEXT], source[300], command[TEXT];
    clump_store_fit_parameter parameters[CLUMP_SLOWDOWN_PARAMETERS];
    clump_store *store = NULL;
    snprintf(title, sizeof title, "Fitted to %zu times%s%.200s", q->run_count,
             a->application != NULL ? " of " : "", a->application != NULL ? a->application : "");
    snprintf(source, sizeof source, "fit-%.190s", name);
    describe_command(arguments, command);
    for (size_t i = 0; i < q->run_count; i++)
        set_run(a, i, &runs[i]);
    const entry e = {
        .source = {.name = source,
                   .kind = "inline",
                   .title = title,
                   .file = file,
                   .sha256 = file != NULL ? a->asked->file_sha256 : NULL,
                   .tool = "clumpmodel fit slowdown",
                   .tool_version = CLUMPMODEL_VERSION,
                   .command = command},
        .application = {.name = name, .title = title, .source = source},
        .fit = {.application = name,
                .fitted_from = a->application,
                .demand = demand_name(q, a->fit),
                .efficiency = clump_efficiency_form_name(q->form),
                .confidence = q->confidence,
                .chi_square = a->fit->chi_square,
                .freedom = fmax(a->fit->freedom, 0),
                .rms_error = a->fit->rms_error,
                .parameters = parameters,
                .parameter_count = set_parameters(a->fit, parameters),
                .runs = runs,
                .run_count = q->run_count},
    };
    int status = database_create(invocation, &store);
    if (status == EXIT_DONE)
        status = check_name(arguments->command, store, name);
    if (status == EXIT_DONE) {
        const clump_store_status added = add(store, &e);
        if (added != CLUMP_STORE_OK)
            status = error_store(arguments->command, store, added);
    }
    clump_store_close(store);
    return status;
}

int fit_slowdown_keep(const command_invocation *invocation, const fit_slowdown_answer *answer)
{
    const char *name = option_value(&invocation->arguments, FIT_NAME);
    const size_t count = answer->asked->question.run_count;
    if (name == NULL)
        return EXIT_DONE;
    if (answer->asked->runs.slowdowns)
        return error_usage(invocation->arguments.command,
                           "--name: found slowdowns, expected times in seconds to be "
                           "stored");
    clump_store_fit_run *runs = calloc(count, sizeof *runs);
    if (runs == NULL)
        return error_memory(invocation->arguments.command);
    const int status = store_all(invocation, answer, name, runs);
    free(runs);
    return status;
}
