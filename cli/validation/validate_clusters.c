/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/validation/validate_clusters.h"

#include "cli/output/errors.h"
#include "cli/output/output.h"
#include "cli/topology/topology_file.h"
#include "cli/validation/validation_output.h"
#include "fitting/clusters/clusters.h"
#include "topology/nccl_node.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int read_kind(command_line *line, const option_entry *option, const char *text, void *field)
{
    const clump_cluster_kind kind = clump_cluster_kind_find(text);
    if (kind == CLUMP_CLUSTER_KINDS && strcmp(text, "slowdown") != 0)
        return option_wrong(line, option->name, text, option->values);
    *(int *)field = kind < CLUMP_CLUSTER_KINDS ? 1 + (int)kind : 0;
    return EXIT_DONE;
}

const option_entry cluster_options[] = {
    {.name = "kind",
     .argument = "KIND",
     .values = "slowdown|pairs|nics|training|steps|collectives|collectives-other-nics",
     .help = "what is predicted: slowdown, times of programs against those\n"
             "on a NOW; pairs, rates of pairs of processes that share NICs;\n"
             "nics, times of programs behind more, fewer or other NICs;\n"
             "training, times of programs with reductions on more nodes;\n"
             "steps, those of training transformers in parallel;\n"
             "collectives, times of collective operations;\n"
             "collectives-other-nics, the same behind other NICs (default: {})",
     OPTION_READ(read_kind, cluster_settings, kind),
     .preset = "slowdown"},
    {.name = "platform",
     .values = "@platforms",
     .help = "only what is on this platform (not with --kind slowdown)",
     OPTION_OF(cluster_settings, platform)},
    {.name = "from",
     .values = "@platforms",
     .help = "platform whose runs are predicted from (kinds that\n"
             "predict from another one; default: all)",
     OPTION_OF(cluster_settings, from)},
    {.name = "transport",
     .help = "benchmarks with this transport tell what the NICs do, where\n"
             "there are none with the program's own (not with --kind pairs)",
     OPTION_OF(cluster_settings, transport)},
    {.name = "topology",
     .argument = "FILE",
     .help = "a node of GPUs, as 'clumpmodel topology' reads it: what\n"
             "NCCL does, and what bytes between GPUs of a node take, is\n"
             "predicted from its links (--kind collectives)",
     OPTION_OF(cluster_settings, topology)},
    {.name = "rows",
     .help = "list every prediction, where tables would only show the errors",
     OPTION_OF(cluster_settings, rows)},
    {0},
};

int cluster_options_check(const command_line *line, const cluster_settings *settings)
{
    static const char *const of_clusters[] = {"platform", "from", "transport", "topology", "rows"};
    static const char *const of_slowdowns[] = {"dataset", "variant", "engine", "plot",
                                               "fit",     "freeze",  "frozen"};
    if (settings->kind == 0) {
        for (size_t i = 0; i < sizeof of_clusters / sizeof *of_clusters; i++)
            if (option_is_given(line, of_clusters[i]))
                return error_usage(
                    line->command,
                    "--%s: found it with --kind slowdown, expected it with the other "
                    "kinds only",
                    of_clusters[i]);
        return EXIT_DONE;
    }
    const clump_cluster_kind kind = (clump_cluster_kind)(settings->kind - 1);
    if (settings->from != NULL && (kind == CLUMP_CLUSTER_PAIRS || kind == CLUMP_CLUSTER_STEPS ||
                                   kind == CLUMP_CLUSTER_COLLECTIVES))
        return error_usage(
            line->command,
            "--from: found it with --kind %s, which predicts from the same platform; "
            "expected --platform",
            clump_cluster_kinds[kind].name);
    if (settings->transport != NULL && kind == CLUMP_CLUSTER_PAIRS)
        return error_usage(line->command,
                           "--transport: found it with --kind pairs, which takes each "
                           "transport by itself; expected none");
    if (settings->topology != NULL && kind != CLUMP_CLUSTER_COLLECTIVES)
        return error_usage(line->command,
                           "--topology: found it with --kind %s, expected --kind collectives",
                           clump_cluster_kinds[kind].name);
    const char *const names[] = {settings->from, settings->platform};
    for (size_t i = 0; i < 2; i++)
        if (names[i] != NULL && names[i][0] == '\0')
            return error_usage(line->command, "--%s: found '', expected the name of a platform",
                               i == 0 ? "from" : "platform");
    if (names[0] != NULL && names[1] != NULL && kind != CLUMP_CLUSTER_TRAINING &&
        strcmp(names[0], names[1]) == 0)
        return error_usage(line->command,
                           "--from and --platform: found '%.80s' in both, expected two platforms "
                           "with other NICs",
                           names[0]);
    for (size_t i = 0; i < sizeof of_slowdowns / sizeof *of_slowdowns; i++)
        if (option_is_given(line, of_slowdowns[i]))
            return error_usage(
                line->command,
                "--%s: found it with --kind %s, expected it with --kind slowdown only",
                of_slowdowns[i], clump_cluster_kinds[settings->kind - 1].name);
    return EXIT_DONE;
}

/* ---- columns */

#define ROW(member) FIELD(clump_cluster_row, member)

static bool has_part(const void *record)
{
    return ((const clump_cluster_row *)record)->part[0] != '\0';
}

static bool has_note(const void *record)
{
    return ((const clump_cluster_row *)record)->note != NULL;
}

static bool has_size(const void *record)
{
    return ((const clump_cluster_row *)record)->size_bytes >= 0;
}

static bool has_limit(const void *record)
{
    return ((const clump_cluster_row *)record)->limit != NULL;
}

static bool has_interval(const void *record)
{
    return isfinite(((const clump_cluster_row *)record)->low);
}

static const table_column row_columns[] = {
    {"set", "Set", ROW(set), .folding = FOLD_ALWAYS},
    {"part", "Part", ROW(part), .folding = FOLD_ROWS, .worth = has_part},
    {"platform", NULL, ROW(platform)},
    {"transport", NULL, ROW(transport)},
    {"variant", NULL, ROW(variant)},
    {"subject", NULL, ROW(subject)},
    {"from", NULL, ROW(from)},
    {"quantity", "Quantity", ROW(quantity), .folding = FOLD_ALWAYS},
    {"nodes", "Nodes", ROW(nodes), .folding = FOLD_ROWS, .positive = true},
    {"processes", "Processes", ROW(processes), .folding = FOLD_ROWS, .positive = true},
    {"size_bytes", "Bytes", ROW(size_bytes), .worth = has_size, .applies = has_size},
    {"limit", "Limit", ROW(limit), .worth = has_limit},
    {"rival_1", "Rival 1", ROW(rivals[0])},
    {"rival_2", "Rival 2", ROW(rivals[1])},
    {"predicted", "Predicted", ROW(predicted)},
    {NULL, "90% interval", VALIDATION_RANGE(clump_cluster_row, low), .worth = has_interval},
    {"low", NULL, ROW(low)},
    {"high", NULL, ROW(high)},
    {"measured", "Measured", ROW(measured)},
    {"error", "Error", NUMBER_SIGNED, ROW(error)},
    {"note", "Note", ROW(note), .worth = has_note, .layout = COLUMN_PROSE},
};

static const table_column problem_columns[] = {
    {"set", "Set", ROW(set), .folding = FOLD_ROWS},
    {"part", "Part", ROW(part), .worth = has_part},
    {"nodes", "Nodes", ROW(nodes), .positive = true},
    {"problem", "Not predicted because", ROW(problem), .layout = COLUMN_PROSE},
};

#define SUM(member) FIELD(clump_cluster_summary, member)

static bool is_sized(const void *record)
{
    return ((const clump_cluster_summary *)record)->greatest_size >= 0;
}

static bool stands_alone(const void *record)
{
    return ((const clump_cluster_summary *)record)->alone > 0;
}

static bool has_coverage(const void *record)
{
    return isfinite(((const clump_cluster_summary *)record)->covered);
}

static const table_column error_columns[] = {
    {"set", "Set", SUM(set), .folding = FOLD_ALWAYS},
    {"part", "Part", SUM(part)},
    {"count", "Judged", SUM(count)},
    {"alone", "Not measured", SUM(alone), .worth = stands_alone},
    {"mean_absolute_error", "Mean |error|", NUMBER_PERCENT, SUM(mean_absolute)},
    {"greatest_error", "Greatest", NUMBER_PERCENT, SUM(greatest)},
    {"greatest_size_bytes", "at bytes", SUM(greatest_size), .applies = is_sized, .worth = is_sized},
    {"bias", "Bias", NUMBER_SIGNED, SUM(bias)},
    {"covered", "Within 90%", NUMBER_PERCENT, SUM(covered), .worth = has_coverage},
    {"rival_1_mean_absolute_error", "Rival 1", NUMBER_PERCENT, SUM(rival_mean_absolute[0])},
    {"rival_2_mean_absolute_error", "Rival 2", NUMBER_PERCENT, SUM(rival_mean_absolute[1])},
};

/* ---- rows */

typedef struct view {
    clump_cluster_row *predicted, *problems;
    size_t predicted_count, problem_count;
    clump_cluster_summary *sums;
    size_t sum_count;
} view;

static bool of_set(const void *a, const void *b)
{
    return strcmp(((const clump_cluster_row *)a)->set, ((const clump_cluster_row *)b)->set) == 0;
}

/* The part that is a whole set. */
static const char whole[] = "all";

static void add_sum(view *v, const clump_cluster_row *rows, size_t count, const char *set,
                    const char *part)
{
    clump_cluster_summary *sum = &v->sums[v->sum_count++];
    *sum = clump_clusters_summarize(rows, count);
    sum->set = set;
    sum->part = part;
}

/* Rows of a set stand together, and those of a part of it. */
static void add_sums(const clump_cluster_judgement *j, view *v)
{
    size_t sets = 0, length, part;
    for (size_t i = 0; i < j->count; i += length, sets++) {
        const clump_cluster_row *set = &j->rows[i];
        size_t parts = 0;
        for (length = 1; i + length < j->count && of_set(set, &set[length]); length++)
            ;
        for (size_t k = 0; k < length; k += part, parts++) {
            for (part = 1; k + part < length && strcmp(set[k].part, set[k + part].part) == 0;
                 part++)
                ;
            add_sum(v, &set[k], part, set->set, set[k].part);
        }
        if (parts == 1)
            v->sum_count--;
        add_sum(v, set, length, set->set, whole);
    }
    if (sets > 1)
        add_sum(v, j->rows, j->count, "all", NULL);
}

static bool make_view(const clump_cluster_judgement *j, clump_arena *arena, view *v)
{
    *v = (view){.predicted = clump_arena_take(arena, (j->count + 1) * sizeof *v->predicted),
                .problems = clump_arena_take(arena, (j->count + 1) * sizeof *v->problems),
                .sums = clump_arena_take(arena, (2 * j->count + 2) * sizeof *v->sums)};
    if (v->predicted == NULL || v->problems == NULL || v->sums == NULL)
        return false;
    for (size_t i = 0; i < j->count; i++)
        if (j->rows[i].problem == NULL)
            v->predicted[v->predicted_count++] = j->rows[i];
        else
            v->problems[v->problem_count++] = j->rows[i];
    add_sums(j, v);
    return true;
}

static int print_view(output_format format, const clump_cluster_judgement *j, const view *v,
                      bool with_rows)
{
    const table_rows predictions = {
        .key = "predictions", COLUMNS(row_columns), RECORDS(v->predicted, v->predicted_count)};
    const table_rows errors = {
        .key = "errors", COLUMNS(error_columns), RECORDS(v->sums, v->sum_count)};
    const table_rows problems = {
        .key = "not_predicted", COLUMNS(problem_columns), RECORDS(v->problems, v->problem_count)};
    const table_rows *const sets[] = {&predictions, &errors, &problems};
    const clump_cluster_kind_entry *kind = &clump_cluster_kinds[j->kind];
    if (format == FORMAT_CSV)
        return csv_print(&predictions);
    if (format == FORMAT_JSON) {
        const output_field fields[] = {field_text("kind", kind->name),
                                       field_text("rival_1", kind->rivals[0]),
                                       field_text("rival_2", kind->rivals[1])};
        return json_print(sets, 3, fields, 3);
    }
    int status = with_rows ? validation_print_groups(&predictions, of_set) : EXIT_DONE;
    if (status == EXIT_DONE)
        status = table_print(&errors);
    if (status == EXIT_DONE && v->problem_count > 0) {
        putchar('\n');
        status = table_print(&problems);
    }
    printf("\nRival 1: %s. Rival 2: %s.\n", kind->rivals[0], kind->rivals[1]);
    return status;
}

/* ---- limits */

static int check_limits(const clump_cluster_judgement *j, const view *v, validation_limits limits)
{
    if (validation_limits_given(&limits) && clump_clusters_summarize(j->rows, j->count).count == 0)
        limits.status =
            error_failed(limits.command,
                         "found no prediction that can be compared with a measured value, "
                         "expected one for the limit of --max-%serror",
                         isfinite(limits.max_error) ? "" : "mean-");
    for (size_t i = 0; i < j->count; i++)
        validation_limits_error(&limits, j->rows[i].error, "'%.100s' (%.80s)", j->rows[i].set,
                                j->rows[i].part);
    for (size_t i = 0; i < v->sum_count; i++)
        if (v->sums[i].part == whole)
            validation_limits_mean(&limits, v->sums[i].mean_absolute,
                                   "set '%.100s': ", v->sums[i].set);
    return validation_limits_end(&limits);
}

static int read_node(const char *command, const char *path, clump_nccl_node *node)
{
    const clump_topology_rules rules = CLUMP_TOPOLOGY_RULES;
    const clump_topology_choice choice = {false, NULL, 0};
    clump_topology topology;
    clump_error error;
    const int status = topology_file_read(command, path, &rules, &choice, &topology);
    if (status != EXIT_DONE)
        return status;
    const clump_status made = clump_topology_nccl(&topology, 1, NULL, node, &error);
    clump_topology_free(&topology);
    return made == CLUMP_OK ? EXIT_DONE : error_input(command, "'%.200s': %s", path, error.message);
}

int validate_clusters(const command_invocation *invocation, const cluster_settings *settings,
                      clump_store *store, double max_error, double max_mean_error)
{
    const char *command = invocation->arguments.command;
    clump_nccl_node nccl;
    const clump_cluster_request request = {.kind = (clump_cluster_kind)(settings->kind - 1),
                                           .platform = settings->platform,
                                           .from = settings->from,
                                           .transport = settings->transport,
                                           .nccl = settings->topology != NULL ? &nccl : NULL};
    clump_cluster_judgement judgement;
    clump_error error;
    int status = EXIT_DONE;
    if (request.nccl != NULL)
        status = read_node(command, settings->topology, &nccl);
    if (status != EXIT_DONE)
        return status;
    const clump_status made = clump_clusters_judge(store, &request, &judgement, &error);
    if (made != CLUMP_OK)
        return error_told(command, made == CLUMP_BAD_ARGUMENT, error.message);
    view v;
    clump_arena *arena = clump_arena_new();
    const bool with_rows = settings->rows || request.kind == CLUMP_CLUSTER_NICS ||
                           request.kind == CLUMP_CLUSTER_TRAINING;
    status = arena != NULL && make_view(&judgement, arena, &v)
                 ? print_view(invocation->format, &judgement, &v, with_rows)
                 : error_memory(command);
    if (status == EXIT_DONE)
        status =
            check_limits(&judgement, &v,
                         (validation_limits){command, max_error, max_mean_error, EXIT_DONE, 0, ""});
    clump_arena_free(arena);
    clump_clusters_free(&judgement);
    return status;
}

/* ---- for the errors by kind of change */

/* "GROMACS, here from there": there and back are one data set, on other machines it is another. Of training, whose platforms
 * have a number of nodes each, all are one. */
static void name_dataset(const clump_cluster_row *row, char name[80])
{
    const bool pair = strstr(row->set, row->from) != NULL;
    const char *machine = strcmp(row->platform, row->from) < 0 ? row->platform : row->from;
    snprintf(name, 80, "%.*s %.50s", (int)strcspn(row->set, ","), row->set, pair ? machine : "");
}

int clusters_add_judged(const char *command, clump_store *store, clump_validation *validation)
{
    const clump_cluster_request request = {.kind = CLUMP_CLUSTER_NICS};
    clump_cluster_judgement judgement;
    clump_error error;
    clump_status status = clump_clusters_judge(store, &request, &judgement, &error);
    if (status == CLUMP_BAD_ARGUMENT) { /* there are none: then those in docs/clusters/ */
        validation->changes[CLUMP_CHANGE_OTHER_NIC] = *clump_model_error_of(CLUMP_CHANGE_OTHER_NIC);
        return EXIT_DONE;
    }
    if (status != CLUMP_OK)
        return error_failed(command, "%s", error.message);
    clump_judged_row *rows = calloc(judgement.count + 1, sizeof *rows);
    size_t count = 0;
    for (size_t i = 0; i < judgement.count && rows != NULL; i++) {
        const clump_cluster_row *row = &judgement.rows[i];
        if (!isfinite(row->error))
            continue;
        rows[count] = (clump_judged_row){.predicted = row->predicted, .measured = row->measured};
        name_dataset(row, rows[count++].dataset);
    }
    if (rows != NULL)
        status =
            clump_validation_add_judged(validation, CLUMP_CHANGE_OTHER_NIC, rows, count, &error);
    free(rows);
    clump_clusters_free(&judgement);
    return rows == NULL || status != CLUMP_OK ? error_memory(command) : EXIT_DONE;
}
