/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/import/import_fit.h"
#include "data/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- values: "name=number" or "name=word", with blanks between */

typedef struct value {
    const char *name;
    double *real;
    int64_t *whole;
    const char **word;
    bool needed;
} value;

static char *copy(clump_import_log *log, const char *text, size_t size)
{
    if (log->texts == NULL)
        log->texts = clump_arena_new();
    char *made = log->texts != NULL ? clump_arena_take(log->texts, size + 1) : NULL;
    if (made == NULL)
        clump_import_fail_memory(log);
    else
        memcpy(made, text, size);
    return made;
}

static bool keep(clump_import_log *log, const char *text, const char **to)
{
    *to = copy(log, text, strlen(text));
    return *to != NULL;
}

static bool read_one(clump_import_log *log, size_t line, const value *v, const char *text,
                     size_t size)
{
    if (v->word != NULL) {
        *v->word = copy(log, text, size);
        return *v->word != NULL;
    }
    const clump_number_status read = v->real != NULL
                                         ? clump_number_parse(text, size, v->real)
                                         : clump_number_parse_whole(text, size, v->whole);
    return read == CLUMP_NUMBER_OK ||
           clump_import_fail(log, line, "found %.40s '%.*s', expected a number", v->name,
                             (int)(size < 40 ? size : 40), text);
}

/* Numbers that are not there stay as they are. */
static bool read_values(clump_import_log *log, size_t line, const char *text, const value *values,
                        size_t count)
{
    bool seen[16] = {false};
    while (*(text += strspn(text, " ")) != '\0') {
        const size_t size = strcspn(text, " "), name = strcspn(text, "= ");
        size_t i = 0;
        while (i < count && (strlen(values[i].name) != name ||
                             strncmp(values[i].name, text, name) != 0 || seen[i]))
            i++;
        if (i == count || name >= size)
            return clump_import_fail(log, line,
                                     "found '%.*s' of a fit, expected values as 'data export' "
                                     "writes them, each once",
                                     (int)(size < 60 ? size : 60), text);
        seen[i] = true;
        if (!read_one(log, line, &values[i], text + name + 1, size - name - 1))
            return false;
        text += size;
    }
    for (size_t i = 0; i < count; i++)
        if (values[i].needed && !seen[i])
            return clump_import_fail(log, line, "found no %s of a fit, expected it",
                                     values[i].name);
    return true;
}

/* ---- rows */

static clump_import_fit *find(clump_import_log *log, const char *application)
{
    for (size_t i = log->fit_count; i-- > 0;)
        if (strcmp(log->fits[i].fit.application, application) == 0)
            return &log->fits[i];
    return NULL;
}

static bool add_fit(clump_import_log *log, size_t line, const clump_import_fit_row *row)
{
    clump_store_fit fit = {.fitted_from = NULL};
    const value values[] = {{"demand", .word = &fit.demand, .needed = true},
                            {"efficiency", .word = &fit.efficiency, .needed = true},
                            {"confidence", .real = &fit.confidence, .needed = true},
                            {"chi_square", .real = &fit.chi_square, .needed = true},
                            {"freedom", .real = &fit.freedom, .needed = true},
                            {"rms_error", .real = &fit.rms_error, .needed = true}};
    if (!read_values(log, line, row->values, values, sizeof values / sizeof *values) ||
        !keep(log, row->application, &fit.application) ||
        (row->name[0] != '\0' && !keep(log, row->name, &fit.fitted_from)))
        return false;
    clump_import_fit *larger = realloc(log->fits, (log->fit_count + 1) * sizeof *log->fits);
    if (larger == NULL)
        return clump_import_fail_memory(log);
    log->fits = larger;
    log->fits[log->fit_count++] = (clump_import_fit){.fit = fit};
    return true;
}

static bool add_parameter(clump_import_log *log, size_t line, clump_import_fit *to,
                          const clump_import_fit_row *row)
{
    clump_store_fit_parameter made = {.low = NAN, .high = NAN};
    int64_t is_free = 0;
    const value values[] = {{"value", .real = &made.value, .needed = true},
                            {"low", .real = &made.low},
                            {"high", .real = &made.high},
                            {"free", .whole = &is_free, .needed = true}};
    if (!read_values(log, line, row->values, values, sizeof values / sizeof *values) ||
        !keep(log, row->name, &made.name))
        return false;
    const size_t count = to->fit.parameter_count;
    clump_store_fit_parameter *larger = realloc(to->parameters, (count + 1) * sizeof *larger);
    if (larger == NULL)
        return clump_import_fail_memory(log);
    made.free = is_free != 0;
    larger[count] = made;
    to->fit.parameters = to->parameters = larger;
    to->fit.parameter_count++;
    return true;
}

static bool add_run(clump_import_log *log, size_t line, clump_import_fit *to,
                    const clump_import_fit_row *row)
{
    clump_store_fit_run made = {.utilization = NAN,
                                .remote_fraction = NAN,
                                .cost_ratio = NAN,
                                .waiting_fraction = NAN,
                                .relative_error = NAN};
    const value values[] = {{"processors", .whole = &made.processors, .needed = true},
                            {"nics", .whole = &made.nics, .needed = true},
                            {"mapping", .word = &made.mapping, .needed = true},
                            {"max_nics", .real = &made.max_nics, .needed = true},
                            {"utilization", .real = &made.utilization},
                            {"remote_fraction", .real = &made.remote_fraction},
                            {"cost_ratio", .real = &made.cost_ratio},
                            {"waiting_fraction", .real = &made.waiting_fraction},
                            {"base_time", .real = &made.base_time_s, .needed = true},
                            {"time", .real = &made.time_s, .needed = true},
                            {"relative_error", .real = &made.relative_error},
                            {"fitted_time", .real = &made.fitted_s, .needed = true}};
    if (!read_values(log, line, row->values, values, sizeof values / sizeof *values) ||
        !keep(log, row->platform, &made.platform) || !keep(log, row->source, &made.source) ||
        !keep(log, row->base, &made.base))
        return false;
    const size_t count = to->fit.run_count;
    clump_store_fit_run *larger = realloc(to->runs, (count + 1) * sizeof *larger);
    if (larger == NULL)
        return clump_import_fail_memory(log);
    larger[count] = made;
    to->fit.runs = to->runs = larger;
    to->fit.run_count++;
    return true;
}

bool clump_import_fit_add(clump_import_log *log, size_t line, const clump_import_fit_row *row)
{
    clump_import_fit *fit = find(log, row->application);
    const bool begins = strcmp(row->kind, "fit") == 0;
    if (begins && fit == NULL)
        return add_fit(log, line, row);
    if (!begins && fit != NULL && strcmp(row->kind, "parameter") == 0)
        return add_parameter(log, line, fit, row);
    if (!begins && fit != NULL && strcmp(row->kind, "run") == 0)
        return add_run(log, line, fit, row);
    return clump_import_fail(
        log, line,
        "found '%.20s' %s a fit of application '%.60s', expected fit once, and "
        "then parameter and run",
        row->kind, fit != NULL ? "after" : "without", row->application);
}

/* ---- frozen predictions */

bool clump_import_is_frozen(const char *kind)
{
    return strcmp(kind, "frozen") == 0 || strcmp(kind, "prediction") == 0;
}

static bool begin_frozen(clump_import_log *log, size_t line, const clump_import_fit_row *row,
                         const char *note)
{
    clump_store_frozen made = {.note = NULL};
    const value values[] = {{"level", .real = &made.level, .needed = true}};
    if (row->name[0] == '\0')
        return clump_import_fail(log, line,
                                 "found frozen predictions without a name, expected one");
    if (!read_values(log, line, row->values, values, 1) || !keep(log, row->name, &made.name) ||
        !keep(log, row->platform, &made.made) || !keep(log, row->source, &made.program) ||
        !keep(log, row->base, &made.rules) || (note[0] != '\0' && !keep(log, note, &made.note)))
        return false;
    for (size_t i = 0; i < log->frozen_count; i++)
        if (strcmp(log->frozen[i].head.name, made.name) == 0)
            return clump_import_fail(log, line, "found frozen predictions '%.60s' twice",
                                     made.name);
    clump_import_frozen *larger =
        realloc(log->frozen, (log->frozen_count + 1) * sizeof *log->frozen);
    if (larger == NULL)
        return clump_import_fail_memory(log);
    log->frozen = larger;
    log->frozen[log->frozen_count++] = (clump_import_frozen){.head = made};
    return true;
}

static bool add_prediction(clump_import_log *log, size_t line, const clump_import_fit_row *row)
{
    clump_store_prediction made = {.low_s = NAN, .high_s = NAN};
    const value values[] = {{"inputs", .word = &made.inputs, .needed = true},
                            {"now_time", .real = &made.now_time_s, .needed = true},
                            {"predicted", .real = &made.predicted_s, .needed = true},
                            {"low", .real = &made.low_s},
                            {"high", .real = &made.high_s}};
    if (log->frozen_count == 0)
        return clump_import_fail(log, line, "found a prediction, expected frozen before it");
    if (!read_values(log, line, row->values, values, sizeof values / sizeof *values) ||
        !keep(log, row->name, &made.change) || !keep(log, row->platform, &made.platform) ||
        !keep(log, row->source, &made.application) || !keep(log, row->base, &made.base))
        return false;
    clump_import_frozen *to = &log->frozen[log->frozen_count - 1];
    clump_store_prediction *larger = realloc(to->predictions, (to->count + 1) * sizeof *larger);
    if (larger == NULL)
        return clump_import_fail_memory(log);
    to->predictions = larger;
    to->predictions[to->count++] = made;
    return true;
}

bool clump_import_frozen_add(clump_import_log *log, size_t line, const clump_import_fit_row *row,
                             const char *note)
{
    return strcmp(row->kind, "frozen") == 0 ? begin_frozen(log, line, row, note)
                                            : add_prediction(log, line, row);
}
