/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/validation/validation_frozen.h"

#include "cli/database.h"
#include "cli/output/errors.h"
#include "cli/output/output.h"
#include "cli/validation/validation_output.h"
#include "clumpmodel.h"
#include "fitting/validation/validation_freeze.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---- columns */

#define RUN(member) FIELD(clump_frozen_run, member)

static bool is_within(const clump_frozen_run *r)
{
    return r->measured >= r->kept.low_s && r->measured <= r->kept.high_s;
}

static void make_within(const void *run, table_cell *cell)
{
    const clump_frozen_run *r = run;
    if (isfinite(r->kept.low_s) && isfinite(r->measured))
        cell_truth(cell, is_within(r));
}

static void make_changed(const void *run, table_cell *cell)
{
    const clump_frozen_run *r = run;
    cell_text(cell, r->inputs_changed && r->rules_changed ? "inputs, rules"
                    : r->inputs_changed                   ? "inputs"
                    : r->rules_changed                    ? "rules"
                    : r->answer_changed                   ? "answer"
                                                          : "nothing");
}

static void make_slowdown(const void *run, table_cell *cell)
{
    const clump_frozen_run *r = run;
    cell_real(cell, r->kept.predicted_s / r->kept.now_time_s);
}

#define PREDICTED                                                                                  \
    {"application", "Application", RUN(kept.application)},                                         \
        {"platform", "Platform", RUN(kept.platform)}, {"base", NULL, RUN(kept.base)},              \
        {"change", "Change", RUN(kept.change)}, {"now_time_s", "NOW s", RUN(kept.now_time_s)},     \
        {"slowdown", "Slowdown", NUMBER_RATIO, .make = make_slowdown},                             \
        {"predicted_time_s", "Predicted s", RUN(kept.predicted_s)},                                \
        {NULL, "90% interval", VALIDATION_RANGE(clump_frozen_run, kept.low_s)},                    \
        {"low_s", NULL, RUN(kept.low_s)},                                                          \
    {                                                                                              \
        "high_s", NULL, RUN(kept.high_s)                                                           \
    }

static const table_column new_columns[] = {PREDICTED, {"inputs", NULL, RUN(kept.inputs)}};

static const table_column judged_columns[] = {
    PREDICTED,
    {NULL, "Measured s", VALIDATION_INTERVAL(clump_frozen_run, measured)},
    {"measured_time_s", NULL, RUN(measured)},
    {"measured_half_width_s", NULL, RUN(half_width)},
    {"error", "Error", NUMBER_SIGNED, RUN(error)},
    {"within", NULL, .make = make_within},
    {"changed", "Changed since", .make = make_changed, .layout = COLUMN_LEFT},
};

#define REFUSED(heading)                                                                           \
    {"application", "Application", RUN(kept.application)},                                         \
        {"platform", "Platform", RUN(kept.platform)},                                              \
    {                                                                                              \
        "problem", heading, RUN(problem), .layout = COLUMN_PROSE                                   \
    }

static const table_column refused_columns[] = {REFUSED("Not predicted because")};
static const table_column unjudged_columns[] = {REFUSED("Not judged because")};

/* ---- rows: what has no problem first */

/* How many have none. */
static size_t sort_runs(clump_frozen_list *list)
{
    size_t good = 0;
    for (size_t i = 0; i < list->count; i++) {
        const clump_frozen_run run = list->runs[i];
        if (run.problem != NULL)
            continue;
        memmove(&list->runs[good + 1], &list->runs[good], (i - good) * sizeof run);
        list->runs[good++] = run;
    }
    return good;
}

static int print_rows(output_format format, const table_rows *runs, const table_rows *refused,
                      const output_field *fields, size_t field_count)
{
    const table_rows *const sets[] = {runs, refused};
    if (format == FORMAT_CSV)
        return csv_print(runs);
    if (format == FORMAT_JSON)
        return json_print(sets, 2, fields, field_count);
    int status = EXIT_DONE;
    for (size_t i = 0; i < 2 && status == EXIT_DONE; i++) {
        if (sets[i]->row_count == 0)
            continue;
        if (i > 0 && runs->row_count > 0)
            putchar('\n');
        status = table_print(sets[i]);
    }
    return status;
}

/* ---- --freeze */

static void tell_time(char text[32])
{
    const time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc) == NULL || strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0)
        snprintf(text, 32, "unknown");
}

int validation_freeze(const command_invocation *invocation, const char *name, const bool *fitted)
{
    const char *command = invocation->arguments.command;
    clump_store *store = NULL;
    clump_frozen_list list = {.runs = NULL};
    clump_error error;
    char made[32];
    int status = database_change(invocation, &store);
    tell_time(made);
    if (status == EXIT_DONE) {
        const clump_status frozen =
            clump_validation_freeze(store, name, made, CLUMPMODEL_VERSION, fitted, &list, &error);
        if (frozen != CLUMP_OK)
            status = error_told(command, frozen == CLUMP_BAD_ARGUMENT, error.message);
    }
    clump_store_close(store);
    if (status != EXIT_DONE)
        return status;
    const size_t good = sort_runs(&list);
    const table_rows runs = {.key = "frozen", COLUMNS(new_columns), RECORDS(list.runs, good)};
    const table_rows refused = {
        .key = "not_predicted",
        COLUMNS(refused_columns),
        RECORDS(list.count > good ? list.runs + good : NULL, list.count - good)};
    const output_field fields[] = {field_text("made", list.head.made),
                                   field_text("rules", list.head.rules)};
    status = print_rows(invocation->format, &runs, &refused, fields, 2);
    if (status == EXIT_DONE && invocation->format == FORMAT_TABLE)
        printf("\n%zu prediction%s kept as '%s' by rules %s. When the times are measured and "
               "imported:\nclumpmodel validate --frozen '%s'\n",
               good, good == 1 ? "" : "s", name, list.head.rules, name);
    clump_frozen_list_free(&list);
    return status;
}

/* ---- --frozen */

typedef struct totals {
    size_t count, intervals, held;
    double mean_absolute, greatest, bias;
} totals;

static totals sum_up(const clump_frozen_list *list, size_t good)
{
    totals t = {.count = good, .greatest = good > 0 ? 0 : NAN};
    for (size_t i = 0; i < good; i++) {
        const clump_frozen_run *r = &list->runs[i];
        t.mean_absolute += fabs(r->error) / (double)good;
        t.bias += r->error / (double)good;
        t.greatest = fmax(t.greatest, fabs(r->error));
        t.intervals += isfinite(r->kept.low_s);
        t.held += is_within(r);
    }
    if (good == 0)
        t.mean_absolute = t.bias = NAN;
    return t;
}

static int check_limits(const clump_frozen_list *list, const totals *t, validation_limits limits)
{
    if (t->count == 0 && validation_limits_given(&limits))
        return error_failed(limits.command, "nothing that was kept is measured, expected a time to "
                                            "hold against --max-error or --max-mean-error");
    validation_limits_mean(&limits, t->mean_absolute, "%s", "");
    for (size_t i = 0; i < t->count; i++)
        validation_limits_error(&limits, list->runs[i].error, "'%.80s' on '%.80s'",
                                list->runs[i].kept.application, list->runs[i].kept.platform);
    return validation_limits_end(&limits);
}

int validation_judge_frozen(const command_invocation *invocation, const char *name,
                            const bool *fitted, double max_error, double max_mean_error)
{
    const char *command = invocation->arguments.command;
    clump_store *store = NULL;
    clump_frozen_list list = {.runs = NULL};
    clump_error error;
    int status = database_open(invocation, &store);
    if (status == EXIT_DONE) {
        const clump_status judged =
            clump_validation_judge_frozen(store, name, fitted, &list, &error);
        if (judged != CLUMP_OK)
            status = error_told(command, judged == CLUMP_BAD_ARGUMENT, error.message);
    }
    clump_store_close(store);
    if (status != EXIT_DONE)
        return status;
    const size_t good = sort_runs(&list);
    const totals t = sum_up(&list, good);
    const table_rows runs = {.key = "frozen", COLUMNS(judged_columns), RECORDS(list.runs, good)};
    const table_rows refused = {
        .key = "not_judged",
        COLUMNS(unjudged_columns),
        RECORDS(list.count > good ? list.runs + good : NULL, list.count - good)};
    const output_field fields[] = {field_text("made", list.head.made),
                                   field_text("program", list.head.program),
                                   field_text("rules", list.head.rules),
                                   field_text("rules_now", list.rules_now),
                                   field_real("level", list.head.level),
                                   field_real("mean_absolute_error", t.mean_absolute),
                                   field_real("greatest_error", t.greatest),
                                   field_real("bias", t.bias),
                                   field_size("intervals", t.intervals),
                                   field_size("held", t.held)};
    if (invocation->format == FORMAT_TABLE)
        printf("Frozen: %s, Made: %s, Program: %s, Rules: %s\n\n", name, list.head.made,
               list.head.program, list.head.rules);
    status =
        print_rows(invocation->format, &runs, &refused, fields, sizeof fields / sizeof *fields);
    if (status == EXIT_DONE && invocation->format == FORMAT_TABLE && good > 0)
        printf(
            "\nMean |error| of %zu prediction%s: %.1f%%, greatest %.1f%%, bias %+.1f%%; %zu of %zu "
            "in the %.0f%% interval\n",
            good, good == 1 ? "" : "s", 100 * t.mean_absolute, 100 * t.greatest, 100 * t.bias,
            t.held, t.intervals, 100 * list.head.level);
    if (status == EXIT_DONE)
        status = check_limits(
            &list, &t, (validation_limits){command, max_error, max_mean_error, EXIT_DONE, 0, ""});
    clump_frozen_list_free(&list);
    return status;
}
